"""Paths to follow."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, Literal

import numpy as np

from serpenoid.checks import check_distinct
from serpenoid.errors import InvalidInput
from serpenoid.spec import Family, NonNegative, Number, Point, Positive, spec, tag

# A line has no end; its waypoint is as far as this, m.
_FAR = 1e6


class Guidance(Family):
    """Base of the paths."""

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Fields of the kernel's Control that the path sets.

        Returns:
            Waypoints, acceptance and the beginning of the first leg by name.
        """


@spec
class Line(Guidance):
    """A straight line without an end.

    Attributes:
        x: A point of the line, m.
        y: A point of the line, m.
        direction_deg: Direction, deg.
    """

    x: Number = 0.0
    y: Number = 0.0
    direction_deg: Number = 0.0
    kind: Literal["line"] = tag(default="line", kw_only=True)

    def fields(self) -> dict[str, Any]:
        """A single waypoint far away."""
        angle = math.radians(self.direction_deg)
        end = (self.x + _FAR * math.cos(angle), self.y + _FAR * math.sin(angle))
        return {"path": np.array([end]), "leg": (self.x, self.y), "from_start": False}


@spec
class Waypoints(Guidance):
    """Waypoints joined by straight lines, from where the robot starts [liljeback2011 Algorithm 11].

    Attributes:
        points: Waypoints, m.
        acceptance: Radius of the circle in which a waypoint counts as reached, m; it also does
            beyond the line across the path through it.
    """

    points: tuple[Point, ...]
    acceptance: Positive
    kind: Literal["waypoints"] = tag(default="waypoints", kw_only=True)

    def __post_init__(self) -> None:
        _check("Waypoints", self.points, 1)

    def fields(self) -> dict[str, Any]:
        """The waypoints; the first leg begins at the robot."""
        return {"path": np.array(self.points), "acceptance": self.acceptance, "from_start": True}


@spec
class Polyline(Guidance):
    """A path of straight pieces through given points.

    Attributes:
        points: At least two points, m.
        acceptance: Distance from a corner at which the next piece is followed, m.
    """

    points: tuple[Point, ...]
    acceptance: NonNegative = 0.0
    kind: Literal["polyline"] = tag(default="polyline", kw_only=True)

    def __post_init__(self) -> None:
        _check("Polyline", self.points, 2)

    def fields(self) -> dict[str, Any]:
        """The points after the first, from which the first leg begins."""
        first, *others = self.points
        return {
            "path": np.array(others),
            "acceptance": float(self.acceptance),
            "leg": first,
            "from_start": False,
        }


def _check(name: str, points: tuple[Point, ...], least: int) -> None:
    if len(points) < least:
        raise InvalidInput(
            f"{name}.points = {points} is not allowed: there must be at least {least}"
        )
    check_distinct(f"{name}.points", points)
