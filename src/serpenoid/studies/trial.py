"""A trial of an optimisation, run in whatever process, and ended early if it is hopeless."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from serpenoid._version import __version__
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.metrics import METRICS, Measure, without_beginning
from serpenoid.studies.point import (
    WORKER_FAULTS,
    Fault,
    Row,
    check_version,
    failed_row,
    measure,
    reason,
    run_until,
)
from serpenoid.studies.quiet import quiet_optuna
from serpenoid.studies.sampling import Value
from serpenoid.studies.search import Optimisation
from serpenoid.studies.stretches import stretches

if TYPE_CHECKING:
    import optuna

Direction = Literal["minimize", "maximize"]

# Of trials that come to a stage of 'halving', the better part of this many goes on.
_HALF = 2
# How Optuna's notes on a stage of 'halving' begin.
RUNG = "completed_rung_"


@dataclass(frozen=True)
class Attempt:
    """What came of a trial.

    row: metrics, certificate, seed and error. reached: simulated time, s. pruned: whether it was
    ended as hopeless. stages: the objective at the end of each stage it was judged at, by number.
    rungs: what the pruner notes of it.
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

    pruner: 'median', 'halving' or 'none'. objective: the metric that is looked at. direction: of
    Optuna. stages: equal stretches of a run. past: earlier trials to compare with.
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
            pruner = optuna.pruners.SuccessiveHalvingPruner(1, reduction_factor=_HALF)
        with quiet_optuna():
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
class Work:
    """What is the same for all trials of a batch, small enough to be sent with each."""

    base: Scenario
    metrics: Mapping[str, Measure]
    skip: float
    rule: Rule
    version: str = __version__

    @classmethod
    def of(cls, study: Optimisation, rule: Rule) -> Work:
        """What the trials of a study have in common."""
        metrics = {name: METRICS[name].measure for name in study.measured}
        return cls(study.scenario, metrics, study.skip, rule)


def run_trial(work: Work, changes: Mapping[str, Value]) -> Attempt | Fault:
    """Run one trial; what goes wrong with it is the error of its row, the rest this worker's."""
    check_version(work.version)
    try:
        return _run(work, changes)
    except WORKER_FAULTS as error:
        return Fault.of(error)


def _run(work: Work, changes: Mapping[str, Value]) -> Attempt:
    row = failed_row(list(work.metrics), None, work.base.seed)
    run, judged = None, _Judged(work)
    try:
        scenario = work.base.changed(changes)
        row["seed"] = scenario.seed
        stages = 1 if work.rule.pruner == "none" else work.rule.stages
        for stage, run in enumerate(stretches(scenario, stages, work.skip), 1):
            whole = run.time[-1] - run.time[0] > scenario.clock.duration - scenario.record.period
            if not whole and judged.hopeless(run, stage):
                break
    except (*WORKER_FAULTS, Interrupted):
        raise
    except Exception as error:
        reached = _reached(run) + _reached(run_until(error))
        return Attempt(row | {"error": reason(error)}, reached)
    assert run is not None  # a run has at least one stretch
    row |= measure(run, work.metrics, work.skip)
    return Attempt(row, _reached(run), judged.pruned, judged.values, judged.rungs)


def _reached(run: Trajectory | None) -> float:
    return 0.0 if run is None else float(run.time[-1] - run.time[0])


class _Judged:
    """A run under the eyes of a pruner."""

    def __init__(self, work: Work) -> None:
        self.work, self.pruned = work, False
        self.values: dict[int, float] = {}
        self.rungs: dict[str, float] = {}
        self._trial: optuna.Trial | None = None

    def hopeless(self, run: Trajectory, stage: int) -> bool:
        """Whether a run should be ended at the end of this stage."""
        rule = self.work.rule
        try:
            value = float(self.work.metrics[rule.objective](without_beginning(run, self.work.skip)))
        except (MemoryError, ImportError):
            raise
        except Exception:
            return False  # what cannot be told yet may be told at the end
        if not math.isfinite(value):
            return False
        self._trial = self._trial or rule.trial()
        self._trial.report(value, stage)
        self.values[stage] = value
        self.pruned = bool(self._trial.should_prune())
        notes = self._trial.study.get_trials(deepcopy=False)[-1].system_attrs
        self.rungs = {name: note for name, note in notes.items() if name.startswith(RUNG)}
        return self.pruned
