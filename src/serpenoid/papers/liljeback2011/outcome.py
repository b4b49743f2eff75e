"""What is kept of a run through a field: a hundred numbers, enough for every claim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.following import (
    cross_track,
    forward_velocity,
    heading_error,
    jams,
    measured_force,
    progress,
)
from serpenoid.analysis.motion import along_and_across, crossings
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.papers.liljeback2011.passage import Passage
from serpenoid.papers.liljeback2011.study import MIDDLE, WAYPOINTS, Case, scenario
from serpenoid.papers.paper import run_as_far_as_possible

# One swing of the head link, 360 deg at 40 deg/s, s.
SWING = 9.0
# Percentiles that are kept.
PERCENTILES = (0.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 100.0)
# A robot stands from when on it gains less than this, m.
STANDS = 0.05


@dataclass(frozen=True, eq=False)
class Outcome(Passage):
    """Results of a run until the last waypoint, or its end.

    Attributes:
        case: The case.
        times: Times at which waypoints were reached, (5,), s; inf if not reached.
        stopped: The reason why the run ended early; empty if it did not.
        ended: Time at which it ended or all waypoints were reached, s.
        largest_deg: Largest joint angle, deg.
        turned_over: Time from when on a joint was beyond 180 deg, s; inf if none was.
        crossed: Time when links of the robot lay across each other first, s; inf if they never did.
        velocity: Mean forward velocity, m/s.
        by_leg: Mean forward velocity on each leg that was reached, (5,), m/s; else NaN.
        momentary: Percentiles of the forward velocity, m/s.
        by_swing: Percentiles of its mean over a swing, m/s.
        sideways: Cross-track error, mean of the last swing before each waypoint, (5,), m; else NaN.
        heading: The same of the heading error, rad.
        changes: Changes of sign of the cross-track error on each leg, (5,).
        heading_changes: The same of the heading error.
        forces: Sizes of the forces across links in contact, means over 20 ms: mean and percentiles,
            N.
        sound_forces: The same until a joint was beyond 180 deg or links crossed.
        middle: The same of the paper's link 5, all the time, contact or not.
        jams: Beginning and end of each jam, (jams, 2), s.
        stands_from: Time from when on it gains less than 5 cm on its leg, s.
        stands_at: Where it is then on its leg, as a share of that.
        overlap: How deep the centre of the paper's link 5 was in a peg, m.
    """

    case: Case
    times: tuple[float, ...]
    stopped: str
    ended: float
    largest_deg: float
    turned_over: float
    crossed: float
    velocity: float
    by_leg: tuple[float, ...]
    momentary: tuple[float, ...]
    by_swing: tuple[float, ...]
    sideways: tuple[float, ...]
    heading: tuple[float, ...]
    changes: tuple[float, ...]
    heading_changes: tuple[float, ...]
    forces: tuple[float, ...]
    sound_forces: tuple[float, ...]
    middle: tuple[float, ...]
    jams: tuple[tuple[float, ...], ...]
    stands_from: float
    stands_at: float
    overlap: float

    @property
    def links_crossed(self) -> bool:
        """Whether links of the robot lay across each other."""
        return self.crossed < np.inf


def pass_through(case: Case) -> Outcome:
    """Run a case; a run that stops early counts up to there."""
    run, stopped = run_as_far_as_possible(scenario(case))
    return measure(case, run, stopped)


def measure(case: Case, run: Trajectory, stopped: str = "") -> Outcome:
    """Measure a run.

    Args:
        case: Its case.
        run: The run.
        stopped: The reason why it ended early.

    Returns:
        What is kept of it.
    """
    done = progress(run)
    last = int((run.time <= done.times[-1]).sum())
    rows = slice(0, last)
    leg = done.leg[rows]
    velocity, beside, off = (
        each(run)[rows] for each in (forward_velocity, cross_track, heading_error)
    )
    force = np.abs(measured_force(run)[rows])
    reached = [done.times[k] <= run.time[last - 1] for k in range(WAYPOINTS)]
    ends = [int((run.time < time).sum()) for time in done.times]
    swing = max(1, round(SWING / run.scenario.record.period))
    gained, share = _advance(run, rows, done.leg, done.direction, done.path.corners)
    stands = int(np.argmax(gained[-1] - gained < STANDS)) if last else 0

    def each_leg(values: Floats) -> tuple[float, ...]:
        """Mean over the last swing before each waypoint that was reached."""
        return _kept(
            [
                values[max(0, end - swing) : end].mean() if ok and end else np.nan
                for ok, end in zip(reached, ends, strict=True)
            ]
        )

    joints = np.degrees(np.abs(np.diff(run.columns["theta"][rows], axis=1))).max(axis=1)
    turned_over = _first(run, joints > 180)
    crossed = _first(run, crossings(run)[rows] > 0)
    sound = force[run.time[rows] < min(turned_over, crossed)]
    return Outcome(
        case=case,
        times=_kept(done.times),
        stopped=stopped,
        ended=float(run.time[last - 1]),
        largest_deg=float(joints.max()),
        turned_over=turned_over,
        crossed=crossed,
        velocity=float(velocity.mean()),
        by_leg=_kept(
            [velocity[leg == k].mean() if (leg == k).any() else np.nan for k in range(WAYPOINTS)]
        ),
        momentary=_kept(np.percentile(velocity, PERCENTILES)),
        by_swing=_kept(np.percentile(_smooth(velocity, swing), PERCENTILES)),
        sideways=each_leg(beside),
        heading=each_leg(off),
        changes=_changes(beside, leg),
        heading_changes=_changes(off, leg),
        forces=_sizes(force[force > 0]),
        sound_forces=_sizes(sound[sound > 0]),
        middle=_sizes(force[:, MIDDLE]),
        jams=_jams(run),
        stands_from=float(run.time[stands]),
        stands_at=float(share[stands]),
        overlap=_overlap(run, rows),
    )


def _jams(run: Trajectory) -> tuple[tuple[float, float], ...]:
    """Beginning and end of each jam; none in a run that stopped within seconds, s."""
    if run.time[-1] - run.time[0] < SWING + 1.0:
        return ()
    return tuple((jam.start, jam.end) for jam in jams(run))


def _kept(values: npt.ArrayLike) -> tuple[float, ...]:
    """Numbers with six digits."""
    return tuple(float(f"{value:.6g}") for value in np.asarray(values, dtype=float))


def _first(run: Trajectory, true: npt.NDArray[np.bool_]) -> float:
    """Time of the first row in which something is true, s; inf if it never is."""
    return float(run.time[np.argmax(true)]) if true.any() else float("inf")


def _sizes(force: Floats) -> tuple[float, ...]:
    """Mean and percentiles of forces."""
    if not force.size:
        return (0.0,) * (1 + len(PERCENTILES))
    return _kept([force.mean(), *np.percentile(force, PERCENTILES)])


def _smooth(values: Floats, rows: int) -> Floats:
    """Running means over so many rows, or over all if there are fewer."""
    rows = min(rows, len(values))
    sums = np.cumsum(np.concatenate([[0.0], values]))
    means: Floats = (sums[rows:] - sums[:-rows]) / rows
    return means


def _changes(values: Floats, leg: npt.NDArray[np.int_]) -> tuple[float, ...]:
    """Changes of sign on each leg."""
    positive = values > 0
    changed = (positive[1:] != positive[:-1]) & (leg[1:] == leg[:-1])
    return _kept(np.bincount(leg[1:][changed], minlength=WAYPOINTS))


def _advance(
    run: Trajectory,
    rows: slice,
    leg: npt.NDArray[np.int_],
    direction: Floats,
    corners: Floats,
) -> tuple[Floats, Floats]:
    """Furthest advance along the path so far, m, and the position as a share of the leg."""
    com = run.centre_of_mass()
    steps = np.diff(com, axis=0, prepend=com[:1])
    gained = np.cumsum(along_and_across(steps, direction)[:, 0])[rows]
    length = np.hypot(*np.diff(corners, axis=0).T)
    along = along_and_across(com - corners[leg], direction)[:, 0]
    return np.maximum.accumulate(gained), (along / length[leg])[rows]


def _overlap(run: Trajectory, rows: slice) -> float:
    """Greatest depth of the centre of the paper's link 5 in a peg, m."""
    pegs = run.scenario.built[1].pegs
    x, y = (run.columns[name][rows, MIDDLE] for name in ("x", "y"))
    depth = max(float((p.radius - np.hypot(x - p.x, y - p.y)).max()) for p in pegs)
    return max(0.0, depth)
