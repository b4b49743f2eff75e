"""Smoothed friction: a function of the velocity, which creeps where dry friction sticks."""

import numpy as np
import pytest

import serpenoid as sp

G, MU = 9.81, 0.3
BLOCK = sp.Robot.uniform(1, length=0.2, mass=1.5, radius=0.03)
GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)


@pytest.mark.parametrize("speed", [1e-2, 1e-4])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_creep_on_a_slope_that_dry_friction_holds(share, speed):
    """tan(slope) = mu v / sqrt(v^2 + speed^2); v = speed s / sqrt(1 - s^2), s = tan(slope)/mu."""
    slope = float(np.degrees(np.arctan(share * MU)))
    where = {"slope_deg": slope, "slope_direction_deg": 37.0}
    world = sp.World(friction=sp.SmoothCoulomb(MU, speed), **where)
    run = sp.simulate(BLOCK, world, None, 2.0)
    creep = speed * share / np.sqrt(1 - share**2)
    assert np.hypot(*run.centre_velocity()[-1]) == pytest.approx(creep, rel=1e-8)
    assert np.abs(run.columns["energy_residual"]).max() < 1e-12
    held = sp.simulate(BLOCK, sp.World(friction=sp.Coulomb(MU), **where), None, 2.0)
    assert np.ptp(held.columns["x"][1:]) < 1e-15


def test_slow_motion_dies_away_exponentially():
    """v' = -mu g v / speed while v is far below the speed: first order in the step."""
    speed, start = 0.1, sp.Start(velocity=(6e-5, 8e-5))
    errors = []
    for time_step in (1e-3, 5e-4):
        run = sp.simulate(
            BLOCK,
            sp.World(friction=sp.SmoothCoulomb(MU, speed)),
            None,
            0.1,
            start=start,
            time_step=time_step,
        )
        wanted = 1e-4 * np.exp(-MU * G / speed * run.time)
        errors.append(np.abs(np.hypot(*run.centre_velocity().T) - wanted).max())
    assert errors[1] < 1e-6
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.05)


def test_a_fast_block_slows_down_as_under_dry_friction_and_the_ledger_closes():
    start = sp.Start(velocity=(1.2, -0.9))
    run = sp.simulate(BLOCK, sp.World(friction=sp.SmoothCoulomb(MU, 1e-4)), None, 1.0, start=start)
    speed = np.hypot(*run.centre_velocity().T)
    np.testing.assert_allclose(speed, np.maximum(1.5 - MU * G * run.time, 0.0), atol=4e-3)
    assert run.energy()["friction"] == pytest.approx(-0.5 * 1.5 * 1.5**2, abs=1e-6)
    assert (np.diff(run.columns["energy_friction"]) <= 0.0).all()
    assert np.abs(run.columns["energy_residual"]).max() < 1e-12


def test_a_snake_moves_as_with_dry_friction_the_more_the_smaller_the_speed():
    worlds = [sp.World(friction=sp.SmoothCoulomb(0.2, speed)) for speed in (1e-2, 1e-3)]
    worlds.append(sp.World(friction=sp.Coulomb(0.2)))
    runs = [sp.simulate(sp.robots.aiko(), world, GAIT, 4.5) for world in worlds]
    rough, fine, dry = (run.mean_velocity()[0] for run in runs)
    assert abs(fine - dry) < 0.2 * abs(rough - dry)
    assert fine == pytest.approx(dry, rel=0.03)
    for run in runs:
        assert np.abs(run.columns["energy_residual"]).max() < 1e-10
        assert run.columns["halvings"].sum() == 0


def test_the_speed_must_be_positive():
    with pytest.raises(sp.InvalidInput, match=r"SmoothCoulomb.speed = 0"):
        sp.SmoothCoulomb(0.3, 0.0)
