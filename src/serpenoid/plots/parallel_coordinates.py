"""Parallel coordinates: the trials of an optimisation as lines across their parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.plots.search_figures import SKEW, Table, kinds, to_unit, units_of
from serpenoid.plots.style import INK, PALE, TWO_COLUMNS, VERMILION, axes
from serpenoid.plots.tables import colours_of, column_of, label, numbers_of, plain_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def parallel_coordinates(
    table: Table,
    names: Sequence[str],
    value: str,
    ax: Axes | None = None,
    *,
    log: Collection[str] = (),
) -> Axes:
    """Every trial as a line across its parameters, coloured by an objective, the best on top.

    names: parameters, from left to right. log: those on a logarithmic axis. Lines of trials that
    are not feasible, or did not come to their end, are grey.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.collections import LineCollection

    shown = numbers_of(table, value)
    feasible, _, _ = kinds(table, shown)
    best = column_of(table, "best").astype(bool)
    scales = [_Scale(column_of(table, name), name in log) for name in names]
    lines = np.stack([scale.heights for scale in scales], axis=1)
    lines = np.stack([np.broadcast_to(np.arange(len(names)), lines.shape), lines], axis=2)
    with axes(ax, width=TWO_COLUMNS, height=2.6) as ax:
        ax.add_collection(LineCollection(list(lines[~feasible]), colors=PALE, lw=0.6, zorder=1))
        if feasible.any():
            norm = colours_of(shown[feasible], SKEW)
            drawn = LineCollection(
                list(lines[feasible]), array=shown[feasible], norm=norm, lw=0.8, zorder=2
            )
            ax.add_collection(drawn)
            width = 1.6 if best.sum() == 1 else 0.9
            few = LineCollection(list(lines[best]), colors=VERMILION, lw=width, zorder=3)
            ax.add_collection(few)
            bar = ax.inset_axes((1.04, 0.0, 0.02, 1.0))
            ax.figure.colorbar(
                ScalarMappable(norm, "viridis"), cax=bar, label=label(value, units_of(table))
            )
            if bar.get_yscale() == "log":
                plain_numbers(bar.yaxis)
        _upright_axes(ax, names, scales, units_of(table))
    return ax


class _Scale:
    """One upright axis: heights of the trials on it, 0 to 1, and its ticks."""

    def __init__(self, column: Any, log: bool) -> None:
        from matplotlib.ticker import LogLocator, MaxNLocator

        try:
            numbers = column.astype(float)
        except (TypeError, ValueError):
            levels, places = np.unique(column.astype(str), return_inverse=True)
            self.words = [str(level) for level in levels]
            self.ticks = np.arange(len(levels)) / max(1, len(levels) - 1)
            self.heights = self.ticks[places]
            return
        low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
        wanted = LogLocator(subs=(1, 2, 5)) if log else MaxNLocator(7, steps=[1, 2, 5, 10])
        ticks = np.array([t for t in wanted.tick_values(low, high) if low <= t <= high])
        self.words = [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks]
        both = np.concatenate([numbers, ticks])
        both = to_unit(np.log(both) if log else both)
        self.heights, self.ticks = both[: len(numbers)], both[len(numbers) :]


def _upright_axes(
    ax: Axes, names: Sequence[str], scales: Sequence[_Scale], units: Mapping[str, str]
) -> None:
    """An axis with ticks and numbers for each parameter, and its name below."""
    for place, scale in enumerate(scales):
        ax.plot([place, place], [0, 1], color=INK, lw=0.5, zorder=4)
        ax.plot(np.full(len(scale.ticks), place), scale.ticks, "_", color=INK, ms=4, zorder=4)
        for height, words in zip(scale.ticks, scale.words, strict=True):
            paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.75}
            ax.annotate(
                words,
                (place, height),
                (4, 0),
                textcoords="offset points",
                va="center",
                size="small",
                bbox=paper,
                zorder=5,
            )
    ax.set_xticks(range(len(names)), [label(name, units) for name in names])
    ax.tick_params("x", length=0)
    ax.set_yticks([])
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    room = 0.02 * max(1, len(names) - 1)
    ax.set_xlim(-room, len(names) - 1 + 4 * room)
    ax.set_ylim(-0.04, 1.04)
