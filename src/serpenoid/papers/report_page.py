"""The report of a reproduction as a page: claims, readings, coverage, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence

from serpenoid._version import __version__
from serpenoid.papers.paper import Paper
from serpenoid.papers.report import Report, shown, value_words


def markdown(report: Report) -> str:
    """The report as Markdown."""
    paper = report.paper
    lines = [f"# {paper.key}", "", f"*{paper.title}.* {paper.reference}", "", _heading(report), ""]
    lines += paper.found
    sections = [
        ("Readings", _table(reading_rows(paper))),
        ("Parameters that are not published", _table(unpublished_rows(paper))),
        ("Claims", _table(claim_rows(report))),
        ("Claims under readings", _matrix(report)),
        ("Coverage", _table(coverage_rows(report))),
        ("Errata", _table(errata_rows(paper))),
    ]
    for title, content in sections:
        if content:
            lines += ["", f"## {title}", "", *content]
    for table in report.tables:
        lines += ["", f"## {table.caption}", "", *([table.missing] if table.missing else [])]
        lines += _table(table.rows)
    lines += ["", "## Figures"]
    for figure in report.figures:
        if figure.missing:
            lines += ["", f"{figure.caption} Not drawn: {figure.missing}"]
        else:
            lines += ["", f"![{figure.caption}]({figure.name}.png)", "", figure.caption]
    return "\n".join(lines) + "\n"


def reading_rows(paper: Paper) -> list[list[str]]:
    """What the paper leaves open, as a table; empty if that is nothing."""
    rows = [
        [f"`{r.name}`: {r.question}", f"`{c.name}`", c.speaks_for, c.speaks_against]
        for r in paper.readings
        for c in r.choices
    ]
    return [["open", "reading", "speaks for it", "speaks against it"], *rows] if rows else []


def unpublished_rows(paper: Paper) -> list[list[str]]:
    """Parameters that the paper does not give, as a table; empty if there are none."""
    rows = [
        [each.name, f"{each.low:g} to {each.high:g} {each.unit}".strip(), each.why]
        for each in paper.unpublished
    ]
    return [["parameter", "plausible range", "why"], *rows] if rows else []


def claim_rows(report: Report) -> list[list[str]]:
    """Claims, what was measured under the best readings, and verdicts, as a table."""
    rows = [["claim", "published", "measured", "verdict", "why"]]
    for each in report.judged:
        claim = each.claim
        place = f" ({claim.place})" if claim.place else ""
        values = [shown(claim.published, claim.unit)]
        values.append(value_words(claim, each.findings[report.best]))
        words = f"`{claim.id}`: {claim.statement}{place}"
        rows.append([words, *values, each.verdict or "–", report.why(each)])
    return rows


def coverage_rows(report: Report) -> list[list[str]]:
    """Everything in the paper, where it is and how it was judged; empty if that is not declared."""
    paper = report.paper
    rows = [["in the paper", "what", "here", "command", "verdict"]]
    for item in paper.coverage:
        command = item.command or f"serpenoid reproduce {paper.key}"
        verdicts = [f"{name}: {report.verdict(name) or '–'}" for name in item.claims]
        rows.append([item.item, item.what, item.where, f"`{command}`", "; ".join(verdicts)])
    return rows if paper.coverage else []


def errata_rows(paper: Paper) -> list[list[str]]:
    """Misprints, as a table; empty if there are none."""
    rows = [[each.place, each.printed, each.right, each.evidence] for each in paper.errata]
    return [["place", "printed", "right", "evidence"], *rows] if rows else []


def _heading(report: Report) -> str:
    words = f"Reproduced with serpenoid {__version__}"
    if report.quick:
        words += ", shortened: claims about fewer samples are not judged"
    if report.restricted:
        words += ", under some readings only: claims are not judged"
    if report.foreign:
        words += f"; {report.foreign} parts of the work were done by other sources than these"
    if report.paper.readings:
        words += f". Values, tables and figures under {report.settings[report.best]}"
    return f"{words}."


def _matrix(report: Report) -> list[str]:
    if len(report.settings) == 1:
        return []
    legend = [f"- {letter}: {words}" for letter, words in report.letters().items()]
    marks = "✓ holds, ✗ does not, – cannot be told. A carries most claims."
    return [*_table(report.matrix()), "", marks, "", *legend]


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    lines = [head, ["---"] * len(head), *body]
    return [f"| {' | '.join(line)} |" for line in lines]
