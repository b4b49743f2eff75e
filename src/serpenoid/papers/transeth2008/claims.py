"""What the paper says, measured."""

from __future__ import annotations

import numpy as np

from serpenoid.analysis.motion import pushing_links, time_past
from serpenoid.fields import aiko_track
from serpenoid.papers.paper import Claim, Finding, Results, Table, Verdict, near
from serpenoid.papers.transeth2008.experiments import LINK_DIAMETER
from serpenoid.trajectory import Trajectory

# The paper counts links from the head, 1 to 11; its link 6 is the middle one.
MIDDLE = 5
LAST_PEG = aiko_track()[-1].x


def middle_speed(run: Trajectory, start: float, end: float) -> float:
    """Mean speed of the middle link along x between two times, cm/s."""
    first, last = (int(np.abs(run.time - time).argmin()) for time in (start, end))
    x = run.columns["x"][:, MIDDLE]
    return float(100 * (x[last] - x[first]) / (run.time[last] - run.time[first]))


def behind(run: Trajectory, ideal: Trajectory) -> float:
    """How far the middle link is behind that of the ideal run, mean of 1 s to 9 s, cm."""
    rows = (run.time >= 1.0) & (run.time <= 9.0)
    gap = ideal.columns["x"][rows, MIDDLE] - run.columns["x"][rows, MIDDLE]
    return float(100 * gap.mean())


def force_per_thrust(run: Trajectory) -> float:
    """Sum of the sizes of all contact forces over their sum along x, 1 if all pushed forward."""
    force = run.columns["contact_force"]
    return float(np.linalg.norm(force, axis=2).sum() / force[..., 0].sum())


def work_per_metre(run: Trajectory) -> float:
    """Work of the actuators per metre the middle link came forward, J/m."""
    x = run.columns["x"][:, MIDDLE]
    return float(run.energy()["actuator"] / (x[-1] - x[0]))


def _flat_speed(results: Results) -> Finding:
    run: Trajectory = results["flat"]
    speed = 100 * float(run.mean_velocity()[0])
    return near(speed, -1.0, f"centre of mass over {run.time[-1]:g} s; link 6 alone swings")


def _track_speed(results: Results) -> Finding:
    return near(middle_speed(results["track"], 1.0, 10.0), 15.0, "link 6, 1 s to 10 s")


def _speed_ratio(results: Results) -> Finding:
    flat = 100 * float(results["flat"].mean_velocity()[0])
    track = middle_speed(results["track"], 1.0, 10.0)
    if flat * track > 0:
        return Finding(abs(track / flat), Verdict.NOT_REPRODUCED, "in the same direction")
    return near(abs(track / flat), 15.0, "in the opposite direction")


def _three_push_points(results: Results) -> Finding:
    moving = pushing_links(results["track"])
    stuck = pushing_links(results["peg3_removed"])[-25:]
    share = float((moving >= 3).mean())
    right = bool(share > 0.9 and np.median(stuck) < 3)
    note = (
        f"at least three links push in {100 * share:.0f} % of all 0.2 s windows on the track; with "
        f"peg 3 removed the robot stops with {np.median(stuck):g}"
    )
    return Finding(float(np.median(moving)), _verdict(right), note)


def _peg3_removed(results: Results) -> Finding:
    done = time_past(results["peg3_removed"], LAST_PEG) is not None
    reach = results["peg3_removed"].columns["x"][-1, MIDDLE]
    return Finding(done, _verdict(not done), f"link 6 stays at x = {reach:.2f} m")


def _peg3_moved(results: Results) -> Finding:
    when = time_past(results["peg3_moved"], LAST_PEG)
    thin = time_past(results["peg3_moved_thin"], LAST_PEG)
    note = (
        f"head past the last peg at {when:.1f} s" if when is not None else "stuck on the way"
    ) + f", on the pegs of VIII-B; with pegs of 12.5 mm {'too' if thin else 'it gets stuck'}"
    return Finding(when is not None, _verdict(when is not None), note)


