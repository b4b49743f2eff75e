"""A robot and the loads about it as the kernels take them, and their state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.model.loads import Load
from serpenoid.model.robot import Robot
from serpenoid.model.state import State
from serpenoid.model.world import World

Floats = npt.NDArray[np.float64]

# Events of the hybrid method that are kept.
_EVENTS = 100_000
# What the next step of a load depends on, in the order of State.load.
_LOAD_STATE = (
    *("x", "y", "theta", "vx", "vy", "omega", "ax", "ay", "aw"),
    *("dry_x", "dry_y", "dry_w", "sticking"),
)


def records(count: int, dtype: np.dtype[np.void]) -> Any:
    """So many empty records."""
    return np.zeros(count, dtype).view(np.recarray)


def pack_robot(
    robot: Robot, world: World | None = None, memory: int = 0, contacts: int = 0
) -> layout.Body:
    """Records of the robot, at rest at the origin, and of the world's loads, at their places.

    memory: numbers its controller has to remember. contacts: how many there must be room for.
    """
    n = len(robot.links)
    loads = world.loads if world else ()
    bodies, joints = records(n + len(loads), layout.LINK), records(n - 1, layout.JOINT)
    links = bodies[:n]
    lumps = robot.lumps()
    links.mass, links.inertia = lumps.mass, lumps.inertia
    links.back, links.front, links.middle = lumps.back, lumps.front, lumps.middle
    links.half = [link.length / 2 for link in robot.links]
    links.span = 2 * links.half / links.back
    links.straight = [link.straight_length / 2 for link in robot.links]
    links.rear, links.fore = links.middle - links.straight, links.middle + links.straight
    links.radius = [link.radius for link in robot.links]
    for record, link in zip(links, robot.links, strict=True):
        if link.wheels is not None:
            link.wheels.pack(record)
    for record, joint in zip(joints, robot.joints, strict=True):
        joint.actuator.pack(record)
        lower, upper = joint.limits_deg or (-math.inf, math.inf)
        record.lower, record.upper = math.radians(lower), math.radians(upper)
    room = max(8 * n + 64, 2 * contacts)
    return layout.Body(
        bodies=bodies,
        links=links,
        loads=bodies[n:],
        shapes=_pack_loads(loads, world, bodies[n:]),
        loops=new_loops(len(loads), n, min(len(loads), 4)),
        joints=joints,
        contacts=records(room, layout.CONTACT),
        previous=records(room, layout.CONTACT),
        counts=np.zeros(2, np.int64),
        near=np.zeros((len(bodies), 16), np.int64),
        step=np.zeros(1, np.int64),
        com=np.zeros(4),
        last=np.zeros(2),
        pieces=np.zeros(2, np.int64),
        blame=np.zeros(2, np.int64),
        ledger=np.zeros(layout.LEDGER_SIZE),
        memory=np.zeros(memory),
    )


def _pack_loads(loads: tuple[Load, ...], world: World | None, bodies: Any) -> Any:
    """The outlines of the loads; what they are and where goes into their records."""
    shapes = records(len(loads), layout.LOAD)
    for load, body, shape in zip(loads, bodies, shapes, strict=True):
        body.mass, body.inertia, body.radius = load.mass, load.moment_of_inertia, load.reach
        body.half = load.reach
        body.x, body.y, body.theta = load.x, load.y, math.radians(load.angle_deg)
        body.ex, body.ey = math.cos(body.theta), math.sin(body.theta)
        (body.vx, body.vy), body.omega = load.velocity, math.radians(load.spin_deg)
        shape.half_width, shape.half_height = load.half_sizes
        shape.radius, shape.mu, shape.arm = load.rounding, load.friction, load.friction_arm
        assert world is not None
        law = load.contact or world.contact
        shape.friction, shape.restitution = law.friction, law.restitution
    return shapes


def new_loops(loads: int, links: int, room: int) -> layout.Loops:
    """Scratch of loads that are coupled to others, so many at once."""
    return layout.Loops(
        order=np.arange(loads),
        widest=np.zeros(1),
        slot=np.zeros(loads, np.int64),
        coupled=np.zeros(room + 1, np.int64),
        term=np.zeros((loads, 9)),
        touched=np.zeros(room, np.bool_),
        response=np.zeros((3 * room, links, 3)),
        matrix=np.zeros((3 * room, 3 * room)),
        first=np.zeros(3 * room, np.int64),
        step=np.zeros(3 * room),
    )


def put_state(body: layout.Body, state: State) -> None:
    """Set the records to a state."""
    # Plain arrays of records: those with attributes take twenty times as long for each field.
    links, joints, loads = (a.view(np.ndarray) for a in (body.links, body.joints, body.loads))
    if len(state.theta) != len(links):
        raise InvalidInput(
            f"the state has {len(state.theta)} links, but the robot has {len(links)}"
        )
    body.step[0] = state.step
    body.com[:2] = state.com
    body.last[0] = state.last_step
    if len(state.load) != len(loads):
        raise InvalidInput(f"the state has {len(state.load)} loads, but the world has {len(loads)}")
    for name, column in zip(_LOAD_STATE, state.load.T, strict=True):
        loads[name] = column
    loads["ex"], loads["ey"] = np.cos(loads["theta"]), np.sin(loads["theta"])
    links["theta"] = state.theta
    links["vx"], links["vy"], links["omega"] = state.velocity.T
    links["ax"], links["ay"], links["aw"] = state.acceleration.T
    links["dry_x"], links["dry_y"], links["dry_w"] = state.dry.T
    links["sticking"] = state.sticking
    links["tick_x"], links["tick_y"] = state.felt.T
    joints["limit"] = state.limit
    joints["psi"], joints["psi_rate"], joints["eta"], joints["eta_rate"] = state.drive.T
    angle, rate, torque = state.command.T
    put_command(body, angle, rate, torque, state.command_time)
    count = len(state.contact)
    body.counts[1] = count
    previous = body.previous.view(np.ndarray)[:count]
    names = ("link", "obstacle", "side", "grips")
    for name, column in zip(names, state.contact.T, strict=True):
        previous[name] = column
    previous["qn"], previous["qt"] = state.impulse.T
    body.ledger[:] = state.ledger
    mine, kept = body.memory, state.memory
    # That of another controller means nothing to this one.
    if len(kept) == len(mine) > 0 and kept[layout.OWNER] == mine[layout.OWNER]:
        mine[:] = kept


def kinetic_energy(body: layout.Body) -> tuple[float, float]:
    """Kinetic energy of links and rotors, and that of the rotors' turning alone, J."""
    links: Any = body.links
    joints: Any = body.joints
    bodies: Any = body.bodies
    with np.errstate(over="ignore", invalid="ignore"):
        linear = bodies.mass * (bodies.vx**2 + bodies.vy**2)
        energy = 0.5 * float((linear + bodies.inertia * bodies.omega**2).sum())
        spin = links.omega[:-1] + joints.ratio * joints.psi_rate
        turning = 0.5 * float((joints.rotor * spin**2).sum())
    return energy + turning, turning


