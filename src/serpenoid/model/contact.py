"""The laws of contact between links and pegs, walls or terrain."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from serpenoid.spec import Family, Fraction, NonNegative, Positive, spec, tag


@spec
class Contact:
    """Hard one-sided contact: the link may push, never pull and never enter.

    friction: Coulomb coefficient, bounded by the contact's own normal impulse.
    restitution: velocity after a blow over velocity before it, 0 (inelastic) to 1. With friction it
    holds for the sliding velocity too, as far as friction can reverse it (Moreau's collision law
    with one coefficient), so that no blow adds energy. A second blow within one step is inelastic.
    """

    friction: NonNegative = 0.0
    restitution: Fraction = 0.0


class GroundContact(Family):
    """Base of the laws of contact with terrain; its friction is the terrain's own."""

    @abstractmethod
    def numbers(self) -> dict[str, float]:
        """Fields of the kernels' World: hard, k, d, restitution."""


@spec
class Hard(GroundContact):
    """Terrain that cannot be entered; restitution as for `Contact`."""

    restitution: Fraction = 0.0
    kind: Literal["hard"] = tag(default="hard", kw_only=True)

    def numbers(self) -> dict[str, float]:
        """Fields of the kernels' World."""
        return {"hard": True, "k": 0.0, "d": 0.0, "restitution": float(self.restitution)}


@spec
class Compliant(GroundContact):
    """Terrain of springs and dampers that push and never pull [koopaee2020 (29)].

    stiffness: N/m. damping: N s/m. Both at each point of contact: the links' middles, hinges and
    tips and, with corners, corners of the terrain under a link; the paper proposes these, but does
    not have them yet.
    """

    stiffness: Positive
    damping: NonNegative
    corners: bool = True
    kind: Literal["compliant"] = tag(default="compliant", kw_only=True)

    def numbers(self) -> dict[str, float]:
        """Fields of the kernels' World."""
        k, d = float(self.stiffness), float(self.damping)
        return {"hard": False, "k": k, "d": d, "restitution": 0.0}
