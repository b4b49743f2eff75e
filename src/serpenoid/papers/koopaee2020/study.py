"""One run of the paper's robot, on the flat or over the stair, and its results."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.model.robots import koopaee
from serpenoid.papers.paper import run_as_far_as_possible
from serpenoid.scenario.scenario import Scenario

Variant = Literal["half_length_007", "as_printed"]
Place = Literal["flat", "stair"]
Way = Literal["euler", "rk4", "newton", "hard"]

# Of the paper: seconds of a run, friction of the two plates, distance from the head to the stair
# and length of the stair, m.
DURATION, ROUGH, SMOOTH, AHEAD, TREAD = 60.0, 0.82, 0.40, 0.05, 0.11
GROUNDS = ROUGH, SMOOTH
# When the whole head link is on the smooth plate, s, and a cycle of the gait, s.
HEAD_OVER, CYCLE = 7.5, 2.0
# Time steps, s: the paper's, and the one at which the default solver agrees with it.
FINE, COARSE = 1e-4, 1e-3


@dataclass(frozen=True)
class Case:
    """A robot, where it moves, and how that is computed.

    Attributes:
        variant: Variant of the robot.
        place: Flat ground, or the stair.
        gain: The controller's k_c, used on the stair only.
        friction: Friction coefficient of the ground.
        stiffness: Stiffness of the joints' springs, N m/rad; that of the variant if None.
        corners: Whether corners of the stair press on links, too.
        way: Method: semi-implicit Euler, Runge-Kutta, the default solver, or the default solver on
            rigid ground.
        time_step: Time step, s; the usual one of the method if None.
    """

    variant: Variant
    place: Place = "stair"
    gain: float = 0.0
    friction: float = ROUGH
    stiffness: float | None = None
    corners: bool = False
    way: Way = "euler"
    time_step: float | None = None

    def at(self, gain: float) -> Case:
        """The same with another gain."""
        return replace(self, gain=gain)


@dataclass(frozen=True)
class Outcome:
    """Results of a run.

    Attributes:
        case: The case.
        speed: Mean forward velocity of the mean of the link centres, m/s.
        over: Whether the whole robot was beyond the stair at the end.
        stopped: The reason why the run ended early; empty if it did not.
    """

    case: Case
    speed: float
    over: bool
    stopped: str = ""


def scenario(case: Case, duration: float = DURATION) -> Scenario:
    """The scenario of a case, from one of the gallery.

    Args:
        case: The case.
        duration: Duration of the run, s.
    """
    return Scenario.load("stairs" if case.place == "stair" else "pedal_wave").changed(
        {
            "title": f"{case.place}, {case.variant}",
            "robot.name": f"koopaee_{case.variant}",
            "clock.duration": duration,
            **_ground(case),
            **_method(case),
            **({} if case.stiffness is None else {"actuator.stiffness": case.stiffness}),
        }
    )


def on_two_plates(variant: Variant, duration: float = DURATION) -> Trajectory:
    """Run the robot on a rough and then a smooth plate, as in Fig. 1.

    The paper does not say where the plates meet, but that the whole head link is on the smooth one
    from 7.5 s on: so they meet where its rear hinge is then, on ground that is rough throughout.

    Args:
        variant: Variant of the robot.
        duration: Duration of the run, s.
    """
    case = Case(variant, "flat")
    run = scenario(case, HEAD_OVER).run()
    half = run.robot.links[-1].length / 2
    x, theta = (float(run.columns[name][-1, -1]) for name in ("x", "theta"))
    edge = x - half * math.cos(theta)
    terrain = {
        "kind": "profile",
        "points": [[edge - 10.0, 0.0], [edge, 0.0], [edge + 10.0, 0.0]],
        "friction": [ROUGH, SMOOTH],
        "contact": _soft(case),
    }
    title = f"two plates, {variant}"
    return scenario(case, duration).changed({"world.terrain": terrain, "title": title}).run()


def _soft(case: Case) -> dict[str, Any]:
    """The ground's springs and dampers, (29)."""
    return {"kind": "compliant", "stiffness": 350.0, "damping": 15.0, "corners": case.corners}


def _ground(case: Case) -> dict[str, Any]:
    """Terrain; on the stair also the start and the gain of the controller."""
    contact = {"kind": "hard"} if case.way == "hard" else _soft(case)
    if case.place == "flat":
        return {"world.terrain": {"kind": "flat", "friction": case.friction, "contact": contact}}
    half = koopaee(case.variant).links[-1].length / 2
    return {
        "world.terrain.contact": contact,
        "world.terrain.friction": case.friction,
        "controller.gain": case.gain,
        "start.x": -AHEAD - half,
    }


def _method(case: Case) -> dict[str, Any]:
    explicit = case.way in ("euler", "rk4")
    step = case.time_step or (FINE if explicit else COARSE)
    solver = {"kind": "explicit", "integrator": case.way} if explicit else {"kind": "newton"}
    return {"solver": solver, "clock.time_step": step}


def go(case: Case) -> Outcome:
    """Run a case; a run that stops early counts up to there."""
    run, stopped = run_as_far_as_possible(scenario(case))
    tail = run.columns["x"][-1, 0] - run.robot.links[0].length / 2
    return Outcome(case, forward_speed(run), bool(tail > TREAD), stopped)


def forward_speed(run: Trajectory) -> float:
    """Mean velocity along x of the mean of the link centres, the paper's p, m/s."""
    p = run.columns["x"].mean(axis=1)
    return float((p[-1] - p[0]) / (run.time[-1] - run.time[0]))


def negative_peaks(run: Trajectory, joint: int) -> Floats:
    """Size of the most negative spring torque of a joint in every cycle of the gait, N m."""
    torque = run.columns["spring_torque"][:, joint]
    cycles = int((run.time[-1] + 1e-9) / CYCLE)
    rows = [run.row(CYCLE * k) for k in range(cycles + 1)]
    return np.array([-torque[a:b].min() for a, b in itertools.pairwise(rows)])
