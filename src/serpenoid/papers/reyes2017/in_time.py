"""The push in time: best and worst shapes for a second, under the torques of the analysis.

The load is a disc that touches the middle of the tail link on its left; the ground under it has no
friction, as in the paper, and then some. The slippage ratio in time is the load's share of all
kinetic energy. From rest, velocities are accelerations times the time, so that it begins as the
ratio of (30). Where no wheel slides, the energy is the work of the joints, and the ratio the share
of it that got into the load.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.pushing.system import place
from serpenoid.control.constant_torque import ConstantTorque
from serpenoid.engine.simulate import simulate
from serpenoid.kernels.layout import Floats
from serpenoid.methods.default import Newton
from serpenoid.model.loads import Disc
from serpenoid.model.robot import Robot
from serpenoid.model.robot import Wheels as Carrying
from serpenoid.model.start import Start
from serpenoid.model.world import World
from serpenoid.papers.reyes2017.setup import KAPPA, LINK, SCENARIOS, pushing

if TYPE_CHECKING:
    from serpenoid.engine.trajectory import Trajectory
    from serpenoid.papers.reyes2017.experiments import CaseStudy

Goal = Literal["load_norm", "slippage_ratio"]
GOALS: tuple[Goal, ...] = ("load_norm", "slippage_ratio")

RADIUS = 0.05  # of the load, m
DURATION, TIME_STEP, ROW = 1.0, 2.5e-4, 1e-3  # s
# As long as this the shape is still that of the start, s.
FIRST = 0.01
# Some loads hardly move: they are solved for far below the usual 1e-6 m/s.
_SOLVER = Newton(tolerance=1e-13, force_tolerance=1e-12)
# Contact forces below this part of the first one are none.
_NO_FORCE = 1e-6


@dataclass(frozen=True, eq=False)
class Push:
    """A push to be simulated, and the predictions of the analysis.

    Attributes:
        scenario: Scenario of the paper, 1, 2 or 3.
        goal: Quantity for which the shape is best or worst, and the torques are best.
        best: Whether the shape is the best one; else it is the worst.
        shape: Joint angles, (3,), rad.
        torque: Joint torques, (3,), N m.
        friction: Friction coefficient between load and ground.
        predicted: Predicted slippage ratio.
        predicted_norm: Predicted squared acceleration of the load, weighted with inertia.
        holding: Least friction coefficient at which the load stays at rest.
    """

    scenario: int
    goal: Goal
    best: bool
    shape: Floats
    torque: Floats
    friction: float
    predicted: float
    predicted_norm: float
    holding: float


@dataclass(frozen=True, eq=False)
class Pushed(Push):
    """A push with its simulation.

    Attributes:
        run: The simulated run.
    """

    run: Trajectory

    @functools.cached_property
    def load_energy(self) -> Floats:
        """Kinetic energy of the load in every row, (rows,), J."""
        (load,), c = self.run.world.loads, self.run.columns
        speed = c["load_vx"][:, 0] ** 2 + c["load_vy"][:, 0] ** 2
        turning = load.moment_of_inertia * c["load_omega"][:, 0] ** 2
        energy: Floats = (load.mass * speed + turning) / 2
        return energy

    @functools.cached_property
    def ratio(self) -> Floats:
        """The load's share of all kinetic energy in every row but the first, (rows - 1,)."""
        share: Floats = self.load_energy[1:] / self.run.columns["energy_kinetic"][1:]
        return share

    def ratio_at(self, time: float) -> float:
        """The load's share of all kinetic energy at a time, s."""
        return float(self.ratio[self.run.row(time) - 1])

    @property
    def first_norm(self) -> float:
        """Squared mean acceleration of the load over the first 10 ms, weighted with inertia."""
        return float(2 * self.load_energy[self.run.row(FIRST)] / FIRST**2)

    @functools.cached_property
    def opens(self) -> float | None:
        """Time at which the tail link leaves the load, s; None if it does not."""
        force = np.hypot(*self.run.columns["contact_force"][1:, 0].T)
        apart = np.flatnonzero(force <= _NO_FORCE * force[0])
        return float(self.run.time[apart[0]]) if len(apart) else None

    @property
    def moved(self) -> float:
        """Distance of the load from its start at the end, m."""
        x, y = (self.run.columns[name][:, 0] for name in ("load_x", "load_y"))
        return float(np.hypot(x[-1] - x[0], y[-1] - y[0]))


