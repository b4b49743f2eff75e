"""Kinematics of a run: distances, contacts with obstacles, and crossings of links."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.model.segments import distance_to_segments

Floats = npt.NDArray[np.float64]


def head_tip(run: Trajectory) -> Floats:
    """Foremost point of the head link's outline.

    Returns:
        Positions, (rows, 2), m.
    """
    head = run.robot.links[-1]
    reach = head.straight_length / 2 + head.radius
    angle = run.columns["theta"][:, -1]
    centre = np.stack([run.columns["x"][:, -1], run.columns["y"][:, -1]], axis=1)
    tip: Floats = centre + reach * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return tip


def time_past(run: Trajectory, x: float) -> float | None:
    """Time when the head first passes a line across the x axis.

    Args:
        run: A run.
        x: Position of the line, m.

    Returns:
        Time, s, or None if it never does.
    """
    past = head_tip(run)[:, 0] > x
    return float(run.time[past.argmax()]) if past.any() else None


def push_points(run: Trajectory, window: float, least: float) -> npt.NDArray[np.int_]:
    """Number of places where the robot pushes against obstacles in each window of time.

    A link pushes if the magnitude of its contact force, averaged over the window, is above `least`;
    neighbouring links that push do so at one place. Contacts chatter, so a single row says little:
    choose the window longer than their bounces and shorter than it takes to pass a link.

    Args:
        run: A run.
        window: Length of the windows, s.
        least: Least force, N.

    Returns:
        Counts, (windows,).

    Raises:
        InvalidInput: The window is shorter than the record period or longer than the run.
    """
    period = run.scenario.record.period
    rows = round(window / period)
    windows = (len(run.time) - 1) // max(rows, 1)
    if rows < 1 or windows < 1:
        raise InvalidInput(
            f"window = {window!r} is not allowed: it must be at least the record period, "
            f"{period:g} s, and at most the duration, {run.time[-1] - run.time[0]:g} s"
        )
    size = np.linalg.norm(run.columns["contact_force"][1 : windows * rows + 1], axis=2)
    pushes = size.reshape(windows, rows, -1).mean(axis=1) > least
    begins = pushes & ~np.pad(pushes, ((0, 0), (1, 0)))[:, :-1]
    places: npt.NDArray[np.int_] = begins.sum(axis=1)
    return places


def path_distance(one: Floats, other: Floats) -> Floats:
    """Distance of every point of a path from a polyline.

    Args:
        one: Points of the path, (points, 2), m.
        other: Corners of the polyline, (corners, 2), m.

    Returns:
        Distances, (points,), m.
    """
    nearest = [distance_to_segments(point, other[:-1], other[1:]).min() for point in one]
    return np.array(nearest)


def crossings(run: Trajectory) -> npt.NDArray[np.int_]:
    """Number of pairs of links that cross each other.

    The axes of the links are compared, from hinge to hinge; the engine lets links of one robot pass
    through each other. Neighbours meet in their hinge and do not count.

    Returns:
        Counts, (rows,).
    """
    angle = run.columns["theta"]
    axis = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    half = np.array([link.length for link in run.robot.links])[:, None] / 2
    centre = np.stack([run.columns["x"], run.columns["y"]], axis=2)
    return count_crossings(centre - half * axis, centre + half * axis)


def count_crossings(tail: Floats, head: Floats) -> npt.NDArray[np.int_]:
    """Number of pairs of links that cross each other, neighbours left out.

    Args:
        tail: Rear ends of the links, (rows, n, 2), m.
        head: Front ends of the links, (rows, n, 2), m.

    Returns:
        Counts, (rows,).
    """
    first, second = np.triu_indices(tail.shape[1], k=2)
    apart = _sides(tail, head, first, second) & _sides(tail, head, second, first)
    count: npt.NDArray[np.int_] = apart.sum(axis=1)
    return count


def _sides(
    tail: Floats, head: Floats, one: npt.NDArray[np.int_], other: npt.NDArray[np.int_]
) -> npt.NDArray[np.bool_]:
    """Whether the ends of the other link are on different sides of one, (rows, pairs)."""
    along = head[:, one] - tail[:, one]
    to_tail, to_head = tail[:, other] - tail[:, one], head[:, other] - tail[:, one]
    at_tail = along[..., 0] * to_tail[..., 1] - along[..., 1] * to_tail[..., 0]
    at_head = along[..., 0] * to_head[..., 1] - along[..., 1] * to_head[..., 0]
    different: npt.NDArray[np.bool_] = at_tail * at_head < 0.0
    return different
