"""The common test case of the peers: Aiko on seven pegs, in plain arrays and SI units.

Link 0 is the tail and every link's x axis points to the head; joint j sits between links
j and j+1 with phi_j = theta_{j+1} - theta_j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

GRAVITY = 9.81
"""Gravitational acceleration, m/s^2."""

REFERENCE_TIME: Array = np.arange(10.0)
"""Instants of the reference answer, s."""

REFERENCE_X: Array = np.array(
    [0.38, 0.48678, 0.66646, 0.82441, 0.98888, 1.14986, 1.30662, 1.48109, 1.62885, 1.81090]
)
"""Middle link x of Aiko on the pegs at REFERENCE_TIME, m, for time steps that go to zero:
benchmarks/work_precision.py makes it, and says how far other engines end up from it."""

AIKO_PEGS: Array = np.array(
    [
        (0.0507, 0.1761),
        (0.4215, 0.0029),
        (0.8037, 0.1851),
        (1.1532, 0.0031),
        (1.5298, 0.1783),
        (1.8877, 0.0020),
        (2.2588, 0.1745),
    ]
)
"""Peg centres of the track, m, shape (7, 2)."""


@dataclass(frozen=True)
class Track:
    """A chain of equal capsule links among round pegs, its servo gains and its gait."""

    links: int = 11
    length: float = 0.122
    """Joint to joint, m."""
    half_straight: float = 0.0393
    """Half the straight part of the capsule, m."""
    radius: float = 0.0525
    """Capsule radius, m."""
    mass: float = 7.5 / 11
    """Of one link, kg."""
    inertia: float = 1.32e-3
    """Of one link about its centre, kg m^2."""
    stiffness: float = 800.0
    """Servo Kp, N m/rad."""
    damping: float = 2.0
    """Servo Kd, N m s/rad."""
    friction: float = 0.2
    """Coulomb coefficient of the ground at every link centre."""
    peg_radius: float = 0.0125
    """m."""
    amplitude: float = float(np.deg2rad(40.0))
    """rad."""
    frequency: float = float(np.deg2rad(80.0))
    """rad/s."""
    phase: float = float(np.deg2rad(-50.0))
    """Between neighbouring joints, rad."""
    middle: tuple[float, float] = (0.38, 0.15)
    """Start of the middle link's centre, m."""
    heading: float = float(np.deg2rad(5.0))
    """Start of the mean link angle, rad."""

    def gait(self, time: ArrayLike) -> tuple[Array, Array]:
        """Joint references (rad) and their rates (rad/s), each of shape (times, links - 1)."""
        t = np.atleast_1d(np.asarray(time, dtype=np.float64))[:, None]
        joint = np.arange(self.links - 1)
        angle = self.frequency * t + (self.links - 2 - joint) * self.phase
        phi = -self.amplitude * np.sin(angle)
        phi_dot = -self.amplitude * self.frequency * np.cos(angle)
        return phi, phi_dot

    def start(self) -> tuple[Array, Array, Array]:
        """Link centres x, y (m) and angles theta (rad) at rest in the gait's shape at t = 0."""
        phi = self.gait(0.0)[0][0]
        theta = np.concatenate(([0.0], np.cumsum(phi)))
        theta += self.heading - theta.mean()
        return chain_centres(np.full(self.links, self.length), theta, self.middle)


AIKO = Track()
"""The robot of Transeth et al. 2008 with its gait and start pose."""


@dataclass(frozen=True)
class PeerRun:
    """Sampled motion of all links and the cost of getting it."""

    time: Array
    """s, shape (samples,)."""
    x: Array
    """Link centres, m, shape (samples, links)."""
    y: Array
    """Link centres, m, shape (samples, links)."""
    theta: Array
    """Link angles, rad, shape (samples, links)."""
    microseconds_per_step: float
    """Wall time of the stepping loop over the number of time steps."""

    def middle_x(self, time: ArrayLike = REFERENCE_TIME) -> Array:
        """x of the middle link at the given instants, m, from the nearest samples."""
        wanted = np.atleast_1d(np.asarray(time, dtype=np.float64))
        nearest = np.abs(self.time[None, :] - wanted[:, None]).argmin(axis=1)
        middle: Array = self.x[nearest, self.x.shape[1] // 2]
        return middle

    def deviation(self) -> float:
        """Largest distance of the middle link's x from the reference over 0 to 9 s, m."""
        return float(np.abs(self.middle_x() - REFERENCE_X).max())

    def distance(self, other: PeerRun) -> float:
        """Largest distance of the middle links' centres over equal sample times, m."""
        middle = self.x.shape[1] // 2
        dx = self.x[:, middle] - other.x[:, middle]
        dy = self.y[:, middle] - other.y[:, middle]
        return float(np.hypot(dx, dy).max())


def chain_centres(
    lengths: Array, theta: Array, middle: tuple[float, float]
) -> tuple[Array, Array, Array]:
    """Link centres x, y (m) and angles (rad) of a closed chain with its middle link placed."""
    half_x = 0.5 * lengths * np.cos(theta)
    half_y = 0.5 * lengths * np.sin(theta)
    x = np.concatenate(([0.0], np.cumsum(half_x[:-1] + half_x[1:])))
    y = np.concatenate(([0.0], np.cumsum(half_y[:-1] + half_y[1:])))
    centre = len(theta) // 2
    return x - x[centre] + middle[0], y - y[centre] + middle[1], theta
