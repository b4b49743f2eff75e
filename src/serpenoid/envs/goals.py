"""Goals of environments, and other conditions that end an episode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.envs.snapshot import Bools, Snapshot, distance
from serpenoid.envs.terms import Point


@dataclass(frozen=True)
class End:
    """A condition that ends an episode.

    Attributes:
        words: The condition, for the documentation.
        read: Function that says for which robots it holds, (b,).
    """

    words: str
    read: Callable[[Snapshot], Bools]


@dataclass(frozen=True)
class Goal(End):
    """A condition that must be reached, once or several times; the last time ends an episode.

    Attributes:
        count: Number of goals in an episode.
        acceptance: Radius around goals that are points, m.
    """

    count: int = 1
    acceptance: float = 0.0


def within(acceptance: float, point: Point, count: int) -> Goal:
    """Goal of a point near each of the scene's goals in turn.

    Args:
        acceptance: Largest distance, m.
        point: Function that gives the point of each robot, (b, 2), m.
        count: Number of goals.
    """
    words = f"the last goal is reached, within {acceptance:g} m"
    return Goal(words, lambda m: distance(point(m), m.goal) < acceptance, count, acceptance)


def beyond(x: float) -> Goal:
    """Goal of the robot's centre beyond a line across the x axis.

    Args:
        x: Position of the line, m.
    """
    return Goal(f"the centre is beyond x = {x:g} m", lambda m: m.centre[:, 0] > x)


def outside(x: float, y: float) -> End:
    """End of an episode when the robot has left the region of the task.

    Args:
        x: Largest distance of the centre behind the origin, m.
        y: Largest distance of the centre from the x axis, m.
    """
    words = f"the centre is behind x = -{x:g} m, or more than {y:g} m off the x axis"
    return End(words, lambda m: (m.centre[:, 0] < -x) | (np.abs(m.centre[:, 1]) > y))
