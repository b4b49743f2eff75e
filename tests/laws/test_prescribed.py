"""Prescribed joints are where they were told at every recorded time."""

import numpy as np
import pytest

import serpenoid as sp

ROBOT = sp.Robot.uniform(6, length=0.1, mass=0.3, radius=0.02, actuator=sp.Prescribed())
WORLD = sp.World(sp.Coulomb(0.3))
STEPS = [1e-3, 5e-3]
WAVE = {"amplitude_deg": 40.0, "frequency_deg": 180.0, "phase_deg": 60.0, "offset_deg": 5.0}


def errors(controller, dt, start=None):
    """Joint angle less reference in every row, rad, and the run."""
    run = sp.simulate(ROBOT, WORLD, controller, 1.0, start=start, time_step=dt, record_period=dt)
    return np.abs(run.columns["joint_angle"] - run.columns["joint_reference"]).max(axis=1), run


def closed_form(t, joint, joints=5):
    """The wave of WAVE, written anew."""
    argument = np.radians(180.0 * t + 60.0 * (joints - 1 - joint))
    return np.radians(40.0) * np.sin(argument) + np.radians(5.0)


@pytest.mark.parametrize("dt", STEPS)
def test_joints_follow_a_wave_exactly(dt):
    error, run = errors(sp.Serpenoid(**WAVE), dt)
    assert error.max() < 1e-12
    for joint in range(5):
        wanted = closed_form(run.time, joint)
        assert np.abs(run.columns["joint_angle"][:, joint] - wanted).max() < 1e-12
    # The rate is that of the closed form to second order.
    rate = np.radians(40.0) * np.pi * np.cos(np.pi * run.time + np.radians(240.0))
    assert np.abs(run.columns["joint_rate"][:, 0] - rate).max() < 5 * dt**2


@pytest.mark.parametrize("delay", [0.1, 0.1037])
@pytest.mark.parametrize("dt", STEPS)
def test_joints_do_not_swing_after_a_wave_has_begun(dt, delay):
    """Within a step, too; the first rate is that of the wave, not twice it."""
    error, run = errors(sp.Serpenoid(**WAVE, delay=delay), dt)
    assert error.max() < 1e-12
    after = run.time > delay + 0.5 * dt
    t = run.time[after] - delay
    rate = np.radians(40.0) * np.pi * np.cos(np.pi * t + np.radians(240.0))
    assert np.abs(run.columns["joint_rate"][after, 0] - rate).max() < 20 * dt**2


class Corners:
    """Angles on a polygon: the rate jumps at every tick."""

    period = 0.05

    def command(self, seen):
        now = round(seen.time / self.period)
        here, there = (
            0.4 * np.sin(1.0 * k + np.arange(5.0)) - 0.4 * np.sin(np.arange(5.0))
            for k in (now, now + 1)
        )
        return sp.Command(angle=here, rate=(there - here) / self.period)


@pytest.mark.parametrize("dt", STEPS)
def test_joints_turn_corners_without_swinging(dt):
    error, run = errors(Corners(), dt)
    assert error.max() < 1e-12
    # Rates between two ticks are constant, from the first step on.
    rates = run.columns["joint_rate"][1:, 0].reshape(20, -1)
    assert np.ptp(rates, axis=1).max() < 1e-9
    assert np.ptp(rates[:, 0]) > 1.0


def test_halved_steps_end_as_told():
    """A robot that spins so fast that its steps are halved."""
    error, run = errors(sp.Serpenoid(**WAVE), 1e-3, start=sp.Start(spin_deg=15_000.0))
    assert run.columns["halvings"].sum() > 0
    assert error.max() < 1e-11
