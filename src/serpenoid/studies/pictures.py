"""Figures of an optimisation, as PNG and PDF."""
from __future__ import annotations
from collections.abc import Mapping
from pathlib import Path
from serpenoid.studies.search import Optimisation
def draw(study: Optimisation, folder: Path, importances: Mapping[str, Mapping[str, float]]) -> None:
    """."""
