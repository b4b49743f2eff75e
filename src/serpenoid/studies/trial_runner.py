"""Trials of an optimisation, run in a worker process, and ended early if they are hopeless."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.dispatch import WORKER_FAULTS, reason
from serpenoid.studies.interrupts import silenced_optuna
from serpenoid.studies.metrics import Measure
from serpenoid.studies.point_runner import Row, empty_row, measure, run_until
from serpenoid.studies.run_parts import staged_runs, without_beginning
from serpenoid.studies.sampling import Value

if TYPE_CHECKING:
    import optuna

Direction = Literal["minimize", "maximize"]

# Of the trials that come to a stage, 'halving' continues the better one of this many.
_REDUCTION = 2
# Prefix of Optuna's notes on a stage of 'halving'.
_RUNG = "completed_rung_"


@dataclass(frozen=True)
class Attempt:
    """What came of a trial.

    Attributes:
        row: Metrics, certificate, seed and error.
        reached: Simulated time, s.
        pruned: Whether it was ended as hopeless.
        stages: The objective at the end of each stage at which it was judged, by number.
        rungs: What the pruner notes of it.
    """

    row: Row
    reached: float = 0.0
    pruned: bool = False
    stages: Mapping[int, float] = field(default_factory=dict)
    rungs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Past:
    """An earlier trial as a pruner sees it; value: None if it was pruned itself."""

    value: float | None
    stages: Mapping[int, float]
    rungs: Mapping[str, float]


@dataclass(frozen=True)
class Rule:
    """When a run is hopeless.

    Attributes:
        pruner: 'median', 'halving' or 'none'.
        objective: The metric that is judged.
        direction: Of Optuna.
        stages: Count of equal parts of a run.
        past: Earlier trials to compare with.
    """

    pruner: str
    objective: str
    direction: Direction
    stages: int
    past: tuple[Past, ...] = ()

    def trial(self) -> optuna.Trial:
        """A trial among earlier ones, which tells whether it should be pruned."""
        import optuna
        from optuna.trial import TrialState

        pruner: optuna.pruners.BasePruner = optuna.pruners.MedianPruner()
        if self.pruner == "halving":
            pruner = optuna.pruners.SuccessiveHalvingPruner(1, reduction_factor=_REDUCTION)
        with silenced_optuna():
            sampler = optuna.samplers.RandomSampler()
            study = optuna.create_study(direction=self.direction, pruner=pruner, sampler=sampler)
            for past in self.past:
                one = optuna.create_trial(
                    state=TrialState.PRUNED if past.value is None else TrialState.COMPLETE,
                    value=past.value,
                    intermediate_values=dict(past.stages),
                    system_attrs=dict(past.rungs),
                )
                study.add_trial(one)
            return study.ask()


@dataclass(frozen=True)
class TrialRunner:
    """Runs a trial of a batch; it is sent to the workers.

    Attributes:
        base: Scenario of which the trial changes values.
        metrics: The functions themselves, because another process knows only those of the package.
        skip: Time at the beginning that metrics leave out, s.
        rule: When a run is hopeless.
    """

    base: Scenario
    metrics: Mapping[str, Measure]
    skip: float
    rule: Rule

    def __call__(self, changes: Mapping[str, Value]) -> Attempt:
        """Run a trial, given by dotted keys to values; its errors are those of its row."""
        row = empty_row(list(self.metrics), self.base.seed)
        run, judge = None, _Judge(self)
        try:
            scenario = self.base.changed(changes)
            row["seed"] = scenario.seed
            stages = 1 if self.rule.pruner == "none" else self.rule.stages
            end = scenario.clock.duration - scenario.record.period
            for stage, run in enumerate(staged_runs(scenario, stages, self.skip), 1):
                if _reached(run) <= end and judge.hopeless(run, stage):
                    break
        except (*WORKER_FAULTS, Interrupted):
            raise
        except Exception as error:
            reached = _reached(run) + _reached(run_until(error))
            return Attempt(row | {"error": reason(error)}, reached)
        assert run is not None  # a run has at least one stage
        row |= measure(run, self.metrics, self.skip)
        return Attempt(row, _reached(run), judge.pruned, judge.values, judge.rungs)


def _reached(run: Trajectory | None) -> float:
    return 0.0 if run is None else float(run.time[-1] - run.time[0])


class _Judge:
    """Judges a run stage by stage with a pruner."""

    def __init__(self, runner: TrialRunner) -> None:
        self.runner, self.pruned = runner, False
        self.values: dict[int, float] = {}
        self.rungs: dict[str, float] = {}
        self._trial: optuna.Trial | None = None

    def hopeless(self, run: Trajectory, stage: int) -> bool:
        """Whether a run should be ended at the end of this stage."""
        rule, skip = self.runner.rule, self.runner.skip
        try:
            value = float(self.runner.metrics[rule.objective](without_beginning(run, skip)))
        except (MemoryError, ImportError):
            raise
        except Exception:
            return False  # what cannot be measured yet may be measured at the end
        if not math.isfinite(value):
            return False
        self._trial = self._trial or rule.trial()
        self._trial.report(value, stage)
        self.values[stage] = value
        self.pruned = bool(self._trial.should_prune())
        notes = self._trial.study.get_trials(deepcopy=False)[-1].system_attrs
        self.rungs = {name: note for name, note in notes.items() if name.startswith(_RUNG)}
        return self.pruned
