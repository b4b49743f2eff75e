"""Starts among obstacles that touch nothing, and how many of them get through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.motion import time_past
from serpenoid.checks import check_type, real_number, whole_number
from serpenoid.engine.batch_runs import simulate_batch
from serpenoid.engine.prepare import Preparation
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, InvalidInput, Overlap, SerpenoidError, SimulationStopped
from serpenoid.model.start import Start
from serpenoid.scenario.scenario import Scenario
from serpenoid.spec import Point, spec

# Draws for each start that is wanted, after which a box counts as full.
_MOST_DRAWS = 1000
# Runs whose records are held at once.
_TOGETHER = 32


@spec
class StartBox:
    """Ranges from which starts are drawn, all equally likely.

    Attributes:
        x: Least and largest x of the start, m.
        y: Least and largest y, m.
        heading_deg: Least and largest heading, deg.
    """

    x: Point
    y: Point
    heading_deg: Point = (0.0, 0.0)

    def __post_init__(self) -> None:
        for name in ("x", "y", "heading_deg"):
            low, high = getattr(self, name)
            if low > high:
                raise InvalidInput(
                    f"StartBox.{name} = ({low:g}, {high:g}) is not allowed: the first number must "
                    "not be greater than the second"
                )


@dataclass(frozen=True)
class ClearStarts:
    """Starts of a box in which the robot touches nothing.

    Attributes:
        starts: The starts, in the order in which they were drawn.
        drawn: Number of starts that were drawn for them.
    """

    starts: tuple[Start, ...]
    drawn: int

    @property
    def share(self) -> float:
        """Share of the drawn starts that are clear, an estimate for the box."""
        return len(self.starts) / self.drawn


@dataclass(frozen=True)
class Passages:
    """What became of runs from some starts.

    Attributes:
        starts: The starts.
        times: Time at which the head passed the line, s; None for a run that did not.
        stopped: Numbers of runs that ended early because a step could not be solved.
    """

    starts: tuple[Start, ...]
    times: tuple[float | None, ...]
    stopped: tuple[int, ...]

    @property
    def passed(self) -> int:
        """Number of runs that passed."""
        return sum(time is not None for time in self.times)

    @property
    def share(self) -> float:
        """Share of the runs that passed."""
        return self.passed / len(self.starts)


def clear_starts(scenario: Scenario, box: StartBox, count: int, seed: int) -> ClearStarts:
    """Draw starts of a scenario at random and keep those in which the robot touches nothing.

    Position and heading are drawn; what else the scenario says of its start stays, for instance
    which link is put at x, y. With the same seed, more starts begin with the same ones.

    Args:
        scenario: The robot, its gait and the obstacles.
        box: What the starts are drawn from.
        count: Number of clear starts that are wanted.
        seed: Seed of the random numbers, 0 or more.

    Returns:
        The clear starts, and how many were drawn.

    Raises:
        InvalidInput: Of 1000 draws for each start that is wanted, too few were clear.
    """
    check_type("box", box, StartBox)
    count, seed = whole_number("count", count), whole_number("seed", seed, least=0)
    low, high = np.array([box.x, box.y, box.heading_deg]).T
    random, preparation = np.random.default_rng(seed), Preparation()
    starts: list[Start] = []
    for drawn in range(1, _MOST_DRAWS * count + 1):
        x, y, heading_deg = (low + (high - low) * random.random(3)).tolist()
        place = {"start.x": x, "start.y": y, "start.heading_deg": heading_deg}
        placed = scenario.changed(place)
        try:
            preparation.prepare(placed, placed.controller)
        except Overlap:
            continue
        starts.append(placed.start)
        if len(starts) == count:
            return ClearStarts(tuple(starts), drawn)
    raise InvalidInput(
        f"count = {count} clear starts are not to be had: of {_MOST_DRAWS * count} that were drawn "
        f"from {box}, only {len(starts)} touch nothing; ask for fewer or widen the box"
    )


def passages(scenario: Scenario, starts: Sequence[Start], x: float) -> Passages:
    """Run a scenario from several starts, on all cores, and see when the head passes a line.

    With a solver that takes no batches the runs follow each other on one core.

    Args:
        scenario: What is run.
        starts: Where it starts, at least once.
        x: Position of the line across the x axis, m, for instance of the last peg.

    Returns:
        The times at which the line was passed.

    Raises:
        InvalidInput: A start is not possible.
    """
    x = real_number("x", x, "a finite number")
    placed = [scenario.changed({"start": start}) for start in starts]
    if not placed:
        raise InvalidInput("starts = () is not allowed: there must be one at least")
    times: list[float | None] = []
    stopped: list[int] = []
    for run in runs_of(placed):
        if isinstance(run, SimulationStopped):
            stopped.append(len(times))
        times.append(time_past(run.run if isinstance(run, SimulationStopped) else run, x))
    return Passages(tuple(starts), tuple(times), tuple(stopped))


def runs_of(scenarios: Sequence[Scenario]) -> Iterator[Trajectory | SimulationStopped]:
    """Run scenarios that differ in what one batch may differ in, a group at a time.

    Args:
        scenarios: What is run; with a solver that takes no batches one after the other.

    Yields:
        The runs in order, or how they ended early.
    """
    for first in range(0, len(scenarios), _TOGETHER):
        group = list(scenarios[first : first + _TOGETHER])
        if not group[0].solver.takes_batches:
            yield from map(_run, group)
            continue
        runs = simulate_batch(group)
        for k in range(len(group)):
            yield _stop(runs.errors[k]) if k in runs.errors else runs[k]


def _run(scenario: Scenario) -> Trajectory | SimulationStopped:
    try:
        return scenario.run()
    except SimulationStopped as error:
        return _stop(error)


def _stop(error: SerpenoidError) -> SimulationStopped:
    """The early end of a run; any other error is raised."""
    if isinstance(error, SimulationStopped) and not isinstance(error, Interrupted):
        return error
    raise error
