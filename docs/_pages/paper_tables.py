"""Claims, tables and figures of papers, from the reproductions that are kept with the sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs._pages.places import REPRODUCTIONS, paper_pages
from docs._pages.writing import figure, grid, table, typeset
from serpenoid import papers
from serpenoid.papers.report import shown
from serpenoid.papers.report_page import errata_rows, reading_rows, unpublished_rows


def _kept(key: str) -> dict[str, Any]:
    text = (REPRODUCTIONS / key / "claims.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def papers_with_a_page(_page: Path) -> str:
    """The papers, and how their claims fare; one row each."""
    rows = []
    for key in paper_pages():
        verdicts = [claim["verdict"] for claim in _kept(key)["claims"]]
        counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
        words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        rows.append((f"[{key}]({key}.md)", papers.find(key).title, words))
    return table(("paper", "title", "claims"), rows)


def found(_page: Path, key: str) -> str:
    """What was found about a paper, in five sentences."""
    return "\n".join(f"- {sentence}" for sentence in papers.find(key).found)


def claims(_page: Path, key: str) -> str:
    """What a paper says and what was measured; one row a claim."""
    rows = []
    for each in _kept(key)["claims"]:
        place = f"<br>{each['place']}" if each["place"] else ""
        name = f"**{each['id']}**<br>{each['statement']}{place}"
        measured = shown(each["measured"], each["unit"])
        if each["interval"]:
            measured += " ({} to {})".format(*(shown(end, "") for end in each["interval"]))
        values = shown(each["published"], each["unit"]), measured
        rows.append((name, *values, _look(each["verdict"]), each["note"]))
    return typeset(table(("claim", "published", "measured", "verdict", "why"), rows))


def readings(_page: Path, key: str) -> str:
    """What a paper leaves open and does not publish, and claims by readings."""
    paper, kept = papers.find(key), _kept(key)
    head, *rows = reading_rows(paper)
    parts = [table(head, rows)]
    if paper.unpublished:
        head, *rows = unpublished_rows(paper)
        parts.append(table(head, rows))
    head, *rows = kept["matrix"]
    parts.append(table(head, [[*row[:-1], _look(row[-1])] for row in rows]))
    parts.append("✓ holds, ✗ does not, – cannot be told. A carries most claims.")
    parts.append("\n".join(f"- {letter}: {words}" for letter, words in kept["letters"].items()))
    return typeset("\n\n".join(parts))


def coverage(_page: Path, key: str) -> str:
    """All equations, figures, tables and conclusions of a paper: where, by which command."""
    verdicts = {each["id"]: each["verdict"] for each in _kept(key)["claims"]}
    rows = []
    for item in papers.find(key).coverage:
        command = item.command or f"serpenoid reproduce {key}"
        judged = "<br>".join(f"{name}: {_look(verdicts[name])}" for name in item.claims)
        rows.append((item.item, item.what, item.where, f"`{command}`", judged))
    return typeset(table(("in the paper", "what", "here", "command", "verdict"), rows))


def errata(_page: Path, key: str) -> str:
    """Misprints of a paper, with the evidence."""
    head, *rows = errata_rows(papers.find(key))
    return typeset(table(head, rows))


def report_tables(_page: Path, key: str) -> str:
    """The tables of the report; several with their headings, in bold."""
    tables = _kept(key)["tables"]
    parts = []
    for each in tables:
        name = f"**{each['caption']}**\n\n" if len(tables) > 1 else ""
        head, *rows = each["rows"] or [[each["missing"]]]
        parts.append(name + table(head, rows))
    return typeset("\n\n".join(parts))


def figures(page: Path, key: str) -> str:
    """The figures of a paper, drawn from our runs."""
    return grid(
        figure(page, REPRODUCTIONS / key / f"{each['name']}.png", each["caption"], each["caption"])
        for each in _kept(key)["figures"]
        if not each["missing"]
    )


def _look(verdict: str) -> str:
    """A verdict in its colour."""
    return f'<span class="{verdict.replace(" ", "-")}">{verdict}</span>'
