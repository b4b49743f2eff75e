"""Sweeps: all points of a study on all cores, or on a cluster; finished points are kept."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.errors import InvalidInput
from serpenoid.studies.cluster import ALL_CORES, Announce, WorkPlace, check_installed
from serpenoid.studies.dispatch import DEADLY, Dispatch
from serpenoid.studies.point_runner import PointRunner, empty_row
from serpenoid.studies.preparation import prepare, some_points
from serpenoid.studies.study import Study
from serpenoid.studies.study_table import read
from serpenoid.studies.sweep_store import Store

if TYPE_CHECKING:
    import pandas

# Runs that are kept travel with their group, so a group must not hold too many.
_LARGEST_GROUP, _LARGEST_KEPT_GROUP = 1_000_000, 8

# Called with the count of points done and of all points.
Tell = Callable[[int, int], None]


@dataclass(frozen=True)
class Outcome:
    """How a sweep went.

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
) -> pandas.DataFrame:
    """Run all points of a study and return its table, a row for every point.

    Args:
        study: Itself, or its TOML file.
        out: The folder of this study; what is finished there already is not run again.
        scheduler: Address of a Dask scheduler whose workers do the work.
        workers: Count of processes on this machine otherwise; one for each core if left out.

    Raises:
        InvalidInput: If the study can never work, or the folder holds another one.
        StudyStopped: If it could not go on. What was finished is in the folder.
    """
    check_installed()
    wanted = study if isinstance(study, Study) else Study.load(study)
    run_study(wanted, out, WorkPlace(scheduler, workers))
    return load_table(out)


def load_table(out: str | os.PathLike[str]) -> pandas.DataFrame:
    """Load the table of a finished study; `table.attrs["units"]` has the units.

    Args:
        out: The folder of the study.

    Raises:
        InvalidInput: If there is no table.
    """
    check_installed()
    file = Path(out) / "table.parquet"
    if not file.exists():
        raise InvalidInput(f"{out} has no table.parquet: no study was finished there")
    stored = read(file)
    table = stored.to_pandas()
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
    """Run what is left of a study and write its table.

    Args:
        study: What to run.
        out: Its folder.
        place: Where it runs.
        tell: Called with the count of points done and of all points.
        announce: Called with what else should be said, in a sentence.
    """
    place.check()
    total = len(study.points)
    if not (Path(out) / "table.parquet").exists():
        prepare(study, some_points(study))
    with Store(out, study) as store:
        before, begin = len(store.done), time.perf_counter()
        if before == total:
            store.finish()
            return Outcome(total, before)

        def kept() -> str:
            return (
                f"{len(store.done)} of {total} points are kept in {store.folder}, and the same "
                "command goes on from there"
            )

        run_seconds, groups = 0.0, 0
        with place.open(announce, kept) as workers:
            left = [point for point in range(total) if point not in store.done]
            runner = PointRunner(study.scenario, study.measures, study.skip, study.keep_runs)
            largest = _LARGEST_KEPT_GROUP if study.keep_runs else _LARGEST_GROUP
            tell(before, total)
            for answers in Dispatch(workers, runner, left, study.changes, "point", largest):
                store.add({k: r or _deadly(study, k) for k, r in answers.results.items()})
                run_seconds, groups = run_seconds + answers.seconds, groups + 1
                tell(len(store.done), total)
            store.finish()
        return Outcome(total, before, time.perf_counter() - begin, run_seconds, groups)


def _deadly(study: Study, point: int) -> tuple[dict[str, object], None]:
    """The row of a point that kills whoever runs it."""
    seed = study.changes(point).get("seed", study.scenario.seed)
    return empty_row(study.metrics, seed, DEADLY), None
