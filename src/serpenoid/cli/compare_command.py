"""The command `compare`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from serpenoid.analysis.comparison import Comparison, compare
from serpenoid.cli.output import (
    announced,
    app,
    err,
    examples,
    give,
    json_option,
    keep_apart,
    new_folder,
    out,
    output_name,
)
from serpenoid.engine.storage import load
from serpenoid.errors import InvalidInput
from serpenoid.files import dumps

# Figures that are drawn, as far as the runs have them.
_FIGURES = ("path", "speeds", "energy")
# Longest name of output made of the names of runs, characters.
_LONGEST = 80


@app.command(
    "compare",
    epilog=examples(
        "serpenoid compare runs/aiko_flat.nc runs/aiko_pegs.nc",
        "serpenoid compare A.nc B.nc --label smooth --label rough --out trial --no-open",
        "serpenoid compare A.nc B.nc C.nc --json -",
    ),
)
def compare_runs(
    files: Annotated[list[Path], typer.Argument(metavar="RUN.nc", help="Two or more saved runs.")],
    labels: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="NAME", help="Name of a run, once for each file in order."),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for page, figures and table.")
    ] = Path("comparisons"),
    json_file: Annotated[
        str | None, json_option("Write the measures there; - prints them.")
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open the page.")] = False,
) -> None:
    """Compare saved runs: measures with differences, figures, and one page that plays them."""
    from serpenoid.plots.viewer.opening import open_in_browser

    keep_apart("--json", json_file, *files)
    names = _names(files, labels or [])
    found = compare(dict(zip(names, map(load, files), strict=True)))
    console = err if json_file == "-" else out
    target = folder / _target(files)
    table, page = target.with_name(f"{target.name}.csv"), target.with_name(f"{target.name}.html")
    with new_folder(folder):
        console.print(repr(found))
        with announced(table, page):
            found.save(table)
            found.view(page)
        console.print(f"table: {table}")
        for figure in _figures(found, target):
            console.print(f"figure: {figure}")
    console.print(f"page: {page}")
    give(dumps(found.plain()), json_file)
    if not no_open:
        open_in_browser(page)


def _names(files: list[Path], labels: list[str]) -> list[str]:
    """Names of the runs: labels, or the files' names without their endings."""
    names = labels or [file.stem for file in files]
    if labels and len(labels) != len(files):
        raise InvalidInput(
            f"--label names {len(labels)} of {len(files)} runs, which is not allowed: give one for "
            "each"
        )
    if not labels and len(set(names)) < len(names):
        # Files of the same name in different folders.
        names = [str(file) for file in files]
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InvalidInput(f"{name!r} is the name of {count} runs; give each its own with --label")
    return names


def _target(files: list[Path]) -> str:
    """Name of what is made of some runs."""
    names = [output_name(file) for file in files]
    together = "-".join(names)
    if len(together) <= _LONGEST:
        return together
    return f"{names[0][:_LONGEST]}-and-{len(names) - 1}-more"


def _figures(found: Comparison, target: Path) -> list[Path]:
    """Draw the figures that the runs have."""
    from serpenoid import plots

    made = []
    for kind in _FIGURES:
        axes = getattr(found.plot, kind)()
        path = target.with_name(f"{target.name}-{kind}.png")
        with announced(path):
            plots.save(axes, path)
        plots.close(axes)
        made.append(path)
    return made
