"""Terms of observations and rewards.

A term is a function with a decorator; it has the name of the function, and is documented by the
first line of its docstring.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.motion import along_and_across
from serpenoid.envs.snapshot import Snapshot, distance
from serpenoid.kernels.layout import Floats

# The values of all robots, (b, size), and a point of each, (b, 2), m.
Read = Callable[[Snapshot], Floats]
Point = Callable[[Snapshot], Floats]
# A rate, (b,), m/s, of the states before and after a control period, and its length, s.
ReadRate = Callable[[Snapshot, Snapshot, float], Floats]


@dataclass(frozen=True)
class Term:
    """A part of the observation.

    Attributes:
        name: Name.
        words: Meaning, for the documentation.
        unit: Unit.
        bound: Bound at which values are cut off, on both sides.
        read: Function that gives the values of all robots, (b, size).
    """

    name: str
    words: str
    unit: str
    bound: float
    read: Read


@dataclass(frozen=True)
class Reward:
    """A part of the reward of a control period.

    Except for parts that are never positive, each is the change of a quantity over the period, or
    an amount that is paid once: neither moving to and fro nor waiting earns anything.

    Attributes:
        name: Name.
        words: Meaning, for the documentation.
        weight: Weight.
        read: Function of the states before and after the period, and its length, s, that gives
            values, (b,), m/s.
    """

    name: str
    words: str
    weight: float
    read: ReadRate


def term(unit: str, bound: float) -> Callable[[Read], Term]:
    """Decorator that makes a function a part of observations.

    Args:
        unit: Unit.
        bound: Bound at which values are cut off, on both sides.
    """
    return lambda read: Term(read.__name__, _words(read), unit, bound, read)


def reward(weight: float) -> Callable[[ReadRate], Reward]:
    """Decorator that makes a function a part of rewards.

    Args:
        weight: Weight.
    """
    return lambda read: Reward(read.__name__, _words(read), weight, read)


def _words(read: Callable[..., Floats]) -> str:
    """First line of a docstring, which tables and messages show."""
    words = inspect.getdoc(read)
    if not words:
        raise TypeError(f"{read.__name__} needs a docstring that says what it is")
    return words.splitlines()[0].rstrip(".")


# ---------------------------------------------------------------------------------------- points


def centre(now: Snapshot) -> Floats:
    """The robot's centre, (b, 2), m."""
    return now.centre


def load_centre(now: Snapshot) -> Floats:
    """The load's centre, (b, 2), m."""
    return now.seen.load_pose[:, 0, :2]


def _head(now: Snapshot) -> Floats:
    """Middle of the head link, (b, 2), m."""
    return np.stack([now.seen.x[:, -1], now.seen.y[:, -1]], axis=1)


# ---------------------------------------------------------------------------------- observations


@term("rad", math.pi)
def joint_angle(now: Snapshot) -> Floats:
    """Joint angles."""
    return now.seen.joint_angle


@term("rad/s", 50.0)
def joint_rate(now: Snapshot) -> Floats:
    """Joint rates."""
    return now.seen.joint_rate


@term("1", 1.0)
def heading(now: Snapshot) -> Floats:
    """Cosine and sine of the heading, the mean of the link angles."""
    return np.stack([np.cos(now.heading), np.sin(now.heading)], axis=1)


@term("m/s", 5.0)
def velocity(now: Snapshot) -> Floats:
    """Mean velocity of the links, along and across the heading."""
    return now.in_body(now.velocity)


@term("rad/s", 30.0)
def spin(now: Snapshot) -> Floats:
    """Mean angular velocity of the links."""
    mean: Floats = now.seen.omega.mean(axis=1, keepdims=True)
    return mean


@term("m", 5.0)
def off_axis(now: Snapshot) -> Floats:
    """Distance of the centre from the x axis, to the left."""
    return now.centre[:, 1:]


@term("robot weights", 10.0)
def contact_force(now: Snapshot) -> Floats:
    """Contact force on each link, along and across it, mean of the control period."""
    forces = along_and_across(now.seen.contact_force, now.seen.theta) / now.weight[:, None, None]
    return forces.reshape(len(forces), -1)


@term("N m", 20.0)
def spring_torque(now: Snapshot) -> Floats:
    """Torques of the joints' springs."""
    return now.seen.spring_torque


@term("m", 10.0)
def goals(now: Snapshot) -> Floats:
    """From the centre to the goal and to the one after it, along and across the heading."""
    return now.in_body(now.goal - now.centre, now.goal_at(now.next_goal + 1) - now.centre)


@term("m, m/s, m", 10.0)
def load(now: Snapshot) -> Floats:
    """Head link to load, velocity of the load, load to goal, each along and across the heading."""
    at, moving = load_centre(now), now.seen.load_velocity[:, 0, :2]
    return now.in_body(at - _head(now), moving, now.goal - at)


def terrain_ahead(spacing: float, count: int) -> Term:
    """Heights of the terrain relative to the head link's middle, from there on forwards.

    Args:
        spacing: Distance between points, m.
        count: Number of points.

    Returns:
        A term of the observation.
    """
    ahead = spacing * np.arange(count)

    def read(now: Snapshot) -> Floats:
        head = _head(now)
        assert now.terrain is not None
        return now.terrain.level(head[:, :1] + ahead) - head[:, 1:]

    words = f"Height of the ground under the head link and every {spacing:g} m ahead, seen from it"
    return Term("terrain", words, "m", 2.0, read)


# --------------------------------------------------------------------------------------- rewards


@reward(weight=1.0)
def forward(before: Snapshot, now: Snapshot, period: float) -> Floats:
    """Speed of the centre along x, m/s."""
    return (now.centre[:, 0] - before.centre[:, 0]) / period


@reward(weight=0.1)
def ctrl(before: Snapshot, now: Snapshot, period: float) -> Floats:
    """Minus the actuators' power, as far as it is positive, over the robot's weight, m/s."""
    return -np.maximum(0.0, now.work - before.work) / (period * now.weight)


@reward(weight=1.0)
def arrival(before: Snapshot, now: Snapshot, period: float) -> Floats:  # noqa: ARG001
    """1 m over the control period in which a goal is reached, else 0, m/s."""
    return now.reached / period


@reward(weight=0.2)
def reach(before: Snapshot, now: Snapshot, period: float) -> Floats:
    """Speed at which the head link nears the load, m/s."""
    far, near = (distance(_head(each), load_centre(each)) for each in (before, now))
    return (far - near) / period


def approach(point: Point) -> Reward:
    """Speed at which a point approaches the goal.

    Args:
        point: Function that gives the point of each robot, (b, 2), m.

    Returns:
        A part of the reward.
    """

    def read(before: Snapshot, now: Snapshot, period: float) -> Floats:
        return (distance(point(before), before.goal) - distance(point(now), before.goal)) / period

    what = "load" if point is load_centre else "centre"
    return Reward("approach", f"Speed at which the {what} nears the goal, m/s", 1.0, read)
