"""Friction with a rectangular reservoir: two sign laws, along the link and across it."""

import numpy as np
import pytest

import serpenoid as sp

G = 9.81
BLOCK = sp.Robot.uniform(1, length=0.2, mass=1.5, radius=0.03)
LAW = sp.RectangularCoulomb(along=0.1, across=0.4)
SQUARE = sp.RectangularCoulomb(along=0.2, across=0.2)
GAIT = sp.Serpenoid(amplitude_deg=-40.0, frequency_deg=80.0, phase_deg=-50.0)


def unit(degrees: float) -> np.ndarray:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def incline(friction: sp.FrictionLaw, steepness: float, direction: float) -> sp.World:
    """A slope with the given tangent."""
    slope = float(np.degrees(np.arctan(steepness)))
    return sp.World(friction=friction, slope_deg=slope, slope_direction_deg=direction)


@pytest.mark.parametrize("angle", [0, 10, 45, 76, 90, 135, 200, 300])
def test_a_block_sticks_up_to_the_edge_of_the_rectangle(angle):
    """Also towards its corner, where an ellipse would have let go; nothing creeps."""
    pull, heading = np.abs(unit(angle)), 25.0
    mu = min(LAW.along / max(pull[0], 1e-9), LAW.across / max(pull[1], 1e-9))
    start = sp.Start(heading_deg=heading)
    held = sp.simulate(BLOCK, incline(LAW, 0.99 * mu, heading + angle), None, 5.0, start=start)
    assert np.linalg.norm(held.centre_of_mass(), axis=1).max() < 5e-9
    assert np.ptp(held.columns["x"][1:]) < 1e-15
    assert held.columns["sticking"][1:].all()
    slides = sp.simulate(BLOCK, incline(LAW, 1.01 * mu, heading + angle), None, 1.0, start=start)
    slope = np.arctan(1.01 * mu)
    axes = np.array([unit(heading), unit(heading + 90)])
    excess = np.sin(slope) * pull - np.cos(slope) * np.array([LAW.along, LAW.across])
    wanted = 0.5 * G * np.maximum(excess, 0.0) * np.sign(unit(angle))
    np.testing.assert_allclose(axes @ slides.centre_of_mass()[-1], wanted, atol=2e-6)
    assert not slides.columns["sticking"][1:].any()


@pytest.mark.parametrize("angle", [0, 30, 45, 120, 250])
def test_each_axis_slows_down_by_itself(angle):
    """Velocities along and across fall by mu g each until they are zero."""
    speed, heading = 2.0, -40.0
    start = sp.Start(heading_deg=heading, velocity=tuple(speed * unit(heading + angle)))
    run = sp.simulate(BLOCK, sp.World(friction=LAW), None, 2.5, start=start)
    axes = np.array([unit(heading), unit(heading + 90)])
    first, mu = speed * unit(angle), np.array([LAW.along, LAW.across])
    left = np.maximum(np.abs(first) - mu * G * run.time[:, None], 0.0)
    wanted = np.sign(first) * left
    # The step in which an axis comes to rest stops it at the end of the step.
    np.testing.assert_allclose(run.centre_velocity() @ axes.T, wanted, atol=0.5 * G * 1e-3)
    stop = np.sign(first) * first**2 / (2 * mu * G)
    np.testing.assert_allclose(axes @ run.centre_of_mass()[-1], stop, atol=2e-6)
    assert run.energy()["friction"] == pytest.approx(-0.5 * 1.5 * speed**2, abs=1e-9)
    assert np.abs(run.columns["energy_residual"]).max() < 1e-12


@pytest.mark.parametrize("angle", [20.0, 30.0, 45.0])
def test_friction_is_not_opposite_to_the_motion_even_if_both_coefficients_are_the_same(angle):
    """Which transeth2008 V-B2 holds against it: the force always points along the diagonal."""
    start = sp.Start(velocity=tuple(2.0 * unit(angle)))
    weight = 0.2 * 1.5 * G
    for law, size, off in ((SQUARE, np.sqrt(2), 45.0 - angle), (sp.Coulomb(0.2), 1.0, 0.0)):
        run = sp.simulate(BLOCK, sp.World(friction=law), None, 0.01, start=start)
        force = run.columns["friction_force"][1, 0]
        assert np.linalg.norm(force) == pytest.approx(size * weight, rel=1e-4)
        assert np.degrees(np.arctan2(-force[1], -force[0])) - angle == pytest.approx(off, abs=1e-6)


def test_a_run_in_parts_is_the_whole_run_and_patches_may_have_other_laws():
    """Links stand on both laws at once; kinetic energy and works agree to rounding."""
    ice = sp.Patch(0.0, 0.0, 0.5, 1.0, friction=sp.Coulomb(0.1), angle_deg=20.0)
    world = sp.World(friction=SQUARE + sp.Viscous(along=0.1, across=0.2), patches=[ice])
    whole = sp.simulate(sp.robots.aiko(), world, GAIT, 2.0)
    half = sp.simulate(sp.robots.aiko(), world, GAIT, 1.0)
    rest = sp.simulate(sp.robots.aiko(), world, GAIT, 1.0, start=half.state)
    assert rest.state == whole.state
    assert np.abs(whole.columns["energy_residual"]).max() < 1e-10
    assert whole.columns["halvings"].sum() == 0


def test_without_friction_along_it_is_a_wheel_and_without_any_it_is_none():
    start = sp.Start(velocity=(1.0, 1.0))
    law = sp.RectangularCoulomb(along=0.0, across=0.3)
    run = sp.simulate(BLOCK, sp.World(friction=law), None, 1.0, start=start)
    np.testing.assert_allclose(run.centre_velocity()[-1], (1.0, 0.0), atol=1e-9)
    none = sp.World(friction=sp.RectangularCoulomb(along=0.0, across=0.0))
    run = sp.simulate(BLOCK, none, None, 1.0, start=start)
    np.testing.assert_allclose(run.centre_of_mass()[-1], (1.0, 1.0), atol=1e-12)


def test_a_sum_takes_one_dry_law():
    with pytest.raises(sp.InvalidInput, match="at most one dry law"):
        sp.Coulomb(0.2) + LAW
