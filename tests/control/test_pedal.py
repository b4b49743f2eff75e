"""Pedal wave and admittance controller."""

import numpy as np
import pytest

import serpenoid as sp

AIR = sp.World(plane="vertical", gravity=0.0)


def test_the_wave_is_that_of_the_paper():
    """(1) and (34), with the paper's signs: alpha = -phi."""
    phases = (-72.0, -60.0, -50.0, -80.0, -30.0)
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=phases)
    j, eta = np.arange(5), np.radians(phases)
    t = 0.3
    alpha = np.pi / 4 * np.sin(np.pi * t + eta * j)
    np.testing.assert_allclose(gait.angles(5, t), -alpha, atol=1e-14)
    rate = np.pi / 4 * np.pi * np.cos(np.pi * t + eta * j)
    np.testing.assert_allclose(gait.rates(5, t), -rate, atol=1e-14)
    run = sp.simulate(
        sp.robots.koopaee(), AIR, gait, 0.5, time_step=1e-4, record_period=0.1, solver="explicit"
    )
    wanted = [gait.angles(5, time) for time in run.time]
    np.testing.assert_allclose(run.columns["joint_reference"], wanted, atol=1e-12)
    np.testing.assert_allclose(run.columns["joint_phase"], [eta] * 6, atol=1e-15)


def test_spatial_frequencies_follow_the_admittance():
    """(35) with a constant torque: a second-order system with a known answer."""
    gait = sp.PedalWave(amplitude_deg=0.0, frequency_deg=180, phase_deg=-72)
    control = sp.Admittance(gait, gain=2.0, inertia=0.5, damping=3.0, stiffness=4.0)
    spring = sp.SeriesElastic(stiffness=5.0, kp=1e-12, kd=0.0, gear_ratio=1.0, rotor_inertia=1e9)
    # Links and rotors too heavy to move: a spring that is strained stays so.
    robot = sp.Robot.uniform(2, length=1.0, mass=1e9, radius=0.1, actuator=spring)
    first = sp.simulate(
        robot, AIR, control, 1e-4, time_step=1e-4, record_period=1e-4, solver="explicit"
    )
    state = first.state
    drive = state.drive.copy()
    drive[0] = 0.3, 0.0, np.radians(-72), 0.0
    import dataclasses

    strained = dataclasses.replace(state, drive=drive)
    run = sp.simulate(
        robot,
        AIR,
        control,
        3.0,
        start=strained,
        time_step=1e-4,
        record_period=0.1,
        solver="explicit",
    )
    assert run.columns["spring_torque"][-1, 0] == pytest.approx(1.5, rel=1e-6)
    t = run.time - run.time[0]
    # 0.5 s^2 + 3 s + 4 = 0.5 (s + 2)(s + 4), driven by 2 * 1.5.
    answer = np.radians(-72) + 3.0 / 4.0 * (1 - 2 * np.exp(-2 * t) + np.exp(-4 * t))
    np.testing.assert_allclose(run.columns["joint_phase"][:, 0], answer, atol=2e-4)


def test_without_gain_it_is_the_wave():
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-72)
    soft = sp.Flat(0.8, contact=sp.Compliant(350.0, 15.0))
    world = sp.World(plane="vertical", contact_at="axis", terrain=soft)
    start = sp.Start(joint_angles_deg=(0.0,) * 5)
    runs = [
        sp.simulate(
            sp.robots.koopaee(), world, control, 1.0, start=start, time_step=1e-4, solver="explicit"
        )
        for control in (gait, sp.Admittance(gait, 0.0))
    ]
    # The controller's reference is carried on from tick to tick, so not the same to the bit.
    np.testing.assert_allclose(runs[0].columns["x"], runs[1].columns["x"], atol=1e-4)


def test_stairs_need_the_torque_feedback():
    """The stair of the paper: as with its own points of contact, and with corners under links."""
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-72)
    start = sp.Start(x=-0.12, link=5, joint_angles_deg=(0.0,) * 5)
    speeds = {}
    for corners in (False, True):
        soft = sp.Compliant(350.0, 15.0, corners=corners)
        stair = sp.Stairs(height=0.06, tread=0.11, friction=0.82, contact=soft, down=True)
        world = sp.World(plane="vertical", contact_at="axis", terrain=stair)
        for gain in (0.0, 8.5):
            run = sp.simulate(
                sp.robots.koopaee("half_length_007"),
                world,
                sp.Admittance(gait, gain),
                60.0,
                start=start,
                time_step=1e-4,
                record_period=0.1,
                solver="explicit",
            )
            speeds[corners, gain] = 100 * run.mean_velocity()[0]
    assert speeds[False, 0.0] == pytest.approx(1.69, abs=0.1)
    assert speeds[False, 8.5] == pytest.approx(2.14, abs=0.1)
    # A link that the edge holds up gets stuck without feedback.
    assert speeds[True, 0.0] < 0.5
    assert speeds[True, 8.5] > 1.9
