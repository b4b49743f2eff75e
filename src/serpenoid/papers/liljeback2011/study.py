"""A random field, and the robot and controller that cross it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np

from serpenoid.checks import one_of
from serpenoid.engine.states import first_state
from serpenoid.errors import InvalidInput
from serpenoid.model.world import World
from serpenoid.scenario.scenario import Scenario

Controller = Literal["none", "printed", "limited", "adaptive"]
Place = Literal["centre", "outline"]
Solver = Literal["newton", "hybrid"]
# What may be taken out of adaptive_path_following: a part of its controller, or its fast filter.
Lack = Literal["nothing", "recovery", "spread_limit", "adaptation", "fast_filter"]

LACKS: tuple[Lack, ...] = get_args(Lack)

# 0.4 rad.
LIMIT_DEG = 23.0
WAYPOINTS = 5
# Of the integrator, relative and absolute, as the paper's.
TOLERANCE = 1e-3
# The paper's link 5.
MIDDLE = 4
# The paper draws links without width.
RADIUS = 0.005
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
        arm: Arm of the friction torque of the ground on a link, m.
        impacts: Whether measured forces hold the impulses of impacts; only hybrid can leave them
            out.
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
    arm: float = 0.035
    impacts: bool = True
    gain: float = 0.02
    limit_deg: float = LIMIT_DEG
    cutoff: float = 0.75
    radius: float = RADIUS
    lacks: Lack = "nothing"

    def __post_init__(self) -> None:
        words = {"controller": Controller, "place": Place, "solver": Solver, "lacks": Lack}
        for name, known in words.items():
            one_of(f"Case.{name}", getattr(self, name), get_args(known))
        if self.solver == "newton" and not self.impacts:
            raise InvalidInput(
                "Case.impacts = False is not allowed: solver 'newton' cannot tell impacts from "
                "other forces"
            )
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
        "friction.laws": _ground(case),
        "clock.duration": duration,
        "record.period": record_period,
        "solver": _solver(case),
    }
    return base.changed(changes | (_without(case, base) if own else _controller(case, base)))


def _ground(case: Case) -> list[dict[str, Any]]:
    """Dry friction of the ground; without an arm no torque of it."""
    slide = {"kind": "coulomb", "mu": case.ground_friction}
    spin = {"kind": "spin", "mu": case.ground_friction, "arm": case.arm}
    return [slide, spin] if case.arm > 0 else [slide]


def _solver(case: Case) -> dict[str, Any]:
    if case.solver == "newton":
        return {"kind": "newton"}
    return {"kind": "hybrid", "tolerance": TOLERANCE, "measures_impacts": case.impacts}


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
