"""The paper's simulations and studies, and the proofs against its Table 2.

Circles and joint errors are runs of the engine; sweeps and optima are steady motions of the paper's
own recursive model, found directly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.periodic import Steady, steady, steady_at_speed
from serpenoid.analysis.recursion import Motion, Recursion
from serpenoid.kernels.layout import Floats
from serpenoid.model.friction import Viscous
from serpenoid.model.robot import Robot
from serpenoid.papers.colorado2010.optimum import Optimum, largest_speed, least_power
from serpenoid.papers.colorado2010.snake import (
    EFFICIENT,
    GAMMA_DEG,
    INEFFICIENT,
    LENGTH,
    LINKS,
    MASS,
    OMEGA,
    OMEGA_INEFFICIENT,
    RADIUS,
    SLIPPERY,
    STICKY,
    TABLE_2,
    Ground,
    Shape,
    model,
    snake,
)
from serpenoid.papers.paper import Each, Experiment, Work
from serpenoid.papers.readings import Setting
from serpenoid.scenario.scenario import Scenario

# Mean speed at which gaits are compared, m/s; the paper does not say which one it prescribes.
SPEED = 0.05
# C_N in the study of C_T/C_N, 1/s.
NORMAL = 10.0
# Omega of the four tests of Table 2, and the largest of Fig. 4, rad/s.
TESTS, FASTEST = tuple(test.omega for test in TABLE_2), 4.0
# Gains of the servos, which the paper does not give, N m/rad and N m s/rad.
KP, KD = 20.0, 5.0
# Angular velocity from which the straight robot spins down, rad/s, and for how long, s.
SPIN, SPIN_TIME = 2.0, 0.5


@dataclass(frozen=True)
class Sample:
    """A random gait of a random robot on the paper's ground.

    Attributes:
        omega: Frequency of the gait, rad/s.
        ratio: Mean power loss over mean kinetic energy in the first period from rest, 1/s.
        lowest: Lowest ratio of power loss and kinetic energy at any time of the period, 1/s.
        highest: Highest such ratio, 1/s.
    """

    omega: float
    ratio: float
    lowest: float
    highest: float


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """All simulations and studies by name.

    Args:
        setting: Whether to take fewer points and shorter runs.
    """
    quick = setting.quick
    omegas = np.linspace(0.25, FASTEST, 3 if quick else 16)
    ratios = (0.05, 0.9) if quick else (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
    links = (4, 8) if quick else (4, 5, 6, 8, 10, 12, 16)
    shares = (0.9,) if quick else (0.05, 0.2, 0.4, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)
    offsets = (0.0, GAMMA_DEG) if quick else (0.0, 0.6, GAMMA_DEG, 2.0, 3.0, 4.0, 5.0)
    length = 0.2 if quick else 1.0
    ratio_robots = [(Ground(ratio * NORMAL, NORMAL), SPEED, LINKS) for ratio in ratios]
    link_robots = [(SLIPPERY, SPEED, count) for count in links]
    return {
        "circle": circle(EFFICIENT, SLIPPERY, OMEGA, length * 90.0),
        "circle_inefficient": circle(INEFFICIENT, STICKY, OMEGA_INEFFICIENT, length * 500.0),
        **{f"servo_{omega:g}": _servo(EFFICIENT, SLIPPERY, omega, 5) for omega in TESTS[:-1]},
        # Once around.
        f"servo_{OMEGA:g}": _servo(EFFICIENT, SLIPPERY, OMEGA, 9 if quick else 43),
        "servo_inefficient": _servo(INEFFICIENT, STICKY, OMEGA, 40 if quick else 200),
        "tests": Each(_test_of_table_2, TESTS),
        "sweep": Work(_sweep, omegas),
        "surfaces": Work(_surfaces),
        # Study 2: best gaits over C_T/C_N, and over the number of links.
        "ratios": Work(_best_gaits, ratio_robots, Shape(0.23, 0.9)),
        "links": Work(_best_gaits, link_robots, Shape(0.4, 1.5)),
        "front": Work(_front, shares),
        "cloud": Work(_cloud, 30 if quick else 300),
        "random": Work(_random, 100 if quick else 2000),
        "spin": Work(_spin),
        "offsets": Work(_offsets, offsets),
    }


def circle(shape: Shape, ground: Ground, omega: float, duration: float) -> Scenario:
    """A run of the engine with prescribed joints and the paper's offset.

    Args:
        shape: Shape of the gait.
        ground: The ground.
        omega: Frequency of the gait, rad/s.
        duration: Duration of the run, s.
    """
    return Scenario.load("circle").changed(
        {
            "title": f"{shape}, omega {omega:g} rad/s, {ground}",
            "friction": ground.friction(),
            "controller": shape.gait(omega, gamma_deg=GAMMA_DEG),
            "clock.duration": duration,
        }
    )


def _servo(shape: Shape, ground: Ground, omega: float, periods: int) -> Scenario:
    """The same with servos, for whole periods rounded to whole rows."""
    duration = round(periods * 2 * math.pi / omega / 0.02) * 0.02
    servo = {"actuator": {"kind": "servo", "kp": KP, "kd": KD}}
    return circle(shape, ground, omega, duration).changed(servo)


def _test_of_table_2(omega: float) -> Steady:
    """A test of Table 2."""
    return steady(model(SLIPPERY), EFFICIENT.gait(omega, gamma_deg=GAMMA_DEG))


def _sweep(omegas: Floats) -> dict[Shape, list[Steady]]:
    """Study 1: gait shapes over omega, the paper's two and the one of least power."""
    shapes = (EFFICIENT, INEFFICIENT, least_power(SLIPPERY, SPEED).shape)
    return {
        shape: [steady(model(SLIPPERY), shape.gait(float(omega))) for omega in omegas]
        for shape in shapes
    }