def _same_path(results: Results) -> Finding:
    """Largest distance between the paths of link 6, both as y over x."""
    one, other = results["track"], results["small_pegs"]
    x = np.linspace(0.6, 1.9, 200)
    y = [
        np.interp(x, run.columns["x"][:, MIDDLE], run.columns["y"][:, MIDDLE])
        for run in (one, other)
    ]
    apart = float(100 * np.abs(y[0] - y[1]).mean())
    note = f"mean distance across; link diameter {100 * LINK_DIAMETER:.3g} cm"
    return Finding(apart, _verdict(apart < 2.0, close=apart < 5.0), note)


def _phase_30(results: Results) -> Finding:
    speed = middle_speed(results["phase_30"], 5.0, 10.0)
    note = "mean of 5 s to 10 s, on pegs laid out for this wave"
    return Finding(speed, _verdict(speed < 1.0, close=speed < 3.0), note)


def _phase_70(results: Results) -> Finding:
    speed = middle_speed(results["phase_70"], 5.0, 10.0)
    note = "mean of 5 s to 10 s, on pegs laid out for this wave"
    return Finding(speed, _verdict(speed > 5.0, close=speed > 2.0), note)


def _phase_70_thrust(results: Results) -> Finding:
    wide, narrow = results["track"], results["phase_70"]
    ratio = force_per_thrust(narrow) / force_per_thrust(wide)
    note = (
        f"contact force per thrust {force_per_thrust(narrow):.2f} against "
        f"{force_per_thrust(wide):.2f}; the motors yet do less work, "
        f"{work_per_metre(narrow):.1f} against {work_per_metre(wide):.1f} J/m"
    )
    return Finding(ratio, _verdict(ratio > 1.0), note)


def _behind_the_simulation(results: Results) -> Finding:
    """The paper names causes but no amounts beyond delay and play; both taken at their ends."""
    runs = {(cause, value): run for cause, value, run in results["causes"]}
    low, high = (
        behind(runs["delay and play", value], results["track"])
        for value in ("50 ms and 2 deg", "150 ms and 3 deg")
    )
    right = low >= 3.0 and high <= 4.0
    note = (
        f"{low:.1f} cm with the least delay and play of VIII-E, {high:.1f} cm with the most; "
        "torque limit and placement add next to nothing"
    )
    return Finding(high, _verdict(right, close=low <= 4.0 and high >= 3.0), note)


def _cause_rows(results: Results) -> list[list[str]]:
    rows = [["cause", "value", "behind the ideal run (cm)", "speed 1 s to 10 s (cm/s)"]]
    for cause, value, run in results["causes"]:
        if run is None:
            rows.append([cause, value, "the robot would stand in a peg", "–"])
            continue
        speed = middle_speed(run, 1.0, 10.0)
        rows.append([cause, value, f"{behind(run, results['track']):.2f}", f"{speed:.2f}"])
    return rows


def _verdict(right: bool, *, close: bool = False) -> Verdict:
    if right:
        return Verdict.REPRODUCED
    return Verdict.CLOSE if close else Verdict.NOT_REPRODUCED


CLAIMS = (
    Claim("flat_speed", "speed on the flat, backwards", -1.0, "cm/s", _flat_speed),
    Claim("track_speed", "speed along the pegs", 15.0, "cm/s", _track_speed),
    Claim(
        "speed_ratio",
        "times faster than on the flat, in the opposite direction",
        15.0,
        "",
        _speed_ratio,
    ),
    Claim("three_push_points", "three links must push", 3.0, "links", _three_push_points),
    Claim("peg3_removed", "completes the track without peg 3", False, "", _peg3_removed),
    Claim(
        "peg3_moved",
        "completes it with peg 3 a diameter to the left",
        True,
        "",
        _peg3_moved,
    ),
    Claim(
        "same_path",
        "small and thin pegs give the same path",
        "almost identical",
        "cm",
        _same_path,
    ),
    Claim("phase_30", "phase -30 deg cannot move forward", "no motion", "cm/s", _phase_30),
    Claim("phase_70", "phase -70 deg moves forward", "forward", "cm/s", _phase_70),
    Claim(
        "phase_70_thrust",
        "contact force per thrust grows at -70 deg",
        "larger",
        "",
        _phase_70_thrust,
    ),
    Claim(
        "behind",
        "the real robot is behind the simulation",
        "3 to 4 cm",
        "cm",
        _behind_the_simulation,
    ),
)

TABLES = (Table("Causes of the gap to the experiment (VIII-E)", _cause_rows),)
