"""Figures over time: positions, joints, speeds, contact forces of a link, energy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import LEDGER
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import Prescribed, SeriesElastic, Servo
from serpenoid.plots.given import Tracked, check_word, joint_indices, link_index, tracked
from serpenoid.plots.shapes import load_tracks
from serpenoid.plots.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    VERMILION,
    axes,
    curve,
    legend_above,
    shade,
    time_axis,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# Entries of the energy ledger in the order of their colours, the residual apart; those that few
# runs have, of springs and compliant contact, are dashed.
_LEDGER = {
    "-": [e for e in LEDGER if e.label and not e.feature and e.name != "energy_residual"],
    "--": [e for e in LEDGER if e.label and e.feature],
}


def _load_distance(run: Trajectory) -> Floats:
    tracks = load_tracks(run)
    distance: Floats = np.linalg.norm(tracks - tracks[0], axis=-1)
    return distance


# What a figure of loads shows: its label, and the values over time, (rows, loads).
LoadQuantity = Literal["distance", "speed", "turn", "force"]
_LOADS: dict[str, tuple[str, Callable[[Trajectory], Floats]]] = {
    "distance": ("distance from start (m)", _load_distance),
    "speed": (
        "speed of loads (cm/s)",
        lambda run: 100 * np.hypot(run.columns["load_vx"], run.columns["load_vy"]),
    ),
    "turn": (
        "turn since the start (°)",
        lambda run: np.degrees(run.columns["load_theta"] - run.columns["load_theta"][0]),
    ),
    "force": (
        "contact force on loads (N)",
        lambda run: np.linalg.norm(run.columns["load_force"], axis=-1),
    ),
}


def position(run: Trajectory, ax: Axes | None = None, *, link: Tracked = None) -> Axes:
    """Position of a link over time, x and y.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        link: Number of the link, or 'com' for the centre of mass; the middle link if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link.
    """
    track, name = tracked(run, link)
    return _curves(run, ax, f"position of {name} (m)", {"x": track[:, 0], "y": track[:, 1]})


def joint_angles(
    run: Trajectory, ax: Axes | None = None, *, joints: Iterable[int] | None = None
) -> Axes:
    """Joint angles over time, measured and wanted.

    Wanted angles are drawn where joints follow one: servos, series-elastic and prescribed joints.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        joints: Numbers of the joints; a few from tail to head if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such joint.
    """
    from matplotlib.lines import Line2D

    chosen = joint_indices(run, joints)
    drives = [run.robot.joints[j].actuator for j in chosen]
    following = [isinstance(drive, Servo | Prescribed | SeriesElastic) for drive in drives]
    measured, wanted = (
        np.degrees(run.columns[name]) for name in ("joint_angle", "joint_reference")
    )
    with axes(ax) as ax:
        for k, (j, follows) in enumerate(zip(chosen, following, strict=True)):
            colour = COLOURS[k % len(COLOURS)]
            curve(ax, run, measured[:, j], color=colour, label=f"joint {j}")
            if follows:
                curve(ax, run, wanted[:, j], color=shade(colour), ls="--", lw=0.7)
        handles = list(ax.get_legend_handles_labels()[0])
        if any(following):
            handles.append(Line2D([], [], color=INK, label="measured"))
            handles.append(Line2D([], [], color=INK, ls="--", lw=0.7, label="wanted"))
        _finish(ax, run, "joint angle (°)", handles)
    return ax


def torques(
    run: Trajectory, ax: Axes | None = None, *, joints: Iterable[int] | None = None
) -> Axes:
    """Joint torques over time, those of the springs where joints have them.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        joints: Numbers of the joints; a few from tail to head if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such joint.
    """
    chosen = joint_indices(run, joints)
    kind = "spring" if "spring_torque" in run.columns else "joint"
    values = {f"joint {j}": run.columns[f"{kind}_torque"][:, j] for j in chosen}
    return _curves(run, ax, f"{kind} torque (N m)", values)


def speeds(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Speed of the centre of mass over time, with its forward part and the mean of that.

    Forward is the direction from where the centre of mass started to where it ended.
    """
    velocity = run.centre_velocity()
    com = run.centre_of_mass()
    gained = com[-1] - com[0]
    distance = float(np.hypot(*gained))
    # A robot that did not advance has no direction of travel; its first heading stands in.
    heading = run.columns["theta"][0].mean()
    ahead = gained / distance if distance > 0 else np.array([np.cos(heading), np.sin(heading)])
    mean = 100 * run.mean_speed() if len(run.time) > 1 else 0.0
    with axes(ax) as ax:
        size = 100 * np.hypot(*velocity.T)
        curve(ax, run, size, color=GREY, lw=0.8, label="centre of mass")
        curve(ax, run, 100 * velocity @ ahead, color=BLUE, label="forward")
        ax.axhline(mean, color=VERMILION, lw=0.6, label=f"mean forward, {mean:#.3g} cm/s")
        _finish(ax, run, "speed (cm/s)")
    return ax


