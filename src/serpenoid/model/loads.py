"""Loads: rigid bodies on the plane that can be pushed."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

from pydantic import Field

from serpenoid.model.contact import Contact
from serpenoid.spec import Family, NonNegative, Number, Point, Positive, spec, tag


@spec
class Placed:
    """What all loads have: where they are, what they weigh, how they slide.

    x, y: centre of mass, m. mass: kg. angle_deg: how far it is turned. inertia: about the centre,
    kg m2; that of a uniform body if not given. friction: dry friction with the ground, mu, whatever
    the world's ground is under links; the friction torque is bounded by mu times weight times arm,
    m, the mean distance of the base from its centre if not given. contact: law of contact with
    links, pegs, walls and other loads, the world's if not given; where two laws meet, the larger
    coefficients hold. velocity: at the start, m/s; spin_deg: deg/s.
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
    """Base of the loads; their outlines are rectangles, rounded off by a radius."""

    @property
    @abstractmethod
    def half_sizes(self) -> tuple[float, float]:
        """Half the sides of the rectangle within, m."""

    @property
    @abstractmethod
    def rounding(self) -> float:
        """What the outline reaches beyond that rectangle, m."""

    @property
    @abstractmethod
    def moment_of_inertia(self) -> float:
        """About the centre, kg m2."""

    @property
    @abstractmethod
    def friction_arm(self) -> float:
        """Arm of the friction torque, m."""

    @property
    def reach(self) -> float:
        """Radius of the circle about the load, m."""
        return math.hypot(*self.half_sizes) + self.rounding


@spec
class Disc(Load):
    """A round load: radius in m."""

    radius: Positive = Field(kw_only=True)
    kind: Literal["disc"] = tag(default="disc", kw_only=True)

    @property
    def half_sizes(self) -> tuple[float, float]:
        """Half the sides of the rectangle within, m: a point."""
        return 0.0, 0.0

    @property
    def rounding(self) -> float:
        """What the outline reaches beyond that, m."""
        return self.radius

    @property
    def moment_of_inertia(self) -> float:
        """About the centre, kg m2."""
        return self.mass * self.radius**2 / 2 if self.inertia is None else self.inertia

    @property
    def friction_arm(self) -> float:
        """Arm of the friction torque, m."""
        return 2 / 3 * self.radius if self.arm is None else self.arm


@spec
class Box(Load):
    """A rectangular load: width along its own x axis, height along its y axis, m."""

    width: Positive = Field(kw_only=True)
    height: Positive = Field(kw_only=True)
    kind: Literal["box"] = tag(default="box", kw_only=True)

    @property
    def half_sizes(self) -> tuple[float, float]:
        """Half the sides, m."""
        return self.width / 2, self.height / 2

    @property
    def rounding(self) -> float:
        """Its corners are sharp."""
        return 0.0

    @property
    def moment_of_inertia(self) -> float:
        """About the centre, kg m2."""
        if self.inertia is not None:
            return self.inertia
        return self.mass * (self.width**2 + self.height**2) / 12

    @property
    def friction_arm(self) -> float:
        """Arm of the friction torque, m."""
        if self.arm is not None:
            return self.arm
        a, b = self.half_sizes
        rest = a * a / b * math.asinh(b / a) + b * b / a * math.asinh(a / b)
        return (2 * math.hypot(a, b) + rest) / 6
