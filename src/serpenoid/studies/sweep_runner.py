"""Sweeps: all points of a study on all cores, or on a cluster; finished points are kept.

At the end a sweep is a table, and a summary of it in a few numbers.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.analysis.metrics import METRICS
from serpenoid.engine.trajectory import TOLERABLE
from serpenoid.errors import InvalidInput
from serpenoid.files import make_folder
from serpenoid.progress import study_bar
from serpenoid.studies.best_points import Ranking, draw_ranking, rank
from serpenoid.studies.cluster import ALL_CORES, Announce, WorkPlace, check_installed
from serpenoid.studies.dispatch import Dispatch
from serpenoid.studies.point_runner import PointRunner
from serpenoid.studies.preparation import prepare, some_points
from serpenoid.studies.study import Study
from serpenoid.studies.study_folder import locked

if TYPE_CHECKING:
    import pandas

# Runs that are kept travel with their group, so a group must not hold too many.
_LARGEST_GROUP, _LARGEST_KEPT_GROUP = 1_000_000, 8

# Called with the count of points done and of all points.
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Outcome:
    """Result of a sweep.

    Attributes:
        points: Count of all points.
        before: Count of points that were done when it began.
        seconds: Wall time of what it ran, s.
        run_seconds: Wall time of the runs alone, summed over workers, s.
        groups: Count of groups in which points were sent.
    """

    points: int
    before: int
    seconds: float = 0.0
    run_seconds: float = 0.0
    groups: int = 0


def sweep(
    study: Study | str | os.PathLike[str],
    out: str | os.PathLike[str],
    scheduler: str | None = None,
    workers: int | None = None,
    *,
    progress: bool = False,
    allow_code: bool = False,
) -> pandas.DataFrame:
    """Run all points of a study and return its table, a row for every point.

    Args:
        study: Itself, or its TOML file.
        out: The folder of this study; what is finished there already is not run again.
        scheduler: Address of a Dask scheduler whose workers do the work.
        workers: Count of processes on this machine otherwise; one for each core if left out.
        progress: Show a progress bar, on a terminal or in a notebook.
        allow_code: Whether a controller in Python that a file names may be imported.

    Returns:
        The table, one row for every point.

    Raises:
        InvalidInput: If the study can never work, or the folder holds another one.
        StudyStopped: If it could not go on. What was finished is in the folder.
    """
    wanted = study if isinstance(study, Study) else Study.load(study, allow_code=allow_code)
    with study_bar(progress, len(wanted.points)) as show:
        run_study(wanted, out, WorkPlace(scheduler, workers), show)
    return load_table(out)


def load_table(out: str | os.PathLike[str]) -> pandas.DataFrame:
    """Load the table of a finished study; `table.attrs["units"]` has the units.

    Args:
        out: The folder of the study.

    Returns:
        The table, one row for every point or trial.

    Raises:
        InvalidInput: If there is no table.
    """
    check_installed()
    file = Path(out) / "table.parquet"
    if not file.exists():
        raise InvalidInput(f"{out} has no table.parquet: no study was finished there")
    from serpenoid.studies.study_table import read

    stored = read(file)
    table = stored.to_pandas(use_threads=False)  # as `read` does, and for the same reason
    noted = {field.name: field.metadata or {} for field in stored.schema}
    table.attrs["units"] = {name: m[b"unit"].decode() for name, m in noted.items() if b"unit" in m}
    return table


def run_study(
    study: Study,
    out: str | os.PathLike[str],
    place: WorkPlace = ALL_CORES,
    tell: Tell = lambda _done, _points: None,
    announce: Announce = lambda _words: None,
) -> Outcome:
    """Run the remaining points of a study and write its table.

    Args:
        study: What to run.
        out: Its folder.
        place: Where it runs.
        tell: Called with the count of points done and of all points.
        announce: Called with what else should be said, in a sentence.
    """
    place.check()
    from serpenoid.studies.sweep_store import Store

    folder, total = Path(out), len(study.points)
    if not (folder / "table.parquet").exists():
        prepare(study, some_points(study))
    make_folder(folder)
    with locked(folder / "lock"):
        store = Store(folder, study)
        before, begin = len(store.done), time.perf_counter()
        if before == total:
            store.finish()
            return Outcome(total, before)

        def kept() -> str:
            return (
                f"{len(store.done)} of {total} points are kept in {folder}, and the same command "
                "goes on from there"
            )

        run_seconds, groups = 0.0, 0
        with place.open(announce, kept) as workers:
            left = [point for point in range(total) if point not in store.done]
            runner = PointRunner(study.scenario, study.measures, study.skip, study.keep_runs)
            largest = _LARGEST_KEPT_GROUP if study.keep_runs else _LARGEST_GROUP
            tell(before, total)
            for answers in Dispatch(workers, runner, left, study.changes, "point", largest):
                store.add({point: a or runner.lost for point, a in answers.results.items()})
                run_seconds, groups = run_seconds + answers.seconds, groups + 1
                tell(len(store.done), total)
            store.finish()
        return Outcome(total, before, time.perf_counter() - begin, run_seconds, groups)


@dataclass(frozen=True)
class Spread:
    """Least, median and largest value of a metric; None where there is no finite one."""

    unit: str
    least: float | None = None
    median: float | None = None
    largest: float | None = None


@dataclass(frozen=True)
class SweepSummary:
    """Summary of a sweep.

    Attributes:
        title: Of the study.
        table: Path of the table.
        points: Count of rows of the table.
        failed: Count of those with an error.
        rough: Count of those whose time step is too large, see `Trajectory.advice`.
        before: Count of points that an earlier sweep had done.
        seconds: Wall time, s.
        metrics: By name.
        errors: Reason to count of points, most first.
        best: The best points, by each metric that was asked for.
        figures: Paths of the figures of these metrics.
    """

    title: str
    table: str
    points: int
    failed: int
    rough: int
    before: int
    seconds: float
    metrics: dict[str, Spread]
    errors: dict[str, int]
    best: tuple[Ranking, ...] = ()
    figures: tuple[str, ...] = ()

    def line(self) -> str:
        """The counts of points, and the time that the new ones took."""
        words = f"{self.points} points, {self.failed} failed"
        return count_words(words, self.points, self.before, self.seconds)


def count_words(words: str, done: int, before: int, seconds: float) -> str:
    """Add to a line which of the finished runs are new, and the time they took, s."""
    if before:
        words += f"; {before} of them were there already"
    return f"{words}; {done - before} in {seconds:.3g} s" if done > before else words


def summarise(study: Study, folder: Path, outcome: Outcome, by: Sequence[str] = ()) -> SweepSummary:
    """Summarise a finished sweep from the table in its folder, and draw figures into that.

    Args:
        study: The study.
        folder: Its folder.
        outcome: How it went.
        by: Metrics by which the best points are chosen; the first of the study if none is given.
    """
    table = load_table(folder)
    best = [
        rank(list(study.parameters), study.metrics, table, name, METRICS[name].better)
        for name in by or study.metrics[:1]
    ]
    best = [each for each in best if each.points]
    reasons = table["error"].dropna().value_counts()
    return SweepSummary(
        title=study.title,
        table=str(folder / "table.parquet"),
        points=outcome.points,
        failed=int(table["error"].notna().sum()),
        rough=int((table["numerical_share"] > TOLERABLE).sum()),
        before=outcome.before,
        seconds=round(outcome.seconds, 3),
        metrics={name: _spread(name, table[name].to_numpy()) for name in study.metrics},
        errors={str(reason): int(count) for reason, count in reasons.items()},
        best=tuple(best),
        figures=tuple(str(draw_ranking(table, each, folder)) for each in best),
    )


def _spread(name: str, values: Any) -> Spread:
    finite = values[np.isfinite(values)]
    three = (finite.min(), np.median(finite), finite.max()) if len(finite) else ()
    return Spread(METRICS[name].unit, *map(float, three))
