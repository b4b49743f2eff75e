"""Motion under constraints, by projection [reyes2017 (12)-(19)].

A system with inertia I and constraints A a + drift = 0 is moved by forces f against a bias p:
I a + p = f + A' lambda. The metric tensor of the constraints is G = A I^-1 A'.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats

# A constraint counts as dependent if what the others leave of it is smaller than this share.
DEPENDENT = 1e-12


@dataclass(frozen=True, eq=False)
class Projection:
    """Split of forces into what constraints take and what moves the system.

    The motion does not depend on redundant constraints; of all constraint forces that cause it,
    those with the least sum of squares are taken.

    Attributes:
        inertia: Mass matrix, (n, n).
        constraints: Constraint matrix A, (c, n).
        metric: Metric tensor G = A I^-1 A', (c, c).
        onto: Projection of forces onto the space of constraints, (c, n), A' from the left
            [reyes2017 (14)]; onto A' is the identity unless constraints depend on each other.
        beside: Projection of forces onto its orthogonal complement, (n, n) [(19)].
        dependent: Constraints that depend on those before them.
    """

    inertia: Floats
    constraints: Floats
    metric: Floats
    onto: Floats
    beside: Floats
    dependent: tuple[int, ...]

    def forces(
        self, force: npt.ArrayLike, bias: npt.ArrayLike = 0.0, drift: npt.ArrayLike = 0.0
    ) -> Floats:
        """Constraint forces lambda [reyes2017 (16)].

        Args:
            force: Forces f, (n,).
            bias: Bias p, (n,).
            drift: dA/dt v, which A a must cancel, (c,).

        Returns:
            Constraint forces, (c,).
        """
        closing = inverse(self.metric) @ np.broadcast_to(drift, len(self.metric))
        forces: Floats = self.onto @ np.subtract(bias, force) - closing
        return forces

    def accelerations(
        self, force: npt.ArrayLike, bias: npt.ArrayLike = 0.0, drift: npt.ArrayLike = 0.0
    ) -> Floats:
        """Accelerations a [reyes2017 (18)].

        Args:
            force: Forces f, (n,).
            bias: Bias p, (n,).
            drift: dA/dt v, which A a must cancel, (c,).

        Returns:
            Accelerations, (n,).
        """
        total = np.subtract(force, bias) + self.constraints.T @ self.forces(force, bias, drift)
        motion: Floats = np.linalg.solve(self.inertia, total)
        return motion


def project(inertia: npt.ArrayLike, constraints: npt.ArrayLike) -> Projection:
    """Set up the projection onto the constraints of any system.

    Args:
        inertia: Mass matrix, symmetric and positive definite, (n, n).
        constraints: Constraint matrix A, (c, n).

    Returns:
        The projection.

    Raises:
        InvalidInput: The shapes do not fit, or the mass matrix is not positive definite.
    """
    inertia, constraints = np.asarray(inertia, dtype=float), np.asarray(constraints, dtype=float)
    if constraints.ndim != 2 or inertia.shape != (constraints.shape[1],) * 2:
        raise InvalidInput(
            f"constraints of shape {constraints.shape} are not allowed: an inertia of shape "
            f"{inertia.shape} needs as many columns as it has rows"
        )
    if not np.allclose(inertia, inertia.T) or not np.linalg.eigvalsh(inertia).min() > 0:
        raise InvalidInput("inertia is not allowed: it must be symmetric and positive definite")
    by_force = np.linalg.solve(inertia, constraints.T).T
    metric = constraints @ by_force.T
    onto = inverse(metric) @ by_force
    beside = np.eye(len(inertia)) - constraints.T @ onto
    return Projection(inertia, constraints, metric, onto, beside, dependent_rows(metric))


def dependent_rows(metric: Floats) -> tuple[int, ...]:
    """Constraints that depend on those before them.

    Args:
        metric: Metric tensor, (c, c).

    Returns:
        Their indices.
    """
    left = np.array(metric)
    found = []
    for row in range(len(left)):
        if left[row, row] <= DEPENDENT * metric[row, row]:
            found.append(row)
            continue
        left = left - np.outer(left[:, row], left[row]) / left[row, row]
    return tuple(found)


def are_dependent(metric: Floats) -> npt.NDArray[np.bool_]:
    """Whether constraints depend on each other, for metric tensors (..., c, c)."""
    size = 1 / np.sqrt(np.einsum("...ii->...i", metric))
    least: Floats = np.linalg.eigvalsh(metric * size[..., None] * size[..., None, :])[..., 0]
    return least <= DEPENDENT


def inverse(metric: Floats) -> Floats:
    """Inverses (..., c, c) of metric tensors; the pseudoinverse where constraints are dependent."""
    if metric.size and are_dependent(metric).any():
        found = np.linalg.pinv(metric, rcond=DEPENDENT, hermitian=True)
    else:
        found = np.linalg.inv(metric)
    return np.asarray(found, dtype=np.float64)


def matvec(matrix: Floats, vector: Floats) -> Floats:
    """Matrices times vectors, (..., c); one matrix for many vectors takes one product."""
    product: Floats
    product = vector @ matrix.T if matrix.ndim == 2 else (matrix @ vector[..., None])[..., 0]
    return product
