"""Recursive spatial dynamics: reference values, invariants, and the planar engine beside it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.recursion import Motion, Recursion

N, MASS, LENGTH = 8, 0.4, 0.1
ALPHA, BETA, GAMMA, OMEGA = 0.7, 0.8, math.radians(1.2), 3.0
ROBOT = sp.Robot.uniform(N, length=LENGTH, mass=MASS, radius=0.02)
# Reference values are given to some 12 digits and agree to this.
GOLDEN = 1e-9


def snake(tangential: float, normal: float) -> Recursion:
    """The robot of the paper on ground with these coefficients, 1/s."""
    return Recursion(ROBOT, sp.Viscous(along=MASS * tangential, across=MASS * normal))


def wave(gamma: float = GAMMA, alpha: float = ALPHA) -> sp.Serpenoid:
    return sp.Serpenoid(
        amplitude_deg=math.degrees(2 * alpha),
        frequency_deg=math.degrees(OMEGA),
        phase_deg=-math.degrees(BETA),
        start_deg=(N - 2) * math.degrees(BETA),
        offset_deg=math.degrees(gamma),
    )


def printed(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates, accelerations of the joints [colorado2010 (1)]."""
    argument = OMEGA * t + np.arange(N - 1) * BETA
    sine, cosine = np.sin(argument), np.cos(argument)
    return 2 * ALPHA * sine + GAMMA, 2 * ALPHA * OMEGA * cosine, -2 * ALPHA * OMEGA**2 * sine


STATE = (0.1, -0.2, 0.3), (0.05, -0.02, 0.4)
BASE = (0.9870498597354, -1.442594087632, 24.69235292708)
TORQUES = (
    -0.02104543172731,
    -0.02993610816859,
    -0.006694892856848,
    -0.05674573135258,
    -0.1608706273429,
    -0.1497879280127,
    -0.03993411249738,
)


def test_reference_state():
    found = snake(1.0, 10.0).inverse(*STATE, *printed(0.3))
    np.testing.assert_allclose(found.base_acceleration, BASE, rtol=0, atol=GOLDEN)
    np.testing.assert_allclose(found.torques, TORQUES, rtol=0, atol=GOLDEN)
    assert found.kinetic == pytest.approx(0.4426133363777, abs=GOLDEN)
    assert found.loss == pytest.approx(2.344359248046, abs=GOLDEN)


def test_forward_dynamics_undoes_inverse_dynamics():
    angles, rates, accelerations = printed(0.3)
    found = snake(1.0, 10.0).forward(*STATE, angles, rates, TORQUES)
    # Torques are given to 13 digits; the light chain makes 1e3 times as much of what is left out.
    np.testing.assert_allclose(found.base_acceleration, BASE, rtol=0, atol=GOLDEN)
    np.testing.assert_allclose(found.accelerations, accelerations, rtol=0, atol=GOLDEN)
    assert found.kinetic == pytest.approx(0.4426133363777, abs=GOLDEN)
    assert found.loss == pytest.approx(2.344359248046, abs=GOLDEN)


@pytest.mark.parametrize("record_period", [4.0, 0.3, 0.01])
def test_reference_motion(record_period):
    motion = snake(1.0, 10.0).integrate(wave(), 4.0, record_period=record_period)
    position = (-0.3024842777218, 0.08031245120652, 1.413560419300)
    velocity = (-0.2172628751474, 0.3342641147723, -4.710775912730)
    assert motion.time[-1] == 4.0
    np.testing.assert_allclose(motion.position[-1], position, rtol=0, atol=GOLDEN)
    np.testing.assert_allclose(motion.velocity[-1], velocity, rtol=0, atol=GOLDEN)
    assert motion.friction_work[-1] == pytest.approx(3.696871382140, abs=GOLDEN)
    assert motion.actuator_work[-1] == pytest.approx(2.943643998983, abs=GOLDEN)


