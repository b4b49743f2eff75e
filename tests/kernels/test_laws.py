"""Every law of the step is the gradient of its potential, lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from serpenoid.kernels import layout
from serpenoid.kernels.laws import (
    added_mass,
    contact_friction,
    contact_normal,
    drag,
    dry_friction,
    dry_rectangle,
    dry_torque,
    inertia,
    joint_limit,
    series_elastic,
    servo,
    smooth_friction,
    support_friction,
    viscous,
)
from tests.calling import called
from tests.kernels.lane_problems import DT, FALL, STIFFNESS, fill, lanes, random_body

# Two blocks, the second of which has three idle lanes.
N = 13
AXES = ("ux", "uy", "uw")
GRADIENT = ("gx", "gy", "gw")
CURVATURE = (("xx", "xy", "xw"), ("xy", "yy", "yw"), ("xw", "yw", "ww"))
SEEDS = range(8)

inertia_terms, viscous_terms, drag_terms, disc_terms, spin_terms = map(
    called, (inertia.terms, viscous.terms, drag.terms, dry_friction.terms, dry_torque.terms)
)
box_terms, smooth_terms, support_terms = map(
    called, (dry_rectangle.terms, smooth_friction.terms, support_friction.terms)
)
normal_terms, tangent_terms, servo_terms, limit_terms, elastic_terms = map(
    called,
    (
        *(contact_normal.terms, contact_friction.terms),
        *(servo.terms, joint_limit.terms, series_elastic.terms),
    ),
)
quadratic, fluid_terms = map(called, (series_elastic.quadratic, added_mass.terms))


def rows(body: layout.Body) -> Any:
    return body.contacts[: body.counts[0]]


LINK_LAWS: dict[str, Callable[[layout.Body], None]] = {
    "inertia": lambda body: inertia_terms(body.blocks, *FALL),
    "viscous": lambda body: viscous_terms(body.blocks, body.robot[0]),
    "drag": lambda body: drag_terms(body.blocks),
    "added mass": lambda body: fluid_terms(body.blocks, body.robot[0]),
    "dry friction": lambda body: disc_terms(body.blocks, body.robot[0], False),
    "dry torque": lambda body: spin_terms(body.blocks),
    "dry rectangle": lambda body: box_terms(body.blocks, False),
    "smooth friction": lambda body: smooth_terms(body.blocks),
    "support friction": lambda body: support_terms(body.blocks, body.supports, False),
    "contact": lambda body: normal_terms(body.blocks, rows(body), STIFFNESS, False),
    "contact friction": lambda body: tangent_terms(body.blocks, rows(body), STIFFNESS, False),
}


# --------------------------------------------------------------------------------- potentials


def along(body: layout.Body) -> tuple[Any, Any]:
    """Velocities of the links along and across their axes."""
    ex, ey, ux, uy = (lanes(body, name)[:N] for name in ("ex", "ey", "ux", "uy"))
    return ux * ex + uy * ey, uy * ex - ux * ey


def half_square_less_distance(z: Any, bound: Any) -> Any:
    """Potential of the projection on [-bound, bound]."""
    return 0.5 * (z**2 - (z - np.clip(z, -bound, bound)) ** 2)


def of_inertia(body: layout.Body) -> Any:
    m, inertia, vx, vy, w, ux, uy, uw = (
        lanes(body, name)[:N] for name in ("mass", "inertia", "vx", "vy", "omega", "ux", "uy", "uw")
    )
    linear = (ux - vx - FALL[0]) ** 2 + (uy - vy - FALL[1]) ** 2
    return 0.5 * m * linear + 0.5 * inertia * (uw - w) ** 2


def of_viscous(body: layout.Body) -> Any:
    ex, ey, vx, vy, w = (lanes(body, name)[:N] for name in ("ex", "ey", "vx", "vy", "omega"))
    a, b = along(body)
    a, b = a + vx * ex + vy * ey, b + vy * ex - vx * ey
    ca, cb, cw = (lanes(body, name)[:N] for name in ("along", "across", "turn"))
    return 0.25 * (ca * a**2 + cb * b**2 + cw * (lanes(body, "uw")[:N] + w) ** 2)


def of_drag(body: layout.Body) -> Any:
    ex, ey, vx, vy, w = (lanes(body, name)[:N] for name in ("ex", "ey", "vx", "vy", "omega"))
    a, b = along(body)
    a, b = a + vx * ex + vy * ey, b + vy * ex - vx * ey
    names = ("drag_a", "drag_b", "drag_w")
    means = (0.5 * a, 0.5 * b, 0.5 * (lanes(body, "uw")[:N] + w))
    drags = zip(names, means, strict=True)
    return sum(2.0 / 3.0 * lanes(body, name)[:N] * np.abs(mean) ** 3 for name, mean in drags)


def of_dry_friction(body: layout.Body) -> Any:
    a, b = along(body)
    names = ("forward", "backward", "side", "dry_r", "old_x", "old_y", "axis")
    forward, backward, side, r, x, y, used = (lanes(body, name)[:N] for name in names)
    # In units of the half axis that belongs to its sign.
    own, other = np.where(x > 0.0, backward, forward), np.where(x > 0.0, forward, backward)
    p = x * own / used
    za = p - r * own * a
    za = np.where(za * p >= 0.0, za, za * other / own)
    zb = y - r * side * b
    size = np.hypot(za, zb)
    return 0.5 * (size**2 - np.maximum(0.0, size - 1.0) ** 2) / r


def of_dry_torque(body: layout.Body) -> Any:
    spin, r, old, w = (lanes(body, name)[:N] for name in ("spin", "spin_r", "old_w", "uw"))
    return spin / r * half_square_less_distance(old - r * w, 1.0)


def of_dry_rectangle(body: layout.Body) -> Any:
    total = 0.0
    for velocity, axis in zip(along(body), "ab", strict=True):
        names = (f"box_{axis}", f"box_r{axis}", f"box_p{axis}")
        bound, r, old = (lanes(body, name)[:N] for name in names)
        total += bound / r * half_square_less_distance(old - r * velocity, 1.0)
    return total


def of_smooth_friction(body: layout.Body) -> Any:
    names = ("smooth_b", "smooth_e", "ux", "uy")
    bound, e, ux, uy = (lanes(body, name)[:N] for name in names)
    return bound * np.sqrt(ux**2 + uy**2 + e**2)


def of_support_friction(body: layout.Body) -> Any:
    s: Any = body.supports
    (a, b), w = along(body), lanes(body, "uw")[:N]
    za = s.old_a - s.r * s.da * (a[s.body] - s.b * w[s.body])
    zb = s.old_b - s.r * s.db * (b[s.body] + s.a * w[s.body])
    size = np.hypot(za, zb)
    each = 0.5 * (size**2 - np.maximum(0.0, size - 1.0) ** 2) / s.r
    return np.bincount(s.body, each, N)


def of_contact(body: layout.Body) -> Any:
    c = rows(body)
    u = [lanes(body, name)[:N] for name in AXES]
    k = np.where(c.soft, c.r, STIFFNESS * c.mass)
    z = c.pn - k * (c.nx * u[0] + c.ny * u[1] + c.ln * u[2] - c.rate)
    return 0.5 * np.maximum(0.0, z) ** 2 / k


def of_contact_friction(body: layout.Body) -> Any:
    c = rows(body)
    u = [lanes(body, name)[:N] for name in AXES]
    r = STIFFNESS * c.mass
    z = c.pt - r * (c.nx * u[1] - c.ny * u[0] + c.lt * u[2])
    return half_square_less_distance(z, c.friction * c.cap) / r


POTENTIALS = {
    "inertia": of_inertia,
    "viscous": of_viscous,
    "drag": of_drag,
    "dry friction": of_dry_friction,
    "dry torque": of_dry_torque,
    "dry rectangle": of_dry_rectangle,
    "smooth friction": of_smooth_friction,
    "support friction": of_support_friction,
    "contact": of_contact,
    "contact friction": of_contact_friction,
}


# ---------------------------------------------------------------------------- laws of the links


def terms(body: layout.Body, law: str) -> tuple[np.ndarray, np.ndarray]:
    """Gradient (3, lanes) and curvature (3, 3, lanes) of one law at u."""
    for name in {*GRADIENT, *sum(CURVATURE, ())}:
        body.blocks[name] = 0.0
    LINK_LAWS[law](body)
    gradient = np.array([lanes(body, name) for name in GRADIENT])
    return gradient, np.array([[lanes(body, name) for name in row] for row in CURVATURE])


def differences(body: layout.Body, value: Callable[[], Any], step: float) -> np.ndarray:
    """Central differences of a value of every lane by the three velocities of its link."""
    found = []
    for name in AXES:
        u, sides = lanes(body, name)[:N], []
        for way in (1.0, -1.0):
            fill(body, N, **{name: u + way * step})
            sides.append(value())
        fill(body, N, **{name: u})
        found.append((sides[0] - sides[1]) / (2.0 * step))
    return np.array(found)


@pytest.mark.parametrize("law", POTENTIALS)
def test_law_of_a_link_is_the_gradient_of_its_potential(law):
    for seed in SEEDS:
        body = random_body(N, seed)
        gradient = terms(body, law)[0][:, :N]
        wanted = differences(body, lambda: POTENTIALS[law](body), 1e-6)  # noqa: B023
        np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-6 * abs(wanted).max())
        assert abs(gradient).max() > 0.0


@pytest.mark.parametrize("law", POTENTIALS)
def test_curvature_of_a_link_is_the_derivative_of_its_gradient(law):
    for seed in SEEDS:
        body = random_body(N, seed)
        curvature = terms(body, law)[1][:, :, :N]
        wanted = differences(body, lambda: terms(body, law)[0][:, :N], 1e-7)  # noqa: B023
        close = 1e-5 * abs(wanted).max()
        np.testing.assert_allclose(curvature, wanted, rtol=1e-5, atol=close)
        eigenvalues = np.linalg.eigvalsh(np.moveaxis(curvature, 2, 0))
        assert eigenvalues.min() >= -1e-12 * abs(curvature).max()


def test_added_mass_is_its_curvature_and_what_is_skew():
    """No potential has the skew part, which is left out of the quadratic."""
    for seed in SEEDS:
        body = random_body(N, seed)
        curvature = terms(body, "added mass")[1][:, :, :N]
        law = differences(body, lambda: terms(body, "added mass")[0][:, :N], 1e-6)  # noqa: B023
        assert np.linalg.eigvalsh(np.moveaxis(curvature, 2, 0)).min() >= 0.0
        symmetric = 0.5 * (law + law.transpose(1, 0, 2))
        # But for the change of velocity in the step, times the angle turned in it.
        np.testing.assert_allclose(symmetric, curvature, atol=3.0 * DT)
        assert abs(law - symmetric).max() > 0.1 * DT


def test_both_pieces_of_every_law_are_met():
    """The differences above would show little if all links stuck, or all slid."""
    bodies = [random_body(N, seed) for seed in SEEDS]
    for body in bodies:
        for law in LINK_LAWS:
            terms(body, law)
    holds = np.concatenate([lanes(body, "holds")[:N] for body in bodies])
    spins, box = (
        np.concatenate([lanes(body, name)[:N] for body in bodies]) > 0.0
        for name in ("cw", "box_ca")
    )
    stuck = np.concatenate([body.supports.holds for body in bodies])
    pushes = np.concatenate([rows(body).pushes for body in bodies])
    grips = np.concatenate([rows(body).grips[rows(body).cap > 0.0] for body in bodies])
    for share in map(np.mean, (holds, stuck, spins, box, pushes, grips)):
        assert 0.1 < share < 0.9


@pytest.mark.parametrize("law", [law for law in LINK_LAWS if law != "inertia"])
def test_idle_lanes_have_no_law(law):
    body = random_body(N, 0)
    for part in terms(body, law):
        assert not part[..., N:].any()


@pytest.mark.parametrize("law", LINK_LAWS)
def test_lanes_of_a_block_know_nothing_of_each_other(law):
    """All of lane 4, and its contact, changed: the others are the same to the bit."""
    body, other = random_body(N, 1), random_body(N, 2)
    before = terms(body, law)
    for name in body.blocks.dtype.names:
        if body.blocks[name].ndim == 2 and name not in ("gx", "gy", "gw"):
            body.blocks[name][0, 4] = other.blocks[name][0, 4]
    body.contacts[4] = other.contacts[4]
    body.supports.a[body.supports.body == 4] *= -0.5
    after = terms(body, law)
    apart = np.arange(before[0].shape[1]) != 4
    for one, two in zip(before, after, strict=True):
        np.testing.assert_array_equal(one[..., apart], two[..., apart])
    assert any((one[..., 4] != two[..., 4]).any() for one, two in zip(before, after, strict=True))


# --------------------------------------------------------------------------- laws of the joints


def servo_potential(body: layout.Body, rate: Any) -> Any:
    p, k, bound, play = (lanes(body, name)[: N - 1] for name in ("jp", "jk", "bound", "play"))
    z = p - k * rate
    z = z - np.clip(z, -play, play)
    with np.errstate(invalid="ignore", divide="ignore"):
        return half_square_less_distance(z, bound) / k


def limit_potential(body: layout.Body, rate: Any) -> Any:
    j: Any = body.joints
    low, high = j.p - j.r * (rate - j.low), j.p - j.r * (rate - j.high)
    return 0.5 * (np.maximum(0.0, low) ** 2 + np.minimum(0.0, high) ** 2) / j.r


def joint_terms(body: layout.Body, law: str) -> tuple[Any, Any]:
    """Impulse and curvature of the joints."""
    body.blocks.joint_f = body.blocks.joint_c = 0.0
    if law == "servo":
        servo_terms(body.blocks, body.robot[0])
    else:
        limit_terms(body.blocks, body.joints)
    return lanes(body, "joint_f")[: N - 1], lanes(body, "joint_c")[: N - 1]


@pytest.mark.parametrize(
    ("law", "potential"), [("servo", servo_potential), ("limit", limit_potential)]
)
def test_law_of_a_joint_is_the_gradient_of_its_potential(law, potential):
    step, pieces = 1e-6, set()
    for seed in SEEDS:
        body = random_body(N, seed)
        rate = lanes(body, "rate_u")[: N - 1]
        acts = lanes(body, "jk")[: N - 1] > 0.0 if law == "servo" else np.ones(N - 1, bool)
        f, c = joint_terms(body, law)
        wanted = (potential(body, rate - step) - potential(body, rate + step)) / (2.0 * step)
        np.testing.assert_allclose(f[acts], wanted[acts], rtol=1e-6, atol=1e-8)
        fill(body, N - 1, rate_u=rate + step)
        ahead = joint_terms(body, law)[0]
        fill(body, N - 1, rate_u=rate - step)
        slope = (ahead - joint_terms(body, law)[0]) / (2.0 * step)
        np.testing.assert_allclose(c[acts], -slope[acts], rtol=1e-6, atol=1e-8)
        pieces |= set(zip(np.sign(f[acts]), c[acts] > 0.0, strict=True))
    # Both signs, with and without a slope, or at both limits and between them.
    assert len(pieces) >= (4 if law == "servo" else 3)


def elastic_potential(joint: Any, w: float, rate: float) -> float:
    """Rotor, spring and motor, minimised over the rotor's rate."""
    J, n, h = float(joint.rotor), float(joint.ratio), float(joint.h)

    def at(v: float) -> float:
        turning = 0.5 * J * (w - joint.w0 + n * (v - joint.psi_rate)) ** 2
        torque = joint.s0 - joint.s1 * v
        motor = h * half_square_less_distance(torque, joint.torque_limit) / joint.s1
        strain = rate - v
        return float(turning + motor + h * (joint.c0 * strain + 0.5 * joint.c1 * strain**2))

    if joint.spring == np.inf:
        turning = 0.5 * J * (w - joint.w0 + n * (rate - joint.psi_rate)) ** 2
        torque = joint.s0 - joint.s1 * rate
        return float(turning + h * half_square_less_distance(torque, joint.torque_limit) / joint.s1)
    return float(minimize_scalar(at, bracket=(-1.0, 1.0), tol=1e-12).fun)


