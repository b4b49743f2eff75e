"""Figures over links and time: contact forces, sticking and sliding."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.plots.body import holding_words
from serpenoid.plots.given import link_indices
from serpenoid.plots.run_options import Look, RunOptions, take
from serpenoid.plots.style import (
    BLUE,
    PALE,
    VERMILION,
    axes,
    colour_bar,
    legend_above,
    time_axis,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Colormap

# More columns than a page shows; rows beyond are averaged in groups.
_MOST_COLUMNS = 1500


def contact_forces(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    links: Iterable[int] | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Size of the contact force on every link over time, as a map.

    White where nothing is touched. The colours end at the 99th percentile of the forces, because a
    few impacts are much larger; the colour bar stands to the right of the axes.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        links: Numbers of the links, from the bottom; all if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link, or an option is not allowed.
    """
    run, look = take(run, options)
    chosen = link_indices(run, links)
    force = run.columns["contact_force"][:, chosen]
    size = np.hypot(force[..., 0], force[..., 1])
    pushes = size[size > 0]
    with axes(ax) as ax:
        colours = colours_of_forces(look).with_extremes(under="white")
        mesh = _map(ax, run, size, chosen, colours)
        title(ax, look)
        if not pushes.size:
            mesh.set_clim(1.0, 2.0)
            ax.text(0.5, 0.5, "no contact", ha="center", va="center", transform=ax.transAxes)
            return ax
        top = float(np.percentile(pushes, 99))
        mesh.set_clim(1e-6 * top, top)
        colour_bar(ax, mesh, "contact force (N)", extend="max")
    return ax


def colours_of_forces(look: Look) -> Colormap:
    """Colours of small to large forces, of the colour of the run if it has one."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    if look.color is None:
        return colormaps["viridis_r"]
    return LinearSegmentedColormap.from_list("forces", [tint(look.color, 0.8), look.color])


def title(ax: Axes, look: Look) -> None:
    """The name of the run above a map, which has no legend."""
    if look.label is not None:
        ax.set_title(look.label, loc="left")


def stick_slip(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    links: Iterable[int] | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Which links stick, slide and touch an obstacle over time, as a map.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        links: Numbers of the links, from the bottom; all if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link, or an option is not allowed.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    run, look = take(run, options)
    chosen, sticks = link_indices(run, links), look.colour(BLUE)
    touched = "an obstacle or a load" if run.world.loads else "an obstacle"
    two = LinearSegmentedColormap.from_list("stick and slip", [PALE, sticks])
    with axes(ax) as ax:
        values = run.columns["sticking"][:, chosen].astype(float)
        _map(ax, run, values, chosen, two).set_clim(0.0, 1.0)
        touching = LineCollection(_touching(run, chosen), colors=VERMILION, lw=1.5, capstyle="butt")
        ax.add_collection(touching, autolim=False)
        handles: list[Any] = [
            Patch(color=sticks, label=look.name(holding_words(run.robot))),
            Patch(color=PALE, label="slides"),
            Line2D([], [], color=VERMILION, lw=1.5, label=f"touches {touched}"),
        ]
        legend_above(ax, handles)
    return ax


def _map(
    ax: Axes, run: Trajectory, values: Floats, chosen: list[int], colours: Colormap
) -> QuadMesh:
    """Values of the chosen links, (rows, links), as colours over time, the first at the bottom.

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
    if chosen == list(range(len(run.robot.links))):
        ax.yaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))
    else:
        ax.set_yticks(range(links), [str(link) for link in chosen])
    return mesh


def _edges(run: Trajectory) -> Floats:
    """Times between which rows are shown, s; a run of one row is shown for 10 ms."""
    return run.time if len(run.time) > 1 else run.time[0] + np.array([0.0, 0.01])


def _touching(run: Trajectory, chosen: list[int]) -> list[list[tuple[float, int]]]:
    """From when to when each chosen link touched an obstacle, as lines over time and link."""
    edges = _edges(run)
    touch = (run.columns["contact_force"][:, chosen] != 0).any(axis=2)[1 - len(edges) :]
    change = np.diff(np.pad(touch, ((1, 1), (0, 0))).astype(int), axis=0)
    begins, ends = (np.argwhere(sign == change.T) for sign in (1, -1))
    return [
        [(float(edges[begin]), int(link)), (float(edges[end]), int(link))]
        for (link, begin), (_, end) in zip(begins, ends, strict=True)
    ]