def spring_torques(body: layout.Body) -> Floats:
    """Torque of the spring in each joint, N m; 0 where there is none."""
    joints: Any = body.joints
    strain = joints.psi - np.diff(body.links["theta"])
    springs = (joints.actuator == layout.ELASTIC) & np.isfinite(joints.spring)
    torque: Floats = np.where(springs, joints.spring, 0.0) * strain
    return torque


def owns_kinetic_energy(body: layout.Body) -> bool:
    """Whether the ledger holds the kinetic energy of this robot at these velocities."""
    energy, _ = kinetic_energy(body)
    booked = float(body.ledger[layout.KINETIC])
    return not math.isfinite(energy) or abs(energy - booked) <= 1e-9 * energy


def put_command(body: layout.Body, angle: Any, rate: Any, torque: Any, time: float) -> None:
    """Let the joints follow a command given at a time, s."""
    joints = body.joints.view(np.ndarray)
    joints["angle"], joints["rate"], joints["torque"], joints["tick"] = angle, rate, torque, time
    body.last[1] = time


def get_state(body: layout.Body, dt: float) -> State:
    """The state the records are in, as copies."""
    links, joints, loads = (a.view(np.ndarray) for a in (body.links, body.joints, body.loads))
    previous = body.previous.view(np.ndarray)[: body.counts[1]]

    def table(records: npt.NDArray[Any], *names: str) -> npt.NDArray[Any]:
        return np.stack([records[name] for name in names], axis=1)

    return State(
        time_step=dt,
        step=int(body.step[0]),
        last_step=float(body.last[0]),
        com=body.com[:2].copy(),
        theta=np.array(links["theta"]),
        velocity=table(links, "vx", "vy", "omega"),
        acceleration=table(links, "ax", "ay", "aw"),
        dry=table(links, "dry_x", "dry_y", "dry_w"),
        limit=np.array(joints["limit"]),
        drive=table(joints, "psi", "psi_rate", "eta", "eta_rate"),
        sticking=np.array(links["sticking"]),
        command=table(joints, "angle", "rate", "torque"),
        command_time=float(body.last[1]),
        felt=table(links, "tick_x", "tick_y"),
        contact=table(previous, "link", "obstacle", "side", "grips"),
        impulse=table(previous, "qn", "qt"),
        load=table(loads, *_LOAD_STATE).astype(float),
        ledger=body.ledger.copy(),
        memory=body.memory.copy(),
    )


