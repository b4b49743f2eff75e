"""Loads: rigid bodies on the plane that a robot can push."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

from pydantic import Field

from serpenoid.errors import InvalidInput
from serpenoid.model.contact import Contact
from serpenoid.spec import Family, NonNegative, Number, Point, Positive, spec, tag

# A point that a load stands on: place in its own axes, m, and share of its weight.
SupportPoint = tuple[float, float, float]
# Points on the ring that a disc stands on, and the share of its weight on its centre. The ring is
# where the friction torque is that of a uniform pressure.
_RING, _CENTRE = 8, 0.1


def _mean_distance(points: list[SupportPoint]) -> float:
    """Mean distance of points from the centre, weighted with what they carry, m."""
    return sum(share * math.hypot(x, y) for x, y, share in points)


@spec
class Placed:
    """Pose, mass and friction, which all loads have.

    Attributes:
        x: Centre of mass, m.
        y: Centre of mass, m.
        mass: Mass, kg.
        angle_deg: Angle of the load's own x axis, deg.
        inertia: Moment of inertia about the centre, kg m2; that of a uniform body if not given.
        friction: Coefficient mu of dry friction with the ground, independent of the ground friction
            of links. It acts at the points that the load stands on, each with its share of the
            weight.
        arm: Mean distance of these points from the centre, weighted with what they carry, m: the
            friction torque of a load that turns on the spot is mu times weight times arm. If not
            given, the points stand for a uniform pressure on the whole base.
        contact: Law of contact with links, pegs, walls and other loads; the world's if not given.
            Where two laws meet, the larger coefficients hold. Loads are hard; the stiffness and
            damping of a peg or wall hold for them as for links.
        velocity: Velocity at the start, m/s.
        spin_deg: Angular velocity at the start, deg/s.
    """

    x: Number
    y: Number
    mass: Positive
    angle_deg: Number = 0.0
    inertia: Positive | None = None
    friction: NonNegative = 0.0
    arm: NonNegative | None = None
    contact: Contact | None = None
    velocity: Point = (0.0, 0.0)
    spin_deg: Number = 0.0


class Load(Placed, Family):
    """Base of the loads; an outline is a rectangle, rounded off by a radius."""

    def __post_init__(self) -> None:
        if self.contact is not None and self.contact.is_compliant:
            raise InvalidInput(
                f"{type(self).__name__}.contact.stiffness = {self.contact.stiffness!r} is not "
                "allowed: only pegs, walls and terrain can be compliant"
            )

    @property
    @abstractmethod
    def half_sizes(self) -> tuple[float, float]:
        """Half the sides of the rectangle without the rounding, m."""

    @property
    @abstractmethod
    def rounding(self) -> float:
        """Distance of the outline from that rectangle, m."""

    @abstractmethod
    def _uniform_inertia(self) -> float:
        """Moment of inertia of a uniform body, kg m2."""

    @abstractmethod
    def _uniform_pressure(self) -> list[SupportPoint]:
        """Support points that stand for a uniform pressure on the base."""

    @property
    def moment_of_inertia(self) -> float:
        """Moment of inertia about the centre, kg m2."""
        return self._uniform_inertia() if self.inertia is None else self.inertia

    @property
    def support_points(self) -> list[SupportPoint]:
        """The points it stands on: place in its own axes, m, and share of the weight."""
        points = self._uniform_pressure()
        scale = 1.0 if self.arm is None else self.arm / _mean_distance(points)
        return [(scale * x, scale * y, share) for x, y, share in points]

    @property
    def friction_arm(self) -> float:
        """Arm of the friction torque of a load that turns on the spot, m."""
        return _mean_distance(self.support_points)

    @property
    def reach(self) -> float:
        """Radius of the circle around the load, m."""
        return math.hypot(*self.half_sizes) + self.rounding


@spec
class Disc(Load):
    """A round load.

    Attributes:
        radius: Radius, m.
    """

    radius: Positive = Field(kw_only=True)
    kind: Literal["disc"] = tag(default="disc", kw_only=True)

    @property
    def half_sizes(self) -> tuple[float, float]:
        """Half the sides of the rectangle without the rounding, which is a point."""
        return 0.0, 0.0

    @property
    def rounding(self) -> float:
        """Distance of the outline from that point, m."""
        return self.radius

    def _uniform_inertia(self) -> float:
        """Moment of inertia of a uniform body, kg m2."""
        return self.mass * self.radius**2 / 2

    def _uniform_pressure(self) -> list[SupportPoint]:
        """A ring and the centre; the mean distance of the base from its centre is 2/3 radius."""
        ring, share = 2 / 3 * self.radius / (1 - _CENTRE), (1 - _CENTRE) / _RING
        angles = (2 * math.pi * k / _RING for k in range(_RING))
        around = [(ring * math.cos(angle), ring * math.sin(angle), share) for angle in angles]
        return [(0.0, 0.0, _CENTRE), *around]


@spec
class Box(Load):
    """A rectangular load.

    Attributes:
        width: Side along the load's own x axis, m.
        height: Side along the load's own y axis, m.
    """

    width: Positive = Field(kw_only=True)
    height: Positive = Field(kw_only=True)
    kind: Literal["box"] = tag(default="box", kw_only=True)

    @property
    def half_sizes(self) -> tuple[float, float]:
        """Half the sides, m."""
        return self.width / 2, self.height / 2

    @property
    def rounding(self) -> float:
        """Zero, since the corners are sharp."""
        return 0.0

    def _uniform_inertia(self) -> float:
        """Moment of inertia of a uniform body, kg m2."""
        return self.mass * (self.width**2 + self.height**2) / 12

    def _uniform_pressure(self) -> list[SupportPoint]:
        """The 2 x 2 Gauss points of the base."""
        x, y = (half / math.sqrt(3) for half in self.half_sizes)
        return [(x, y, 0.25), (-x, y, 0.25), (-x, -y, 0.25), (x, -y, 0.25)]
