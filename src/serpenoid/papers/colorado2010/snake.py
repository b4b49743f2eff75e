"""The paper's robot, ground and gait, and its Table 2."""

from __future__ import annotations

import math
from dataclasses import dataclass

from serpenoid.analysis.recursion import Recursion
from serpenoid.control.gaits import Serpenoid
from serpenoid.model.actuator import Prescribed
from serpenoid.model.friction import Viscous
from serpenoid.model.robot import Robot

# Of the paper: links, mass of each, kg, and the offset of the circles, deg.
LINKS, MASS, GAMMA_DEG = 8, 0.4, 1.2
# Not given in the paper, m. Speeds are proportional to it, energies and powers to its square;
# optimal gaits, efficiencies and P_L / K_E do not depend on it.
LENGTH = 0.1
# Of the outline, which nothing ever touches, m.
RADIUS = 0.02


@dataclass(frozen=True)
class Ground:
    """Viscous friction of the ground per mass of a link.

    Attributes:
        tangential: Coefficient along the links, C_T, 1/s.
        normal: Coefficient across the links, C_N, 1/s.
    """

    tangential: float
    normal: float

    def friction(self, mass: float = MASS) -> Viscous:
        """The friction law for links of one mass, kg."""
        return Viscous(along=mass * self.tangential, across=mass * self.normal)

    def __str__(self) -> str:
        return f"C_T {self.tangential:g}, C_N {self.normal:g}"


@dataclass(frozen=True)
class Shape:
    """Shape of a gait.

    Attributes:
        alpha: Half of the joints' amplitude, rad.
        beta: Phase from joint to joint, rad.
    """

    alpha: float
    beta: float

    def gait(self, omega: float, links: int = LINKS, gamma_deg: float = 0.0) -> Serpenoid:
        """The gait (1) of this shape, with joints counted from the tail.

        Args:
            omega: Frequency, rad/s.
            links: Number of links.
            gamma_deg: Offset of the joints, deg.
        """
        beta_deg = math.degrees(self.beta)
        return Serpenoid(
            amplitude_deg=math.degrees(2 * self.alpha),
            frequency_deg=math.degrees(omega),
            phase_deg=-beta_deg,
            offset_deg=gamma_deg,
            start_deg=(links - 2) * beta_deg,
        )

    def __str__(self) -> str:
        return f"α {self.alpha:.3g}, β {self.beta:.3g}"


# What the paper calls efficient and inefficient: shape of the gait, ground, omega of Fig. 3, rad/s.
EFFICIENT, INEFFICIENT = Shape(0.7, 0.8), Shape(0.5, 1.1)
SLIPPERY, STICKY = Ground(1.0, 10.0), Ground(12.0, 20.0)
OMEGA, OMEGA_INEFFICIENT = 3.0, 2.5


def snake(links: int = LINKS) -> Robot:
    """The paper's robot, or one with another number of links."""
    return Robot.uniform(
        links,
        length=LENGTH,
        mass=MASS,
        radius=RADIUS,
        actuator=Prescribed(),
        name="viscous snake",
        self_contact=False,
    )


def model(ground: Ground, links: int = LINKS) -> Recursion:
    """The paper's own model (3)-(15), corrected."""
    return Recursion(snake(links), ground.friction())


@dataclass(frozen=True)
class Column:
    """A column of Table 2.

    Attributes:
        omega: Frequency of the gait, rad/s.
        error: Error of the joints, per cent.
        kinetic: Kinetic energy K_E, J.
        loss: Power loss P_L, W.
        share: What is printed as % P_L.
        efficiency: Efficiency as printed.
    """

    omega: float
    error: float
    kinetic: float
    loss: float
    share: float
    efficiency: float

    @property
    def ratio(self) -> float:
        """P_L / K_E, 1/s."""
        return self.loss / self.kinetic


TABLE_2 = (
    Column(0.25, 0.59, 0.022, 9.2e-4, 4.11, 0.95),
    Column(1.04, 0.98, 0.48, 0.077, 5.75, 0.83),
    Column(2.5, 1.15, 1.68, 0.40, 23.80, 0.76),
    Column(3.0, 2.2, 2.45, 0.72, 29.38, 0.70),
)
# Error of the joints with the gait and ground it calls inefficient, per cent.
INEFFICIENT_ERROR = 12.5
