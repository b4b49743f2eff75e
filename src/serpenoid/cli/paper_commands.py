"""The command `reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from serpenoid import papers
from serpenoid.cli.output import (
    FAILED,
    app,
    err,
    examples,
    give,
    json_option,
    make_folder,
    out,
    show_table,
)
from serpenoid.files import dumps
from serpenoid.progress import bar

if TYPE_CHECKING:
    from serpenoid.papers.reproduce import Report


@app.command(
    epilog=examples("serpenoid reproduce transeth2008", "serpenoid reproduce all --quick --json -")
)
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Key of a paper, or all.")],
    quick: Annotated[bool, typer.Option("--quick", help="Shorter runs, smaller studies.")] = False,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for figures and reports.")
    ] = Path("reproductions"),
    json_file: Annotated[str | None, json_option("Write the claims there; - prints them.")] = None,
) -> None:
    """Repeat a paper's experiments, judge its claims, draw its figures."""
    from serpenoid.papers.reproduce import reproduce as reproduce_paper

    chosen = [papers.find(key) for key in (papers.available() if paper == "all" else [paper])]
    console = err if json_file == "-" else out
    reports = []
    for each in chosen:
        make_folder(folder / each.key)
        if (folder / each.key / "claims.json").exists():
            err.print(f"replacing an earlier reproduction in {folder / each.key}")
        with bar(each.key, 1.0) as progress:
            report = reproduce_paper(each, folder / each.key, quick=quick, show=progress)
        reports.append(report)
        _claims(report, console)
        console.print(
            f"{len(report.files)} files in {folder / each.key}, "
            f"begin with {folder / each.key / 'report.md'}"
        )
    text = dumps([report.plain() for report in reports] if paper == "all" else reports[0].plain())
    give(text, json_file)
    if not all(report.passed for report in reports):
        raise typer.Exit(FAILED)


def _claims(report: Report, console: Console) -> None:
    from serpenoid.papers.paper import Verdict
    from serpenoid.papers.reproduce import shown

    colours = dict(zip(Verdict, ("green", "yellow", "red", "magenta"), strict=True))
    rows: list[list[str | Text]] = []
    for claim in report.paper.claims:
        finding = report.findings[claim.id]
        values = [shown(value, claim) for value in (claim.published, finding.measured)]
        verdict = Text(finding.verdict, style=colours[finding.verdict])
        rows.append([claim.id, *values, verdict])
    heads = ("claim", "published", "measured", "verdict")
    show_table(f"{report.paper.key}: {report.paper.title}", rows, heads, console)
    for claim in report.paper.claims:
        console.print(f"{claim.id}, {claim.statement}: {report.findings[claim.id].note}")
    console.print()
