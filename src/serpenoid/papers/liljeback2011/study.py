"""One run through one random field, its results, and what it demands of motors and gears."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.following import forward_velocity, measured_force, waypoint_times
from serpenoid.analysis.motion import crossings
from serpenoid.checks import one_of
from serpenoid.engine.states import first_state
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.world import World
from serpenoid.papers.paper import run_as_far_as_possible
from serpenoid.scenario.scenario import Scenario

Controller = Literal["none", "printed", "limited", "adaptive"]
Place = Literal["centre", "outline"]
Solver = Literal["newton", "hybrid"]
# What may be taken out of adaptive_path_following: a part of its controller, or its fast filter.
Lack = Literal["nothing", "recovery", "spread_limit", "adaptation", "fast_filter"]

# 0.4 rad.
LIMIT_DEG = 23.0
WAYPOINTS = 5
# The paper draws links without width.
RADIUS = 0.005
# Rates, torques and forces that wear motors and gears are means over this time, s.
WEAR_PERIOD = 0.01
# The path length of the centre of mass is summed over points at this interval, s.
_STRIDE = 1.0
# What a controller makes no use of; adaptive_path_following brings its own.
_UNUSED: dict[Controller, tuple[str, ...]] = {
    "none": ("gain", "limit_deg", "lacks"),
    "printed": ("limit_deg", "lacks"),
    "limited": ("lacks",),
    "adaptive": ("gain", "limit_deg", "cutoff"),
}


@dataclass(frozen=True)
class Case:
    """A random field, and the robot and controller that cross it.

    Attributes:
        seed: Seed of the field.
        controller: none (without adaptation), printed, limited or adaptive
            (adaptive_path_following, which brings its own gains and joint limits).
        place: Place of contact, centre or outline.
        solver: newton or hybrid.
        pegs: Number of pegs in the field.
        obstacle_friction: Friction coefficient of the pegs.
        ground_friction: Friction coefficient of the ground.
        gain: Gain of the adaptation, rad/N.
        limit_deg: Limit of the limited adaptation, deg.
        cutoff: Cutoff of the reference filter, Hz.
        radius: Half the width of a link, m.
        lacks: The part that adaptive_path_following is to do without.
    """

    seed: int
    controller: Controller
    place: Place = "centre"
    solver: Solver = "newton"
    pegs: int = 320
    obstacle_friction: float = 0.25
    ground_friction: float = 0.3
    gain: float = 0.02
    limit_deg: float = LIMIT_DEG
    cutoff: float = 0.75
    radius: float = RADIUS
    lacks: Lack = "nothing"

    def __post_init__(self) -> None:
        words = {"controller": Controller, "place": Place, "solver": Solver, "lacks": Lack}
        for name, known in words.items():
            one_of(f"Case.{name}", getattr(self, name), get_args(known))
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in _UNUSED[self.controller] and value != field.default:
                raise InvalidInput(
                    f"Case.{field.name} = {value!r} is not allowed: controller "
                    f"{self.controller!r} makes no use of it, leave it out"
                )

    def on(self, seed: int) -> Case:
        """The same in another field."""
        return replace(self, seed=seed)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Results of a run.

    Attributes:
        case: The case.
        times: Times at which waypoints were reached, (5,), s; inf if not reached.
        stopped: The reason why the run ended early; empty if it did not.
        velocity: Mean forward velocity until the last waypoint, m/s.
        forces: Sizes of the forces across links in contact until then, means over a row, every
            tenth of them, N.
        largest_deg: Largest joint angle until then, deg.
        crossed: Whether links of the robot lay across each other in any row until then.
    """

    case: Case
    times: Floats
    stopped: str
    velocity: float
    forces: npt.NDArray[np.float32]
    largest_deg: float
    crossed: bool

    @property
    def reached(self) -> int:
        """Number of waypoints reached."""
        return int(np.isfinite(self.times).sum())

    @property
    def passed(self) -> bool:
        """Whether all waypoints were reached."""
        return self.reached == WAYPOINTS

    @property
    def ran_away(self) -> bool:
        """Whether a joint turned beyond 180 deg, or the run could not go on."""
        return self.largest_deg > 180 or bool(self.stopped)

    @property
    def strictly(self) -> bool:
        """Whether all waypoints were reached by a motion that a real robot could make.

        No joint beyond 180 deg, no run that could not go on, no links across each other.
        """
        return self.passed and not self.ran_away and not self.crossed

    @property
    def high_force(self) -> float:
        """95th percentile of the force across a link in contact, N."""
        return float(np.percentile(self.forces, 95)) if len(self.forces) else 0.0


