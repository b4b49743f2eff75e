"""Series-elastic joints in the default solver: closed forms, momentum, ledger."""

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp

AIR = sp.World(plane="vertical", gravity=0.0)


def drive(**values: float) -> sp.SeriesElastic:
    given = {"stiffness": 4.0, "kp": 0.0, "kd": 0.0, "gear_ratio": 30.0, "rotor_inertia": 2e-6}
    return sp.SeriesElastic(**given | {"rotor_mass": 0.05} | values)


def robot(links: int = 4, **values: float) -> sp.Robot:
    return sp.Robot.uniform(
        links,
        length=0.12,
        mass=0.2,
        radius=0.02,
        actuator=drive(**values),
        name="test",
        self_contact=False,
    )


def spins(run: sp.Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Linear and angular momentum of links and rotors in every row, about the origin."""
    made, c = run.robot, run.columns
    lumps = made.lumps()
    x = c["x"] - lumps.middle * np.cos(c["theta"])
    y = c["y"] - lumps.middle * np.sin(c["theta"])
    vx = c["vx"] + lumps.middle * c["omega"] * np.sin(c["theta"])
    vy = c["vy"] - lumps.middle * c["omega"] * np.cos(c["theta"])
    linear = np.stack([vx @ lumps.mass, vy @ lumps.mass], axis=1)
    angular = ((x * vy - y * vx) * lumps.mass + c["omega"] * lumps.inertia).sum(axis=1)
    ratio = np.array([j.actuator.gear_ratio for j in made.joints])
    rotor = np.array([j.actuator.rotor_inertia for j in made.joints])
    spin = (c["omega"][:, :-1] + ratio * c["rotor_rate"]) @ rotor
    return linear, angular + spin


def test_two_links_swing_against_their_rotor():
    """Small strains: links and rotor on a spring have one frequency, known in closed form."""
    made = sp.Robot.uniform(
        2, length=0.1, mass=1.0, radius=0.02, actuator=drive(gear_ratio=50.0, rotor_mass=0.0)
    )
    # The joint's inertia: two bars that turn against each other about their resting middles. The
    # rotor's reaction on the bar that carries it, 1/50 of its torque, is left out.
    joint = 0.1**2 / 12 / 2
    rotor = 2e-6 * 50**2
    frequency = math.sqrt(4.0 * (1 / joint + 1 / rotor))
    bent = sp.simulate(made, AIR, None, 1e-3, time_step=1e-3, record_period=1e-3).state
    pushed = bent.drive.copy()
    pushed[0, 0] = 1e-3
    state = dataclasses.replace(
        bent, drive=pushed, step=0, command_time=0.0, time_step=1e-4, ledger=bent.ledger * 0
    )
    run = sp.simulate(made, AIR, None, 2.0, start=state, time_step=1e-4, record_period=1e-4)
    strain = run.columns["joint_angle"][:, 0] - run.columns["rotor_angle"][:, 0]
    crossings = np.flatnonzero(np.diff(np.sign(strain)))
    period = 2 * (run.time[crossings[-1]] - run.time[crossings[0]]) / (len(crossings) - 1)
    assert 2 * math.pi / period == pytest.approx(frequency, rel=0.02)
    assert np.abs(strain[-2000:]).max() == pytest.approx(1e-3, rel=1e-3)


@pytest.mark.parametrize("stiffness", [4.0, math.inf])
def test_free_motion_keeps_momentum_and_energy(stiffness):
    start = sp.Start(
        joint_angles_deg=(40.0, -30.0, 20.0),
        joint_rates_deg=(100.0, -150.0, 80.0),
        spin_deg=60.0,
        velocity=(0.2, -0.1),
    )
    drift, off = [], []
    for dt in (1e-3, 5e-4):
        run = sp.simulate(robot(stiffness=stiffness), AIR, None, 1.0, start=start, time_step=dt)
        linear, angular = spins(run)
        np.testing.assert_allclose(linear, linear[:1].repeat(len(linear), axis=0), atol=1e-12)
        drift.append(np.abs(angular - angular[0]).max())
        energy = run.energy()
        assert abs(energy["residual"]) < 1e-13
        off.append(abs(energy["numerical"]))
    # Of second order, as for robots without rotors.
    assert drift[0] < 2e-3 * abs(angular[0])
    assert drift[0] / drift[1] == pytest.approx(4, rel=0.3)
    assert off[1] < off[0]


@pytest.mark.parametrize("stiffness", [6.0, math.inf])
def test_the_same_motion_as_the_explicit_solver(stiffness):
    """Both integrate the same equations: the difference vanishes with the step."""
    made = robot(stiffness=stiffness, kp=3.0, kd=0.2)
    gait = sp.PedalWave(amplitude_deg=40, frequency_deg=360, phase_deg=-60)
    start = sp.Start(joint_angles_deg=(10.0, 20.0, -30.0), spin_deg=30.0)
    options = {"start": start, "record_period": 0.01}
    rk4 = sp.Explicit(integrator="rk4")
    right = sp.simulate(made, AIR, gait, 0.5, time_step=1e-4, solver=rk4, **options)
    off = []
    for dt in (1e-3, 5e-4):
        run = sp.simulate(made, AIR, gait, 0.5, time_step=dt, **options)
        off.append(np.abs(run.columns["theta"] - right.columns["theta"]).max())
        assert np.abs(run.columns["x"] - right.columns["x"]).max() < 1e-3
    assert off[0] < 1e-2
    assert off[1] < 0.6 * off[0]


def test_the_motor_stays_within_its_limit():
    made = robot(kp=20.0, kd=0.1, torque_limit=0.15)
    gait = sp.PedalWave(amplitude_deg=60, frequency_deg=720, phase_deg=-60)
    start = sp.Start(joint_angles_deg=(0.0, 0.0, 0.0))
    rk4 = sp.Explicit(integrator="rk4")
    runs = [
        sp.simulate(made, AIR, gait, 0.4, start=start, time_step=dt, record_period=1e-3, solver=s)
        for dt, s in ((1e-3, "newton"), (5e-5, rk4))
    ]
    for run in runs:
        torque = run.columns["joint_torque"]
        assert torque.max() == pytest.approx(0.15, abs=1e-12)
        assert torque.min() == pytest.approx(-0.15, abs=1e-12)
    assert np.abs(runs[0].columns["theta"] - runs[1].columns["theta"]).max() < 0.05
    assert abs(runs[0].energy()["residual"]) < 1e-13


def test_the_ledger_knows_what_the_spring_holds():
    made = robot(stiffness=3.0, kp=10.0, kd=0.5)
    gait = sp.PedalWave(amplitude_deg=40, frequency_deg=360, phase_deg=-60)
    run = sp.simulate(made, AIR, gait, 1.0, time_step=1e-3)
    strain = run.columns["joint_angle"] - run.columns["rotor_angle"]
    held = 0.5 * 3.0 * (strain**2).sum(axis=1)
    np.testing.assert_allclose(-run.columns["energy_spring"], held - held[0], atol=1e-12)
    np.testing.assert_allclose(run.columns["spring_torque"], -3.0 * strain, atol=1e-12)


def test_pegs_and_friction_in_the_horizontal_plane():
    """The same joints on the peg track: the ledger closes, and springs give way to the pegs."""
    spring = sp.SeriesElastic(
        stiffness=40.0, kp=200.0, kd=10.0, gear_ratio=100.0, rotor_inertia=1e-5, rotor_mass=0.05
    )
    world = sp.World(friction=sp.Coulomb(0.2), pegs=sp.fields.aiko_track())
    gait = sp.Serpenoid(amplitude_deg=-40, frequency_deg=80, phase_deg=-50)
    start = sp.Start(x=0.38, y=0.15, heading_deg=5, link=5)
    run = sp.simulate(sp.robots.aiko(spring), world, gait, 6.0, start=start)
    assert run.displacement(2.0, 6.0) > 0.08
    assert abs(run.energy()["residual"]) < 1e-10
    assert run.columns["penetration"].max() < 1e-4
    assert np.abs(run.columns["spring_torque"]).max() > 0.5


def test_joint_limits_hold_behind_a_spring():
    spring = drive(kp=5.0, kd=0.1)
    made = sp.Robot.uniform(
        3, length=0.12, mass=0.2, radius=0.02, actuator=spring, limits_deg=(-10.0, 10.0)
    )
    gait = sp.PedalWave(amplitude_deg=40, frequency_deg=360, phase_deg=-60, start_deg=0)
    start = sp.Start(joint_angles_deg=(0.0, 0.0))
    run = sp.simulate(made, AIR, gait, 1.0, start=start)
    assert np.abs(np.degrees(run.columns["joint_angle"])).max() < 10.2
    assert np.abs(np.degrees(run.columns["rotor_angle"])).max() > 15
    assert abs(run.energy()["residual"]) < 1e-12
