"""Points of a study, run in whatever process: rows of its table."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from serpenoid._version import __version__
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, InvalidInput, SerpenoidError, first_line
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.metrics import (
    CERTIFICATE,
    METRICS,
    Measure,
    certificate,
    without_beginning,
)
from serpenoid.studies.sampling import Value
from serpenoid.studies.study import Study
from serpenoid.studies.together import Run, together

Row = dict[str, Any]
# The error of a point that no worker survives.
DEADLY = "the worker process died whenever it ran this point"
# Want of memory or of disk, something that is not installed: another worker may do better.
WORKER_FAULTS = (MemoryError, OSError, ImportError)
# Points are simulated together in pieces that take about this long, s: the time left is looked at
# between them.
_PIECE_SECONDS = 0.2

Numbered = Sequence[tuple[int, tuple[Value, ...]]]


@dataclass(frozen=True)
class Task:
    """What is the same for all points of a study, and small enough to be sent with each group.

    metrics: the functions themselves, because another process knows only those of the package.
    """

    base: Scenario
    keys: tuple[str, ...]
    metrics: Mapping[str, Measure]
    skip: float
    keep_runs: bool
    version: str = __version__

    @classmethod
    def of(cls, study: Study) -> Task:
        """What the points of a study have in common."""
        measures = {name: METRICS[name].measure for name in study.metrics}
        keys = tuple(study.parameters)
        return cls(study.scenario, keys, measures, study.skip, study.keep_runs)


@dataclass(frozen=True)
class Fault:
    """What went wrong with a worker; worker: its address, empty outside a cluster."""

    words: str
    worker: str

    @classmethod
    def of(cls, error: Exception) -> Fault:
        """What went wrong here."""
        from distributed import get_worker

        try:
            return cls(reason(error), str(get_worker().address))
        except ValueError:
            return cls(reason(error), "")


@dataclass
class Group:
    """Points that were run one after the other.

    rows: of the table, without the parameters. runs: NetCDF files by point. seconds: wall time.
    fault: why the first point without a row was not run, if this is the worker's fault.
    """

    rows: list[Row] = field(default_factory=list)
    runs: dict[int, bytes] = field(default_factory=dict)
    seconds: float = 0.0
    fault: Fault | None = None


def run_group(task: Task, points: Numbered, most_seconds: float = math.inf) -> Group:
    """Run points, given by number and values; at least the first, but none begun after this time.

    Points differ in how long they take, and a group that turns out long must not be lost whole.
    """
    check_version(task.version)
    begin = time.perf_counter()
    group, done, size = Group(), 0, 1
    while done < len(points) and group.fault is None:
        before = time.perf_counter()
        if done and before > begin + most_seconds:
            break
        _run_piece(task, points[done : done + size], begin + most_seconds, group)
        done += size
        # How long they take is not known beforehand.
        pace = max(time.perf_counter() - before, 1e-6) / size
        size = max(1, min(2 * size, round(_PIECE_SECONDS / pace)))
    group.seconds = time.perf_counter() - begin
    return group


def _run_piece(task: Task, points: Numbered, end: float, group: Group) -> None:
    """Run a few points, together where they can be, and add them to a group until end or a fault.

    end: on the clock of `perf_counter`, s.
    """
    values = [each for _, each in points]
    made = [scenario_of(task.base, dict(zip(task.keys, each, strict=True))) for each in values]
    runs = together(task.keys, values, made)
    for k, (point, _) in enumerate(points):
        if group.rows and time.perf_counter() > end:
            return
        try:
            row, run = run_point(made[k], task.metrics, task.skip, task.base.seed, runs.get(k))
            if task.keep_runs and run is not None:
                group.runs[point] = _netcdf(run)
        except WORKER_FAULTS as error:
            group.fault = Fault.of(error)
            return
        group.rows.append({"point": point} | row)


def scenario_of(base: Scenario, changes: Mapping[str, Value]) -> Scenario | Exception:
    """The scenario of a point, or why there is none."""
    try:
        return base.changed(changes)
    except Exception as error:
        return error


def run_point(
    scenario: Scenario | Exception,
    metrics: Mapping[str, Measure],
    skip: float = 0.0,
    seed: int = 0,
    simulated: Run | None = None,
) -> tuple[Row, Trajectory | None]:
    """Run one point: metrics, certificate, seed and error, and the run as far as it came.

    What goes wrong with the point is the row's error; what could not be measured is NaN. What goes
    wrong with this process, WORKER_FAULTS, is raised. scenario: of the point, or why there is none,
    and then seed is the base's. simulated: its run, if it was simulated with others.
    """
    row = failed_row(list(metrics), None, seed)
    try:
        if isinstance(scenario, Exception):
            raise scenario
        row["seed"] = scenario.seed
        run = simulated() if simulated else scenario.run()
    except (*WORKER_FAULTS, Interrupted):
        raise
    except Exception as error:
        stopped = run_until(error)
        return row | (certificate(stopped) if stopped else {}) | {"error": reason(error)}, stopped
    return row | measure(run, metrics, skip), run


def run_until(error: Exception) -> Trajectory | None:
    """What was computed until an error, if there is something."""
    run: Trajectory | None = getattr(error, "run", None)
    return run if run is not None and len(run.time) else None


def measure(run: Trajectory, metrics: Mapping[str, Measure], skip: float) -> Row:
    """Metrics, certificate and error of a run; what could not be measured is left out."""
    row: Row = {"error": None} | certificate(run)
    try:
        measured = without_beginning(run, skip)
    except InvalidInput as error:
        return row | {"error": reason(error)}
    for name, metric in metrics.items():
        try:
            row[name] = float(metric(measured))
        except (MemoryError, ImportError):
            raise
        except Exception as error:
            row["error"] = row["error"] or f"{name}: {reason(error)}"
    return row


def check_version(wanted: str) -> None:
    """Raise InvalidInput if this process, a worker, has another serpenoid than the one wanted."""
    if wanted != __version__:
        raise InvalidInput(
            f"a worker has serpenoid {__version__} instead of {wanted}; install the same everywhere"
        )


def failed_row(metrics: Sequence[str], error: str | None, seed: int) -> Row:
    """A row without numbers."""
    empty = dict.fromkeys([*metrics, *CERTIFICATE], math.nan)
    return {**empty, "seed": seed, "error": error}


def reason(error: Exception) -> str:
    """One line about what went wrong."""
    line, name = first_line(error), type(error).__name__
    return line if isinstance(error, SerpenoidError) or line == name else f"{name}: {line}"


def _netcdf(run: Trajectory) -> bytes:
    """A run as the content of its file: workers need not see the folder of the study."""
    import dask

    # Inside a worker xarray would ask the scheduler for a lock on a file that nobody else knows.
    alone = dask.config.set(scheduler="threads")
    with alone, tempfile.TemporaryDirectory(prefix="serpenoid-") as folder:
        return run.save(Path(folder) / "run.nc").read_bytes()
