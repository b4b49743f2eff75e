"""Robots alike, one or many, one after the other in one call.

All arrays have one more axis here, and row b is that of robot b. Single runs are batches of one:
the same machine code steps them, and to the same bits.
"""

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from serpenoid.kernels._jit import jit, jit_entry
from serpenoid.kernels.chain import place_links
from serpenoid.kernels.layout import (
    DONE,
    ELASTIC,
    Body,
    Control,
    Dense,
    Floats,
    Flow,
    Gait,
    Ints,
    Lagrange,
    Loops,
    Options,
    Record,
    Records,
    World,
)
from serpenoid.kernels.midpoint import run, write_row


def _numbers(kind: Any) -> np.dtype[np.void]:
    """The numbers of a named tuple, without its arrays, as a record."""
    dtypes = {bool: np.bool_, int: np.int64, float: np.float64}
    fields = [(name, dtypes[t]) for name, t in kind.__annotations__.items() if t in dtypes]
    return np.dtype(fields, align=True)


WORLD, GAIT, CONTROL = _numbers(World), _numbers(Gait), _numbers(Control)


class Worlds(NamedTuple):
    """Worlds that robots stand in, w of them, with room for what the largest of them holds."""

    numbers: Records  # WORLD (w,)
    counts: Ints  # (w, 7) how many of the arrays' entries are used, in this order
    # Rows of what World holds, (w, ...).
    surfaces: Any
    patches: Any
    discs: Any
    segments: Any
    start: Ints
    items: Ints
    ground: Any
    grid: Any


class Drives(NamedTuple):
    """What moves the joints of b robots."""

    gait: Records  # GAIT (b,)
    control: Records  # CONTROL (b,)
    wave: Records  # GAIT (b,) of the compiled controllers
    counts: Ints  # (b, 3) how many of the entries of phases, path, and memory are used
    phases: Floats  # (b, ...) as in Control
    path: Floats  # (b, ..., 2)


@jit
def world_of(worlds: Worlds, w: int) -> World:
    """World w as a step takes it."""
    number, count = worlds.numbers[w], worlds.counts[w]
    return World(
        centre=number.centre,
        pull_x=number.pull_x,
        pull_y=number.pull_y,
        normal=number.normal,
        surfaces=worlds.surfaces[w, : count[0]],
        patches=worlds.patches[w, : count[1]],
        discs=worlds.discs[w, : count[2]],
        segments=worlds.segments[w, : count[3]],
        grid=worlds.grid[w],
        start=worlds.start[w, : count[4]],
        items=worlds.items[w, : count[5]],
        ground=worlds.ground[w, : count[6]],
        top=number.top,
        hard=number.hard,
        thin=number.thin,
        k=number.k,
        d=number.d,
        restitution=number.restitution,
    )


@jit
def body_of(bodies: Body, memory: int, b: int) -> Body:
    """Robot b and its loads as a step takes them; memory: numbers its controller remembers."""
    own, links = bodies.bodies[b], bodies.joints.shape[1] + 1
    return Body(
        bodies=own,
        links=own[:links],
        loads=own[links:],
        shapes=bodies.shapes[b],
        loops=Loops(
            order=bodies.loops.order[b],
            widest=bodies.loops.widest[b],
            slot=bodies.loops.slot[b],
            coupled=bodies.loops.coupled[b],
            term=bodies.loops.term[b],
            touched=bodies.loops.touched[b],
            response=bodies.loops.response[b],
            matrix=bodies.loops.matrix[b],
            first=bodies.loops.first[b],
            step=bodies.loops.step[b],
        ),
        joints=bodies.joints[b],
        contacts=bodies.contacts[b],
        previous=bodies.previous[b],
        counts=bodies.counts[b],
        near=bodies.near[b],
        step=bodies.step[b],
        com=bodies.com[b],
        last=bodies.last[b],
        pieces=bodies.pieces[b],
        blame=bodies.blame[b],
        ledger=bodies.ledger[b],
        memory=bodies.memory[b, :memory],
    )


@jit
def gait_of(gaits: Records, b: int) -> Gait:
    """Gait b as a step takes it."""
    own = gaits[b]
    return Gait(
        kind=own.kind,
        amplitude=own.amplitude,
        frequency=own.frequency,
        phase=own.phase,
        offset=own.offset,
        start=own.start,
        delay=own.delay,
    )


