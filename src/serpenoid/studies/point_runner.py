"""Points of a study, run in a worker process: rows of its table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from serpenoid.analysis.metrics import CERTIFICATE, Measure, certificate
from serpenoid.engine.storage import to_netcdf
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, InvalidInput
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.dispatch import WORKER_FAULTS, reason
from serpenoid.studies.run_parts import Judge, Rule, staged_runs, without_beginning
from serpenoid.studies.sampling import Value

Row = dict[str, Any]


@dataclass(frozen=True)
class Attempt:
    """Result of a point.

    Attributes:
        row: Metrics, certificate, seed and error; what could not be measured is NaN.
        reached: Simulated time, s.
        pruned: Whether it was pruned.
        stages: The objective at the end of each stage at which it was judged, by number.
        rungs: What the pruner notes of it.
        run: The content of its NetCDF file, if runs are kept.
    """

    row: Row
    reached: float = 0.0
    pruned: bool = False
    stages: Mapping[int, float] = field(default_factory=dict)
    rungs: Mapping[str, float] = field(default_factory=dict)
    run: bytes | None = None


@dataclass(frozen=True)
class PointRunner:
    """Runs a point of a study; it is sent to the workers.

    Attributes:
        base: Scenario of which the point changes values.
        metrics: The functions themselves, because another process knows only those of the package.
        skip: Time at the beginning that metrics leave out, s.
        keep_runs: Whether the run itself is returned as well.
        rule: When a run is pruned; None if every run goes to its end.
    """

    base: Scenario
    metrics: Mapping[str, Measure]
    skip: float
    keep_runs: bool = False
    rule: Rule | None = None

    def __call__(self, changes: Mapping[str, Value]) -> Attempt:
        """Run a point, given by dotted keys to values.

        Returns:
            What came of it; what goes wrong with the point is the error of its row.

        Raises:
            WORKER_FAULTS: What goes wrong with this process.
        """
        row = self._empty()
        run, judge = None, None if self.rule is None else Judge(self.rule)
        try:
            scenario = self.base.changed(changes)
            row["seed"] = scenario.seed
            end = scenario.clock.duration - scenario.record.period
            parts = self.rule.stages if self.rule else 1
            for stage, run in enumerate(staged_runs(scenario, parts, self.skip), 1):
                if self.rule is None or judge is None or _reached(run) > end:
                    continue
                if judge.should_prune(stage, self._so_far(run, self.rule.objective)):
                    break
        except (*WORKER_FAULTS, Interrupted):
            raise
        except Exception as error:
            stopped: Trajectory | None = getattr(error, "run", None)
            if stopped is not None and len(stopped.time):
                run = stopped
            row |= ({} if run is None else certificate(run)) | {"error": reason(error)}
            return Attempt(row, _reached(run), run=self._netcdf(run))
        assert run is not None  # a run has at least one stage
        row |= self._measured(run)
        kept = self._netcdf(run)
        if judge is None:
            return Attempt(row, _reached(run), run=kept)
        return Attempt(row, _reached(run), judge.pruned, judge.stages, judge.rungs, kept)

    @property
    def lost(self) -> Attempt:
        """The row of a point that kills its workers."""
        return Attempt(self._empty("the worker process died whenever it ran this point"))

    def _empty(self, error: str | None = None) -> Row:
        """A row without numbers, with the seed of the base."""
        numbers = dict.fromkeys([*self.metrics, *CERTIFICATE], math.nan)
        return {**numbers, "seed": self.base.seed, "error": error}

    def _so_far(self, run: Trajectory, metric: str) -> float:
        """A metric of a run so far; NaN if it cannot be measured yet."""
        try:
            return float(self.metrics[metric](without_beginning(run, self.skip)))
        except (MemoryError, ImportError):
            raise
        except Exception:
            return math.nan

    def _measured(self, run: Trajectory) -> Row:
        """Metrics, certificate and error of a run; what could not be measured is left out."""
        row: Row = {"error": None} | certificate(run)
        try:
            measured = without_beginning(run, self.skip)
        except InvalidInput as error:
            return row | {"error": reason(error)}
        for name, metric in self.metrics.items():
            try:
                row[name] = float(metric(measured))
            except (MemoryError, ImportError):
                raise
            except Exception as error:
                words = reason(error)
                # Some refusals begin with the name of the metric already.
                named = words if words.startswith(f"{name} ") else f"{name}: {words}"
                row["error"] = row["error"] or named
        return row

    def _netcdf(self, run: Trajectory | None) -> bytes | None:
        """A run as the content of its file: workers need not see the folder of the study."""
        return bytes(to_netcdf(run)) if run is not None and self.keep_runs else None


def _reached(run: Trajectory | None) -> float:
    return 0.0 if run is None else float(run.time[-1] - run.time[0])
