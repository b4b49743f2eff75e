"""Figures of pushing show where things are and what inputs do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import serpenoid as sp
from serpenoid.analysis.pushing import PushedLoad, Pushing, PushWheels, Touch
from serpenoid.plots import push_figures as drawn

FOLDED = np.radians([-135.0, -135.0])


def snake(joints: int, wheels: PushWheels | None = None, **touch) -> Pushing:
    robot = sp.Robot.uniform(joints + 1, length=0.15, mass=1.0, radius=0.02, inertia=0.002)
    return Pushing(robot, PushedLoad(mass=100.0), Touch(**touch), wheels)


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(3.4, 2.4)).add_subplot()


def test_shape_has_its_load_wheels_and_centre_of_mass(ax):
    push, angles = snake(3, PushWheels(), link=1, side="right"), np.array([0.5, -0.3, 0.8])
    assert drawn.shape(push, angles, ax, normals=0.2) is ax
    load, *wheels = ax.patches
    assert load.get_bbox().y1 == pytest.approx(-0.02)  # below the pushing link, touching it
    assert len(wheels) == 2 * 3
    normals = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(normals) == 3
    distance, angle = push.centre_of_mass(angles)
    x, y = (float(v[0]) for v in ax.lines[-1].get_data())
    assert (math.hypot(x, y), math.atan2(y, x)) == pytest.approx((distance, angle))


def test_shape_without_load(ax):
    drawn.shape(snake(2), FOLDED, ax, load=False)
    assert len(ax.patches) == 0


@pytest.mark.parametrize("wheels", [None, PushWheels(mu=0.05)])
def test_input_map_shows_the_response(ax, wheels):
    push = snake(2, wheels)
    image = drawn.input_map(push, FOLDED, "load_norm", ax, points=40)
    values = image.get_array()
    left, right, low, high = image.get_extent()
    torques = [left + (right - left) * 35.5 / 40, low + (high - low) * 20.5 / 40]
    assert values[20, 35] == pytest.approx(push.respond(FOLDED, torques).load_norm)
    assert values.mask[20, 2]  # the contact is open
    assert len(ax.collections) == (2 if wheels else 1)  # opening, and sliding


def test_input_map_refuses_what_is_no_plane(ax):
    with pytest.raises(sp.InvalidInput, match="inputs are a plane with two joints, and it has 3"):
        drawn.input_map(snake(3), [0, 0, 0], "load_norm", ax)
    with pytest.raises(sp.InvalidInput, match=r"'load_nrm' is not known \(did you mean 'load_norm"):
        drawn.input_map(snake(2), FOLDED, "load_nrm", ax)


def test_polar_map_has_medians_of_its_cells():
    ax = Figure().add_subplot(projection="polar")
    distance, angle = [0.01, 0.01, 0.01, 0.2], [0.01, 0.02, 0.03, -3.0]
    mesh = drawn.polar_map(distance, angle, [1.0, 2.0, 9.0, 5.0], ax)
    cells = mesh.get_array()
    assert sorted(cells.compressed()) == [2.0, 5.0]
    assert cells[0, cells.shape[1] // 2] == 2.0
    assert cells[-1, 0] == 5.0


def test_ellipse_is_as_large_as_its_ellipsoid(ax):
    found = snake(2, PushWheels()).ellipsoids(FOLDED)
    drawn.ellipse(found, "force", ax, 0.1, "black")
    points = np.stack(ax.lines[0].get_data())
    inside = np.einsum("ai,ab,bi->i", points, np.linalg.inv(found.force), points)
    np.testing.assert_allclose(inside, 0.01, rtol=1e-9)
