"""Gray's three links, pushes beside the centre line, and notches, against statics by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.papers.transeth2008.mechanism import gray, notch, push_statics

ANGLES = (10.0, 25.0, 40.0, 55.0, 70.0)


@pytest.mark.parametrize("alpha", ANGLES)
@pytest.mark.parametrize("beta", ANGLES)
def test_three_links_glide_to_the_side_of_the_larger_angle(alpha, beta):
    found = gray(alpha, beta)
    if alpha == beta:
        assert abs(found.gone) < 1e-12
        assert abs(found.force) < 1e-12
    else:
        assert math.copysign(1, found.gone) == math.copysign(1, alpha - beta)
        assert math.copysign(1, found.force) == math.copysign(1, alpha - beta)


def test_mirrored_links_glide_the_other_way():
    one, other = gray(60, 20), gray(20, 60)
    assert one.gone == pytest.approx(-other.gone, rel=1e-9)
    assert one.force == pytest.approx(-other.force, rel=1e-12)


def test_balance_at_a_right_angle():
    """alpha = 90, beta = 0: link 1 pushes along link 2 only, link 3 across it, with arm 1 to 2.

    Across: the force on link 3 is 1 N. About peg 2: that on link 1 has half its arm.
    """
    assert gray(90.0, 0.0, duration=1e-3).force == pytest.approx(2.0)


def test_at_the_centre_line_the_angle_is_that_of_the_steepest_link():
    """All pushes are at one angle, so that 1 N of thrust takes 1 / sin of it."""
    steepest = 40 / (2 * math.sin(math.radians(25)))
    found = push_statics(0.0)
    assert found.angle_deg == pytest.approx(steepest, abs=1e-6)
    assert found.forces == pytest.approx(1 / math.sin(math.radians(steepest)), rel=1e-6)
    assert push_statics(0.0, phase_deg=-70).angle_deg == pytest.approx(
        40 / (2 * math.sin(math.radians(35))), abs=1e-6
    )


def test_pushes_at_the_centre_line_need_the_least_torque():
    """VII-B, in this order of offsets, on both sides."""
    for sign in (1, -1):
        found = [push_statics(sign * offset) for offset in (0.0, 0.02, 0.04, 0.06, 0.08)]
        for name in ("forces", "torque", "largest"):
            values = [getattr(each, name) for each in found]
            assert values == sorted(values)
            assert values[-1] > 1.3 * values[0]
        angles = [each.angle_deg for each in found]
        assert angles == sorted(angles, reverse=True)


def test_a_lower_amplitude_needs_more_force():
    assert push_statics(0.0, amplitude_deg=-30).forces > 1.2 * push_statics(0.0).forces


def test_torques_are_those_of_a_stiff_robot_that_hangs_on_three_pegs():
    """On a slope, whose pull is the drag; straight links are up to half a link off the steepest.

    There the angle is 47.3 cos 25 deg, and 1 N takes 1.47 N in place of 1.36 N.
    """
    gait = sp.Serpenoid(-40, 80, -50)
    robot = sp.robots.aiko(sp.Servo(kp=1e7, kd=1e3))
    found = push_statics(0.0, places=1)
    pegs = sp.fields.pegs_for_wave(robot, gait, 0.001, count=3)
    start = sp.fields.start_on_wave(robot, gait)
    hung = sp.Start(
        x=start.x + 0.004,
        y=start.y,
        heading_deg=start.heading_deg,
        link=start.link,
        joint_angles_deg=tuple(np.degrees(gait.angles(10))),
    )
    world = sp.World(pegs=pegs, slope_deg=1.0, slope_direction_deg=180.0)
    run = sp.simulate(robot, world, None, 3.0, start=hung)
    assert np.abs(run.columns["vx"][-1]).max() < 1e-6
    pull = 7.5 * 9.81 * math.sin(math.radians(1.0))
    force = run.columns["contact_force"][-50:].mean(axis=0)
    assert force[:, 0].sum() == pytest.approx(pull, rel=1e-3)
    assert np.linalg.norm(force, axis=1).sum() / pull == pytest.approx(found.forces, rel=0.15)
    torque = run.columns["joint_torque"][-50:].mean(axis=0) / pull
    assert np.sqrt((torque**2).mean()) == pytest.approx(found.torque, rel=0.15)


def test_offsets_without_three_pegs():
    with pytest.raises(sp.InvalidInput, match="there are nowhere three pegs along the body"):
        push_statics(0.0, amplitude_deg=-10.0, phase_deg=-15.0)


def test_a_peg_rests_in_the_notch_between_two_links():
    """Laid out: two links in line, and a peg that touches the round ends of both."""
    for radius in (0.0125, 0.125):
        found = notch(radius)
        height = 0.0525 + radius - found.depth
        end = 0.061 - 0.0393
        assert math.hypot(end, height) == pytest.approx(0.0525 + radius, rel=1e-12)
        assert math.tan(math.radians(found.slope_deg)) == pytest.approx(end / height)
    assert notch(0.0125).depth > 2 * notch(0.125).depth
