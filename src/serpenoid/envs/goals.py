"""What is to be reached in an environment, and what else ends an episode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.envs.snapshot import Bools, Moment, distance
from serpenoid.envs.terms import Point


@dataclass(frozen=True)
class Goal:
    """What has to be reached, `count` times over; read: whether the one of now is.

    acceptance: radius around points that are goals, m.
    """

    words: str
    read: Callable[[Moment], Bools]
    count: int = 1
    acceptance: float = 0.0


def within(acceptance: float, point: Point, count: int) -> Goal:
    """Something comes near each of the scene's goals in turn."""

    def read(now: Moment) -> Bools:
        near: Bools = distance(point(now), now.goal) < acceptance
        return near

    return Goal(f"the last goal is reached, within {acceptance:g} m", read, count, acceptance)


def beyond(x: float) -> Goal:
    """The way is done."""
    return Goal(f"the centre is beyond x = {x:g} m", lambda m: m.centre[:, 0] > x)


@dataclass(frozen=True)
class End:
    """What ends an episode besides the last goal."""

    words: str
    read: Callable[[Moment], Bools]


def outside(x: float, y: float) -> End:
    """The robot has left where anything happens."""

    def read(now: Moment) -> Bools:
        left: Bools = (now.centre[:, 0] < -x) | (np.abs(now.centre[:, 1]) > y)
        return left

    return End(f"the centre is behind x = -{x:g} m, or more than {y:g} m off the x axis", read)