def test_rows_hold_what_inverse_dynamics_gives_there():
    model, gait = snake(1.0, 10.0), wave()
    motion = model.integrate(gait, 1.0, record_period=0.25)
    np.testing.assert_allclose(motion.time, [0.0, 0.25, 0.5, 0.75, 1.0])
    for k, t in enumerate(motion.time):
        found = model.inverse(motion.position[k], motion.velocity[k], *printed(t))
        np.testing.assert_allclose(motion.angles[k], printed(t)[0], rtol=0, atol=1e-13)
        np.testing.assert_allclose(motion.rates[k], printed(t)[1], rtol=0, atol=1e-13)
        np.testing.assert_allclose(motion.torques[k], found.torques, rtol=0, atol=1e-13)
        assert motion.kinetic[k] == pytest.approx(found.kinetic, rel=1e-13)
        assert motion.loss[k] == pytest.approx(found.loss, rel=1e-13)


# ---------------------------------------------------------------------------------- invariants


@pytest.mark.parametrize(("tangential", "normal"), [(1.0, 10.0), (12.0, 20.0), (0.0, 0.0)])
def test_actuator_work_is_kinetic_energy_and_friction_work(tangential, normal):
    motion = snake(tangential, normal).integrate(wave(), 4.0, tolerance=1e-13)
    gained = motion.kinetic - motion.kinetic[0] + motion.friction_work
    scale = np.abs(motion.actuator_work).max() + motion.kinetic.max()
    assert np.abs(gained - motion.actuator_work).max() < 1e-12 * scale


def momentum(robot: sp.Robot, gait: sp.Serpenoid, motion: Motion) -> np.ndarray:
    """Linear momentum (2) and angular momentum about the origin, (k, 3)."""
    joints = len(robot.joints)
    length = np.array([link.length for link in robot.links])
    mass = np.array([link.mass for link in robot.links])
    inertia = np.array([link.moment_of_inertia for link in robot.links])
    found = []
    for t, q, u in zip(motion.time, motion.position, motion.velocity, strict=True):
        theta = q[2] + np.concatenate([[0.0], np.cumsum(gait.angles(joints, t))])
        omega = u[2] + np.concatenate([[0.0], np.cumsum(gait.rates(joints, t))])
        arm = length[:, None] * np.stack([np.cos(theta), np.sin(theta)], axis=1)
        swing = omega[:, None] * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
        centre = q[:2] + np.cumsum(arm, axis=0) - arm / 2
        p = mass[:, None] * (u[:2] + np.cumsum(swing, axis=0) - swing / 2)
        spin = (centre[:, 0] * p[:, 1] - centre[:, 1] * p[:, 0] + inertia * omega).sum()
        found.append([*p.sum(axis=0), spin])
    return np.array(found)


UNEQUAL = sp.Robot.uniform(
    5,
    length=[0.1, 0.2, 0.15, 0.3, 0.05],
    mass=[0.5, 0.1, 0.8, 0.3, 0.4],
    inertia=[1e-3, 5e-4, 4e-3, 2e-3, 3e-4],
    radius=0.02,
)


def test_without_friction_momentum_is_kept():
    start = {"position": (0.3, -0.2, 0.7), "velocity": (0.4, -0.1, 1.5)}
    motion = Recursion(UNEQUAL).integrate(wave(), 3.0, **start)
    kept = momentum(UNEQUAL, wave(), motion)
    np.testing.assert_allclose(kept, np.broadcast_to(kept[0], kept.shape), rtol=0, atol=1e-10)
    assert np.ptp(motion.velocity, axis=0).min() > 1.0  # it did move
    way = kept[0, :2] / UNEQUAL.mass * motion.time[:, None]
    np.testing.assert_allclose(motion.centre - motion.centre[0], way, rtol=0, atol=1e-10)
    assert not motion.friction_work.any()


def test_equal_friction_both_ways_gives_no_propulsion():
    coefficient = 3.0
    motion = snake(coefficient, coefficient).integrate(wave(), 2.0, velocity=(0.4, -0.3, 0.2))
    linear = momentum(ROBOT, wave(), motion)[:, :2]
    wanted = linear[0] * np.exp(-coefficient * motion.time)[:, None]
    np.testing.assert_allclose(linear, wanted, rtol=0, atol=1e-11)


