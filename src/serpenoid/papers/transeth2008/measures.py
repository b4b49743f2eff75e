"""What is measured on runs along the pegs. Links are numbered as in the paper, 1 is the head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.motion import path_distance, push_points, time_past
from serpenoid.analysis.windows import between
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.papers.paper import Failed
from serpenoid.papers.transeth2008.layouts import MIDDLE

# Half a period of the gait, in which the robot comes a peg further, s.
HALF_PERIOD = 2.25
LINKS = 11


def middle_path(run: Trajectory) -> Floats:
    """Positions of link 6, (rows, 2), m."""
    return np.stack([run.columns[axis][:, MIDDLE] for axis in "xy"], axis=1)


def end_of_track(run: Trajectory) -> float:
    """Time at which the head passes the last peg, s."""
    when = time_past(run, run.world.pegs[-1].x)
    if when is None:
        raise Failed("the robot does not get along the track")
    return when


def mean_speed(run: Trajectory, start: float, end: float) -> float:
    """Mean speed of link 6 along x, cm/s, over the half periods that fit between two times, s."""
    whole = int((end - start) / HALF_PERIOD + 1e-9)
    if not whole:
        raise Failed("the run is shorter than half a period of the gait")
    first, last = run.row(start), run.row(start + whole * HALF_PERIOD)
    x = middle_path(run)[:, 0]
    return float(100 * (x[last] - x[first]) / (run.time[last] - run.time[first]))


def track_speed(run: Trajectory) -> float:
    """Mean speed of link 6 from 2 s on until the head passes the last peg, cm/s."""
    return mean_speed(run, 2.0, end_of_track(run))


@dataclass(frozen=True)
class Push:
    """A peg that pushes.

    Attributes:
        link: The link that it pushes hardest, 1 is the head.
        force: Its force on the robot, mean over a time, (2,), N.
        point: Where, (2,), m.
    """

    link: int
    force: Floats
    point: Floats


def least_push(run: Trajectory) -> float:
    """Force above which the robot pushes: a tenth of a link's weight, half its friction, N."""
    return 0.1 * run.robot.links[0].mass * run.world.normal_gravity


def pushes_at(run: Trajectory, time: float, width: float = 0.1) -> list[Push]:
    """Pegs that push about a time, from the head to the tail.

    Args:
        run: A run that has recorded its contacts.
        time: The time, s.
        width: Time over which forces are averaged, s.

    Returns:
        One link for each peg that pushes by more than `least_push`.
    """
    here = between(run, time - width / 2, time + width / 2)
    rows, table = len(here.time) - 1, here.contacts
    found = []
    for peg in np.unique(table.index[table.kind == "peg"]):
        mine = table.where((table.kind == "peg") & (table.index == peg))
        size = np.hypot(*mine.force.T)
        if size.sum() / rows > least_push(run):
            link = LINKS - int(np.bincount(mine.link, size).argmax())
            point = np.average(mine.point, axis=0, weights=size)
            found.append(Push(link, mine.force.sum(axis=0) / rows, point))
    return sorted(found, key=lambda push: push.link)


def mean_forces(run: Trajectory, start: float, end: float) -> Floats:
    """Mean magnitude of the contact force on each link, from the head on, (11,), N."""
    rows = (run.time > start) & (run.time <= end)
    sizes: Floats = np.linalg.norm(run.columns["contact_force"][rows], axis=2).mean(axis=0)[::-1]
    return sizes


def three_at_once(run: Trajectory, window: float) -> float:
    """Share of windows of time in which the robot pushes at three places or more."""
    return float((push_points(run, window, least_push(run)) >= 3).mean())


@dataclass(frozen=True)
class Turn:
    """How a run departs from another that begins alike.

    Attributes:
        time: When their mean headings are half a degree apart, s.
        turned: Largest angle between them, counter-clockwise, in the half period after that, deg.
        left: Mean distance to the left over this time, of all links, cm.
    """

    time: float
    turned: float
    left: float

    @property
    def holds(self) -> bool:
        """Whether it turns counter-clockwise and slides to the left."""
        return self.turned > 0 and self.left > 0


def turn(run: Trajectory, usual: Trajectory) -> Turn:
    """How a run with a peg changed departs from the usual one."""
    heading = np.degrees((run.columns["theta"] - usual.columns["theta"]).mean(axis=1))
    apart = np.flatnonzero(np.abs(heading) > 0.5)
    if not apart.size:
        raise Failed("the run does not depart from the usual one")
    time = float(run.time[apart[0]])
    rows = (run.time >= time) & (run.time <= time + HALF_PERIOD)
    most = heading[rows][np.abs(heading[rows]).argmax()]
    left = (run.columns["y"] - usual.columns["y"])[rows].mean()
    return Turn(time, float(most), float(100 * left))


def paths_apart(one: Trajectory, other: Trajectory) -> tuple[Floats, float]:
    """Distances of the paths of link 6 where both are along the track, and its swing, m.

    Half a period is left out at the beginning of each, in which the start dies out.
    """
    paths = [middle_path(between(run, HALF_PERIOD, end_of_track(run))) for run in (one, other)]
    low, high = max(p[0, 0] for p in paths), min(p[-1, 0] for p in paths)
    first = paths[0][(paths[0][:, 0] > low) & (paths[0][:, 0] < high)]
    if len(first) < 2:
        raise Failed("the paths have no part in common")
    return path_distance(first, paths[1]), float(np.ptp(first[:, 1]))
