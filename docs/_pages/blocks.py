"""The parts of pages that are written by the package, and what writes each of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from docs._pages import (
    api_names,
    code_tables,
    command_reference,
    environment_reference,
    paper_tables,
    run_figures,
    scenario_reference,
)
from docs._pages.places import DOCS

# Name of a block: function from the page and the words after the name to Markdown.
MAKERS: dict[str, Callable[..., str]] = {
    "api-names": api_names.markdown,
    "claims": paper_tables.claims,
    "commands": command_reference.markdown,
    "environment": environment_reference.markdown,
    "figure-kinds": run_figures.figure_kinds,
    "kept": code_tables.kept,
    "paper-coverage": paper_tables.coverage,
    "paper-errata": paper_tables.errata,
    "paper-figures": paper_tables.figures,
    "paper-found": paper_tables.found,
    "paper-readings": paper_tables.readings,
    "papers": paper_tables.papers_with_a_page,
    "player": run_figures.player,
    "ready-scenario": run_figures.ready_scenario,
    "recorded-variables": code_tables.recorded_variables,
    "report-tables": paper_tables.report_tables,
    "scenario-keys": scenario_reference.block,
    "study-metrics": code_tables.study_metrics,
}
_BLOCK = re.compile(
    r"^<!-- made by `make pages`: (?P<name>[\w-]+)(?P<words>[^\n]*) -->\n.*?^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)
# The pages that have such parts.
WITH_BLOCKS = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if page.relative_to(DOCS).parts[0] not in ("_build", "generated", "reproductions")
    and _BLOCK.search(page.read_text(encoding="utf-8"))
]


def renewed(page: Path) -> str:
    """The text of a page with all its blocks as the package writes them now."""

    def write(block: re.Match[str]) -> str:
        head = block[0].partition("\n")[0]
        made = MAKERS[block["name"]](page, *block["words"].split())
        return f"{head}\n\n{made.strip()}\n\n<!-- end -->"

    return _BLOCK.sub(write, page.read_text(encoding="utf-8"))
