"""Figures of the plane seen from above: the path of the robot, and its pose at one time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from serpenoid.analysis import following
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots.body import (
    GROUND,
    Arrows,
    arrows,
    draw_arrows,
    draw_body,
    draw_load_tracks,
    draw_loads,
    draw_path,
    draw_world,
)
from serpenoid.plots.given import Tracked, tracked
from serpenoid.plots.labels import link_words, room_for_words, write_on_links, write_times
from serpenoid.plots.run_options import PLAIN, Look, RunOptions, take
from serpenoid.plots.shapes import load_points, load_tracks, obstacle_points, outlines, path_points
from serpenoid.plots.style import BLUE, INK, ONE_COLUMN, TWO_COLUMNS, axes, legend_above

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_MOST_SNAPSHOTS = 5


def path(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    link: Tracked = None,
    times: Iterable[float] | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Path of a link, with snapshots of the robot and the contact forces on it.

    The earlier a snapshot, the paler. Arrows are contact forces on links and loads, averaged since
    the last row, from where they act if contacts were recorded, otherwise from the centres of links
    and loads; those below 10 % of the largest are left out. A path to follow is dotted, its
    waypoints are squares, and each counts as reached in the dashed circle around it. Loads are
    filled in the first and the last snapshot, with a line along their own x axis, and outlines in
    between.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        link: Number of the link, or 'com' for the centre of mass; the middle link if not given.
        times: Times of the snapshots, s; a few spread over the run if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link, the run no such time, or an option is not allowed.
    """
    run, look = take(run, options)
    scene = RunScene.of(run, link, times, look)
    forces = arrows(run, scene.rows, longest=0.06 * _span(scene.track, *scene.shapes))
    view = scene.view(forces.tips)
    width, height = view[1] - view[0]
    # A path to follow leads through a field, which needs more room than the robot's own path.
    wide = width > (1.6 if scene.goal is None else 1.0) * height
    with axes(ax, *size(view, TWO_COLUMNS if wide else ONE_COLUMN)) as ax:
        handles = scene.draw(ax, view, forces)
        legend_above(ax, handles)
    return ax


@dataclass(frozen=True, eq=False)
class RunScene:
    """Parts of a run that a figure of a path shows.

    Attributes:
        run: The run.
        track: Path of a link or of the centre of mass, (rows, 2), m.
        name: Name of what has this path, for the legend.
        rows: Rows of the snapshots.
        goal: The path to follow; None if the run has none.
        look: Label and colour of the run.
    """

    run: Trajectory
    track: Floats
    name: str
    rows: list[int]
    goal: following.Path | None
    look: Look = PLAIN

    @classmethod
    def of(
        cls, run: Trajectory, link: Tracked, times: Iterable[float] | None, look: Look = PLAIN
    ) -> RunScene:
        """The scene of one path.

        Args:
            run: The run.
            link: Number of the link, or 'com' for the centre of mass; the middle link for None.
            times: Times of the snapshots, s; a few spread over the run for None.
            look: Label and colour of the run.

        Raises:
            InvalidInput: The robot has no such link, or the run no such time.
        """
        track, name = tracked(run, link)
        rows = _rows(run, track, times)
        return cls(run, track, name, rows, following.find_path(run), look)

    @property
    def shapes(self) -> list[Floats]:
        """Outlines of all links in each snapshot, (links, points, 2) each, m."""
        return [outlines(self.run, row) for row in self.rows]

    def view(self, *also: Floats) -> Floats:
        """A rectangle that contains the whole scene.

        Args:
            *also: Further points it must contain, (..., 2) each, m.

        Returns:
            Its lower left and upper right corner, (2, 2), m.
        """
        view = _view(self.run, *self.shapes, *self._drawn(), *also)
        view[:, 1] += np.array([-0.03, 0.03]) * _span(view)  # room for the times
        return view

    def draw(self, ax: Axes, view: Floats, forces: Arrows | None = None) -> list[Artist]:
        """Draw the scene.

        Args:
            ax: Axes to draw on; their limits are set.
            view: Lower left and upper right corner of the axes, (2, 2), m.
            forces: Contact forces to draw; none if not given.

        Returns:
            Entries for a legend.
        """
        from matplotlib.patches import Patch

        _lay_out(ax, self.run, view)
        count = len(self.rows)
        for k, row in enumerate(self.rows, start=1):
            pale, first, last = 0.6 - 0.6 * k / count, k == 1, k == count
            # Later snapshots are above earlier ones, and in each the links are above the loads.
            draw_loads(
                ax, self.run, row, pale=pale, fill=first or last, zorder=3 + (k - 0.5) / count
            )
            colour = self.look.colour(BLUE)
            draw_body(ax, self.run, row, pale=pale, zorder=3 + k / count, colour=colour)
        look: dict[str, Any] = {"color": self.look.colour(INK), "lw": 0.8}
        alone = self.look.color is None or self.look.label is None
        words = f"path of {self.name}"
        look["label"] = self.look.name(words) if alone else self.look.label
        handles: list[Artist] = [*ax.plot(*self.track.T, zorder=6, **look)]
        handles += draw_load_tracks(ax, self.run, zorder=6)
        if self.goal is not None:
            handles += draw_path(ax, self.run, self.goal)
        drawn = self._drawn()
        if forces is not None:
            draw_arrows(ax, forces)
            drawn.append(forces.points())
        write_times(ax, self.run, self.rows, drawn)
        if self.run.world.patches:
            handles.append(Patch(**GROUND, label="other ground"))
        return handles

    def _drawn(self) -> list[Floats]:
        """Points of what is drawn besides robot and obstacles, (k, 2) each, m."""
        goal = [] if self.goal is None else [path_points(self.run, self.goal)]
        loads = load_points(self.run, self.rows), load_tracks(self.run).reshape(-1, 2)
        return [self.track, *goal, *loads]


