"""The frozen runs: gallery with every method, random cases, batches, continued runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import serpenoid as sp
from serpenoid.scenario.sections import Chain
from tests.scenarios import random_case

METHODS = ("newton", "prox", "hybrid", "explicit")
RANDOM = range(5000, 5200)
# How long gallery scenarios are simulated, s: the papers' own methods are slower.
DURATION = {"newton": 1.0, "prox": 0.1, "hybrid": 0.3, "explicit": 0.5}

# A case gives the runs to freeze; none where a method refuses the scenario.
Case = Callable[[], list[sp.Trajectory]]


def cases() -> Iterator[tuple[str, Case]]:
    """Name and case, in a fixed order."""
    for name in sp.gallery():
        for method in METHODS:
            yield f"{name}, {method}", lambda n=name, m=method: _gallery(n, m)
    for seed in RANDOM:
        yield f"random {seed}", lambda s=seed: [_random(s, "newton", 0.2)]
    for seed in range(30):
        for method in ("newton", "prox", "hybrid"):
            yield f"plain {seed}, {method}", lambda s=seed, m=method: [_plain(s, m)]
    for seed in range(10):
        for method in ("newton", "explicit"):
            yield f"terrain {seed}, {method}", lambda s=seed, m=method: [_terrain(s, m)]
    yield "batch of gaits", _batch_of_gaits
    yield "batch of worlds", _batch_of_worlds
    yield "commanded batch", _commanded_batch
    for name in ("aiko_pegs", "peg_forest", "stairs", "push_box"):
        yield f"{name}, continued", lambda n=name: _continued(n, "newton")
    yield "peg_forest, continued, hybrid", lambda: _continued("peg_forest", "hybrid")
    yield "python controller", _python_controller


def _gallery(name: str, method: str) -> list[sp.Trajectory]:
    changes: dict[str, object] = {"clock.duration": DURATION[method], "record.period": 0.02}
    if method != "newton":
        changes["solver.kind"] = method
        if isinstance(sp.Scenario.load(name).robot, Chain):
            changes["robot.self_contact"] = False
    if method == "explicit":
        changes["clock.time_step"] = 1e-3
    try:
        return [sp.Scenario.load(name, changes).run()]
    except sp.UnsupportedLaw:
        return []
    except sp.SimulationStopped as stopped:
        return [stopped.run]


def _random(seed: int, method: str, duration: float) -> sp.Trajectory:
    case = random_case(seed)
    return _run(case.robot, case.world, case.gait, duration, case.start, method)


def _plain(seed: int, method: str) -> sp.Trajectory:
    """Laws that prox and hybrid have, too: isotropic or orthotropic friction, pegs, servos."""
    random = np.random.default_rng(seed)
    n, mu = int(random.integers(2, 13)), random.uniform(0.05, 0.5)
    robot = sp.Robot.uniform(
        n,
        length=random.uniform(0.08, 0.2),
        mass=random.uniform(0.2, 1.5, n),
        radius=random.uniform(0.02, 0.04),
        actuator=sp.Servo(kp=random.uniform(5, 200), kd=random.uniform(0.2, 5)),
        self_contact=False,
    )
    start = sp.Start(heading_deg=random.uniform(-180, 180), velocity=(random.uniform(-1, 1), 0.3))
    isotropic = random.random() < 0.5
    friction = sp.Coulomb(mu) if isotropic else sp.OrthotropicCoulomb(0.3 * mu, mu)
    gait = sp.Serpenoid(random.uniform(5, 45), random.uniform(40, 300), random.uniform(-80, 80))
    alone = sp.simulate(robot, sp.World(), gait, 1e-3, start=start, record_period=1e-3)
    centres = np.stack([alone.columns["x"][0], alone.columns["y"][0]], axis=1)
    clear = [(float(x), float(y), 0.15) for x, y in centres]
    region = (-n * 0.2, n * 0.2, -n * 0.2, n * 0.2)
    pegs = sp.fields.random_pegs(
        6, region=region, radius=0.03, clearance=0.02, seed=seed, keep_clear=clear
    )
    world = sp.World(friction=friction, pegs=pegs)
    duration = 0.2 if method == "newton" else 0.05
    return _run(robot, world, gait, duration, start, method)


def _terrain(seed: int, method: str) -> sp.Trajectory:
    """Springs in the joints, on rough and compliant terrain."""
    random = np.random.default_rng(seed)
    soft = sp.Compliant(stiffness=random.uniform(200, 600), damping=random.uniform(5, 20))
    points = np.column_stack([np.linspace(-1.5, 2.0, 8), random.uniform(-0.03, 0.0, 8)])
    terrain = sp.Profile(
        points=tuple(map(tuple, points.tolist())), friction=random.uniform(0.2, 0.9), contact=soft
    )
    world = sp.World(plane="vertical", contact_at="axis", terrain=terrain)
    wave = sp.PedalWave(amplitude_deg=random.uniform(20, 45), frequency_deg=180, phase_deg=-75)
    robot, start = sp.robots.koopaee("half_length_007"), sp.Start(y=0.12, joint_angles_deg=(0,) * 5)
    return _run(robot, world, wave, 0.3, start, method)


def _run(
    robot: sp.Robot,
    world: sp.World,
    gait: sp.Serpenoid | sp.PedalWave,
    duration: float,
    start: sp.Start,
    method: str,
) -> sp.Trajectory:
    try:
        return sp.simulate(robot, world, gait, duration, start=start, solver=method)
    except sp.SimulationStopped as stopped:
        return stopped.run


def _batch_of_gaits() -> list[sp.Trajectory]:
    base = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.5})
    values = {"controller.frequency_deg": np.linspace(60, 100, 6).tolist()}
    return list(sp.simulate_batch(base, values, threads=2))


def _batch_of_worlds() -> list[sp.Trajectory]:
    base = sp.Scenario.load("peg_forest", {"clock.duration": 0.3})
    return list(sp.simulate_batch(base, {"seed": [1, 2, 3, 4, 5]}, threads=2))


def _commanded_batch() -> list[sp.Trajectory]:
    """Each robot of a commanded batch, continued by itself from where the batch left it."""
    scenario = sp.Scenario.load("push_box", {"clock.duration": 0.05})
    scenario = sp.Scenario(
        robot=scenario.robot,
        world=scenario.world,
        friction=scenario.friction,
        actuator=scenario.actuator,
        start=scenario.start,
        clock=scenario.clock,
    )
    batch = sp.Batch([scenario] * 3, threads=1)
    joints = len(scenario.built[0].joints)
    for k in range(10):
        angle = 0.1 * np.sin(k + np.arange(3 * joints).reshape(3, joints))
        batch.command(angle)
        batch.step(10)
    return [scenario.run(start=batch.state(b)) for b in range(3)]


def _continued(name: str, method: str) -> list[sp.Trajectory]:
    changes: dict[str, object] = {"clock.duration": 0.2}
    if method != "newton":
        changes["solver.kind"] = method
    scenario = sp.Scenario.load(name, changes)
    first = scenario.run()
    return [first, scenario.run(start=first.state)]


class _Swing:
    """A controller in Python that uses all that it sees."""

    period = 0.01

    def command(self, seen: sp.Observation) -> sp.Command:
        joints = np.arange(len(seen.joint_angle))
        push = seen.contact_force.sum(axis=1)
        angle = 0.5 * np.sin(2 * seen.time + joints) + 1e-3 * (push[1:] - push[:-1])
        return sp.Command(angle=angle, rate=-0.1 * seen.joint_rate)


def _python_controller() -> list[sp.Trajectory]:
    robot, world = sp.Scenario.load("aiko_pegs").built
    start = sp.Start(x=0.38, y=0.15, heading_deg=5, link=5, joint_angles_deg=(0.0,) * 10)
    clear = sp.World(friction=world.friction, pegs=world.pegs[3:])
    return [sp.simulate(robot, clear, _Swing(), 0.5, start=start)]
