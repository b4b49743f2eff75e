"""The load, the contact with it, and the wheels of the robot that pushes."""

from __future__ import annotations

import math
from typing import Literal

from serpenoid.errors import InvalidInput
from serpenoid.model.robot import Robot
from serpenoid.spec import NonNegative, NonNegativeOrInfinite, Number, Positive, Whole, spec


@spec
class PushedLoad:
    """A rigid body to be pushed.

    Attributes:
        mass: Mass, kg.
        inertia: Moment of inertia about the centre of mass, kg m2; needed only with an offset.
        offset: Distance from the centre of mass to the contact, along the pushing link towards the
            head, m; a load pushed at an offset turns.
    """

    mass: Positive
    inertia: Positive | None = None
    offset: Number = 0.0

    def __post_init__(self) -> None:
        if self.inertia is None and self.offset != 0.0:
            raise InvalidInput(
                f"PushedLoad.inertia is missing: a load with an offset of {self.offset:g} m turns"
            )

    @property
    def moment_of_inertia(self) -> float:
        """Moment of inertia, kg m2; if not given, that of the mass at 1 m, which has no effect."""
        return self.mass if self.inertia is None else self.inertia

    @property
    def compliance(self) -> float:
        """Acceleration of the contact point over the force there, 1/kg."""
        return 1 / self.mass + self.offset**2 / self.moment_of_inertia


@spec
class Touch:
    """Frictionless contact of a link with the load.

    Attributes:
        link: Index of the link; 0 is the tail.
        along: Distance from the middle of the link towards the head, m.
        side: Side of the link, seen from tail to head.
    """

    link: Whole = 0
    along: Number = 0.0
    side: Literal["left", "right"] = "left"

    def check(self, robot: Robot) -> None:
        """Check that a robot has this place.

        Raises:
            InvalidInput: There is no such link, or it is shorter.
        """
        _check_link(f"Touch.link = {self.link}", self.link, robot)
        half = robot.links[self.link].length / 2
        if abs(self.along) > half:
            raise InvalidInput(
                f"Touch.along = {self.along:g} is not allowed: link {self.link} of {robot.name} "
                f"ends {half:g} m from its middle"
            )


@spec
class PushWheels:
    """Passive wheels in the middle of links, free to roll along and held across.

    Attributes:
        mu: Largest sideways friction over the weight of the link; infinite for ideal wheels.
        lifted: Links whose wheels do not touch the ground; if not given, the link that pushes
            [reyes2017 assumption 4].
        gravity: Acceleration of gravity, m/s2.
    """

    mu: NonNegativeOrInfinite = math.inf
    lifted: tuple[Whole, ...] | None = None
    gravity: NonNegative = 9.81

    @classmethod
    def of(cls, robot: Robot, gravity: float = 9.81) -> PushWheels | None:
        """Wheels under the links of a robot.

        Args:
            robot: The robot.
            gravity: Acceleration of gravity, m/s2.

        Returns:
            The wheels, or None if the robot has none.

        Raises:
            InvalidInput: The wheels have different limits.
        """
        under = [link.wheels for link in robot.links]
        if all(wheels is None for wheels in under):
            return None
        lifted = tuple(k for k, wheels in enumerate(under) if wheels is None or wheels.lifted)
        limits = {wheels.mu for wheels in under if wheels is not None and not wheels.lifted}
        if len(limits) > 1:
            words = ", ".join("ideal" if mu is None else f"{mu:g}" for mu in limits)
            raise InvalidInput(
                f"Link.wheels with different mu ({words}) is not allowed here: pushing takes one "
                "for all wheels on the ground"
            )
        mu = next(iter(limits), 0.0)
        return cls(mu=math.inf if mu is None else mu, lifted=lifted, gravity=gravity)

    @property
    def share(self) -> float:
        """Largest force across over the mass of the link, m/s2."""
        return self.mu if math.isinf(self.mu) else self.mu * self.gravity

    def on_ground(self, robot: Robot, touch: Touch) -> tuple[int, ...]:
        """Links with wheels on the ground.

        Args:
            robot: The robot.
            touch: The contact, whose link is lifted if `lifted` is not given.

        Returns:
            Indices of the links.

        Raises:
            InvalidInput: The robot does not have a link that is said to be lifted.
        """
        lifted = (touch.link,) if self.lifted is None else self.lifted
        for link in lifted:
            _check_link(f"PushWheels.lifted = {lifted}", link, robot)
        return tuple(link for link in range(len(robot.links)) if link not in lifted)


def _check_link(given: str, link: int, robot: Robot) -> None:
    last = len(robot.links) - 1
    if not 0 <= link <= last:
        raise InvalidInput(f"{given} is not allowed: {robot.name} has links 0 to {last}")
