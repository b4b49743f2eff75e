"""The models that transeth2008 argues against, against closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.pushes import pushes
from serpenoid.analysis.starts import StartBox, clear_starts, passages
from serpenoid.analysis.wave_maps import wave_map
from serpenoid.papers.outcome_file import fingerprint, read_outcome, write_outcome
from serpenoid.papers.transeth2008.mechanism import gray, push_statics
from serpenoid.papers.transeth2008.other_models import (
    apart,
    explicit_friction_step,
    flat_run,
    rebound,
    resting,
    sliding,
    spring_pegs,
)
from serpenoid.papers.transeth2008.time_stepping import convergence

# V-B2: friction opposite to the motion.


@pytest.mark.parametrize("angle_deg", [0.0, 20.0, 45.0, 70.0])
def test_friction_on_a_disc_is_opposite_to_the_motion(angle_deg):
    """Also on an ellipse whose axes are equal (52)."""
    found = sliding("coulomb", angle_deg)
    assert sliding("orthotropic", angle_deg).misaligned_deg < 1e-6
    assert found.misaligned_deg < 1e-6
    assert found.force == pytest.approx(1.0, abs=1e-9)
    assert found.turned_deg < 1e-6


@pytest.mark.parametrize("angle_deg", [20.0, 45.0, 70.0])
def test_two_sign_functions_pull_along_the_diagonal(angle_deg):
    """Each component stops by itself, after a distance that goes as its square."""
    found = sliding("rectangular", angle_deg)
    assert found.misaligned_deg == pytest.approx(abs(45.0 - angle_deg), abs=1e-6)
    assert found.force == pytest.approx(math.sqrt(2.0), abs=1e-9)
    way = math.degrees(math.atan(math.tan(math.radians(angle_deg)) ** 2))
    assert found.turned_deg == pytest.approx(abs(way - angle_deg), abs=0.01)


def test_two_sign_functions_are_one_along_an_axis():
    found = sliding("rectangular", 0.0)
    assert found.misaligned_deg < 1e-6
    assert found.force == pytest.approx(1.0, abs=1e-9)


# V-B2: an object on a slope.


@pytest.mark.parametrize("slope_deg", [1.0, 5.0, 11.0])
def test_a_set_valued_law_holds_on_a_slope_and_a_smooth_one_creeps(slope_deg):
    """The friction angle of mu = 0.2 is 11.3 deg; the creep follows from the balance of forces."""
    held = resting("coulomb", slope_deg)
    assert held.gone < 1e-9
    for smoothing in (1e-3, 1e-2):
        found = resting("smooth", slope_deg, smoothing)
        share = math.tan(math.radians(slope_deg)) / 0.2
        speed = smoothing * share / math.sqrt(1 - share**2)
        assert found.speed == pytest.approx(speed, rel=1e-3)
        assert found.gone == pytest.approx(10 * speed, rel=0.05)


def test_both_slide_on_a_steeper_slope():
    fall = 9.81 * (math.sin(math.radians(20)) - 0.2 * math.cos(math.radians(20)))
    for found in (resting("coulomb", 20.0), resting("smooth", 20.0, 1e-4)):
        assert found.speed == pytest.approx(10 * fall, rel=1e-3)


def test_euler_step_of_smooth_friction():
    """Euler's method on the law itself, a little below and above the bound."""
    smoothing = 1e-3
    bound = explicit_friction_step(smoothing)
    for factor, grows in ((0.95, False), (1.05, True)):
        v = 1e-9
        for _ in range(400):
            v -= factor * bound * 0.2 * 9.81 * v / math.sqrt(v**2 + smoothing**2)
        assert (abs(v) > 1e-8) == grows