def possible(study: CaseStudy) -> npt.NDArray[np.bool_]:
    """Shapes in which no links cross and none but the tail link touches the load, (k,)."""
    where = place(pushing(3, 1).robot, study.shapes)
    way = np.array([0.0, LINK.radius + RADIUS]) - where.centre[:, 1:]
    ahead = where.ahead[:, 1:]
    half = LINK.straight_length / 2
    along = np.clip((way * ahead).sum(axis=-1), -half, half)
    gap = np.linalg.norm(way - along[..., None] * ahead, axis=-1) - LINK.radius - RADIUS
    clear: npt.NDArray[np.bool_] = (gap > 0).all(axis=1)
    return clear & ~study.crossed


def pushes(study: CaseStudy, share: float = 0.0) -> list[Push]:
    """Best and worst shapes of every scenario for both goals, with their torques.

    Args:
        study: All shapes of the robot with three joints.
        share: Friction under the load over the least friction that would hold it.
    """
    shapes, found = possible(study), []
    for scenario, extremes in enumerate(study.extremes, 1):
        for goal in GOALS:
            values: Floats = getattr(extremes, goal)
            torques = extremes.load_torque if goal == "load_norm" else extremes.slippage_torque
            for best in (True, False):
                worth = np.where(shapes, values if best else -values, -np.inf)
                index = int(worth.argmax())
                given = study.shapes[index], torques[index]
                found.append(_push(scenario, goal, best, *given, share))
    return found


def _push(
    scenario: int, goal: Goal, best: bool, shape: Floats, torque: Floats, share: float
) -> Push:
    weight = KAPPA * LINK.mass * World().gravity
    fixed = pushing(3, scenario, kappa=1e12).respond(shape, torque)
    held = float(fixed.forces[0])
    against = np.array([0.0, -share * held, 0.0])
    told = pushing(3, scenario).respond(shape, torque, against)
    return Push(
        scenario=scenario,
        goal=goal,
        best=best,
        shape=shape,
        torque=torque,
        friction=share * held / weight,
        predicted=float(told.slippage_ratio),
        predicted_norm=float(told.load_norm),
        holding=held / weight,
    )


def go(push: Push, duration: float = DURATION) -> Pushed:
    """Simulate a push; the tail link starts along the x axis, its middle at the origin.

    Args:
        push: The push.
        duration: Duration of the run, s.
    """
    joints, limit = len(push.shape), SCENARIOS[push.scenario - 1]
    wheels = None
    if limit is not None:
        under = Carrying(mu=None if math.isinf(limit.mu) else limit.mu)
        wheels = [Carrying(lifted=True), *[under] * joints]
    robot = Robot.uniform(
        joints + 1,
        length=LINK.length,
        mass=LINK.mass,
        inertia=LINK.inertia,
        radius=LINK.radius,
        wheels=wheels,
        actuator=pushing(joints, 1).robot.joints[0].actuator,
        self_contact=False,
    )
    load = Disc(0.0, LINK.radius + RADIUS, KAPPA * LINK.mass, radius=RADIUS, friction=push.friction)
    angles = np.degrees(push.shape)
    heading = float(np.append(0.0, np.cumsum(angles)).mean())
    run = simulate(
        robot,
        World(loads=(load,)),
        ConstantTorque(tuple(push.torque)),
        duration,
        start=Start(link=0, heading_deg=heading, joint_angles_deg=tuple(angles)),
        time_step=TIME_STEP,
        record_period=ROW,
        solver=_SOLVER,
    )
    return Pushed(**vars(push), run=run)


@dataclass(frozen=True, eq=False)
class InTime:
    """The simulated pushes.

    Attributes:
        free: All pushes, without friction under the load.
        rough: The best ones, with half of the friction under the load that would hold it.
    """

    free: list[Pushed]
    rough: list[Pushed]


def in_time(study: CaseStudy) -> InTime:
    """Simulate all pushes.

    Args:
        study: All shapes of the robot with three joints.
    """
    free, rough = pushes(study), [push for push in pushes(study, share=0.5) if push.best]
    done = [go(push) for push in (*free, *rough)]
    return InTime(free=done[: len(free)], rough=done[len(free) :])
