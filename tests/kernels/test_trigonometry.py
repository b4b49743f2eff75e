"""Sine and cosine of the step against those of the C library."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from serpenoid.kernels.chain import to_midpoint
from serpenoid.kernels.trigonometry import FAR, sine_cosine
from tests.calling import called
from tests.kernels.lane_problems import fill, lanes, loaded

to_midpoint = called(to_midpoint)
HALF_TURNS = np.arange(-600_000, 600_000, 7)


@numba.njit(error_model="numpy")
def each(angles, sines, cosines):
    for k in range(angles.shape[0]):
        sines[k], cosines[k] = sine_cosine(angles[k])


def both(angles: np.ndarray) -> np.ndarray:
    """Sines and cosines of the kernels, (2, k)."""
    found = np.empty((2, len(angles)))
    each(angles, found[0], found[1])
    return found


def library(angles: np.ndarray) -> np.ndarray:
    """The same of the C library."""
    return np.array([list(map(math.sin, angles)), list(map(math.cos, angles))])


def units_off(angles: np.ndarray) -> float:
    """Largest distance of the two, in units in the last place."""
    wanted = library(angles)
    return float((np.abs(both(angles) - wanted) / np.spacing(np.abs(wanted))).max())


@pytest.mark.parametrize("largest", [1.0, 10.0, 1e3, FAR])
def test_as_exact_as_the_library(largest):
    random = np.random.default_rng(0)
    assert units_off(random.uniform(-largest, largest, 1_000_000)) <= 2.0


@pytest.mark.parametrize("part", [0.5, 0.25])
def test_where_one_of_them_nearly_vanishes(part):
    """At multiples of a quarter and an eighth of a turn, where the reduction is put to the test."""
    assert units_off(HALF_TURNS * (part * math.pi)) <= 2.0


def test_known_values():
    angles = np.array([0.0, -0.0, math.pi / 2, math.pi, -math.pi / 2, 1e-300, 5e-324])
    np.testing.assert_allclose(both(angles), library(angles), rtol=2e-16, atol=0)
    assert not np.isfinite(both(np.array([math.nan, math.inf]))).any()


def test_squares_add_up_to_one():
    angles = np.random.default_rng(1).uniform(-FAR, FAR, 100_000)
    assert abs((both(angles) ** 2).sum(axis=0) - 1.0).max() <= 6e-16


@pytest.mark.parametrize("theta", [1.01 * FAR, -3e7, 1e12])
def test_links_that_have_turned_far_have_the_directions_of_the_library(theta):
    body = loaded(11)
    angles = np.linspace(-1.0, 1.0, 11)
    # One of them is enough, in any block.
    angles[9] = theta
    fill(body, 11, theta=angles, omega=np.full(11, 2.0))
    to_midpoint(body.blocks, 5e-4, 1e-3)
    middle = lanes(body, "mid")[:11]
    np.testing.assert_array_equal(middle, angles + 5e-4 * 2.0)
    wanted = library(middle)
    np.testing.assert_array_equal(lanes(body, "ey")[:11], wanted[0])
    np.testing.assert_array_equal(lanes(body, "ex")[:11], wanted[1])
    lead = lanes(body, "lead_x")[:11]
    np.testing.assert_allclose(lead, -2.0 * wanted[0] - 5e-4 * 4.0 * wanted[1], atol=1e-15)
