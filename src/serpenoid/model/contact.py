"""Laws of contact between links and pegs, walls, loads or terrain."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from serpenoid.spec import Family, Fraction, NonNegative, Positive, spec, tag


@spec
class Contact:
    """Hard one-sided contact: a link can push, but neither pull nor penetrate.

    Attributes:
        friction: Coulomb coefficient, bounded by the contact's own normal impulse.
        restitution: Normal velocity after an impact over the velocity before it, 0 (inelastic) to
            1. With friction it also holds for the sliding velocity, as far as friction can reverse
            it (Moreau's collision law with one coefficient), so that no impact adds energy. A
            second impact within one step is inelastic.
    """

    friction: NonNegative = 0.0
    restitution: Fraction = 0.0


class GroundContact(Family):
    """Base of the laws of contact with terrain; the terrain has the coefficient of friction."""

    @abstractmethod
    def numbers(self) -> dict[str, float]:
        """Fields of the kernels' PackedWorld.

        Returns:
            The values of hard, k, d and restitution by name.
        """


@spec
class Hard(GroundContact):
    """Terrain that cannot be penetrated.

    Attributes:
        restitution: Normal velocity after an impact over the velocity before it, as for `Contact`.
    """

    restitution: Fraction = 0.0
    kind: Literal["hard"] = tag(default="hard", kw_only=True)

    def numbers(self) -> dict[str, float]:
        """Fields of the kernels' PackedWorld."""
        return {"hard": True, "k": 0.0, "d": 0.0, "restitution": float(self.restitution)}


@spec
class Compliant(GroundContact):
    """Terrain of springs and dampers that push and never pull [koopaee2020 (29)].

    They act at each point of contact, which are the links' middles, hinges and tips.

    Attributes:
        stiffness: Stiffness at each point of contact, N/m.
        damping: Damping at each point of contact, N s/m.
        corners: Whether corners of the terrain under a link are points of contact, too; the paper
            proposes these, but does not have them yet.
    """

    stiffness: Positive
    damping: NonNegative
    corners: bool = True
    kind: Literal["compliant"] = tag(default="compliant", kw_only=True)

    def numbers(self) -> dict[str, float]:
        """Fields of the kernels' PackedWorld."""
        k, d = float(self.stiffness), float(self.damping)
        return {"hard": False, "k": k, "d": d, "restitution": 0.0}
