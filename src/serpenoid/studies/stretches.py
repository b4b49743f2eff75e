"""A run in stretches: what it has come to so far, before it is at its end."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from serpenoid.engine.trajectory import Trajectory
from serpenoid.scenario.scenario import Scenario


def stretches(scenario: Scenario, count: int, skip: float = 0.0) -> Iterator[Trajectory]:
    """The run so far at the end of each stretch; the last one is that of `scenario.run()`.

    count: of equal stretches, fewer if there are fewer rows. skip: s at the beginning that belong
    to the first stretch in addition.
    """
    period = scenario.record.period
    rows = scenario.rows - 1
    first = min(int(np.ceil(skip / period - 1e-9)), rows - 1)
    ends = np.unique(first + (rows - first) * np.arange(1, count + 1) // count)
    run: Trajectory | None = None
    done = 0
    for end in ends[ends > first].tolist():
        state = None if run is None else run.state
        more = scenario.run(duration=(end - done) * period, start=state)
        run, done = more if run is None else _joined(run, more), end
        yield dataclasses.replace(run, scenario=scenario)


def _joined(run: Trajectory, more: Trajectory) -> Trajectory:
    """A run and its continuation as one; the row at which they meet is the first one's."""
    columns = {
        name: np.concatenate([column, more.columns[name][1:]])
        for name, column in run.columns.items()
    }
    return dataclasses.replace(
        run,
        columns=columns,
        state=more.state,
        stepping_seconds=run.stepping_seconds + more.stepping_seconds,
        events=np.concatenate([run.events, more.events]),
    )
