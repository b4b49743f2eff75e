"""A world as the kernels take it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.engine.assemble import records
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.model.contact import Compliant, Contact, Hard
from serpenoid.model.friction import FrictionLaw
from serpenoid.model.robot import Robot
from serpenoid.model.terrain import FAR, Terrain
from serpenoid.model.world import World
from serpenoid.spec import Point

Floats = npt.NDArray[np.float64]

# More cells than this are not worth their memory; the cells are made larger instead.
_MAX_CELLS = 1_000_000
# In place of the second wall at the end of one.
_NOWHERE = (0.0, 0.0)


def pack_world(world: World, robot: Robot) -> layout.PackedWorld:
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
    disc, segment = records(len(discs), layout.DISC), records(len(segments), layout.SEGMENT)
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
    patches = records(len(world.patches), layout.PATCH)
    for record, patch in zip(patches, world.patches, strict=True):
        record.x, record.y = patch.x, patch.y
        record.half_width, record.half_height = patch.width / 2, patch.height / 2
        angle = math.radians(patch.angle_deg)
        record.cos, record.sin = math.cos(angle), math.sin(angle)
    laws: list[FrictionLaw | None] = [world.friction, *(patch.friction for patch in world.patches)]
    surfaces = records(len(laws), layout.SURFACE)
    for surface, friction in zip(surfaces, laws, strict=True):
        if friction is not None:
            friction.pack(surface)
            _check_surface(friction, surface)
    pull_x, pull_y = world.pull
    centre = world.contact_at == "centre"
    return layout.PackedWorld(
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


def _check_surface(friction: FrictionLaw, surface: Any) -> None:
    """Refuse coefficients that a law of a user's own should not set."""
    for name in surface.dtype.names:
        if not 0.0 <= surface[name] < math.inf:
            raise InvalidInput(
                f"friction = {friction} sets {name} = {surface[name]}: it must be a finite number, "
                "at least 0"
            )


def _pack_terrain(terrain: Terrain | None) -> dict[str, Any]:
    """The pieces of the terrain, level beyond its ends, and its contact law."""
    if terrain is None:
        law = Hard().numbers()
        return {"ground": records(0, layout.GROUND), "top": 0.0, **law}
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


def _pack_grid(
    discs: Floats, segments: Floats, robot: Robot
) -> tuple[Any, layout.Ints, layout.Ints]:
    """Uniform grid: for every cell the discs and segments that reach into it."""
    grid = records(1, layout.GRID)
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
