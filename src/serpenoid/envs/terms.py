"""Terms of observations and rewards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.envs.snapshot import Floats, Snapshot, distance, turned
from serpenoid.model.terrain import Terrain


@dataclass(frozen=True)
class Term:
    """A part of the observation.

    Attributes:
        name: Name.
        words: Meaning, for the documentation.
        unit: Unit.
        bound: Bound at which values are cut off, on both sides.
        size: Function from the number of links to the number of values.
        read: Function that gives the values of all robots, (b, size).
    """

    name: str
    words: str
    unit: str
    bound: float
    size: Callable[[int], int]
    read: Callable[[Snapshot], Floats]


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
    read: Callable[[Snapshot, Snapshot, float], Floats]


Point = Callable[[Snapshot], Floats]


def centre(now: Snapshot) -> Floats:
    """The robot's centre, (b, 2), m."""
    return now.centre


def load(now: Snapshot) -> Floats:
    """The load's centre, (b, 2), m."""
    return now.seen.load_pose[:, 0, :2]


# ---------------------------------------------------------------------------------- observations

JOINT_ANGLE = Term(
    "joint_angle", "joint angles", "rad", math.pi, lambda n: n - 1, lambda m: m.seen.joint_angle
)
JOINT_RATE = Term(
    "joint_rate", "joint rates", "rad/s", 50.0, lambda n: n - 1, lambda m: m.seen.joint_rate
)
HEADING = Term(
    "heading",
    "cosine and sine of the heading, the mean of the link angles",
    "1",
    1.0,
    lambda _: 2,
    lambda m: np.stack([np.cos(m.heading), np.sin(m.heading)], axis=1),
)
VELOCITY = Term(
    "velocity",
    "mean velocity of the links, along and across the heading",
    "m/s",
    5.0,
    lambda _: 2,
    lambda m: m.in_body(m.velocity),
)
SPIN = Term(
    "spin",
    "mean angular velocity of the links",
    "rad/s",
    30.0,
    lambda _: 1,
    lambda m: m.seen.omega.mean(axis=1)[:, None],
)
OFF_AXIS = Term(
    "off_axis",
    "distance of the centre from the x axis, to the left",
    "m",
    5.0,
    lambda _: 1,
    lambda m: m.centre[:, 1:],
)


def _felt(now: Snapshot) -> Floats:
    forces = turned(now.seen.contact_force, now.seen.theta) / now.weight[:, None, None]
    return forces.reshape(len(forces), -1)


CONTACT_FORCE = Term(
    "contact_force",
    "contact force on each link, along and across it, mean of the control period",
    "robot weights",
    10.0,
    lambda n: 2 * n,
    _felt,
)
SPRING_TORQUE = Term(
    "spring_torque",
    "torques of the joints' springs",
    "N m",
    20.0,
    lambda n: n - 1,
    lambda m: m.seen.spring_torque,
)
GOALS = Term(
    "goals",
    "the goal to be reached and the one after it, from the centre, along and across the heading",
    "m",
    10.0,
    lambda _: 4,
    lambda m: np.concatenate(
        [
            m.in_body(m.goal - m.centre),
            m.in_body(m.goal_at(m.next_goal + 1) - m.centre),
        ],
        axis=1,
    ),
)
LOAD = Term(
    "load",
    "the load's centre seen from the head link, its velocity, and its vector to the goal, along "
    "and across the heading",
    "m, m/s, m",
    10.0,
    lambda _: 6,
    lambda m: np.concatenate(
        [
            m.in_body(load(m) - _head(m)),
            m.in_body(m.seen.load_velocity[:, 0, :2]),
            m.in_body(m.goal - load(m)),
        ],
        axis=1,
    ),
)


def terrain_ahead(terrain: Terrain, spacing: float, count: int) -> Term:
    """Heights of a terrain relative to the head link's middle, from there on forwards.

    Args:
        terrain: The terrain.
        spacing: Distance between points, m.
        count: Number of points.

    Returns:
        A term of the observation.
    """
    ahead = spacing * np.arange(count)

    def read(now: Snapshot) -> Floats:
        head = _head(now)
        return terrain.level(head[:, :1] + ahead) - head[:, 1:]

    words = f"height of the ground under the head link and every {spacing:g} m ahead, seen from it"
    return Term("terrain", words, "m", 2.0, lambda _: count, read)


# --------------------------------------------------------------------------------------- rewards


def _forward(before: Snapshot, now: Snapshot, period: float) -> Floats:
    return (now.centre[:, 0] - before.centre[:, 0]) / period


def _power(before: Snapshot, now: Snapshot, period: float) -> Floats:
    return -np.maximum(0.0, now.work - before.work) / (period * now.weight)


def _arrived(before: Snapshot, now: Snapshot, period: float) -> Floats:  # noqa: ARG001
    return now.reached / period


FORWARD = Reward("forward", "speed of the centre along x, m/s", 1.0, _forward)
CTRL = Reward(
    "ctrl",
    "minus the actuators' power, as far as it is positive, over the robot's weight, m/s",
    0.1,
    _power,
)


def arrival(weight: float) -> Reward:
    """An amount for each goal, m, spread over the period as a rate like the other parts.

    Args:
        weight: Weight.

    Returns:
        A part of the reward.
    """
    words = "1 m over the control period in which a goal is reached, else 0, m/s"
    return Reward("arrival", words, weight, _arrived)


def approach(point: Point, weight: float = 1.0) -> Reward:
    """Speed at which a point approaches the goal.

    Args:
        point: Function that gives the point of each robot, (b, 2), m.
        weight: Weight.

    Returns:
        A part of the reward.
    """

    def read(before: Snapshot, now: Snapshot, period: float) -> Floats:
        return (distance(point(before), before.goal) - distance(point(now), before.goal)) / period

    what = "load" if point is load else "centre"
    return Reward("approach", f"speed at which the {what} nears the goal, m/s", weight, read)


def _to_load(before: Snapshot, now: Snapshot, period: float) -> Floats:
    return (distance(_head(before), load(before)) - distance(_head(now), load(now))) / period


REACH = Reward("reach", "speed at which the head link nears the load, m/s", 0.2, _to_load)


def _head(now: Snapshot) -> Floats:
    """Middle of the head link, (b, 2), m."""
    return np.stack([now.seen.x[:, -1], now.seen.y[:, -1]], axis=1)
