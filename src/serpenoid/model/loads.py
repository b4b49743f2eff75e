"""Loads: rigid bodies on the plane that a robot can push."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

from pydantic import Field

from serpenoid.errors import InvalidInput
from serpenoid.model.contact import Contact
from serpenoid.spec import Family, NonNegative, Number, Point, Positive, spec, tag


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
            of links. The friction torque is at most mu times weight times arm.
        arm: Arm of the friction torque, m; if not given, the mean distance of the base from its
            centre.
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
    def _uniform_inertia_and_arm(self) -> tuple[float, float]:
        """Moment of inertia, kg m2, and mean distance of the base from its centre, m."""

    @property
    def moment_of_inertia(self) -> float:
        """Moment of inertia about the centre, kg m2."""
        return self._uniform_inertia_and_arm()[0] if self.inertia is None else self.inertia

    @property
    def friction_arm(self) -> float:
        """Arm of the friction torque, m."""
        return self._uniform_inertia_and_arm()[1] if self.arm is None else self.arm

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

    def _uniform_inertia_and_arm(self) -> tuple[float, float]:
        """Moment of inertia, kg m2, and mean distance of the base from its centre, m."""
        return self.mass * self.radius**2 / 2, 2 / 3 * self.radius


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

    def _uniform_inertia_and_arm(self) -> tuple[float, float]:
        """Moment of inertia, kg m2, and mean distance of the base from its centre, m."""
        a, b = self.half_sizes
        rest = a * a / b * math.asinh(b / a) + b * b / a * math.asinh(a / b)
        inertia = self.mass * (self.width**2 + self.height**2) / 12
        return inertia, (2 * math.hypot(a, b) + rest) / 6
