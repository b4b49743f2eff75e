"""Table 2 of the paper."""

from __future__ import annotations

from dataclasses import dataclass


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
