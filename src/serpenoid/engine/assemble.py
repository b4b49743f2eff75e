"""From specs to numbers: a robot, its loads, its drive and its world as the kernels take them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from serpenoid.control.interface import CompiledController
from serpenoid.engine.supports import pack_supports
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.block_layout import BLOCK, ROBOT, blocks_needed
from serpenoid.memory import check_memory
from serpenoid.methods.laws import self_contact_law
from serpenoid.model.actuator import Actuator
from serpenoid.model.contact import Compliant, Contact, Hard
from serpenoid.model.friction import FrictionLaw
from serpenoid.model.loads import Load
from serpenoid.model.robot import Robot
from serpenoid.model.surfaces import ground_laws, surface_of
from serpenoid.model.terrain import FAR, Terrain
from serpenoid.model.world import World
from serpenoid.spec import Point

# More cells than this are not worth their memory; the cells are made larger instead.
_MAX_CELLS = 1_000_000
# What an entry of a cell, and a ground under a link, take until a robot runs there, B.
_ENTRY, _GROUND = 100, 4 * layout.SURFACE.itemsize
# What the law of a peg or wall sets, in the order of `Contact.numbers`.
_LAW = ("friction", "restitution", "k", "d")
# In place of the second wall at the end of one.
_NOWHERE = (0.0, 0.0)
# Sine of an angle between walls that counts as none.
_STRAIGHT = 1e-9
# Ends of a straight piece of a wall, and its law.
_Piece = tuple[Point, Point, Contact]


def records(count: int, dtype: np.dtype[np.void]) -> Any:
    """Empty records."""
    return np.zeros(count, dtype).view(np.recarray)


def pack_robot(
    robot: Robot, world: World | None = None, memory: int = 0, contacts: int = 0, added: int = 0
) -> layout.Body:
    """A robot and the loads about it as the kernels take them, at rest.

    Args:
        robot: Put at the origin.
        world: Whose loads are about it; the state says where they are.
        memory: Numbers that the robot's controller has to remember.
        contacts: How many there must be room for.
        added: Numbers that commands on top of the controller are; 0 without them.
    """
    n = len(robot.links)
    loads = world.loads if world else ()
    bodies, joints = records(n + len(loads), layout.LINK), records(n - 1, layout.JOINT)
    links = bodies[:n]
    lumps = robot.lumps()
    links.mass, links.inertia = lumps.mass, lumps.inertia
    links.back, links.front, links.middle = lumps.back, lumps.front, lumps.middle
    links.half = [link.length / 2 for link in robot.links]
    straight = np.array([link.straight_length / 2 for link in robot.links])
    links.rear, links.fore = links.middle - straight, links.middle + straight
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
        loops=new_loops(len(loads), n, min(len(loads), 4)) if loads else None,
        self_contacts=_pack_self_contact(robot, world),
        supports=pack_supports(robot, world) if world else None,
        joints=joints,
        contacts=records(room, layout.CONTACT),
        previous=records(room, layout.CONTACT),
        spare=records(room, layout.CONTACT),
        counts=np.zeros(2, np.int64),
        step=np.zeros(1, np.int64),
        com=np.zeros(4),
        last=np.zeros(2),
        pieces=np.zeros(4, np.int64),
        blame=np.array([0, layout.NO_LAW, -1, -1]),
        ledger=np.zeros(layout.LEDGER_SIZE),
        memory=np.zeros(memory),
        blocks=records(blocks_needed(n, len(loads)), BLOCK),
        robot=records(1, ROBOT),
        works=np.zeros(layout.LEDGER_SIZE),
        rotors=_joints_with_rotors(joints),
        added=np.zeros(added) if added else None,
    )


def has_rotor(actuator: Actuator) -> bool:
    """Whether an actuator is a geared motor with a rotor."""
    record = records(1, layout.JOINT)[0]
    actuator.pack(record)
    return bool(record.actuator == layout.ELASTIC)


def _joints_with_rotors(joints: Any) -> layout.Ints | None:
    elastic = np.flatnonzero(joints.actuator == layout.ELASTIC)
    return elastic if len(elastic) else None


def _pack_loads(loads: tuple[Load, ...], world: World | None, bodies: Any) -> Any:
    """The outlines of the loads; what they are goes into their records."""
    shapes = records(len(loads), layout.LOAD)
    for load, body, shape in zip(loads, bodies, shapes, strict=True):
        body.mass, body.inertia, body.radius = load.mass, load.moment_of_inertia, load.reach
        body.half = load.reach
        shape.half_width, shape.half_height = load.half_sizes
        shape.radius, shape.mu = load.rounding, load.friction
        assert world is not None
        law = load.contact or world.contact
        shape.friction, shape.restitution = law.friction, law.restitution
    return shapes


def new_loops(loads: int, links: int, room: int) -> layout.Loops:
    """Scratch of loads that are coupled to others; room: how many at once."""
    return layout.Loops(
        order=np.arange(loads),
        widest=np.zeros(1),
        slot=np.zeros(loads, np.int64),
        coupled=np.zeros(room + 1, np.int64),
        touched=np.zeros(room, np.bool_),
        response=np.zeros((3 * room, links, 3)),
        matrix=np.zeros((3 * room, 3 * room)),
        first=np.zeros(3 * room, np.int64),
        step=np.zeros(3 * room),
    )


def _pack_self_contact(robot: Robot, world: World | None) -> layout.SelfContacts | None:
    """The law of contact between links and its scratch; None if they cannot touch."""
    law = None if world is None else self_contact_law(robot, world)
    n = len(robot.links)
    return None if law is None else new_self_contacts(n, 4 * n, min(2 * n, 32), law)


def new_self_contacts(
    links: int, pairs: int, room: int, law: Contact | None = None
) -> layout.SelfContacts:
    """Contacts between links; pairs, room: how many pairs and rows at once; no law: none."""
    return layout.SelfContacts(
        active=law is not None,
        friction=0.0 if law is None else float(law.friction),
        restitution=0.0 if law is None else float(law.restitution),
        begin=np.zeros(links + 1, np.int64),
        ahead=np.zeros(pairs, np.int64),
        gaps=np.zeros(pairs),
        clear=np.zeros(links),
        rows=np.zeros(room + 1, np.int64),
        response=np.zeros((room, links, 3)),
        matrix=np.zeros((room, room)),
        first=np.zeros(room, np.int64),
        step=np.zeros(room),
    )


def pack_drive(
    controller: object, joints: int, time_step: float
) -> tuple[layout.Drive, layout.Floats]:
    """What moves the joints, and what a compiled controller remembers at first.

    Args:
        controller: A compiled controller; with any other the joints hold what they are commanded.
        joints: Number of joints.
        time_step: s.
    """
    if not isinstance(controller, CompiledController):
        return layout.Drive(layout.HELD_GAIT, None), np.zeros(0)
    control, memory = controller.control(joints, time_step)
    return layout.Drive(controller.gait(), control if control.ticks else None), memory


def with_more_room(body: layout.Body) -> layout.Body:
    """An empty body like another one, with room for twice as many contacts."""
    room, loops = 2 * len(body.contacts), body.loops
    if loops is not None:
        loads = len(body.loads)
        loops = new_loops(loads, len(body.links), min(loads, 2 * (len(loops.coupled) - 1)))
    own = body.self_contacts
    if own is not None:
        own = new_self_contacts(len(body.links), 2 * len(own.ahead), 2 * len(own.step))
    return body._replace(
        contacts=records(room, layout.CONTACT),
        previous=records(room, layout.CONTACT),
        spare=records(room, layout.CONTACT),
        loops=loops,
        self_contacts=own,
    )


def pack_world(world: World, robot: Robot) -> layout.PackedWorld:
    """Surfaces, obstacles and the grid over them."""
    walls = _straightened(_wall_pieces(world))
    corners = _corners(walls)
    pegs = [(peg.x, peg.y, peg.radius, peg.contact or world.contact) for peg in world.pegs]
    points = [(x, y, 0.0, law) for (x, y), (law, _) in corners.items()]
    discs = [(*place, *law.numbers()) for *place, law in (*pegs, *points)]
    disc = _filled(layout.DISC, ("x", "y", "radius", *_LAW), discs)
    for record, (_, edges) in zip(disc[len(pegs) :], corners.values(), strict=True):
        (record.ax, record.ay), (record.bx, record.by) = (*edges, _NOWHERE, _NOWHERE)[:2]
    segments = [(*a, *b, *law.numbers()) for a, b, law in walls]
    segment = _filled(layout.SEGMENT, ("x1", "y1", "x2", "y2", *_LAW), segments)
    check_memory(
        (1 + len(world.patches)) * len(robot.links) * _GROUND,
        f"world.patches: the ground of {len(world.patches)} patches under {len(robot.links)} links",
    )
    grid, start, items = _pack_grid(disc, segment, robot)
    patches = records(len(world.patches), layout.PATCH)
    for record, patch in zip(patches, world.patches, strict=True):
        record.x, record.y = patch.x, patch.y
        record.half_width, record.half_height = patch.width / 2, patch.height / 2
        angle = math.radians(patch.angle_deg)
        record.cos, record.sin = math.cos(angle), math.sin(angle)
    grounds = []
    for place, friction in world.frictions.items():
        grounds.append(surface_of(friction, robot, place))
        if friction is not None:
            _check_surface(friction, grounds[-1])
            if world.patches:
                _check_patched(friction)
    return layout.PackedWorld(
        world.contact_at == "centre",
        *world.pull,
        world.normal_gravity,
        np.stack(grounds).view(np.recarray),
        patches,
        disc,
        segment,
        grid,
        start,
        items,
        **_pack_terrain(world.terrain),
        thin=world.contact_at == "axis",
    )


def _filled(dtype: np.dtype[np.void], names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Any:
    """Records from rows of values for the fields of these names."""
    filled = records(len(rows), dtype)
    for name, column in zip(names, np.reshape(rows, (len(rows), len(names))).T, strict=True):
        filled[name] = column
    return filled


def _check_surface(friction: FrictionLaw, surface: Any) -> None:
    """Refuse coefficients that a law of a user's own should not set."""
    for name in surface.dtype.names:
        if wrong := [value for value in surface[name] if not 0.0 <= value < math.inf]:
            raise InvalidInput(
                f"friction = {friction} sets {name} = {wrong[0]}: it must be a finite number, "
                "at least 0"
            )