def test_without_offset_a_period_does_not_turn_the_robot():
    period = 2 * math.pi / OMEGA
    motion = snake(1.0, 10.0).integrate(wave(gamma=0.0), 16 * period, record_period=period)
    turns = np.abs(np.diff(motion.position[:, 2]))
    # The turn of the start dies away; what is left is that of the integrator.
    assert turns[0] > 1e-3
    assert turns[-1] < 1e-9
    circling = snake(1.0, 10.0).integrate(wave(), 16 * period, record_period=period)
    assert abs(np.diff(circling.position[:, 2])[-1]) > 1e-3


@pytest.mark.parametrize(("velocity", "rate"), [((0.8, 0.0, 0.0), 1.0), ((0.0, 0.8, 0.0), 10.0)])
def test_a_straight_robot_glides_to_rest(velocity, rate):
    straight = wave(gamma=0.0, alpha=0.0)
    motion = snake(1.0, 10.0).integrate(straight, 1.0, velocity=velocity)
    wanted = np.outer(np.exp(-rate * motion.time), velocity)
    np.testing.assert_allclose(motion.velocity, wanted, rtol=0, atol=1e-11)


def test_a_straight_robot_spins_down_at_the_normal_rate():
    """Only with m L2/12 about each link's centre is that so, not with the printed /3 of (13)."""
    straight, spin, half = wave(gamma=0.0, alpha=0.0), 2.0, N * LENGTH / 2
    motion = snake(1.0, 10.0).integrate(straight, 1.0, velocity=(0.0, -half * spin, spin))
    wanted = spin * np.exp(-10.0 * motion.time)
    np.testing.assert_allclose(motion.velocity[:, 2], wanted, rtol=0, atol=1e-11)
    third = Recursion(ROBOT, sp.Viscous(MASS, 10 * MASS, turning=10 * MASS * LENGTH**2 / 3))
    other = third.integrate(straight, 1.0, velocity=(0.0, -half * spin, spin))
    assert np.abs(other.velocity[:, 2] - wanted).max() > 1e-3


def test_the_loss_is_within_its_bounds():
    """2 C_T <= P_L / K_E <= 2 C_N for every gait, mass and length."""
    motion = snake(1.0, 10.0).integrate(wave(), 4.0)
    ratio = motion.loss / motion.kinetic
    assert ratio.min() >= 2.0
    assert ratio.max() <= 20.0


def test_one_link_is_a_rod():
    rod = sp.Robot.uniform(1, length=0.3, mass=0.5, radius=0.02)
    model = Recursion(rod, sp.Viscous(along=0.5, across=2.0))
    found = model.inverse((0, 0, 0), (0.2, 0.3, 0.0), [], [], [])
    # Slowed by 1/s along and 4/s across, without a turn.
    np.testing.assert_allclose(found.base_acceleration, [-0.2, -1.2, 0.0], rtol=0, atol=1e-12)
    assert found.torques.shape == (0,)


# --------------------------------------------------------------------------- the planar engine


def engine_tail_end(time_step: float, duration: float) -> np.ndarray:
    """(x, y, theta) of the tail end at the end of a run that starts with the tail link at rest."""
    gait = wave()
    theta = np.append(0.0, np.cumsum(gait.angles(N - 1)))
    omega = np.append(0.0, np.cumsum(gait.rates(N - 1)))
    axis = LENGTH * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    swing = omega[:, None] * np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    centre, moving = (np.mean(np.cumsum(v, axis=0) - v / 2, axis=0) for v in (axis, swing))
    start = sp.Start(
        x=centre[0],
        y=centre[1],
        heading_deg=math.degrees(theta.mean()),
        velocity=moving,
        spin_deg=math.degrees(omega.mean()),
    )
    robot = sp.Robot.uniform(N, length=LENGTH, mass=MASS, radius=0.02, actuator=sp.Prescribed())
    world = sp.World(friction=sp.Viscous(along=MASS * 1.0, across=MASS * 10.0))
    run = sp.simulate(
        robot, world, gait, duration, start=start, time_step=time_step, record_period=duration
    )
    x, y, angle = (run.columns[name][-1, 0] for name in ("x", "y", "theta"))
    return np.array([x - LENGTH / 2 * math.cos(angle), y - LENGTH / 2 * math.sin(angle), angle])


