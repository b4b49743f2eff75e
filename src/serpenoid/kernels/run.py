"""Step a batch of robots of one structure in one compiled call.

Arrays have one more axis here, and row b is that of robot b. A single run is a batch of one: the
same machine code steps it, and to the same bits. Each method has an entry of its own, made of
`robot_of`, `begin_step`, its step and `end_step`, or the same for blocks of lanes, because kernels
take no functions as arguments.
"""

from typing import NamedTuple

from serpenoid.kernels._jit import by_reference, jit, jit_entry
from serpenoid.kernels.added import commanded_at, felt
from serpenoid.kernels.chain import place_links
from serpenoid.kernels.drive import tick
from serpenoid.kernels.lanes import begin_row, load_commands, load_lanes, store_lanes
from serpenoid.kernels.laws.series_elastic import spring_torque
from serpenoid.kernels.layout import (
    DONE,
    Body,
    ContactLog,
    Control,
    Drive,
    Floats,
    Ints,
    Loops,
    NewtonOptions,
    PackedGait,
    PackedWorld,
    RunRecord,
    SelfContacts,
)
from serpenoid.kernels.midpoint import advance, write_row
from serpenoid.kernels.rows import RowLayout, Rows

WORLDS = RowLayout(
    PackedWorld, varying=("surfaces", "patches", "discs", "segments", "start", "items", "ground")
)
BODIES = RowLayout(
    Body,
    varying=("memory", "rotors", "supports", "added"),
    parts={
        "links": "bodies[: joints.shape[0] + 1]",
        "loads": "bodies[joints.shape[0] + 1 :]",
    },
    within={"loops": RowLayout(Loops), "self_contacts": RowLayout(SelfContacts)},
)
GAITS = RowLayout(PackedGait)
CONTROLS = RowLayout(Control, varying=("phases", "path"), within={"gait": GAITS})
DRIVES = RowLayout(Drive, within={"gait": GAITS, "control": CONTROLS})
RECORDS = RowLayout(RunRecord, within={"contacts": RowLayout(ContactLog)})

world_of, body_of, drive_of, record_of = WORLDS.of, BODIES.of, DRIVES.of, RECORDS.of


class BatchArrays(NamedTuple):
    """Robots under way, b of them."""

    worlds: Rows  # w worlds that they are in
    place: Ints  # (b,) number of each robot's world
    bodies: Rows
    drives: Rows
    records: Rows
    target: Ints  # (b,) step to take each robot to
    status: Ints  # (b,) why each stopped; one that is not DONE is left alone
    origin: Ints  # (b,) step from which rows of the record are counted


class Timing(NamedTuple):
    """Lengths of time of a batch."""

    dt: float  # time step, s
    every: int  # steps from one row of the record to the next


class RobotView(NamedTuple):
    """One robot of a batch, as a step takes it."""

    world: PackedWorld
    body: Body
    gait: PackedGait
    control: Control | None
    record: RunRecord


@jit
def robot_of(batch: BatchArrays, b: int) -> RobotView:
    """Robot b, in the memory of the batch."""
    drive = drive_of(batch.drives, b)
    return RobotView(
        world=world_of(batch.worlds, batch.place[b]),
        body=body_of(batch.bodies, b),
        gait=drive.gait,
        control=drive.control,
        record=record_of(batch.records, b),
    )


@jit
def write_start(batch: BatchArrays, b: int, robot: RobotView, timing: Timing) -> None:
    """Write the row of the start, if that is not done yet."""
    record = robot.record
    if batch.status[b] == DONE and record.rows[0] == 0 and record.time.shape[0] > 0:
        write_row(robot.body, robot.gait, timing.dt, timing.every, record)


@jit
def is_under_way(batch: BatchArrays, b: int, body: Body) -> bool:
    """Whether robot b has a step to take."""
    return batch.status[b] == DONE and body.step[0] < batch.target[b]


@jit
def has_tick(body: Body, control: Control | None) -> bool:
    """Whether a compiled controller has a tick before the next step."""
    if control is None:
        return False
    # A step that ran out of room for contacts has had its tick.
    due = control.ticks > 0 and body.pieces[0] == 0
    return due and body.step[0] % control.ticks == 0


@jit
def tick_lanes(body: Body, control: Control | None, record: RunRecord, t: float) -> None:
    """Let a compiled controller command the joints."""
    if control is None:
        return
    store_lanes(body, record)
    tick(control, body, t)
    load_commands(body)


@jit
def has_row(batch: BatchArrays, b: int, robot: RobotView, timing: Timing) -> bool:
    """Whether a row of the record is due after the step."""
    since = robot.body.step[0] - batch.origin[b]
    return batch.status[b] == DONE and since % timing.every == 0


