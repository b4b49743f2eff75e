"""Figures of optimisations: history, Pareto front, importance, maps, parallel coordinates.

They are given tables with a row for every trial, or anything that gives a column for a name. Such a
table has, besides what is drawn, the columns `trial`, a number, `state`, 'complete', 'pruned' or
another word for what gave no number, `feasible` and `best`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.plots.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    PALE,
    TWO_COLUMNS,
    VERMILION,
    axes,
    legend_above,
    tint,
)
from serpenoid.plots.tables import (
    colours_of,
    column_of,
    is_skewed,
    label,
    numbers_of,
    plain_numbers,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Table = Mapping[Any, Any]

# Dots of trials, pt2.
_DOT = 9.0
# A search has a few bad trials and many good ones; colours are to tell the good ones apart.
_SKEW = 4.0


def history(table: Table, value: str, way: str, ax: Axes | None = None) -> Axes:
    """An objective over the trials, and the best feasible one so far.

    way: 'minimise' or 'maximise'.
    """
    from matplotlib.ticker import MaxNLocator

    number, shown = numbers_of(table, "trial"), numbers_of(table, value)
    feasible, complete, pruned = _kinds(table, shown)
    better = {"minimise": np.fmin, "maximise": np.fmax}
    if way not in better:
        raise InvalidInput(f"way = {way!r} is not allowed: it must be 'minimise' or 'maximise'")
    best = better[way].accumulate(np.where(feasible, shown, np.nan))
    with axes(ax) as ax:
        _dots(ax, number, shown, feasible, complete, pruned)
        if feasible.any():
            ax.step(number, best, where="post", color=VERMILION, lw=1.2, label="best so far")
        lost = ~(complete | pruned)
        if lost.any():
            down: Any = {"transform": ax.get_xaxis_transform(), "clip_on": False}
            nothing = np.zeros(int(lost.sum()))
            ax.plot(number[lost], nothing, "|", color=INK, ms=5, label="failed", **down)
        seen = shown[complete | pruned]
        if seen.size and is_skewed(seen):
            ax.set_yscale("log")
            plain_numbers(ax.yaxis)
        ax.xaxis.set_major_locator(MaxNLocator(7, integer=True, steps=[1, 2, 5, 10]))
        ax.set(xlabel="trial", ylabel=label(value, _units(table)))
        legend_above(ax)
    return ax


def pareto_front(
    table: Table, x: str, y: str, ax: Axes | None = None, *, joined: bool = True
) -> Axes:
    """Two objectives of all trials, and those trials that no other one beats.

    joined: draw a line along them, which makes sense if there are no more objectives.
    """
    across, up = numbers_of(table, x), numbers_of(table, y)
    feasible, complete, pruned = _kinds(table, across + up)
    best = column_of(table, "best").astype(bool)
    with axes(ax, height=2.6) as ax:
        _dots(ax, across, up, feasible & ~best, complete, pruned, after=~best)
        order = np.flatnonzero(best)[np.argsort(across[best], kind="stable")]
        line = "-" if joined else ""
        look: dict[str, Any] = {"color": VERMILION, "lw": 0.8, "marker": "o", "ms": 3.5}
        ax.plot(across[order], up[order], line, **look, label="Pareto front")
        if complete.any() and is_skewed(across[complete]):
            ax.set_xscale("log")
            plain_numbers(ax.xaxis)
        if complete.any() and is_skewed(up[complete]):
            ax.set_yscale("log")
            plain_numbers(ax.yaxis)
        units = _units(table)
        ax.set(xlabel=label(x, units), ylabel=label(y, units))
        legend_above(ax)
    return ax


def importance(shares: Mapping[str, Mapping[str, float]], ax: Axes | None = None) -> Axes:
    """How much each parameter has to do with good values, bars for each objective.

    shares: objective to parameter to its share, 0 to 1.
    """
    objectives = list(shares)
    if not objectives or not shares[objectives[0]]:
        raise InvalidInput("shares are not allowed: there must be an objective with a parameter")
    totals = {
        key: sum(float(shares[name][key]) for name in objectives) for key in shares[objectives[0]]
    }
    keys = sorted(totals, key=lambda key: -totals[key])
    thick = 0.72 / len(objectives)
    with axes(ax, height=0.75 + 0.14 * len(keys) * (1 + len(objectives))) as ax:
        for k, name in enumerate(objectives):
            places = np.arange(len(keys)) + (k - (len(objectives) - 1) / 2) * thick
            widths = [float(shares[name][key]) for key in keys]
            look: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "label": label(name, {})}
            bars = ax.barh(places, widths, 0.92 * thick, **look)
            words = [f"{100 * width:.0f} %" for width in widths]
            ax.bar_label(bars, words, padding=2, size="small", color=INK)
        ax.set_yticks(np.arange(len(keys)), [key.removesuffix("_deg") for key in keys])
        ax.tick_params("y", length=0)
        ax.invert_yaxis()
        ax.set_xlim(0, 1.12 * max(max(each.values()) for each in shares.values()) or 1.0)
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}")
        ax.set_xlabel("importance (%)")
        if len(objectives) > 1:
            legend_above(ax)
    return ax


def value_map(
    table: Table, x: str, y: str, value: str, ax: Axes | None = None, *, log: Collection[str] = ()
) -> Axes:
    """An objective over two parameters: trials as dots, and colours between them.

    Colours are interpolated between the trials that came to their end. log: parameters on a
    logarithmic axis.
    """
    from matplotlib.tri import Triangulation

    across, up, shown = (numbers_of(table, name) for name in (x, y, value))
    feasible, complete, _ = _kinds(table, shown)
    units = _units(table)
    with axes(ax, height=2.6) as ax:
        for name, scale in ((x, ax.set_xscale), (y, ax.set_yscale)):
            if name in log:
                scale("log")
        if complete.any():
            norm = colours_of(shown[complete], _SKEW)
            flat = [np.log(v) if n in log else v for n, v in ((x, across), (y, up))]
            unit = [_to_unit(values)[complete] for values in flat]
            # Points in a line, or fewer than three, span no triangle.
            if np.linalg.matrix_rank(np.stack([u - u.mean() for u in unit]), tol=1e-6) == 2:
                mesh = Triangulation(*unit)
                corners = Triangulation(across[complete], up[complete], mesh.triangles)
                ax.tripcolor(
                    corners, shown[complete], norm=norm, shading="gouraud", rasterized=True
                )
            best = column_of(table, "best").astype(bool)
            for kind, edge in ((complete & ~feasible, GREY), (feasible, "white")):
                dots: dict[str, Any] = {"c": shown[kind], "norm": norm, "ec": edge, "lw": 0.5}
                drawn = ax.scatter(across[kind], up[kind], 1.6 * _DOT, **dots, zorder=3)
            ring: dict[str, Any] = {"fc": "none", "ec": VERMILION, "lw": 1.2, "zorder": 4}
            ax.scatter(across[best], up[best], 6 * _DOT, **ring, label="best")
            if (complete & ~feasible).any():
                hollow: dict[str, Any] = {"fc": "none", "ec": GREY, "lw": 0.7}
                ax.scatter([], [], 1.6 * _DOT, **hollow, label="infeasible")
            legend_above(ax)
            bar = ax.inset_axes((1.02, 0.0, 0.03, 1.0))
            ax.figure.colorbar(drawn, cax=bar, label=label(value, units))
            if bar.get_yscale() == "log":
                plain_numbers(bar.yaxis)
        ax.set(xlabel=label(x, units), ylabel=label(y, units))
    return ax


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
    feasible, _, _ = _kinds(table, shown)
    best = column_of(table, "best").astype(bool)
    scales = [_Scale(column_of(table, name), name in log) for name in names]
    lines = np.stack([scale.heights for scale in scales], axis=1)
    lines = np.stack([np.broadcast_to(np.arange(len(names)), lines.shape), lines], axis=2)
    with axes(ax, width=TWO_COLUMNS, height=2.6) as ax:
        ax.add_collection(LineCollection(list(lines[~feasible]), colors=PALE, lw=0.6, zorder=1))
        if feasible.any():
            norm = colours_of(shown[feasible], _SKEW)
            drawn = LineCollection(
                list(lines[feasible]), array=shown[feasible], norm=norm, lw=0.8, zorder=2
            )
            ax.add_collection(drawn)
            width = 1.6 if best.sum() == 1 else 0.9
            few = LineCollection(list(lines[best]), colors=VERMILION, lw=width, zorder=3)
            ax.add_collection(few)
            bar = ax.inset_axes((1.04, 0.0, 0.02, 1.0))
            ax.figure.colorbar(
                ScalarMappable(norm, "viridis"), cax=bar, label=label(value, _units(table))
            )
            if bar.get_yscale() == "log":
                plain_numbers(bar.yaxis)
        _upright_axes(ax, names, scales, _units(table))
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
        both = _to_unit(np.log(both) if log else both)
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


def _kinds(table: Table, shown: Floats) -> tuple[Flags, Flags, Flags]:
    """Which trials are feasible, which came to their end, and which were pruned."""
    state, finite = column_of(table, "state"), np.isfinite(shown)
    complete = (state == "complete") & finite
    feasible = column_of(table, "feasible").astype(bool) & complete
    return feasible, complete, (state == "pruned") & finite


def _dots(
    ax: Axes,
    x: Floats,
    y: Floats,
    feasible: Flags,
    complete: Flags,
    pruned: Flags,
    after: Flags | None = None,
) -> None:
    """Trials by kind; after: those to be drawn at all."""
    infeasible = complete & ~feasible if after is None else complete & ~feasible & after
    for kind, look in (
        (pruned, {"marker": "x", "color": GREY, "lw": 0.6, "label": "pruned"}),
        (infeasible, {"fc": "white", "ec": GREY, "lw": 0.7, "label": "infeasible"}),
        (feasible, {"color": tint(BLUE, 0.2), "lw": 0, "label": "feasible"}),
    ):
        if kind.any():
            styled: dict[str, Any] = look
            ax.scatter(x[kind], y[kind], _DOT, **styled)


def _to_unit(values: Floats) -> Floats:
    """From 0 for the least to 1 for the largest; in the middle if they are all the same."""
    low, high = np.nanmin(values), np.nanmax(values)
    unit: Floats = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
    return unit


def _units(table: Table) -> Mapping[str, str]:
    units: Mapping[str, str] = getattr(table, "attrs", {}).get("units", {})
    return units
