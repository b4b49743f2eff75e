"""One run through one random field, and what is kept of it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.following import forward_velocity, measured_force, waypoint_times
from serpenoid.errors import Interrupted, SimulationStopped
from serpenoid.scenario.scenario import Scenario
from serpenoid.trajectory import Trajectory

Floats = npt.NDArray[np.float64]

# 0.4 rad: as large as the wave's own joint angles, so that the adaptation cannot outgrow the wave.
LIMIT_DEG = 23.0
WAYPOINTS = 5
# The paper draws links without width.
RADIUS = 0.005


@dataclass(frozen=True)
class Case:
    """A field and who goes through it.

    solver: newton or hybrid. place: of contact, centre or outline. controller: none (without
    adaptation), printed, limited or adaptive (adaptive_path_following, which brings its own gains
    and joint limits). seed, pegs: of the field. obstacle_friction, ground_friction: coefficients.
    gain: of the adaptation, rad/N. limit_deg: of the limited adaptation.
    """

    seed: int
    controller: str
    place: str = "centre"
    solver: str = "newton"
    pegs: int = 320
    obstacle_friction: float = 0.25
    ground_friction: float = 0.3
    gain: float = 0.02
    limit_deg: float = LIMIT_DEG

    def on(self, seed: int) -> Case:
        """The same in another field."""
        return replace(self, seed=seed)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is kept of a run.

    times: of the waypoints, s, inf if not reached. stopped: why the run ended early, if it did.
    velocity: mean forward velocity until the last waypoint, m/s. forces: sizes of the forces across
    links in contact until then, N, one of ten. largest_deg: joint angle.
    """

    case: Case
    times: Floats
    stopped: str
    velocity: float
    forces: npt.NDArray[np.float32]
    largest_deg: float

    @property
    def reached(self) -> int:
        """Number of waypoints reached."""
        return int(np.isfinite(self.times).sum())

    @property
    def passed(self) -> bool:
        """Whether all were."""
        return self.reached == WAYPOINTS

    @property
    def ran_away(self) -> bool:
        """Whether a joint turned beyond what is possible, or the run could not go on."""
        return self.largest_deg > 180 or bool(self.stopped)

    @property
    def high_force(self) -> float:
        """95th percentile of the force across a link in contact, N."""
        return float(np.percentile(self.forces, 95)) if len(self.forces) else 0.0


def scenario(case: Case, duration: float = 300.0, record_period: float = 0.02) -> Scenario:
    """The ready scenario 'peg_forest', changed as the case says; times in s."""
    base = Scenario.load("peg_forest")
    wave, _, heading = base.plain()["controller"]["parts"]
    parts = [wave, heading]
    if case.controller == "printed":
        parts = [wave, {"kind": "adaptation", "gain": case.gain}, heading]
    elif case.controller == "limited":
        limited = {"kind": "adaptation", "gain": case.gain, "limit_deg": case.limit_deg}
        parts = [wave, limited, heading]
    changes: dict[str, Any] = {
        "title": f"{case.controller}, contact at {case.place}, field {case.seed}",
        "seed": case.seed,
        "robot.radius": RADIUS,
        "world.contact_at": case.place,
        "world.contact.friction": case.obstacle_friction,
        "world.field.count": case.pegs,
        "world.field.keep_clear": _body(base),
        "friction.laws": [
            law | {"mu": case.ground_friction} for law in base.plain()["friction"]["laws"]
        ],
        # The paper's controller is continuous: a tick in every step.
        "controller.period": base.clock.time_step,
        "controller.parts": parts,
        "clock.duration": duration,
        "record.period": record_period,
        "solver": {"kind": case.solver},
    }
    return base.changed(changes)


def pass_through(case: Case) -> Outcome:
    """Run a case."""
    stopped = ""
    try:
        run = scenario(case).run()
    except Interrupted:
        raise
    except SimulationStopped as error:
        run, stopped = error.run, str(error)
    return summary(case, run, stopped)


def summary(case: Case, run: Trajectory, stopped: str = "") -> Outcome:
    """What is kept of a run."""
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
    )


def _body(base: Scenario) -> list[list[float]]:
    """Discs along the robot at its start, which no peg may touch: every centimetre of its axis."""
    robot, *_ = base.built
    start = base.start
    assert start.joint_angles_deg is not None
    theta = np.concatenate([[0.0], np.cumsum(np.radians(start.joint_angles_deg))])
    theta += math.radians(start.heading_deg) - theta.mean()
    lengths = np.array([link.length for link in robot.links])
    hinges = np.cumsum(lengths * np.exp(1j * theta))
    hinges = np.concatenate([[0.0], hinges])
    # All links are alike, so the centre of mass is the mean of their centres; it is at (0, 0).
    hinges -= (0.5 * (hinges[1:] + hinges[:-1])).mean()
    axis = [a + (b - a) * s for a, b in itertools.pairwise(hinges) for s in np.linspace(0, 1, 15)]
    return [[float(z.real), float(z.imag), RADIUS + 1e-3] for z in axis]