@jit
def begin_step(batch: BatchArrays, b: int, robot: RobotView, timing: Timing) -> bool:
    """Whether robot b has a step to take; if so, its controller has its tick, if one is due."""
    body = robot.body
    under_way = is_under_way(batch, b, body)
    if under_way and has_tick(body, robot.control):
        tick_records(body, robot.control, body.step[0] * timing.dt)
    return under_way


@jit
def tick_records(body: Body, control: Control | None, t: float) -> None:
    """The same for methods that work on the records."""
    if control is not None:
        tick(control, body, t)


@jit
def end_step(batch: BatchArrays, b: int, robot: RobotView, timing: Timing, status: int) -> None:
    """Note how a step ended, and write a row after it, if one is due."""
    batch.status[b] = status
    if has_row(batch, b, robot, timing):
        write_row(robot.body, robot.gait, timing.dt, timing.every, robot.record)


@jit
def begin_lane_step(batch: BatchArrays, b: int, robot: RobotView, timing: Timing) -> bool:
    """`begin_step` of a robot whose state is in blocks of lanes."""
    body = robot.body
    under_way = is_under_way(batch, b, body)
    if under_way and has_tick(body, robot.control):
        tick_lanes(body, robot.control, robot.record, body.step[0] * timing.dt)
    return under_way


@jit
def end_lane_step(
    batch: BatchArrays, b: int, robot: RobotView, timing: Timing, status: int
) -> None:
    """`end_step` of a robot whose state is in blocks of lanes."""
    batch.status[b] = status
    if has_row(batch, b, robot, timing):
        store_lanes(robot.body, robot.record)
        write_row(robot.body, robot.gait, timing.dt, timing.every, robot.record)
        begin_row(robot.body)


@jit_entry
def run_newton(
    batch: BatchArrays,
    timing: Timing,
    options: NewtonOptions,
    first: int,
    last: int,
) -> None:
    """Take robots first <= b < last to their targets with the default step."""
    robots = by_reference(batch)
    for b in range(first, last):
        robot = by_reference(robot_of(robots, b))
        write_start(robots, b, robot, timing)
        world, body, gait, record = robot.world, robot.body, robot.gait, robot.record
        if not is_under_way(robots, b, body):
            continue
        load_lanes(world, body, gait, record)
        while begin_lane_step(robots, b, robot, timing):
            status = advance(world, body, gait, timing.dt, options, record)
            end_lane_step(robots, b, robot, timing, status)
        store_lanes(body, record)


@jit_entry
def observe_many(
    bodies: Rows, dt: float, on_top: bool, links: Floats, joints: Floats, loads: Floats
) -> None:
    """What the controllers of all robots see.

    Args:
        bodies: The robots.
        dt: Time step, s.
        on_top: Whether those see that are commanded on top of others.
        links: Where to write x, y, theta, vx, vy, omega of the links' middles and the contact force
            since the last command, N, (8, b, n).
        joints: Where to write joint angles, rates and torques of the springs, (3, b, n-1).
        loads: Where to write x, y, theta, vx, vy, omega of the loads, (6, b, at).
    """
    robots = by_reference(bodies)
    for b in range(links.shape[1]):
        body = by_reference(body_of(robots, b))
        place_links(body.links, body.com)
        since = body.step[0] * dt - commanded_at(body, body.added, on_top)
        for i in range(links.shape[2]):
            link = body.links[i]
            links[0, b, i] = link.x + link.middle * link.ex
            links[1, b, i] = link.y + link.middle * link.ey
            links[2, b, i] = link.theta
            links[3, b, i] = link.vx - link.middle * link.omega * link.ey
            links[4, b, i] = link.vy + link.middle * link.omega * link.ex
            links[5, b, i] = link.omega
            x, y = felt(body, body.added, on_top, i)
            links[6, b, i] = x / since if since > 0.0 else 0.0
            links[7, b, i] = y / since if since > 0.0 else 0.0
        for j in range(joints.shape[2]):
            joint = body.joints[j]
            joints[0, b, j] = body.links[j + 1].theta - body.links[j].theta
            joints[1, b, j] = body.links[j + 1].omega - body.links[j].omega
            joints[2, b, j] = spring_torque(joint, joints[0, b, j])
        for k in range(loads.shape[2]):
            load = body.loads[k]
            loads[0, b, k], loads[1, b, k], loads[2, b, k] = load.x, load.y, load.theta
            loads[3, b, k], loads[4, b, k], loads[5, b, k] = load.vx, load.vy, load.omega
