"""XML elements with numbers as attributes, and the numbers that several parts of a model share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET

from serpenoid.model.robot import Robot
from serpenoid.model.world import World

Value = str | float | Iterable[float]

OFF_FOOT = 1e-6
"""Share of a link's mass that does not stand on its foot: MuJoCo has no bodies without mass."""

THIN = 1e-4
"""Half the thickness of what has none in serpenoid, walls and links with contact on the axis, m."""


class Frame(NamedTuple):
    """Where the robot's plane is in MuJoCo's space, whose z is up.

    vertical: x and z; else x and y. height: of a horizontal plane above the ground, m.
    """

    vertical: bool
    height: float

    @classmethod
    def of(cls, robot: Robot, world: World) -> Frame:
        """That of a robot in its world: upright, or lying on the ground."""
        vertical = world.plane == "vertical"
        return cls(vertical, 0.0 if vertical else max(link.radius for link in robot.links))

    @property
    def up(self) -> tuple[float, float, float]:
        """Where serpenoid's y points."""
        return (0, 0, 1) if self.vertical else (0, 1, 0)

    @property
    def turn(self) -> tuple[float, float, float]:
        """The axis about which angles grow counter-clockwise, seen as in serpenoid."""
        return (0, -1, 0) if self.vertical else (0, 0, 1)

    def place(self, x: float, y: float) -> tuple[float, float, float]:
        """A point of the robot's plane, m."""
        return (x, 0, y) if self.vertical else (x, y, self.height)

    def gravity(self, world: World) -> tuple[float, float, float]:
        """Gravity, m/s2; the ground of an inclined plane stays level, and gravity is inclined."""
        x, y = world.pull
        return (x, 0, y) if self.vertical else (x, y, -world.normal_gravity)


def text(value: Value) -> str:
    """An attribute: words as they are, numbers such that they are read back to the bit."""
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return " ".join(text(float(number)) for number in value)
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


def add(parent: ET.Element, tag: str, **attributes: Value) -> ET.Element:
    """A new child; `class_` is the attribute class."""
    named = {name.rstrip("_"): text(value) for name, value in attributes.items()}
    return ET.SubElement(parent, tag, named)


def note(parent: ET.Element, words: str) -> None:
    """A comment for people who read the file."""
    parent.append(ET.Comment(f" {words} "))
