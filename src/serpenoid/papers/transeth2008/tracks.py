"""Runs along the pegs from starts that a seeded search finds, and what peg 3 does.

All functions take and return plain values, so that they can run as work of a paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from serpenoid.analysis.motion import head_tip, time_past
from serpenoid.analysis.starts import StartBox, clear_starts, runs_of
from serpenoid.control.gaits import Serpenoid
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import SimulationStopped
from serpenoid.model.fields import pegs_for_wave, start_on_wave
from serpenoid.model.world import World
from serpenoid.papers.paper import Failed, run_as_far_as_possible
from serpenoid.papers.transeth2008.layouts import WAVE, peg_3_moved, without_peg_3
from serpenoid.papers.transeth2008.measures import track_speed
from serpenoid.scenario.scenario import Scenario

_SEED = 2008
# Radius of the pegs of Fig. 12, m, of those that VIII-B prints the middle one.
_SMALL = 0.02


@dataclass(frozen=True, eq=False)
class Tried:
    """What became of starts that touch nothing, drawn at random.

    Attributes:
        passed: How many passed the last peg.
        clear: How many were tried.
        drawn: How many were drawn for them.
        run: The first run that passed; None if none did.
    """

    passed: int
    clear: int
    drawn: int
    run: Trajectory | None


@dataclass(frozen=True, eq=False)
class Track:
    """Runs of Aiko along pegs.

    Attributes:
        before: Starts roughly along the wave where the head has not passed peg 3.
        among: Starts along the wave, a few centimetres and degrees off, among three pegs.
        anywhere: Starts anywhere in the first half of the track; None if these were not tried.
        moved: From the start of the first run of `before`, with peg 3 moved; None without one.
        removed: The same without peg 3.
        robust: Whether to show a run that begins before peg 3 only if half of these starts run, so
            that small differences do not decide whether it runs.
    """

    before: Tried
    among: Tried
    anywhere: Tried | None = None
    moved: Trajectory | None = None
    removed: Trajectory | None = None
    robust: bool = False

    @property
    def run(self) -> Trajectory:
        """The first run that begins before peg 3, or else among three pegs."""
        usual = not self.robust or 2 * self.before.passed >= self.before.clear
        run = (self.before.run if usual else None) or self.among.run
        if run is None:
            raise Failed("the robot gets along the track from no start")
        return run

    @property
    def last_peg(self) -> float:
        """Position of the last peg, m."""
        return self.run.world.pegs[-1].x

    @property
    def peg_3(self) -> tuple[Trajectory, Trajectory, Trajectory]:
        """Runs that begin before peg 3, with the track as it is, peg 3 moved, and without it."""
        if self.before.run is None or self.moved is None or self.removed is None:
            raise Failed(
                f"none of {self.before.clear} starts before peg 3 gets along the whole track"
            )
        return self.before.run, self.moved, self.removed


def small_track(case: tuple[Scenario, int]) -> Track:
    """Run Aiko along small pegs, and with the third moved and removed [VIII-B].

    Args:
        case: A scenario that starts along the wave before peg 3, and how many starts before peg 3
            are tried; half as many are among three pegs.

    Returns:
        The runs.
    """
    scenario, count = case
    before, among = _before_peg_3(scenario, count), _among_pegs(scenario, count // 2)
    if before.run is None:
        return Track(before, among)
    pegs, begun = scenario.built[1].pegs, before.run.scenario
    moved, removed = (
        run_as_far_as_possible(begun.changed({"world": World(pegs=change(pegs))}))[0]
        for change in (peg_3_moved, without_peg_3)
    )
    return Track(before, among, moved=moved, removed=removed)


def large_track(case: tuple[Scenario, int]) -> Track:
    """Run Aiko along the pegs of VIII-D.

    Args:
        case: A scenario that starts along the wave before peg 3, and how many starts before peg 3
            are tried; half as many more are anywhere, and half as many among three pegs.

    Returns:
        The runs.
    """
    scenario, count = case
    box = StartBox(x=(-0.35, 0.45), y=(-0.1, 0.25), heading_deg=(-20.0, 20.0))
    return Track(
        _before_peg_3(scenario, count),
        _among_pegs(scenario, count // 2),
        _try_starts(scenario, box, 3 * count // 2),
        robust=True,
    )


def speeds_by_friction(case: tuple[Scenario, int], several: Sequence[float]) -> list[float | None]:
    """Speed along the pegs of VIII-D on grounds of other friction, from the usual start.

    Args:
        case: As of `large_track`.
        several: Coefficients of friction of the ground.

    Returns:
        Mean speeds of link 6, cm/s; None where the robot does not get along.
    """
    usual = first_run(case).scenario
    runs = [run_as_far_as_possible(usual.changed({"friction.mu": mu}))[0] for mu in several]
    last = usual.built[1].pegs[-1].x
    return [None if time_past(run, last) is None else track_speed(run) for run in runs]


def first_run(case: tuple[Scenario, int]) -> Trajectory:
    """The run of `large_track`.

    Args:
        case: As there.

    Returns:
        The run.
    """
    scenario, count = case
    among = _among_pegs(scenario, count // 2)
    return Track(_before_peg_3(scenario, count), among, robust=True).run


def _before_peg_3(scenario: Scenario, count: int) -> Tried:
    box = _box(scenario, (-0.02, 0.2), 0.07, 12.0)
    return _try_starts(scenario, box, count, scenario.built[1].pegs[2].x)


def _among_pegs(scenario: Scenario, count: int) -> Tried:
    return _try_starts(scenario, _box(scenario, (WAVE - 0.03, WAVE + 0.03), 0.02, 4.0), count)


def _box(scenario: Scenario, x: tuple[float, float], y: float, heading_deg: float) -> StartBox:
    """Starts about that of a scenario."""
    start = scenario.start
    return StartBox(
        x=(start.x + x[0], start.x + x[1]),
        y=(start.y - y, start.y + y),
        heading_deg=(start.heading_deg - heading_deg, start.heading_deg + heading_deg),
    )


def _try_starts(
    scenario: Scenario, box: StartBox, count: int, before: float | None = None
) -> Tried:
    """Run a scenario from clear starts of a box, in which the head is before a place if given."""
    clear = clear_starts(scenario, box, count, _SEED)
    last = scenario.built[1].pegs[-1].x
    first, passed, tried = None, 0, 0
    for found in runs_of([scenario.changed({"start": start}) for start in clear.starts]):
        run = found.run if isinstance(found, SimulationStopped) else found
        if before is not None and head_tip(run)[0, 0] >= before:
            continue
        tried += 1
        if time_past(run, last) is not None:
            first, passed = first or run, passed + 1
    return Tried(passed, tried, clear.drawn, first)


def wave_run(scenario: Scenario, phase_deg: float) -> Trajectory:
    """Run Aiko with another phase on pegs laid out for its wave [Fig. 12].

    Args:
        scenario: The robot with its usual wave.
        phase_deg: Phase from joint to joint, deg.

    Returns:
        A run of five seconds from the first clear start along the wave.
    """
    changed = scenario.changed({"controller.phase_deg": phase_deg, "clock.duration": 5.0})
    robot, wave = changed.built[0], changed.controller
    assert isinstance(wave, Serpenoid)
    pegs = pegs_for_wave(robot, wave, _SMALL)
    along = start_on_wave(robot, wave)
    placed = changed.changed({"world": World(pegs=pegs), "start": along})
    clear = clear_starts(placed, _box(placed, (0.0, 0.1), 0.01, 2.0), 1, _SEED)
    return placed.changed({"start": clear.starts[0]}).run()
