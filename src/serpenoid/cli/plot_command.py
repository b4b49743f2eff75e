"""The command `plot`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from serpenoid.checks import one_of
from serpenoid.cli.help_page import HelpfulCommand, Row
from serpenoid.cli.output import RunFile, announced, app, err, examples, out, show_table
from serpenoid.engine.storage import load
from serpenoid.errors import InvalidInput
from serpenoid.text import summary_line

# What options of figures are called here.
_TIMES = {"start": "--from", "end": "--to", "time": "--time"}


def kinds() -> list[Row]:
    """The kinds of figures, each with what it shows."""
    from serpenoid import plots

    return [
        (kind, summary_line(inspect.getdoc(draw)).rstrip(".")) for kind, draw in plots.KINDS.items()
    ]


class _Plot(HelpfulCommand):
    """Its help lists the kinds."""

    def more(self) -> list[tuple[str, list[Row]]]:
        return [("Kinds", [*kinds(), ("all", "Each of them that the run has")])]


@app.command(
    cls=_Plot,
    epilog=examples(
        "serpenoid plot runs/aiko_pegs.nc",
        "serpenoid plot runs/aiko_pegs.nc path",
        "serpenoid plot runs/aiko_pegs.nc joint_angles --joints 0,4,9",
        "serpenoid plot runs/aiko_pegs.nc snapshot --time 2.5",
        "serpenoid plot RUN.nc energy --out energy.pdf",
    ),
)
def plot(
    file: RunFile,
    kind: Annotated[
        str | None,
        typer.Argument(metavar="KIND", help="What to draw, see below; lists kinds if left out."),
    ] = None,
    links: Annotated[
        str | None,
        typer.Option("--links", "--link", metavar="K,K", help="Links; 0 is the tail."),
    ] = None,
    joints: Annotated[
        str | None,
        typer.Option("--joints", "--joint", metavar="K,K", help="Joints; 0 is at the tail."),
    ] = None,
    start: Annotated[
        float | None, typer.Option("--from", metavar="S", help="Draw from this time on, s.")
    ] = None,
    end: Annotated[
        float | None, typer.Option("--to", metavar="S", help="Draw up to this time, s.")
    ] = None,
    moment: Annotated[
        float | None, typer.Option("--time", metavar="S", help="Time of a snapshot, s.")
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="PNG, PDF or SVG; beside the run if left out."),
    ] = None,
) -> None:
    """Draw a figure of a run, of one of many kinds."""
    from serpenoid import plots

    recorded = load(file)
    if kind is None:
        show_table("", kinds())
        return
    chosen = list(plots.KINDS) if kind == "all" else [one_of("KIND", kind, [*plots.KINDS, "all"])]
    if target is not None and kind == "all":
        raise InvalidInput(f"--out {target} is not allowed with all, which writes many files")
    wanted = {"links": _numbers("--links", links), "joints": _numbers("--joints", joints)}
    times = {"start": start, "end": end, "time": moment}
    for name, time in times.items():
        if time is not None:
            recorded.row(time, _TIMES[name])
    if start is not None and end is not None and recorded.row(start) >= recorded.row(end):
        raise InvalidInput(
            f"--from {start:g} --to {end:g} is not allowed: the end must be at least a row after "
            "the start"
        )
    for each in chosen:
        try:
            given = _options(each, wanted, times, alone=kind != "all")
            axes = plots.draw(recorded, each, **given)
        except InvalidInput as error:
            if kind != "all":
                raise
            err.print(f"no {each}: {error}")
            continue
        path = target or file.with_name(f"{file.stem}-{each}.png")
        with announced(path):
            plots.save(axes, path)
        plots.close(axes)
        out.print(f"figure: {path}")


def _numbers(option: str, text: str | None) -> list[int] | None:
    """The numbers of an option such as 0,4,9."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and len(word) < 10 for word in words):
        raise InvalidInput(
            f"{option} {text!r} is not allowed: it must be whole numbers with commas between them, "
            "as in 0,4,9"
        )
    return [int(word) for word in words]


def _options(
    kind: str,
    wanted: Mapping[str, list[int] | None],
    times: Mapping[str, float | None],
    alone: bool,
) -> dict[str, Any]:
    """What a kind of figure is given of what is asked for.

    Args:
        kind: The kind.
        wanted: 'links' and 'joints' to their numbers.
        times: 'start', 'end' and 'time', s.
        alone: Whether it must take all of them, because it is the only kind that is drawn.
    """
    from serpenoid import plots
    from serpenoid.plots.run_options import full_signature

    takes = full_signature(plots.KINDS[kind]).parameters
    given: dict[str, Any] = {}
    # What shows one time has no window.
    one_time = "time" in takes
    for name, time in times.items():
        if time is None:
            continue
        if name in takes and (name == "time" or not one_time):
            given[name] = time
        elif alone:
            shows = "shows one time; give it with --time" if one_time else "does not show one time"
            raise InvalidInput(f"{_TIMES[name]} is not allowed with {kind}, which {shows}")
    for name, numbers in wanted.items():
        one = name.removesuffix("s")
        if numbers is None:
            continue
        if name in takes:
            given[name] = numbers
        elif one in takes and len(numbers) == 1:
            (given[one],) = numbers
        elif alone:
            shows = f"shows one {one}" if one in takes else f"takes no {name}"
            raise InvalidInput(f"--{name} is not allowed with {kind}, which {shows}")
    return given
