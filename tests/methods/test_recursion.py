"""The spatial recursion against Pinocchio, on chains of all kinds, in the plane and in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import pytest

from serpenoid.kernels import layout
from serpenoid.methods.spatial_recursion import (
    energies,
    forward_dynamics,
    inverse_dynamics,
    newton_euler,
)
from serpenoid.methods.spatial_vectors import make_chain
from tests.calling import called
from tests.peers import pinocchio_peer

newton_euler = called(newton_euler)

# Relative to the largest value: rounding, times the condition of the mass matrix.
CLOSE = 1e-9
CHAINS = range(200)


@dataclass
class Case:
    """A chain in some state, for us and for Pinocchio."""

    chain: layout.Spatial
    model: pin.Model
    v: np.ndarray  # angular over linear, in the axes of the tail link
    theta: float
    friction: list[pin.Force]  # on each joint of the model


def make(seed: int, *, friction: bool, in_space: bool = False) -> Case:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 21))
    length, mass = rng.uniform(0.05, 0.5, n), rng.uniform(0.1, 3.0, n)
    central = mass * length**2 * rng.uniform(0.03, 0.3, n)
    scale = float(friction)
    along, across = scale * rng.uniform(0, 3, n), scale * rng.uniform(0, 20, n)
    turning = scale * rng.uniform(0, 0.1, n)
    chain = make_chain(
        length=length, mass=mass, central=central, along=along, across=across, turning=turning
    )
    chain.angle[:], chain.rate[:] = rng.uniform(-3, 3, n - 1), rng.normal(0, 2, n - 1)
    chain.acceleration[:] = rng.normal(0, 5, n - 1)
    chain.torque[:] = rng.normal(0, 2, n - 1)
    v = rng.normal(0, 2, 6)
    if not in_space:
        v[[0, 1, 5]] = 0.0
    model = pinocchio_peer.free_chain(length, mass, central, from_tail=True, in_space=in_space)
    # The friction of the paper, written out in the plane: force in link axes, moment at tail end.
    forces = [pin.Force.Zero() for _ in range(model.njoints)]
    vx, vy, w = v[3], v[4], v[2]
    for k in range(n if friction else 0):
        if k > 0:
            vy += length[k - 1] * w
            c, s = np.cos(chain.angle[k - 1]), np.sin(chain.angle[k - 1])
            vx, vy, w = c * vx + s * vy, c * vy - s * vx, w + chain.rate[k - 1]
        push, side = -along[k] * vx, -across[k] * (vy + length[k] / 2 * w)
        moment = -turning[k] * w + length[k] / 2 * side
        at_origin = np.array([push, side, 0]), np.array([0, 0, moment])
        forces[3 + k] = pin.Force(*at_origin)
    return Case(chain, model, v, float(rng.uniform(-3, 3)), forces)


def plane(case: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, u of Pinocchio, and the turn from link axes to the ground's."""
    c, s = np.cos(case.theta), np.sin(case.theta)
    turn = np.array([[c, -s], [s, c]])
    q = np.concatenate([[0.3, -0.2, case.theta], case.chain.angle])
    u = np.concatenate([turn @ case.v[3:5], case.v[2:3], case.chain.rate])
    return q, u, turn


def assert_close(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=CLOSE * (1 + np.abs(wanted).max()))


@pytest.mark.parametrize("friction", [False, True])
def test_newton_euler_is_rnea(friction):
    for seed in CHAINS:
        case = make(seed, friction=friction)
        q, u, turn = plane(case)
        base = np.random.default_rng(seed).normal(0, 5, 3)
        acceleration = np.concatenate([base, case.chain.acceleration])
        data = case.model.createData()
        wanted = pin.rnea(case.model, data, q, u, acceleration, case.friction)
        own = turn.T @ base[:2]
        newton_euler(case.chain, tuple(case.v), (0.0, 0.0, base[2], own[0], own[1], 0.0))
        wrench = case.chain.F[0]
        force = turn @ wrench[3:5]
        assert_close(np.concatenate([force, wrench[2:3], case.chain.torque]), wanted)
        np.testing.assert_array_equal(wrench[[0, 1, 5]], 0.0)


@pytest.mark.parametrize("friction", [False, True])
def test_inverse_dynamics_of_a_free_base_leaves_rnea_without_a_base_wrench(friction):
    for seed in CHAINS:
        case = make(seed, friction=friction)
        q, u, turn = plane(case)
        A = np.array(inverse_dynamics(case.chain, tuple(case.v)))
        acceleration = np.concatenate([turn @ A[3:5], A[2:3], case.chain.acceleration])
        data = case.model.createData()
        wanted = pin.rnea(case.model, data, q, u, acceleration, case.friction)
        assert_close(np.concatenate([np.zeros(3), case.chain.torque]), wanted)
        np.testing.assert_array_equal(A[[0, 1, 5]], 0.0)
        kinetic, loss = energies(case.chain)
        assert kinetic == pytest.approx(pin.computeKineticEnergy(case.model, data, q, u), rel=1e-12)
        power = sum(
            force.linear @ data.v[k].linear + force.angular @ data.v[k].angular
            for k, force in enumerate(case.friction)
        )
        assert loss == pytest.approx(-power, rel=1e-12)


@pytest.mark.parametrize("friction", [False, True])
def test_forward_dynamics_is_aba(friction):
    for seed in CHAINS:
        case = make(seed, friction=friction)
        q, u, turn = plane(case)
        torque = np.concatenate([np.zeros(3), case.chain.torque])
        wanted = pin.aba(case.model, case.model.createData(), q, u, torque, case.friction)
        A = np.array(forward_dynamics(case.chain, tuple(case.v)))
        found = np.concatenate([turn @ A[3:5], A[2:3], case.chain.acceleration])
        assert_close(found, wanted)


def test_the_recursion_holds_in_space():
    """The tail link moves and turns any way; then axes turn, and all six equations count."""
    for seed in CHAINS:
        case = make(seed, friction=False, in_space=True)
        q = np.concatenate([[0, 0, 0, 0, 0, 0, 1], case.chain.angle])
        u = np.concatenate([case.v[3:], case.v[:3], case.chain.rate])
        torque = np.concatenate([np.zeros(6), case.chain.torque])
        wanted = pin.aba(case.model, case.model.createData(), q, u, torque)
        A = np.array(forward_dynamics(case.chain, tuple(case.v)))
        # Pinocchio's is the rate of change of the velocity as the moving axes have it.
        linear = A[3:] - np.cross(case.v[:3], case.v[3:])
        assert_close(np.concatenate([linear, A[:3], case.chain.acceleration]), wanted)
        # And back: the same accelerations need the same torques.
        given = case.chain.torque.copy()
        again = np.array(inverse_dynamics(case.chain, tuple(case.v)))
        assert_close(case.chain.torque, given)
        assert_close(again, A)
