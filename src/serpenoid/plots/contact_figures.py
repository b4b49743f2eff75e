"""What touches what: recorded contacts along the body over time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from serpenoid.analysis.motion import contact_rows, places_along_body
from serpenoid.engine.contact_table import ContactTable
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots.given import link_indices
from serpenoid.plots.heat_maps import colours_of_forces, title
from serpenoid.plots.run_options import RunOptions, take
from serpenoid.plots.style import INK, TWO_COLUMNS, axes, colour_bar, time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Share of the time for which a thing may be left and still be touched.
_PAUSE = 0.02
# Share of the time after which names stand before the place they belong to.
_LATE = 0.9
# Most names of things; those that are touched longest are written.
_MOST_NAMES = 24


def contacts(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    links: Iterable[int] | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """When which link touches what, along the body and coloured by force.

    A line is where along the body a link is touched, its middle at its number. The peg, wall, load
    or other link that touches it, or the terrain, is named where that begins. The colours end at
    the 99th percentile of the normal forces.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        links: Numbers of the links; all if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The run has not recorded its contacts, the robot has no such link, or an
            option is not allowed.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.ticker import MaxNLocator

    run, look = take(run, options)
    if not run.scenario.record.contacts:
        raise InvalidInput("this run has no contacts: record them, record.contacts = true")
    chosen = link_indices(run, links)
    of_links = np.isin(run.contacts.link, chosen)
    touched, place = run.contacts.where(of_links), places_along_body(run)[of_links]
    row = contact_rows(run)[of_links]
    with axes(ax, TWO_COLUMNS, 2.6) as ax:
        time_axis(ax, run)
        ax.set_ylim(min(chosen) - 0.5, max(chosen) + 0.5)
        ax.set_ylabel("link (0 is the tail)")
        title(ax, look)
        ax.yaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
        if not len(touched):
            ax.text(0.5, 0.5, "no contact", ha="center", va="center", transform=ax.transAxes)
            return ax
        # What is recorded in a row happened since the row before.
        begin, end = run.time[row - 1], run.time[row]
        lines = np.stack([np.stack([t, place], axis=1) for t in (begin, end)], axis=1)
        flat: dict[str, Any] = {"lw": 2.0, "capstyle": "butt", "rasterized": True}
        drawn = LineCollection(list(lines), cmap=colours_of_forces(look), **flat)
        force = np.hypot(*touched.normal_force.T)
        drawn.set_array(force)
        drawn.set_clim(0.0, float(np.percentile(force, 99)))
        ax.add_collection(drawn, autolim=False)
        colour_bar(ax, drawn, "normal force (N)", extend="max")
        duration = float(run.time[-1] - run.time[0])
        for time, level, words in _names(touched, place, begin, duration):
            # Where the time ends, what is written after it would be cut off.
            late = time - run.time[0] > _LATE * duration
            text: dict[str, Any] = {"size": "x-small", "color": INK, "va": "bottom"}
            text["ha"], text["textcoords"] = "right" if late else "left", "offset points"
            ax.annotate(words, (time, level), (1, 2), **text)
    return ax


def _names(
    touched: ContactTable, place: Floats, begin: Floats, duration: float
) -> list[tuple[float, float, str]]:
    """Times and places where things begin to be touched, and their names."""
    found: list[tuple[float, float, float, str]] = []
    things = sorted(set(zip(touched.kind.tolist(), touched.index.tolist(), strict=True)))
    for kind, index in things:
        mine = np.flatnonzero((touched.kind == kind) & (touched.index == index))
        pauses = np.flatnonzero(np.diff(touched.time[mine]) > _PAUSE * duration)
        words = kind if kind == "terrain" else f"{kind} {index}"
        for stretch in np.split(mine, pauses + 1):
            first, last = stretch[0], stretch[-1]
            lasts = float(touched.time[last] - begin[first])
            found.append((lasts, float(begin[first]), float(place[first]), words))
    longest = sorted(found, reverse=True)[:_MOST_NAMES]
    return [(time, level, words) for _, time, level, words in longest]