def _check_patched(friction: FrictionLaw) -> None:
    """Refuse laws whose energy would jump from one patch to the next."""
    if "added_mass" in ground_laws(friction):
        raise InvalidInput(
            f"friction = {friction} is not allowed in a world with patches: added mass must be the "
            "same everywhere"
        )


def _pack_terrain(terrain: Terrain | None) -> dict[str, Any]:
    """The pieces of the terrain, level beyond its ends, and its contact law."""
    if terrain is None:
        law = Hard().numbers()
        return {"ground": None, "top": 0.0, **law}
    line, friction = terrain.polyline(), terrain.frictions()
    reach = np.array([FAR, 0.0])
    line = np.concatenate([line[:1] - reach, line, line[-1:] + reach])
    ground = records(len(line) - 1, layout.GROUND)
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


def _wall_pieces(world: World) -> list[_Piece]:
    """The straight pieces of all walls."""
    return [
        (a, b, wall.contact or world.contact)
        for wall in world.walls
        for a, b in itertools.pairwise(wall.points)
    ]


def _straightened(pieces: list[_Piece]) -> list[_Piece]:
    """Pieces of compliant walls that go straight on in one another made one.

    Each piece and each corner has a spring of its own, so that a wall drawn with more points would
    be a stiffer one.
    """
    done: list[_Piece] = []
    for piece in pieces:
        law, joined = piece[2], piece
        # One piece may close the gap between two.
        for other in list(done) if law.is_compliant else ():
            longer = _joined(other, joined) if other[2] == law else None
            if longer is not None:
                done.remove(other)
                joined = longer
        done.append(joined)
    return done


