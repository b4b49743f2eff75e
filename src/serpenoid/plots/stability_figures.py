"""Figures of the stability of adaptation to contact forces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.analysis.contact_stability.gains import StabilityMap
from serpenoid.checks import check_type
from serpenoid.errors import InvalidInput
from serpenoid.plots.style import BLACK, TWO_COLUMNS, sheet
from serpenoid.plots.tables import heat_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def stability_maps(
    found: StabilityMap, kd: float, cutoff: float, figure: Figure | None = None
) -> Figure:
    """Growth rates over gain and cut-off frequency, over gain and damping, and critical gains.

    Grey is stable, and the line is the critical gain. All axes are logarithmic.

    Args:
        found: A map with at least two gains, dampings and cut-off frequencies.
        kd: Derivative gain of the first map, one of those of `found`, N m s/rad.
        cutoff: Cut-off frequency of the second map, one of those of `found`, Hz.
        figure: Figure to draw on; a new one if not given.

    Returns:
        The figure drawn on.

    Raises:
        InvalidInput: The map lacks one of these values, or has too few to draw.
    """
    check_type("found", found, StabilityMap)
    for name in ("gain", "kd", "cutoff"):
        if len(np.unique(found[name])) < 2 or found[name].min() <= 0:
            raise InvalidInput(
                f"found[{name!r}] is not allowed: a map needs at least two values greater than 0"
            )
    first, second = _rows(found, "kd", kd), _rows(found, "cutoff", cutoff)
    third = _rows(found, "gain", float(found["gain"][0]))
    drawn_maps = (
        (first, "gain", "cutoff", "growth_rate"),
        (second, "gain", "kd", "growth_rate"),
        (third, "kd", "cutoff", "critical_gain"),
    )
    with sheet(figure, (TWO_COLUMNS, 2.4)) as drawn:
        for ax, (rows, x, y, value) in zip(drawn.subplots(1, 3), drawn_maps, strict=True):
            heat_map(rows, x, y, value, ax)
            _scale_logarithmically(ax)
            if value == "growth_rate":
                limits = ax.get_xlim(), ax.get_ylim()
                ax.plot(rows["critical_gain"], rows[y], color=BLACK, linewidth=1.0)
                ax.set(xlim=limits[0], ylim=limits[1])
    return drawn


def _scale_logarithmically(ax: Axes) -> None:
    """Logarithmic axes with plain numbers."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator

    ax.set(xscale="log", yscale="log")
    for axis, steps in ((ax.xaxis, (1.0,)), (ax.yaxis, (1.0, 2.0, 5.0))):
        axis.set_major_locator(LogLocator(subs=steps))
        axis.set_major_formatter(FormatStrFormatter("%g"))
    ax.minorticks_off()


def _rows(found: StabilityMap, name: str, value: float) -> StabilityMap:
    """The rows with one value of a column; without numbers where the loop is stable."""
    here = np.isclose(found[name], value, rtol=1e-9, atol=0.0)
    if not here.any():
        known = ", ".join(f"{each:g}" for each in np.unique(found[name]))
        raise InvalidInput(f"{name} = {value!r} is not in this map; it has {known}")
    columns = {key: column[here] for key, column in found.columns.items()}
    columns["growth_rate"] = np.where(columns["growth_rate"] > 0, columns["growth_rate"], np.nan)
    order = np.lexsort((columns["gain"], columns["kd"], columns["cutoff"]))
    return StabilityMap({key: column[order] for key, column in columns.items()})
