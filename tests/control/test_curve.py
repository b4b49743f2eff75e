"""The serpenoid curve and the gait that follows it [colorado2010 (1)(2)]."""

from __future__ import annotations

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.control.gaits import serpenoid_curve

CURVES = [(0.6, 6.0, 0.0), (1.2, 4 * math.pi, 0.0), (0.9, 9.0, 1.5), (-0.8, 5.0, -2.0)]
OMEGA = 2.5


@pytest.mark.parametrize(("a", "b", "c"), CURVES)
def test_gait_of_a_curve_is_the_printed_one(a, b, c):
    n, t = 8, 0.9
    alpha, beta, gamma = a * abs(math.sin(b / n / 2)), b / n, -c / n
    printed = [2 * alpha * math.sin(OMEGA * t + (i - 1) * beta) + gamma for i in range(1, n)]
    gait = sp.Serpenoid.from_curve(a, b, c, links=n, frequency=OMEGA)
    np.testing.assert_allclose(gait.angles(n - 1, t), printed, rtol=0, atol=1e-14)
    assert gait.curve(n) == pytest.approx((a, b, c), abs=1e-13)


@pytest.mark.parametrize("phase_deg", [-200.0, -50.0, 50.0, 200.0])
@pytest.mark.parametrize("amplitude_deg", [-30.0, 30.0])
def test_curve_of_a_gait_has_its_joint_angles(phase_deg, amplitude_deg):
    """Whichever way the wave runs: links along the curve at their middles make these angles."""
    n = 8
    gait = sp.Serpenoid(amplitude_deg, 80.0, phase_deg, offset_deg=4.0)
    a, b, c = gait.curve(n)
    middle = (np.arange(n) + 0.5) / n
    # Joint 0 of the gait has the phase (n-2) phase at t = 0, and is between the first two links.
    start = -b / n + math.radians((n - 2) * phase_deg)
    turns = np.diff(-a * np.cos(b * middle + start) - c * middle)
    np.testing.assert_allclose(turns, gait.angles(n - 1), rtol=0, atol=1e-12)


def hinges(a: float, b: float, c: float, n: int, t: float) -> np.ndarray:
    """Ends of n links of length 1/n, the first link along the curve at its middle."""
    turns = sp.Serpenoid.from_curve(a, b, c, links=n, frequency=OMEGA).angles(n - 1, t)
    first = -a * math.cos(OMEGA * t - b / n / 2) - c / n / 2
    theta = first + np.concatenate([[0.0], np.cumsum(turns)])
    # Every other link is along the curve at its middle then.
    middle = (np.arange(n) + 0.5) / n
    along = -a * np.cos(b * middle + OMEGA * t - b / n) - c * middle
    np.testing.assert_allclose(theta, along, rtol=0, atol=1e-12)
    steps = np.stack([np.cos(theta), np.sin(theta)], axis=1) / n
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


@pytest.mark.parametrize(("a", "b", "c"), CURVES)
def test_chain_lies_on_the_curve_as_links_get_many(a, b, c):
    t, off = 0.7, []
    for n in (32, 64, 128):
        arc, curve = serpenoid_curve(a, b, c, start=OMEGA * t - b / n, points=n + 1)
        np.testing.assert_allclose(arc, np.arange(n + 1) / n, rtol=0, atol=1e-15)
        off.append(np.abs(hinges(a, b, c, n, t) - curve).max())
    # Chords of the directions at the middles: midpoint rule, second order in 1/n.
    assert off[-1] < 2e-3
    assert off[0] / off[1] == pytest.approx(4, rel=0.05)
    assert off[1] / off[2] == pytest.approx(4, rel=0.02)


def test_points_do_not_depend_on_how_many_are_asked_for():
    _, few = serpenoid_curve(1.0, 12.0, 0.7, points=3)
    _, many = serpenoid_curve(1.0, 12.0, 0.7, points=1001)
    np.testing.assert_allclose(few, many[::500], rtol=0, atol=1e-12)


def test_without_a_wave_the_curve_is_an_arc_to_the_right():
    arc, points = serpenoid_curve(0.0, 6.0, 2.0, points=9)
    circle = np.stack([np.sin(2 * arc) / 2, (np.cos(2 * arc) - 1) / 2], axis=1)
    np.testing.assert_allclose(points, circle, rtol=0, atol=1e-14)