def _joined(one: _Piece, two: _Piece) -> _Piece | None:
    """Two pieces as one, if the second goes straight on from an end of the first."""
    for (a, b), (c, d) in itertools.product((one[:2], one[1::-1]), (two[:2], two[1::-1])):
        if b == c:
            ux, uy, vx, vy = b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]
            size = math.hypot(ux, uy) * math.hypot(vx, vy)
            if ux * vx + uy * vy > 0.0 and abs(ux * vy - uy * vx) <= _STRAIGHT * size:
                return a, d, one[2]
    return None


def _corners(pieces: list[_Piece]) -> dict[Point, tuple[Contact, list[Point]]]:
    """Every corner and end of a wall once: its law and the directions in which walls leave it.

    Walls that share a point are one wall there, as hard as the hardest of them.
    """
    corners: dict[Point, tuple[Contact, list[Point]]] = {}
    for a, b, law in pieces:
        for here, there in ((a, b), (b, a)):
            other, edges = corners.get(here, (law, []))
            hardest = law if _hardness(law) > _hardness(other) else other
            edge = (there[0] - here[0], there[1] - here[1])
            corners[here] = (hardest, [*edges, edge])
    return corners


def _hardness(law: Contact) -> float:
    """Stiffness of a contact, N/m."""
    return math.inf if law.stiffness is None else law.stiffness


