"""Poles of the adaptation to contact forces, against closed forms and the shipped solvers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg

import serpenoid as sp
from serpenoid.analysis.contact_stability import ContactLoop, at_rest, contact_loop, measure_growth
from serpenoid.analysis.contact_stability.growth import fit_oscillation
from serpenoid.kernels import layout
from serpenoid.methods.hybrid import Hybrid

# Steepest part of the paper's wave, and links in contact on alternate sides.
STEEP_DEG = 60 * np.sin(np.radians(-40.0 * np.arange(9)))
ALTERNATE = dict(zip(range(4), ("left", "right", "left", "right"), strict=True))


def robot(links: int = 10, kp: float = 20.0, kd: float = 5.0, **changes) -> sp.Robot:
    """Links as in liljeback2011."""
    values = {"length": 0.14, "mass": 1.0, "inertia": 0.0016, "radius": 0.005} | changes
    return sp.Robot.uniform(links, actuator=sp.Servo(kp, kd), **values)


@pytest.fixture(scope="module")
def loop() -> ContactLoop:
    return contact_loop(robot(), STEEP_DEG, ALTERNATE, preload=20.0)


# ------------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize("gain", [0.0, 0.002, 0.02, 0.3])
def test_three_straight_links_held_at_their_centres(gain):
    """By hand: the centres stay, so the only motion is a zigzag (1, -1, 1) y, phi = (-2, 2) y.

    With C = kp + kd s and F = w^2 / (s + w)^2: torques (u, u) turn nothing and press with
    (-1, 2, -1) u / l, which adapts the references to (-3, 3) k u / l; torques (-a, a) give
    3 J y'' = 4 a and forces (-1, 0, 1) a / (3 l), which adapt them to (-1, -1) k a / (3 l).
    """
    kp, kd, cutoff, arm, inertia = 20.0, 5.0, 0.75, 0.07, 0.0016
    w = 2 * math.pi * cutoff
    servo, filtered = np.poly1d([kd, kp]), np.poly1d([1, w]) ** 2
    square = np.poly1d([1, 0, 0])
    inner = 3 * inertia * square * filtered**2 + 8 * servo * filtered**2
    outer = 3 * inertia * square * (servo * (gain * w**2 / arm)) ** 2
    loop = contact_loop(robot(3), [0.0, 0.0], {0: "left", 1: "right", 2: "left"}, cutoff=cutoff)
    poles = loop.poles(gain)
    assert len(poles) == 6
    np.testing.assert_allclose(np.poly(poles), ((inner + outer) / inner[6]).coeffs, rtol=1e-7)


def test_without_contact_forces_that_adapt_the_loop_is_servo_and_filter():
    """Two straight links held at their centres, without adaptation: by hand (theta = 1, -1) y."""
    kp, kd, w, inertia = 20.0, 5.0, 2 * math.pi * 0.75, 0.0016
    poles = contact_loop(robot(2), [0.0], {0: "left", 1: "left"}).poles(0.0)
    servo = np.roots([2 * inertia, 4 * kd, 4 * kp])
    np.testing.assert_allclose(np.sort(poles.real), np.sort([*servo, -w, -w]), rtol=1e-6)
    assert np.abs(poles.imag).max() < 1e-6 * w


def test_a_chain_that_cannot_move_has_a_pole_by_hand():
    """Stiff servos: of s^2 + 2 w s + w^2 = w^2 k g (kp + kd s), g the force per torque.

    Five straight links held at all centres and turned into a stiff chain by their inertia: forces
    follow torques through the statics of the chain alone.
    """
    loop = contact_loop(robot(5, inertia=1e9), np.zeros(4), dict.fromkeys(range(5), "left"))
    chain = loop.chain
    held = chain.across
    force = -np.linalg.solve(
        held.T @ np.linalg.solve(chain.mass, held),
        held.T @ np.linalg.solve(chain.mass, chain.joints.T),
    )
    w, gain = 2 * math.pi * 0.75, 0.02
    by_hand = []
    for g in np.linalg.eigvals(chain.adaptation() @ force):
        by_hand += list(np.roots([1, 2 * w - w**2 * gain * g * 5, w**2 * (1 - gain * g * 20)]))
    for pole in by_hand:
        assert np.abs(loop.poles(gain) - pole).min() < 1e-5 * abs(pole)


# ------------------------------------------------------------------------- the shipped engine


def _disturb(rest, loop, x):
    """Add a small departure x = (y, y', r, r') to the state of a robot at rest."""
    n, m = len(loop.forces), loop.motions.shape[1]
    state, k = rest.state, n - 1
    move, rate = loop.motions @ x[:m], loop.motions @ x[m : 2 * m]
    state.theta[:] += move[:n]
    state.com[:] += move[n:]
    across = np.stack([-np.sin(state.theta), np.cos(state.theta)], axis=1)
    state.velocity[:, :2] = rate[n:] + loop.chain.arm @ (rate[:n, None] * across)
    state.velocity[:, 2] = rate[:n]
    energy = 1.0 * (state.velocity[:, :2] ** 2).sum() + 0.0016 * (rate[:n] ** 2).sum()
    state.ledger[layout.KINETIC] = 0.5 * energy
    rest.references[:, 0] += x[2 * m : 2 * m + k]
    rest.references[:, 1] += x[2 * m + k :]


def _departure(rest, loop, state):
    """x = (y, y', r, r') of a state, up to a constant; masses are 1 kg."""
    weight = loop.motions.T @ loop.chain.mass
    references = replace(rest, state=state).references
    place = np.concatenate([state.theta, state.com])
    rate = np.concatenate([state.velocity[:, 2], state.velocity[:, :2].mean(axis=0)])
    return np.concatenate([weight @ place, weight @ rate, references[:, 0], references[:, 1]])


@pytest.mark.parametrize("gain", [0.0, 0.02])
def test_the_engine_maps_small_departures_as_the_matrix_does(gain):
    """Finite differences of the hybrid model after 20 ms, over the exponential of the matrix.

    Ticks every 25 us make an error of some 1e-3.
    """
    contacts = {0: "left", 1: "right", 3: "right", 4: "left"}
    loop = contact_loop(robot(5), [30.0, 50.0, -40.0, 20.0], contacts, preload=20.0)
    duration, small, method = 0.02, 1e-5, Hybrid(tolerance=1e-11)
    found = []
    for column in np.eye(len(loop.poles(gain))):
        ends = []
        for sign in (1.0, -1.0):
            rest = at_rest(loop, gain, time_step=2.5e-5, solver=method)
            _disturb(rest, loop, sign * small * column)
            ends.append(_departure(rest, loop, rest.run(duration, duration, method).state))
        found.append((ends[0] - ends[1]) / (2 * small))
    exact = scipy.linalg.expm(loop.matrix(gain) * duration)
    error = np.abs(np.transpose(found) - exact).max(axis=0) / np.abs(exact).max(axis=0)
    assert error.max() < 0.01


def test_a_disturbance_grows_in_the_shipped_solvers_at_the_rate_of_the_pole(loop):
    """Sets in plenty: `benchmarks.contact_growth`; here a real pole with two solvers."""
    pole = loop.poles(0.02)[0]
    assert pole.real > 20
    for solver in (None, "newton"):
        growth = measure_growth(loop, 0.02, duration=0.5, solver=solver)
        assert growth.rate == pytest.approx(pole.real, rel=0.02)
        assert growth.frequency == pytest.approx(abs(pole.imag), abs=0.1)
        assert growth.forces.shape == (len(growth.times), 10)


def test_a_pair_of_poles_swings_as_it_grows():
    """Three straight links with little damping; ticks of 10 us, short against 1/374 s."""
    contacts = {0: "left", 1: "right", 2: "left"}
    loop = contact_loop(robot(3, 40.0, 0.1), [0.0, 0.0], contacts, preload=20.0, cutoff=5.0)
    gain = 2 * loop.critical_gain()
    pole = loop.poles(gain)[0]
    assert pole.imag > 300
    growth = measure_growth(loop, gain, duration=0.2, time_step=1e-5)
    assert growth.rate == pytest.approx(pole.real, rel=0.05)
    assert growth.frequency == pytest.approx(pole.imag, rel=0.01)


def test_the_critical_gain_is_where_a_pole_crosses(loop):
    critical = loop.critical_gain()
    assert loop.growth_rate(critical) <= 1e-6
    assert 0 < loop.growth_rate(1.001 * critical) < 1
    assert loop.critical_gain(most=0.5 * critical) == 0.5 * critical
    # By hand for three straight links: where s = i v solves the polynomial.
    contacts = {0: "left", 1: "right", 2: "left"}
    straight = contact_loop(robot(3), [0.0, 0.0], contacts, cutoff=20.0)
    gain = straight.critical_gain()
    pole = straight.poles(gain)[0]
    assert pole.real == pytest.approx(0.0, abs=1e-4)
    s, w = 1j * pole.imag, 2 * math.pi * 20.0
    servo, filtered = 20 + 5 * s, (w / (s + w)) ** 2
    by_hand = -(1 + 8 * servo / (3 * 0.0016 * s**2)) * (0.07 / (servo * filtered)) ** 2
    assert gain**2 == pytest.approx(by_hand, rel=1e-4)


def test_a_preload_that_buckles_the_robot_leaves_no_gain():
    """Soft servos under large forces are unstable without adaptation."""
    other = {link: "left" if side == "right" else "right" for link, side in ALTERNATE.items()}
    soft = contact_loop(robot(10, 0.1, 0.1), STEEP_DEG, other, preload=500.0)
    assert soft.growth_rate(0.0) > 0
    assert soft.critical_gain() == 0.0


def test_an_oscillation_is_found_in_noise():
    """Two of them about constants: the one that ends up strongest."""
    times = 0.01 * np.arange(120)
    grows = np.exp(3 * times) * np.cos(20 * times + 0.3)
    fades = np.exp(-2 * times)
    values = np.stack([5 + grows, 2 * grows - fades], axis=1)
    values += 1e-4 * np.random.default_rng(0).normal(size=values.shape)
    assert fit_oscillation(times, values) == pytest.approx((3, 20), rel=1e-3)
    assert fit_oscillation(times, np.exp(4 * times)[:, None]) == pytest.approx((4, 0), rel=1e-9)


# ----------------------------------------------------------------------------------- at rest


def test_forces_at_rest_balance_and_servos_hold_them(loop):
    """Forces and torques on each link, from the joint behind to the joint ahead, by hand."""
    theta, forces = loop.chain.theta, loop.forces
    assert np.abs(forces[list(loop.contacts)]).mean() == pytest.approx(20.0)
    for link, side in loop.contacts.items():
        assert (forces[link] > 0) == (side == "right")
    left = np.stack([-np.sin(theta), np.cos(theta)], axis=1)
    along = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    gain = 0.02
    torque = 20.0 * (loop.command(gain) + loop.adapted(gain) - loop.joint_angles)
    hinge = np.zeros(2)  # force of the link behind on a link
    for i in range(10):
        ahead = -(hinge + forces[i] * left[i])  # so that the link is in balance
        lever = 0.07 * along[i]
        couple = ahead - hinge
        moment = lever[0] * couple[1] - lever[1] * couple[0]
        moment += (torque[i - 1] if i > 0 else 0.0) - (torque[i] if i < 9 else 0.0)
        assert moment == pytest.approx(0.0, abs=1e-9)
        hinge = -ahead
    assert hinge == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_robot_at_rest_stays_there(loop):
    """For a while: what rounding leaves grows by exp(24 t)."""
    rest = at_rest(loop, 0.02, time_step=1e-4, solver="newton")
    run = rest.run(0.05, 0.01, "newton")
    np.testing.assert_allclose(run.state.theta, loop.chain.theta, atol=1e-7)


def test_adaptation_at_rest_is_that_of_the_paper(loop):
    """(22), whose joint angles have the other sign."""
    prop = loop.forces * np.cos(loop.chain.theta)
    np.testing.assert_allclose(loop.adapted(0.5), 0.5 * (prop[:-1] - prop[1:]), atol=1e-12)


# ----------------------------------------------------------------------------- properties


def test_poles_do_not_depend_on_sides_without_preload():
    both = [
        contact_loop(robot(), STEEP_DEG, dict.fromkeys(ALTERNATE, side))
        for side in ("left", "right")
    ]
    np.testing.assert_array_equal(both[0].poles(0.02), both[1].poles(0.02))


@pytest.mark.parametrize("preload", [0.0, 20.0])
def test_a_mirrored_robot_has_the_same_poles(preload):
    other = {link: "left" if side == "right" else "right" for link, side in ALTERNATE.items()}
    loops = [
        contact_loop(robot(), sign * STEEP_DEG, contacts, preload=preload)
        for sign, contacts in ((1, ALTERNATE), (-1, other))
    ]
    np.testing.assert_allclose(loops[0].poles(0.02), loops[1].poles(0.02), rtol=1e-6)


def test_forces_scale_with_gain_inverse():
    """Twice the mass, inertia and servo gains, half the gain of the adaptation: the same poles."""
    once = contact_loop(robot(), STEEP_DEG, ALTERNATE)
    twice = contact_loop(robot(10, 40.0, 10.0, mass=2.0, inertia=0.0032), STEEP_DEG, ALTERNATE)
    np.testing.assert_allclose(once.poles(0.02), twice.poles(0.01), rtol=1e-6)


def test_four_links_on_alternate_sides_as_they_were_first_found():
    """liljeback2011 by a prototype: some 50 1/s at 0.02 rad/N, 6 at 0.005, none at 0.002."""
    steep = 60 * np.sin(np.radians(30.0 * np.arange(9)))
    loop = contact_loop(robot(), steep, ALTERNATE)
    assert loop.poles(0.02)[0] == pytest.approx(49.1, abs=0.1)
    assert loop.growth_rate(0.005) == pytest.approx(6.6, abs=0.1)
    assert loop.growth_rate(0.002) < 0


def test_links_of_any_length_and_mass():
    """Three unequal links: the matrices against finite differences of positions."""
    links = robot(3, length=[0.1, 0.2, 0.15], mass=[1.0, 0.5, 2.0], inertia=[1e-3, 2e-3, 4e-3])
    chain = contact_loop(links, [20.0, -50.0], {0: "left"}).chain
    mass, half = np.array([1.0, 0.5, 2.0]), np.array([0.05, 0.1, 0.075])

    def centres(q):
        steps = half[:, None] * np.stack([np.cos(q[:3]), np.sin(q[:3])], axis=1)
        found = np.cumsum(2 * steps, axis=0) - steps
        return found - mass @ found / mass.sum() + q[3:]

    q = np.concatenate([chain.theta, [0.0, 0.0]])
    eye = 1e-6 * np.eye(5)
    change = np.stack([(centres(q + d) - centres(q - d)) / 2e-6 for d in eye], axis=-1)
    left = np.stack([-np.sin(q[:3]), np.cos(q[:3])], axis=1)
    np.testing.assert_allclose(np.einsum("id,idk->ki", left, change), chain.across, atol=1e-9)
    inertia = np.einsum("i,idk,idm->km", mass, change, change)
    inertia[:3, :3] += np.diag([1e-3, 2e-3, 4e-3])
    np.testing.assert_allclose(inertia, chain.mass, atol=1e-9)


# --------------------------------------------------------------------------- what is not allowed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"robot": "aiko"}, "robot = 'aiko' is not allowed: it must be a Robot"),
        ({"robot": robot(1)}, r"robot.joints = \(\) is not allowed"),
        ({"joint_angles_deg": [0.0]}, r"joint_angles_deg has the shape \(1,\); it must be \(9,\)"),
        ({"contacts": {}}, "it must name at least one link and its side"),
        ({"contacts": [1, 2]}, "it must name at least one link and its side"),
        ({"contacts": {10: "left"}}, "link = 10 is not allowed: .* from 0 to 9"),
        ({"contacts": {1: "lft"}}, r"contacts\[1\] = 'lft' is not known \(did you mean 'left'"),
        ({"cutoff": 0.0}, "cutoff = 0.0 is not allowed: it must be a finite number greater"),
        ({"cutoff": None}, "cutoff = None is not allowed"),
        ({"preload": -1.0}, "preload = -1.0 is not allowed"),
        ({"preload": 5.0, "contacts": {1: "left"}}, "forces from these sides do not balance"),
    ],
)
def test_what_is_not_allowed(change, words):
    values = {"robot": robot(), "joint_angles_deg": STEEP_DEG, "contacts": ALTERNATE} | change
    with pytest.raises(sp.InvalidInput, match=words):
        contact_loop(**values)


@pytest.mark.parametrize(
    ("actuator", "words"),
    [
        (sp.Torque(), r"robot.joints\[0\].actuator = Torque is not allowed: it must be a Servo"),
        (sp.Servo(20.0, 5.0, deadband_deg=1.0), "without deadband_deg"),
    ],
)
def test_joints_that_are_no_plain_servos(actuator, words):
    driven = sp.Robot.uniform(3, length=0.1, mass=1.0, radius=0.01, actuator=actuator)
    with pytest.raises(sp.InvalidInput, match=words):
        contact_loop(driven, [0.0, 0.0], {0: "left"})


def test_ideal_wheels_are_refused():
    with pytest.raises(sp.InvalidInput, match=r"robot.links\[0\].wheels is not allowed"):
        contact_loop(robot(3, wheels=sp.Wheels()), [0.0, 0.0], {0: "left"})


@pytest.mark.parametrize("gain", [-0.01, math.nan, "0.02"])
def test_gains_that_are_none(loop, gain):
    for method in (loop.matrix, loop.poles, loop.command):
        with pytest.raises(sp.InvalidInput, match=r"gain = .* is not allowed"):
            method(gain)


def test_what_cannot_be_measured(loop):
    bare = contact_loop(robot(), STEEP_DEG, ALTERNATE)
    with pytest.raises(sp.InvalidInput, match=r"loop.forces = 0 is not allowed"):
        measure_growth(bare, 0.02, duration=0.5)
    words = r"the disturbance has not grown enough .* expects a growth rate of -[0-9.]+ 1/s\)"
    with pytest.raises(sp.InvalidInput, match=words):
        measure_growth(loop, 0.0, duration=0.05, solver="newton")
    with pytest.raises(sp.InvalidInput, match="duration = 0 is not allowed"):
        measure_growth(loop, 0.02, duration=0)
    with pytest.raises(sp.InvalidInput, match="disturbance = 0 is not allowed"):
        measure_growth(loop, 0.02, duration=1.0, disturbance=0)
    with pytest.raises(sp.InvalidInput, match="kp = 0 is not allowed with a preload"):
        loop.changed(kp=0.0).command(0.02)


@pytest.mark.parametrize("name", ["kp", "kd", "cutoff"])
def test_changes_that_are_not_allowed(loop, name):
    with pytest.raises(sp.InvalidInput, match=f"{name} = -1.0 is not allowed"):
        loop.changed(**{name: -1.0})
