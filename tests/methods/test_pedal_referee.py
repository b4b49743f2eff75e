"""The pedal wave on level ground against MuJoCo."""

import numpy as np
import pytest

import serpenoid as sp
from tests.peers.mujoco_pedal import pedal_run


@pytest.mark.parametrize(
    ("stiffness", "damping", "speed", "torque"),
    [
        # Of the speed, and of the root mean square of the spring torques.
        (3500.0, 50.0, 0.06, 0.04),
        # MuJoCo's friction acts half as deep as points have sunk, which makes its robot slower.
        (350.0, 15.0, 0.40, 0.12),
    ],
)
def test_speed_and_torques_are_those_of_mujoco(stiffness, damping, speed, torque):
    robot = sp.robots.koopaee("half_length_007")
    gait = sp.PedalWave(amplitude_deg=45, frequency_deg=180, phase_deg=-79.2)
    ground = sp.Flat(0.82, contact=sp.Compliant(stiffness, damping))
    time, x, springs = pedal_run(robot, gait, ground, 4.0)
    world = sp.World(plane="vertical", contact_at="axis", terrain=ground)
    start = sp.Start(joint_angles_deg=(0.0,) * 5)
    run = sp.simulate(robot, world, gait, 4.0, start=start)
    np.testing.assert_allclose(run.time, time, atol=1e-9)
    ours = run.columns["x"].mean(axis=1)
    theirs = x - x[0]
    assert ours[-1] - ours[0] == pytest.approx(theirs[-1], rel=speed)
    assert theirs[-1] < ours[-1] - ours[0]
    off = run.columns["spring_torque"] - springs
    assert np.sqrt((off**2).mean()) < torque * np.sqrt((springs**2).mean())