def test_smooth_friction_approaches_the_set_valued_law_along_the_plane():
    """The robot slips backwards by friction alone; its slip tells the laws apart."""
    published = flat_run("coulomb")
    assert published.sticking > 0
    speeds = [flat_run("smooth", smoothing).speed for smoothing in (0.1, 1e-2, 1e-3, 1e-4)]
    off = [abs(speed - published.speed) for speed in speeds]
    assert all(a > b for a, b in itertools.pairwise(off))
    assert off[-1] < 0.01 * abs(published.speed)
    assert off[0] > 0.5 * abs(published.speed)
    assert flat_run("smooth", 1e-3).sticking == 0


# I: pegs of springs and dampers.


def test_a_soft_peg_is_entered_as_far_as_its_spring_asks():
    """Along the track, forces of a damped spring stay near k times the depth."""
    for stiffness in (1e3, 1e4):
        found = spring_pegs(stiffness, 1e-3, duration=2.0)
        assert found.entered * stiffness == pytest.approx(found.force, rel=0.5)
        assert found.entered > 1e-3
    hard = spring_pegs(0.0, 1e-3, duration=2.0)
    assert hard.entered < 2e-5
    assert hard.explicit_step == math.inf


def test_stiffer_springs_come_nearer_to_hard_pegs():
    hard = spring_pegs(0.0, 1e-3, duration=2.0)
    off = [apart(spring_pegs(k, 1e-3, duration=2.0), hard) for k in (1e3, 1e4, 1e5, 1e6)]
    assert all(a > b for a, b in itertools.pairwise(off))


def test_explicit_step_of_a_spring():
    """The semi-implicit method of Euler on one link on a spring, a little below and above it."""
    stiffness = 1e5
    bound = spring_pegs(stiffness, 1e-3, duration=0.1).explicit_step
    for factor, grows in ((0.99, False), (1.01, True)):
        x, v, step = 0.0, 1e-3, factor * bound
        sizes = []
        for _ in range(400):
            v -= step * stiffness / (7.5 / 11) * x
            x += step * v
            sizes.append(abs(x))
        assert (max(sizes) > 1.0) == grows


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("stiffness", [1e3, 1e5])
def test_rebound_of_a_spring_and_damper_that_never_pulls(ratio, stiffness):
    """The link leaves where spring and damper balance, at a phase of its swing in closed form."""
    swing = math.sqrt(1 - ratio**2)
    phase = math.pi - math.atan2(2 * ratio * swing, swing**2 - ratio**2)
    expected = math.exp(-ratio / swing * phase)
    assert rebound(stiffness, ratio) == pytest.approx(expected, abs=0.005)


def test_critical_damping_rebounds_too():
    assert rebound(1e4, 1.0) == pytest.approx(math.exp(-2), abs=0.005)


def test_path_is_that_of_the_middle_link():
    found = spring_pegs(0.0, 1e-3, duration=0.5)
    run = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.5}).run()
    np.testing.assert_allclose(found.path[:, 0], run.columns["x"][:, 5], atol=1e-12)
    assert found.path.shape == (51, 2)


def test_outcomes_can_be_kept_as_parts_of_a_reproduction(tmp_path):
    track = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.5, "record.contacts": True})
    box = StartBox(x=(-0.2, 0.5), y=(-0.1, 0.25))
    found = clear_starts(track, box, 2, seed=1)
    outcomes = (
        sliding("coulomb", 20.0),
        resting("smooth", 5.0, 1e-3),
        spring_pegs(0.0, 1e-3, duration=0.1),
        convergence(0.3, 1.3, duration=0.1),
        gray(60.0, 30.0),
        push_statics(0.0, places=2),
        found,
        passages(track, found.starts, 1.0),
        pushes(track.run(), 0.1, 0.5),
        wave_map(track.changed({"record.contacts": False}), phase_deg=[-50, -20], starts=1),
    )
    for outcome in outcomes:
        write_outcome(tmp_path / "outcome", outcome)
        again = read_outcome(tmp_path / "outcome")
        assert type(again) is type(outcome)
        assert fingerprint(again) == fingerprint(outcome)
