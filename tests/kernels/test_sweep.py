"""The articulated-body sweep against dense algebra, and free motion against other engines."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.kernels import layout
from serpenoid.kernels.laws import (
    contact_friction,
    contact_normal,
    ground,
    inertia,
    joint_limit,
    series_elastic,
    servo,
)
from serpenoid.kernels.newton import assemble, newton_step, slope_along, take_step
from tests.calling import called
from tests.kernels.lane_problems import FALL, STIFFNESS, lanes, random_body
from tests.oracles.chain import Chain
from tests.peers import mujoco_peer, pinocchio_peer

assemble, newton_step, slope_along, take_step = map(
    called, (assemble, newton_step, slope_along, take_step)
)
LANE_TERMS = ("xx", "xy", "yy", "xw", "yw", "ww", "gx", "gy", "gw")
quadratic = called(series_elastic.quadratic)
terms_of = {
    law: called(law.terms)
    for law in (
        *(inertia, ground, contact_normal, contact_friction),
        *(servo, joint_limit),
    )
}


def random_chain(n: int, seed: int) -> Chain:
    random = np.random.default_rng(seed)
    lengths = random.uniform(0.05, 0.2, n)
    masses = random.uniform(0.1, 2.0, n)
    return Chain(lengths, masses, masses * lengths**2 * random.uniform(0.05, 0.2, n))


def dense_terms(body: layout.Body) -> tuple[np.ndarray, np.ndarray]:
    """Matrix H and gradient g of all laws at u, (3 n, 3 n) and (3 n,)."""
    blocks, robot, n = body.blocks, body.robot[0], len(body.links)
    rows = body.contacts[: body.counts[0]]
    terms_of[inertia](blocks, *FALL)
    terms_of[ground](blocks, robot, body.supports, False)
    terms_of[contact_normal](blocks, rows, STIFFNESS, False)
    terms_of[contact_friction](blocks, rows, STIFFNESS, False)
    terms_of[servo](blocks, robot)
    terms_of[joint_limit](blocks, body.joints)
    H, g = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
    for i in range(n):
        at = {name: lanes(body, name)[i] for name in LANE_TERMS}
        H[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = [
            [at["xx"], at["xy"], at["xw"]],
            [at["xy"], at["yy"], at["yw"]],
            [at["xw"], at["yw"], at["ww"]],
        ]
        g[3 * i : 3 * i + 3] = at["gx"], at["gy"], at["gw"]
    for j in range(n - 1):
        s, w = np.zeros(3 * n), np.eye(3 * n)[3 * j + 2]
        s[3 * j + 5], s[3 * j + 2] = 1.0, -1.0
        H += lanes(body, "joint_c")[j] * np.outer(s, s)
        g -= lanes(body, "joint_f")[j] * s
        if j in body.rotors:
            rates = lanes(body, "uw")[j], lanes(body, "rate_u")[j]
            aa, ab, bb, a, b = quadratic(body.joints[j], *rates)
            H += aa * np.outer(w, w) + ab * (np.outer(w, s) + np.outer(s, w)) + bb * np.outer(s, s)
            g += a * w + b * s
    return H, g


def dense_minimiser(body: layout.Body, H: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Minimiser of 1/2 d'Hd + g'd with closed hinges and no rate at locked joints, (n, 3)."""
    n, joints = len(body.links), body.joints
    chain = Chain(np.ones(n), np.ones(n), np.ones(n))
    locks = np.zeros((n - 1, 3 * n))
    for j in range(n - 1):
        locks[j, [3 * j + 5, 3 * j + 2]] = 1.0, -1.0
    hinges = chain.hinges(*(lanes(body, name)[:n] for name in ("mid", "back", "front")))
    C = np.vstack([hinges, locks[joints.actuator == layout.PRESCRIBED]])
    m = len(C)
    kkt = np.block([[H, C.T], [C, np.zeros((m, m))]])
    return np.linalg.solve(kkt, np.concatenate([-g, np.zeros(m)]))[: 3 * n].reshape(n, 3)


def motion(body: layout.Body, names: str) -> np.ndarray:
    return np.stack([lanes(body, name)[: len(body.links)] for name in names.split()], axis=1)


