"""Several runs beside each other: measures with differences, figures, and one page."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from serpenoid.analysis.measure_table import as_html, as_text, left_out_notes, shown_unit
from serpenoid.analysis.measures import Measures, measures
from serpenoid.analysis.metrics import METRICS
from serpenoid.checks import check_ending
from serpenoid.engine.runs_by_name import Runs, as_runs
from serpenoid.engine.table_output import TABLE_ENDINGS, TidyTable
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.files import json_numbers, write_bytes
from serpenoid.text import table_cell

if TYPE_CHECKING:
    import pandas

    from serpenoid.plots.comparison_figures import ComparisonPlots


@dataclass(frozen=True)
class Difference:
    """A measure of one run beside that of the first.

    Attributes:
        measure: Name of the measure.
        unit: Its unit, SI.
        run: Name of the run.
        value: The measure of this run.
        difference: The same minus that of the first run.
        relative: The difference as a share of the size of the first run's; NaN if that is 0.
    """

    measure: str
    unit: str
    run: str
    value: float
    difference: float
    relative: float


class Comparison:
    """Runs beside each other; the first is what the others are compared with.

    Args:
        runs: Runs by name.

    Attributes:
        runs: Runs by name.
        measures: Measures of each run, by its name.
        left_out: Measures that some of the runs have and others lack, or for which runs are too
            short, and why.
    """

    def __init__(self, runs: Mapping[str, Trajectory]) -> None:
        self.runs: dict[str, Trajectory] = dict(runs)
        self.measures: dict[str, Measures] = {name: measures(run) for name, run in runs.items()}
        self.left_out: dict[str, str] = {}
        for measure in METRICS:
            lacking = [name for name, each in self.measures.items() if measure not in each]
            unmet = any(measure in each.unmet for each in self.measures.values())
            if lacking and (unmet or len(lacking) < len(self.runs)):
                reason = self.measures[lacking[0]].left_out[measure]
                self.left_out[measure] = f"{lacking[0]!r}: {reason}"

    def differences(self) -> list[Difference]:
        """Every measure that all runs have, of every run.

        Returns:
            One difference for each measure and run, run after run.
        """
        first, *_ = self.measures.values()
        shared = [name for name in first if all(name in each for each in self.measures.values())]
        return [
            _difference(measure, name, each[measure], first[measure])
            for measure in shared
            for name, each in self.measures.items()
        ]

    def table(self) -> pandas.DataFrame:
        """The differences as a tidy table, a row for each measure and run.

        Returns:
            A data frame with the columns measure, unit, run, value, difference and relative.

        Raises:
            InvalidInput: pandas is not installed.
        """
        return self._table().to_pandas()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the table to a file, whole or not at all.

        Args:
            path: The file, which ends in .csv or .parquet.

        Returns:
            The file.

        Raises:
            InvalidInput: The ending is another one, or PyArrow, which writes Parquet, is not
                installed.
            OutputError: The file cannot be written.
        """
        return write_bytes(path, self._table().content(check_ending(path, TABLE_ENDINGS)))

    @overload
    def view(self, path: str | os.PathLike[str], title: str | None = None) -> Path: ...

    @overload
    def view(self, path: None = None, title: str | None = None) -> Path | None: ...

    def view(
        self, path: str | os.PathLike[str] | None = None, title: str | None = None
    ) -> Path | None:
        """Show a page that plays all runs on one clock, in any browser, offline.

        Args:
            path: File to write, .html; without one the page is shown as by `Trajectory.view`.
            title: Heading of the page; the names of the runs if not given.

        Returns:
            The file; None if a notebook shows it.

        Raises:
            InvalidInput: An argument is not allowed.
            OutputError: The file cannot be written.
        """
        from serpenoid.plots.viewer.opening import show_page

        return show_page(self.runs, path, title)

    @property
    def plot(self) -> ComparisonPlots:
        """Figures of all runs on the same axes: `comparison.plot.speeds()` and so on."""
        from serpenoid.plots.comparison_figures import ComparisonPlots

        return ComparisonPlots(self.runs)

    def plain(self) -> dict[str, Any]:
        """What is compared, as tables and lists for JSON.

        Returns:
            `runs`, `measures` and `left_out`; what is undefined is None.
        """
        names = ("value", "difference", "relative")
        rows = [
            asdict(each) | json_numbers({name: getattr(each, name) for name in names})
            for each in self.differences()
        ]
        return {"runs": list(self.runs), "measures": rows, "left_out": self.left_out}

    def __repr__(self) -> str:
        return "\n".join([as_text(*self._shown()), *self._notes()])

    def _repr_html_(self) -> str:
        return as_html(*self._shown(), self._notes())

    def _table(self) -> TidyTable:
        rows = self.differences()
        columns = {
            name: np.array([getattr(row, name) for row in rows])
            for name in Difference.__annotations__
        }
        words = {
            "difference": "value minus that of the first run",
            "relative": "difference as a share of the size of the first run's value",
        }
        return TidyTable(columns, words=words)

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        """Heads and rows of the table that is printed, a row for each measure."""
        first, *others = self.runs
        heads = ["measure", first]
        for name in others:
            heads += [name, "difference", "%"]
        rows: dict[str, list[str]] = {}
        for each in self.differences():
            cells = rows.setdefault(each.measure, [each.measure])
            cells.append(table_cell(each.value))
            if each.run != first:
                signed = f"{each.difference:+.3g}" if math.isfinite(each.difference) else "-"
                percent = f"{100 * each.relative:+.1f}" if math.isfinite(each.relative) else "-"
                cells += [signed, percent]
        units = {name: shown_unit(METRICS[name].unit) for name in rows}
        return [*heads, "unit"], [[*cells, units[name]] for name, cells in rows.items()]

    def _notes(self) -> list[str]:
        first, *_ = self.runs
        notes = [f"differences from {first!r}"]
        lasts = [f"{run.time[-1] - run.time[0]:g} s" for run in self.runs.values()]
        if len(set(lasts)) > 1:
            notes.append(f"they last {', '.join(lasts)}: sums and peaks count all rows of each")
        return notes + left_out_notes(self.left_out)


def compare(runs: Runs) -> Comparison:
    """Put runs beside each other.

    Args:
        runs: 2 to 7 runs by name, or their .nc files; others are compared with the first.

    Returns:
        The comparison, whose text is a table of measures with differences.

    Raises:
        InvalidInput: An argument is not allowed, or the runs cannot be compared.
        OutputError: A file cannot be read, or is no run.
    """
    found = as_runs("runs", runs)
    (first, reference), *others = found.items()
    for name, run in others:
        (start, end), (begin, stop) = ((each.time[0], each.time[-1]) for each in (run, reference))
        if max(start, begin) >= min(end, stop):
            raise InvalidInput(
                f"{name!r} cannot be compared with {first!r}: they have no time in common, it "
                f"lasts from {start:g} to {end:g} s, the other from {begin:g} to {stop:g} s"
            )
    return Comparison(found)


def _difference(measure: str, run: str, value: float, first: float) -> Difference:
    difference = value - first
    relative = difference / abs(first) if first and math.isfinite(first) else math.nan
    return Difference(measure, METRICS[measure].unit, run, value, difference, relative)
