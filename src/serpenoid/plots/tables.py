"""Figures of the tables of studies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.checks import nearest_word
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots.style import BLUE, PALE, axes, colour_bar

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Normalize

# Ratio of the largest to the median value above which colours are logarithmic.
_SKEW = 20.0


def heat_map(table: Mapping[Any, Any], x: str, y: str, value: str, ax: Axes | None = None) -> Axes:
    """One column of a table over two others, as a map.

    Args:
        table: Table of a study, or anything that gives a column for a name.
        x: Parameter along x; its values and those of y form a grid.
        y: Parameter along y.
        value: Column shown as colour, on a logarithmic scale if a few values are much larger than
            most; grey where it is no finite number, and white where there is no row.
        ax: Axes to draw on; those of a new figure if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: A column is missing or not of numbers, or rows share a place in the grid.
    """
    from matplotlib.colors import ListedColormap
    from matplotlib.ticker import MaxNLocator

    across, up, shown = (_numbers(table, name) for name in (x, y, value))
    for name, places in ((x, across), (y, up)):
        if not np.isfinite(places).all():
            raise InvalidInput(f"column {name!r} is not allowed: it must hold finite numbers")
    xs, columns = np.unique(across, return_inverse=True)
    ys, rows = np.unique(up, return_inverse=True)
    cells = np.full((len(ys), len(xs)), np.nan)
    counts = np.zeros(cells.shape, dtype=int)
    cells[rows, columns] = shown
    np.add.at(counts, (rows, columns), 1)
    if counts.max(initial=0) > 1:
        raise InvalidInput(
            f"table is not allowed: {counts.max()} rows have the same {x} and {y}; choose one "
            "value of each other parameter first"
        )
    finite = cells[np.isfinite(cells)]
    units = getattr(table, "attrs", {}).get("units", {})
    with axes(ax, height=2.6) as ax:
        bad = np.where(counts > 0, 0.0, np.nan)
        grey = ListedColormap([PALE])
        ax.pcolormesh(_edges(xs), _edges(ys), bad, cmap=grey, rasterized=True)
        good = np.ma.masked_invalid(cells)
        mesh = ax.pcolormesh(_edges(xs), _edges(ys), good, cmap="viridis", rasterized=True)
        ax.set(xlabel=_label(x, units), ylabel=_label(y, units))
        ax.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
        if finite.size:
            mesh.set_norm(_colours(finite))
            bar = colour_bar(ax, mesh, _label(value, units))
            if bar.get_yscale() == "log":
                _plain_ticks(bar.yaxis)
    return ax


def points_over(
    table: Mapping[Any, Any], x: str, y: str, value: str, ax: Axes | None = None
) -> Axes:
    """One column of a table over two others, as coloured points, for rows that form no grid.

    Args:
        table: Table of a study, or anything that gives a column for a name.
        x: Parameter along x.
        y: Parameter along y.
        value: Column shown as colour; rows where it is no finite number are left out.
        ax: Axes to draw on; those of a new figure if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: A column is missing or not of numbers.
    """
    across, up, shown = (_numbers(table, name) for name in (x, y, value))
    good = np.isfinite(shown)
    units = getattr(table, "attrs", {}).get("units", {})
    with axes(ax, height=2.6) as ax:
        ax.set(xlabel=_label(x, units), ylabel=_label(y, units))
        if good.any():
            norm = _colours(shown[good])
            dots = ax.scatter(across[good], up[good], c=shown[good], s=12, norm=norm)
            colour_bar(ax, dots, _label(value, units))
    return ax


def curve_over(table: Mapping[Any, Any], x: str, value: str, ax: Axes | None = None) -> Axes:
    """One column of a table over another, as points on a line; texts stand side by side.

    Args:
        table: Table of a study, or anything that gives a column for a name.
        x: Parameter along x, of numbers or texts.
        value: Column along y; there is a gap where it is no finite number.
        ax: Axes to draw on; those of a new figure if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: A column is missing, or the one along y is not of numbers.
    """
    shown = _numbers(table, value)
    column = np.asarray(table[x])
    units = getattr(table, "attrs", {}).get("units", {})
    with axes(ax) as ax:
        ax.set(xlabel=_label(x, units), ylabel=_label(value, units))
        if column.dtype.kind in "iuf":
            order = np.argsort(column, kind="stable")
            ax.plot(column[order], shown[order], "o-", ms=3, color=BLUE)
        else:
            ax.plot([str(each) for each in column], shown, "o", ms=3, color=BLUE)
    return ax


def _numbers(table: Mapping[Any, Any], name: str) -> Floats:
    """A column of a table that must hold numbers."""
    if name not in table:
        known = [str(column) for column in table]
        raise InvalidInput(
            f"column {name!r} is not known{nearest_word(name, known)}; there are {', '.join(known)}"
        )
    try:
        return np.asarray(table[name]).astype(float)
    except (TypeError, ValueError):
        raise InvalidInput(f"column {name!r} is not allowed: it must hold numbers") from None


def _colours(values: Floats) -> Normalize:
    """Even colours, or logarithmic ones if a few values would leave the rest one colour."""
    from matplotlib.colors import LogNorm, Normalize

    low, high = float(values.min()), float(values.max())
    if low == high:
        return Normalize(low - 0.5, high + 0.5)
    skewed = low > 0 and high > _SKEW * float(np.median(values))
    return LogNorm(low, high) if skewed else Normalize(low, high)


def _plain_ticks(axis: Axis) -> None:
    """Numbers without powers on a logarithmic axis, a few in every decade."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = sorted(axis.get_view_interval())
    few = high < 1000 * low
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=12))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _edges(centres: Floats) -> Floats:
    """Limits of cells around their centres; a lone one is shown one wide."""
    if len(centres) == 1:
        return np.array([centres[0] - 0.5, centres[0] + 0.5])
    middles = (centres[1:] + centres[:-1]) / 2
    ends = centres[[0, -1]] + [centres[0] - middles[0], centres[-1] - middles[-1]]
    edges: Floats = np.concatenate([ends[:1], middles, ends[1:]])
    return edges


def _label(name: str, units: Mapping[str, str]) -> str:
    """The last word of a key with its unit."""
    word = name.rpartition(".")[2]
    unit = units.get(name, "deg" if word.endswith("_deg") else "1")
    # The rate of a gait's phase.
    if word == "frequency_deg":
        unit = "deg/s"
    text = word.removesuffix("_deg").replace("_", " ")
    return text if unit == "1" else f"{text} ({unit})"
