"""Parts of a run: its stages, at which it may be ended, and its rows after the first seconds."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from serpenoid.analysis.windows import between
from serpenoid.control.own import made_once
from serpenoid.engine.contact_table import ContactTable
from serpenoid.engine.simulate import run_scenario
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import ControllerError, InvalidInput, RoughRun, SimulationStopped
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.silence import silenced_optuna

if TYPE_CHECKING:
    import optuna
    from optuna.trial import FrozenTrial

Direction = Literal["minimize", "maximize"]

# Of the trials that come to a stage, 'halving' continues the better one of this many.
_REDUCTION = 2
# Prefix of Optuna's notes on a stage of 'halving'.
RUNG = "completed_rung_"


def staged_runs(scenario: Scenario, count: int, skip: float = 0.0) -> Iterator[Trajectory]:
    """Run a scenario in equal stages.

    Args:
        scenario: What is run.
        count: Of stages; there are fewer if the run has fewer rows.
        skip: Time at the beginning that belongs to the first stage in addition, s.

    Yields:
        The run so far at the end of each stage; the last one is that of `scenario.run()`.

    Raises:
        SimulationStopped: With the run from its beginning; a ControllerError has it, too.
    """
    period = scenario.record.period
    rows = scenario.rows - 1
    first = min(int(np.ceil(skip / period - 1e-9)), rows - 1)
    ends = np.unique(first + (rows - first) * np.arange(1, count + 1) // count)
    run: Trajectory | None = None
    done = 0
    # One controller in Python for all stages, which remembers what it saw.
    controller = made_once(scenario.controller)
    for end in ends[ends > first].tolist():
        state = None if run is None else run.state
        duration = None if end - done == rows else (end - done) * period
        try:
            with warnings.catch_warnings():
                # The table has the share, and the summary counts those that are too large.
                warnings.simplefilter("ignore", RoughRun)
                part = scenario
                if duration is not None:
                    part = scenario.changed({"clock.duration": duration})
                more = run_scenario(part, controller, state)
        except (SimulationStopped, ControllerError) as stop:
            if run is not None and stop.run is not None:
                stop.run = dataclasses.replace(_joined(run, stop.run), scenario=scenario)
            raise
        run, done = more if run is None else _joined(run, more), end
        yield dataclasses.replace(run, scenario=scenario)


def without_beginning(run: Trajectory, skip: float) -> Trajectory:
    """Leave out the first rows of a run.

    Energies, and a path that begins at the robot, still count from the start.

    Args:
        run: At least two rows of it must be left.
        skip: Time from its first row, s.

    Raises:
        InvalidInput: If the run is too short.
    """
    if skip <= 0:
        return run
    start = run.time[0] + skip
    if run.row(start, "skip") > len(run.time) - 2:
        raise InvalidInput(
            f"skip = {skip:g} is not allowed: this run lasts {run.time[-1] - run.time[0]:g} s"
        )
    return between(run, start)


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
        contacts=ContactTable.joined(run.contacts, more.contacts),
    )


@dataclasses.dataclass(frozen=True)
class Rule:
    """When a run is pruned.

    Attributes:
        pruner: 'median' or 'halving'.
        objective: The metric that is judged.
        direction: Of Optuna.
        stages: Count of equal parts of a run.
        past: Earlier trials to compare with.
    """

    pruner: str
    objective: str
    direction: Direction
    stages: int
    past: tuple[FrozenTrial, ...] = ()

    def trial(self) -> optuna.Trial:
        """A trial among earlier ones, which tells whether it should be pruned."""
        import optuna

        pruner: optuna.pruners.BasePruner = optuna.pruners.MedianPruner()
        if self.pruner == "halving":
            pruner = optuna.pruners.SuccessiveHalvingPruner(1, reduction_factor=_REDUCTION)
        with silenced_optuna():
            sampler = optuna.samplers.RandomSampler()
            study = optuna.create_study(direction=self.direction, pruner=pruner, sampler=sampler)
            study.add_trials(self.past)
            return study.ask()


class Judge:
    """Judges one run by a rule, at the ends of its stages.

    Args:
        rule: When the run is pruned.

    Attributes:
        pruned: Whether the run was pruned.
    """

    def __init__(self, rule: Rule) -> None:
        self._rule, self.pruned = rule, False
        # Made for the first value: a run of a single stage needs no Optuna.
        self._trial: optuna.Trial | None = None

    def should_prune(self, stage: int, value: float) -> bool:
        """Whether to end the run, given the objective at the end of a stage; not for NaN."""
        if not math.isfinite(value):
            return False
        if self._trial is None:
            self._trial = self._rule.trial()
        self._trial.report(value, stage)
        self.pruned = bool(self._trial.should_prune())
        return self.pruned

    @property
    def stages(self) -> dict[int, float]:
        """The objective at the end of each stage at which the run was judged, by number."""
        return {} if self._trial is None else self._noted(self._trial).intermediate_values

    @property
    def rungs(self) -> dict[str, float]:
        """What the pruner notes of the run."""
        if self._trial is None:
            return {}
        notes = self._noted(self._trial).system_attrs
        return {name: note for name, note in notes.items() if name.startswith(RUNG)}

    @staticmethod
    def _noted(trial: optuna.Trial) -> FrozenTrial:
        return trial.study.get_trials(deepcopy=False)[-1]
