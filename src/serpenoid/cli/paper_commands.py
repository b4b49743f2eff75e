"""The command `reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from serpenoid import papers
from serpenoid.cli.output import (
    app,
    err,
    examples,
    give,
    json_option,
    make_folder,
    out,
    show_table,
)
from serpenoid.errors import InvalidInput
from serpenoid.files import dumps
from serpenoid.progress import bar

if TYPE_CHECKING:
    from serpenoid.papers.report import Report

_COLOURS = {
    "reproduced": "green",
    "consistent": "cyan",
    "fitted": "yellow",
    "not reproduced": "red",
    "not comparable": "dim",
    "contradicted": "magenta",
    "–": "dim",
}


@app.command(
    epilog=examples(
        "serpenoid reproduce transeth2008",
        "serpenoid reproduce transeth2008 --reading pegs=0.125",
        "serpenoid reproduce all --quick --json -",
    )
)
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Key of a paper, or all.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer samples: intervals instead of their verdicts.")
    ] = False,
    reading: Annotated[
        list[str] | None,
        typer.Option(
            "--reading", metavar="NAME=CHOICE", help="One reading of the paper only, no verdicts."
        ),
    ] = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Take finished parts of other sources, and say how many."),
    ] = False,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for figures and reports.")
    ] = Path("reproductions"),
    json_file: Annotated[str | None, json_option("Write the claims there; - prints them.")] = None,
) -> None:
    """Repeat a paper's experiments under all its readings, judge its claims, draw its figures.

    One that was stopped, however, goes on with the parts in its folder that are finished.
    """
    from serpenoid.papers.reproduce import reproduce as reproduce_paper

    readings = _readings(paper, reading or [])
    chosen = [papers.find(key) for key in (papers.available() if paper == "all" else [paper])]
    console = err if json_file == "-" else out
    reports = []
    for each in chosen:
        make_folder(folder / each.key)
        if (folder / each.key / "claims.json").exists():
            err.print(f"replacing an earlier reproduction in {folder / each.key}")
        with bar(each.key, 1.0) as progress:
            report = reproduce_paper(
                each,
                folder / each.key,
                readings=readings,
                quick=quick,
                keep=keep,
                show=progress,
            )
        reports.append(report)
        _claims(report, console)
        console.print(
            f"{len(report.files)} files in {folder / each.key}, "
            f"begin with {folder / each.key / 'report.md'}"
        )
    text = dumps([report.plain() for report in reports] if paper == "all" else reports[0].plain())
    give(text, json_file)


def _readings(paper: str, given: list[str]) -> dict[str, str]:
    """Choices by reading.

    Raises:
        InvalidInput: One is not NAME=CHOICE or given twice, or all papers are meant.
    """
    if given and paper == "all":
        raise InvalidInput("--reading is not allowed with all papers: each has its own readings")
    readings: dict[str, str] = {}
    for words in given:
        name, equals, choice = words.partition("=")
        if not equals:
            raise InvalidInput(f"--reading {words!r} is not allowed: it must be NAME=CHOICE")
        name = name.strip()
        if name in readings:
            raise InvalidInput(
                f"--reading {name!r} is given twice, as {readings[name]!r} and {choice.strip()!r}; "
                "leave it out to have all choices, or run one after the other"
            )
        readings[name] = choice.strip()
    return readings


def _claims(report: Report, console: Console) -> None:
    """Claims with their verdicts, then claims by readings."""
    from serpenoid.papers.report import shown, value_words

    rows: list[list[str | Text]] = []
    for each in report.judged:
        claim, finding = each.claim, each.findings[report.best]
        values = [shown(claim.published, claim.unit), value_words(claim, finding)]
        word = each.verdict or "–"
        rows.append([claim.id, Text(word, style=_COLOURS[word]), *values])
    heads = ("claim", "verdict", "published", "measured")
    title = f"{report.paper.key}: {report.paper.title}"
    show_table(title, rows, heads, console, folded=("published", "measured"))
    for each in report.judged:
        console.print(f"{each.claim.id}, {each.claim.statement}: {report.why(each)}")
    console.print()
    if len(report.settings) > 1:
        head, *lines = report.matrix()
        show_table("claims under readings", lines, tuple(head), console)
        for letter, words in report.letters().items():
            console.print(f"{letter}: {words}")
        console.print()