def _surfaces() -> dict[tuple[Shape, Ground], Steady]:
    """Both of the paper's gaits on both of its grounds, at the same speed."""
    return {
        (shape, ground): steady_at_speed(model(ground), shape.gait(1.0), SPEED)
        for ground in (SLIPPERY, STICKY)
        for shape in (EFFICIENT, INEFFICIENT)
    }


def _best_gaits(
    robots: Sequence[tuple[Ground, float, int]],
    begin: Shape,
    *,
    fastest: float = math.inf,
) -> list[Optimum]:
    """Gaits of least power, each looked for from the last one on.

    Args:
        robots: Ground, mean speed, m/s, and number of links of each.
        begin: Shape from which the first search begins.
        fastest: Largest frequency of the gaits allowed, rad/s.
    """
    found: list[Optimum] = []
    for ground, speed, links in robots:
        if found:
            # About as much wave on the body.
            last = found[-1]
            begin = Shape(last.shape.alpha, last.shape.beta * last.links / links)
        found.append(least_power(ground, speed, links, begin=begin, fastest=fastest))
    return found


def _front(shares: tuple[float, ...]) -> list[Optimum]:
    """Least power at each of many speeds up to the largest, omega limited to that of Fig. 4."""
    top = largest_speed(SLIPPERY, FASTEST)
    robots = [(SLIPPERY, share * top.motion.speed, LINKS) for share in shares]
    return [*_best_gaits(robots, Shape(0.29, 0.95), fastest=FASTEST), top]


def _cloud(count: int) -> list[Steady]:
    """Gaits of any shape and omega within the limits of the front, none of which may beat it."""
    random = np.random.default_rng(4)
    found: list[Steady] = []
    for _ in range(count):
        shape = Shape(random.uniform(0.05, 0.8), random.uniform(0.3, 2.4))
        found.append(steady(model(SLIPPERY), shape.gait(random.uniform(0.2, FASTEST))))
    return found


def _random(count: int) -> list[Sample]:
    """Any gait, number of links, mass and length, on the ground of Table 2."""
    random = np.random.default_rng(2010)
    found = []
    for _ in range(count):
        links = int(random.integers(2, 21))
        mass, length, omega = 10.0 ** random.uniform((-2, -2, -1), (1, 0, 1))
        robot = Robot.uniform(links, length=length, mass=mass, radius=RADIUS)
        shape = Shape(random.uniform(0.05, 1.0), random.uniform(0.1, 3.0))
        gait = shape.gait(omega, links, random.uniform(-10.0, 10.0))
        period = 2 * math.pi / omega
        motion = Recursion(robot, SLIPPERY.friction(mass)).integrate(
            gait, period, record_period=period / 32, tolerance=1e-6
        )
        ratio = motion.loss / motion.kinetic
        mean = float(motion.loss.mean() / motion.kinetic.mean())
        found.append(Sample(omega, mean, float(ratio.min()), float(ratio.max())))
    return found


def _spin() -> dict[str, Motion]:
    """The straight robot spinning about its centre, with the friction torque right and as printed.

    Right is m C_N L^2 / 12 about each link's centre, printed m C_N L^2 / 3 (13).
    """
    straight = Shape(0.0, 1.0).gait(1.0)
    start = (0.0, -SPIN * LINKS * LENGTH / 2, SPIN)
    across = MASS * SLIPPERY.normal
    laws = {
        "integrated": SLIPPERY.friction(),
        "printed": Viscous(MASS * SLIPPERY.tangential, across, turning=across * LENGTH**2 / 3),
    }
    return {
        name: Recursion(snake(), law).integrate(straight, SPIN_TIME, velocity=start)
        for name, law in laws.items()
    }


def _offsets(offsets: tuple[float, ...]) -> dict[Shape, list[Steady]]:
    """Circles of the two gaits on the slippery ground over gamma, deg."""
    return {
        shape: [steady(model(SLIPPERY), shape.gait(OMEGA, gamma_deg=gamma)) for gamma in offsets]
        for shape in (EFFICIENT, INEFFICIENT)
    }
