"""Tables of what is recorded of a run and of what a study can measure, from the code."""

from __future__ import annotations

from pathlib import Path

from docs._pages.places import DOCS
from docs._pages.writing import table
from serpenoid.analysis.metrics import METRICS
from serpenoid.engine.variables import CONTACT_LOG, VARIABLES


def recorded_variables(_page: Path) -> str:
    """Name, dimensions, unit and meaning of each variable, and what a run must have for it."""
    rows = [
        (f"`{v.name}`", ", ".join(v.dims), v.unit.replace("1", ""), v.feature, v.meaning)
        for v in (*VARIABLES.values(), *CONTACT_LOG)
    ]
    return table(("variable", "dimensions", "unit", "only with", "meaning"), rows)


def study_metrics(_page: Path) -> str:
    """One row a metric."""
    rows = [(f"`{m.name}`", m.unit, m.words) for m in METRICS.values()]
    return table(("metric", "unit", "meaning"), rows)


def kept(_page: Path, file: str) -> str:
    """Markdown that another command keeps in docs."""
    return (DOCS / file).read_text(encoding="utf-8")
