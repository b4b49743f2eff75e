"""Drawing loads to scale: their outlines, how far they are turned, and their paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.engine.trajectory import Floats, Trajectory
from serpenoid.model.loads import Load
from serpenoid.plots.style import ORANGE, shade, tint

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_CORNER_POINTS = 12


def load_tracks(run: Trajectory) -> Floats:
    """Centres of all loads in all rows, (rows, loads, 2), m."""
    if not run.world.loads:
        return np.empty((len(run.time), 0, 2))
    return np.stack([run.columns["load_x"], run.columns["load_y"]], axis=-1)


def load_outlines(run: Trajectory, row: int) -> Floats:
    """Outlines of all loads in one row, (loads, points, 2), m."""
    return _placed(run, row, [_outline(load) for load in run.world.loads])


def load_marks(run: Trajectory, row: int) -> Floats:
    """Lines from each centre along the load's own x axis to its outline, (loads, 2, 2), m."""
    ends = [load.half_sizes[0] + load.rounding for load in run.world.loads]
    return _placed(run, row, [np.array([[0.0, 0.0], [end, 0.0]]) for end in ends])


def load_points(run: Trajectory, rows: list[int]) -> Floats:
    """Points all over the loads in some rows, (k, 2), m."""
    if not run.world.loads:
        return np.empty((0, 2))
    shapes = np.concatenate([load_outlines(run, row) for row in rows])
    along = np.linspace(0, 1, 10, endpoint=False)[:, None, None, None]
    edges = (1 - along) * shapes + along * np.roll(shapes, -1, axis=1)
    middles = shapes.mean(axis=1, keepdims=True)
    within = [middles + part * (edges - middles) for part in (1.0, 0.8, 0.6, 0.4, 0.2)]
    return np.concatenate(within).reshape(-1, 2)


def _outline(load: Load) -> Floats:
    """A rectangle rounded off by a radius, in the load's own axes, (points, 2), m."""
    quarter = np.linspace(0, np.pi / 2, _CORNER_POINTS)
    around = np.concatenate([quarter + k * np.pi / 2 for k in range(4)])
    signs = np.repeat([[1, 1], [-1, 1], [-1, -1], [1, -1]], _CORNER_POINTS, axis=0)
    round_off = load.rounding * np.stack([np.cos(around), np.sin(around)], axis=1)
    outline: Floats = signs * np.array(load.half_sizes) + round_off
    return outline


def _placed(run: Trajectory, row: int, shapes: list[Floats]) -> Floats:
    """Points in the loads' own axes as points of the plane, (loads, points, 2), m."""
    if not shapes:
        return np.empty((0, 0, 2))
    x, y, theta = (run.columns[f"load_{name}"][row][:, None] for name in ("x", "y", "theta"))
    own = np.stack(shapes)
    cos, sin = np.cos(theta), np.sin(theta)
    across = x + cos * own[..., 0] - sin * own[..., 1]
    return np.stack([across, y + sin * own[..., 0] + cos * own[..., 1]], axis=-1)


def draw_loads(
    ax: Axes, run: Trajectory, row: int, *, pale: float = 0.0, fill: bool = True, zorder: float
) -> None:
    """Draw the loads in one row, without changing the limits of the axes.

    A dot is the centre of mass; the line from it is the load's own x axis.

    Args:
        ax: Axes to draw on.
        run: The run.
        row: Number of the row.
        pale: Share of white in the colours, 0 to 1.
        fill: Whether to draw faces, dots and lines, or only thin outlines.
        zorder: Matplotlib's drawing order.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    if not run.world.loads:
        return
    edge = tint(shade(ORANGE), pale)
    outline: dict[str, Any] = {"edgecolors": [edge], "lw": 1.0 if fill else 0.5}
    face = [tint(ORANGE, 0.55 + 0.45 * pale)] if fill else "none"
    shapes = list(load_outlines(run, row))
    ax.add_collection(
        PolyCollection(shapes, facecolors=face, zorder=zorder, **outline), autolim=False
    )
    if fill:
        marks = load_marks(run, row)
        lines = LineCollection(list(marks), colors=[edge], lw=0.8, zorder=zorder)
        ax.add_collection(lines, autolim=False)
        ax.plot(*marks[:, 0].T, ls="", marker="o", ms=2.5, mew=0, color=edge, zorder=zorder)


def draw_load_tracks(ax: Axes, run: Trajectory, zorder: float) -> list[Artist]:
    """Draw the paths of the loads' centres, without changing the limits of the axes.

    Args:
        ax: Axes to draw on.
        run: The run.
        zorder: Matplotlib's drawing order.

    Returns:
        Entries for a legend.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    if not run.world.loads:
        return []
    colour = shade(ORANGE)
    tracks = list(load_tracks(run).swapaxes(0, 1))
    lines = LineCollection(tracks, colors=[colour], lw=0.8, ls="--", zorder=zorder)
    ax.add_collection(lines, autolim=False)
    words = "path of load" if len(tracks) == 1 else "paths of loads"
    return [Line2D([], [], color=colour, lw=0.8, ls="--", label=words)]