@jit
def control_of(drives: Drives, b: int) -> Control:
    """The compiled controller of robot b as a step takes it."""
    own, count = drives.control[b], drives.counts[b]
    return Control(
        ticks=own.ticks,
        period=own.period,
        wave=own.wave,
        gait=gait_of(drives.wave, b),
        amplitude=own.amplitude,
        frequency=own.frequency,
        lag=own.lag,
        adaptation=own.adaptation,
        adaptation_limit=own.adaptation_limit,
        heading=own.heading,
        look_ahead=own.look_ahead,
        jam_distance=own.jam_distance,
        jam_time=own.jam_time,
        back_time=own.back_time,
        admittance=own.admittance,
        admittance_damping=own.admittance_damping,
        admittance_stiffness=own.admittance_stiffness,
        phases=drives.phases[b, : count[0]],
        spread=own.spread,
        cutoff=own.cutoff,
        path=drives.path[b, : count[1]],
        from_start=own.from_start,
        acceptance=own.acceptance,
        noise=own.noise,
        quantum=own.quantum,
        sensor_lag=own.sensor_lag,
    )


@jit
def record_of(records: Record, b: int) -> Record:
    """What is kept of robot b."""
    return Record(
        rows=records.rows[b],
        time=records.time[b],
        pose=records.pose[b],
        velocity=records.velocity[b],
        force=records.force[b],
        sticking=records.sticking[b],
        torque=records.torque[b],
        reference=records.reference[b],
        rotor=records.rotor[b],
        spring=records.spring[b],
        spatial=records.spatial[b],
        ledger=records.ledger[b],
        certificate=records.certificate[b],
        window_force=records.window_force[b],
        window_torque=records.window_torque[b],
        window_certificate=records.window_certificate[b],
    )


@jit_entry
def run_many(
    worlds: Worlds,
    place: Ints,
    bodies: Body,
    drives: Drives,
    dt: float,
    first: int,
    last: int,
    target: Ints,
    origin: int,
    every: int,
    options: Options,
    dense: Dense | None,
    flow: Flow | None,
    chain: Lagrange | None,
    records: Record,
    status: Ints,
) -> None:
    """Take robots first <= b < last to the step target[b]; status[b]: why each of them ended there.

    place[b]: the number of its world. A robot that is not DONE is left alone. A row is written at
    the start and then `every` so many steps, counted from `origin`. flow, chain: scratch of the
    papers' own methods, of one robot.
    """
    for b in range(first, last):
        if status[b] != DONE:
            continue
        body = body_of(bodies, drives.counts[b, 2], b)
        gait, record = gait_of(drives.gait, b), record_of(records, b)
        if record.rows[0] == 0 and record.time.shape[0] > 0:
            write_row(body, gait, dt, every, record)
        status[b] = run(
            world_of(worlds, place[b]),
            body,
            gait,
            control_of(drives, b),
            dt,
            target[b] - body.step[0],
            origin,
            every,
            options,
            dense,
            flow,
            chain,
            record,
        )


@jit_entry
def observe_many(bodies: Body, drives: Drives, dt: float, motion: Floats, felt: Floats) -> None:
    """Where the links of all robots are, and what they have felt since the last command.

    motion: (8, b, n) x, y, theta, vx, vy, omega of the links' middles, contact force, N.
    felt: (3, b, n-1) joint angles, rates, and torques of the springs.
    """
    for b in range(bodies.step.shape[0]):
        body = body_of(bodies, drives.counts[b, 2], b)
        links, joints = body.links, body.joints
        place_links(links, body.com)
        since = body.step[0] * dt - body.last[1]
        for i in range(links.shape[0]):
            link = links[i]
            motion[0, b, i] = link.x + link.middle * link.ex
            motion[1, b, i] = link.y + link.middle * link.ey
            motion[2, b, i] = link.theta
            motion[3, b, i] = link.vx - link.middle * link.omega * link.ey
            motion[4, b, i] = link.vy + link.middle * link.omega * link.ex
            motion[5, b, i] = link.omega
            motion[6, b, i] = link.tick_x / since if since > 0.0 else 0.0
            motion[7, b, i] = link.tick_y / since if since > 0.0 else 0.0
        for j in range(joints.shape[0]):
            joint = joints[j]
            felt[0, b, j] = links[j + 1].theta - links[j].theta
            felt[1, b, j] = links[j + 1].omega - links[j].omega
            springs = joint.actuator == ELASTIC and isfinite(joint.spring)
            felt[2, b, j] = joint.spring * (joint.psi - felt[0, b, j]) if springs else 0.0
