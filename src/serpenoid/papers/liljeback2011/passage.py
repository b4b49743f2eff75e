"""When a run through a field counts as passed, and as passed strictly."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from serpenoid.papers.liljeback2011.study import WAYPOINTS


class Passage(ABC):
    """Results of a run through a field.

    Attributes:
        times: Times at which waypoints were reached, (5,), s; inf if not reached.
        stopped: The reason why the run ended early; empty if it did not.
        largest_deg: Largest joint angle, deg.
    """

    times: tuple[float, ...]
    stopped: str
    largest_deg: float

    @property
    @abstractmethod
    def links_crossed(self) -> bool:
        """Whether links of the robot lay across each other."""

    @property
    def reached(self) -> int:
        """Number of waypoints reached."""
        return int(np.isfinite(self.times).sum())

    @property
    def passed(self) -> bool:
        """Whether all waypoints were reached."""
        return self.reached == WAYPOINTS

    @property
    def ran_away(self) -> bool:
        """Whether a joint turned beyond 180 deg, or the run could not go on."""
        return self.largest_deg > 180 or bool(self.stopped)

    @property
    def strictly(self) -> bool:
        """Whether all waypoints were reached by a motion that a real robot could make.

        No joint beyond 180 deg, no run that could not go on, no links across each other.
        """
        return self.passed and not self.ran_away and not self.links_crossed
