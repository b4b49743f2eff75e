"""The gait inside the compiled step is the gait of the public class."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import serpenoid as sp
from serpenoid.kernels import layout
from serpenoid.kernels.references import set_lane_references, set_references
from tests.calling import called
from tests.kernels.lane_problems import fill, lanes, load_with

set_references, set_lane_references = map(called, (set_references, set_lane_references))

# Rounding of arguments up to some 1e3 rad.
CLOSE = 1e-12

gaits = st.builds(
    sp.Serpenoid,
    amplitude_deg=st.floats(-90, 90),
    frequency_deg=st.floats(-720, 720),
    phase_deg=st.floats(-180, 180),
    offset_deg=st.floats(-30, 30),
    start_deg=st.floats(-180, 180),
    delay=st.floats(0, 3),
)


def packed(gait: sp.Serpenoid, kind: int = layout.SERPENOID) -> layout.PackedGait:
    return layout.PackedGait(
        kind,
        math.radians(gait.amplitude_deg),
        math.radians(gait.frequency_deg),
        math.radians(gait.phase_deg),
        math.radians(gait.offset_deg),
        math.radians(gait.start_deg),
        gait.delay,
    )


def kernel_reference(gait: sp.Serpenoid, joints: int, time: float) -> np.ndarray:
    """Angles and rates of all joints, (2, joints), as the kernels see them."""
    records = np.zeros(joints, layout.JOINT).view(np.recarray)
    set_references(packed(gait), records, time)
    return np.array([records.wanted, records.wanted_rate])


def in_lanes(body: layout.Body, gait: layout.PackedGait, time: float) -> np.ndarray:
    """The same in blocks of lanes."""
    set_lane_references(gait, body, time)
    return np.array([lanes(body, name)[: len(body.joints)] for name in ("wanted", "wanted_rate")])


@given(gaits, st.integers(1, 12), st.floats(0, 60))
def test_kernel_gait_is_the_public_one(gait, joints, time):
    angles, rates = kernel_reference(gait, joints, time)
    np.testing.assert_allclose(angles, gait.angles(joints, time), rtol=0, atol=CLOSE)
    np.testing.assert_allclose(rates, gait.rates(joints, time), rtol=0, atol=20 * CLOSE)


@settings(deadline=None)
@given(gaits, st.integers(1, 12), st.floats(0, 60))
def test_gait_in_lanes_is_the_public_one(gait, joints, time):
    angles, rates = in_lanes(load_with(packed(gait), joints + 1), packed(gait), time)
    np.testing.assert_allclose(angles, gait.angles(joints, time), rtol=0, atol=CLOSE)
    np.testing.assert_allclose(rates, gait.rates(joints, time), rtol=0, atol=20 * CLOSE)


@pytest.mark.parametrize("kind", [layout.PEDAL, layout.HELD])
def test_references_in_lanes_are_those_of_the_records(kind):
    random = np.random.default_rng(kind)
    gait = packed(sp.Serpenoid(40.0, 80.0, -50.0, 3.0, 20.0, delay=0.5), kind)
    body = load_with(gait, 12)
    records = np.zeros(11, layout.JOINT).view(np.recarray)
    for name in ("angle", "rate", "eta", "eta_rate"):
        records[name] = random.normal(size=11)
        fill(body, 11, **{name: records[name]})
    records.tick = 0.2
    fill(body, 11, tick=0.2)
    for time in (0.0, 0.3, 0.7, 12.0):
        set_references(gait, records, time)
        wanted = [records.wanted, records.wanted_rate]
        np.testing.assert_allclose(in_lanes(body, gait, time), wanted, rtol=0, atol=20 * CLOSE)


def test_formula_of_the_paper():
    """Joint j of n - 1: A sin(omega t + (n-2-j) delta) [transeth2008 (71)], head joint last."""
    gait = sp.Serpenoid(40.0, 80.0, -50.0)
    t = 1.7
    for j, angle in enumerate(gait.angles(10, t)):
        wanted = math.radians(40) * math.sin(math.radians(80 * t - 50 * (9 - j)))
        assert angle == pytest.approx(wanted, abs=CLOSE)


@given(gaits, st.floats(0.5, 10))
def test_rate_is_the_derivative_of_the_angle(gait, time):
    h = 1e-5
    if abs(time - gait.delay) < 2 * h:
        return
    ahead, behind = gait.angles(5, time + h), gait.angles(5, time - h)
    # Central difference: h^2/6 A omega^3, at most 1e-10/6 1.6 12.6^3; rounding 1e-16/h.
    np.testing.assert_allclose(gait.rates(5, time), (ahead - behind) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("time", [0.0, 0.3, 0.499])
def test_before_its_delay_a_gait_stands_still(time):
    gait = sp.Serpenoid(40.0, 80.0, -50.0, offset_deg=3.0, start_deg=20.0, delay=0.5)
    angles, rates = kernel_reference(gait, 6, time)
    at_start, _ = kernel_reference(gait, 6, 0.5)
    np.testing.assert_array_equal(angles, at_start)
    np.testing.assert_array_equal(rates, np.zeros(6))


@given(gaits, st.floats(0, 10))
def test_a_delayed_gait_is_the_same_gait_later(gait, time):
    prompt = sp.Serpenoid(
        gait.amplitude_deg, gait.frequency_deg, gait.phase_deg, gait.offset_deg, gait.start_deg
    )
    late = kernel_reference(gait, 4, gait.delay + time)[0]
    np.testing.assert_allclose(late, prompt.angles(4, time), atol=CLOSE)


def test_recorded_reference_is_the_gait():
    gait = sp.Serpenoid(30.0, 120.0, -40.0, offset_deg=2.0, delay=0.25)
    robot = sp.Robot.uniform(5, length=0.1, mass=0.5, radius=0.03)
    run = sp.simulate(robot, sp.World(friction=sp.Coulomb(0.2)), gait, 1.0)
    wanted = np.array([gait.angles(4, t) for t in run.time])
    np.testing.assert_allclose(run.columns["joint_reference"], wanted, rtol=0, atol=CLOSE)


def test_held_command_is_carried_on_at_its_rate():
    records = np.zeros(2, layout.JOINT).view(np.recarray)
    records.angle, records.rate, records.tick = [0.1, -0.2], [1.0, 3.0], 2.0
    held = layout.PackedGait(layout.HELD, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    set_references(held, records, 2.5)
    np.testing.assert_allclose(records.wanted, [0.6, 1.3], rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(records.wanted_rate, [1.0, 3.0])
