"""Figures over time: positions, joints, speeds, contact forces of a link, loads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np

from serpenoid.checks import one_of
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import Prescribed, SeriesElastic, Servo
from serpenoid.plots.given import Tracked, joint_indices, link_index, tracked
from serpenoid.plots.run_options import Look, RunOptions, finish, take
from serpenoid.plots.shapes import load_tracks
from serpenoid.plots.style import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    VERMILION,
    axes,
    curve,
    shade,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


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


def position(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    link: Tracked = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Position of a link over time, x and y.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        link: Number of the link, or 'com' for the centre of mass; the middle link if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link.
    """
    run, look = take(run, options)
    track, name = tracked(run, link)
    values = {"x": track[:, 0], "y": track[:, 1]}
    return _curves(run, ax, f"position of {name} (m)", values, look)


def joint_angles(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    joints: Iterable[int] | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Joint angles over time, measured and wanted.

    Wanted angles are drawn where joints follow one: servos, series-elastic and prescribed joints.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        joints: Numbers of the joints; a few from tail to head if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such joint.
    """
    from matplotlib.lines import Line2D

    run, look = take(run, options)
    chosen = joint_indices(run, joints)
    drives = [run.robot.joints[j].actuator for j in chosen]
    following = [isinstance(drive, Servo | Prescribed | SeriesElastic) for drive in drives]
    measured, wanted = (
        np.degrees(run.columns[name]) for name in ("joint_angle", "joint_reference")
    )
    words = [f"joint {j}" for j in chosen]
    # Beside other runs in their colours, dashes already tell the joints apart.
    pale = look.color is not None
    with axes(ax) as ax:
        for k, (j, follows) in enumerate(zip(chosen, following, strict=True)):
            given = look.curve(k, words[k])
            curve(ax, run, measured[:, j], **given)
            if follows:
                beside = {"color": tint(look.color, 0.5), "ls": given["ls"]} if pale else {}
                beside = beside or {"color": shade(given["color"]), "ls": "--"}
                curve(ax, run, wanted[:, j], lw=0.7, **beside)
        more: list[Artist] = []
        if any(following):
            thin = {"color": tint(INK, 0.5)} if pale else {"color": INK, "ls": "--"}
            more.append(Line2D([], [], color=INK, label="measured"))
            more.append(Line2D([], [], lw=0.7, label="wanted", **thin))
        finish(ax, run, "joint angle (°)", look, words, more)
    return ax


def torques(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    joints: Iterable[int] | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Joint torques over time, those of the springs where joints have them.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        joints: Numbers of the joints; a few from tail to head if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such joint.
    """
    run, look = take(run, options)
    chosen = joint_indices(run, joints)
    kind = "spring" if "spring_torque" in run.columns else "joint"
    values = {f"joint {j}": run.columns[f"{kind}_torque"][:, j] for j in chosen}
    return _curves(run, ax, f"{kind} torque (N m)", values, look)


def speeds(run: Trajectory, ax: Axes | None = None, **options: Unpack[RunOptions]) -> Axes:
    """Speed of the centre of mass over time, with its forward part and the mean of that.

    Forward is the direction from where the centre of mass started to where it ended.

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
    velocity = run.centre_velocity()
    com = run.centre_of_mass()
    gained = com[-1] - com[0]
    distance = float(np.hypot(*gained))
    # A robot that did not advance has no direction of travel; its first heading stands in.
    heading = run.columns["theta"][0].mean()
    ahead = gained / distance if distance > 0 else np.array([np.cos(heading), np.sin(heading)])
    mean = 100 * float(np.hypot(*run.mean_velocity())) if len(run.time) > 1 else 0.0
    size, forward = 100 * np.hypot(*velocity.T), 100 * velocity @ ahead
    words = f"mean forward, {mean:#.3g} cm/s"
    with axes(ax) as ax:
        if look.color is None:
            curve(ax, run, size, color=GREY, label=look.name("centre of mass"), lw=0.8)
            curve(ax, run, forward, color=BLUE, label=look.name("forward"))
            ax.axhline(mean, color=VERMILION, lw=0.6, label=look.name(words))
        else:
            curve(ax, run, size, color=tint(look.color, 0.6), label="_centre of mass", lw=0.8)
            curve(ax, run, forward, color=look.color, label=look.name(words))
            ax.axhline(mean, color=look.color, ls="--", lw=0.6)
        finish(ax, run, "speed (cm/s)", look, [])
    return ax


def contact_force_components(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    link: int | None = None,
    **options: Unpack[RunOptions],
) -> Axes:
    """Contact force on one link over time, its x and y components.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        link: Number of the link; the one that is pushed most over the run if not given.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: The robot has no such link.
    """
    run, look = take(run, options)
    index = most_pushed(run) if link is None else link_index(run, link)
    x, y = run.columns["contact_force"][:, index].T
    return _curves(run, ax, f"contact force on link {index} (N)", {"x": x, "y": y}, look)


def most_pushed(run: Trajectory) -> int:
    """Number of the link that is pushed most over a run."""
    force = run.columns["contact_force"]
    return int(np.hypot(force[..., 0], force[..., 1]).sum(axis=0).argmax())


def loads(
    run: Trajectory,
    ax: Axes | None = None,
    *,
    quantity: LoadQuantity = "distance",
    **options: Unpack[RunOptions],
) -> Axes:
    """Displacement of loads over time, or their speed, rotation or contact force.

    Of more loads than there are colours, those that were pushed furthest are shown.

    Args:
        run: The run to draw.
        ax: Axes to draw on; those of a new figure if not given.
        quantity: 'distance' of the centre from where it was at the start, m; 'speed' of the centre,
            cm/s; 'turn', the rotation since the start, deg; or size of the contact 'force', N,
            averaged since the last row.
        **options: `label`, `color`, `start` and `end`, see `RunOptions`.

    Returns:
        The Axes drawn on.

    Raises:
        InvalidInput: There is no such quantity, or the run has no loads.
    """
    run, look = take(run, options)
    one_of("quantity", quantity, _LOADS)
    if not run.world.loads:
        raise InvalidInput("this run has no loads: give its world some, World(loads=(...))")
    furthest = np.argsort(-_load_distance(run).max(axis=0), kind="stable")[: len(COLOURS)]
    ylabel, measure = _LOADS[quantity]
    values, loads = measure(run), run.world.loads
    shown = {f"load {k}, {loads[k].kind}": values[:, k] for k in sorted(furthest)}
    return _curves(run, ax, ylabel, shown, look)


def _curves(
    run: Trajectory, ax: Axes | None, ylabel: str, values: Mapping[str, Floats], look: Look
) -> Axes:
    """Curves over time by their labels, on the Axes given or in a new figure."""
    with axes(ax) as ax:
        for k, (label, each) in enumerate(values.items()):
            curve(ax, run, each, **look.curve(k, label))
        finish(ax, run, ylabel, look, list(values))
    return ax
