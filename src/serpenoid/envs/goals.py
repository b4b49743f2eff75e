"""Goals of environments, and other conditions that end an episode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.envs.snapshot import Bools, Snapshot, distance
from serpenoid.envs.terms import Point


@dataclass(frozen=True)
class Goal:
    """A condition that must be reached, once or several times.

    Attributes:
        words: The condition, for the documentation.
        read: Function that says which robots have reached the current goal, (b,).
        count: Number of goals in an episode.
        acceptance: Radius around goals that are points, m.
    """

    words: str
    read: Callable[[Snapshot], Bools]
    count: int = 1
    acceptance: float = 0.0


def within(acceptance: float, point: Point, count: int) -> Goal:
    """Goal of a point near each of the scene's goals in turn.

    Args:
        acceptance: Largest distance, m.
        point: Function that gives the point of each robot, (b, 2), m.
        count: Number of goals.
    """

    def read(now: Snapshot) -> Bools:
        near: Bools = distance(point(now), now.goal) < acceptance
        return near

    return Goal(f"the last goal is reached, within {acceptance:g} m", read, count, acceptance)


def beyond(x: float) -> Goal:
    """Goal of the robot's centre beyond a line across the x axis.

    Args:
        x: Position of the line, m.
    """
    return Goal(f"the centre is beyond x = {x:g} m", lambda m: m.centre[:, 0] > x)


@dataclass(frozen=True)
class End:
    """A condition that ends an episode besides the last goal.

    Attributes:
        words: The condition, for the documentation.
        read: Function that says for which robots it holds, (b,).
    """

    words: str
    read: Callable[[Snapshot], Bools]


def outside(x: float, y: float) -> End:
    """End of an episode when the robot has left the region of the task.

    Args:
        x: Largest distance of the centre behind the origin, m.
        y: Largest distance of the centre from the x axis, m.
    """

    def read(now: Snapshot) -> Bools:
        left: Bools = (now.centre[:, 0] < -x) | (np.abs(now.centre[:, 1]) > y)
        return left

    return End(f"the centre is behind x = -{x:g} m, or more than {y:g} m off the x axis", read)
