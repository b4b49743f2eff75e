"""Run a paper's experiments under all its readings, judge its claims, write the report."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from serpenoid import plots
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import OutputError, SerpenoidError
from serpenoid.files import check_writable, clear_left_over, dumps, write_bytes, write_text
from serpenoid.papers.paper import (
    Claim,
    Each,
    Experiment,
    Figure,
    Paper,
    Results,
    Table,
    Work,
)
from serpenoid.papers.part_store import PartStore, parts_of
from serpenoid.papers.readings import Setting, combinations
from serpenoid.papers.report import Judged, Report, Shown, markdown
from serpenoid.papers.verdicts import Finding, Verdict, verdict
from serpenoid.scenario.scenario import Scenario

Show = Callable[[float, str], None]

# Share of the bar that stands for the experiments; the rest is for figures.
_RUNNING = 0.9
# Folder, within that of a reproduction, of the parts of its work.
PARTS = "parts"


def reproduce(
    paper: Paper,
    out: Path | None = None,
    *,
    readings: Mapping[str, str] | None = None,
    quick: bool = False,
    keep: bool = False,
    show: Show | None = None,
) -> Report:
    """Reproduce a paper.

    Args:
        paper: The paper.
        out: Folder for figures, runs and the report, in which an earlier reproduction that was
            killed is gone on with; nothing is kept if not given.
        readings: Choices of readings, by name, to which the reproduction is restricted.
        quick: Whether to shorten the experiments.
        keep: Whether to take parts of the work that are in the folder though other sources did
            them; the report says how many.
        show: Function called with the share done, 0 to 1, and the name of the current part.

    Returns:
        The findings, the files written and the duration.

    Raises:
        InvalidInput: There is no such reading.
        OutputError: A file cannot be written.
        Interrupted: Ctrl-C was pressed.
    """
    begin = time.perf_counter()
    show = show or (lambda _share, _words: None)
    settings = combinations(paper.readings, paper.natural, readings or {}, quick=quick)
    with _folder(out) as parts:
        store = PartStore(parts, keep=keep)
        under = [paper.experiments(setting) for setting in settings]
        _run_all(under, store, show)
        results = [
            Results(_Outcomes(experiments, store), setting)
            for experiments, setting in zip(under, settings, strict=True)
        ]
        cells, sampled = _check_all(paper, results, under)
        best = _best(cells, paper)
        restricted = bool(readings)
        judged = tuple(
            Judged(c, found, None if restricted or c.id in sampled else _verdict(c, found))
            for c, found in zip(paper.claims, cells, strict=True)
        )
        report = Report(
            paper, tuple(settings), best, judged, restricted, quick, foreign=store.foreign
        )
        if out is None:
            return dataclasses.replace(report, seconds=time.perf_counter() - begin)
        return _write(report, results[best], under[best], store, out, show, begin)


class _Outcomes(Mapping[str, Any]):
    """Outcomes of experiments by name, read when they are looked up."""

    def __init__(self, experiments: Mapping[str, Experiment], store: PartStore) -> None:
        self._experiments = experiments
        self._store = store

    def __getitem__(self, name: str) -> Any:
        return self._store.outcome(self._experiments[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._experiments)

    def __len__(self) -> int:
        return len(self._experiments)


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """The folder of parts; checks, before the work, that all can be written."""
    if out is None:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)
        return
    try:
        for name in ("runs", PARTS):
            (out / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"path = {str(out)!r} cannot be written: {error.strerror}") from None
    check_writable(out / "report.md")
    check_writable(out / "runs" / "run.nc")
    clear_left_over(out / PARTS)
    yield out / PARTS


def _run_all(under: list[Mapping[str, Experiment]], store: PartStore, show: Show) -> None:
    """Do all parts of all combinations."""
    parts = [
        part
        for experiments in under
        for experiment in experiments.values()
        for part in parts_of(experiment)
    ]

    def tell(done: int, total: int) -> None:
        show(_RUNNING * done / max(total, 1), f"{done} of {total} parts")

    store.complete(parts, tell)


def _check_all(
    paper: Paper, results: list[Results], under: list[Mapping[str, Experiment]]
) -> tuple[list[tuple[Finding, ...]], set[str]]:
    """Check all claims under all combinations.

    Returns:
        Findings by claim and combination, and ids of the claims that looked at fewer samples than
        a whole reproduction takes.
    """
    columns: list[list[Finding]] = []
    sampled: set[str] = set()
    # Combinations outside, so that outcomes are read once for all claims.
    for result, experiments in zip(results, under, strict=True):
        shortened = _shortened(paper, result.setting, experiments)
        column = []
        for claim in paper.claims:
            result.looked_up.clear()
            column.append(_check(claim, result))
            if result.looked_up & shortened:
                sampled.add(claim.id)
        columns.append(column)
    return list(zip(*columns, strict=True)), sampled


def _shortened(paper: Paper, setting: Setting, experiments: Mapping[str, Experiment]) -> set[str]:
    """Names of the experiments that a whole reproduction does differently."""
    if not setting.quick:
        return set()
    whole = paper.experiments(Setting(setting))

    def content(experiment: Experiment | None) -> list[str]:
        return [] if experiment is None else [part.content for part in parts_of(experiment)]

    return {n for n, each in experiments.items() if content(each) != content(whole.get(n))}


def _check(claim: Claim, results: Results) -> Finding:
    try:
        return claim.check(results)
    except SerpenoidError as error:
        return Finding(None, None, str(error))


def _verdict(claim: Claim, findings: tuple[Finding, ...]) -> Verdict:
    return verdict(
        findings, not_comparable=bool(claim.not_comparable), argument=bool(claim.argument)
    )


def _best(cells: list[tuple[Finding, ...]], paper: Paper) -> int:
    """Index of the combination that carries most claims; of equals, the first declared."""
    counted = [
        found for claim, found in zip(paper.claims, cells, strict=True) if not claim.not_comparable
    ]
    if not counted:
        return 0

    def worth(index: int) -> tuple[int, float]:
        column = [found[index] for found in counted]
        return sum(bool(each.holds) for each in column), sum(each.share or 0.0 for each in column)

    return max(range(len(counted[0])), key=worth)


def _write(
    report: Report,
    results: Results,
    experiments: Mapping[str, Experiment],
    store: PartStore,
    out: Path,
    show: Show,
    begin: float,
) -> Report:
    """Write everything."""
    pictures, figures = _draw_all(report.paper, results, experiments, show)
    sheets, tables = _tabulate_all(report.paper, results)
    report = dataclasses.replace(report, figures=figures, tables=tables)
    texts = {"report.md": markdown(report), "claims.json": dumps(report.plain())}
    show(1.0, "writing")
    files = []
    for name, experiment in experiments.items():
        outcome = store.outcome(experiment)
        if isinstance(experiment, Scenario) and isinstance(outcome, Trajectory):
            files.append(outcome.save(out / "runs" / f"{name}.nc"))
    files += [write_bytes(out / name, content) for name, content in pictures.items()]
    files += [write_text(out / name, text) for name, text in (texts | sheets).items()]
    _remove_old(report.paper, experiments, out, set(files))
    return dataclasses.replace(report, files=tuple(files), seconds=time.perf_counter() - begin)


def _remove_old(
    paper: Paper, experiments: Mapping[str, Experiment], out: Path, written: set[Path]
) -> None:
    """Remove files that an earlier reproduction wrote and this one did not; nothing else."""
    names = [f"{figure.name}.{kind}" for figure in paper.figures for kind in ("png", "pdf")]
    names += [f"{table.name}.csv" for table in paper.tables if table.csv]
    names += [f"runs/{name}.nc" for name in experiments]
    for path in (out / name for name in names):
        if path.resolve() not in written and path.is_file():
            path.unlink()


def _draw_all(
    paper: Paper, results: Results, experiments: Mapping[str, Experiment], show: Show
) -> tuple[dict[str, bytes], tuple[Shown, ...]]:
    """Contents of the figures by file name, and the figures with their captions."""
    drawn: dict[str, bytes] = {}
    figures = []
    for number, figure in enumerate(paper.figures):
        show(_RUNNING + (1 - _RUNNING) * number / len(paper.figures), figure.name)
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


def _tabulate_all(paper: Paper, results: Results) -> tuple[dict[str, str], tuple[Shown, ...]]:
    """Texts of the tables that are files, by name, and the other tables."""
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
