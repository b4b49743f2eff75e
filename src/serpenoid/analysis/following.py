"""Path following, and how contacts contribute to it [liljeback2011].

Contact forces are means since the row before; angles are those of the row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.motion import along_and_across, checked_window
from serpenoid.checks import real_number
from serpenoid.control.feedback import PERIOD, Heading, References
from serpenoid.control.paths import Guidance, Line
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats


@dataclass(frozen=True, eq=False)
class Path:
    """Straight legs to follow.

    Attributes:
        corners: Points where the legs begin and end, (waypoints + 1, 2), m.
        acceptance: Radius of the circle in which a waypoint counts as reached, m.
        endless: Whether the path is one leg without an end.
    """

    corners: Floats
    acceptance: float
    endless: bool


@dataclass(frozen=True, eq=False)
class Progress:
    """Progress of a run along its path.

    Attributes:
        path: The path.
        times: Times when the waypoints were reached, (waypoints,), s; inf if one was not.
        leg: Index of the leg followed in every row, (rows,).
        direction: Direction of that leg, (rows,), rad, in the turn nearest to the heading when the
            leg began.
    """

    path: Path
    times: Floats
    leg: npt.NDArray[np.int_]
    direction: Floats


@dataclass(frozen=True, eq=False)
class Propulsion:
    """Contact forces along the heading.

    Attributes:
        along: Contact force on each link along the heading, (rows, links), N.
        normal: The part of it from the force across the link, -rho sin(theta - heading)
            [liljeback2011 (9)], (rows, links), N.
        forward: Sum of the positive values of `along`, (rows,), N.
        backward: Sum of the negative values of `along`, (rows,), N.
    """

    along: Floats
    normal: Floats
    forward: Floats
    backward: Floats


@dataclass(frozen=True)
class Jam:
    """An interval in which a robot neither advances nor turns.

    Attributes:
        start: Beginning, s.
        end: End, s.
        x: Mean position of the centre of mass, m.
        y: Mean position of the centre of mass, m.
        links: Links pushed by an obstacle in at least a quarter of the rows; the wave of the body
            lifts a link off most of the time.
    """

    start: float
    end: float
    x: float
    y: float
    links: tuple[int, ...]


def heading(run: Trajectory) -> Floats:
    """Heading of the robot, the mean of its link angles [liljeback2011 (5)].

    Args:
        run: The run.

    Returns:
        Heading, (rows,), rad.
    """
    mean: Floats = run.columns["theta"].mean(axis=1)
    return mean


def forward_velocity(run: Trajectory) -> Floats:
    """Velocity of the centre of mass along the heading [liljeback2011 (7)].

    Args:
        run: The run.

    Returns:
        Velocity, (rows,), m/s.
    """
    return along_and_across(run.centre_velocity(), heading(run))[:, 0]


def measured_force(run: Trajectory) -> Floats:
    """Contact force across every link [liljeback2011 (8)].

    Args:
        run: The run.

    Returns:
        Forces, (rows, links), N, positive to the left of the link.
    """
    return along_and_across(run.columns["contact_force"], run.columns["theta"])[..., 1]


def propulsive(run: Trajectory) -> Propulsion:
    """Contact forces along the heading, and which of them propel or hinder the robot.

    Args:
        run: The run.

    Returns:
        The forces of each row, N.
    """
    angle = heading(run)[:, None]
    along = along_and_across(run.columns["contact_force"], angle)[..., 0]
    return Propulsion(
        along=along,
        normal=-measured_force(run) * np.sin(run.columns["theta"] - angle),
        forward=along.clip(min=0).sum(axis=1),
        backward=along.clip(max=0).sum(axis=1),
    )


def controller_parts(controller: object) -> tuple[object, ...]:
    """Parts of a controller; a single one is its own part."""
    return controller.parts if isinstance(controller, References) else (controller,)


def check_path(controller: object) -> None:
    """Check that a controller follows a path.

    Raises:
        InvalidInput: It follows none.
    """
    if _guidance(controller) is None:
        raise InvalidInput("this run has no path: its controller must be or contain a Heading")


def _guidance(controller: object) -> Guidance | None:
    parts = controller_parts(controller)
    return next((part.path for part in parts if isinstance(part, Heading)), None)


def find_path(run: Trajectory) -> Path | None:
    """The path of a run, or None if its controller has none."""
    guidance = _guidance(run.scenario.controller)
    if guidance is None:
        return None
    fields = guidance.fields()
    begun = run.centre_of_mass()[0] if run.began_at is None else run.began_at
    begin = np.array(begun if fields["from_start"] else fields["leg"])
    return Path(
        corners=np.concatenate([begin[None], fields["path"]]),
        acceptance=float(fields.get("acceptance", 0.0)),
        endless=isinstance(guidance, Line),
    )


def progress(run: Trajectory) -> Progress:
    """Legs of the path that a run follows, row by row [liljeback2011 Algorithm 11].

    They are found from the centre of mass in the recorded rows. In a run that was continued,
    waypoints reached before count as reached, and a first leg from the robot begins where the run
    does.

    Args:
        run: A run whose controller follows a path.

    Returns:
        The path, the time when each waypoint was reached, and the leg of each row.

    Raises:
        InvalidInput: The run has no path.
    """
    check_path(run.scenario.controller)
    path = find_path(run)
    assert path is not None
    com, angle = run.centre_of_mass(), heading(run)
    count = len(path.corners) - 1
    times = _reached_before(run, count)
    leg = int(np.isfinite(times).sum())
    legs, directions = np.zeros(len(com), dtype=int), np.zeros(len(com))
    direction = _direction(path, min(leg, count - 1), angle[0])
    # A controller passes one waypoint a tick; there may be several ticks in a row.
    period = float(getattr(run.scenario.controller, "period", PERIOD))
    most = max(1, round(run.scenario.record.period / period))
    for row, position in enumerate(com):
        for _ in range(most):
            if leg == count or not _accepted(path, leg, direction, position):
                break
            times[leg] = run.time[row]
            leg += 1
            if leg < count:
                direction = _direction(path, leg, angle[row])
        legs[row], directions[row] = min(leg, count - 1), direction
    return Progress(path, times, legs, directions)


def waypoint_times(run: Trajectory) -> Floats:
    """Time when each waypoint was reached, which is that of the first row after it.

    Args:
        run: A run whose controller follows a path.

    Returns:
        Times, (waypoints,), s; inf for waypoints that were not reached.

    Raises:
        InvalidInput: The run has no path.
    """
    return progress(run).times


def cross_track(run: Trajectory) -> Floats:
    """Cross-track error, positive to the left of the leg that is followed.

    Args:
        run: A run whose controller follows a path.

    Returns:
        Distance of the centre of mass from the leg, (rows,), m.

    Raises:
        InvalidInput: The run has no path.
    """
    done = progress(run)
    beside = run.centre_of_mass() - done.path.corners[done.leg]
    return along_and_across(beside, done.direction)[:, 1]


def heading_error(run: Trajectory) -> Floats:
    """Heading minus direction of the leg that is followed.

    Args:
        run: A run whose controller follows a path.

    Returns:
        Error, (rows,), rad.

    Raises:
        InvalidInput: The run has no path.
    """
    return heading(run) - progress(run).direction


def jams(
    run: Trajectory, window: float = 10.0, least: float = 0.05, turn_deg: float = 15.0
) -> list[Jam]:
    """Intervals in which the robot gets nowhere: its centre of mass stays, and it does not turn.

    In a window that counts, the centre of mass advances less than `least` along the path, at its
    end is less than `least` from where it was, and the heading less than `turn_deg`. Windows that
    overlap are one jam. Nothing counts after the last waypoint is reached.

    Args:
        run: A run with a path.
        window: Length of the windows, s; about a cycle of the gait.
        least: Distance below which a robot is jammed in a window, m.
        turn_deg: Turn of the heading below which it is, deg.

    Returns:
        The jams in order of time.

    Raises:
        InvalidInput: The run has no path, or a value is not allowed.
    """
    done = progress(run)
    end = min(float(run.time[-1]), float(done.times[-1]))
    window = checked_window(run, window)
    least = real_number("least", least, "greater than 0 (m)", lambda m: m > 0)
    turn_deg = real_number("turn_deg", turn_deg, "greater than 0 (deg)", lambda deg: deg > 0)
    com, angle, turn = run.centre_of_mass(), heading(run), math.radians(turn_deg)
    steps = np.diff(com, axis=0, prepend=com[:1])
    gained = np.cumsum(along_and_across(steps, done.direction)[:, 0])
    spans: list[tuple[int, int]] = []
    for first in range(len(com)):
        # Times of rows are rounded.
        last = int(np.searchsorted(run.time, run.time[first] + window - 1e-9))
        if last >= len(com) or run.time[last] > end + 1e-9:
            break
        advance = gained[first : last + 1].max() - gained[first]
        away = math.hypot(*(com[last] - com[first]))
        if max(advance, away) < least and abs(angle[last] - angle[first]) < turn:
            begin = spans.pop()[0] if spans and first <= spans[-1][1] else first
            spans.append((begin, last))
    return [_jam(run, com, first, last) for first, last in spans]


def _jam(run: Trajectory, com: Floats, first: int, last: int) -> Jam:
    rows = slice(first, last + 1)
    pushed = run.columns["contact_force"][rows].any(axis=2).mean(axis=0) >= 0.25
    x, y = com[rows].mean(axis=0)
    return Jam(
        start=float(run.time[first]),
        end=float(run.time[last]),
        x=float(x),
        y=float(y),
        links=tuple(int(link) for link in np.flatnonzero(pushed)),
    )


def _reached_before(run: Trajectory, count: int) -> Floats:
    """Times when waypoints were reached before the run began, (count,), s; inf for all others."""
    kept = run.state.memory[layout.MEMORY_HEAD : layout.MEMORY_HEAD + count]
    times = np.full(count, math.inf)
    times[: len(kept)] = np.where(kept < run.time[0] - 1e-9, kept, math.inf)
    return times


def _direction(path: Path, leg: int, near: float) -> float:
    """Direction of a leg in the turn nearest to another angle, rad."""
    # Compiled, and the package is to be there before what compiles it is loaded.
    from serpenoid.kernels.drive import turned_towards

    dx, dy = path.corners[leg + 1] - path.corners[leg]
    return float(turned_towards(math.atan2(dy, dx), near))


def _accepted(path: Path, leg: int, direction: float, position: Floats) -> bool:
    """Whether a position is inside the circle around the end of a leg, or beyond that end."""
    dx, dy = position - path.corners[leg + 1]
    beyond = dx * math.cos(direction) + dy * math.sin(direction)
    return bool(beyond > 0.0 or dx * dx + dy * dy < path.acceptance**2)
