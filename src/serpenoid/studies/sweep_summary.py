"""A sweep in a few numbers."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.studies.metrics import METRICS
from serpenoid.studies.study import Study
from serpenoid.studies.sweep_runner import Outcome, load_table


@dataclass(frozen=True)
class Spread:
    """Least, median and largest value of a metric; None where there is no finite one."""

    unit: str
    least: float | None
    median: float | None
    largest: float | None

    def numbers(self) -> tuple[float | None, float | None, float | None]:
        """The three numbers."""
        return self.least, self.median, self.largest


@dataclass(frozen=True)
class SweepSummary:
    """A sweep in a few numbers.

    Attributes:
        title: Of the study.
        table: Path of the table.
        points: Count of rows of the table.
        failed: Count of those with an error.
        before: Count of points that an earlier sweep had done.
        seconds: Wall time, s.
        metrics: By name.
        errors: Reason to count of points, most first.
    """

    title: str
    table: str
    points: int
    failed: int
    before: int
    seconds: float
    metrics: dict[str, Spread]
    errors: dict[str, int]

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    def line(self) -> str:
        """The counts of points, and the time that the new ones took."""
        words = f"{self.points} points, {self.failed} failed"
        return count_words(words, self.points, self.before, self.seconds)


def count_words(words: str, done: int, before: int, seconds: float) -> str:
    """Add to a line which of the finished runs are new, and the time they took, s."""
    if before:
        words += f"; {before} of them were there already"
    return f"{words}; {done - before} in {seconds:.3g} s" if done > before else words


def summarise(study: Study, folder: Path, outcome: Outcome) -> SweepSummary:
    """Summarise a finished sweep from the table in its folder."""
    table = load_table(folder)
    reasons = table["error"].dropna().value_counts()
    return SweepSummary(
        title=study.title,
        table=str(folder / "table.parquet"),
        points=outcome.points,
        failed=int(table["error"].notna().sum()),
        before=outcome.before,
        seconds=round(outcome.seconds, 3),
        metrics={name: _spread(name, table[name].to_numpy()) for name in study.metrics},
        errors={str(reason): int(count) for reason, count in reasons.items()},
    )


def _spread(name: str, values: Any) -> Spread:
    finite = values[np.isfinite(values)]
    three = (finite.min(), np.median(finite), finite.max()) if len(finite) else [math.nan] * 3
    least, median, largest = (None if math.isnan(value) else float(value) for value in three)
    return Spread(METRICS[name].unit, least, median, largest)