def contact_force_components(
    run: Trajectory, ax: Axes | None = None, *, link: int | None = None
) -> Axes:
    """Contact force on one link over time, its x and y components.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        link: Number of the link; the one that is pushed most over the run if not given.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link.
    """
    force = run.columns["contact_force"]
    if link is None:
        link = int(np.hypot(force[..., 0], force[..., 1]).sum(axis=0).argmax())
    index = link_index(run, link)
    x, y = force[:, index].T
    return _curves(run, ax, f"contact force on link {index} (N)", {"x": x, "y": y})


def loads(run: Trajectory, ax: Axes | None = None, *, quantity: LoadQuantity = "distance") -> Axes:
    """Displacement of loads over time, or their speed, rotation or contact force.

    Of more loads than there are colours, those that were pushed furthest are shown.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        quantity: 'distance' of the centre from where it was at the start, m; 'speed' of the centre,
            cm/s; 'turn', the rotation since the start, deg; or size of the contact 'force', N,
            averaged since the last row.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: There is no such quantity, or the run has no loads.
    """
    check_word("quantity", quantity, _LOADS)
    if not run.world.loads:
        raise InvalidInput("this run has no loads: give its world some, World(loads=(...))")
    furthest = np.argsort(-_load_distance(run).max(axis=0), kind="stable")[: len(COLOURS)]
    ylabel, measure = _LOADS[quantity]
    values, loads = measure(run), run.world.loads
    shown = {f"load {k}, {loads[k].kind}": values[:, k] for k in sorted(furthest)}
    return _curves(run, ax, ylabel, shown)


def _curves(run: Trajectory, ax: Axes | None, ylabel: str, values: Mapping[str, Floats]) -> Axes:
    """Curves over time by their labels, on the Axes given or in a new figure."""
    with axes(ax) as ax:
        for (label, each), colour in zip(values.items(), itertools.cycle(COLOURS), strict=False):
            curve(ax, run, each, color=colour, label=label)
        _finish(ax, run, ylabel)
    return ax


def energy(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Energy ledger over time: where the work came from and where it went.

    Works are counted from the start. Entries that are zero throughout are left out; the residual
    is always named.
    """
    with axes(ax, height=2.4) as ax:
        for style, entries in _LEDGER.items():
            for entry, colour in zip(entries, itertools.cycle(COLOURS), strict=False):
                column = run.columns.get(entry.name, np.zeros(1))
                if column.any():
                    # Thin, not to hide what else is near zero.
                    thin = {"lw": 0.6} if entry.name == "energy_numerical" else {}
                    curve(ax, run, column, color=colour, ls=style, label=entry.label, **thin)
        residual = run.columns["energy_residual"]
        left = f"{residual[-1]:.0e}".replace("-", "−") if residual[-1] else "0"
        curve(ax, run, residual, color=GREY, ls=":", label=f"residual, {left} J")
        _finish(ax, run, "energy (J)")
    return ax


def _finish(ax: Axes, run: Trajectory, ylabel: str, handles: list[Artist] | None = None) -> None:
    """Add labels of both axes and a legend, of everything with a label if no entries are given."""
    ax.set_ylabel(ylabel)
    time_axis(ax, run)
    legend_above(ax, handles)
