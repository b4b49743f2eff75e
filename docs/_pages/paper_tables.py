"""Claims, tables and figures of papers, from the reproductions that are kept with the sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs._pages.places import REPRODUCTIONS, paper_pages
from docs._pages.writing import figure, grid, table, typeset
from serpenoid import papers
from serpenoid.papers.reproduce import shown


def _kept(key: str) -> list[dict[str, Any]]:
    text = (REPRODUCTIONS / key / "claims.json").read_text(encoding="utf-8")
    return list(json.loads(text)["claims"])


def papers_with_a_page(_page: Path) -> str:
    """The papers, and how their claims fare; one row each."""
    rows = []
    for key in paper_pages():
        verdicts = [claim["verdict"] for claim in _kept(key)]
        counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
        words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        rows.append((f"[{key}]({key}.md)", papers.find(key).title, words))
    return table(("paper", "title", "claims"), rows)


def claims(_page: Path, key: str) -> str:
    """What a paper says and what was measured; one row a claim."""
    known = {claim.id: claim for claim in papers.find(key).claims}
    rows = []
    for found in _kept(key):
        claim, verdict = known[found["id"]], found["verdict"]
        name = f"**{found['id']}**<br>{found['statement']}"
        values = shown(claim.published, claim), shown(found["measured"], claim)
        look = f'<span class="{verdict.replace(" ", "-")}">{verdict}</span>'
        rows.append((name, *values, look, found["note"]))
    return typeset(table(("claim", "published", "measured", "verdict", "why"), rows))


def report_tables(_page: Path, key: str) -> str:
    """The tables that follow the claims in the report; several with their headings, in bold."""
    text = (REPRODUCTIONS / key / "report.md").read_text(encoding="utf-8")
    tables = text.partition("## Claims")[2].partition("## Figures")[0].split("\n## ")[1:]
    parts = [each.partition("\n") for each in tables]
    names = [f"**{name}**\n\n" if len(parts) > 1 else "" for name, _, _ in parts]
    return typeset("\n\n".join(name + p[2].strip() for name, p in zip(names, parts, strict=True)))


def figures(page: Path, key: str) -> str:
    """The figures of a paper, drawn from our runs."""
    return grid(
        figure(page, REPRODUCTIONS / key / f"{each.name}.png", each.caption, each.caption)
        for each in papers.find(key).figures
    )
