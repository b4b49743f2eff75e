"""Figures of the tables of studies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.plots.style import PALE, axes
from serpenoid.spec import nearest_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Normalize

Floats = npt.NDArray[np.float64]

# Largest by median value above which colours and axes are logarithmic.
_SKEW = 20.0


def heat_map(table: Mapping[Any, Any], x: str, y: str, value: str, ax: Axes | None = None) -> Axes:
    """One column of a table over two others, as a map.

    table: of a study, or anything that gives a column for a name. x, y: parameters, whose values
    form a grid. value: what is shown as colour, on a logarithmic scale if a few values are much
    larger than most; grey where it is no finite number, and white where there is no row.
    """
    from matplotlib.ticker import MaxNLocator

    across, up, shown = (numbers_of(table, name) for name in (x, y, value))
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
        ax.pcolormesh(_edges(xs), _edges(ys), bad, cmap=_plain(PALE), rasterized=True)
        good = np.ma.masked_invalid(cells)
        mesh = ax.pcolormesh(_edges(xs), _edges(ys), good, cmap="viridis", rasterized=True)
        ax.set(xlabel=label(x, units), ylabel=label(y, units))
        ax.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
        if finite.size:
            mesh.set_norm(colours_of(finite))
            # In the room of these axes, so that no others are moved or made.
            bar = ax.inset_axes((1.02, 0.0, 0.03, 1.0))
            ax.figure.colorbar(mesh, cax=bar, label=label(value, units))
            if bar.get_yscale() == "log":
                plain_numbers(bar.yaxis)
    return ax


def column_of(table: Mapping[Any, Any], name: str) -> Any:
    """A column of a table, as an array."""
    if name not in table:
        known = [str(column) for column in table]
        raise InvalidInput(
            f"column {name!r} is not known{nearest_word(name, known)}; there are {', '.join(known)}"
        )
    return np.asarray(table[name])


def numbers_of(table: Mapping[Any, Any], name: str) -> Floats:
    """A column of a table that must hold numbers."""
    try:
        return column_of(table, name).astype(float)  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"column {name!r} is not allowed: it must hold numbers") from None


def is_skewed(values: Floats, skew: float = _SKEW) -> bool:
    """Whether a few of these numbers would leave the rest in one place.

    skew: largest by median value from which on they would.
    """
    low, high = float(values.min()), float(values.max())
    return low > 0 and high > skew * float(np.median(values))


def colours_of(values: Floats, skew: float = _SKEW) -> Normalize:
    """Even colours, or logarithmic ones if a few values would leave the rest one colour."""
    from matplotlib.colors import LogNorm, Normalize

    low, high = float(values.min()), float(values.max())
    if low == high:
        return Normalize(low - 0.5, high + 0.5)
    return LogNorm(low, high) if is_skewed(values, skew) else Normalize(low, high)


def plain_numbers(axis: Axis) -> None:
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


def _plain(colour: str) -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap([colour])


def label(name: str, units: Mapping[str, str]) -> str:
    """The last word of a key with its unit."""
    word = name.rpartition(".")[2]
    unit = units.get(name, "deg" if word.endswith("_deg") else "1")
    # The rate of a gait's phase.
    if word == "frequency_deg":
        unit = "deg/s"
    text = word.removesuffix("_deg").replace("_", " ")
    return text if unit == "1" else f"{text} ({unit})"
