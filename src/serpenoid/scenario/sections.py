"""The sections of a scenario file that are not specs of their own elsewhere."""

from __future__ import annotations

from typing import Annotated, Any

import pydantic
from pydantic import Strict

from serpenoid.checks import nearest_word
from serpenoid.errors import InvalidInput
from serpenoid.model import robots
from serpenoid.model.fields import Field as ObstacleField
from serpenoid.model.robot import Robot, SelfContact, Wheels, check_links, check_self_contact
from serpenoid.model.world import Plane, World
from serpenoid.spec import Count, Each, Label, NonNegative, Point, Positive, names, spec


@spec
class NamedRobot:
    """A ready robot; the [actuator] section replaces its own actuators.

    Attributes:
        name: One of those that `serpenoid list` shows.
    """

    name: str

    def __post_init__(self) -> None:
        if self.name not in robots.BY_NAME:
            hint = nearest_word(self.name, list(robots.BY_NAME))
            there = ", ".join(robots.BY_NAME)
            raise InvalidInput(
                f"NamedRobot.name = {self.name!r} is not known{hint}; there are {there}, or give "
                "links, length, mass and radius"
            )


@spec
class Chain:
    """A robot of equal or similar links, every value one for all or a list with one for each.

    Attributes:
        links: Number of links.
        length: From hinge to hinge, m.
        mass: Of a link, kg.
        radius: Half the width, m.
        inertia: About the centre, kg m2; a uniform rod's if not given.
        straight: Straight sides of the outline, m; up to the link's length if not given.
        wheels: Wheels that carry the links.
        limits_deg: Lower and upper limit of every joint, deg.
        name: Name of the robot.
        self_contact: Whether links that are not neighbours touch each other, with the law of
            world.contact; or a contact law of their own.
    """

    links: Count
    length: Each[Positive]
    mass: Each[Positive]
    radius: Each[Positive]
    inertia: Each[Positive] | None = None
    straight: Each[NonNegative] | None = None
    wheels: Each[Wheels] | None = None
    limits_deg: Point | None = None
    name: Label = "robot"
    self_contact: SelfContact = True

    def __post_init__(self) -> None:
        if self.name in robots.BY_NAME:
            raise InvalidInput(
                f"Chain.name = {self.name!r} is not allowed for links of your own: it is the name "
                "of a ready robot"
            )
        check_self_contact("Chain", self.self_contact)
        check_links("Chain", self.links)


def as_robot(value: Any) -> Any:
    """A robot by name, as a chain of similar links, or link by link, told apart by what it has."""
    if isinstance(value, NamedRobot | Chain | Robot):
        return value
    if not isinstance(value, dict):
        raise ValueError("it must be a table with a name, or with links")
    kind: Any = Chain
    if set(value) == {"name"}:
        kind = NamedRobot
    elif isinstance(value.get("links"), list):
        kind = Robot
    return pydantic.TypeAdapter(kind).validate_python(value)


@spec
class Place(Plane):
    """The world without its default ground, which is the [friction] section.

    Attributes:
        field: A ready or random obstacle field, in addition to pegs and walls.
    """

    field: ObstacleField | None = None


def as_place(value: Any) -> Any:
    """A World without friction of its own is a place."""
    if not isinstance(value, World):
        return value
    if value.friction is not None:
        raise ValueError("its friction goes into friction=, beside it")
    return place_of(value)


def place_of(world: World) -> Place:
    """A world without its default ground."""
    return Place(**{name: getattr(world, name) for name in names(Plane)})


@spec
class Clock:
    """Times of a run.

    Attributes:
        duration: How long to simulate, s.
        time_step: Length of a step, s.
    """

    duration: Positive = 10.0
    time_step: Positive = 1e-3


@spec
class Record:
    """What is recorded.

    Attributes:
        period: From one recorded row to the next, s; a whole multiple of the time step.
        contacts: Whether to record every contact: what touches what, where, with which force.
    """

    period: Positive = 0.01
    contacts: Annotated[bool, Strict()] = False
