"""Kinematics of a run: distances, contacts with obstacles, and crossings of links."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from serpenoid.checks import real_number
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.model.segments import crosses, distance_to_segments


def head_tip(run: Trajectory) -> Floats:
    """Foremost point of the head link's outline.

    Args:
        run: The run.

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

    Where the run has recorded its contacts, neighbouring links that touch the same peg, wall or
    load, or the terrain, do so at one place, and they push if the magnitudes of their forces on it,
    averaged over the window, add up to more than `least`. Otherwise a link pushes if that of its
    whole contact force is above `least`, and neighbouring links that push do so at one place.
    Contacts chatter, so a single row says little: choose the window longer than their bounces and
    shorter than it takes to pass a link.

    Args:
        run: A run.
        window: Length of the windows, s.
        least: Least force, N.

    Returns:
        Counts, (windows,).

    Raises:
        InvalidInput: The window is shorter than the record period or longer than the run, or the
            least force is below 0.
    """
    least = checked_least(least)
    rows = round(checked_window(run, window) / run.scenario.record.period)
    windows = (len(run.time) - 1) // rows
    if run.scenario.record.contacts:
        touched = touched_places(run, rows, windows)
        pushes = touched.window[touched.force > least]
        return np.bincount(pushes, minlength=windows)
    size = np.linalg.norm(run.columns["contact_force"][1 : windows * rows + 1], axis=2)
    by_link = size.reshape(windows, rows, -1).mean(axis=1) > least
    begins = by_link & ~np.pad(by_link, ((0, 0), (1, 0)))[:, :-1]
    places: npt.NDArray[np.int_] = begins.sum(axis=1)
    return places


class TouchedPlaces(NamedTuple):
    """Places where obstacles are touched, in windows of time.

    Attributes:
        contact: Recorded contacts, place by place, (c,).
        place: Place of each, from 0 on, (c,).
        window: Window that each place is in, (p,).
        force: Mean over the window of the magnitudes of its forces, (p,), N.
    """

    contact: npt.NDArray[np.int_]
    place: npt.NDArray[np.int_]
    window: npt.NDArray[np.int_]
    force: Floats


def touched_places(run: Trajectory, rows: int, windows: int) -> TouchedPlaces:
    """Places where neighbouring links touch the same thing in the same window of time.

    Args:
        run: A run that has recorded its contacts.
        rows: Rows of a window.
        windows: Number of windows from the start of the run.

    Returns:
        The places; what links of the robot do to each other is left out.
    """
    window = (contact_rows(run) - 1) // rows
    outside = (run.contacts.link >= 0) & (run.contacts.kind != "link") & (window < windows)
    contact = np.flatnonzero(outside)
    found, window = run.contacts.where(contact), window[contact]
    things = found.kind, found.index, window
    order = np.lexsort((found.link, *things))
    # A place begins where another window or thing does, or links between do not touch it.
    begins = np.diff(found.link[order], prepend=-2) > 1
    for each in things:
        begins[1:] |= each[order][1:] != each[order][:-1]
    place = np.cumsum(begins) - 1
    sums = np.bincount(place, np.hypot(*found.force[order].T), minlength=begins.sum())
    return TouchedPlaces(contact[order], place, window[order][begins], sums / rows)


def contact_rows(run: Trajectory) -> npt.NDArray[np.int_]:
    """Row of the record that each recorded contact is in.

    Args:
        run: A run that has recorded its contacts.

    Returns:
        Indices of rows, (c,).
    """
    return np.searchsorted(run.time, run.contacts.time)


def places_along_body(run: Trajectory) -> Floats:
    """Where on the body recorded contacts of links are.

    Args:
        run: A run that has recorded its contacts.

    Returns:
        Number of the link at its middle, half less at its tail end, half more at its head end,
        (c,); NaN for contacts of loads.
    """
    touched, row = run.contacts, contact_rows(run)
    length = np.array([link.length for link in run.robot.links])[touched.link]
    x, y, angle = (run.columns[name][row, touched.link] for name in ("x", "y", "theta"))
    from_middle = along_and_across(touched.point - np.stack([x, y], axis=1), angle)[:, 0]
    place: Floats = touched.link + np.clip(from_middle / length, -0.5, 0.5)
    return np.where(touched.link >= 0, place, np.nan)


def checked_window(run: Trajectory, window: float) -> float:
    """Check the length of a window of time, s.

    Raises:
        InvalidInput: It is shorter than the record period or longer than the run.
    """
    period, duration = run.scenario.record.period, float(run.time[-1] - run.time[0])
    words = f"at least the record period, {period:g} s, and at most the duration, {duration:g} s"
    # Times of rows are rounded.
    within = (1 - 1e-9) * period, (1 + 1e-9) * duration
    return real_number("window", window, words, lambda s: within[0] <= s <= within[1])


def checked_least(least: float) -> float:
    """Check the force above which a place counts as pushed, N.

    Raises:
        InvalidInput: It is below 0.
    """
    return real_number("least", least, "a finite number, at least 0 (N)", lambda f: f >= 0)


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

    The axes of the links are compared, from hinge to hinge; without self-contact the engine lets
    links pass through each other. Neighbours meet in their hinge and do not count.

    Args:
        run: The run.

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
    across = crosses(tail[:, first], head[:, first], tail[:, second], head[:, second])
    count: npt.NDArray[np.int_] = across.sum(axis=1)
    return count


def along_and_across(vectors: Floats, angle: Floats) -> Floats:
    """Components of vectors of the plane, (..., 2), in axes that are turned by angles, (...), rad.

    Returns:
        Components along and to the left, (..., 2).
    """
    cos, sin = np.cos(angle), np.sin(angle)
    x, y = vectors[..., 0], vectors[..., 1]
    return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)
