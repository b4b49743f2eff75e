"""What the folder of a study holds, read without running anything."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic

from serpenoid.analysis.metrics import METRICS, Better
from serpenoid.engine.table_output import needed
from serpenoid.errors import InvalidInput
from serpenoid.studies.sampling import Parameter, Sampling
from serpenoid.studies.study_folder import read_json


@dataclass(frozen=True)
class StudyInfo:
    """A study in its folder.

    Attributes:
        kind: 'sweep' or 'optimisation'.
        title: Of the study.
        version: Of the serpenoid that began it.
        parameters: Their keys.
        metrics: Their names.
        points: Count of points, or of trials that there are.
        done: Count of those that have ended.
        failed: Count of those with an error; None if that is not known before the end.
        finished: Whether all that is written at the end is there.
        best: The best points, each with what it is, parameters and metrics; empty before the end.
    """

    kind: str
    title: str
    version: str
    parameters: tuple[str, ...]
    metrics: tuple[str, ...]
    points: int
    done: int
    failed: int | None
    finished: bool
    best: tuple[dict[str, Any], ...]


def read_study(folder: Path) -> StudyInfo | None:
    """What the folder of a sweep or an optimisation holds; None if it is neither.

    Raises:
        OutputError: One of its files is damaged.
    """
    if (folder / "study.json").is_file():
        return _sweep(folder)
    if (folder / "optimisation.json").is_file():
        return _optimisation(folder)
    return None


def _sweep(folder: Path) -> StudyInfo:
    note = read_json(folder / "study.json")
    with _readable(folder / "study.json"):
        about: Mapping[str, Any] = note["study"]
        parameters = pydantic.TypeAdapter(dict[str, Parameter]).validate_python(about["parameters"])
        sampling: Any = pydantic.TypeAdapter(Sampling).validate_python(about["sampling"])
        points = sampling.count(parameters)
        metrics = tuple(map(str, about["metrics"]))
        title, version = str(about["title"]), str(note["serpenoid_version"])
        better = _better(metrics[0], note["metric"][metrics[0]])
    done, failed, best = _rows(folder, tuple(parameters), metrics, better)
    finished = (folder / "table.parquet").is_file()
    return StudyInfo(
        *("sweep", title, version, tuple(parameters), metrics, points, done, failed),
        finished,
        best if finished else (),
    )


def _better(metric: str, about: Mapping[str, Any]) -> Better:
    """Which values of a metric are the better ones; the script of one that is unknown has said."""
    known = METRICS.get(metric)
    said = about.get("better", "larger") if known is None else known.better
    return "smaller" if said == "smaller" else "larger"


def _rows(
    folder: Path, parameters: tuple[str, ...], metrics: tuple[str, ...], better: Better
) -> tuple[int, int, tuple[dict[str, Any], ...]]:
    """Count of rows of a sweep, of those with an error, and the best points."""
    with needed("pyarrow"):
        import pyarrow

    from serpenoid.studies.best_points import rank
    from serpenoid.studies.study_table import read

    table = folder / "table.parquet"
    parts = [table] if table.is_file() else sorted((folder / "parts").glob("[0-9]*.parquet"))
    if not parts:
        return 0, 0, ()
    rows = pyarrow.concat_tables(read(part) for part in parts).to_pandas(use_threads=False)
    with _readable(table):
        points = rank(parameters, metrics, rows, metrics[0], better).points
        best = tuple(point.row for point in points)
        return len(rows), int(rows["error"].notna().sum()), best


def _optimisation(folder: Path) -> StudyInfo:
    if not (folder / "summary.json").is_file():
        counts = trial_counts(folder / "trials.db")
        done = sum(count for state, count in counts.items() if state not in ("RUNNING", "WAITING"))
        return StudyInfo(
            "optimisation", "", "", (), (), sum(counts.values()), done, None, False, ()
        )
    summary = read_json(folder / "summary.json")
    with _readable(folder / "summary.json"):
        best = summary["best"]
        states: Mapping[str, int] = summary["trials"]
        total = sum(states.values())
        return StudyInfo(
            "optimisation",
            str(summary["title"]),
            "",
            tuple(best[0]["parameters"]) if best else (),
            tuple(best[0]["metrics"]) if best else tuple(summary["objectives"]),
            total,
            total - states["running"],
            states["failed"],
            True,
            tuple({"trial": b["trial"], **b["parameters"], **b["metrics"]} for b in best),
        )


def remove_begun(folder: Path) -> None:
    """Remove what a study has written into a folder of its own before anything was run.

    Args:
        folder: Of the study; it stays as it is if there is a point or a trial.
    """
    begun = [folder / name for name in ("lock", "optimisation.json", "trials.db")]
    if trial_counts(folder / "trials.db") or {*folder.rglob("*")} - {*begun, folder / "parts"}:
        return
    for file in begun:
        file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        (folder / "parts").rmdir()


def trial_counts(database: Path) -> dict[str, int]:
    """Count of trials by their state; none if they are in a database elsewhere."""
    if not database.is_file():
        return {}
    try:
        # Read only, because another process may be at work.
        place = f"{database.resolve().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(place, uri=True)) as opened:
            rows = opened.execute("select state, count(*) from trials group by state")
            return {str(state): int(count) for state, count in rows}
    except sqlite3.Error as error:
        raise InvalidInput(f"path = {str(database)!r} cannot be read: {error}") from None


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say of which file it is that it does not hold what it should."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError):
        raise InvalidInput(
            f"path = {str(path)!r} cannot be read: it is not what a study has written"
        ) from None
