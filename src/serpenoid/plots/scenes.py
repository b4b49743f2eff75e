"""Figures of the plane from above: where the robot went, and one moment of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.plots.body import (
    Arrows,
    arrows,
    backbone,
    draw_arrows,
    draw_body,
    draw_world,
    obstacle_points,
    outlines,
    tint,
)
from serpenoid.plots.labels import Anchor, place
from serpenoid.plots.selection import Tracked, row_at, tracked
from serpenoid.plots.style import BLUE, INK, ONE_COLUMN, TWO_COLUMNS, canvas, legend_above
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

    link: its number, 'com' for the centre of mass; the middle link if not given. times: of the
    snapshots, s; a few spread over the run if not given, paler the earlier they are. Arrows are
    contact forces, drawn from the link's centre and averaged since the last row.
    """
    track, name = tracked(run, link)
    if times is None:
        rows = _spread_rows(run, track)
    else:
        rows = sorted({row_at(run, time, "times") for time in times})
    shapes = [outlines(run, row) for row in rows]
    span = max(np.ptp(np.concatenate([track, *map(np.concatenate, shapes)]), axis=0))
    forces = arrows(run, rows, longest=0.06 * span)
    view = _view(run, track, *shapes, forces.tips)
    wide = view.width > 1.6 * view.height
    with canvas(ax, *_size(view, TWO_COLUMNS if wide else ONE_COLUMN)) as ax:
        _lay_out(ax, run, view)
        for k, row in enumerate(rows):
            white = 0.6 * (1 - (k + 1) / len(rows))
            draw_body(ax, run, row, tint(BLUE, white), zorder=3 + k / len(rows))
        (line,) = ax.plot(*track.T, color=INK, lw=0.8, label=f"path of {name}", zorder=6)
        draw_arrows(ax, forces)
        _label_times(ax, run, rows, track, forces)
        legend_above(ax, [line])
    return ax


def snapshot(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    time: float | None = None,
    number: bool | Sequence[object] = False,
) -> Axes:
    """The robot at one time, with the contact forces on it.

    time: s; the end of the run if not given. number: whether to number the links, tail 0, or what
    to write on each of them. Arrows are contact forces, drawn from the link's centre and averaged
    since the last row.
    """
    row = len(run.time) - 1 if time is None else row_at(run, time)
    labels = _labels(number, len(run.robot.links))
    shape = outlines(run, row)
    forces = arrows(run, [row], longest=0.15 * max(np.ptp(np.concatenate(shape), axis=0)))
    view = _view(run, shape, forces.tips)
    with canvas(ax, *_size(view, ONE_COLUMN)) as ax:
        _lay_out(ax, run, view)
        draw_body(ax, run, row, tint(BLUE, 0.0))
        draw_arrows(ax, forces)
        for i, label in enumerate(labels):
            ax.text(run.columns["x"][row, i], run.columns["y"][row, i], label)
        ax.set_title(f"t = {run.time[row]:.4g} s", loc="left")
    return ax


@dataclass(frozen=True)
class _View:
    """What is shown of the plane, m."""

    left: float
    bottom: float
    width: float
    height: float


def _view(run: Trajectory, *points: Floats) -> _View:
    """A rectangle around points and the obstacles beside them, with a margin."""
    inside = np.concatenate([each.reshape(-1, 2) for each in points])
    low, high = inside.min(axis=0), inside.max(axis=0)
    span = float(max(high - low))
    around = obstacle_points(run.world)
    near = ((around > low - 0.1 * span) & (around < high + 0.1 * span)).all(axis=1)
    inside = np.concatenate([inside, around[near]])
    low, high = inside.min(axis=0), inside.max(axis=0)
    (left, bottom), (width, height) = low - 0.03 * span, high - low + 0.06 * span
    return _View(float(left), float(bottom), float(width), float(height))


def _size(view: _View, width: float) -> tuple[float, float]:
    """Size of a figure in which this view fills the width, in."""
    # Around the axes: ticks and labels to the left and below, the legend above.
    across, above = 0.55, 0.7
    return width, min(above + (width - across) * view.height / view.width, 1.3 * width)


def _lay_out(ax: Axes, run: Trajectory, view: _View) -> None:
    """Axes to scale, with the world that is in view."""
    ax.set_aspect("equal")
    ax.set_xlim(view.left, view.left + view.width)
    ax.set_ylim(view.bottom, view.bottom + view.height)
    ax.set_xlabel("x (m)")
    ax.set_ylabel("y (m)")
    draw_world(ax, run.world)


def _spread_rows(run: Trajectory, track: Floats) -> list[int]:
    """The first row, the last, and some between if the robot moved by more than its length."""
    reach = float(np.hypot(*np.ptp(track, axis=0))) / run.robot.length
    count = min(max(2, 1 + int(reach)), _MOST_SNAPSHOTS) if reach > 0.01 else 1
    return [int(row) for row in np.unique(np.linspace(0, len(run.time) - 1, count).round())]


def _label_times(
    ax: Axes, run: Trajectory, rows: list[int], track: Floats, forces: Arrows
) -> None:
    """The time of each snapshot beside its head or tail, where least is covered."""
    from matplotlib.font_manager import FontProperties

    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    texts = [f"t = {run.time[row]:.4g} s" for row in rows]
    bodies = np.concatenate([outlines(run, row) for row in rows])
    middles = bodies.mean(axis=1, keepdims=True)
    within = [middles + part * (bodies - middles) for part in (1.0, 0.6, 0.2)]
    shafts = [(1 - s) * forces.bases + s * forces.tips for s in np.linspace(0, 1, 10)]
    taken = [*within, track, *shafts, obstacle_points(run.world)]
    # How large a point of type is in the plane; the axes are not laid out yet, so roughly.
    inches = ax.get_window_extent().width / ax.get_figure(root=True).dpi
    point = float(high[0] - low[0]) / (72 * inches)
    letter = FontProperties(size="small").get_size_in_points() * point
    anchors = []
    for row in rows:
        spine, links = backbone(run, row), run.robot.links
        anchors.append(
            [
                Anchor(*spine[-1], gap=links[-1].radius + 2 * point),
                Anchor(*spine[0], gap=links[0].radius + 2 * point),
            ]
        )
    centres = place(
        [(0.62 * letter * len(text), 1.3 * letter) for text in texts],
        anchors,
        np.concatenate([each.reshape(-1, 2) for each in taken]),
        low,
        high,
    )
    for text, (x, y) in zip(texts, centres, strict=True):
        ax.text(x, y, text, ha="center", va="center", size="small", zorder=9)


def _labels(number: bool | Sequence[object], links: int) -> list[str]:
    if isinstance(number, bool):
        return [str(i) for i in range(links)] if number else []
    if isinstance(number, str) or len(number) != links:
        raise InvalidInput(
            f"number = {number!r} is not allowed: it must be True, False or {links} labels"
        )
    return [str(label) for label in number]
