"""Which link pushes against which obstacle, where and when, and how much of it propels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.motion import (
    along_and_across,
    checked_least,
    checked_window,
    places_along_body,
    touched_places,
)
from serpenoid.checks import real_number
from serpenoid.engine.contact_table import ContactTable
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pushes:
    """Places where the robot pushes against obstacles, one in each entry, by window of time.

    Attributes:
        time: Beginning of the window, (p,), s.
        kind: What is pushed, (p,): 'peg', 'wall', 'terrain' or 'load'.
        index: Which one, (p,): that of `world.pegs`, `world.walls` or `world.loads`.
        link: The link that pushes hardest, (p,); 0 is the tail.
        first_link: The rearmost of the neighbouring links that touch it, (p,).
        last_link: The foremost of them, (p,).
        point: Mean of the points of contact, weighted by force, (p, 2), m.
        height: Distance of this point to the left of the centre line, (p,), m.
        body: Place along the body, (p,): the number of a link at its middle, half more at its head
            end.
        force: Force on the robot, mean over the window, (p, 2), N.
        along: Its component along the centre line, (p,), N; positive if it propels.
        direction_deg: Direction of the centre line, deg.
        window: Length of the windows, s: whole rows.
    """

    time: Floats
    kind: npt.NDArray[np.str_]
    index: Ints
    link: Ints
    first_link: Ints
    last_link: Ints
    point: Floats
    height: Floats
    body: Floats
    force: Floats
    along: Floats
    direction_deg: float
    window: float

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"<Pushes: {len(self)}>"

    def at(self, time: float) -> npt.NDArray[np.bool_]:
        """Choose the push points of one window.

        Args:
            time: A time within the window, s; its beginning counts.

        Returns:
            A mask of the entries, (p,); none if nothing is pushed in this window.
        """
        since = real_number("time", time, "a finite number") - self.time + 1e-9
        mask: npt.NDArray[np.bool_] = (since >= 0) & (since < self.window)
        return mask


@dataclass(frozen=True, eq=False)
class PropulsiveShare:
    """Share of contact forces that acts along the direction of travel: 1 if all of it propels.

    Attributes:
        total: Of all links: sum of the components along it over the sum of the magnitudes.
        links: Of each link, (n,); NaN where nothing is touched.
        direction_deg: The direction, deg.
    """

    total: float
    links: Floats
    direction_deg: float


def pushes(
    run: Trajectory, window: float, least: float, direction_deg: float | None = None
) -> Pushes:
    """Push points by link and obstacle, in each window of time.

    They are those that `push_points` counts. The centre line goes through the mean of the
    positions of the centre of mass.

    Args:
        run: A run that has recorded its contacts.
        window: Length of the windows, s.
        least: Least force, N: the magnitudes of a place's forces, averaged over the window.
        direction_deg: Direction of the centre line, deg; from the first to the last position of
            the centre of mass if not given.

    Returns:
        The push points, by time, kind and index of what is pushed, and link.

    Raises:
        InvalidInput: The run has not recorded its contacts, or a value is not allowed.
    """
    if not run.scenario.record.contacts:
        raise InvalidInput("this run has no contacts: record them, record.contacts = true")
    direction = _direction(run, direction_deg)
    least = checked_least(least)
    rows = round(checked_window(run, window) / run.scenario.record.period)
    touched = touched_places(run, rows, (len(run.time) - 1) // rows)
    pushed = np.flatnonzero(touched.force > least)
    order = np.lexsort((pushed, touched.window[pushed]))
    places = np.split(np.arange(len(touched.place)), np.flatnonzero(np.diff(touched.place)) + 1)
    table, body = run.contacts, places_along_body(run)
    found = [
        _place(table.where(mine), body[mine], rows)
        for mine in (touched.contact[places[p]] for p in pushed[order])
    ]
    columns = {name: np.array([each[name] for each in found]) for name in _KINDS}
    columns = {name: column.astype(_KINDS[name]) for name, column in columns.items()}
    columns["point"], columns["force"] = (
        columns[name].reshape(-1, 2) for name in ("point", "force")
    )
    beside = columns["point"] - run.centre_of_mass().mean(axis=0)
    return Pushes(
        time=run.time[touched.window[pushed[order]] * rows],
        height=along_and_across(beside, np.array(direction))[:, 1],
        along=along_and_across(columns["force"], np.array(direction))[:, 0],
        direction_deg=math.degrees(direction),
        window=rows * run.scenario.record.period,
        **columns,
    )


def propulsive_share(run: Trajectory, direction_deg: float | None = None) -> PropulsiveShare:
    """Share of the contact forces that propels [transeth2008 VII-B].

    Args:
        run: A run.
        direction_deg: Direction of travel, deg; from the first to the last position of the centre
            of mass if not given.

    Returns:
        The share, in all and by link.

    Raises:
        InvalidInput: Nothing is touched, or the robot is where it began and no direction is given.
    """
    direction = _direction(run, direction_deg)
    force = run.columns["contact_force"][1:]
    size = np.hypot(force[..., 0], force[..., 1]).sum(axis=0)
    along = along_and_across(force, np.array(direction))[..., 0].sum(axis=0)
    if not size.any():
        raise InvalidInput("this run has no contact forces, of which a share could propel")
    links = np.divide(along, size, out=np.full(len(size), np.nan), where=size > 0)
    return PropulsiveShare(float(along.sum() / size.sum()), links, math.degrees(direction))


_KINDS: dict[str, type] = {
    "kind": np.str_,
    "index": np.int64,
    "link": np.int64,
    "first_link": np.int64,
    "last_link": np.int64,
    "point": np.float64,
    "body": np.float64,
    "force": np.float64,
}


def _place(found: ContactTable, body: Floats, rows: int) -> dict[str, object]:
    """One push point, of its contacts in a window of some rows and their places on the body."""
    size = np.hypot(*found.force.T)
    return {
        "kind": found.kind[0],
        "index": found.index[0],
        "link": np.bincount(found.link, size).argmax(),
        "first_link": found.link.min(),
        "last_link": found.link.max(),
        "point": np.average(found.point, axis=0, weights=size),
        "body": np.average(body, weights=size),
        "force": found.force.sum(axis=0) / rows,
    }


def _direction(run: Trajectory, direction_deg: float | None) -> float:
    """The direction of travel, rad."""
    if direction_deg is not None:
        return math.radians(real_number("direction_deg", direction_deg, "a finite number"))
    centre = run.centre_of_mass()
    gone = centre[-1] - centre[0]
    if not gone.any():
        raise InvalidInput(
            "direction_deg is missing: the robot ends where it began, so it must be given"
        )
    return math.atan2(gone[1], gone[0])
