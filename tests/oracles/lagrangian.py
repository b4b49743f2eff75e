"""The Lagrangian of a chain with series-elastic joints, written out, and its derivatives.

Coordinates as in koopaee2020: q = (alpha, theta_N, p_x, p_z, beta). Derivatives by complex steps,
exact to rounding; the kinetic energy is quadratic in the rates, so the mass matrix is exact too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.complex128]
STEP = 1e-30


@dataclass(frozen=True)
class Lagrangian:
    links: int
    half: float
    mass: float
    inertia: float
    rotor_mass: float
    rotor_inertia: float
    ratio: float
    stiffness: float
    gravity: float

    def positions(self, q: Array) -> tuple[Array, Array, Array]:
        """Link angles; links' middles and hinges, complex numbers as points are of no use here."""
        n = self.links
        alpha, last = q[: n - 1], q[n - 1]
        theta = np.array([alpha[i:].sum() + last for i in range(n)])  # below (7)
        x, z = np.cos(theta), np.sin(theta)
        ends = [2 * self.half * np.array([x[:i].sum(), z[:i].sum()]) for i in range(n + 1)]
        middles = np.array([ends[i] + self.half * np.array([x[i], z[i]]) for i in range(n)])  # (2)
        shift = np.array([q[n], q[n + 1]]) - middles.mean(axis=0)
        return theta, middles + shift, np.array(ends[1:-1]).reshape(-1, 2) + shift  # (11)

    def kinetic(self, q: Array, u: Array) -> complex:
        """(19)(20), velocities by a complex step along u: only for real q and u."""
        ahead = self.positions(q + 1j * STEP * u)
        omega, v, v_rotor = (part.imag / STEP for part in ahead)
        spin = omega[:-1] - self.ratio * u[self.links + 2 :]  # (17)
        return 0.5 * float(
            self.mass * (v**2).sum()
            + self.inertia * (omega**2).sum()
            + self.rotor_mass * (v_rotor**2).sum()
            + self.rotor_inertia * (spin**2).sum()
        )

    def potential(self, q: Array) -> complex:
        """(21)(24)(26)."""
        n = self.links
        _, middles, hinges = self.positions(q)
        strain = q[n + 2 :] - q[: n - 1]
        height = self.mass * middles[:, 1].sum() + self.rotor_mass * hinges[:, 1].sum()
        return 0.5 * self.stiffness * (strain**2).sum() + self.gravity * height

    def mass_matrix(self, q: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Second derivative of the kinetic energy by its rates, by polarisation."""
        size = len(q)
        one = np.eye(size)
        single = [self.kinetic(q, e) for e in one]
        return np.array(
            [
                [self.kinetic(q, one[a] + one[b]) - single[a] - single[b] for b in range(size)]
                for a in range(size)
            ]
        )

    def bias(
        self, q: npt.NDArray[np.float64], u: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        """M_dot u - dT/dq + dV/dq; derivatives of M by extrapolated central differences."""
        one = np.eye(len(q))

        def along(direction: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            def central(h: float) -> npt.NDArray[np.float64]:
                ahead, behind = q + h * direction, q - h * direction
                return (self.mass_matrix(ahead) - self.mass_matrix(behind)) / (2 * h)

            a, b, c = (central(h) for h in (4e-2, 2e-2, 1e-2))
            first, second = (4 * b - a) / 3, (4 * c - b) / 3
            return (16 * second - first) / 15

        slope = np.array([u @ along(e) @ u for e in one])
        force = np.array([self.potential(q + 1j * STEP * e).imag / STEP for e in one])
        return along(u) @ u - 0.5 * slope + force
