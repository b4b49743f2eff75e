"""Joint limits of 'hybrid': closed forms, and 'newton' as a referee."""

import numpy as np
import pytest

import serpenoid as sp


def chain(links, actuator):
    return sp.Robot.uniform(
        links, length=0.1, mass=0.3, radius=0.02, actuator=actuator, limits_deg=(-30.0, 30.0)
    )


def run_of(robot, start, solver, world=None, controller=None, dt=1e-3):
    return sp.simulate(
        *(robot, world or sp.World(), controller, 0.6),
        start=start,
        solver=solver,
        time_step=dt,
        record_period=0.01,
    )


@pytest.mark.parametrize("rate", [200.0, -200.0])
def test_two_links_that_fold_up_stop_at_the_limit(rate):
    """Momenta are zero, so that nothing moves once the joint does not: the impact takes all."""
    run = run_of(chain(2, sp.Free()), sp.Start(joint_rates_deg=(rate,)), "hybrid")
    end = np.radians(30.0) * np.sign(rate)
    assert run.columns["joint_angle"][-1, 0] == pytest.approx(end, abs=1e-7)
    assert run.columns["energy_kinetic"][-1] < 1e-12
    assert run.energy()["impact"] == pytest.approx(-run.columns["energy_kinetic"][0], rel=1e-6)
    time, kind, link, limit = run.events[0]
    assert time == pytest.approx(30.0 / 200.0, abs=1e-2)
    assert (kind, link, limit) == (1.0, 1.0, -2.0 if rate > 0.0 else -1.0)


def test_a_passive_chain_swings_into_its_limits_as_newton_says():
    robot = chain(4, sp.Free())
    start = sp.Start(joint_rates_deg=(300.0, -200.0, 250.0), spin_deg=50.0)
    hybrid = run_of(robot, start, "hybrid")
    newton = run_of(robot, start, "newton", dt=1e-4)
    for column, bound in (("joint_angle", 2e-3), ("x", 1e-4), ("y", 1e-4)):
        assert np.abs(hybrid.columns[column] - newton.columns[column]).max() < bound, column
    assert np.abs(hybrid.columns["joint_angle"]).max() < np.radians(30.0) + 1e-6
    assert hybrid.energy()["impact"] < 0.0
    assert (np.diff(hybrid.columns["energy_impact"]) < 1e-9).all()
    assert abs(hybrid.energy()["residual"]) < 1e-6 * hybrid.columns["energy_kinetic"][0]


def test_a_servo_presses_against_its_limit_and_lets_go_again():
    """The wave reaches 45 deg, the joint 30: it is there for a part of each period."""
    robot = chain(3, sp.Servo(kp=2.0, kd=0.2))
    wave = sp.Serpenoid(amplitude_deg=45.0, frequency_deg=720.0, phase_deg=90.0)
    start = sp.Start(joint_angles_deg=(0.0, 0.0))
    world = sp.World(sp.Viscous(along=0.2, across=2.0))
    hybrid, newton = (
        run_of(robot, start, solver, world, wave, dt)
        for solver, dt in (("hybrid", 1e-3), ("newton", 1e-4))
    )
    angle = np.abs(hybrid.columns["joint_angle"])
    held = angle > np.radians(30.0) - 1e-5
    assert 5 < held.sum() < held.size - 5
    assert angle.max() < np.radians(30.0) + 1e-6
    assert np.abs(hybrid.columns["joint_angle"] - newton.columns["joint_angle"]).max() < 5e-3
    assert np.abs(hybrid.columns["joint_torque"] - newton.columns["joint_torque"]).max() < 0.02
    # Held joints are left again: events of their limits, -1 and -2, are detachments, too.
    limits = hybrid.events[hybrid.events[:, 3] < 0]
    assert {1.0, 2.0} <= set(limits[:, 1])
