"""The figures of a paper with their captions, and its tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from serpenoid import plots
from serpenoid.errors import SerpenoidError
from serpenoid.papers.paper import Each, Experiment, Figure, Paper, Results, Table, Work
from serpenoid.papers.report import Shown
from serpenoid.scenario.scenario import Scenario

Show = Callable[[float, str], None]


def draw_all(
    paper: Paper, results: Results, experiments: Mapping[str, Experiment], show: Show
) -> tuple[dict[str, bytes], tuple[Shown, ...]]:
    """Draw all figures of a paper.

    Args:
        paper: The paper.
        results: Outcomes of the experiments.
        experiments: The experiments, of which captions name solvers and controllers.
        show: Function called with the share drawn, 0 to 1, and the name of the next figure.

    Returns:
        Contents of the files by name, and the figures with their captions.
    """
    drawn: dict[str, bytes] = {}
    figures = []
    for number, figure in enumerate(paper.figures):
        show(number / len(paper.figures), figure.name)
        results.looked_up.clear()
        missing = ""
        with plots.canvas(figure.size) as canvas:
            try:
                figure.draw(results, canvas)
            except SerpenoidError as error:
                missing = str(error)
            else:
                for kind in ("png", "pdf"):
                    drawn[f"{figure.name}.{kind}"] = plots.render(canvas, kind)
        caption = _caption(figure, results, experiments)
        figures.append(Shown(figure.name, caption, missing=missing))
    return drawn, tuple(figures)


def _caption(figure: Figure, results: Results, experiments: Mapping[str, Experiment]) -> str:
    """The caption with readings, solver and controller of what the figure shows."""
    plain = [
        scenario.plain()
        for name in sorted(results.looked_up)
        for scenario in _scenarios(experiments[name])
    ]
    words = [str(results.setting)] if results.setting else []
    for section in ("solver", "controller"):
        kinds = sorted({each[section]["kind"] for each in plain if each.get(section)})
        words += [f"{section} {' and '.join(kinds)}"] if kinds else []
    return f"{figure.caption} ({'; '.join(words)}.)" if words else figure.caption


def _scenarios(experiment: Any) -> Iterator[Scenario]:
    """The scenarios that an experiment runs, or that are among the arguments of its calls."""
    match experiment:
        case Scenario():
            yield experiment
        case Work():
            yield from _scenarios(experiment.arguments)
        case Each():
            yield from _scenarios(tuple(experiment.items))
        case tuple() | list():
            for each in experiment:
                yield from _scenarios(each)


def tabulate_all(paper: Paper, results: Results) -> tuple[dict[str, str], tuple[Shown, ...]]:
    """Fill in all tables of a paper.

    Args:
        paper: The paper.
        results: Outcomes of the experiments.

    Returns:
        Texts of the tables that are files, by name, and the other tables.
    """
    sheets: dict[str, str] = {}
    tables = []
    for table in paper.tables:
        rows, missing = _rows(table, results)
        if not table.csv:
            tables.append(Shown(table.name, table.caption, rows, missing))
        elif rows:
            sheet = io.StringIO()
            csv.writer(sheet, lineterminator="\n").writerows(rows)
            sheets[f"{table.name}.csv"] = sheet.getvalue()
    return sheets, tuple(tables)


def _rows(table: Table, results: Results) -> tuple[list[list[str]], str]:
    try:
        return table.rows(results), ""
    except SerpenoidError as error:
        return [], str(error)
