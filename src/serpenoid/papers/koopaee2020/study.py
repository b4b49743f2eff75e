"""One run of the paper's robot, on the flat or over the stair, and what is kept of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from serpenoid.errors import Interrupted, SimulationStopped
from serpenoid.robots import koopaee
from serpenoid.scenario.scenario import Scenario
from serpenoid.trajectory import Trajectory

Variant = Literal["half_length_007", "as_printed"]
Place = Literal["flat", "stair"]
Way = Literal["euler", "rk4", "newton", "hard"]

# Of the paper: seconds of a run, friction of the two plates, distance from head to stair, m.
DURATION, ROUGH, SMOOTH, AHEAD = 60.0, 0.82, 0.40, 0.05
# Time steps, s: the paper's, and the one at which the house solver agrees with it.
FINE, COARSE = 1e-4, 1e-3


@dataclass(frozen=True)
class Case:
    """A robot, where it moves, and how that is computed.

    gain: the controller's k_c, of use on the stair only. friction: of the ground. stiffness: of the
    joints' springs, N m/rad, that of the variant if not given. corners: whether corners of the
    stair press on links, too. way: semi-implicit Euler, Runge-Kutta, the house solver, or that with
    ground that cannot be entered. time_step: s, the usual one of the way if not given.
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
    """What is kept of a run.

    speed: mean forward velocity of the mean of the link centres, m/s. rest: where the tail's end
    was at the end, m ahead of the stair's front. stopped: why the run ended early, if it did.
    """

    case: Case
    speed: float
    rest: float
    stopped: str = ""


def scenario(case: Case, duration: float = DURATION) -> Scenario:
    """A ready scenario, changed as the case says."""
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


def _ground(case: Case) -> dict[str, Any]:
    """Terrain, and on the stair where the robot starts and what it makes of its springs."""
    changes: dict[str, Any] = {"world.terrain.contact.corners": case.corners}
    if case.way == "hard":
        changes = {"world.terrain.contact": {"kind": "hard"}}
    if case.place == "flat":
        contact = changes.get("world.terrain.contact") or {
            "kind": "compliant",
            "stiffness": 350.0,
            "damping": 15.0,
            "corners": case.corners,
        }
        terrain = {"kind": "flat", "friction": case.friction, "contact": contact}
        return {"world.terrain": terrain}
    half = koopaee(case.variant).links[-1].length / 2
    return changes | {
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
    """Run a case, and keep what is asked for."""
    stopped = ""
    try:
        run = scenario(case).run()
    except Interrupted:
        raise
    except SimulationStopped as error:
        run, stopped = error.run, str(error)
    x = run.columns["x"]
    tail = x[-1, 0] - run.robot.links[0].length / 2
    return Outcome(case, forward_speed(run), float(tail), stopped)


def forward_speed(run: Trajectory) -> float:
    """Mean velocity along x of the mean of the link centres, the paper's p, m/s."""
    p = run.columns["x"].mean(axis=1)
    return float((p[-1] - p[0]) / (run.time[-1] - run.time[0]))
