"""Best inputs for pushing: exact, or between a value that is reached and a bound.

Torques are allowed if tau' E tau <= 1, E = B' M^-1 B [reyes2017 (31)]. Without a limit on the
wheels everything is linear in the torques, up to the sign that makes the contact push, so extremes
are generalised eigenvalues; those of rank-one operators have a closed form. With a limit, each
combination of wheels that hold or slide is a convex problem, and all combinations are solved.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.pushing.projection import inverse, matvec
from serpenoid.analysis.pushing.system import System
from serpenoid.errors import InvalidInput
from serpenoid.kernels._jit import announce_compilation
from serpenoid.kernels.layout import Floats
from serpenoid.methods.barrier import TOLERANCE
from serpenoid.methods.push_search import BestPush, best_inputs, make_search

# There are 3 to the power of this combinations of wheels that slide.
MOST_WHEELS = 10
# Inputs that cause less than this share of the motion cause none.
_NO_MOTION = 1e-11


@dataclass(frozen=True, eq=False)
class Extremes:
    """Largest values that allowed inputs reach in every shape, and upper bounds of them.

    Where everything is linear, the bounds are the values themselves.

    Attributes:
        load_norm: Largest squared acceleration of the load, weighted with inertia, (...).
        load_norm_bound: Upper bound of it, (...).
        load_torque: Torques that reach it, (..., n-1), N m.
        slippage_ratio: Largest slippage ratio, (...).
        slippage_ratio_bound: Upper bound of it, (...).
        slippage_torque: Torques that reach it, (..., n-1), N m.
        force_norm: Largest norm of the constraint forces, (...).
        force_norm_bound: Upper bound of it, (...).
        force_torque: Torques that reach it, (..., n-1), N m.
    """

    load_norm: Floats
    load_norm_bound: Floats
    load_torque: Floats
    slippage_ratio: Floats
    slippage_ratio_bound: Floats
    slippage_torque: Floats
    force_norm: Floats
    force_norm_bound: Floats
    force_torque: Floats

    @property
    def gap(self) -> float:
        """Largest relative distance between value and bound, except for the force norm."""
        pairs = (
            (self.load_norm, self.load_norm_bound),
            (self.slippage_ratio, self.slippage_ratio_bound),
        )
        gaps = [(bound - value) / np.where(bound > 0, bound, 1.0) for value, bound in pairs]
        return float(np.max(gaps, initial=0.0))

    def reshaped(self, shape: tuple[int, ...]) -> Extremes:
        """The same values with other leading dimensions.

        Args:
            shape: Leading dimensions.

        Returns:
            The reshaped values.
        """
        return Extremes(**{k: v.reshape(shape + v.shape[1:]) for k, v in vars(self).items()})


def linear_extremes(system: System, compliance: float) -> Extremes:
    """Extremes while contact and wheels hold.

    Args:
        system: Equations of motion, with one leading axis.
        compliance: Acceleration of the load's contact point over the force there, 1/kg.

    Returns:
        The extremes, with one leading axis.
    """
    white = _whitening(system.power)
    forces = -inverse(system.metric) @ system.free @ white
    push = forces[:, 0]
    # With motion = L' qdd and M = L L', the robot's norm is a sum of squares, and the contact
    # force a row times the motion.
    factor = np.linalg.cholesky(system.mass)
    moved = system.inputs @ white - np.swapaxes(system.jacobian, 1, 2) @ forces
    left, size, right = np.linalg.svd(np.linalg.solve(factor, moved), full_matrices=False)
    row = np.linalg.solve(factor, system.jacobian[:, 0, :, None])[..., 0] / compliance
    moving = size > _NO_MOTION
    along = np.where(moving, matvec(np.swapaxes(left, 1, 2), row), 0.0)
    ratio = compliance * (along**2).sum(axis=1)
    slow = matvec(np.swapaxes(right, 1, 2), along / np.where(moving, size, 1.0))
    norms, directions = np.linalg.eigh(np.swapaxes(forces, 1, 2) @ system.metric @ forces)
    strong = directions[..., -1]
    # Of both signs, the one that makes the contact push.
    strong = np.where((strong * push).sum(axis=1, keepdims=True) < 0, -strong, strong)
    load_norm = compliance * (push**2).sum(axis=1)
    sr = ratio / (1 + ratio)
    return Extremes(
        load_norm=load_norm,
        load_norm_bound=load_norm,
        load_torque=matvec(white, _unit(push)),
        slippage_ratio=sr,
        slippage_ratio_bound=sr,
        slippage_torque=matvec(white, _unit(slow)),
        force_norm=norms[:, -1],
        force_norm_bound=norms[:, -1],
        force_torque=matvec(white, strong),
    )


def limited_extremes(
    system: System, compliance: float, limits: Floats, holding: Extremes
) -> Extremes:
    """Extremes with wheels that may slide.

    Args:
        system: Equations of motion, with one leading axis.
        compliance: Acceleration of the load's contact point over the force there, 1/kg.
        limits: Largest force of the contact, which is infinite, and of the wheels, (c,), N.
        holding: Extremes with ideal wheels.

    Returns:
        The extremes, with one leading axis.

    Raises:
        InvalidInput: There are more than MOST_WHEELS wheels.
    """
    count = len(limits) - 1
    if count > MOST_WHEELS:
        raise InvalidInput(
            f"{count} wheels with a limit are not allowed: the search takes 3 cases for each, for "
            f"at most {MOST_WHEELS} wheels; lift some, or take ideal wheels"
        )
    white = _whitening(system.power)
    free = np.ascontiguousarray(system.free @ white)
    forces = matvec(-inverse(system.metric) @ system.free, holding.slippage_torque)
    with np.errstate(divide="ignore"):
        room = (limits[1:] / np.abs(forces[:, 1:])).min(axis=1).clip(max=1.0)
    back = np.swapaxes(np.linalg.cholesky(system.power), 1, 2)
    inputs = room[:, None] * matvec(back, holding.slippage_torque)
    ratio = holding.slippage_ratio / (1 - holding.slippage_ratio) / compliance
    shapes, _, joints = free.shape
    best = BestPush(
        force=np.zeros(shapes),
        force_bound=np.zeros(shapes),
        force_input=np.zeros((shapes, joints)),
        ratio=ratio.copy(),
        ratio_bound=ratio.copy(),
        ratio_input=inputs,
    )
    metric = np.ascontiguousarray(system.metric)
    search = make_search(count + 1, joints)
    announce_compilation(best_inputs, "half a minute")
    best_inputs(metric, free, compliance, limits, search, best)
    # Bounds are known to the tolerance that problems are solved to, and no better.
    force_bound = np.maximum(best.force_bound, (1 + TOLERANCE) * best.force)
    ratio_bound = np.maximum(best.ratio_bound, (1 + TOLERANCE) * best.ratio)
    reached, at_most = (compliance * ratio for ratio in (best.ratio, ratio_bound))
    return dataclasses.replace(
        holding,
        load_norm=compliance * best.force**2,
        load_norm_bound=compliance * force_bound**2,
        load_torque=matvec(white, best.force_input),
        slippage_ratio=reached / (1 + reached),
        slippage_ratio_bound=at_most / (1 + at_most),
        slippage_torque=matvec(white, best.ratio_input),
    )


def _whitening(power: Floats) -> Floats:
    """W with tau = W z and tau' E tau = z' z, (k, n-1, n-1)."""
    factor = np.linalg.cholesky(power)
    white: Floats = np.swapaxes(np.linalg.inv(factor), 1, 2)
    return white


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = vectors / np.where(size > 0, size, 1.0)
    return unit
