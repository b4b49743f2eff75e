"""Figures of a run along a path, as in Figs 4 to 6 of liljeback2011."""

from __future__ import annotations

import math
import string
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from serpenoid.analysis import following
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots import scenes
from serpenoid.plots.given import Tracked, check_run, link_index
from serpenoid.plots.run_options import Look, RunOptions, finish, take
from serpenoid.plots.style import (
    BLUE,
    GREY,
    INK,
    LEGEND,
    PALE,
    TWO_COLUMNS,
    axes,
    curve,
    legend_above,
    sheet,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Ratio of width to height above which a field has a panel in full width.
_FLAT = 2.5
# What panels one above the other share, the legend and the x axis, in.
_SHARED = 0.35
_LETTERS = string.ascii_lowercase
# Letters of a label that stand beside a low panel.
_LETTERS_BESIDE = 16
# The line where a waypoint was reached.
_SWITCH: dict[str, Any] = {"color": INK, "lw": 0.7, "ls": "--"}


def side_by_side(
    runs: Mapping[str, Trajectory],
    figure: Figure | None = None,
    *,
    link: Tracked = None,
    times: Sequence[float] | None = None,
) -> Figure:
    """Paths of several runs, each in a panel of the same scale and limits.

    Panels of fields that are much wider than high stand one above the other.

    Args:
        runs: Runs by label, 1 to 26.
        figure: An empty figure to draw in; a new one if not given.
        link: Number of the link, or 'com' for the centre of mass; the middle link if not given.
        times: Times of the snapshots, s; a few spread over each run if not given.

    Returns:
        The figure.

    Raises:
        InvalidInput: An argument is not allowed.
    """
    _check(runs)
    shown = [scenes.RunScene.of(run, link, times) for run in runs.values()]
    corners = np.array([scene.view() for scene in shown])
    view = np.array([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])
    wide, high = view[1] - view[0]
    columns = 1 if wide > _FLAT * high else min(len(shown), 2)
    rows = math.ceil(len(shown) / columns)
    tall = scenes.size(view, TWO_COLUMNS / columns)[1] - _SHARED
    with sheet(figure, (TWO_COLUMNS, rows * tall + _SHARED)) as figure:
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        handles: dict[str, Artist] = {}  # by label, each once
        for k, (ax, scene, label) in enumerate(zip(panels.flat, shown, runs, strict=False)):
            handles |= {str(entry.get_label()): entry for entry in scene.draw(ax, view)}
            ax.set_title(f"({_LETTERS[k]}) {label}", loc="left")
            if k % columns:
                ax.set_ylabel("")
            if k + columns < len(shown):
                ax.set_xlabel("")
            else:  # nothing stands below, in the last row or not
                ax.tick_params(labelbottom=True)
        for ax in panels.flat[len(shown) :]:
            ax.remove()
        entries = list(handles.values())
        figure.legend(handles=entries, loc="outside upper left", ncols=len(entries), **LEGEND)
    return figure


def _check(runs: object) -> None:
    if not isinstance(runs, Mapping):
        raise InvalidInput(
            f"runs is of type {type(runs).__name__}, which is not allowed: it must be labels with "
            "their runs"
        )
    if not 0 < len(runs) <= len(_LETTERS):
        raise InvalidInput(
            f"runs has {len(runs)} entries, which is not allowed: it must have 1 to "
            f"{len(_LETTERS)}, a letter for each"
        )
    for label, run in runs.items():
        check_run(run, f"runs[{label!r}]")


def stacked(
    run: Trajectory,
    figure: Figure | None = None,
    *,
    link: int | None = None,
    jams: Iterable[following.Jam] = (),
    **options: Unpack[RunOptions],
) -> Figure:
    """Cross-track error, heading, forward velocity and the force on one link, over one time axis.

    Dashed lines are where waypoints were reached [liljeback2011 Fig. 6].

    Args:
        run: A run with a path.
        figure: An empty figure to draw in; a new one if not given.
        link: Number of the link whose contact force is shown; the middle one if not given.
        jams: Times to shade, from `serpenoid.analysis.following.jams`.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The figure.

    Raises:
        InvalidInput: The run has no path, or an argument is not allowed.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.patheffects import withStroke

    run, look = take(run, options)
    given: RunOptions = {"color": look.color}
    following.progress(run)  # refuses a run without a path
    jams, passed, link = _checked(jams), _passed(run), link_index(run, link)
    with sheet(figure, (TWO_COLUMNS, 5.2)) as figure:
        panels = figure.subplots(4, 1, sharex=True)
        for draw, ax in zip((cross_track, heading_error, forward_velocity), panels, strict=False):
            draw(run, ax, **given)
        contact_force_of(run, panels[-1], link=link, **given)
        for letter, ax in zip(_LETTERS, panels, strict=False):
            for jam in jams:
                ax.axvspan(jam.start, jam.end, color=PALE, lw=0, zorder=0)
            beside: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
            ax.annotate(f"({letter})", (0.0, 1.0), (-42.0, 0.0), **beside)
            ax.set_ylabel(textwrap.fill(ax.get_ylabel(), _LETTERS_BESIDE, break_on_hyphens=False))
            ax.label_outer()
        figure.align_ylabels(panels)
        # The number of a waypoint stands at the top of the line where it was reached.
        above = panels[0].get_xaxis_transform()
        text: dict[str, Any] = {"va": "top", "size": "small", "textcoords": "offset points"}
        text["path_effects"] = [withStroke(linewidth=2.0, foreground="white")]
        for number, time in passed:
            panels[0].annotate(str(number), (time, 1.0), (2.5, 0.0), xycoords=above, **text)
        handles: list[Artist] = []
        if passed:
            handles.append(Line2D([], [], **_SWITCH, label="waypoint reached"))
        if jams:
            handles.append(Patch(color=PALE, label="jammed"))
        if look.label is not None:
            handles.insert(0, Line2D([], [], color=look.colour(BLUE), lw=0.7, label=look.label))
        if handles:
            legend_above(panels[0], handles)
    return figure


def _checked(jams: object) -> list[following.Jam]:
    given: list[Any] = list(jams) if isinstance(jams, Iterable) else [jams]
    for jam in given:
        if not isinstance(jam, following.Jam):
            raise InvalidInput(
                f"jams has a {type(jam).__name__}, which is not allowed: it must be a list of Jam"
            )
    return given


def forward_velocity(
    run: Trajectory, ax: Axes | None = None, **options: Unpack[RunOptions]
) -> Axes:
    """Velocity of the centre of mass along the heading over time.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: An option is not allowed.
    """
    run, look = take(run, options)
    return _over_time(
        run, ax, 100 * following.forward_velocity(run), "forward velocity (cm/s)", look
    )


def cross_track(run: Trajectory, ax: Axes | None = None, **options: Unpack[RunOptions]) -> Axes:
    """Distance of the centre of mass to the left of the path over time.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The run has no path, or an option is not allowed.
    """
    run, look = take(run, options)
    return _over_time(run, ax, following.cross_track(run), "cross-track error (m)", look)


def heading_error(run: Trajectory, ax: Axes | None = None, **options: Unpack[RunOptions]) -> Axes:
    """Heading relative to the path over time.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The run has no path, or an option is not allowed.
    """
    run, look = take(run, options)
    values = np.degrees(following.heading_error(run))
    return _over_time(run, ax, values, "heading to the path (°)", look)


def contact_force_of(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    link: int | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Contact force across one link over time, > 0 to its left.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        link: Number of the link; the middle one if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link, or an option is not allowed.
    """
    run, look = take(run, options)
    index = link_index(run, link)
    values = following.measured_force(run)[:, index]
    return _over_time(run, ax, values, f"force across link {index} (N)", look)


def _over_time(run: Trajectory, ax: Axes | None, values: Floats, words: str, look: Look) -> Axes:
    """A curve over time, with dashed lines where the robot turned to the next waypoint."""
    passed, colour = _passed(run), look.colour(INK)
    with axes(ax, height=1.9) as ax:
        ax.axhline(0.0, color=GREY, lw=0.5, zorder=1)
        for _, time in passed:
            ax.axvline(time, **_SWITCH | {"color": colour}, zorder=3)
        curve(ax, run, values, lw=0.7, **look.curve(0, "", BLUE))
        finish(ax, run, words, look, [])
    return ax


def _passed(run: Trajectory) -> list[tuple[int, float]]:
    """Waypoints reached within the run, from 1, and when, s; none without a path."""
    if following.find_path(run) is None:
        return []
    times = following.waypoint_times(run)
    within = (times >= run.time[0]) & (times <= run.time[-1])
    return [(int(k) + 1, float(times[k])) for k in np.flatnonzero(within)]
