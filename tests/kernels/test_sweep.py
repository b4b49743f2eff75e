"""The articulated-body sweep against dense algebra, and free motion against other engines."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import serpenoid as sp
from serpenoid.engine.assemble import pack_robot
from serpenoid.kernels import layout
from serpenoid.kernels.joint_laws import elastic_terms, joint_terms
from serpenoid.kernels.link_laws import link_terms
from serpenoid.kernels.newton import fold_chain, move, slope_along, unfold_chain
from serpenoid.kernels.sweep import minimiser
from tests.calling import called
from tests.oracles.chain import Chain
from tests.peers import mujoco_peer, pinocchio_peer

elastic_terms, joint_terms, link_terms, minimiser, fold_chain, move, slope_along, unfold_chain = (
    map(
        called,
        (
            elastic_terms,
            joint_terms,
            link_terms,
            minimiser,
            fold_chain,
            move,
            slope_along,
            unfold_chain,
        ),
    )
)

DT, STIFFNESS = 1e-3, 1e2


def random_chain(n: int, seed: int) -> Chain:
    random = np.random.default_rng(seed)
    lengths = random.uniform(0.05, 0.2, n)
    masses = random.uniform(0.1, 2.0, n)
    return Chain(lengths, masses, masses * lengths**2 * random.uniform(0.05, 0.2, n))


def random_problem(n: int, locked: float, seed: int):
    """Kernel records of a chain in the middle of a Newton iteration, everything in them random.

    Each link has a symmetric positive part H, a centre of mass off its middle, one pushing contact
    and dry friction; each joint a servo, or is series-elastic, or locked with the given
    probability.
    """
    random = np.random.default_rng(seed)
    chain = random_chain(n, seed)
    links = np.zeros(n, layout.LINK).view(np.recarray)
    joints = np.zeros(n - 1, layout.JOINT).view(np.recarray)
    contacts = np.zeros(n, layout.CONTACT).view(np.recarray)
    links.mass, links.inertia, links.half = chain.masses, chain.inertias, chain.lengths / 2
    off = links.half * random.uniform(-0.5, 0.5, n)
    links.back, links.front = links.half + off, links.half - off
    links.theta = random.uniform(-np.pi, np.pi, n)
    links.ex, links.ey = np.cos(links.theta), np.sin(links.theta)
    for name in ("ux", "uy", "uw", "dx", "dy", "dw"):
        links[name] = random.normal(size=n)
    links.hxx, links.hyy = chain.masses, chain.masses * random.uniform(1, 2, n)
    links.hxy = 0.3 * chain.masses * random.uniform(-1, 1, n)
    links.hww = chain.inertias
    links.hx, links.hy, links.hw = random.normal(size=(3, n))
    links.largest = links.forward = links.backward = links.side = 1e-2
    links.dry_r = STIFFNESS * links.mass / links.largest**2
    links.first, links.last = np.arange(n), np.arange(n) + 1
    angle = random.uniform(0, 2 * np.pi, n)
    contacts.nx, contacts.ny = np.cos(angle), np.sin(angle)
    contacts.ln, contacts.lt = random.uniform(-0.1, 0.1, (2, n))
    contacts.pn = random.choice([0.0, 1e3], n)
    contacts.mass, contacts.other = links.mass, -1
    contacts.friction, contacts.cap = 0.3, random.choice([0.0, 1e3], n)
    joints.s0, joints.s1 = random.normal(size=n - 1), random.uniform(0, 10, n - 1)
    joints.torque_limit, joints.lower, joints.upper = np.inf, -np.inf, np.inf
    elastic = np.where(random.random(n - 1) < 0.4, layout.ELASTIC, layout.SERVO)
    joints.actuator = np.where(random.random(n - 1) < locked, layout.PRESCRIBED, elastic)
    joints.spring = random.choice([5.0, np.inf], n - 1)
    joints.rotor, joints.ratio = random.uniform(1e-6, 1e-5, n - 1), random.uniform(1, 100, n - 1)
    joints.h, joints.c0, joints.c1 = DT, random.normal(size=n - 1), random.uniform(0, 5, n - 1)
    joints.w0, joints.psi_rate = random.normal(size=(2, n - 1))
    return chain, links, joints, contacts


def terms_of(links, joints, contacts):
    """Block-diagonal H, gradient g of all links and the joints' terms added, all dense."""
    n = len(links)
    H, g = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
    for i in range(n):
        xx, xy, yy, xw, yw, ww, *own = link_terms(links[i], contacts, STIFFNESS, False)
        H[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = [[xx, xy, xw], [xy, yy, yw], [xw, yw, ww]]
        g[3 * i : 3 * i + 3] = own
    for j in range(n - 1):
        s, w = np.zeros(3 * n), np.eye(3 * n)[3 * j + 2]
        s[3 * j + 5], s[3 * j + 2] = 1.0, -1.0
        if joints[j].actuator == layout.ELASTIC:
            aa, ab, bb, a, b = elastic_terms(joints[j], links[j].uw, links[j + 1].uw - links[j].uw)
            H += aa * np.outer(w, w) + ab * (np.outer(w, s) + np.outer(s, w)) + bb * np.outer(s, s)
            g += a * w + b * s
        elif joints[j].actuator != layout.PRESCRIBED:
            k, t = joint_terms(joints[j], links[j + 1].uw - links[j].uw, DT)
            H += k * np.outer(s, s)
            g += t * s
    return H, g


def dense_minimiser(chain, links, joints, H, g):
    """Minimiser of 1/2 d'Hd + g'd with closed hinges and no rate at locked joints."""
    n = len(links)
    locks = np.zeros((n - 1, 3 * n))
    for j in range(n - 1):
        locks[j, [3 * j + 5, 3 * j + 2]] = 1.0, -1.0
    hinges = chain.hinges(links.theta, links.back, links.front)
    C = np.vstack([hinges, locks[joints.actuator == layout.PRESCRIBED]])
    m = len(C)
    kkt = np.block([[H, C.T], [C, np.zeros((m, m))]])
    return np.linalg.solve(kkt, np.concatenate([-g, np.zeros(m)]))[: 3 * n].reshape(n, 3)


def step_of(links) -> np.ndarray:
    return np.stack([links.dx, links.dy, links.dw], axis=1)


@pytest.mark.parametrize("locked", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 27, 40])
def test_sweep_minimises_the_constrained_quadratic(n, locked):
    for seed in range(5):
        chain, links, joints, contacts = random_problem(n, locked, seed)
        before = step_of(links)
        H, g = terms_of(links, joints, contacts)
        wanted = dense_minimiser(chain, links, joints, H, g)
        root, slope_before = fold_chain(links, joints, contacts, DT, STIFFNESS, False)
        middle = links[n // 2]
        middle.dx, middle.dy, middle.dw = minimiser(root)
        size, slope = unfold_chain(links, joints)
        step = step_of(links)
        # The dense system's condition number is some 1e6 at most; 1e-9 leaves room for it.
        np.testing.assert_allclose(step, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
        # Locked joints do no work, so the gradient there is not in the slope.
        free = step.ravel() @ g
        assert slope == pytest.approx(free, rel=1e-9)
        reach = np.abs(step * np.stack([np.ones(n), np.ones(n), links.half], axis=1))
        assert size == pytest.approx(reach.max(), rel=1e-14)
        assert slope_before == pytest.approx(
            before.ravel() @ g, rel=1e-9, abs=1e-9 * np.abs(before.ravel() * g).max()
        )
        assert slope < 0.0


@pytest.mark.parametrize("seed", range(10))
def test_objective_is_convex_along_random_lines(seed):
    """Links, joints, contacts and contact friction together: the slope never falls."""
    _, links, joints, contacts = random_problem(9, 0.2, seed)
    random = np.random.default_rng(seed)
    contacts.cap = random.uniform(0, 0.1, 9)
    contacts.pn = random.uniform(-0.1, 0.1, 9)
    links.forward, links.backward, links.side = random.uniform(1e-3, 1e-2, (3, 9))
    joints.torque_limit, joints.deadband = 0.5, 0.1
    joints.kp = 10.0
    joints.lower, joints.upper, joints.low, joints.high = -1.0, 1.0, -0.5, 0.5
    joints.r = 1.0
    robot = sp.Robot.uniform(9, length=0.1, mass=0.1, radius=0.01)
    body = pack_robot(robot)._replace(bodies=links, links=links, joints=joints, contacts=contacts)
    slopes = [slope_along(body, DT, STIFFNESS, False)]
    for _ in range(200):
        move(links, 0.01)
        slopes.append(slope_along(body, DT, STIFFNESS, False))
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