def grown(body: layout.Body) -> layout.Body:
    """The same body with room for twice as many contacts and neighbours."""
    room = 2 * len(body.contacts)
    bodies: Any = body.bodies
    bodies.horizon = 0.0
    loads = len(body.loads)
    larger = body._replace(
        contacts=records(room, layout.CONTACT),
        previous=records(room, layout.CONTACT),
        near=np.zeros((len(bodies), 2 * body.near.shape[1]), np.int64),
        loops=new_loops(loads, len(body.links), min(loads, 2 * (len(body.loops.coupled) - 1))),
    )
    larger.previous[: len(body.previous)] = body.previous
    return larger


def new_dense(body: layout.Body) -> layout.Dense:
    """Scratch of the proximal point method."""
    n = len(body.links)
    size, laws = 5 * n - 2, 2 * n + len(body.contacts)
    return layout.Dense(
        matrix=np.zeros((size, size)),
        pivot=np.zeros(size, np.int64),
        solution=np.zeros((laws + 1, size)),
        direction=np.zeros((laws, size)),
        delassus=np.zeros((laws, laws + 1)),
        impulse=np.zeros(laws),
        gamma=np.zeros(laws),
    )


def new_flow(body: layout.Body) -> layout.Flow:
    """Scratch of the hybrid method."""
    links: Any = body.links
    n, rows = len(links), 2 * len(body.contacts)
    # From the tail end to the centre of link i: every link behind it whole, its own half.
    arm = np.tril(np.tile(2.0 * links.half, (n, 1)), -1) + np.diag(links.half)
    arm -= links.mass @ arm / links.mass.sum()
    size = 7 * n + 4 + layout.GRAVITY
    return layout.Flow(
        arm=arm,
        inertia=np.ascontiguousarray(arm.T @ (links.mass[:, None] * arm)),
        axis=np.zeros((2, n)),
        mass=np.zeros((n, n)),
        turn=np.zeros((2, n)),
        push=np.zeros(n + 2),
        first=np.zeros(size),
        y=np.zeros(size),
        trial=np.zeros(size),
        slope=np.zeros((7, size)),
        dense=np.zeros((4, 2 * n + 4)),
        rows=np.zeros((rows, 2), np.int64),
        half=np.zeros((2 * rows, n + 2)),
        matrix=np.zeros((rows, rows)),
        pivot=np.zeros(rows, np.int64),
        force=np.zeros((1, rows)),
        known=np.zeros_like(body.previous),
        log=np.zeros((_EVENTS, 4)),
        logged=np.zeros(1, np.int64),
    )


def new_lagrange(body: layout.Body, robot: Robot) -> layout.Lagrange:
    """The chain as the Euler-Lagrange equations take it, and their scratch."""
    links: Any = body.links
    n = len(links)
    # From the tail end, per link behind: middles of the links, then hinges; seen from the mean of
    # the middles.
    middle = np.tril(np.tile(2.0 * links.half, (n, 1)), -1) + np.diag(links.half)
    hinge = np.tril(np.tile(2.0 * links.half, (n, 1)))[:-1] - middle.mean(axis=0)
    middle = middle - middle.mean(axis=0)
    mass = np.array([link.mass for link in robot.links])
    rotor = np.array(robot.rotor_masses)
    inertia = middle.T @ (mass[:, None] * middle) + hinge.T @ (rotor[:, None] * hinge)
    inertia += np.diag([link.moment_of_inertia for link in robot.links])
    return layout.Lagrange(
        arm=middle - np.diag(links.middle),
        inertia=np.ascontiguousarray(inertia),
        moment=mass @ middle + rotor @ hinge,
        mass=np.zeros((n + 2, n + 2)),
        push=np.zeros(n + 2),
        torque=np.zeros(n - 1),
        first=np.zeros(4 * n + 2),
        y=np.zeros(4 * n + 2),
        slope=np.zeros((4, 4 * n + 2)),
    )


def events(flow: layout.Flow) -> Floats:
    """The events in the log, oldest first."""
    count, room = int(flow.logged[0]), len(flow.log)
    return np.roll(flow.log, -(count % room), axis=0) if count > room else flow.log[:count].copy()
