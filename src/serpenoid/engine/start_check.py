"""Whether a robot can start where it is: nothing overlaps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from serpenoid.errors import Overlap
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.methods.method import Method
from serpenoid.model.segments import crosses, distance_to_segments
from serpenoid.model.terrain import Terrain
from serpenoid.model.world import Wall, World

# Touching is fine; deeper than this, m, a start pose overlaps an obstacle.
_TOUCHING = 1e-6
# A state to continue from may have entered an obstacle as far as steps may: half a step before the
# end, and at it. The bound of methods that have none, m.
_BOUND = 5e-5

# Tail and head ends of the links' straight outlines, (n, 2) each, m.
Ends = tuple[Floats, Floats]


def check_clear(
    body: layout.Body, world: World, packed: layout.PackedWorld, method: Method
) -> None:
    """Refuse a start in which the robot overlaps a peg, a wall, a load, the ground or itself.

    Args:
        body: The robot and the loads, in their first state.
        world: The world.
        packed: The same as the kernels take it.
        method: What takes the steps; a state may be as deep in obstacles as it lets steps end.

    Raises:
        Overlap: Naming the two that overlap, and by how much.
    """
    if world.contact_at == "centre":
        return  # a link without width may stand in a peg, as the model lets it enter one

    goes_on = body.step[0] > 0
    entered = 2 * getattr(method, "max_penetration", _BOUND)
    allowed = entered if goes_on else _TOUCHING
    from serpenoid.kernels.chain import place_links

    links: Any = body.links
    place_links(links, body.com)
    ends = _ends(links, links.rear, links.fore)
    # A run that goes on may be as deep in what is compliant as it has got.
    hard = [not (goes_on and law.is_compliant) for law in world.laws]
    _check_pegs(links, ends, packed.discs[: len(world.pegs)], hard[: len(world.pegs)], allowed)
    for k, wall in enumerate(world.walls):
        if hard[len(world.pegs) + k]:
            _check_wall(links, ends, (f"world.walls[{k}]", wall), allowed)
    if body.self_contacts is not None and body.self_contacts.active:
        _check_links(body, allowed)
    if world.loads:
        _check_loads(body, packed, allowed)
    if world.terrain is not None and (packed.hard or not goes_on):
        if packed.thin:
            ends = _ends(links, -links.back, links.front)
        _check_ground(links, ends, world.terrain, packed, allowed)


def _ends(links: Any, rear: Floats, fore: Floats) -> Ends:
    """Points of the links' axes so far ahead of their centres of mass."""
    centre, axis = np.stack([links.x, links.y], axis=1), np.stack([links.ex, links.ey], axis=1)
    return centre + rear[:, None] * axis, centre + fore[:, None] * axis


def _check_pegs(links: Any, ends: Ends, pegs: Any, hard: list[bool], allowed: float) -> None:
    """The same for links against those pegs that are to be checked."""
    # Of many pegs, only those are measured that reach into the circle around the robot.
    at, corners = np.stack([pegs.x, pegs.y], axis=1), np.concatenate(ends)
    middle = corners.mean(axis=0)
    size = np.linalg.norm(corners - middle, axis=1).max() + links.radius.max()
    reached = np.linalg.norm(at - middle, axis=1) - pegs.radius <= size
    near = np.flatnonzero(reached & np.array(hard, bool))
    reach = links.radius + pegs.radius[near, None]
    for k, depth in zip(
        near.tolist(), reach - distance_to_segments(at[near, None], *ends), strict=True
    ):
        _refuse(depth, allowed, f"world.pegs[{k}] at ({pegs.x[k]:g}, {pegs.y[k]:g}) m")


def _check_wall(links: Any, ends: Ends, named: tuple[str, Wall], allowed: float) -> None:
    """The same for links against a wall."""
    name, wall = named
    for a, b in itertools.pairwise(np.array(wall.points)):
        distance = np.minimum.reduce(
            [distance_to_segments(a, *ends), distance_to_segments(b, *ends)]
            + [distance_to_segments(end, a, b) for end in ends]
        )
        distance = np.where(crosses(*ends, a, b), 0.0, distance)
        between = " and ".join(f"({x:g}, {y:g})" for x, y in (a, b))
        _refuse(links.radius - distance, allowed, f"{name} between {between} m")


def _check_links(body: layout.Body, allowed: float) -> None:
    """The same for links against those that are not their neighbours."""
    from serpenoid.kernels.overlaps import deepest_crossing

    depth, i, j = deepest_crossing(body.links)
    if depth > allowed:
        raise Overlap(
            f"link {i} overlaps link {j} by {1e3 * depth:.3g} mm at the start; change the start "
            "shape, or let links pass through each other with robot.self_contact = false"
        )


def _check_loads(body: layout.Body, world: layout.PackedWorld, allowed: float) -> None:
    """The same for loads against links, obstacles and each other."""
    from serpenoid.kernels.overlaps import deepest_overlap

    depth, a, b = deepest_overlap(world, body)
    if depth > allowed:
        n = len(body.links)
        first = f"world.loads[{b if a < n else a - n}]"
        second = "a peg or wall" if b < 0 else f"link {a}" if a < n else f"load {b}"
        raise Overlap(
            f"{first} overlaps {second} by {1e3 * depth:.3g} mm at the start; move the load or the "
            "start pose"
        )


def _check_ground(
    links: Any, ends: Ends, terrain: Terrain, packed: layout.PackedWorld, allowed: float
) -> None:
    """The same for links against the terrain."""
    for i, (a, b) in enumerate(zip(*ends, strict=True)):
        radius = 0.0 if packed.thin else float(links.radius[i])
        depth = radius - _height_above(terrain, packed.ground, (a, b), radius)
        if depth > allowed:
            raise Overlap(
                f"world.terrain is entered by link {i}, {1e3 * depth:.3g} mm deep at the start; "
                "start higher"
            )


def _height_above(terrain: Terrain, ground: Any, axis: Ends, radius: float) -> float:
    """Distance of the axis of a link from the terrain, < 0 if it goes below, m.

    That of an axis farther away than a radius may be too large.
    """
    a, b = axis if axis[0][0] <= axis[1][0] else axis[::-1]
    sunk = np.maximum(terrain.level(np.array([a[0], b[0]])) - (a[1], b[1]), 0.0)
    around = radius + sunk.max()
    first = max(int(np.searchsorted(ground.x1, a[0] - around)) - 1, 0)
    last = int(np.searchsorted(ground.x1, b[0] + around, "right"))
    near = ground[first:last]
    begin, end = np.stack([near.x1, near.y1], axis=1), np.stack([near.x2, near.y2], axis=1)
    to_ends = np.stack([distance_to_segments(point, begin, end) for point in (a, b)]).min(axis=1)
    # Corners of the ground between the ends: how far they are above the axis, across it.
    corners = begin[(a[0] < begin[:, 0]) & (begin[:, 0] < b[0])]
    rise = (b[0] - a[0]) * (corners[:, 1] - a[1]) - (b[1] - a[1]) * (corners[:, 0] - a[0])
    above = rise / np.linalg.norm(b - a) if len(corners) else rise
    below = max(to_ends[sunk > 0.0].max(initial=0.0), above.max(initial=0.0))
    if below > 0.0:
        return -float(below)
    return float(min(to_ends.min(), distance_to_segments(begin, a, b).min()))


def _refuse(depth: Floats, allowed: float, what: str) -> None:
    link = int(depth.argmax())
    if depth[link] > allowed:
        raise Overlap(
            f"{what} overlaps link {link} by {1e3 * depth[link]:.3g} mm at the start; move it or "
            "the start pose"
        )