def test_the_planar_engine_moves_the_same_way():
    duration = 2.0
    wanted = snake(1.0, 10.0).integrate(wave(), duration).position[-1]
    off = [np.abs(engine_tail_end(h, duration) - wanted).max() for h in (2e-3, 1e-3, 5e-4)]
    # The engine's midpoint step is of second order.
    assert off[1] < 1e-5
    assert off[0] / off[1] == pytest.approx(4, rel=0.05)
    assert off[1] / off[2] == pytest.approx(4, rel=0.05)


# ----------------------------------------------------------------------------------- bad input

MODEL = snake(1.0, 10.0)
STILL = ([0.0] * 7,) * 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Recursion("snake"), "robot = 'snake' is not allowed: it must be a Robot"),
        (
            lambda: Recursion(ROBOT, sp.Coulomb(0.2)),
            "friction = Coulomb(mu=0.2) is not allowed: the recursion takes a Viscous law or None",
        ),
        (
            lambda: MODEL.inverse((0, 0), (0, 0, 0), *STILL),
            "position = (0, 0) is not allowed: it must be 3 numbers of at most 1e+15 in size",
        ),
        (
            lambda: MODEL.inverse((0, 0, 0), (0, math.nan, 0), *STILL),
            "velocity = (0, nan, 0) is not allowed: it must be 3 numbers of at most 1e+15 in size",
        ),
        (
            lambda: MODEL.forward((0, 0, 0), (0, 0, 0), *STILL[:2], [1.0, 2.0]),
            "torques = [1.0, 2.0] is not allowed: it must be 7 numbers of at most 1e+15 in "
            "size, one for each joint of robot",
        ),
        (
            lambda: MODEL.inverse((0, 0, 0), "fast", *STILL),
            "velocity = 'fast' is not allowed: it must be 3 numbers of at most 1e+15 in size",
        ),
        (
            lambda: MODEL.inverse((0, 0, 0), ("1", "2", "3"), *STILL),
            "velocity = ('1', '2', '3') is not allowed: it must be 3 numbers of at most 1e+15 in "
            "size",
        ),
        (
            lambda: MODEL.inverse((0, 0, [0]), (0, 0, 0), *STILL),
            "position = (0, 0, [0]) is not allowed: it must be 3 numbers of at most 1e+15 in size",
        ),
        (
            lambda: MODEL.integrate("wave", 1.0),
            "gait = 'wave' is not allowed: it must be a Serpenoid",
        ),
        (
            lambda: MODEL.integrate(sp.Serpenoid(40.0, 80.0, -50.0, delay=0.5), 1.0),
            "gait.delay = 0.5 is not allowed: prescribed joints cannot jump from rest to "
            "the wave's rate",
        ),
        (
            lambda: MODEL.integrate(wave(), -1.0),
            "duration = -1.0 is not allowed: it must be a number greater than 0 and at most 1e+09 "
            "(s)",
        ),
        (
            lambda: MODEL.integrate(wave(), 1.0, record_period=0.0),
            "record_period = 0.0 is not allowed: it must be a number greater than 0 and at most "
            "1e+09 (s)",
        ),
        (
            lambda: MODEL.integrate(wave(), 1.0, tolerance=1.0),
            "tolerance = 1.0 is not allowed: it must be a number greater than 1e-14 and at most "
            "0.01",
        ),
        (
            lambda: Recursion(ROBOT, sp.Viscous(1e15, 1e15)).integrate(wave(), 1.0),
            "tolerance = 1e-12 cannot be kept beyond t = 0 s: the motion is too fast; use less "
            "friction, a slower gait or a larger tolerance",
        ),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, message):
    with pytest.raises(sp.InvalidInput) as caught:
        call()
    assert str(caught.value) == message
