"""Seeded random terrains and gaits: no NaN, no fall through the ground, a closed ledger."""

import numpy as np
import pytest

import serpenoid as sp
from tests.depths import deepest

FEW, MANY = range(12), range(12, 300)


def case(seed: int) -> tuple[sp.Robot, sp.World, sp.PedalWave, sp.Start]:
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 13))
    length = random.uniform(0.05, 0.15)
    mass = random.uniform(0.05, 0.5)
    stiffness = np.inf if random.random() < 0.1 else 10 ** random.uniform(0.3, 1.5)
    drive: sp.SeriesElastic | sp.Servo = sp.SeriesElastic(
        stiffness=stiffness,
        kp=random.uniform(5, 40),
        kd=random.uniform(0.5, 15),
        gear_ratio=random.uniform(20, 300),
        rotor_inertia=10 ** random.uniform(-7, -5.5),
        rotor_mass=random.uniform(0, 0.05),
        torque_limit=random.choice([np.inf, np.inf, 2.0]),
    )
    if random.random() < 0.2:
        drive = sp.Servo(kp=random.uniform(5, 40), kd=random.uniform(0.1, 2))
    robot = sp.Robot.uniform(
        n, length=length, mass=mass, radius=0.08 * length, straight=length, actuator=drive
    )
    mu = random.uniform(0, 1.2)
    contact: sp.Hard | sp.Compliant = sp.Hard()
    if random.random() < 0.5:
        k = 10 ** random.uniform(2.3, 4)
        contact = sp.Compliant(k, 2 * random.uniform(0.2, 1.5) * np.sqrt(k * mass))
    kind = random.integers(4)
    terrain: sp.Flat | sp.Slope | sp.Stairs | sp.Rough = sp.Flat(mu, contact=contact)
    if kind == 1:
        terrain = sp.Slope(random.uniform(-35, 35), mu, contact=contact)
    if kind == 2:
        terrain = sp.Stairs(
            height=random.uniform(0.1, 0.8) * length,
            tread=random.uniform(0.6, 2) * length,
            friction=mu,
            contact=contact,
            steps=int(random.integers(1, 4)),
            down=bool(random.random() < 0.5),
        )
    if kind == 3:
        terrain = sp.Rough(
            height=random.uniform(0, 0.4) * length,
            step=random.uniform(0.4, 1.5) * length,
            length=20 * length,
            seed=seed,
            friction=mu,
            contact=contact,
            x=-10 * length,
        )
    at = "axis" if random.random() < 0.5 else "outline"
    world = sp.World(plane="vertical", contact_at=at, terrain=terrain)
    gait = sp.PedalWave(
        amplitude_deg=random.uniform(0, 60),
        frequency_deg=random.uniform(60, 400),
        phase_deg=random.uniform(-120, 120),
    )
    # High enough for any shape, not far to fall.
    top = float(terrain.level(np.linspace(-n * length, n * length, 400)).max())
    angles = gait.angles(n - 1)
    theta = np.concatenate([[0.0], np.cumsum(angles)])
    height = np.concatenate([[0.0], np.cumsum(length * np.sin(theta - theta.mean()))])
    start = sp.Start(y=top + float(np.ptp(height)) + 0.1 * length)
    return robot, world, gait, start


def check(seed: int) -> None:
    robot, world, gait, start = case(seed)
    run = sp.simulate(robot, world, gait, 3.0, start=start, record_period=0.02)
    for name, column in run.columns.items():
        assert np.isfinite(column).all(), name
    assert abs(run.energy()["residual"]) < 1e-9
    assert run.columns["step_energy_residual"].max() < 1e-10
    if isinstance(world.terrain.contact, sp.Hard):
        assert run.columns["penetration"].max() < 2e-3
        assert deepest(run).max() < 1e-4
    else:
        # What one spring lets it sink by where it falls from its start, and no more.
        k, weight = world.terrain.contact.stiffness, robot.mass * 9.81
        height = float(run.centre_of_mass()[0, 1] - run.centre_of_mass()[:, 1].min())
        sag = weight / k
        assert deepest(run).max() < sag + np.sqrt(sag**2 + 2 * sag * height)


@pytest.mark.parametrize("seed", FEW)
def test_random_terrain(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_many_random_terrains(seed):
    check(seed)