def _check_entries(discs: Any, segments: Any, grid: Any) -> None:
    """Refuse obstacles that reach into more cells than fit into the budget of memory."""
    across = np.minimum(2 * discs.radius / grid.cell + 2, grid.columns)
    high = np.minimum(2 * discs.radius / grid.cell + 2, grid.rows)
    length = np.hypot(segments.x2 - segments.x1, segments.y2 - segments.y1)
    # A piece of a wall is as long as a cell and reaches into four at most.
    entries = (across * high).sum() + 4 * (length / grid.cell + 1).sum()
    what = f"world.pegs and walls, {len(discs)} pegs and corners in {entries:.3g} cells,"
    check_memory(float(entries) * _ENTRY, what)


def _pack_grid(discs: Any, segments: Any, robot: Robot) -> tuple[Any, layout.Ints, layout.Ints]:
    """Uniform grid: for every cell the discs and segments that reach into it."""
    grid = records(1, layout.GRID)
    grid.cell, grid.columns, grid.rows = 1.0, 1, 1
    if not len(discs):
        return grid, np.zeros(2, np.int64), np.zeros(0, np.int64)
    low = np.array([(discs.x - discs.radius).min(), (discs.y - discs.radius).min()])
    high = np.array([(discs.x + discs.radius).max(), (discs.y + discs.radius).max()])
    size = max(link.straight_length + 2 * link.radius for link in robot.links)
    width, height = high - low
    cell = max(size, math.sqrt(width * height / _MAX_CELLS), max(width, height) / _MAX_CELLS)
    columns, rows = (int(n) for n in np.floor((high - low) / cell) + 1)
    grid.x, grid.y = low
    grid.cell, grid.columns, grid.rows = cell, columns, rows
    _check_entries(discs, segments, grid[0])
    members: dict[int, list[int]] = {}
    left_end, low_end = low.tolist()

    def enter(index: int, x0: float, y0: float, x1: float, y1: float) -> None:
        left, right = math.floor((x0 - left_end) / cell), math.floor((x1 - left_end) / cell)
        bottom, top = math.floor((y0 - low_end) / cell), math.floor((y1 - low_end) / cell)
        for column in range(max(left, 0), min(right, columns - 1) + 1):
            for row in range(max(bottom, 0), min(top, rows - 1) + 1):
                members.setdefault(column * rows + row, []).append(index)

    places = (discs[name].tolist() for name in ("x", "y", "radius"))
    for index, (x, y, r) in enumerate(zip(*places, strict=True)):
        enter(index, x - r, y - r, x + r, y + r)
    ends = zip(segments.x1, segments.y1, segments.x2, segments.y2, strict=True)
    for index, (x1, y1, x2, y2) in enumerate(ends, start=len(discs)):
        # A slanted wall is entered piece by piece, so that it fills only the cells it crosses.
        pieces = max(1, math.ceil(math.hypot(x2 - x1, y2 - y1) / cell))
        xs, ys = np.linspace(x1, x2, pieces + 1), np.linspace(y1, y2, pieces + 1)
        for (xa, xb), (ya, yb) in zip(itertools.pairwise(xs), itertools.pairwise(ys), strict=True):
            enter(index, min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))
    lists = [sorted(set(members[k])) if k in members else () for k in range(columns * rows)]
    start = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return grid, start, np.array(list(itertools.chain.from_iterable(lists)), dtype=np.int64)
