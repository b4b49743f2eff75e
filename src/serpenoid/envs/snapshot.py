"""State of all robots of an environment at one time."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.motion import along_and_across
from serpenoid.control.interface import Observation
from serpenoid.kernels.layout import Floats
from serpenoid.model.terrain import Terrain

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Snapshot:
    """b robots of n links at one time; rows are robots.

    Everything is computed row by row, so that a robot's numbers do not depend on the other robots.

    Attributes:
        seen: Measurements of the robots.
        work: Work of the actuators since the start, (b,), J.
        weight: Weight of the robot, (b,), N.
        goals: Points to be reached in turn, (b, k, 2), m.
        next_goal: Index of the goal to be reached now, (b,); k after the last.
        reached: Whether it has just been reached, (b,).
        terrain: Shape of the ground of all robots in a vertical plane; None without one.
    """

    seen: Observation
    work: Floats
    weight: Floats
    goals: Floats
    next_goal: Ints
    reached: Bools
    terrain: Terrain | None = None

    @functools.cached_property
    def centre(self) -> Floats:
        """Mean of the links' middles, (b, 2), m."""
        return _means(self.seen.x, self.seen.y)

    @functools.cached_property
    def velocity(self) -> Floats:
        """Mean velocity of the links' middles, (b, 2), m/s."""
        return _means(self.seen.vx, self.seen.vy)

    @functools.cached_property
    def heading(self) -> Floats:
        """Mean of the link angles, (b,), rad."""
        heading: Floats = self.seen.theta.mean(axis=1)
        return heading

    @functools.cached_property
    def goal(self) -> Floats:
        """The goal to be reached now, (b, 2), m."""
        return self.goal_at(self.next_goal)

    def goal_at(self, number: Ints) -> Floats:
        """Goal with a given index.

        Args:
            number: Index for each robot, (b,); beyond the last, that of the last.

        Returns:
            Points, (b, 2), m.
        """
        last = self.goals.shape[1] - 1
        goals: Floats = self.goals[np.arange(len(number)), np.minimum(number, last)]
        return goals

    def in_body(self, *vectors: Floats) -> Floats:
        """Components of k vectors of the plane, (b, 2) each, along and across the heading.

        Returns:
            Components, (b, 2 k).
        """
        parts = [along_and_across(vector, self.heading) for vector in vectors]
        return np.concatenate(parts, axis=1)


def distance(a: Floats, b: Floats) -> Floats:
    """Distances between points, (b, 2) each."""
    length: Floats = np.hypot(a[:, 0] - b[:, 0], a[:, 1] - b[:, 1])
    return length


def _means(x: Floats, y: Floats) -> Floats:
    return np.stack([x.mean(axis=1), y.mean(axis=1)], axis=1)
