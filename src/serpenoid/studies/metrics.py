"""What is measured of a run, by name.

A metric is a function of a run that returns one number. It must not ask where the run begins: a
study may leave out the first seconds. The table of a study has a column for each metric asked for.
"""

from __future__ import annotations

import hashlib
import inspect
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from serpenoid.analysis import energy, following
from serpenoid.checks import nearest_word
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import VARIABLES
from serpenoid.errors import InvalidInput
from serpenoid.scenario.scenario import Scenario

Measure = Callable[[Trajectory], float]
Check = Callable[[Scenario], None]


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
    """

    name: str
    unit: str
    words: str
    measure: Measure
    check: Check = _accept

    def about(self) -> dict[str, str]:
        """What distinguishes it from one of the same name: unit, words, a digest of its code."""
        try:
            code = inspect.getsource(self.measure).encode()
        except (OSError, TypeError):  # typed at a prompt
            code = getattr(getattr(self.measure, "__code__", None), "co_code", b"")
        digest = hashlib.sha256(code).hexdigest()[:16]
        return {"unit": self.unit, "words": self.words, "code": digest}


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


def metric(unit: str, check: Check = _accept) -> Callable[[Measure], Measure]:
    """Register a function of a run as a metric, by its name and the first line of its docstring.

    Args:
        unit: Of what it returns; "1" for a plain number.
        check: Raises InvalidInput for a scenario whose runs never have the number.

    Returns:
        A decorator.

    Raises:
        InvalidInput: The unit is no text, as in `@metric` without its parentheses.
    """
    if not isinstance(unit, str):
        raise InvalidInput(f'metric needs a unit, such as @metric("m"), but was given {unit!r}')

    def register(measure: Measure) -> Measure:
        name = measure.__name__
        if not name.isidentifier() or name in _TAKEN:
            raise InvalidInput(f"metric {name!r} is not allowed: tables have a column of this name")
        taken = METRICS.get(name)
        # The same function may be defined again, as in a notebook cell that is run twice.
        if taken is not None and _home(taken.measure) != _home(measure):
            raise InvalidInput(f"metric {name!r} is not allowed: there is one of this name already")
        words = (inspect.getdoc(measure) or name).splitlines()[0].rstrip(".")
        METRICS[name] = Metric(name, unit, words, measure, check)
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
    """Size of the mean velocity of the centre of mass."""
    return run.mean_speed()


@metric("m/s")
def forward_velocity(run: Trajectory) -> float:
    """Velocity of the centre of mass along the mean of the link angles, averaged over time."""
    return float(following.forward_velocity(run).mean())


@metric("m")
def distance(run: Trajectory) -> float:
    """Distance of the centre of mass between first and last row, as the crow flies."""
    centre = run.centre_of_mass()
    return float(np.hypot(*(centre[-1] - centre[0])))


@metric("rad/s")
def turn_rate(run: Trajectory) -> float:
    """Rate at which the mean of the link angles grows, counter-clockwise."""
    angle = following.heading(run)
    return float((angle[-1] - angle[0]) / _duration(run))


@metric("1/m")
def path_curvature(run: Trajectory) -> float:
    """Curvature of the path over whole cycles of the wave, > 0 to the left; needs a wave."""
    return energy.path_curvature(run)


def _needs_path(scenario: Scenario) -> None:
    following.check_path(scenario.controller)


@metric("1", check=_needs_path)
def waypoints_reached(run: Trajectory) -> float:
    """How many waypoints of its path the robot has reached at the end."""
    return float(np.isfinite(following.waypoint_times(run)).sum())


@metric("s", check=_needs_path)
def jammed_time(run: Trajectory) -> float:
    """Time in which the robot gains less than 5 cm along its path within 10 s; needs a path."""
    if _duration(run) < 10.0:
        raise InvalidInput(f"it cannot be told of {_duration(run):g} s; it takes at least 10 s")
    return sum(jam.end - jam.start for jam in following.jams(run))


# ------------------------------------------------------------------------------------ what it costs


@metric("J")
def actuator_work(run: Trajectory) -> float:
    """Work of the actuators, what joints give back taken off."""
    return float(energy.budget(run).net[0])


@metric("J")
def positive_work(run: Trajectory) -> float:
    """Work of the actuators where they drive their joint, from row to row."""
    return float(energy.budget(run).positive[0])


@metric("J")
def absolute_work(run: Trajectory) -> float:
    """Work of the actuators where they drive their joint and where they brake it, both positive."""
    return float(energy.budget(run).absolute[0])


@metric("J")
def friction_work(run: Trajectory) -> float:
    """Energy that dry and viscous friction have taken."""
    return float(energy.budget(run).friction[0])


@metric("W")
def mean_power(run: Trajectory) -> float:
    """Mean power of the actuators, what joints give back taken off."""
    return float(energy.budget(run).power[0])


@metric("W")
def mean_positive_power(run: Trajectory) -> float:
    """Mean power of the actuators where they drive their joint."""
    return float(energy.budget(run).positive[0] / _duration(run))


@metric("1")
def cost_of_transport(run: Trajectory) -> float:
    """Positive work by weight and distance."""
    return float(energy.budget(run).cost_of_transport[0])


@metric("1/s")
def specific_power(run: Trajectory) -> float:
    """Mean power of the actuators by mass and squared mean speed."""
    return float(energy.budget(run).specific_power[0])


@metric("1")
def efficiency(run: Trajectory) -> float:
    """Power to pull the straight robot along at the same mean speed by mean power; level ground."""
    return float(energy.budget(run).efficiency[0])


# -------------------------------------------------------------------------------- what it is put to


@metric("N m")
def peak_torque(run: Trajectory) -> float:
    """Largest torque of an actuator in either direction, mean of a row."""
    return float(np.abs(run.columns["joint_torque"][1:]).max(initial=0.0))


@metric("N")
def peak_contact_force(run: Trajectory) -> float:
    """Largest force of pegs, walls and loads, and normal of terrain, on a link, mean of a row."""
    force = run.columns["contact_force"][1:]
    return float(np.hypot(force[..., 0], force[..., 1]).max(initial=0.0))


@metric("rad")
def tracking_error(run: Trajectory) -> float:
    """Root mean square over joints and time of what joints are off the commanded angle."""
    return float(np.sqrt((energy.tracking_error(run).rms ** 2).mean()))


def _duration(run: Trajectory) -> float:
    return float(run.time[-1] - run.time[0])