@pytest.mark.parametrize("seed", SEEDS)
def test_series_elastic_joint_is_the_gradient_of_its_potential(seed):
    body, step = random_body(N, seed), 1e-3
    for j in body.rotors:
        joint: Any = body.joints[j]
        w, rate = lanes(body, "uw")[j], lanes(body, "rate_u")[j]
        aa, ab, bb, a, b = quadratic(joint, w, rate)
        sides = [
            [elastic_potential(joint, w + s, rate) for s in (step, -step)],
            [elastic_potential(joint, w, rate + s) for s in (step, -step)],
        ]
        wanted = [(up - down) / (2.0 * step) for up, down in sides]
        # Exact for a quadratic; near a kink off by half the step times the change of slope.
        close = DT * step * joint.s1 + 1e-9
        np.testing.assert_allclose((a, b), wanted, rtol=1e-6, atol=close)
        ahead, behind = quadratic(joint, w + 1e-7, rate), quadratic(joint, w - 1e-7, rate)
        by_w = (np.array(ahead[3:]) - behind[3:]) / 2e-7
        ahead, behind = quadratic(joint, w, rate + 1e-7), quadratic(joint, w, rate - 1e-7)
        by_rate = (np.array(ahead[3:]) - behind[3:]) / 2e-7
        found = [*by_w, *by_rate]
        np.testing.assert_allclose(found, [aa, ab, ab, bb], rtol=1e-4, atol=1e-8)


def test_square_of_a_series_elastic_joint_is_completed():
    """In the rate of the link behind and what counts of the joint's there is no mixed term."""
    body = random_body(N, 3)
    terms(body, "inertia")
    limits = joint_terms(body, "limit")
    ww, gw = lanes(body, "ww"), lanes(body, "gw")
    elastic_terms(body.blocks, body.joints, body.rotors)
    for j in body.rotors:
        aa, ab, bb, a, b = quadratic(body.joints[j], lanes(body, "uw")[j], lanes(body, "rate_u")[j])
        bb, b = bb + limits[1][j], b - limits[0][j]
        # s = rate + (1 - ratio) w of the sweep: 1/2 c s^2 - f s + 1/2 (ww) w^2 + gw w.
        give = 1.0 - lanes(body, "ratio")[j]
        c, f = lanes(body, "joint_c")[j], lanes(body, "joint_f")[j]
        more, pull = lanes(body, "ww")[j] - ww[j], lanes(body, "gw")[j] - gw[j]
        np.testing.assert_allclose((c, give * c, more + give**2 * c), (bb, ab, aa), rtol=1e-9)
        np.testing.assert_allclose((-f, pull - give * f), (b, a), rtol=1e-9, atol=1e-15)
