"""Terrain: what it is, and what is refused."""

import dataclasses

import numpy as np
import pytest

import serpenoid as sp

SOFT = sp.Compliant(stiffness=350.0, damping=15.0)


def test_shapes():
    stairs = sp.Stairs(height=0.06, tread=0.11, friction=0.8, steps=2, down=True)
    np.testing.assert_allclose(
        stairs.polyline()[1:],
        [
            (0, 0),
            (0, 0.06),
            (0.11, 0.06),
            (0.11, 0.12),
            (0.22, 0.12),
            (0.22, 0.06),
            (0.33, 0.06),
            (0.33, 0.0),
            (0.44, 0.0),
        ],
        atol=1e-15,
    )
    assert stairs.level([-5.0, 0.05, 0.15, 9.0]).tolist() == pytest.approx([0, 0.06, 0.12, 0])
    slope = sp.Slope(angle_deg=30.0, friction=0.5, x=1.0, length=2.0)
    assert slope.level(2.0) == pytest.approx(np.tan(np.radians(30)))
    assert slope.level(50.0) == pytest.approx(1.0)
    rough = sp.Rough(height=0.02, step=0.05, length=1.0, seed=3, friction=0.5)
    assert np.array_equal(rough.polyline(), rough.polyline())
    assert not np.array_equal(
        rough.polyline(), sp.Rough(0.02, 0.05, 1.0, seed=4, friction=0.5).polyline()
    )
    assert np.abs(rough.polyline()[:, 1]).max() <= 0.02
    assert len(rough.frictions()) == len(rough.polyline()) - 1


BAR = sp.Robot.uniform(1, length=0.2, mass=2.0, radius=0.01)
BAR_INERTIA = 2.0 * 0.2**2 / 12


def pushed(terrain: sp.Stairs, x: float, y: float, angle: float) -> tuple[np.ndarray, float]:
    """Force, N, and torque, N m, of soft terrain on a bar at rest, which may be in it."""
    world = sp.World(plane="vertical", terrain=terrain, contact_at="axis", gravity=0.0)
    clock = {"time_step": 1e-7, "record_period": 1e-7, "solver": "explicit"}
    # Only a run that goes on may begin below ground.
    above = sp.simulate(BAR, world, None, 1e-7, start=sp.Start(y=5.0), **clock).state
    state = dataclasses.replace(above, com=np.array([x, y]), theta=np.array([angle]))
    run = sp.simulate(BAR, world, None, 1e-7, start=state, **clock)
    force = run.columns["contact_force"][-1, 0] + run.columns["friction_force"][-1, 0]
    return force, BAR_INERTIA * run.columns["omega"][-1, 0] / 1e-7


def test_points_in_a_hollow_and_links_over_a_corner():
    step = sp.Stairs(height=0.1, tread=1.0, friction=0.5, contact=SOFT)
    millimetre = 1e-3 * SOFT.stiffness  # N
    # Flat on the ground, 1 mm deep: three points.
    force, torque = pushed(step, -0.5, -0.001, 0.0)
    np.testing.assert_allclose([*force, torque], [0.0, 3 * millimetre, 0.0], atol=1e-5)
    # The head in the corner between ground and riser, 2 mm deep in that: both push.
    force, torque = pushed(step, -0.098, -0.001, 0.0)
    np.testing.assert_allclose([*force, torque], [-2 * millimetre, 3 * millimetre, 0], atol=1e-5)
    # Leaning over the edge, both ends free: only the corner pushes, across the link.
    angle = np.radians(45)
    along, across = (np.array([np.cos(a), np.sin(a)]) for a in (angle, angle + np.pi / 2))
    x, y = np.array([0.0, 0.1]) - 0.003 * across + 0.02 * along
    force, torque = pushed(step, x, y, angle)
    np.testing.assert_allclose(force, 3 * millimetre * across, atol=1e-5)
    assert torque == pytest.approx(-0.02 * 3 * millimetre, abs=1e-5)


def test_a_friction_for_each_piece():
    """The same block rests on one piece of a slope and slides on the next."""
    rise = np.tan(np.radians(20.0))
    terrain = sp.Profile(
        [(0, 0), (1, -rise), (2, -2 * rise)], (1.0, 0.1), contact=sp.Compliant(5e3, 50.0)
    )
    bar = sp.Robot.uniform(1, length=0.1, mass=1.0, radius=0.01)
    world = sp.World(plane="vertical", terrain=terrain, contact_at="axis")
    moved = []
    for x in (0.5, 1.5):
        start = sp.Start(x=x, y=-rise * x + 1e-9, heading_deg=-20.0)
        method = sp.Explicit(stick_speed=1e-3)
        run = sp.simulate(bar, world, None, 0.3, start=start, time_step=1e-4, solver=method)
        moved.append(run.centre_of_mass()[-1, 0] - x)
    assert abs(moved[0]) < 1e-3
    slide = 9.81 * (np.sin(np.radians(20)) - 0.1 * np.cos(np.radians(20))) * 0.3**2 / 2
    assert moved[1] == pytest.approx(slide * np.cos(np.radians(20)), rel=0.03)