def snapshot(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    time: float | None = None,
    number: bool | Sequence[object] = False,
    **options: Unpack[RunOptions],
) -> Axes:
    """The robot at one time, with the contact forces on it.

    Arrows are contact forces on links and loads, averaged since the last row, from where they act
    if contacts were recorded, otherwise from the centres of links and loads; those below 10 % of
    the largest are left out.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        time: Time, s; the end of the run if not given.
        number: Whether to number the links, tail 0, as many as there is room for; or a list with a
            label for each link.
        **options: `label` and `color`, see `RunOptions`; a figure of one time has no `start` and no
            `end`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The run has no such time, or an option is not allowed.
    """
    run, look = take(run, options)
    for name in ("start", "end"):
        if options.get(name) is not None:
            raise InvalidInput(
                f"{name} is not allowed with snapshot, which shows one time; give that as time"
            )
    row = len(run.time) - 1 if time is None else run.row(time)
    words = link_words(run, number)
    shape = outlines(run, row)
    forces = arrows(run, [row], longest=0.15 * _span(shape))
    view = _view(run, shape, load_points(run, [row]), forces.tips)
    with axes(ax, *size(view, ONE_COLUMN)) as ax:
        _lay_out(ax, run, view)
        draw_loads(ax, run, row, zorder=2.5)
        draw_body(ax, run, row, colour=look.colour(BLUE))
        draw_arrows(ax, forces)
        if any(words):
            every = room_for_words(ax, run) if number is True else 1
            write_on_links(ax, run, row, words, every)
        ax.set_title(look.name(f"t = {run.time[row]:.6g} s"), loc="left")
    return ax


def _rows(run: Trajectory, track: Floats, times: Iterable[float] | None) -> list[int]:
    """Rows at some times, ascending.

    Without times the first row, the last, and some between if the robot moved by more than its
    length.
    """
    if times is None:
        reach = float(np.hypot(*np.ptp(track, axis=0))) / run.robot.length
        count = min(max(2, 1 + int(reach)), _MOST_SNAPSHOTS) if reach > 0.01 else 1
        return [int(row) for row in np.unique(np.linspace(0, len(run.time) - 1, count).round())]
    if not isinstance(times, Iterable):
        raise InvalidInput(f"times = {times!r} is not allowed: it must be a list of times, s")
    rows = sorted({run.row(time, "times") for time in times})
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


def size(view: Floats, width: float) -> tuple[float, float]:
    """Size of a figure in which a view fills the width.

    Args:
        view: Lower left and upper right corner of the view, (2, 2), m.
        width: Width of the figure, in.

    Returns:
        Width and height, in; at most 1.3 times as high as wide.
    """
    # Around the axes: ticks and labels to the left and below, the legend above.
    across, above = 0.55, 0.7
    wide, high = view[1] - view[0]
    return width, min(above + (width - across) * float(high / wide), 1.3 * width)


def _lay_out(ax: Axes, run: Trajectory, view: Floats) -> None:
    """Axes to scale, with what there is of the world in view."""
    (left, bottom), (right, top) = view
    ax.set(aspect="equal", xlim=(left, right), ylim=(bottom, top), xlabel="x (m)", ylabel="y (m)")
    ax.locator_params(steps=[1, 2, 5, 10])
    draw_world(ax, run.world)
