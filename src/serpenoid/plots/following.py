"""Figures of a run along a path, as in Figs 4 to 6 of liljeback2011."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from serpenoid.analysis import following
from serpenoid.plots import scenes
from serpenoid.plots.body import draw_path, path_corners
from serpenoid.plots.selection import Tracked, link_index
from serpenoid.plots.style import BLUE, GREY, INK, TWO_COLUMNS, axes, legend_above, time_axis
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]


def path_following(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    link: Tracked = None,
    times: Iterable[float] | None = None,
) -> Axes:
    """Path of a link along the path it was to follow, with waypoints and snapshots.

    link: its number, or 'com' for the centre of mass; the middle link if not given. times: of the
    snapshots, s; a few spread over the run if not given. Dashed circles are those in which a
    waypoint counts as reached.
    """
    from matplotlib.patheffects import withStroke

    path = following.progress(run).path
    corners = path_corners(run, path)
    with axes(ax, TWO_COLUMNS, 0.75 * TWO_COLUMNS) as drawn:
        scenes.path(run, drawn, link=link, times=times)
        handles = [*drawn.get_legend_handles_labels()[0], *draw_path(drawn, run, path)]
        _make_room(drawn, corners, path.acceptance)
        figure = drawn.get_figure(root=True)
        if ax is None and figure is not None:
            (left, right), (low, high) = drawn.get_xlim(), drawn.get_ylim()
            tall = 0.7 + (TWO_COLUMNS - 0.55) * (high - low) / (right - left)
            figure.set_size_inches(TWO_COLUMNS, min(tall, 1.3 * TWO_COLUMNS))
        for words in drawn.texts:
            words.set_path_effects([withStroke(linewidth=2.0, foreground="white")])
        legend_above(drawn, handles)
    return drawn


def _make_room(ax: Axes, corners: Floats, acceptance: float) -> None:
    """Widen the limits until all waypoints and the circles around them are seen."""
    reach = acceptance + 0.03 * float(np.ptp(corners, axis=0).max())
    low, high = corners.min(axis=0) - reach, corners.max(axis=0) + reach
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    ax.set_xlim(min(left, low[0]), max(right, high[0]))
    ax.set_ylim(min(bottom, low[1]), max(top, high[1]))


def forward_velocity(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Velocity of the centre of mass along the heading over time."""
    values = 100 * following.forward_velocity(run)
    return _over_time(run, ax, values, "forward velocity (cm/s)")


def cross_track(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Distance of the centre of mass to the left of the path over time."""
    return _over_time(run, ax, following.cross_track(run), "cross-track error (m)")


def heading_error(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Heading relative to the path over time."""
    values = np.degrees(following.heading_error(run))
    return _over_time(run, ax, values, "heading to the path (°)")


def contact_force_of(run: Trajectory, ax: Axes | None = None, *, link: int | None = None) -> Axes:
    """Contact force across one link over time, > 0 to its left.

    link: its number; the middle one if not given.
    """
    index = link_index(run, link)
    values = following.measured_force(run)[:, index]
    return _over_time(run, ax, values, f"force across link {index} (N)")


def _over_time(run: Trajectory, ax: Axes | None, values: Floats, words: str) -> Axes:
    """A curve over time, with dashed lines where the robot turned to the next waypoint."""
    times = following.waypoint_times(run)
    passed = times[(times >= run.time[0]) & (times <= run.time[-1])]
    with axes(ax, height=1.9) as ax:
        ax.axhline(0.0, color=GREY, lw=0.5, zorder=1)
        for time in passed:
            ax.axvline(time, color=INK, lw=0.7, ls="--", zorder=3)
        ax.plot(run.time, values, color=BLUE, lw=0.7, marker="." if len(run.time) == 1 else "")
        ax.set_ylabel(words)
        time_axis(ax, run)
    return ax
