"""Whether a robot can start where it is: nothing overlaps."""

from __future__ import annotations

from typing import Any

from serpenoid.engine.contact_decoding import obstacle_name
from serpenoid.errors import Overlap
from serpenoid.kernels import layout
from serpenoid.methods.method import Method
from serpenoid.model.world import World

# Touching is fine; deeper than this, m, a start pose overlaps an obstacle.
_TOUCHING = 1e-6
# A state to continue from may have entered an obstacle as far as steps may: half a step before the
# end, and at it. The bound of methods that have none, m.
_BOUND = 5e-5


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

    from serpenoid.kernels.chain import place_links

    goes_on = bool(body.step[0] > 0)
    entered = 2 * getattr(method, "max_penetration", _BOUND)
    allowed = entered if goes_on else _TOUCHING
    place_links(body.links, body.com)
    if world.pegs or world.walls:
        _check_obstacles(body, world, packed, allowed)
    if body.self_contacts is not None and body.self_contacts.active:
        _check_links(body, allowed)
    if world.loads:
        _check_loads(body, world, packed, allowed)
    # A run that goes on may be as deep in what is compliant as it has got.
    if world.terrain is not None and (packed.hard or not goes_on):
        _check_ground(body, packed, allowed)


def _check_obstacles(
    body: layout.Body, world: World, packed: layout.PackedWorld, allowed: float
) -> None:
    """The same for links against pegs and walls."""
    from serpenoid.kernels.overlaps import deepest_link

    goes_on = bool(body.step[0] > 0)
    depth, i, item = deepest_link(packed.discs, packed.segments, body.links, goes_on)
    if depth > allowed:
        name = obstacle_name(item, _place(body, i), world, packed)
        raise Overlap(
            f"{name} overlaps link {i} by {1e3 * depth:.3g} mm at the start; move it or the start "
            "pose"
        )


def _check_links(body: layout.Body, allowed: float) -> None:
    """The same for links against those that are not their neighbours."""
    from serpenoid.kernels.overlaps import deepest_crossing

    depth, i, j = deepest_crossing(body.links)
    if depth > allowed:
        raise Overlap(
            f"link {i} overlaps link {j} by {1e3 * depth:.3g} mm at the start; change the start "
            "shape, or let links pass through each other with robot.self_contact = false"
        )


def _check_loads(
    body: layout.Body, world: World, packed: layout.PackedWorld, allowed: float
) -> None:
    """The same for loads against links, obstacles and each other."""
    from serpenoid.kernels.overlaps import deepest_load

    depth, a, b, item = deepest_load(packed, body)
    if depth > allowed:
        n = len(body.links)
        first = f"world.loads[{(b if a < n else a) - n}]"
        if b < 0:
            second = obstacle_name(item, _place(body, a), world, packed)
        else:
            second = f"link {a}" if a < n else f"load {b - n}"
        raise Overlap(
            f"{first} overlaps {second} by {1e3 * depth:.3g} mm at the start; move the load or the "
            "start pose"
        )


def _check_ground(body: layout.Body, packed: layout.PackedWorld, allowed: float) -> None:
    """The same for links against the terrain."""
    from serpenoid.kernels.overlaps import deepest_underground

    depth, i = deepest_underground(packed.ground, body.links, packed.thin)
    if depth > allowed:
        raise Overlap(
            f"world.terrain is entered by link {i}, {1e3 * depth:.3g} mm deep at the start; start "
            "higher"
        )


def _place(body: layout.Body, i: int) -> tuple[float, float]:
    """Centre of a link or load, links first, m."""
    record: Any = body.bodies[i]
    return float(record.x), float(record.y)
