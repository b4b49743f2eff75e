"""The cycle of a gait, and the settled cycles of a run, over which means are taken.

The cycle is the period of the wave that a controller sends through the joints. The settled cycles
are all whole cycles, counted back from the end of the run, that begin after the first cycle of the
gait. A run without a gait has no cycle, and counts as settled from its first row to its last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.following import controller_parts
from serpenoid.control.admittance import Admittance
from serpenoid.control.feedback import Follower
from serpenoid.control.gaits import Gait
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory

# Rounding must not cost a cycle.
ROUNDING = 1 + 1e-9
# What a cycle takes in the entries of a budget, B.
_CYCLE = 500


@dataclass(frozen=True)
class Cycle:
    """The cycle of a gait.

    Attributes:
        period: How long it lasts, s.
        begin: When the first one begins, s.
    """

    period: float
    begin: float


def cycle_of(controller: object) -> Cycle | None:
    """The cycle of a controller.

    Args:
        controller: Any controller. `Serpenoid`, `PedalWave` and `Follower` have a cycle, alone and
            with feedback.

    Returns:
        The cycle; None if there is none.
    """
    for part in controller_parts(controller):
        wave = part.wave if isinstance(part, Admittance) else part
        if isinstance(wave, Gait | Follower) and wave.frequency_deg:
            # The delay of a Follower is that from joint to joint.
            begin = wave.delay if isinstance(wave, Gait) else 0.0
            return Cycle(360.0 / abs(float(wave.frequency_deg)), float(begin))
    return None


def whole_cycles(period: float, duration: float) -> int:
    """How many cycles a duration holds.

    Args:
        period: Of a cycle, s.
        duration: The duration, s.

    Raises:
        InvalidInput: There are so many that they need more memory than allowed.
    """
    cycles = duration / period * ROUNDING
    check_memory(cycles * _CYCLE, f"period = {period!r}")
    return math.floor(cycles)


def settled_edges(run: Trajectory, what: str) -> Floats:
    """Times between which the settled cycles of a run lie.

    Args:
        run: A run.
        what: What is measured, for the message.

    Returns:
        Ends of the cycles, (cycles + 1,), s; first and last row of a run without a gait.

    Raises:
        InvalidInput: No whole cycle fits after the first, or the run has one row only.
    """
    first, last = float(run.time[0]), float(run.time[-1])
    if len(run.time) < 2:
        raise InvalidInput(f"{what} needs at least two rows; this run has one")
    cycle = cycle_of(run.scenario.controller)
    if cycle is None:
        return np.array([first, last])
    settled = max(first, cycle.begin + cycle.period)
    count = whole_cycles(cycle.period, max(0.0, last - settled))
    if not count:
        begun = f", which begins at {cycle.begin:g} s" if cycle.begin else ""
        lasts = f"from {first:g} to {last:g} s" if first else f"{last:g} s"
        raise InvalidInput(
            f"{what} needs a whole cycle of the gait, {cycle.period:.4g} s, after the first"
            f"{begun}; {run.called} lasts {lasts}"
        )
    return cycles_before(last, cycle.period, count, first)


def cycles_before(end: float, period: float, count: int, first: float) -> Floats:
    """Ends of whole cycles, counted back from the end of a run, (count + 1,), s."""
    # Rounding must not reach before the first row.
    edges: Floats = np.maximum(end - period * np.arange(count, -1, -1), first)
    return edges


def time_mean(run: Trajectory, values: Floats, edges: Floats) -> float:
    """Mean over time between the first and the last of some times.

    Args:
        run: A run.
        values: A value for each row, (rows,).
        edges: Ascending times within the run, s.
    """
    steps = (values[1:] + values[:-1]) / 2 * np.diff(run.time)
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    begin, end = np.interp(edges[[0, -1]], run.time, sums)
    return float((end - begin) / (edges[-1] - edges[0]))
