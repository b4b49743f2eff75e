"""Run a paper's experiments, judge its claims, write figures and a report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serpenoid import plots
from serpenoid._version import __version__
from serpenoid.checks import plain
from serpenoid.errors import Interrupted, OutputError, SerpenoidError
from serpenoid.files import check_writable, dumps, write_bytes, write_text
from serpenoid.papers.paper import Claim, Finding, Paper, Results, Verdict
from serpenoid.scenario.scenario import Scenario

Show = Callable[[float, str], None]

# Share of the bar that stands for the experiments; the rest is for figures.
_RUNNING = 0.8


@dataclass(frozen=True)
class Report:
    """A finished reproduction.

    Attributes:
        paper: The paper.
        findings: Finding of every claim, by id.
        files: Files written.
        quick: Whether the experiments were shortened.
        seconds: Wall time, s.
    """

    paper: Paper
    findings: dict[str, Finding]
    files: tuple[Path, ...]
    quick: bool
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether every claim was reproduced, nearly reproduced, or contradicted with a proof."""
        return all(f.verdict is not Verdict.NOT_REPRODUCED for f in self.findings.values())

    def plain(self) -> dict[str, Any]:
        """The report as plain values for JSON.

        Returns:
            Numbers, texts, lists and tables.
        """
        return {
            "paper": self.paper.key,
            "serpenoid_version": __version__,
            "quick": self.quick,
            "claims": [
                {
                    "id": claim.id,
                    "statement": claim.statement,
                    "published": claim.published,
                    "measured": _rounded(plain(self.findings[claim.id].measured)),
                    "unit": claim.unit,
                    "verdict": str(self.findings[claim.id].verdict),
                    "note": self.findings[claim.id].note,
                }
                for claim in self.paper.claims
            ],
        }


def reproduce(
    paper: Paper, out: Path | None = None, *, quick: bool = False, show: Show | None = None
) -> Report:
    """Reproduce a paper.

    Args:
        paper: The paper.
        out: Folder for figures, runs and the report; nothing is written if not given.
        quick: Whether to shorten the experiments.
        show: Function called with the share done, 0 to 1, and the name of the current part.

    Returns:
        The findings, the files written and the duration.

    Raises:
        OutputError: A file cannot be written.
        Interrupted: Ctrl-C was pressed during a run.
    """
    begin = time.perf_counter()
    show = show or (lambda _share, _words: None)
    if out is not None:
        _prepare(out)
    results = _run_all(paper, quick, show)
    findings = {claim.id: _judge(claim, results) for claim in paper.claims}
    files: list[Path] = []
    if out is not None:
        pictures, missing = _draw_all(paper, results, show)
        done = Report(paper, findings, (), quick, time.perf_counter() - begin)
        texts = {
            "report.md": markdown(done, results, missing),
            "claims.json": dumps(done.plain()),
        }
        show(1.0, "writing")
        files += [run.save(out / "runs" / f"{name}.nc") for name, run in results.runs().items()]
        files += [write_bytes(out / name, content) for name, content in pictures.items()]
        files += [write_text(out / name, text) for name, text in texts.items()]
        _remove_old(paper, results, out, set(files))
    return Report(paper, findings, tuple(files), quick, time.perf_counter() - begin)


def markdown(report: Report, results: Results, missing: dict[str, str]) -> str:
    """The report as Markdown, with claims, tables and figures.

    Args:
        report: The report.
        results: Outcomes of the experiments.
        missing: Figures that were not drawn, with the reason.
    """
    paper = report.paper
    lines = [f"# {paper.key}", "", f"*{paper.title}.* {paper.reference}", ""]
    shortened = ", shortened" if report.quick else ""
    lines += [f"Reproduced with serpenoid {__version__}{shortened}.", ""]
    rows = [["claim", "published", "measured", "verdict", "why"]]
    for claim in paper.claims:
        finding = report.findings[claim.id]
        values = [shown(value, claim) for value in (claim.published, finding.measured)]
        words = f"`{claim.id}`: {claim.statement}"
        rows.append([words, *values, finding.verdict, finding.note])
    lines += ["## Claims", "", *_table(rows)]
    for table in paper.tables:
        lines += ["", f"## {table.caption}", ""]
        try:
            lines += _table(table.rows(results))
        except SerpenoidError as error:
            lines.append(str(error))
    lines += ["", "## Figures"]
    for figure in paper.figures:
        if figure.name in missing:
            lines += ["", f"{figure.caption} Not drawn: {missing[figure.name]}"]
        else:
            lines += ["", f"![{figure.caption}]({figure.name}.png)", "", figure.caption]
    return "\n".join(lines) + "\n"


def shown(value: float | bool | str | None, claim: Claim) -> str:
    """A published or measured value with its unit, as text."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    # What is nearly 1 is not rounded to it: an R2 of 0.9999 is less.
    digits = 5 if 0.9995 <= abs(value) < 1 else 3
    return f"{value:.{digits}g} {claim.unit}".strip()


def _run_all(paper: Paper, quick: bool, show: Show) -> Results:
    results = Results()
    experiments = paper.experiments(quick)
    for number, (name, experiment) in enumerate(experiments.items()):

        def tell(share: float, number: int = number, name: str = name) -> None:
            show(_RUNNING * (number + share) / len(experiments), name)

        tell(0.0)
        try:
            outcome = experiment.run() if isinstance(experiment, Scenario) else experiment(tell)
        except Interrupted:
            raise
        except SerpenoidError as error:
            outcome = error
        results[name] = outcome
    return results


def _judge(claim: Claim, results: Results) -> Finding:
    try:
        return claim.check(results)
    except SerpenoidError as error:
        return Finding(None, Verdict.NOT_REPRODUCED, str(error))


def _prepare(out: Path) -> None:
    """Make the folders and check, before the work, that they can be written to."""
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"path = {str(out)!r} cannot be written: {error.strerror}") from None
    check_writable(out / "report.md")
    check_writable(out / "runs" / "run.nc")


def _remove_old(paper: Paper, results: Results, out: Path, written: set[Path]) -> None:
    """Remove files that an earlier reproduction wrote and this one did not; nothing else."""
    names = [f"{figure.name}.{kind}" for figure in paper.figures for kind in ("png", "pdf")]
    names += [f"runs/{name}.nc" for name in results]
    for path in (out / name for name in names):
        if path.resolve() not in written and path.is_file():
            path.unlink()


def _draw_all(
    paper: Paper, results: Results, show: Show
) -> tuple[dict[str, bytes], dict[str, str]]:
    """Contents by file name of the figures drawn; reasons by figure for those that were not."""
    drawn, missing = {}, {}
    for number, figure in enumerate(paper.figures):
        show(_RUNNING + (1 - _RUNNING) * number / len(paper.figures), figure.name)
        with plots.canvas(figure.size) as canvas:
            try:
                figure.draw(results, canvas)
            except SerpenoidError as error:
                missing[figure.name] = str(error)
                continue
            for kind in ("png", "pdf"):
                drawn[f"{figure.name}.{kind}"] = plots.render(canvas, kind)
    return drawn, missing


def _table(rows: list[list[str]]) -> list[str]:
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *body]
    return [f"| {' | '.join(line)} |" for line in lines]


def _rounded(value: float | bool | str | None) -> float | bool | str | None:
    """Six digits, which is more than any claim needs."""
    return float(f"{value:.6g}") if isinstance(value, float) else value
