"""Commands that run many scenarios: sweeps and optimisations."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from serpenoid.checks import one_of
from serpenoid.cli.output import (
    FAILED,
    JsonFile,
    app,
    err,
    examples,
    give,
    keep_apart,
    new_folder,
    out,
    output_name,
    show_points,
    show_table,
)
from serpenoid.cli.sources import AllowCode, check_study
from serpenoid.engine.trajectory import smaller_step_advice
from serpenoid.errors import InvalidInput
from serpenoid.files import dumps
from serpenoid.progress import points_bar
from serpenoid.text import table_cell

if TYPE_CHECKING:
    from serpenoid.studies.optimisation_results import OptimisationSummary
    from serpenoid.studies.sweep_runner import SweepSummary

# Count of reasons for failed points, and of best trials, that are shown; all are in the table.
_MOST_REASONS, _MOST_BEST = 5, 10

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY.toml", help="A study file.")]
Folder = Annotated[
    Path, typer.Option("--out", metavar="DIR", help="Folder for the folder of the study.")
]
Workers = Annotated[
    int | None,
    typer.Option("--workers", metavar="N", help="Processes; one for each core if not given."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="tls://HOST:PORT",
        help="Run on the cluster of this Dask scheduler, with the certificates of Dask's settings.",
    ),
]


@app.command(
    epilog=examples(
        "serpenoid sweep gait_map.toml",
        "serpenoid sweep gait_map.toml --best mean_speed --best cost_of_transport",
        "serpenoid sweep gait_map.toml --scheduler tls://10.0.0.5:8786 --json -",
    )
)
def sweep(
    study: StudyFile,
    folder: Folder = Path("sweeps"),
    workers: Workers = None,
    scheduler: Scheduler = None,
    best: Annotated[
        list[str] | None,
        typer.Option(
            "--best",
            metavar="METRIC",
            help="Show the best points by this metric; may be repeated. The first of the study if "
            "left out.",
        ),
    ] = None,
    json_file: JsonFile = None,
    allow_code: AllowCode = False,
) -> None:
    """Run all points of a study and make a table of them; goes on where it was stopped.

    At the end come the best points, and a figure of the metric over the parameters.
    """
    from serpenoid.studies.cluster import WorkPlace
    from serpenoid.studies.study import Study
    from serpenoid.studies.sweep_runner import run_study, summarise

    keep_apart("--json", json_file, study)
    check_study(study, "sweep")
    wanted, home = Study.load(study, allow_code=allow_code), folder / output_name(study)
    by = list(dict.fromkeys(one_of("--best", name, wanted.metrics) for name in best or []))
    with _new_home(home), points_bar(len(wanted.points)) as show:
        outcome = run_study(wanted, home, WorkPlace(scheduler, workers), show, err.print)
    summary = summarise(wanted, home, outcome, by)
    _points(summary, err if json_file == "-" else out)
    give(dumps(asdict(summary)), json_file)
    if summary.failed == summary.points:
        raise typer.Exit(FAILED)


@app.command(
    epilog=examples(
        "serpenoid optimise best_gait.toml",
        "serpenoid optimise best_gait.toml --workers 4 --json -",
        "serpenoid optimise best_gait.toml --storage postgresql://me@host/trials",
        "serpenoid run optimisations/best_gait/best.toml",
    )
)
def optimise(
    study: StudyFile,
    folder: Folder = Path("optimisations"),
    workers: Workers = None,
    scheduler: Scheduler = None,
    storage: Annotated[
        str | None,
        typer.Option("--storage", metavar="URL", help="Keep trials in this database."),
    ] = None,
    json_file: JsonFile = None,
    allow_code: AllowCode = False,
) -> None:
    """Look for the best point of a study; goes on where it was stopped."""
    from serpenoid.studies.cluster import WorkPlace
    from serpenoid.studies.optimisation import Optimisation
    from serpenoid.studies.optimisation_runner import run_optimisation

    keep_apart("--json", json_file, study)
    check_study(study, "optimise")
    wanted, home = Optimisation.load(study, allow_code=allow_code), folder / output_name(study)
    place = WorkPlace(scheduler, workers)
    with _new_home(home), points_bar(wanted.optimise.trials, "optimising", "trials") as show:
        found = run_optimisation(wanted, home, place, storage, show, err.print)
    _best(found, home, err if json_file == "-" else out)
    give(dumps(asdict(found)), json_file)
    if not found.same:
        raise typer.Exit(FAILED)


@contextlib.contextmanager
def _new_home(home: Path) -> Iterator[None]:
    """Make the folder of a study, and leave none behind if the study is refused."""
    from serpenoid.studies.study_info import remove_begun

    there = home.exists()
    with new_folder(home):
        try:
            yield
        except InvalidInput:
            if not there:
                remove_begun(home)
            raise


def _points(summary: SweepSummary, console: Console) -> None:
    """What came out of a sweep."""
    rows = [
        [name, *map(table_cell, (spread.least, spread.median, spread.largest)), spread.unit]
        for name, spread in summary.metrics.items()
    ]
    heads = ("metric", "least", "median", "largest", "unit")
    show_table(summary.title, rows, heads, console)
    _reasons(summary.errors, console)
    if summary.rough:
        where = f" in {summary.rough} of {summary.points} points, see numerical_share in the table"
        console.print(f"warning: {smaller_step_advice(where=where)}")
    for ranking in summary.best:
        show_points(ranking.title, [point.row for point in ranking.points], console)
    console.print(summary.line())
    console.print(f"table: {summary.table}")
    for figure in summary.figures:
        console.print(f"figure: {figure}")


def _reasons(errors: Mapping[str, int], console: Console) -> None:
    """Why points or trials failed, most first."""
    for reason, count in list(errors.items())[:_MOST_REASONS]:
        console.print(f"{count} failed: {reason}")
    if rest := sum(list(errors.values())[_MOST_REASONS:]):
        console.print(f"{rest} failed for other reasons, which are in the table")


def _best(found: OptimisationSummary, home: Path, console: Console) -> None:
    """What came out of an optimisation."""
    # Some of a long front, from end to end.
    best = found.best[:: -(-len(found.best) // _MOST_BEST) or 1]
    if best:
        rows = [{"trial": one.trial, **one.parameters, **one.metrics} for one in best]
        show_points(found.title, rows, console)
    _reasons(found.errors, console)
    console.print(found.line())
    if found.trials["running"]:
        console.print(
            f"{found.trials['running']} are under way elsewhere; the same command takes them in "
            "later"
        )
    if not found.best:
        console.print("no trial came to its end within all constraints")
    for one in found.best:
        if not one.same:
            again = ", ".join(f"{name} {table_cell(value)}" for name, value in one.again.items())
            console.print(f"{home / one.file} does not repeat its trial: {again}")
    if len(found.best) > 1:
        console.print(f"best: {len(found.best)} scenarios in {home / 'pareto'}")
    elif found.best:
        (one,) = found.best
        again = "; run again, it gives the same" if one.same else ""
        console.print(f"best: {home / one.file}{again}")
    console.print(f"table: {home / 'table.parquet'}")
    if (home / "figures").is_dir():
        console.print(f"figures: {home / 'figures'}")
