"""Figures of an optimisation, from its table, as PNG and PDF."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.files import make_folder
from serpenoid.plots import close, save, search_figures
from serpenoid.plots.parallel_coordinates import parallel_coordinates
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.sweep_runner import load_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(study: Optimisation, folder: Path, importances: Mapping[str, Mapping[str, float]]) -> None:
    """Draw all figures that the table in a folder allows into its folder `figures`."""
    table = load_table(folder)
    if not (table["state"] == "complete").any():
        return
    objectives = study.optimise.objectives
    log = {key for key, each in study.parameters.items() if each.scale == "log"}
    make_folder(folder / "figures")

    def keep(ax: Axes, name: str) -> None:
        for ending in ("png", "pdf"):
            save(ax, folder / "figures" / f"{name}.{ending}")
        close(ax)

    for name, way in objectives.items():
        suffix = f"-{name}" if study.optimise.several else ""
        keep(search_figures.history(table, name, way), f"history{suffix}")
        keys = list(study.parameters)
        if len(keys) > 1:
            keep(parallel_coordinates(table, keys, name, log=log), f"parallel{suffix}")
        shares = importances.get(name, {})
        # The two that matter most, of those that can be an axis.
        ranges = [key for key in keys if study.parameters[key].range is not None]
        first, second = (*sorted(ranges, key=lambda key: -shares.get(key, 0.0)), "", "")[:2]
        if second:
            keep(search_figures.value_map(table, first, second, name, log=log), f"map{suffix}")
    if importances and len(study.parameters) > 1:
        keep(search_figures.importance(importances), "importance")
    for x, y in itertools.combinations(objectives, 2):
        suffix = "" if len(objectives) == 2 else f"-{x}-{y}"
        front = search_figures.pareto_front(table, x, y, joined=len(objectives) == 2)
        keep(front, f"pareto{suffix}")
