"""Projections onto reservoirs, and the law of dry friction they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from serpenoid.kernels.projections import half_axis, project_disc, project_interval
from tests.calling import called

choose_axis, project_disc, project_interval = map(
    called, (half_axis, project_disc, project_interval)
)

ROUNDING = 1e-14  # a few units in the last place of numbers of order one

value = st.floats(-1e3, 1e3)
bound = st.floats(0.0, 1e3)
stiffness = st.floats(1e-2, 1e3)
width = st.floats(0.05, 20.0)
turn = st.floats(0.0, 2 * math.pi)


def dry_argument(p, gamma, r, forward, backward):
    """z = p - r D gamma along a link, and the half axis D that is in force."""
    used = backward if p > 0.0 else forward
    p, axis = choose_axis((p, gamma), r, (forward, backward, used))
    return p - r * axis * gamma, axis


def law(p, gamma, r, forward, backward, side):
    """One multiplier update of dry friction: its new value and the force, both (along, across)."""
    za, a = dry_argument(p[0], gamma[0], r, forward, backward)
    q = project_disc(za, p[1] - r * side * gamma[1])
    return np.array(q), np.array([a * q[0], side * q[1]])


# ------------------------------------------------------------------------------- projections


@given(value, bound)
def test_interval_projection_is_inside_and_idempotent(z, b):
    p = project_interval(z, b)
    assert -b <= p <= b
    assert project_interval(p, b) == p
    assert p == z or abs(z) > b


@given(value, value)
def test_disc_projection_is_inside_and_idempotent(x, y):
    p = project_disc(x, y)
    assert math.hypot(*p) <= 1.0 + ROUNDING
    assert project_disc(*p) == pytest.approx(p, abs=ROUNDING)
    assert p == (x, y) or math.hypot(x, y) > 1.0


@given(value, value, turn)
def test_disc_projection_is_the_nearest_point(x, y, angle):
    """Variational inequality: (z - p)'(c - p) <= 0 for every c of the disc."""
    px, py = project_disc(x, y)
    c = math.cos(angle), math.sin(angle)
    assert (x - px) * (c[0] - px) + (y - py) * (c[1] - py) <= 1e3 * ROUNDING


@given(value, value, bound)
def test_interval_projection_is_non_expansive(a, b, size):
    assert abs(project_interval(a, size) - project_interval(b, size)) <= abs(a - b)


@given(value, value, value, value)
def test_disc_projection_is_non_expansive(ax, ay, bx, by):
    a, b = np.array(project_disc(ax, ay)), np.array(project_disc(bx, by))
    assert np.linalg.norm(a - b) <= math.hypot(ax - bx, ay - by) + ROUNDING


# -------------------------------------------------------------------- the law of dry friction


@given(st.floats(-1.0, 1.0), stiffness, width, width)
@example(0.0, 1.0, 0.3, 2.0)
@example(0.5, 1.0, 0.3, 2.0)
@example(-0.5, 1.0, 0.3, 2.0)
def test_argument_is_continuous_across_the_kink(p, r, forward, backward):
    kink = p / (r * (backward if p > 0 else forward))
    step = 1e-9 * max(1.0, abs(kink))
    before, after = (dry_argument(p, kink + s * step, r, forward, backward)[0] for s in (-1.0, 1.0))
    slope = r * max(forward, backward) * max(1.0, backward / forward, forward / backward)
    assert abs(before - after) <= 2 * step * slope + ROUNDING


@given(st.floats(-1.0, 1.0), value, value, stiffness, width, width)
def test_argument_decreases_with_velocity(p, one, other, r, forward, backward):
    low, high = sorted((one, other))
    z_low = dry_argument(p, low, r, forward, backward)[0]
    z_high = dry_argument(p, high, r, forward, backward)[0]
    assert z_low >= z_high


@given(st.floats(-1.0, 1.0), value, stiffness, width, width)
def test_axis_in_force_is_that_of_the_arguments_side(p, gamma, r, forward, backward):
    z, axis = dry_argument(p, gamma, r, forward, backward)
    if z != 0.0:
        assert axis == (backward if z > 0 else forward)


@given(st.floats(-1.0, 1.0), value, value, stiffness, width, width)
def test_axis_does_not_depend_on_those_chosen_before(p, gamma, before, r, forward, backward):
    """A law looks at many velocities before its multiplier is updated."""
    bounds = forward, backward
    used = backward if p > 0.0 else forward
    at_once = choose_axis((p, gamma), r, (*bounds, used))
    other, used = choose_axis((p, before), r, (*bounds, used))
    assert choose_axis((other, gamma), r, (*bounds, used)) == pytest.approx(at_once, rel=1e-14)


