"""How the cost of a step grows with the number of links and of pegs."""

from __future__ import annotations

import serpenoid as sp

SIZES = (10, 20, 50, 100, 200, 500)


def _snake(links: int) -> sp.Robot:
    return sp.Robot.uniform(
        links,
        length=0.122,
        mass=7.5 / 11,
        inertia=1.32e-3,
        radius=0.0525,
        straight=2 * 0.0393,
        actuator=sp.Servo(kp=800.0, kd=2.0),
    )


GAIT = sp.Serpenoid(amplitude_deg=-40, frequency_deg=80, phase_deg=-50)


def _stepping(robot: sp.Robot, world: sp.World, duration: float) -> tuple[float, float]:
    """Wall time (us) and solver iterations per step of 1 ms."""
    run = sp.simulate(robot, world, GAIT, duration, record_period=0.1)
    steps = run.state.step
    iterations = float(run.columns["iterations"].sum()) / steps
    return 1e6 * run.stepping_seconds / steps, iterations


def links(rounds: int = 9) -> list[dict[str, float]]:
    """Time per link and step on the flat for growing robots, best of several rounds."""
    world = sp.World(friction=sp.Coulomb(0.2))
    robots = {n: _snake(n) for n in SIZES}
    best: dict[int, tuple[float, float]] = {}
    for _ in range(rounds):
        for n, robot in robots.items():
            # About the same work for every size.
            result = _stepping(robot, world, max(2.0, 200.0 // n))
            best[n] = min(best.get(n, result), result)
    return [
        {"links": n, "ns_per_link": 1e3 * us / n, "iterations": iterations}
        for n, (us, iterations) in best.items()
    ]


def pegs(rounds: int = 5) -> list[dict[str, float]]:
    """Time per step of Aiko among 10 pegs, and with 9,990 more around these."""
    near = sp.fields.random_pegs(
        10,
        region=(-1.0, 1.0, -0.5, 0.5),
        radius=0.0125,
        clearance=0.1,
        seed=1,
        keep_clear=[(0.1 * k, 0.0, 0.12) for k in range(-9, 10)],
    )
    far = sp.fields.random_pegs(
        9_990,
        region=(-30.0, 30.0, -30.0, 30.0),
        radius=0.0125,
        clearance=0.1,
        seed=2,
        keep_clear=[(0.0, 0.0, 2.0)],
    )
    robot = sp.robots.aiko()
    best: dict[int, float] = {}
    for _ in range(rounds):
        for field in (near, near + far):
            world = sp.World(friction=sp.Coulomb(0.2), pegs=field)
            result, _ = _stepping(robot, world, 10.0)
            best[len(field)] = min(best.get(len(field), result), result)
    return [{"pegs": count, "us_per_step": us} for count, us in best.items()]
