"""Figures over time: positions, joints, speeds, contact forces of a link, energy."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import LEDGER
from serpenoid.errors import InvalidInput
from serpenoid.model.actuator import Prescribed, SeriesElastic, Servo
from serpenoid.plots.load_figures import load_tracks
from serpenoid.plots.selection import Tracked, joint_indices, link_index, tracked
from serpenoid.plots.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    VERMILION,
    axes,
    legend_above,
    shade,
    time_axis,
)
from serpenoid.spec import nearest_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

# Entries of the energy ledger in the order of their colours, the residual apart; those that few
# runs have, of springs and compliant terrain, are dashed.
_LEDGER = [e for e in LEDGER if e.label and not e.feature and e.name != "energy_residual"]
_DASHED = [entry for entry in LEDGER if entry.label and entry.feature]

# What a figure of loads shows.
LoadQuantity = Literal["distance", "speed", "turn", "force"]
_LOAD_LABELS = {
    "distance": "distance from start (m)",
    "speed": "speed of loads (cm/s)",
    "turn": "turn since the start (°)",
    "force": "contact force on loads (N)",
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
    with axes(ax) as ax:
        _curve(ax, run, track[:, 0], color=BLUE, label="x")
        _curve(ax, run, track[:, 1], color=VERMILION, label="y")
        ax.set_ylabel(f"position of {name} (m)")
        _finish(ax, run)
    return ax


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
            _curve(ax, run, measured[:, j], color=colour, label=f"joint {j}")
            if follows:
                _curve(ax, run, wanted[:, j], color=shade(colour), ls="--", lw=0.7)
        ax.set_ylabel("joint angle (°)")
        handles = list(ax.get_legend_handles_labels()[0])
        if any(following):
            handles.append(Line2D([], [], color=INK, label="measured"))
            handles.append(Line2D([], [], color=INK, ls="--", lw=0.7, label="wanted"))
        time_axis(ax, run)
        legend_above(ax, handles)
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
    springs = "spring_torque" in run.columns
    torques = run.columns["spring_torque" if springs else "joint_torque"]
    with axes(ax) as ax:
        for k, j in enumerate(chosen):
            colour = COLOURS[k % len(COLOURS)]
            _curve(ax, run, torques[:, j], color=colour, label=f"joint {j}")
        ax.set_ylabel(f"{'spring' if springs else 'joint'} torque (N m)")
        _finish(ax, run)
    return ax


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
        _curve(ax, run, size, color=GREY, lw=0.8, label="centre of mass")
        _curve(ax, run, 100 * velocity @ ahead, color=BLUE, label="forward")
        ax.axhline(mean, color=VERMILION, lw=0.6, label=f"mean forward, {mean:#.3g} cm/s")
        ax.set_ylabel("speed (cm/s)")
        _finish(ax, run)
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
    with axes(ax) as ax:
        _curve(ax, run, force[:, index, 0], color=BLUE, label="x")
        _curve(ax, run, force[:, index, 1], color=VERMILION, label="y")
        ax.set_ylabel(f"contact force on link {index} (N)")
        _finish(ax, run)
    return ax


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
    if quantity not in _LOAD_LABELS:
        hint = nearest_word(str(quantity), list(_LOAD_LABELS))
        raise InvalidInput(
            f"quantity = {quantity!r} is not allowed{hint}: it must be one of "
            + ", ".join(_LOAD_LABELS)
        )
    if not run.world.loads:
        raise InvalidInput("this run has no loads: give its world some, World(loads=(...))")
    distance = _load_values(run, "distance")
    furthest = np.argsort(-distance.max(axis=0), kind="stable")[: len(COLOURS)]
    values = _load_values(run, quantity)
    with axes(ax) as ax:
        for colour, k in zip(COLOURS, sorted(furthest), strict=False):
            kind = run.world.loads[k].kind
            _curve(ax, run, values[:, k], color=colour, label=f"load {k}, {kind}")
        ax.set_ylabel(_LOAD_LABELS[quantity])
        _finish(ax, run)
    return ax


def _load_values(run: Trajectory, quantity: str) -> Floats:
    """A quantity of all loads over time, (rows, loads)."""
    columns = run.columns
    values: Floats
    if quantity == "turn":
        values = np.degrees(columns["load_theta"] - columns["load_theta"][0])
    elif quantity == "speed":
        values = 100 * np.hypot(columns["load_vx"], columns["load_vy"])
    else:
        tracks = load_tracks(run)
        pairs = columns["load_force"] if quantity == "force" else tracks - tracks[0]
        values = np.linalg.norm(pairs, axis=-1)
    return values


def energy(run: Trajectory, ax: Axes | None = None) -> Axes:
    """Energy ledger over time: where the work came from and where it went.

    Works are counted from the start. Entries that are zero throughout are left out; the residual
    is always named.
    """
    with axes(ax, height=2.4) as ax:
        for entry, colour in zip(_LEDGER, itertools.cycle(COLOURS), strict=False):
            column = run.columns[entry.name]
            if column.any():
                # Thin, not to hide what else is near zero.
                thin = {"lw": 0.6} if entry.name == "energy_numerical" else {}
                _curve(ax, run, column, color=colour, label=entry.label, **thin)
        for entry, colour in zip(_DASHED, itertools.cycle(COLOURS), strict=False):
            column = run.columns.get(entry.name, np.zeros(1))
            if column.any():
                _curve(ax, run, column, color=colour, ls="--", label=entry.label)
        residual = run.columns["energy_residual"]
        left = f"{residual[-1]:.0e}".replace("-", "−") if residual[-1] else "0"
        _curve(ax, run, residual, color=GREY, ls=":", label=f"residual, {left} J")
        ax.set_ylabel("energy (J)")
        _finish(ax, run)
    return ax


def _curve(ax: Axes, run: Trajectory, values: Floats, **look: Any) -> None:
    """A curve over time; a dot if there is one row only."""
    ax.plot(run.time, values, marker="." if len(run.time) == 1 else "", **look)


def _finish(ax: Axes, run: Trajectory) -> None:
    time_axis(ax, run)
    legend_above(ax)
