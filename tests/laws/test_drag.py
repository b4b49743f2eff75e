"""Drag of a fluid: terminal speed, coasting, turning, and the work it does."""

import numpy as np
import pytest

import serpenoid as sp

G = 9.81
LENGTH, MASS = 0.2, 0.5
LINK = sp.Robot.uniform(1, length=LENGTH, mass=MASS, radius=0.02)


def coasting(c1: float, c2: float, v: float, t: np.ndarray) -> np.ndarray:
    """Speed of m v' = -c1 v - c2 v^2."""
    if c1 == 0.0:
        return v / (1.0 + c2 * v * t / MASS)
    decay = np.exp(-c1 * t / MASS)
    return c1 * v * decay / (c1 + c2 * v * (1.0 - decay))


@pytest.mark.parametrize("angle", [0.0, 90.0])
@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.8), (0.3, 0.0), (0.3, 0.8)])
def test_a_coasting_link_slows_down_as_the_closed_form_says(c1, c2, angle):
    """Along the link and across it; the error is that of the midpoint rule, of second order."""
    names = ("along", "along_squared") if angle == 0.0 else ("across", "across_squared")
    world = sp.World(friction=sp.Fluid(**dict(zip(names, (c1, c2), strict=True))))
    start = sp.Start(heading_deg=30, velocity=tuple(2.0 * unit(30 + angle)))
    errors = []
    for time_step in (2e-3, 1e-3):
        run = sp.simulate(LINK, world, duration=2.0, start=start, time_step=time_step)
        speed = np.hypot(run.columns["vx"][:, 0], run.columns["vy"][:, 0])
        errors.append(np.abs(speed - coasting(c1, c2, 2.0, run.time)).max())
    assert errors[1] < 1e-6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize(("c1", "c2"), [(0.0, 0.8), (0.3, 0.8)])
def test_terminal_speed_down_a_slope(c1, c2):
    """m g sin = c1 v + c2 v^2."""
    pull = MASS * G * np.sin(np.radians(20.0))
    law = sp.Fluid(along=c1, along_squared=c2)
    world = sp.World(friction=law, slope_deg=20.0)
    run = sp.simulate(LINK, world, duration=8.0)
    wanted = (np.sqrt(c1**2 + 4 * c2 * pull) - c1) / (2 * c2)
    assert run.columns["vx"][-1, 0] == pytest.approx(wanted, rel=1e-6)


def test_turning_is_the_drag_across_spread_along_the_link():
    c2, omega = 0.8, np.radians(720.0)
    world = sp.World(friction=sp.Fluid(across_squared=c2))
    run = sp.simulate(LINK, world, duration=2.0, start=sp.Start(spin_deg=720))
    # Sum of c2/L |w s| w s s over the link.
    s = (np.arange(100_000) + 0.5) / 100_000 * LENGTH - LENGTH / 2
    torque = c2 / 100_000 * (np.abs(s) * s * s).sum()
    wanted = omega / (1.0 + torque * omega * run.time / LINK.links[0].moment_of_inertia)
    np.testing.assert_allclose(run.columns["omega"][:, 0], wanted, rtol=1e-6)


def test_the_work_of_drag_is_never_positive_and_the_ledger_closes():
    run = sp.Scenario.load("eel", {"clock.duration": 2.0}).run()
    damping = run.columns["energy_damping"]
    assert (np.diff(damping) <= 0.0).all()
    assert damping[-1] < -1e-3
    assert np.abs(run.columns["energy_residual"]).max() < 1e-12


def test_an_eel_swims_forwards_and_faster_with_less_drag_along():
    speeds = [
        sp.Scenario.load("eel", {"friction.along_squared": along}).run().mean_velocity()[0]
        for along in (0.03, 0.1)
    ]
    assert speeds[0] > speeds[1] > 0.05


@pytest.mark.parametrize("solver", ["prox", "hybrid", "explicit"])
def test_other_methods_refuse_it(solver):
    with pytest.raises(sp.UnsupportedLaw, match="cannot resolve ground friction Fluid"):
        sp.Scenario.load("eel", {"solver.kind": solver}).run()


def test_two_viscous_laws_do_not_add_up():
    with pytest.raises(sp.InvalidInput, match="at most one viscous law"):
        sp.Viscous(along=1.0, across=1.0) + sp.Fluid(across_squared=1.0)


def unit(angle: float) -> np.ndarray:
    return np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
