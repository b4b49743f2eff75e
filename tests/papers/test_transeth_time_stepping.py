"""Bounds of the paper's time stepping, predicted and measured."""

from __future__ import annotations

import math

import numpy as np
import pytest

from serpenoid.papers.transeth2008 import time_stepping
from serpenoid.papers.transeth2008.time_stepping import (
    PUBLISHED_R_TANGENTIAL,
    convergence,
    explicit_track,
    largest_r_normal,
    largest_r_tangential,
    servo_step,
)


@pytest.mark.parametrize(("kp", "kd"), [(800.0, 2.0), (800.0, 0.0), (20.0, 5.0)])
def test_explicit_servos_are_stable_up_to_the_step_of_their_fastest_mode(kp, kd):
    found = servo_step(kp, kd)
    assert found.measured == pytest.approx(found.predicted, rel=0.02)


def test_inertia_of_the_fastest_mode():
    """Joints of an endless chain that alternate: hinges keep their height, links turn about them.

    Ends of the chain are freer than that, so that this is an upper bound, not far off.
    """
    endless = 1.32e-3 / 4
    assert endless < servo_step().inertia < 1.1 * endless


def test_the_rule_is_that_of_one_joint():
    """A servo by the rule of the docstring, taken step by step."""
    found = servo_step()
    for factor, grows in ((0.99, False), (1.01, True)):
        p, u, step = 0.0, 1e-6, factor * found.predicted
        for _ in range(2000):
            middle = p + step / 2 * u
            u -= step * (800.0 * middle + 2.0 * u) / found.inertia
            p = middle + step / 2 * u
        assert (abs(u) > 1e-5) == grows


def test_the_track_with_explicit_servos_below_and_above_the_bound():
    below = explicit_track(2.5e-4, duration=0.3)
    assert below.reached == pytest.approx(0.3)
    assert below.apart < 1e-3
    above = explicit_track(5e-4, duration=0.3)
    assert above.reached < 0.3 or above.apart > 0.01


def test_largest_r_on_a_robot_that_is_held():
    for found in (largest_r_tangential(), largest_r_normal()):
        assert found.measured == pytest.approx(found.predicted, rel=0.02)


def test_the_published_r_is_just_below_twice_the_mass_of_a_link():
    bound = largest_r_tangential().predicted
    assert bound == pytest.approx(2 * 7.5 / 11)
    assert 0.9 * bound < PUBLISHED_R_TANGENTIAL < bound


def test_mobility_of_a_link_with_its_neighbours():
    """One link between many is held by them: it moves less than alone, more than all together."""
    bound = largest_r_normal().predicted
    assert 2 * 7.5 / 11 < bound < 2 * 7.5


def test_larger_r_converges_faster_up_to_a_point():
    slow, fast = convergence(0.1, 1.3, duration=0.3), convergence(1.0, 1.3, duration=0.3)
    assert slow.converged
    assert fast.converged
    # The iterations go as 1/r while r is small.
    assert 5 < slow.iterations / fast.iterations < 12
    assert not convergence(30.0, 1.3, duration=0.3).converged
    flat = convergence(0.01, 2.0, "aiko_flat")
    assert not flat.converged
    assert 0 < flat.reached < 1.0
    assert convergence(0.01, 1.3, "aiko_flat").converged


def test_a_first_step_that_fails_has_no_mean(monkeypatch):
    monkeypatch.setattr(time_stepping, "MOST_ITERATIONS", 1)
    found = convergence(0.01, 1.3, "aiko_flat", duration=0.02)
    assert not found.converged
    assert found.reached == 0.0
    assert math.isnan(found.iterations)
    assert np.isnan(found.most)
