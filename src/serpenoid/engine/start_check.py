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
    centre = np.stack([links.x, links.y], axis=1)
    axis = np.stack([links.ex, links.ey], axis=1) * links.straight[:, None]
    ends = (centre - axis, centre + axis)
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
        _check_ground(body, packed, allowed)


def _check_pegs(links: Any, ends: Ends, pegs: Any, hard: list[bool], allowed: float) -> None:
    """The same for links against those pegs that are to be checked."""
    # Of many pegs, only those are measured that reach into the circle around the robot.
    at, corners = np.stack([pegs.x, pegs.y], axis=1), np.concatenate(ends)
    middle = np.stack([links.x, links.y], axis=1).mean(axis=0)
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


def _check_ground(body: layout.Body, world: layout.PackedWorld, allowed: float) -> None:
    from serpenoid.kernels.terrain_contacts import touch_ground

    links: Any = body.links
    contacts: Any = np.zeros_like(body.contacts)
    for i in range(len(links)):
        while (count := touch_ground(world, links, i, 0.0, contacts, 0)) < 0:
            contacts = np.zeros(2 * len(contacts), layout.CONTACT).view(np.recarray)
        depth = max((-float(gap) for gap in contacts.gap[:count]), default=0.0)
        if depth > allowed:
            raise Overlap(
                f"world.terrain is entered by link {i}, {1e3 * depth:.3g} mm deep at the start; "
                "start higher"
            )


def _refuse(depth: Floats, allowed: float, what: str) -> None:
    link = int(depth.argmax())
    if depth[link] > allowed:
        raise Overlap(
            f"{what} overlaps link {link} by {1e3 * depth[link]:.3g} mm at the start; move it or "
            "the start pose"
        )
