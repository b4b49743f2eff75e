"""Steady motions of gaits, found at once."""

import dataclasses
import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.periodic import steady, steady_at_speed
from serpenoid.analysis.recursion import Recursion

N, MASS, LENGTH = 8, 0.4, 0.1


def snake(tangential=1.0, normal=10.0, length=LENGTH, mass=MASS):
    robot = sp.Robot.uniform(N, length=length, mass=mass, radius=0.02)
    return Recursion(robot, sp.Viscous(along=mass * tangential, across=mass * normal))


def wave(omega=3.0, offset_deg=0.0):
    return sp.Serpenoid(80.0, math.degrees(omega), -46.0, offset_deg=offset_deg)


def test_it_is_what_waiting_leads_to():
    gait = wave(offset_deg=1.2)
    found = steady(snake(), gait)
    waited = snake().integrate(gait, 20 * found.period, record_period=found.period)
    assert found.power == pytest.approx(np.diff(waited.friction_work)[-1] / found.period, rel=1e-6)
    assert found.turn == pytest.approx(np.diff(waited.position[:, 2])[-1], rel=1e-6)
    way = np.hypot(*(waited.centre[-1] - waited.centre[-2]))
    assert found.speed == pytest.approx(way / found.period, rel=1e-6)


def test_what_the_joints_supply_is_what_the_ground_takes():
    found = steady(snake(), wave())
    assert found.motion.actuator_work[-1] == pytest.approx(found.power * found.period, rel=1e-6)
    low, high = 2 * 1.0, 2 * 10.0
    assert low < found.power / found.kinetic < high
    assert found.specific_power * found.efficiency == pytest.approx(1.0, rel=1e-12)  # C_T
    assert 0 < found.efficiency < 1


def test_speed_grows_with_length_and_power_with_its_square_and_mass():
    one, other = steady(snake(), wave()), steady(snake(length=3 * LENGTH, mass=2 * MASS), wave())
    assert other.speed == pytest.approx(3 * one.speed, rel=1e-6)
    assert other.power == pytest.approx(18 * one.power, rel=1e-6)
    assert other.kinetic == pytest.approx(18 * one.kinetic, rel=1e-6)


@pytest.mark.parametrize("omega", [0.2, 3.0, 30.0])
def test_the_frequency_of_a_speed(omega):
    wanted = steady(snake(), wave())
    found = steady_at_speed(snake(), wave(omega), wanted.speed)
    assert found.gait.frequency_deg == pytest.approx(wanted.gait.frequency_deg, rel=1e-6)
    assert found.power == pytest.approx(wanted.power, rel=1e-6)


def test_from_a_motion_nearby_it_is_the_same_but_found_faster(monkeypatch):
    model, speed = snake(), 0.05
    first = steady_at_speed(model, wave(), speed)
    other = dataclasses.replace(wave(), phase_deg=-46.1)
    alone = steady_at_speed(model, other, speed)
    periods = []
    integrate = model.integrate
    monkeypatch.setattr(model, "integrate", lambda *a, **k: periods.append(1) or integrate(*a, **k))
    found = steady_at_speed(model, other, speed, first)
    assert found.gait.frequency_deg == pytest.approx(alone.gait.frequency_deg, rel=1e-6)
    assert len(periods) < 12


def test_a_robot_that_stays_where_it_is_has_no_efficiency():
    still = steady(snake(), dataclasses.replace(wave(), amplitude_deg=0.0))
    assert math.isnan(still.efficiency)
    assert math.isnan(still.specific_power)


def test_what_cannot_be_found_is_refused():
    with pytest.raises(sp.InvalidInput, match="friction = None is not allowed: without it"):
        steady(Recursion(snake().robot), wave())
    with pytest.raises(sp.InvalidInput, match=r"frequency_deg = 0 is not allowed: a gait at rest"):
        steady(snake(), wave(0.0))
    with pytest.raises(sp.InvalidInput, match="speed = 0 is not allowed: it must be greater"):
        steady_at_speed(snake(), wave(), 0)
    with pytest.raises(sp.InvalidInput, match=r"friction = .*: without it no motion becomes"):
        steady(snake(0.0, 0.0), wave())
    with pytest.raises(sp.InvalidInput, match=r"frequency_deg = 0\.001 is not allowed: .* slows"):
        steady(snake(), dataclasses.replace(wave(), frequency_deg=0.001))
    with pytest.raises(sp.InvalidInput, match="speed = 'x' is not allowed"):
        steady_at_speed(snake(), wave(), "x")
    with pytest.raises(sp.InvalidInput, match="gait = None is not allowed: it must be a Serp"):
        steady(snake(), None)
    # As much friction across as along gives no propulsion.
    with pytest.raises(sp.InvalidInput, match=r"speed = 0\.1 is not allowed: no frequency"):
        steady_at_speed(snake(3.0, 3.0), wave(), 0.1)
