"""Figures of the plane seen from above: where the robot went, and one moment of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.plots.body import (
    GROUND,
    arrows,
    draw_arrows,
    draw_body,
    draw_world,
    obstacle_points,
    outlines,
)
from serpenoid.plots.labels import link_words, room_for_words, write_on_links, write_times
from serpenoid.plots.selection import Tracked, row_at, tracked
from serpenoid.plots.style import BLUE, INK, ONE_COLUMN, TWO_COLUMNS, axes, legend_above, tint
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

_MOST_SNAPSHOTS = 5


def path(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    link: Tracked = None,
    times: Iterable[float] | None = None,
) -> Axes:
    """Path of a link, with snapshots of the robot and the contact forces on it.

    link: its number, or 'com' for the centre of mass; the middle link if not given. times: of the
    snapshots, s; a few spread over the run if not given. The earlier a snapshot, the paler. Arrows
    are contact forces, drawn from the link's centre and averaged since the last row; those below
    10 % of the largest are left out.
    """
    from matplotlib.patches import Patch

    track, name = tracked(run, link)
    rows = _spread_rows(run, track) if times is None else _rows_at(run, times)
    shapes = [outlines(run, row) for row in rows]
    forces = arrows(run, rows, longest=0.06 * _span(track, *shapes))
    view = _view(run, track, *shapes, forces.tips)
    view[:, 1] += np.array([-0.03, 0.03]) * _span(view)  # room for the times
    width, height = view[1] - view[0]
    with axes(ax, *_size(view, TWO_COLUMNS if width > 1.6 * height else ONE_COLUMN)) as ax:
        _lay_out(ax, run, view)
        for k, row in enumerate(rows, start=1):
            draw_body(ax, run, row, tint(BLUE, 0.6 - 0.6 * k / len(rows)), 3 + k / len(rows))
        (line,) = ax.plot(*track.T, color=INK, lw=0.8, label=f"path of {name}", zorder=6)
        draw_arrows(ax, forces)
        write_times(ax, run, rows, track, forces)
        ground = [Patch(**GROUND, label="other ground")] if run.world.patches else []
        legend_above(ax, [line, *ground])
    return ax


def snapshot(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    time: float | None = None,
    number: bool | Sequence[object] = False,
) -> Axes:
    """The robot at one time, with the contact forces on it.

    time: s; the end of the run if not given. number: whether to number the links, tail 0, as many
    as there is room for, or a list of what to write on each. Arrows are contact forces, drawn from
    the link's centre and averaged since the last row; those below 10 % of the largest are left out.
    """
    row = len(run.time) - 1 if time is None else row_at(run, "time", time)
    words = link_words(run, number)
    shape = outlines(run, row)
    forces = arrows(run, [row], longest=0.15 * _span(shape))
    view = _view(run, shape, forces.tips)
    with axes(ax, *_size(view, ONE_COLUMN)) as ax:
        _lay_out(ax, run, view)
        draw_body(ax, run, row, tint(BLUE, 0.0))
        draw_arrows(ax, forces)
        if any(words):
            every = room_for_words(ax, run) if number is True else 1
            write_on_links(ax, run, row, words, every)
        ax.set_title(f"t = {run.time[row]:.6g} s", loc="left")
    return ax


def _spread_rows(run: Trajectory, track: Floats) -> list[int]:
    """The first row, the last, and some between if the robot moved by more than its length."""
    reach = float(np.hypot(*np.ptp(track, axis=0))) / run.robot.length
    count = min(max(2, 1 + int(reach)), _MOST_SNAPSHOTS) if reach > 0.01 else 1
    return [int(row) for row in np.unique(np.linspace(0, len(run.time) - 1, count).round())]


def _rows_at(run: Trajectory, times: Iterable[float]) -> list[int]:
    if not isinstance(times, Iterable):
        raise InvalidInput(f"times = {times!r} is not allowed: it must be a list of times, s")
    rows = sorted({row_at(run, "times", time) for time in times})
    if not rows:
        raise InvalidInput("times is empty: name at least one time, s")
    return rows


def _span(*points: Floats) -> float:
    """Width or height of what encloses all points, whichever is larger, m."""
    together = np.concatenate([each.reshape(-1, 2) for each in points])
    return float(np.ptp(together, axis=0).max())


def _view(run: Trajectory, *points: Floats) -> Floats:
    """Corners of a rectangle around points and the obstacles beside them, (2, 2), m."""
    inside = np.concatenate([each.reshape(-1, 2) for each in points])
    beside, margin = 0.1 * _span(inside), 0.03 * _span(inside)
    obstacles = obstacle_points(run.world)
    low, high = inside.min(axis=0) - beside, inside.max(axis=0) + beside
    near = ((obstacles > low) & (obstacles < high)).all(axis=1)
    inside = np.concatenate([inside, obstacles[near]])
    return np.array([inside.min(axis=0) - margin, inside.max(axis=0) + margin])


def _size(view: Floats, width: float) -> tuple[float, float]:
    """Size of a figure in which this view fills the width, in."""
    # Around the axes: ticks and labels to the left and below, the legend above.
    across, above = 0.55, 0.7
    wide, high = view[1] - view[0]
    return width, min(above + (width - across) * float(high / wide), 1.3 * width)


def _lay_out(ax: Axes, run: Trajectory, view: Floats) -> None:
    """Axes to scale, with what there is of the world in view."""
    (left, bottom), (right, top) = view
    ax.set_aspect("equal")
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    ax.locator_params(steps=[1, 2, 5, 10])
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")
    draw_world(ax, run.world)
