"""XML elements with numbers as attributes, and constants that several parts of a model share."""

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

OBSTACLE_BIT, TERRAIN_BIT, SELF_BIT = 1, 2, 4
"""Bits of what a geom touches: pegs and walls; terrain; other links."""


class Frame(NamedTuple):
    """Plane of the robot in MuJoCo's space, whose z axis is up.

    Attributes:
        vertical: Whether the plane is that of x and z, instead of x and y.
        height: Height of a horizontal plane above the ground, m.
    """

    vertical: bool
    height: float

    @classmethod
    def of(cls, robot: Robot, world: World) -> Frame:
        """Plane of a robot in its world.

        Returns:
            A vertical plane, or a horizontal one on which the robot lies on the ground.
        """
        vertical = world.plane == "vertical"
        return cls(vertical, 0.0 if vertical else max(link.radius for link in robot.links))

    @property
    def up(self) -> tuple[float, float, float]:
        """Direction of serpenoid's y axis."""
        return (0, 0, 1) if self.vertical else (0, 1, 0)

    @property
    def turn(self) -> tuple[float, float, float]:
        """Axis about which angles are counter-clockwise in serpenoid."""
        return (0, -1, 0) if self.vertical else (0, 0, 1)

    def place(self, x: float, y: float) -> tuple[float, float, float]:
        """A point (x, y) of the robot's plane in space, m."""
        return (x, 0, y) if self.vertical else (x, y, self.height)

    def gravity(self, world: World) -> tuple[float, float, float]:
        """Gravity in space, m/s2; an inclined plane stays level, and gravity is inclined."""
        x, y = world.pull
        return (x, 0, y) if self.vertical else (x, y, -world.normal_gravity)


def text(value: Value) -> str:
    """Text of an attribute; numbers are read back to the bit."""
    if isinstance(value, str):
        return value
    if isinstance(value, Iterable):
        return " ".join(text(float(number)) for number in value)
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


def add(parent: ET.Element, tag: str, **attributes: Value) -> ET.Element:
    """Add a child; the keyword `class_` stands for the attribute class.

    Args:
        parent: Element to add to.
        tag: Tag of the child.
        **attributes: Attributes of the child.
    """
    named = {name.rstrip("_"): text(value) for name, value in attributes.items()}
    return ET.SubElement(parent, tag, named)


def note(parent: ET.Element, words: str) -> None:
    """Add a comment for human readers."""
    parent.append(ET.Comment(f" {words} "))
