"""The differences between robot and simulation that VIII-C and VIII-E name, simulated.

All functions take and return plain values, so that they can run as work of a paper.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.analysis.motion import time_past
from serpenoid.control.gaits import Serpenoid
from serpenoid.control.interface import Command, Observation
from serpenoid.engine.simulate import simulate
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, Overlap, SimulationStopped
from serpenoid.kernels.layout import Floats
from serpenoid.papers.paper import run_as_far_as_possible
from serpenoid.papers.transeth2008.measures import end_of_track, middle_path
from serpenoid.papers.transeth2008.tracks import first_run
from serpenoid.scenario.scenario import Scenario

DELAYS, PLAYS = (0.05, 0.1, 0.15), (2.0, 2.5, 3.0)
_LIMITS = (1.5, 2.0, 3.0, 5.0)


class SentReferences:
    """References of a gait that are sent from time to time, and held in between [VIII-C].

    Args:
        wave: The gait.
        joints: Number of joints.

    Attributes:
        period: Time from one to the next, s.
    """

    period = 0.1

    def __init__(self, wave: Serpenoid, joints: int) -> None:
        self._wave, self._joints = wave, joints

    def command(self, observation: Observation) -> Command:
        """The angles of this time, at rest."""
        return Command(angle=self._wave.angles(self._joints, float(observation.time)))


@dataclass(frozen=True, eq=False)
class Behind:
    """A run with one difference, beside the ideal run.

    Attributes:
        cause: What is different.
        value: By how much, in words.
        gap: Distance of the middle link behind that of the ideal run along x, mean from 1 s until
            the head of the ideal run passes the last peg, m; None if the robot would stand in a
            peg, or does not pass it.
        time: Times of the rows, s.
        x: Position of the middle link along the track, (rows,), m.
        y: Position beside it, (rows,), m.
    """

    cause: str
    value: str
    gap: float | None
    time: Floats
    x: Floats
    y: Floats


@dataclass(frozen=True, eq=False)
class RealRobot:
    """Runs of a robot with the differences of VIII-C and VIII-E.

    Attributes:
        grid: Gaps with some delay and gear play, by both, s and deg; None where there is none.
        alone: One difference at a time, with the references of the formula.
        late: A run with the most delay and play.
    """

    grid: dict[tuple[float, float], float | None]
    alone: list[Behind]
    late: Behind


def real_robots(case: tuple[Scenario, int]) -> dict[tuple[str, str], RealRobot]:
    """Simulate what VIII-E names as causes of the gap between robot and simulation.

    Args:
        case: As of `large_track`, whose run is the ideal one.

    Returns:
        Runs by the readings of the gear play and of the references.
    """
    ideal = first_run(case)
    return {
        (play, references): _real_robot(ideal, width, references == "10 Hz")
        for play, width in (("full width", 1.0), ("each way", 2.0))
        for references in ("10 Hz", "continuous")
    }


def _real_robot(ideal: Trajectory, widths: float, sent: bool) -> RealRobot:
    """The runs with a gear play of so many widths of the deadband."""
    start = ideal.scenario.start

    def run(cause: str, value: str, changes: Mapping[str, Any], sent: bool = False) -> Behind:
        return _behind(ideal, cause, value, changes, sent=sent)

    def both(delay: float, play: float) -> Behind:
        changes = {"controller.delay": delay, "actuator.deadband_deg": widths * play}
        return run("delay and play", f"{1000 * delay:.0f} ms and {play:g} deg", changes, sent)

    several = {(delay, play): both(delay, play) for delay in DELAYS for play in PLAYS}
    alone = [run("references sent", "10 Hz", {}, sent=True)]
    alone += [
        run("start delay", f"{1000 * delay:.0f} ms", {"controller.delay": delay})
        for delay in DELAYS
    ]
    alone += [
        run("gear play", f"{play:g} deg", {"actuator.deadband_deg": widths * play})
        for play in PLAYS
    ]
    alone += [
        run("torque limit", f"{most:g} N m", {"actuator.torque_limit": most}) for most in _LIMITS
    ]
    for key, name, moves, unit, factor in (
        ("start.x", "x", (-0.01, 0.01), "cm", 100.0),
        ("start.y", "y", (-0.01, 0.01), "cm", 100.0),
        ("start.heading_deg", "heading", (-2.0, 2.0), "deg", 1.0),
    ):
        own = getattr(start, key.partition(".")[2])
        alone += [
            run("placement", f"{name} {factor * move:+g} {unit}", {key: own + move})
            for move in moves
        ]
    grid = {key: each.gap for key, each in several.items()}
    return RealRobot(grid, alone, several[DELAYS[-1], PLAYS[-1]])


def _behind(
    ideal: Trajectory, cause: str, value: str, changes: Mapping[str, Any], *, sent: bool
) -> Behind:
    """A run that differs from the ideal one."""
    scenario = ideal.scenario.changed(changes)
    try:
        run = _sent(scenario) if sent else scenario.run()
    except Interrupted:
        raise
    except (Overlap, SimulationStopped):
        return Behind(cause, value, None, np.zeros(0), np.zeros(0), np.zeros(0))
    rows = (run.time >= 1.0) & (run.time <= end_of_track(ideal))
    x, y = middle_path(run).T
    gap = None
    if time_past(run, ideal.world.pegs[-1].x) is not None:
        gap = float((middle_path(ideal)[rows, 0] - x[rows]).mean())
    return Behind(cause, value, gap, run.time, x, y)


def _sent(scenario: Scenario) -> Trajectory:
    """The run with references that are sent."""
    robot, world = scenario.built
    wave = scenario.controller
    assert isinstance(wave, Serpenoid)
    return simulate(
        robot,
        world,
        SentReferences(wave, len(robot.joints)),
        scenario.clock.duration,
        start=scenario.start,
        time_step=scenario.clock.time_step,
        record_period=scenario.record.period,
    )


@dataclass(frozen=True)
class Stepped:
    """The same run by another method or with another time step.

    Attributes:
        method: The method.
        time_step: The step, s.
        passed: When the head passes the last peg, s; None if it never does.
        apart: Largest distance of the middle link from that of the usual run until then, m.
    """

    method: str
    time_step: float
    passed: float | None
    apart: float


def other_steps(case: tuple[Scenario, int]) -> list[Stepped]:
    """Run Aiko along the pegs of VIII-D by the paper's method too, and with other time steps.

    Args:
        case: As of `large_track`.

    Returns:
        What becomes of its run.
    """
    usual = first_run(case)
    # A larger r_H than the paper's finds the same forces in a tenth of the iterations.
    methods = {"newton": {"kind": "newton"}, "prox": {"kind": "prox", "r_normal": 0.3}}
    return [
        _stepped(usual, method, {"solver": methods[method], "clock.time_step": step})
        for method, step in itertools.product(methods, (1e-3, 5e-4, 2e-3))
    ]


def _stepped(usual: Trajectory, method: str, changes: Mapping[str, Any]) -> Stepped:
    run, _ = run_as_far_as_possible(usual.scenario.changed(changes))
    rows = usual.time[: len(run.time)] <= end_of_track(usual)
    gap = (middle_path(run) - middle_path(usual)[: len(run.time)])[rows].T
    return Stepped(
        method,
        changes["clock.time_step"],
        time_past(run, usual.world.pegs[-1].x),
        float(np.hypot(*gap).max()),
    )
