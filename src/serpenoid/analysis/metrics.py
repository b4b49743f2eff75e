"""What is measured of a run, by name.

A metric is a function of a run that returns one number. It must not ask where the run begins: a
study may leave out the first seconds. The table of a study has a column for each metric asked for.

Sums and peaks take all rows, means and ratios the settled cycles of the gait, see `cycles`.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from serpenoid.analysis import cycles, energy, following
from serpenoid.checks import nearest_word, one_of
from serpenoid.engine.run_measures import describe
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import VARIABLES
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.scenario.scenario import Scenario
from serpenoid.text import summary_line

Measure = Callable[[Trajectory], float]
Check = Callable[[Scenario], None]
# Which of two values of a metric is the better one.
Better = Literal["larger", "smaller"]


def _accept(_scenario: Scenario) -> None:
    """Every scenario."""


@dataclass(frozen=True)
class Metric:
    """A number that is measured of a run.

    Attributes:
        name: In study files and tables.
        unit: SI.
        words: What it is.
        measure: A run to the number; it raises InvalidInput for a run that has none.
        check: Raises InvalidInput for a scenario whose runs never have one.
        better: 'larger', or 'smaller' of costs, loads and errors.
    """

    name: str
    unit: str
    words: str
    measure: Measure
    check: Check = _accept
    better: Better = "larger"

    def about(self) -> dict[str, str]:
        """What distinguishes it from one of the same name, with a digest of its code."""
        try:
            code = inspect.getsource(self.measure).encode()
        except (OSError, TypeError):  # typed at a prompt
            code = getattr(getattr(self.measure, "__code__", None), "co_code", b"")
        digest = hashlib.sha256(code).hexdigest()[:16]
        about = {"unit": self.unit, "words": self.words, "better": self.better}
        return about | {"code": digest}


METRICS: dict[str, Metric] = {}

# How far a run can be trusted, in every table: column, and what is taken of its rows.
_TRUST: dict[str, Callable[[Any], float]] = {
    **dict.fromkeys(("law_residual", "penetration", "hinge_gap", "step_energy_residual"), np.max),
    "energy_residual": operator.itemgetter(-1),
    **dict.fromkeys(("halvings", "unresolved_modes"), np.sum),
}
# Column, unit, and what it is.
CERTIFICATE = {
    name: (VARIABLES[name].unit, VARIABLES[name].meaning.removesuffix(" since the last row"))
    for name in _TRUST
} | {"numerical_share": ("1", "numerical work as a share of the energy moved")}
# Other columns of the tables of sweeps and optimisations, see `study_table`.
_OF_TRIALS = ("trial", "reached", "state", "feasible", "best")
_TAKEN = {"point", *_OF_TRIALS, "seed", "error", *CERTIFICATE}


def metric(
    unit: str, check: Check = _accept, better: Better = "larger"
) -> Callable[[Measure], Measure]:
    """Register a function of a run as a metric, by its name and the first line of its docstring.

    Args:
        unit: Of what it returns; "1" for a plain number.
        check: Raises InvalidInput for a scenario whose runs never have the number.
        better: 'larger', or 'smaller' of a cost, a load or an error: of two points of a sweep it
            is the better one.

    Returns:
        A decorator.

    Raises:
        InvalidInput: The unit is no text, as in `@metric` without its parentheses, or `better` is
            neither of its words.
    """
    if not isinstance(unit, str):
        raise InvalidInput(f'metric needs a unit, such as @metric("m"), but was given {unit!r}')
    one_of("better", better, get_args(Better))

    def register(measure: Measure) -> Measure:
        name = measure.__name__
        if not name.isidentifier() or name in _TAKEN:
            raise InvalidInput(f"metric {name!r} is not allowed: tables have a column of this name")
        taken = METRICS.get(name)
        # The same function may be defined again, as in a notebook cell that is run twice.
        if taken is not None and _home(taken.measure) != _home(measure):
            raise InvalidInput(f"metric {name!r} is not allowed: there is one of this name already")
        words = summary_line(inspect.getdoc(measure) or name).rstrip(".")
        METRICS[name] = Metric(name, unit, words, measure, check, better)
        return measure

    return register


def _home(measure: Measure) -> tuple[str, str]:
    return measure.__module__, measure.__qualname__


def check_metric(name: str, place: str) -> None:
    """Raise InvalidInput if a name is no metric; place: the key that has it."""
    if name not in METRICS:
        hint, there = nearest_word(name, list(METRICS)), ", ".join(METRICS)
        raise InvalidInput(f"{place}: {name!r} is not known{hint}; there are {there}")


def certificate(run: Trajectory) -> dict[str, float]:
    """How far a run can be trusted: the columns of CERTIFICATE, 0 where it has none."""
    rows = {name: run.columns.get(name, np.zeros(1)) for name in _TRUST}
    numbers = {name: float(taken(rows[name])) for name, taken in _TRUST.items()}
    return numbers | {"numerical_share": run.numerical_share}


# ------------------------------------------------------------------------------------- how it moves


@metric("m/s")
def mean_speed(run: Trajectory) -> float:
    """Speed of the centre of mass along its path, over the settled cycles."""
    return float(energy.settled(run, "mean_speed").speed[0])


@metric("m/s")
def forward_velocity(run: Trajectory) -> float:
    """Velocity of the centre of mass along the mean of the link angles, over the settled cycles."""
    edges = cycles.settled_edges(run, "forward_velocity")
    return cycles.time_mean(run, following.forward_velocity(run), edges)


@metric("m")
def distance(run: Trajectory) -> float:
    """Distance of the centre of mass along its path, without the swing within a cycle."""
    return energy.path_length(run)


@metric("m")
def displacement(run: Trajectory) -> float:
    """Distance of the centre of mass between first and last row, as the crow flies."""
    centre = run.centre_of_mass()
    return float(np.hypot(*(centre[-1] - centre[0])))


@metric("rad/s")
def turn_rate(run: Trajectory) -> float:
    """Rate at which the mean of the link angles grows, counter-clockwise, over settled cycles."""
    found = energy.settled(run, "turn_rate")
    return float(found.turn[0] / found.duration[0])


def _needs_gait(scenario: Scenario) -> None:
    if cycles.cycle_of(scenario.controller) is None:
        raise InvalidInput("this run has no gait: its controller must be or contain a wave")


@metric("1/m", check=_needs_gait)
def path_curvature(run: Trajectory) -> float:
    """Curvature of the path over the settled cycles, > 0 to the left; needs a gait."""
    _needs_gait(run.scenario)
    return float(energy.settled(run, "path_curvature").curvature[0])


def _needs_path(scenario: Scenario) -> None:
    following.check_path(scenario.controller)


@metric("1", check=_needs_path)
def waypoints_reached(run: Trajectory) -> float:
    """How many waypoints of its path the robot has reached at the end."""
    return float(np.isfinite(following.waypoint_times(run)).sum())


@metric("s", check=_needs_path, better="smaller")
def jammed_time(run: Trajectory) -> float:
    """Time in which it gains less than 5 cm and turns less than 15 deg in 10 s; needs a path."""
    _needs_path(run.scenario)
    if (lasts := float(run.time[-1] - run.time[0])) < 10.0:
        raise InvalidInput(f"jammed_time needs at least 10 s; this run lasts {lasts:g} s")
    return sum(jam.end - jam.start for jam in following.jams(run))


# ------------------------------------------------------------------------------------ what it costs


@metric("J", better="smaller")
def actuator_work(run: Trajectory) -> float:
    """Work of the actuators, what joints give back taken off."""
    return float(energy.budget(run).net[0])


@metric("J", better="smaller")
def positive_work(run: Trajectory) -> float:
    """Work of the actuators where they drive their joint, from row to row."""
    return float(energy.budget(run).positive[0])


@metric("J", better="smaller")
def absolute_work(run: Trajectory) -> float:
    """Work of the actuators where they drive their joint and where they brake it, both positive."""
    return float(energy.budget(run).absolute[0])


@metric("J", better="smaller")
def friction_work(run: Trajectory) -> float:
    """Energy that dry and viscous friction have taken."""
    return float(energy.budget(run).friction[0])


@metric("W", better="smaller")
def mean_power(run: Trajectory) -> float:
    """Mean power of the actuators, what joints give back taken off, over the settled cycles."""
    return float(energy.settled(run, "mean_power").power[0])


@metric("W", better="smaller")
def mean_positive_power(run: Trajectory) -> float:
    """Mean power of the actuators where they drive their joint, over the settled cycles."""
    found = energy.settled(run, "mean_positive_power")
    return float(found.positive[0] / found.duration[0])


@metric("1", better="smaller")
def cost_of_transport(run: Trajectory) -> float:
    """Positive work by weight and distance along the path, over the settled cycles."""
    return float(energy.settled(run, "cost_of_transport").cost_of_transport[0])


@metric("1/s", better="smaller")
def specific_power(run: Trajectory) -> float:
    """Mean power of the actuators by mass and squared mean speed, over the settled cycles."""
    return float(energy.settled(run, "specific_power").specific_power[0])


@metric("1")
def efficiency(run: Trajectory) -> float:
    """Power to pull the straight robot at its mean speed by mean power; needs level ground."""
    return float(energy.settled(run, "efficiency").efficiency[0])


# -------------------------------------------------------------------------------- what it is put to


@metric("N m", better="smaller")
def peak_torque(run: Trajectory) -> float:
    """Largest torque of an actuator in either direction, mean of a row."""
    return float(np.abs(run.columns["joint_torque"][1:]).max(initial=0.0))


@metric("N", better="smaller")
def peak_contact_force(run: Trajectory) -> float:
    """Largest force of pegs, walls and loads, and normal of terrain, on a link, mean of a row."""
    force = run.columns["contact_force"][1:]
    return float(np.hypot(force[..., 0], force[..., 1]).max(initial=0.0))


@metric("rad", better="smaller")
def tracking_error(run: Trajectory) -> float:
    """Root mean square of what joints are off the commanded angle, over the settled cycles."""
    squares: Floats = (energy.joint_errors(run) ** 2).mean(axis=1)
    edges = cycles.settled_edges(run, "tracking_error")
    return math.sqrt(cycles.time_mean(run, squares, edges))


# A run has them as methods, which say the same.
for _known in METRICS.values():
    describe(_known.name, _known.unit, _known.words)
