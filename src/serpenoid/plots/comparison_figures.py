"""Figures of several runs on the same axes, with one colour and one label for each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec

import numpy as np

from serpenoid.checks import nearest_word
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput, prefixed
from serpenoid.plots import energy_figures, figures, path_figures
from serpenoid.plots.given import Tracked
from serpenoid.plots.run_options import (
    RunOptions,
    check_options,
    docstring_without_run,
    figure_names,
    full_signature,
    take,
)
from serpenoid.plots.scenes import RunScene, size
from serpenoid.plots.style import COLOURS, ONE_COLUMN, TWO_COLUMNS, axes, house, legend_above

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Options = ParamSpec("Options")

# Kinds that fill their axes with one run.
_MAPS = ("contact_forces", "stick_slip", "contacts")
# Options that a comparison gives itself.
_OWN = ("label", "color")
# What the links of runs must be alike in for a figure of the joints that it chooses itself.
_OF_JOINTS = ("joint_angles", "torques")


def _of_runs(
    draw: Callable[Concatenate[Trajectory, Options], Axes],
) -> Callable[Concatenate[ComparisonPlots, Options], Axes]:
    """A function that draws a run over time as a method that draws all runs."""

    @functools.wraps(draw)
    def method(self: ComparisonPlots, /, *given: Any, **options: Any) -> Axes:
        return _over_time(self.runs, draw, *given, **options)

    method.__doc__ = docstring_without_run(draw).replace(".", ", of all runs.", 1)
    vars(method)["__signature__"] = full_signature(draw)
    return method


@dataclass(frozen=True)
class ComparisonPlots:
    """Figures of several runs, each on the Axes given or in a new figure; they return their Axes.

    Every run has a colour of its own, and its name as label; joints, components and energies
    differ by their dashes. Options are those of the figures of one run.

    Attributes:
        runs: Runs by name.
    """

    runs: Mapping[str, Trajectory]

    position = _of_runs(figures.position)
    speeds = _of_runs(figures.speeds)
    joint_angles = _of_runs(figures.joint_angles)
    torques = _of_runs(figures.torques)
    contact_force_components = _of_runs(figures.contact_force_components)
    loads = _of_runs(figures.loads)
    energy = _of_runs(energy_figures.energy)
    cross_track = _of_runs(path_figures.cross_track)
    heading_error = _of_runs(path_figures.heading_error)
    forward_velocity = _of_runs(path_figures.forward_velocity)

    def path(
        self,
        ax: Axes | None = None,
        *,
        link: Tracked = None,
        times: Iterable[float] | None = None,
        start: float | None = None,
        end: float | None = None,
    ) -> Axes:
        """Paths of all runs, with snapshots of the robots; the obstacles of all runs are drawn.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            link: Number of the link, or 'com' for the centre of mass; if not given, the middle
                link, or the centre of mass of robots with different numbers of links.
            times: Times of the snapshots, s; the end of each run if not given.
            start: Time from which on runs are drawn, s; their starts if not given.
            end: Time up to which runs are drawn, s; their ends if not given.

        Returns:
            The Axes drawn on.

        Raises:
            InvalidInput: A robot has no such link, or a run no such time.
        """
        if link is None and _differ(self.runs, _links):
            link = "com"
        chosen = None if times is None else list(times)
        shown: list[RunScene] = []
        for k, (name, run) in enumerate(self.runs.items()):
            options: RunOptions = {"label": name, "color": COLOURS[k], "start": start, "end": end}
            with prefixed(repr(name)):
                part, look = take(run, options)
                at = [part.time[-1]] if chosen is None else chosen
                shown.append(RunScene.of(part, link, at, look))
        return _in_plane(shown, ax)

    def snapshot(self, ax: Axes | None = None, *, time: float | None = None) -> Axes:
        """The robots of all runs at one time, and their paths until then.

        Args:
            ax: Axes to draw on; those of a new figure if not given.
            time: Time, s; the last that all runs have if not given.

        Returns:
            The Axes drawn on.

        Raises:
            InvalidInput: A run has no such time.
        """
        if time is None:
            time = min(float(run.time[-1]) for run in self.runs.values())
        return self.path(ax, end=time)

    def __dir__(self) -> list[str]:
        return figure_names(type(self))

    def __getattr__(self, kind: str) -> NoReturn:
        if kind in _MAPS:
            raise InvalidInput(
                f"{kind} is a map that fills its axes with one run; draw the runs one by one: "
                f"run.plot.{kind}()"
            )
        known = figure_names(type(self))
        raise AttributeError(
            f"comparisons have no figure {kind!r}{nearest_word(kind, known)}; there are "
            f"{', '.join(known)}"
        )


def _over_time(
    runs: Mapping[str, Trajectory],
    draw: Callable[..., Axes],
    ax: Axes | None = None,
    /,
    **options: Any,
) -> Axes:
    """All runs over time on the same axes."""
    from matplotlib import pyplot

    kind = draw.__name__
    for name in options:
        if name in _OWN:
            raise InvalidInput(f"{kind} of several runs has no {name!r}: each run has its own")
    check_options(draw, options, _OWN)
    options = options | _chosen(runs, kind, options)
    drawn = ax
    try:
        # So that what is drawn later looks as what is drawn first.
        with house():
            for k, (name, run) in enumerate(runs.items()):
                with prefixed(repr(name)):
                    drawn = draw(run, drawn, label=name, color=COLOURS[k], **options)
    except InvalidInput:
        if ax is None and drawn is not None:
            pyplot.close(drawn.get_figure(root=True))
        raise
    assert drawn is not None  # there are at least two runs
    return drawn


def _chosen(
    runs: Mapping[str, Trajectory], kind: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Links that a figure shows if none is named: of all runs the same."""
    first = next(iter(runs.values()))
    if kind in _OF_JOINTS and options.get("joints") is None:
        if none := [repr(name) for name, run in runs.items() if not run.robot.joints]:
            verb = "has" if len(none) == 1 else "have"
            raise InvalidInput(
                f"{kind} needs robots with joints, and {', '.join(none)} {verb} none; compare the "
                "others alone"
            )
        if different := _differ(runs, _joints):
            raise InvalidInput(
                f"{kind} needs runs with the same number of joints, {different}; name joints that "
                "all of them have, joints=[0, 1]"
            )
    elif kind in ("position", "contact_force_components") and options.get("link") is None:
        if kind == "contact_force_components":
            return {"link": figures.most_pushed(first)}
        return {"link": "com"} if _differ(runs, _links) else {}
    return {}


def _links(run: Trajectory) -> int:
    return len(run.robot.links)


def _joints(run: Trajectory) -> int:
    return len(run.robot.joints)


def _differ(runs: Mapping[str, Trajectory], count: Callable[[Trajectory], int]) -> str:
    """How runs differ in a number, in words; nothing if they do not."""
    counts = {name: count(run) for name, run in runs.items()}
    if len(set(counts.values())) == 1:
        return ""
    return ", ".join(f"{name!r} has {number}" for name, number in counts.items())


def _in_plane(shown: list[RunScene], ax: Axes | None) -> Axes:
    """Paths and robots of several runs, to scale."""
    corners = np.array([scene.view() for scene in shown])
    view = np.array([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])
    wide, high = view[1] - view[0]
    width = TWO_COLUMNS if wide > 1.6 * high else ONE_COLUMN
    with house(), axes(ax, *size(view, width)) as ax:
        handles: dict[str, Artist] = {}  # by label, each once
        for scene in shown:
            handles |= {str(entry.get_label()): entry for entry in scene.draw(ax, view)}
        legend_above(ax, list(handles.values()))
    return ax
