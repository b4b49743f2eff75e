"""The command `info`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from serpenoid.checks import nearest_word
from serpenoid.cli.output import (
    JsonFile,
    app,
    err,
    examples,
    give,
    keep_apart,
    out,
    show_points,
    show_table,
)
from serpenoid.cli.run_summary import about_run, about_scenario
from serpenoid.cli.sources import read_source
from serpenoid.engine.storage import format_of, load
from serpenoid.errors import InvalidInput, OutputError
from serpenoid.files import dumps
from serpenoid.scenario.keys import parse, read_text
from serpenoid.scenario.scenario import gallery
from serpenoid.text import table_cell

# How the file of a run begins, which is one of HDF5.
_HDF5 = b"\x89HDF\r\n\x1a\n"
_UNITS = {
    **dict.fromkeys(("duration", "time_step", "record_period", "start", "end"), "s"),
    "size": "B",
    "numerical_share": "of the energy moved",
}


@app.command(
    epilog=examples(
        "serpenoid info aiko_pegs",
        "serpenoid info runs/aiko_pegs.nc",
        "serpenoid info sweeps/gait_map --json -",
    )
)
def info(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A saved run, a scenario (file, name in the gallery, or - for standard input), or "
            "the folder of a study.",
        ),
    ],
    json_file: JsonFile = None,
) -> None:
    """Say what a run, a scenario or the folder of a study holds; nothing is run."""
    keep_apart("--json", json_file, Path(what))
    about = _about(what)
    _show(what, about, err if json_file == "-" else out)
    give(dumps(about), json_file)


def _about(what: str) -> dict[str, Any]:
    """What there is to say: words to values that JSON can hold."""
    path = Path(what)
    if what not in gallery() and what != "-":
        if path.is_dir():
            return _study(path)
        if path.is_file() and _begins(path) == _HDF5:
            return _run(path)
        if not path.is_file() or (path.suffix != ".toml" and not _is_toml(path)):
            raise InvalidInput(
                f"{what} is neither a saved run, nor a scenario, nor the folder of a study"
                + nearest_word(what, list(gallery()))
            )
    return {"what": "scenario"} | about_scenario(read_source(what, None).scenario)


def _is_toml(path: Path) -> bool:
    try:
        parse(read_text(path, ""), "")
    except InvalidInput:
        return False
    return True


def _begins(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(_HDF5))
    except OSError as error:
        raise OutputError(f"path = {str(path)!r} cannot be read: {error.strerror}") from None


def _run(path: Path) -> dict[str, Any]:
    run = load(path)
    return {
        "what": "run",
        **about_run(run),
        "version": run.attributes.get("serpenoid_version", ""),
        "platform": run.attributes.get("platform", ""),
        "format": format_of(path),
        "size": path.stat().st_size,
    }


def _study(folder: Path) -> dict[str, Any]:
    from serpenoid.studies.study_info import read_study

    found = read_study(folder)
    if found is None:
        raise InvalidInput(
            f"{folder} is a folder without study.json and optimisation.json, so it holds no study"
        )
    about = asdict(found)
    return {"what": about.pop("kind"), **about}


def _show(what: str, about: Mapping[str, Any], console: Console) -> None:
    """Print it as a table, and the best points of a study as another."""
    rows = [
        [word.replace("_", " "), f"{_words(value)} {_UNITS.get(word, '')}".rstrip()]
        for word, value in about.items()
        if word != "best" and value not in (None, "", [], ())
    ]
    show_table(what, rows, console=console)
    if best := about.get("best"):
        show_points("best", best, console)


def _words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return table_cell(value)
