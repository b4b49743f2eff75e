"""The parts that add up to a joint reference, kept apart for the record.

A compiled controller that ticks keeps those of its last tick at the end of its memory: wave, rate
of the wave, adaptation and heading of every joint, before the spread limit and the filter.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.added import added_angle
from serpenoid.kernels.layout import (
    ADAPTATION_PART,
    ADDED_PART,
    HEADING_PART,
    HELD,
    PARTS,
    WAVE_PART,
    WAVE_RATE,
    Body,
    Floats,
    PackedGait,
    Records,
)


@jit
def keep_wave(joints: Records, memory: Floats) -> None:
    """Keep the wave, which is all there is of the references so far; other parts are 0."""
    begin = memory.shape[0] - PARTS * joints.shape[0]
    for j in range(joints.shape[0]):
        at = begin + PARTS * j
        memory[at + WAVE_PART], memory[at + WAVE_RATE] = joints[j].wanted, joints[j].wanted_rate
        memory[at + ADAPTATION_PART], memory[at + HEADING_PART] = 0.0, 0.0


@jit
def add_part(joints: Records, memory: Floats, j: int, part: int, angle: float) -> None:
    """Add a part to the reference of joint j, rad, and keep it."""
    joints[j].wanted += angle
    memory[memory.shape[0] - PARTS * (joints.shape[0] - j) + part] = angle


@jit
def kept_part(joints: Records, memory: Floats, j: int, part: int) -> float:
    """A part of the reference of joint j at the last tick, rad."""
    return memory[memory.shape[0] - PARTS * (joints.shape[0] - j) + part]


@jit
def write_parts(parts: Floats | None, k: int, body: Body, gait: PackedGait, t: float) -> None:
    """Write the parts into row k; the joints hold the reference of the controller itself."""
    if parts is None:
        return
    joints, memory = body.joints, body.memory
    begin = memory.shape[0] - PARTS * joints.shape[0]
    for j in range(parts.shape[1]):
        at = begin + PARTS * j
        parts[k, j, WAVE_PART] = joints[j].wanted if gait.kind != HELD else 0.0
        if memory.shape[0] > 0:
            since = t - joints[j].tick
            parts[k, j, WAVE_PART] = memory[at + WAVE_PART] + memory[at + WAVE_RATE] * since
            parts[k, j, ADAPTATION_PART] = memory[at + ADAPTATION_PART]
            parts[k, j, HEADING_PART] = memory[at + HEADING_PART]
        parts[k, j, ADDED_PART] = added_angle(body.added, j, t)
