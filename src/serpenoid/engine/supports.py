"""The points that links and loads stand on, as the kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.model.robot import Robot
from serpenoid.model.surfaces import surface_of
from serpenoid.model.world import World


def pack_supports(robot: Robot, world: World) -> Any:
    """Support points of the links, if a law of ground friction acts at them, and of the loads.

    Args:
        robot: The robot.
        world: Where it is.

    Returns:
        Records `layout.SUPPORT`, links first; None if there is no such point.
    """
    rows: list[tuple[int, float, float, float]] = []
    count = _points_per_link(world)
    places, weights = np.polynomial.legendre.leggauss(count) if count else (np.zeros(0),) * 2
    for i, link in enumerate(robot.links):
        half = link.length / 2
        # About the centre of mass, or the weight would not be in balance on them.
        rows += [(i, half * x, 0.0, w / 2) for x, w in zip(places, weights, strict=True)]
    for k, load in enumerate(world.loads, start=len(robot.links)):
        if load.friction > 0.0:
            rows += [(k, *point) for point in load.support_points]
    if not rows:
        return None
    supports = np.zeros(len(rows), layout.SUPPORT).view(np.recarray)
    supports.body, supports.a, supports.b, supports.share = np.array(rows).T
    return supports


def _points_per_link(world: World) -> int:
    """How many points a link stands on, the same on all surfaces that have friction there."""
    found: dict[int, str] = {}
    for place, law in world.frictions.items():
        surface = surface_of(law)
        if (surface.support_along + surface.support_across).any():
            found.setdefault(int(surface.support_count[0]), place)
    if 0 in found:
        raise InvalidInput(
            f"{found[0]} sets support_along or support_across without support_count: it must say "
            "how many points a link stands on"
        )
    if len(found) > 1:
        (one, here), (two, there), *_ = found.items()
        raise InvalidInput(
            f"{there}.supports = {two} is not allowed: {here}.supports = {one}, and links stand "
            "on the same points everywhere"
        )
    return next(iter(found), 0)
