"""What limits the paper's time stepping: explicit servos, and the parameters r_H and r_T.

All functions take and return plain values, so that they can run as work of a paper.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.engine.simulate import simulate
from serpenoid.errors import Interrupted, SimulationStopped
from serpenoid.kernels.layout import Floats
from serpenoid.methods.prox import Prox
from serpenoid.model.actuator import Servo
from serpenoid.model.friction import Coulomb
from serpenoid.model.robots import aiko
from serpenoid.model.start import Start
from serpenoid.model.world import Peg, World
from serpenoid.papers.paper import run_as_far_as_possible
from serpenoid.papers.transeth2008.measures import middle_path
from serpenoid.scenario.scenario import Scenario

# Steps after which a servo counts as stable, if joints are not faster by this factor.
_STEPS, _GROWN = 2000, 10.0
# Joint rates at the start of these, deg/s.
_SHAKEN = 0.01
# Iterations after which a step counts as failed, and the paper's r_H and r_T, kg.
MOST_ITERATIONS = 5000
PUBLISHED_R_NORMAL, PUBLISHED_R_TANGENTIAL = 0.01, 1.3


@dataclass(frozen=True)
class ServoStep:
    """Largest time steps at which Aiko's servos are stable, taken explicitly.

    Attributes:
        predicted: By the fastest mode of the straight robot, s.
        measured: By runs of 2000 steps of the straight robot, s.
        inertia: Inertia that the joints of this mode turn, kg m2.
    """

    predicted: float
    measured: float
    inertia: float


def servo_step(kp: float = 800.0, kd: float = 2.0) -> ServoStep:
    """Largest step of the paper's explicit servo [transeth2008 (43)(55)].

    Over a step the rate u of a mode of inertia I at the angle p goes to u - dt (kp (p + dt u / 2) +
    kd u) / I, which is stable for kd dt + kp dt^2 / 2 < 2 I.

    Args:
        kp: Proportional gain, N m/rad.
        kd: Derivative gain, N m s/rad.

    Returns:
        The step by this rule, and by runs.
    """
    turns = _across()[2]
    inertia = 1.0 / float(np.linalg.eigvalsh(turns @ _mobility() @ turns.T)[-1])
    predicted = (math.sqrt(kd**2 + 4 * kp * inertia) - kd) / kp
    measured = _bisected(predicted / 4, predicted * 4, lambda step: _is_stable(kp, kd, step))
    return ServoStep(predicted, measured, inertia)


def _across() -> tuple[Floats, Floats, Floats]:
    """Straight Aiko, moved across its axis: masses, hinges and joints.

    Velocities are those of all links across it, then their rates, (2n,).

    Returns:
        Masses and inertias, (2n,), and rows of the constraints of hinges (32) and of the joint
        rates, (n-1, 2n) both.
    """
    robot = aiko()
    n, half = len(robot.links), robot.links[0].length / 2
    mass = [link.mass for link in robot.links] + [link.moment_of_inertia for link in robot.links]
    hinges, turns = np.zeros((n - 1, 2 * n)), np.zeros((n - 1, 2 * n))
    for j in range(n - 1):
        hinges[j, [j, j + 1, n + j, n + j + 1]] = 1.0, -1.0, half, half
        turns[j, [n + j, n + j + 1]] = -1.0, 1.0
    return np.array(mass), hinges, turns


def _mobility() -> Floats:
    """Velocities of straight Aiko for impulses across it, its hinges closed (62), (2n, 2n)."""
    mass, hinges, _ = _across()
    free = np.diag(1 / mass)
    held = free @ hinges.T
    mobility: Floats = free - held @ np.linalg.solve(hinges @ held, held.T)
    return mobility


def _is_stable(kp: float, kd: float, step: float) -> bool:
    """Whether small joint rates of the straight robot stay small."""
    robot = aiko(Servo(kp=kp, kd=kd))
    shaken = tuple(_SHAKEN * (-1.0) ** j for j in range(len(robot.joints)))
    straight = (0.0,) * len(robot.joints)
    try:
        run = simulate(
            robot,
            World(),
            duration=_STEPS * step,
            time_step=step,
            record_period=_STEPS * step,
            start=Start(joint_angles_deg=straight, joint_rates_deg=shaken),
            solver=Prox(explicit_servo=True),
        )
    except Interrupted:
        raise
    except SimulationStopped:
        return False
    rates = np.abs(run.columns["joint_rate"]).max(axis=1)
    return bool(rates[-1] < _GROWN * rates[0])


@dataclass(frozen=True)
class TrackSteps:
    """Aiko along its track with explicit servos at a time step.

    Attributes:
        time_step: The step, s.
        reached: Time that the run reached, s.
        apart: Largest distance of the middle link from that of implicit servos, m, up to there.
    """

    time_step: float
    reached: float
    apart: float


def explicit_track(time_step: float, duration: float = 2.0) -> TrackSteps:
    """Run Aiko along its track with the paper's explicit servos, by its own method.

    Args:
        time_step: Time step, s, of which 10 ms is a multiple.
        duration: Length of the run, s.

    Returns:
        How far it came, and how far it is from a run with implicit servos at the same step.
    """
    track = Scenario.load("aiko_pegs", {"clock.duration": duration, "clock.time_step": time_step})
    reference = track.run()
    # A larger r_H than the paper's finds the same forces in a tenth of the iterations.
    explicit = {"kind": "prox", "explicit_servo": True, "r_normal": 0.3}
    run, _ = run_as_far_as_possible(track.changed({"solver": explicit}))
    apart = middle_path(run) - middle_path(reference)[: len(run.time)]
    return TrackSteps(time_step, float(run.time[-1]), float(np.hypot(*apart.T).max()))


@dataclass(frozen=True)
class Convergence:
    """The modified Newton iteration along the track with some r_H and r_T.

    Attributes:
        r_normal: r_H, kg.
        r_tangential: r_T, kg.
        iterations: Mean number in a step.
        most: Largest mean number in the steps of a row.
        reached: Time that the run reached, s; less than its length if a step did not converge.
        converged: Whether all steps did.
    """

    r_normal: float
    r_tangential: float
    iterations: float
    most: float
    reached: float
    converged: bool


def convergence(
    r_normal: float,
    r_tangential: float,
    scenario: str = "aiko_pegs",
    duration: float = 1.0,
) -> Convergence:
    """Run Aiko by the paper's method with some r_H and r_T [transeth2008 (67)(68)].

    A step that takes more than 5000 iterations counts as one that fails.

    Args:
        r_normal: r_H, kg.
        r_tangential: r_T, kg.
        scenario: Name of the scenario.
        duration: Length of the run, s.

    Returns:
        How fast it converges.
    """
    solver = {
        "kind": "prox",
        "r_normal": r_normal,
        "r_tangential": r_tangential,
        "max_iterations": MOST_ITERATIONS,
    }
    clock = {"clock.duration": duration, "clock.time_step": 1e-3}
    run, stopped = run_as_far_as_possible(
        Scenario.load(scenario, clock).changed({"solver": solver})
    )
    rows = run.columns["iterations"][1:]
    steps = run.scenario.steps_per_row
    return Convergence(
        r_normal=r_normal,
        r_tangential=r_tangential,
        iterations=float(rows.mean() / steps) if len(rows) else math.nan,
        most=float(rows.max() / steps) if len(rows) else math.nan,
        reached=float(run.time[-1]),
        converged=not stopped,
    )


@dataclass(frozen=True)
class LargestR:
    """Largest r at which the iteration converges on a straight robot that friction or a peg holds.

    Attributes:
        predicted: 2 over the largest eigenvalue of the mobility at the contacts, kg.
        measured: By the first steps of runs, kg.
    """

    predicted: float
    measured: float


def largest_r_tangential() -> LargestR:
    """Largest r_T for a robot that friction holds on a slope.

    All links sliding as one are the fastest mode: the iteration multiplies its impulse by 1 - r_T /
    m, so that it converges for r_T < 2 m.

    Returns:
        r_T by this rule, and by runs.
    """
    world = World(Coulomb(0.2), slope_deg=5.0, slope_direction_deg=90.0)
    found = _bisected(
        0.05, 50.0, lambda r: _holds(world, Prox(r_tangential=r, max_iterations=MOST_ITERATIONS))
    )
    return LargestR(2 * aiko().links[0].mass, found)


def largest_r_normal() -> LargestR:
    """Largest r_H for a robot with free joints whose middle link lies on a peg, without friction.

    Returns:
        r_H by the mobility of this link with its hinges (62), and by runs.
    """
    robot = aiko()
    radius, middle = 0.0125, len(robot.links) // 2
    peg = Peg(x=0.0, y=-(robot.links[0].radius + radius), radius=radius)
    world = World(pegs=(peg,), slope_deg=5.0, slope_direction_deg=-90.0)
    found = _bisected(
        0.05, 50.0, lambda r: _holds(world, Prox(r_normal=r, max_iterations=MOST_ITERATIONS))
    )
    return LargestR(2 / float(_mobility()[middle, middle]), found)


def _holds(world: World, solver: Prox) -> bool:
    """Whether ten steps of the straight robot with free joints converge."""
    robot = aiko(Servo(kp=0.0, kd=0.0))
    straight = Start(joint_angles_deg=(0.0,) * len(robot.joints))
    try:
        simulate(robot, world, duration=0.01, start=straight, solver=solver)
    except Interrupted:
        raise
    except SimulationStopped:
        return False
    return True


def _bisected(low: float, high: float, holds: Callable[[float], bool]) -> float:
    """Largest number between two for which something holds, to 1 %."""
    while high / low > 1.01:
        middle = math.sqrt(low * high)
        if holds(middle):
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)
