"""Points of a study, run in a worker process: rows of its table."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, InvalidInput
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.dispatch import WORKER_FAULTS, reason
from serpenoid.studies.metrics import CERTIFICATE, Measure, certificate
from serpenoid.studies.run_parts import without_beginning
from serpenoid.studies.sampling import Value

Row = dict[str, Any]


@dataclass(frozen=True)
class PointRunner:
    """Runs a point of a study; it is sent to the workers.

    Attributes:
        base: Scenario of which the point changes values.
        metrics: The functions themselves, because another process knows only those of the package.
        skip: Time at the beginning that metrics leave out, s.
        keep_runs: Whether the run itself is returned as well.
    """

    base: Scenario
    metrics: Mapping[str, Measure]
    skip: float
    keep_runs: bool

    def __call__(self, changes: Mapping[str, Value]) -> tuple[Row, bytes | None]:
        """Run a point.

        Args:
            changes: Dotted keys to values.

        Returns:
            Its row without the parameters, and the content of its NetCDF file if runs are kept.
        """
        row, run = run_point(
            lambda: self.base.changed(changes), self.metrics, self.skip, self.base.seed
        )
        return row, _netcdf(run) if self.keep_runs and run is not None else None


def run_point(
    load: Callable[[], Scenario], metrics: Mapping[str, Measure], skip: float, seed: int
) -> tuple[Row, Trajectory | None]:
    """Run and measure a scenario.

    Args:
        load: Returns the scenario.
        metrics: By name.
        skip: Time at the beginning that metrics leave out, s.
        seed: For the row of a scenario that is refused.

    Returns:
        Metrics, certificate, seed and error, and the run as far as it came. What goes wrong with
        the point is the row's error; what could not be measured is NaN.

    Raises:
        WORKER_FAULTS: What goes wrong with this process.
    """
    row = empty_row(list(metrics), seed)
    try:
        scenario = load()
        row["seed"] = scenario.seed
        run = scenario.run()
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


def empty_row(metrics: Sequence[str], seed: int, error: str | None = None) -> Row:
    """A row without numbers."""
    empty = dict.fromkeys([*metrics, *CERTIFICATE], math.nan)
    return {**empty, "seed": seed, "error": error}


def _netcdf(run: Trajectory) -> bytes:
    """A run as the content of its file: workers need not see the folder of the study."""
    import dask

    # Inside a Dask worker xarray would ask the scheduler for a lock on a file nobody else knows.
    alone = dask.config.set(scheduler="threads")
    with alone, tempfile.TemporaryDirectory(prefix="serpenoid-") as folder:
        return run.save(Path(folder) / "run.nc").read_bytes()
