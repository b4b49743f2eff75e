"""Jams: how a controller finds them, and what it does until it has got out."""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.layout import (
    BACK_UNTIL,
    MARK_HEADING,
    MARK_TIME,
    MARK_X,
    MARK_Y,
    PAUSED,
    RESOLVE_UNTIL,
    WAVE_PART,
    Control,
    Floats,
    Records,
)
from serpenoid.kernels.parts import keep_wave, kept_part


@jit
def mark_progress(memory: Floats, t: float, x: float, y: float) -> None:
    """Store place and time, from which the next progress is measured."""
    memory[MARK_X], memory[MARK_Y], memory[MARK_TIME] = x, y, t


@jit
def gets_on(control: Control, memory: Floats, x: float, y: float) -> bool:
    """Whether the robot is farther from the place stored than one that is jammed."""
    dx, dy = x - memory[MARK_X], y - memory[MARK_Y]
    return dx * dx + dy * dy > control.jam_distance * control.jam_distance


@jit
def recover(control: Control, memory: Floats, t: float, x: float, y: float) -> None:
    """Detect that the robot is jammed, and when it has backed out long enough."""
    if memory[BACK_UNTIL] > 0.0:
        if t < memory[BACK_UNTIL]:
            return
        memory[BACK_UNTIL] = 0.0
        mark_progress(memory, t, x, y)
    if gets_on(control, memory, x, y):
        mark_progress(memory, t, x, y)
    if t - memory[MARK_TIME] > control.jam_time:
        memory[BACK_UNTIL] = t + control.back_time


@jit
def resolve(
    control: Control, memory: Floats, jam: Floats, t: float, x: float, y: float, heading: float
) -> None:
    """Detect that the robot neither gets on nor turns, and when the resolution of the jam ends.

    jam: the part of the memory that is about jams. The resolution ends as soon as the robot gets on
    or turns, and no later than after its duration.
    """
    turns = abs(heading - jam[MARK_HEADING]) > control.jam_turn
    found = jam[RESOLVE_UNTIL] == 0.0 and t - memory[MARK_TIME] > control.jam_time
    over = jam[RESOLVE_UNTIL] > 0.0 and t >= jam[RESOLVE_UNTIL]
    if gets_on(control, memory, x, y) or turns or over:
        jam[RESOLVE_UNTIL] = 0.0
    elif found:
        jam[RESOLVE_UNTIL] = t + control.resolution
    else:
        return
    jam[MARK_HEADING] = heading
    mark_progress(memory, t, x, y)


@jit
def pause_wave(joints: Records, memory: Floats, jam: Floats) -> None:
    """Set the joint references to the wave of the last tick: it stands still for this one."""
    jam[PAUSED] += 1.0
    for j in range(joints.shape[0]):
        joints[j].wanted, joints[j].wanted_rate = kept_part(joints, memory, j, WAVE_PART), 0.0
    keep_wave(joints, memory)
