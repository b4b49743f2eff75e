"""Figures of optimisations: history, Pareto front, importance, maps.

They are given tables with a row for every trial, or anything that gives a column for a name. Such a
table has, besides what is drawn, the columns `trial`, a number, `state`, 'complete', 'pruned' or
another word for what gave no number, `feasible` and `best`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.plots.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
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
SKEW = 4.0


def history(table: Table, value: str, way: str, ax: Axes | None = None) -> Axes:
    """An objective over the trials, and the best feasible one so far.

    way: 'minimise' or 'maximise'.
    """
    from matplotlib.ticker import MaxNLocator

    number, shown = numbers_of(table, "trial"), numbers_of(table, value)
    feasible, complete, pruned = kinds(table, shown)
    better = {"minimise": np.fmin, "maximise": np.fmax}
    if way not in better:
        raise InvalidInput(f"way = {way!r} is not allowed: it must be 'minimise' or 'maximise'")
    best = better[way].accumulate(np.where(feasible, shown, np.nan))
    with axes(ax) as ax:
        _dots(ax, number, shown, feasible, complete, pruned)
        if feasible.any():
            ax.step(number, best, where="post", color=VERMILION, lw=1.2, label="best so far")
        lost = column_of(table, "state") == "failed"
        if lost.any():
            down: Any = {"transform": ax.get_xaxis_transform(), "clip_on": False}
            nothing = np.zeros(int(lost.sum()))
            ax.plot(number[lost], nothing, "|", color=INK, ms=5, label="failed", **down)
        seen = shown[complete | pruned]
        if seen.size and is_skewed(seen):
            ax.set_yscale("log")
            plain_numbers(ax.yaxis)
        ax.xaxis.set_major_locator(MaxNLocator(7, integer=True, steps=[1, 2, 5, 10]))
        ax.set(xlabel="trial", ylabel=label(value, units_of(table)))
        legend_above(ax)
    return ax


def pareto_front(
    table: Table, x: str, y: str, ax: Axes | None = None, *, joined: bool = True
) -> Axes:
    """Two objectives of all trials, and those trials that no other one beats.

    joined: draw a line along them, which makes sense if there are no more objectives.
    """
    across, up = numbers_of(table, x), numbers_of(table, y)
    feasible, complete, pruned = kinds(table, across + up)
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
        units = units_of(table)
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
    feasible, complete, _ = kinds(table, shown)
    units = units_of(table)
    with axes(ax, height=2.6) as ax:
        for name, scale in ((x, ax.set_xscale), (y, ax.set_yscale)):
            if name in log:
                scale("log")
        if complete.any():
            norm = colours_of(shown[complete], SKEW)
            flat = [np.log(v) if n in log else v for n, v in ((x, across), (y, up))]
            unit = [to_unit(values)[complete] for values in flat]
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


def kinds(table: Table, shown: Floats) -> tuple[Flags, Flags, Flags]:
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


def to_unit(values: Floats) -> Floats:
    """From 0 for the least to 1 for the largest; in the middle if they are all the same."""
    low, high = np.nanmin(values), np.nanmax(values)
    unit: Floats = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
    return unit


def units_of(table: Table) -> Mapping[str, str]:
    """Units of the columns that have one."""
    units: Mapping[str, str] = getattr(table, "attrs", {}).get("units", {})
    return units