@pytest.mark.parametrize(("p", "bounds"), [(-0.5, (0.0, 1.0)), (0.5, (1.0, 0.0))])
def test_force_that_the_surface_cannot_bear_is_dropped(p, bounds):
    assert choose_axis((p, 0.0), 1e3, (*bounds, 1.0))[0] == 0.0


@given(turn, st.floats(0.0, 0.999), stiffness, width, width, width)
def test_stick_is_a_fixed_point(angle, size, r, forward, backward, side):
    p = np.array([size * math.cos(angle), size * math.sin(angle)])
    q, _ = law(p, (0.0, 0.0), r, forward, backward, side)
    np.testing.assert_array_equal(q, p)


@given(turn, st.floats(0.0, 10.0), stiffness, width, width, width)
def test_slip_against_the_force_is_a_fixed_point(angle, speed, r, forward, backward, side):
    """On the rim -D gamma = speed p, the normal of the disc there."""
    p = np.array([math.cos(angle), math.sin(angle)])
    axis = backward if p[0] > 0 else forward
    gamma = -speed * p[0] / axis, -speed * p[1] / side
    q, force = law(p, gamma, r, forward, backward, side)
    np.testing.assert_allclose(q, p, atol=10 * ROUNDING)
    assert force @ gamma <= 0.0


@given(turn, st.floats(0.0, 1.0), value, value, width, width, width)
def test_nothing_else_is_a_fixed_point(angle, size, ga, gb, forward, backward, side):
    """The update moves p by as much as -D gamma stands off the normal cone, up to a factor."""
    r = 1.0
    p = np.array([size * math.cos(angle), size * math.sin(angle)])
    axis = backward if p[0] > 0 or (p[0] == 0 and ga < 0) else forward
    push = np.array([-axis * ga, -side * gb])
    # Distance of -D gamma from the cone {lambda p, lambda >= 0} on the rim, {0} inside.
    cone = max(0.0, push @ p) * p if size >= 1.0 - 1e-12 else np.zeros(2)
    off = np.linalg.norm(push - cone)
    moved = np.linalg.norm(law(p, (ga, gb), r, forward, backward, side)[0] - p)
    room = 1.0 - size if size < 1.0 - 1e-12 else 1.0
    ratio = min(1.0, forward / backward, backward / forward)
    assert moved >= 0.2 * ratio * min(off / (1.0 + np.linalg.norm(push)), room) - 10 * ROUNDING


@given(turn, value, value, width, width, width)
def test_slip_force_dissipates_most(angle, ga, gb, forward, backward, side):
    """Updated to the end, the force does the least work of all forces in the reservoir."""
    p = np.zeros(2)
    for _ in range(60):
        p, force = law(p, (ga, gb), 1e3, forward, backward, side)
    c = np.array([math.cos(angle), math.sin(angle)])
    other = np.array([(backward if c[0] > 0 else forward) * c[0], side * c[1]])
    scale = 1e3 * max(forward, backward, side)
    assert force @ (ga, gb) <= other @ (ga, gb) + 1e-3 * scale * ROUNDING + 1e-3


@given(st.tuples(value, value), turn, turn, st.floats(0.0, 1.0), width, width, width)
def test_augmented_lagrangian_is_convex_along_lines(
    origin, along, angle, size, forward, backward, side
):
    """Its slope, minus the force times the direction, never falls."""
    r = 3.0
    p = size * math.cos(angle), size * math.sin(angle)
    d = np.array([math.cos(along), math.sin(along)])
    s = np.concatenate([np.linspace(-3, 3, 61), np.linspace(-1e3, 1e3, 21)])
    s.sort()
    start = np.array(origin) * 1e-3
    slope = [-law(p, start + x * d, r, forward, backward, side)[1] @ d for x in s]
    assert np.diff(slope).min() >= -ROUNDING * max(forward, backward, side) * 10


@pytest.mark.parametrize("gamma", [-2.0, -1e-9, 0.0, 1e-9, 2.0])
def test_wheel_has_no_force_along(gamma):
    """A reservoir of no width along the link: the multiplier stays at zero there."""
    assert dry_argument(0.0, gamma, 1e3, 0.0, 0.0) == (0.0, 0.0)


@pytest.mark.parametrize(("gamma", "sign"), [(1.0, -1.0), (-1.0, 0.0)])
def test_ratchet_resists_one_way_only(gamma, sign):
    z, axis = dry_argument(0.0, gamma, 1e3, 0.5, 0.0)
    assert np.sign(z) * axis == sign * 0.5