@pytest.mark.parametrize("locked", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 13, 17, 27, 40])
def test_sweep_minimises_the_constrained_quadratic(n, locked):
    for seed in range(5):
        body = random_body(n, seed, locked)
        before, u = motion(body, "dx dy dw"), motion(body, "ux uy uw")
        H, g = dense_terms(body)
        wanted = dense_minimiser(body, H, g)
        assemble(body, FALL, STIFFNESS, False)
        slope = slope_along(body.blocks, body.robot[0])
        close = 1e-9 * np.abs(before.ravel() * g).max()
        assert slope == pytest.approx(before.ravel() @ g, rel=1e-9, abs=close)
        assert newton_step(body) == layout.DONE
        step = motion(body, "dx dy dw")
        # The dense system's condition number is some 1e6 at most; 1e-9 leaves room for it.
        np.testing.assert_allclose(step, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
        np.testing.assert_array_equal(motion(body, "ux uy uw"), u + step)
        rates = lanes(body, "drate")[: n - 1]
        np.testing.assert_allclose(rates, np.diff(step[:, 2]), rtol=0, atol=1e-13)
        assert not rates[body.joints.actuator == layout.PRESCRIBED].any()
        # Locked joints do no work, so the gradient there is not in the slope.
        slope = slope_along(body.blocks, body.robot[0])
        assert slope == pytest.approx(step.ravel() @ g, rel=1e-9)
        assert slope < 0.0


@pytest.mark.parametrize("seed", range(10))
def test_objective_is_convex_along_random_lines(seed):
    """All laws of links and joints, contacts and contact friction together: no slope falls."""
    body = random_body(9, seed, 0.2)
    rows: Any = body.contacts[:9]
    random = np.random.default_rng(seed)
    rows.cap, rows.pn = random.uniform(0, 200, 9), 30.0 * random.normal(size=9)
    slopes = []
    for _ in range(200):
        assemble(body, FALL, STIFFNESS, False)
        slopes.append(slope_along(body.blocks, body.robot[0]))
        take_step(body.blocks, 0.01)
    rise = np.diff(slopes)
    assert rise.min() >= -1e-12 * np.abs(slopes).max()
    # The test would see nothing if the pieces of the laws never changed along the line.
    assert np.ptp(rise) > 1e-3 * rise.max()


# ------------------------------------------------------------------------------- free motion


def random_motion(n: int, seed: int):
    random = np.random.default_rng(100 + seed)
    q = np.concatenate([random.normal(size=3), random.uniform(-2, 2, n - 1)])
    u = random.normal(size=n + 2)
    tau = np.concatenate([np.zeros(3), random.normal(size=n - 1)])
    return q, u, tau


@pytest.mark.parametrize("peer", [mujoco_peer, pinocchio_peer], ids=["mujoco", "pinocchio"])
@pytest.mark.parametrize("n", [1, 2, 3, 6, 11, 25])
def test_oracle_agrees_with_peers(n, peer):
    """Mass matrix, bias and forward dynamics to 1e-9 of their own size."""
    for seed in range(3):
        chain = random_chain(n, seed)
        q, u, tau = random_motion(n, seed)
        M, h, acceleration = peer.free_chain_dynamics(
            chain.lengths, chain.masses, chain.inertias, q, u, tau
        )
        for ours, theirs in (
            (chain.mass_matrix(q), M),
            (chain.bias(q, u), h),
            (chain.acceleration(q, u, tau), acceleration),
        ):
            close = 1e-9 * np.abs(theirs).max() + 1e-12
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=close)


class Constant:
    """The same joint torques for ever."""

    def __init__(self, torque: np.ndarray, period: float) -> None:
        self.torque, self.period = torque, period

    def command(self, _observation: sp.Observation) -> sp.Command:
        return sp.Command(torque=self.torque)


def engine_acceleration(chain: Chain, q, u, tau, dt: float) -> np.ndarray:
    """(n, 3): change of the link velocities in one step of the engine, over dt."""
    n = len(chain.lengths)
    robot = sp.Robot.uniform(
        n,
        length=chain.lengths,
        mass=chain.masses,
        inertia=chain.inertias,
        radius=0.02,
        actuator=sp.Torque(),
        self_contact=False,
    )
    mean = chain.masses / chain.masses.sum()
    velocity = chain.jacobian(q) @ u
    start = sp.Start(
        heading_deg=np.degrees(chain.angles(q).mean()),
        joint_angles_deg=np.degrees(q[3:]),
        velocity=tuple(mean @ velocity[:, :2]),
        spin_deg=np.degrees(velocity[:, 2].mean()),
        joint_rates_deg=np.degrees(u[3:]),
    )
    run = sp.simulate(
        robot,
        sp.World(),
        Constant(tau[3:], dt),
        dt,
        start=start,
        time_step=dt,
        record_period=dt,
    )
    for name, wanted in zip(("vx", "vy", "omega"), velocity.T, strict=True):
        np.testing.assert_allclose(run.columns[name][0], wanted, atol=1e-12)
    return run.state.acceleration


@pytest.mark.parametrize("peer", [mujoco_peer, pinocchio_peer], ids=["mujoco", "pinocchio"])
@pytest.mark.parametrize("n", [1, 2, 3, 6, 11, 25])
def test_engine_accelerates_as_peers_do(n, peer):
    """One step, extrapolated to dt = 0 from five sizes of it (Richardson), to 1e-9."""
    chain = random_chain(n, n)
    q, u, tau = random_motion(n, n)
    theirs = peer.free_chain_dynamics(chain.lengths, chain.masses, chain.inertias, q, u, tau)[2]
    wanted = chain.jacobian(q) @ theirs + chain.jacobian_rate_times_velocity(q, u)
    table = [engine_acceleration(chain, q, u, tau, 1e-3 / 2**k) for k in range(5)]
    for order in range(1, 5):
        table = [
            (2**order * fine - coarse) / (2**order - 1)
            for coarse, fine in itertools.pairwise(table)
        ]
    close = 1e-9 * np.abs(wanted).max() + 1e-12
    np.testing.assert_allclose(table[0], wanted, rtol=0, atol=close)
