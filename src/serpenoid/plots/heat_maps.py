"""Figures over links and time: contact forces, sticking and sliding."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.plots.body import holding_words
from serpenoid.plots.style import BLUE, PALE, VERMILION, axes, colour_bar, legend_above, time_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Colormap

# More columns than a page shows; rows beyond are averaged in groups.
_MOST_COLUMNS = 1500


def contact_forces(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Size of the contact force on every link over time, as a map.

    White where nothing is touched. The colours end at the 99th percentile of the forces, because a
    few impacts are much larger; the colour bar stands to the right of the axes.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.

    Returns:
        The Axes drawn on.
    """
    from matplotlib import colormaps

    force = run.columns["contact_force"]
    size = np.hypot(force[..., 0], force[..., 1])
    pushes = size[size > 0]
    with axes(ax) as ax:
        mesh = _map(ax, run, size, colormaps["viridis_r"].with_extremes(under="white"))
        if not pushes.size:
            mesh.set_clim(1.0, 2.0)
            ax.text(0.5, 0.5, "no contact", ha="center", va="center", transform=ax.transAxes)
            return ax
        top = float(np.percentile(pushes, 99))
        mesh.set_clim(1e-6 * top, top)
        colour_bar(ax, mesh, "contact force (N)", extend="max")
    return ax


def stick_slip(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Which links stick, slide and touch an obstacle over time, as a map."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    touched = "an obstacle or a load" if run.world.loads else "an obstacle"
    two = LinearSegmentedColormap.from_list("stick and slip", [PALE, BLUE])
    with axes(ax) as ax:
        _map(ax, run, run.columns["sticking"].astype(float), two).set_clim(0.0, 1.0)
        touching = LineCollection(_touching(run), colors=VERMILION, lw=1.5, capstyle="butt")
        ax.add_collection(touching, autolim=False)
        legend_above(
            ax,
            [
                Patch(color=BLUE, label=holding_words(run.robot)),
                Patch(color=PALE, label="slides"),
                Line2D([], [], color=VERMILION, lw=1.5, label=f"touches {touched}"),
            ],
        )
    return ax


def _map(ax: Axes, run: Trajectory, values: Floats, colours: Colormap) -> QuadMesh:
    """Values of all links, (rows, links), as colours over time, the tail at the bottom.

    What is recorded in a row happened since the row before, so it fills the time between them.
    """
    from matplotlib.ticker import MaxNLocator

    edges, links = _edges(run), values.shape[1]
    cells = values[1 - len(edges) :]
    starts = np.arange(0, len(cells), math.ceil(len(cells) / _MOST_COLUMNS))
    ends = np.append(starts[1:], len(cells))
    means = np.add.reduceat(cells, starts) / (ends - starts)[:, None]
    mesh = ax.pcolormesh(
        edges[np.append(starts, len(cells))],
        np.arange(links + 1) - 0.5,
        means.T,
        cmap=colours,
        rasterized=True,
    )
    time_axis(ax, run)
    ax.set_ylim(-0.5, links - 0.5)
    ax.set_ylabel("link (0 is the tail)")
    ax.yaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    return mesh


def _edges(run: Trajectory) -> Floats:
    """Times between which rows are shown, s; a run of one row is shown for 10 ms."""
    return run.time if len(run.time) > 1 else run.time[0] + np.array([0.0, 0.01])


def _touching(run: Trajectory) -> list[list[tuple[float, int]]]:
    """From when to when each link touched an obstacle, as lines over time and link."""
    edges = _edges(run)
    touch = (run.columns["contact_force"] != 0).any(axis=2)[1 - len(edges) :]
    change = np.diff(np.pad(touch, ((1, 1), (0, 0))).astype(int), axis=0)
    begins, ends = (np.argwhere(sign == change.T) for sign in (1, -1))
    return [
        [(float(edges[begin]), int(link)), (float(edges[end]), int(link))]
        for (link, begin), (_, end) in zip(begins, ends, strict=True)
    ]
