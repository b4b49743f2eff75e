"""pymunk as referee: Aiko on the pegs with Chipmunk's sequential impulses."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pymunk

from tests.peers.track import AIKO, AIKO_PEGS, GRAVITY, Array, PeerRun, Track


@dataclass(frozen=True)
class PymunkOptions:
    """Chipmunk's step and how many impulse sweeps it may spend on it."""

    timestep: float = 1e-3
    """s."""
    iterations: int = 10
    hinge_bias: float = 0.5
    """Share of a hinge gap that is removed in one step."""
    contact_bias: float = 0.5
    """Share of a penetration that is removed in one step."""


DEFAULT = PymunkOptions()
"""One millisecond, ten sweeps."""

FASTEST = PymunkOptions(iterations=3)
"""The fewest sweeps at 1 ms that keep Aiko within 5 mm on the pegs at all times and within 5 %
of its speed on flat ground."""


def build(
    track: Track, pegs: Array, options: PymunkOptions
) -> tuple[pymunk.Space, list[pymunk.Body], list[pymunk.DampedRotarySpring]]:
    """Space with links, hinges, servos, ground friction and frictionless pegs.

    Ground friction is a pivot to the static body with force limit mu m g and no position
    correction.
    """
    space = pymunk.Space()
    space.iterations = options.iterations
    space.collision_slop = 0.0
    space.collision_bias = (1.0 - options.contact_bias) ** (1.0 / options.timestep)
    bodies = []
    for x, y, theta in zip(*track.start(), strict=True):
        body = pymunk.Body(track.mass, track.inertia)
        body.position, body.angle = (float(x), float(y)), float(theta)
        ends = (-track.half_straight, 0.0), (track.half_straight, 0.0)
        shape = pymunk.Segment(body, *ends, track.radius)
        shape.filter = pymunk.ShapeFilter(group=1)
        shape.friction, shape.elasticity = 0.0, 0.0
        ground = pymunk.PivotJoint(space.static_body, body, body.position, (0.0, 0.0))
        ground.max_force = track.friction * track.mass * GRAVITY
        ground.max_bias = 0.0
        space.add(body, shape, ground)
        bodies.append(body)
    for x, y in np.asarray(pegs, dtype=np.float64).reshape(-1, 2):
        peg = pymunk.Circle(space.static_body, track.peg_radius, (float(x), float(y)))
        peg.friction, peg.elasticity = 0.0, 0.0
        space.add(peg)
    servos = []
    half = 0.5 * track.length
    for rear, front in pairwise(bodies):
        hinge = pymunk.PivotJoint(rear, front, (half, 0.0), (-half, 0.0))
        hinge.collide_bodies = False
        hinge.error_bias = (1.0 - options.hinge_bias) ** (1.0 / options.timestep)
        servo = pymunk.DampedRotarySpring(
            rear, front, 0.0, track.stiffness, spring_damping(track, options.timestep)
        )
        space.add(hinge, servo)
        servos.append(servo)
    return space, bodies, servos


def spring_damping(track: Track, timestep: float) -> float:
    """Damping (N m s/rad) that makes Chipmunk's rotary spring an implicit servo.

    Chipmunk scales the joint rate by exp(-c h / J) in one step, with J the reduced inertia
    of the two links. The implicit servo scales it by 1 / (1 + (Kd + h Kp) h / J).
    """
    rate = 2.0 * timestep / track.inertia
    return float(np.log1p((track.damping + timestep * track.stiffness) * rate)) / rate


def rest_angles(track: Track, options: PymunkOptions, steps: int) -> Array:
    """Rest angles (rad) that make the springs track angle and rate, shape (steps, joints).

    The spring pulls with -Kp (rear - front - rest): rest is minus the wanted joint angle.
    """
    phi, phi_dot = track.gait(options.timestep * np.arange(1, steps + 1))
    return -(phi + track.damping / track.stiffness * phi_dot)


def simulate(
    track: Track = AIKO,
    pegs: Array = AIKO_PEGS,
    options: PymunkOptions = DEFAULT,
    duration: float = 9.0,
    sample: float = 0.01,
) -> PeerRun:
    """Run the gait for duration (s); one sample every sample (s)."""
    space, bodies, servos = build(track, pegs, options)
    steps = round(duration / options.timestep)
    every = max(1, round(sample / options.timestep))
    wanted = rest_angles(track, options, steps).tolist()
    rows = [_poses(bodies)]
    elapsed = 0.0
    for first in range(0, steps, every):
        begin = clock.perf_counter()
        for row in wanted[first : first + every]:
            for servo, angle in zip(servos, row, strict=True):
                servo.rest_angle = angle
            space.step(options.timestep)
        elapsed += clock.perf_counter() - begin
        rows.append(_poses(bodies))
    poses = np.array(rows)
    time = np.minimum(every * np.arange(len(rows)), steps) * options.timestep
    return PeerRun(time, poses[:, 0], poses[:, 1], poses[:, 2], 1e6 * elapsed / steps)


def _poses(bodies: list[pymunk.Body]) -> Array:
    """Rows x, y (m), theta (rad) over the links."""
    return np.array([(*body.position, body.angle) for body in bodies]).T