def scenario(case: Case, duration: float = 300.0, record_period: float = 0.02) -> Scenario:
    """The scenario of a case, from one of the gallery.

    It is 'adaptive_path_following' with its controller, servos and joint limits, or 'peg_forest'.

    Args:
        case: The case.
        duration: Duration of the run, s.
        record_period: Time from row to row, s.
    """
    own = case.controller == "adaptive"
    base = Scenario.load("adaptive_path_following" if own else "peg_forest")
    changes: dict[str, Any] = {
        "title": f"{case.controller}, contact at {case.place}, field {case.seed}",
        "seed": case.seed,
        "robot.radius": case.radius,
        "robot.self_contact": False,
        "world.contact_at": case.place,
        "world.contact.friction": case.obstacle_friction,
        "world.field.count": case.pegs,
        "world.field.keep_clear": _body(base, case.radius),
        "friction.laws": [
            law | {"mu": case.ground_friction} for law in base.plain()["friction"]["laws"]
        ],
        "clock.duration": duration,
        "record.period": record_period,
        "solver": {"kind": case.solver},
    }
    return base.changed(changes | (_without(case, base) if own else _controller(case, base)))


def _controller(case: Case, base: Scenario) -> dict[str, Any]:
    """The paper's controller, with the adaptation that the case has."""
    wave, _, heading = base.plain()["controller"]["parts"]
    adaptation: dict[str, Any] = {"kind": "adaptation", "gain": case.gain}
    if case.controller == "limited":
        adaptation["limit_deg"] = case.limit_deg
    return {
        # The paper's controller is continuous: a tick in every step.
        "controller.period": base.clock.time_step,
        "controller.cutoff": case.cutoff,
        "controller.parts": [wave, *([adaptation] if case.controller != "none" else []), heading],
    }


def _without(case: Case, base: Scenario) -> dict[str, Any]:
    """The controller adaptive_path_following without what the case lacks."""
    if case.lacks == "fast_filter":
        return {"controller.cutoff": case.cutoff}
    parts = base.plain()["controller"]["parts"]
    return {"controller.parts": [part for part in parts if part["kind"] != case.lacks]}


def pass_through(case: Case) -> Outcome:
    """Run a case; a run that stops early counts up to there."""
    run, stopped = run_as_far_as_possible(scenario(case))
    times = waypoint_times(run)
    rows = run.time <= times[-1]
    forces = np.abs(measured_force(run)[rows]).ravel()
    return Outcome(
        case=case,
        times=times,
        stopped=stopped,
        velocity=float(forward_velocity(run)[rows].mean()),
        forces=forces[forces > 0][::10].astype(np.float32),
        largest_deg=float(np.degrees(np.abs(np.diff(run.columns["theta"][rows], axis=1)).max())),
        crossed=bool(crossings(run)[rows].any()),
    )


def wear(case: Case) -> dict[str, float]:
    """Run a case and measure its wear."""
    return measure_wear(scenario(case, record_period=WEAR_PERIOD).run())


def measure_wear(run: Trajectory) -> dict[str, float]:
    """Measure the wear until the last waypoint in a run with a row every 10 ms.

    Returns:
        Demands on motors and gears by the keys of `tables.WEAR`, in the units named there.
    """
    rows = run.time <= waypoint_times(run)[-1]
    rate = np.diff(run.columns["joint_angle"][rows], axis=0) / WEAR_PERIOD
    torque = np.abs(run.columns["joint_torque"][rows])
    force = np.abs(measured_force(run)[rows])
    centre = run.centre_of_mass()[rows][:: round(_STRIDE / WEAR_PERIOD)]
    path_length = np.hypot(*np.diff(centre, axis=0).T).sum()
    found = {
        "rate_frequency": _median_frequency(rate),
        "rate_95": np.degrees(np.percentile(np.abs(rate), 95)),
        "torque_95": np.percentile(torque, 95),
        "torque_99_9": np.percentile(torque, 99.9),
        "torque_largest": torque.max(),
        "force_95": np.percentile(force[force > 0], 95),
        "work": run.columns["energy_actuator"][rows][-1] / path_length,
    }
    return {key: float(value) for key, value in found.items()}


def _median_frequency(rate: Floats) -> float:
    """Frequency below which half of the power of signals, (rows, joints), lies, Hz."""
    power = (np.abs(np.fft.rfft(rate - rate.mean(axis=0), axis=0)) ** 2).sum(axis=1)
    below = np.cumsum(power)
    index = np.searchsorted(below, 0.5 * below[-1])
    return float(np.fft.rfftfreq(len(rate), WEAR_PERIOD)[index])


def _body(base: Scenario, radius: float) -> list[list[float]]:
    """Discs along the robot at its start, which no peg may touch: every centimetre of its axis."""
    robot, *_ = base.built
    theta = first_state(robot, World(), None, base.start, base.clock.time_step).theta
    lengths = np.array([link.length for link in robot.links])
    hinges = np.concatenate([[0.0], np.cumsum(lengths * np.exp(1j * theta))])
    # All links are alike, so the centre of mass is the mean of their centres; it is at (0, 0).
    hinges -= (0.5 * (hinges[1:] + hinges[:-1])).mean()
    axis = [a + (b - a) * s for a, b in itertools.pairwise(hinges) for s in np.linspace(0, 1, 15)]
    return [[float(z.real), float(z.imag), radius + 1e-3] for z in axis]
