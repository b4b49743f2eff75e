"""Whether a robot can start where it is: nothing overlaps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import Overlap
from serpenoid.kernels import layout
from serpenoid.methods.method import Method
from serpenoid.model.world import World

Floats = npt.NDArray[np.float64]

# Touching is fine; deeper than this, m, a start pose overlaps an obstacle.
_TOUCHING = 1e-6
# A state to continue from may have entered an obstacle as far as steps may: half a step before the
# end, and at it. The bound of methods that have none, m.
_BOUND = 5e-5


def check_clear(
    body: layout.Body, world: World, packed: layout.PackedWorld, method: Method
) -> None:
    """Refuse a start in which the robot overlaps a peg, a wall, a load or the ground.

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

    entered = 2 * getattr(method, "max_penetration", _BOUND)
    allowed = entered if body.step[0] > 0 else _TOUCHING
    from serpenoid.kernels.chain import place_links

    links: Any = body.links
    place_links(links, body.com)
    centre = np.stack([links.x, links.y], axis=1)
    axis = np.stack([links.ex, links.ey], axis=1) * links.straight[:, None]
    ends = (centre - axis, centre + axis)
    for k in _pegs_around(packed.discs[: len(world.pegs)], ends, links.radius.max()):
        peg = world.pegs[k]
        at = np.array([peg.x, peg.y])
        depth = links.radius + peg.radius - distance_to_segments(at, *ends)
        _refuse(depth, allowed, f"world.pegs[{k}] at ({peg.x:g}, {peg.y:g}) m")
    for k, wall in enumerate(world.walls):
        for a, b in itertools.pairwise(np.array(wall.points)):
            distance = np.minimum.reduce(
                [distance_to_segments(a, *ends), distance_to_segments(b, *ends)]
                + [distance_to_segments(end, a, b) for end in ends]
            )
            distance = np.where(crosses(*ends, a, b), 0.0, distance)
            between = " and ".join(f"({x:g}, {y:g})" for x, y in (a, b))
            _refuse(links.radius - distance, allowed, f"world.walls[{k}] between {between} m")
    if world.loads:
        _check_loads(body, packed, allowed)
    # A run that goes on may be as deep in soft ground as it has got.
    if world.terrain is not None and (packed.hard or body.step[0] == 0):
        _check_ground(body, packed, allowed)


def _pegs_around(pegs: Any, ends: tuple[Floats, Floats], radius: float) -> list[int]:
    """Numbers of the pegs that reach into the rectangle around a robot with links so thick."""
    reach = pegs["radius"] + radius
    near = np.ones(len(pegs), np.bool_)
    for axis, name in enumerate("xy"):
        at = pegs[name]
        low, high = (pick(ends, axis=(0, 1))[axis] for pick in (np.min, np.max))
        near &= (at + reach >= low) & (at - reach <= high)
    return np.flatnonzero(near).tolist()


def _check_loads(body: layout.Body, world: layout.PackedWorld, allowed: float) -> None:
    """The same for loads against links, obstacles and each other."""
    from serpenoid.kernels.load_bodies import deepest_overlap

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


def distance_to_segments(point: Floats, a: Floats, b: Floats) -> Floats:
    """Distance from a point to a segment; either may be an array of many."""
    along = b - a
    size = np.maximum((along**2).sum(axis=-1), 1e-300)
    s = np.clip(((point - a) * along).sum(axis=-1) / size, 0.0, 1.0)
    distance: Floats = np.linalg.norm(point - a - s[..., None] * along, axis=-1)
    return distance


def crosses(a: Floats, b: Floats, c: Floats, d: Floats) -> npt.NDArray[np.bool_]:
    """Whether segments a-b (many) cross segment c-d."""

    def side(p: Floats, q: Floats, r: Floats) -> Floats:
        first, second = q - p, r - p
        cross: Floats = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
        return cross

    apart = (side(c, d, a) * side(c, d, b) < 0) & (side(a, b, c) * side(a, b, d) < 0)
    return np.asarray(apart)


def _refuse(depth: Floats, allowed: float, what: str) -> None:
    link = int(depth.argmax())
    if depth[link] > allowed:
        raise Overlap(
            f"{what} overlaps link {link} by {1e3 * depth[link]:.3g} mm at the start; move it or "
            "the start pose"
        )
