"""The kernels' log of contacts in the words of the world: kinds of things, and which one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.engine.contact_table import NO_CONTACTS, ContactTable
from serpenoid.engine.variables import CONTACT_KINDS
from serpenoid.kernels import layout
from serpenoid.kernels.layout import CODES, Floats
from serpenoid.model.segments import distance_to_segments
from serpenoid.model.world import World

Ints = npt.NDArray[np.int64]

PEG, WALL, TERRAIN, LOAD, LINK = range(len(CONTACT_KINDS))
# As far as this apart, m, points are one.
_SAME = 1e-9


def contacts_of(record: layout.RunRecord, world: World, packed: layout.PackedWorld) -> ContactTable:
    """The contacts of all rows written.

    Args:
        record: Of one run.
        world: The world it was in.
        packed: The same as the kernels take it.
    """
    if record.contacts is None or record.contacts.counts[0] == 0:
        return NO_CONTACTS
    touches = record.contacts.touches.view(np.ndarray)[: record.contacts.counts[0]]
    touches = touches[np.lexsort([touches[name] for name in ("obstacle", "link", "row")])]
    links = record.torque.shape[-1] + 1
    body = touches["link"]
    kind, index = touched_things(touches, links, world, packed)
    axes = {name: _vectors(touches, name) for name in ("", "n", "normal_", "tangent_")}
    return ContactTable(
        time=record.time[touches["row"]],
        link=np.where(body < links, body, -1),
        load=np.where(body < links, -1, body - links),
        kind=np.array(CONTACT_KINDS)[kind],
        index=index,
        point=axes[""],
        normal=axes["n"],
        normal_force=axes["normal_"],
        tangential_force=axes["tangent_"],
        sticks=touches["sticks"].copy(),
    )


def _vectors(touches: Any, name: str) -> Floats:
    return np.stack([touches[name + axis] for axis in "xy"], axis=1)


def touched_things(
    touches: Any, links: int, world: World, packed: layout.PackedWorld
) -> tuple[Ints, Ints]:
    """Kind of what is touched, counted from 0, and which one it is.

    The kernels tell things apart by `ground`, `other` (a body, or -1) and `obstacle`. Of pegs and
    walls, links have items: the discs first, pegs and then corners of walls, then two for each
    straight piece of a wall, one for either end of a link. Loads have CODES for each item.

    Args:
        touches: Records of `layout.TOUCH`, (c,).
        links: Number of links; bodies from this number on are loads.
        world: The world.
        packed: The same as the kernels take it.
    """
    ground, other = touches["ground"], touches["other"]
    fixed = ~ground & (other < 0)
    item = np.where(touches["link"] < links, touches["obstacle"], touches["obstacle"] // CODES)
    pegs = len(world.pegs)
    kind = np.select(
        [ground, other >= links, other >= 0, item < pegs], [TERRAIN, LOAD, LINK, PEG], WALL
    )
    index = np.select([ground, other >= links, other >= 0], [0, other - links, other], item)
    walls = _wall_pieces(world)
    for each in np.unique(item[fixed & (item >= pegs)]).tolist():
        here = np.flatnonzero(fixed & (item == each))
        points = _vectors(touches[here], "")
        index[here] = walls[2][_pieces_touched(points, _ends(packed, each), walls)]
    return kind, index


def obstacle_name(
    item: int, near: tuple[float, float], world: World, packed: layout.PackedWorld
) -> str:
    """A peg or wall by its key and place in the scenario.

    Args:
        item: As the kernels count them, see `touched_things`.
        near: A point near it, m, which tells walls apart that the kernels have made one.
        world: The world.
        packed: The same as the kernels take it.
    """
    if item < len(world.pegs):
        peg = world.pegs[item]
        return f"world.pegs[{item}] at ({peg.x:g}, {peg.y:g}) m"
    a, b, owner = walls = _wall_pieces(world)
    (piece,) = _pieces_touched(np.array([near]), _ends(packed, item), walls).tolist()
    ends = " and ".join(f"({x:g}, {y:g})" for x, y in (a[piece], b[piece]))
    return f"world.walls[{owner[piece]}] between {ends} m"


def _wall_pieces(world: World) -> tuple[Floats, Floats, Ints]:
    """Ends of the straight pieces of all walls, (p, 2) both, and whose they are, (p,)."""
    pieces = [
        (a, b, k) for k, wall in enumerate(world.walls) for a, b in itertools.pairwise(wall.points)
    ]
    a, b, owner = ([piece[j] for piece in pieces] for j in range(3))
    return np.array(a, float), np.array(b, float), np.array(owner, np.int64)


def _ends(packed: layout.PackedWorld, item: int) -> Floats:
    """Ends of a straight piece of a wall, or a corner twice, (2, 2), m."""
    discs = len(packed.discs)
    if item < discs:
        corner = packed.discs[item]
        return np.array([[corner.x, corner.y]] * 2)
    piece = packed.segments[(item - discs) // 2]
    return np.array([[piece.x1, piece.y1], [piece.x2, piece.y2]])


def _pieces_touched(points: Floats, ends: Floats, walls: tuple[Floats, Floats, Ints]) -> Ints:
    """Numbers of the pieces of walls that are touched in some points.

    Pieces of several walls may have been made one, and several walls may share a corner.

    Args:
        points: Where, (c, 2), m.
        ends: Of the piece that is touched, (2, 2), m.
        walls: What `_wall_pieces` gives.
    """
    a, b, _ = walls
    there = np.stack([distance_to_segments(end, *ends) <= _SAME for end in (a, b)])
    is_corner = (ends[0] == ends[1]).all()
    parts = np.flatnonzero(there.any(axis=0) if is_corner else there.all(axis=0))
    nearest = distance_to_segments(points[:, None], a[parts], b[parts]).argmin(axis=1)
    pieces: Ints = parts[nearest]
    return pieces
