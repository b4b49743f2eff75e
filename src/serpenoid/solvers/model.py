"""A robot in its world as the kernels take it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.kernels import types as kt
from serpenoid.laws.contact import Compliant, Contact, Hard
from serpenoid.laws.friction import FrictionLaw
from serpenoid.loads import Load
from serpenoid.robot import Robot
from serpenoid.solvers.state import State
from serpenoid.spec import Point
from serpenoid.terrain import FAR, Terrain
from serpenoid.world import World

Floats = npt.NDArray[np.float64]

# More cells than this are not worth their memory; the cells are made larger instead.
_MAX_CELLS = 1_000_000
# Events of the hybrid method that are kept.
_EVENTS = 100_000
# What the next step of a load depends on, in the order of State.load.
_LOAD_STATE = (
    *("x", "y", "theta", "vx", "vy", "omega", "ax", "ay", "aw"),
    *("dry_x", "dry_y", "dry_w", "sticking"),
)
# In place of the second wall at the end of one.
_NOWHERE = (0.0, 0.0)


def _records(count: int, dtype: np.dtype[np.void]) -> Any:
    return np.zeros(count, dtype).view(np.recarray)


def pack_world(world: World, robot: Robot) -> kt.World:
    """Surfaces, obstacles and the grid over them."""
    contacts: list[Contact] = []
    discs: list[tuple[float, float, float]] = []
    segments: list[tuple[float, float, float, float]] = []
    for peg in world.pegs:
        discs.append((peg.x, peg.y, peg.radius))
        contacts.append(peg.contact or world.contact)
    segment_contacts: list[Contact] = []
    corners = _corners(world)
    discs += [(x, y, 0.0) for x, y in corners]
    contacts += [law for law, _ in corners.values()]
    for wall in world.walls:
        for (x1, y1), (x2, y2) in itertools.pairwise(wall.points):
            segments.append((x1, y1, x2, y2))
            segment_contacts.append(wall.contact or world.contact)
    disc, segment = _records(len(discs), kt.DISC), _records(len(segments), kt.SEGMENT)
    if discs:
        disc.x, disc.y, disc.radius = np.array(discs).T
        disc.friction = [law.friction for law in contacts]
        disc.restitution = [law.restitution for law in contacts]
        for record, (_, edges) in zip(disc[len(world.pegs) :], corners.values(), strict=True):
            (record.ax, record.ay), (record.bx, record.by) = (*edges, _NOWHERE, _NOWHERE)[:2]
    if segments:
        segment.x1, segment.y1, segment.x2, segment.y2 = np.array(segments).T
        segment.friction = [law.friction for law in segment_contacts]
        segment.restitution = [law.restitution for law in segment_contacts]
    grid, start, items = _pack_grid(np.array(discs), np.array(segments), robot)
    patches = _records(len(world.patches), kt.PATCH)
    for record, patch in zip(patches, world.patches, strict=True):
        record.x, record.y = patch.x, patch.y
        record.half_width, record.half_height = patch.width / 2, patch.height / 2
        angle = math.radians(patch.angle_deg)
        record.cos, record.sin = math.cos(angle), math.sin(angle)
    laws: list[FrictionLaw | None] = [world.friction, *(patch.friction for patch in world.patches)]
    surfaces = _records(len(laws), kt.SURFACE)
    for surface, friction in zip(surfaces, laws, strict=True):
        if friction is not None:
            friction.pack(surface)
    pull_x, pull_y = world.pull
    centre = world.contact_at == "centre"
    return kt.World(
        centre,
        pull_x,
        pull_y,
        world.normal_gravity,
        surfaces,
        patches,
        disc,
        segment,
        grid,
        start,
        items,
        **_pack_terrain(world.terrain),
        thin=world.contact_at == "axis",
    )


def _pack_terrain(terrain: Terrain | None) -> dict[str, Any]:
    """The pieces of the terrain, level beyond its ends, and its contact law."""
    if terrain is None:
        law = Hard().numbers()
        return {"ground": _records(0, kt.GROUND), "top": 0.0, **law}
    line, friction = terrain.polyline(), terrain.frictions()
    reach = np.array([FAR, 0.0])
    line = np.concatenate([line[:1] - reach, line, line[-1:] + reach])
    ground = _records(len(line) - 1, kt.GROUND)
    (ground.x1, ground.y1), (ground.x2, ground.y2) = line[:-1].T, line[1:].T
    ground.friction = np.concatenate([friction[:1], friction, friction[-1:]])
    run, rise = np.diff(line, axis=0).T
    ground.length = np.hypot(run, rise)
    ground.tx, ground.ty = run / ground.length, rise / ground.length
    # A point on a vertical piece is looked up on the one after it.
    ground.slope = np.divide(rise, run, out=np.zeros_like(run), where=run > 0)
    turn = np.zeros(len(ground))
    turn[1:] = ground.tx[:-1] * ground.ty[1:] - ground.ty[:-1] * ground.tx[1:]
    ground.corner, ground.hollow = turn < -1e-12, turn > 1e-12
    if isinstance(terrain.contact, Compliant) and not terrain.contact.corners:
        ground.corner = False
    return {"ground": ground, "top": float(line[:, 1].max()), **terrain.contact.numbers()}


def _corners(world: World) -> dict[Point, tuple[Contact, list[Point]]]:
    """Every corner and end of a wall once: its law and the directions in which walls leave it.

    Walls that share a point are one wall there.
    """
    corners: dict[Point, tuple[Contact, list[Point]]] = {}
    for wall in world.walls:
        law = wall.contact or world.contact
        for a, b in itertools.pairwise(wall.points):
            for here, there in ((a, b), (b, a)):
                edge = (there[0] - here[0], there[1] - here[1])
                corners.setdefault(here, (law, []))[1].append(edge)
    return corners


def _pack_grid(discs: Floats, segments: Floats, robot: Robot) -> tuple[Any, kt.Ints, kt.Ints]:
    """Uniform grid: for every cell the discs and segments that reach into it."""
    grid = _records(1, kt.GRID)
    grid.cell, grid.columns, grid.rows = 1.0, 1, 1
    if not len(discs):
        return grid, np.zeros(2, np.int64), np.zeros(0, np.int64)
    low = (discs[:, :2] - discs[:, 2:]).min(axis=0)
    high = (discs[:, :2] + discs[:, 2:]).max(axis=0)
    size = max(link.straight_length + 2 * link.radius for link in robot.links)
    width, height = high - low
    cell = max(size, math.sqrt(width * height / _MAX_CELLS), max(width, height) / _MAX_CELLS)
    columns, rows = (int(n) for n in np.floor((high - low) / cell) + 1)
    grid.x, grid.y = low
    grid.cell, grid.columns, grid.rows = cell, columns, rows
    members: dict[int, list[int]] = {}

    def enter(index: int, x0: float, y0: float, x1: float, y1: float) -> None:
        first = np.floor((np.array([x0, y0]) - low) / cell).astype(int)
        last = np.floor((np.array([x1, y1]) - low) / cell).astype(int)
        for column in range(max(first[0], 0), min(last[0], columns - 1) + 1):
            for row in range(max(first[1], 0), min(last[1], rows - 1) + 1):
                members.setdefault(column * rows + row, []).append(index)

    for index, (x, y, r) in enumerate(discs):
        enter(index, x - r, y - r, x + r, y + r)
    for index, (x1, y1, x2, y2) in enumerate(segments, start=len(discs)):
        # A slanted wall is entered piece by piece, so that it fills only the cells it crosses.
        pieces = max(1, math.ceil(math.hypot(x2 - x1, y2 - y1) / cell))
        xs, ys = np.linspace(x1, x2, pieces + 1), np.linspace(y1, y2, pieces + 1)
        for (xa, xb), (ya, yb) in zip(itertools.pairwise(xs), itertools.pairwise(ys), strict=True):
            enter(index, min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))
    lists = [sorted(set(members.get(cell, ()))) for cell in range(columns * rows)]
    start = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return grid, start, np.array(list(itertools.chain.from_iterable(lists)), dtype=np.int64)


def pack_robot(
    robot: Robot, world: World | None = None, memory: int = 0, contacts: int = 0
) -> kt.Body:
    """Records of the robot, at rest at the origin, and of the world's loads, at their places.

    memory: numbers its controller has to remember. contacts: how many there must be room for.
    """
    n = len(robot.links)
    loads = world.loads if world else ()
    bodies, joints = _records(n + len(loads), kt.LINK), _records(n - 1, kt.JOINT)
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
    return kt.Body(
        bodies=bodies,
        links=links,
        loads=bodies[n:],
        shapes=_pack_loads(loads, world, bodies[n:]),
        loops=new_loops(len(loads), n, min(len(loads), 4)),
        joints=joints,
        contacts=_records(room, kt.CONTACT),
        previous=_records(room, kt.CONTACT),
        counts=np.zeros(2, np.int64),
        near=np.zeros((len(bodies), 16), np.int64),
        step=np.zeros(1, np.int64),
        com=np.zeros(4),
        last=np.zeros(2),
        pieces=np.zeros(2, np.int64),
        blame=np.zeros(2, np.int64),
        ledger=np.zeros(kt.LEDGER_SIZE),
        memory=np.zeros(memory),
    )


def _pack_loads(loads: tuple[Load, ...], world: World | None, bodies: Any) -> Any:
    """The outlines of the loads; what they are and where goes into their records."""
    shapes = _records(len(loads), kt.LOAD)
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


def new_loops(loads: int, links: int, room: int) -> kt.Loops:
    """Scratch of loads that are coupled to others, so many at once."""
    return kt.Loops(
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


def put_state(body: kt.Body, state: State) -> None:
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
    if len(kept) == len(mine) > 0 and kept[kt.OWNER] == mine[kt.OWNER]:
        mine[:] = kept


def kinetic_energy(body: kt.Body) -> tuple[float, float]:
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


def spring_torques(body: kt.Body) -> Floats:
    """Torque of the spring in each joint, N m; 0 where there is none."""
    joints: Any = body.joints
    strain = joints.psi - np.diff(body.links["theta"])
    springs = (joints.actuator == kt.ELASTIC) & np.isfinite(joints.spring)
    torque: Floats = np.where(springs, joints.spring, 0.0) * strain
    return torque


def owns_kinetic_energy(body: kt.Body) -> bool:
    """Whether the ledger holds the kinetic energy of this robot at these velocities."""
    energy, _ = kinetic_energy(body)
    booked = float(body.ledger[kt.KINETIC])
    return not math.isfinite(energy) or abs(energy - booked) <= 1e-9 * energy


def put_command(body: kt.Body, angle: Any, rate: Any, torque: Any, time: float) -> None:
    """Let the joints follow a command given at a time, s."""
    joints = body.joints.view(np.ndarray)
    joints["angle"], joints["rate"], joints["torque"], joints["tick"] = angle, rate, torque, time
    body.last[1] = time


def get_state(body: kt.Body, dt: float) -> State:
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


def grown(body: kt.Body) -> kt.Body:
    """The same body with room for twice as many contacts and neighbours."""
    room = 2 * len(body.contacts)
    bodies: Any = body.bodies
    bodies.horizon = 0.0
    loads = len(body.loads)
    larger = body._replace(
        contacts=_records(room, kt.CONTACT),
        previous=_records(room, kt.CONTACT),
        near=np.zeros((len(bodies), 2 * body.near.shape[1]), np.int64),
        loops=new_loops(loads, len(body.links), min(loads, 2 * (len(body.loops.coupled) - 1))),
    )
    larger.previous[: len(body.previous)] = body.previous
    return larger


def new_dense(body: kt.Body, solver: int) -> kt.Dense:
    """Scratch of the proximal point method, or nothing for the other solvers."""
    n, contacts = (len(body.links), len(body.contacts)) if solver == kt.PROX else (0, 0)
    size, laws = max(5 * n - 2, 0), 2 * n + contacts
    return kt.Dense(
        matrix=np.zeros((size, size)),
        pivot=np.zeros(size, np.int64),
        solution=np.zeros((laws + 1, size)),
        direction=np.zeros((laws, size)),
        delassus=np.zeros((laws, laws + 1)),
        impulse=np.zeros(laws),
        gamma=np.zeros(laws),
    )


def new_flow(body: kt.Body) -> kt.Flow:
    """Scratch of the hybrid method."""
    links: Any = body.links
    n, rows = len(links), 2 * len(body.contacts)
    # From the tail end to the centre of link i: every link behind it whole, its own half.
    arm = np.tril(np.tile(2.0 * links.half, (n, 1)), -1) + np.diag(links.half)
    arm -= links.mass @ arm / links.mass.sum()
    size = 7 * n + 4 + kt.GRAVITY
    return kt.Flow(
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


def new_lagrange(body: kt.Body, robot: Robot) -> kt.Lagrange:
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
    return kt.Lagrange(
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


def events(flow: kt.Flow) -> Floats:
    """The events in the log, oldest first."""
    count, room = int(flow.logged[0]), len(flow.log)
    return np.roll(flow.log, -(count % room), axis=0) if count > room else flow.log[:count].copy()


def new_record(
    rows: int, links: int, loads: int, elastic: bool = False, pedal: bool = False
) -> kt.Record:
    """Room for a number of rows, of springs and of spatial frequencies where they are."""
    joints = links - 1
    bodies = links + loads
    springs = joints if elastic else 0
    return kt.Record(
        rows=np.zeros(1, np.int64),
        time=np.zeros(rows),
        pose=np.zeros((rows, bodies, 3)),
        velocity=np.zeros((rows, bodies, 3)),
        force=np.zeros((rows, bodies, 4)),
        sticking=np.zeros((rows, bodies), np.bool_),
        torque=np.zeros((rows, joints)),
        reference=np.zeros((rows, joints)),
        rotor=np.zeros((rows, springs, 2)),
        spring=np.zeros((rows, springs)),
        spatial=np.zeros((rows, joints if pedal else 0)),
        ledger=np.zeros((rows, kt.LEDGER_SIZE)),
        certificate=np.zeros((rows, kt.CERTIFICATE_SIZE)),
        window_force=np.zeros((bodies, 4)),
        window_torque=np.zeros(joints),
        window_certificate=np.zeros(kt.CERTIFICATE_SIZE),
    )


def windows(record: kt.Record) -> tuple[npt.NDArray[Any], ...]:
    """What the running record interval has gathered so far, and how many rows there are."""
    return record.window_force, record.window_torque, record.window_certificate, record.rows


def columns(record: kt.Record, soft: bool = False) -> dict[str, npt.NDArray[Any]]:
    """The rows written so far, variable by variable; soft: on compliant terrain.

    Of many runs at once, whose records have one axis more, the rows of the one with most of them.
    """
    rows, n = int(record.rows.max()), record.torque.shape[-1] + 1
    found: dict[str, npt.NDArray[Any]] = {"time": record.time[..., :rows]}
    for k, name in enumerate(("x", "y", "theta")):
        found[name] = record.pose[..., :rows, :n, k]
    for k, name in enumerate(("vx", "vy", "omega")):
        found[name] = record.velocity[..., :rows, :n, k]
    found["joint_angle"] = np.diff(found["theta"], axis=-1)
    found["joint_rate"] = np.diff(found["omega"], axis=-1)
    found["joint_reference"] = record.reference[..., :rows, :]
    found["joint_torque"] = record.torque[..., :rows, :]
    found["contact_force"] = record.force[..., :rows, :n, :2]
    found["friction_force"] = record.force[..., :rows, :n, 2:]
    found["sticking"] = record.sticking[..., :rows, :n]
    for name, k in (
        ("energy_actuator", kt.ACTUATOR),
        ("energy_friction", kt.FRICTION),
        ("energy_impact", kt.IMPACT),
        ("energy_damping", kt.DAMPING),
        ("energy_gravity", kt.GRAVITY),
        ("energy_numerical", kt.NUMERICAL),
        ("energy_residual", kt.RESIDUAL),
        ("energy_kinetic", kt.KINETIC),
    ):
        found[name] = record.ledger[..., :rows, k]
    if soft:
        found["energy_contact_spring"] = record.ledger[..., :rows, kt.CONTACT_SPRING]
        found["energy_contact_damper"] = record.ledger[..., :rows, kt.CONTACT_DAMPER]
    if record.spring.shape[-1]:
        found["rotor_angle"], found["rotor_rate"] = np.moveaxis(
            record.rotor[..., :rows, :, :], -1, 0
        )
        found["spring_torque"] = record.spring[..., :rows, :]
        found["energy_spring"] = record.ledger[..., :rows, kt.SPRING]
        found["energy_rotor"] = record.ledger[..., :rows, kt.ROTOR]
    if record.spatial.shape[-1]:
        found["joint_phase"] = record.spatial[..., :rows, :]
    if record.pose.shape[-2] > n:
        for k, name in enumerate(("load_x", "load_y", "load_theta")):
            found[name] = record.pose[..., :rows, n:, k]
        for k, name in enumerate(("load_vx", "load_vy", "load_omega")):
            found[name] = record.velocity[..., :rows, n:, k]
        found["load_force"] = record.force[..., :rows, n:, :2]
        found["load_friction"] = record.force[..., :rows, n:, 2:]
    for name, k in (
        ("iterations", kt.ITERATIONS),
        ("multiplier_updates", kt.UPDATES),
        ("law_residual", kt.LAW_RESIDUAL),
        ("penetration", kt.PENETRATION),
        ("hinge_gap", kt.HINGE_GAP),
        ("step_energy_residual", kt.ENERGY_RESIDUAL),
        ("halvings", kt.HALVINGS),
    ):
        found[name] = record.certificate[..., :rows, k]
    return found
