"""Terrain: what it is, and what is refused."""

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.assemble import pack_robot
from serpenoid.engine.assemble_world import pack_world
from serpenoid.kernels.terrain_contacts import touch_ground

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


def contacts_of(robot: sp.Robot, terrain: sp.Profile, x: float, y: float, angle: float) -> list:
    """Gap, normal and levers of all contacts of a robot of one link."""
    world = pack_world(sp.World(plane="vertical", terrain=terrain, contact_at="axis"), robot)
    body = pack_robot(robot)
    link = body.links[0]
    link.x, link.y, link.ex, link.ey = x, y, np.cos(angle), np.sin(angle)
    count = touch_ground(world, body.links, 0, 0.0, body.contacts, 0)
    return [(c.gap, c.nx, c.ny, c.ln, c.lt) for c in (body.contacts[k] for k in range(count))]


def test_points_in_a_hollow_and_links_over_a_corner():
    bar = sp.Robot.uniform(1, length=0.2, mass=1.0, radius=0.01)
    step = sp.Stairs(height=0.1, tread=1.0, friction=0.5, contact=SOFT)
    # Flat on the ground, 1 mm deep: three points.
    found = contacts_of(bar, step, -0.5, -0.001, 0.0)
    np.testing.assert_allclose([c[:3] for c in found], [(-0.001, 0, 1)] * 3, atol=1e-15)
    np.testing.assert_allclose([c[3] for c in found], [-0.1, 0.0, 0.1], atol=1e-15)
    # The head in the corner between ground and riser: both push.
    found = contacts_of(bar, step, -0.098, -0.001, 0.0)
    assert len(found) == 4
    head = {(round(c[1]), round(c[2])): c[0] for c in found[2:]}
    assert head == pytest.approx({(0, 1): -0.001, (-1, 0): -0.002})
    # Leaning over the edge, both ends free: only the corner pushes, across the link.
    angle = np.radians(45)
    n = np.array([-np.sin(angle), np.cos(angle)])
    x, y = np.array([0.0, 0.1]) - 0.003 * n + 0.02 * np.array([np.cos(angle), np.sin(angle)])
    found = contacts_of(bar, step, x, y, angle)
    corner = [c for c in found if abs(c[1]) > 0.1 and abs(c[2]) > 0.1]
    assert len(corner) == 1
    np.testing.assert_allclose(corner[0], (-0.003, *n, -0.02, 0.0), atol=1e-12)


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
