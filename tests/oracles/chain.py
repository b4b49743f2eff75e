"""Equations of motion of the free planar chain, written out densely.

Coordinates as the peers have them: q = (x, y of the tail link's centre, its angle, joint angles);
M(q) u_dot + h(q, u) = tau. Link 0 is the tail, phi_j = theta_{j+1} - theta_j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Chain:
    """Lengths (m), masses (kg), moments of inertia (kg m2) of the links."""

    lengths: Array
    masses: Array
    inertias: Array

    def angles(self, q: Array) -> Array:
        """Link angles, rad; with u in place of q, link rates, rad/s."""
        return np.cumsum(q[2:])

    def jacobian(self, q: Array) -> Array:
        """(n, 3, n + 2): velocity (vx, vy, omega) of every link per unit of each coordinate."""
        n = len(self.lengths)
        theta = self.angles(q)
        across = np.stack([-np.sin(theta), np.cos(theta)], axis=1)
        return self._stack(across, n)

    def jacobian_rate_times_velocity(self, q: Array, u: Array) -> Array:
        """(n, 3): J_dot u, the centripetal acceleration of every link's centre."""
        theta, omega = self.angles(q), self.angles(u)
        turning = -omega[:, None] * np.stack([np.cos(theta), np.sin(theta)], axis=1)
        rate = self._stack(turning, len(self.lengths))
        rate[:, :, :2] = 0.0
        rate[:, 2] = 0.0
        return rate @ u

    def _stack(self, across: Array, n: int) -> Array:
        """Sum of the levers from the tail link's centre to each centre, per coordinate."""
        jacobian = np.zeros((n, 3, n + 2))
        jacobian[:, 0, 0] = jacobian[:, 1, 1] = 1.0
        for i in range(n):
            # Link k turns with coordinates 2 .. 2 + k; centre i sees half of 0 and i, all between.
            for k in range(i + 1):
                if i > 0:
                    reach = self.lengths[k] * (0.5 if k in (0, i) else 1.0)
                    jacobian[i, :2, 2 : 3 + k] += reach * across[k][:, None]
                jacobian[i, 2, 2 + k] = 1.0
        return jacobian

    def mass_matrix(self, q: Array) -> Array:
        """M(q)."""
        weights = np.stack([self.masses, self.masses, self.inertias], axis=1)
        jacobian = self.jacobian(q)
        return np.einsum("ika,ik,ikb->ab", jacobian, weights, jacobian)

    def bias(self, q: Array, u: Array) -> Array:
        """h(q, u)."""
        weights = np.stack([self.masses, self.masses, self.inertias], axis=1)
        centripetal = self.jacobian_rate_times_velocity(q, u)
        return np.einsum("ika,ik,ik->a", self.jacobian(q), weights, centripetal)

    def acceleration(self, q: Array, u: Array, tau: Array) -> Array:
        """u_dot."""
        return np.linalg.solve(self.mass_matrix(q), tau - self.bias(q, u))

    def hinges(self, theta: Array, back: Array | None = None, front: Array | None = None) -> Array:
        """(2(n-1), 3n): rows of hinge closure on the stacked link velocities.

        back, front: from where the velocities are taken to the hinges; half the length by default.
        """
        n = len(theta)
        rows = np.zeros((2 * (n - 1), 3 * n))
        ex, ey = np.cos(theta), np.sin(theta)
        back = self.lengths / 2 if back is None else back
        front = self.lengths / 2 if front is None else front
        for j in range(n - 1):
            # Hinge velocity seen from the link ahead minus that seen from the link behind.
            rows[2 * j, [3 * j + 3, 3 * j + 5]] = 1.0, back[j + 1] * ey[j + 1]
            rows[2 * j, [3 * j, 3 * j + 2]] = -1.0, front[j] * ey[j]
            rows[2 * j + 1, [3 * j + 4, 3 * j + 5]] = 1.0, -back[j + 1] * ex[j + 1]
            rows[2 * j + 1, [3 * j + 1, 3 * j + 2]] = -1.0, -front[j] * ex[j]
        return rows
