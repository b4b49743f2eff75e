"""Figures of maps of obstacle-aided locomotion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serpenoid.analysis.wave_maps import WaveMap
from serpenoid.plots.style import TWO_COLUMNS, sheet
from serpenoid.plots.tables import heat_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHOWN = ("speed", "impact_force", "propulsive_share")


def wave_maps(
    found: WaveMap, x: str = "phase_deg", y: str = "amplitude_deg", figure: Figure | None = None
) -> Figure:
    """Speed, impact and propulsive share of a map over two of its parameters, side by side.

    Medians over the starts are shown; waves that have no runs are grey.

    Args:
        found: A map; choose one value of each other parameter first, `found.where(mu=0.2)`.
        x: Parameter along x.
        y: Parameter along y.
        figure: Figure to draw on; a new one if not given.

    Returns:
        The figure drawn on.

    Raises:
        InvalidInput: There is no such parameter, or the map has several values of another one.
    """
    medians = found.median()
    with sheet(figure, (TWO_COLUMNS, 2.4)) as drawn:
        places = drawn.subplots(1, 3, sharey=True)
        for ax, name in zip(places, _SHOWN, strict=True):
            heat_map(medians, x, y, name, ax)
            ax.label_outer()
    return drawn
