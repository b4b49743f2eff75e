"""Where a robot got, and which of its links pushed it there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.trajectory import Trajectory

Floats = npt.NDArray[np.float64]


def head_tip(run: Trajectory) -> Floats:
    """Foremost point of the head link's outline in every row, (rows, 2), m."""
    head = run.robot.links[-1]
    reach = head.straight_length / 2 + head.radius
    angle = run.columns["theta"][:, -1]
    centre = np.stack([run.columns["x"][:, -1], run.columns["y"][:, -1]], axis=1)
    tip: Floats = centre + reach * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return tip


def time_past(run: Trajectory, x: float) -> float | None:
    """When the head first got past a line across the x axis, s; None if it never did."""
    past = head_tip(run)[:, 0] > x
    return float(run.time[past.argmax()]) if past.any() else None


def pushing_links(run: Trajectory, window: float = 0.2, least: float = 0.5) -> npt.NDArray[np.int_]:
    """How many links push against obstacles in each window of time, (windows,).

    A link pushes if the size of its contact force, averaged over the window (s), is above `least`
    (N). Contacts chatter, so a single row says little.
    """
    period = float(run.scenario["record_period"])
    rows = round(window / period)
    windows = (len(run.time) - 1) // max(rows, 1)
    if rows < 1 or windows < 1:
        raise InvalidInput(
            f"window = {window!r} is not allowed: it must be at least the record period, "
            f"{period:g} s, and at most the duration, {run.time[-1] - run.time[0]:g} s"
        )
    size = np.linalg.norm(run.columns["contact_force"][1 : windows * rows + 1], axis=2)
    means = size.reshape(windows, rows, -1).mean(axis=1)
    count: npt.NDArray[np.int_] = (means > least).sum(axis=1)
    return count
