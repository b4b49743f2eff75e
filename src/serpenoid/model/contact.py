"""Laws of contact between links and pegs, walls, loads or terrain."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from serpenoid.errors import InvalidInput
from serpenoid.spec import Family, Fraction, NonNegative, Positive, spec, tag


@spec
class Contact:
    """One-sided contact with pegs, walls and loads: a link can push, but not pull.

    The contact is hard, so that nothing penetrates, unless a stiffness is given. Then a spring and
    a damper push what has entered the obstacle and never pull, as those of `Compliant` terrain do.
    They act at each point of contact: one on a peg, two on a wall that a link lies flush on. The
    contact ends where the axis of a link passes the centre of a peg, or a wall. A step in which a
    link would travel more than a quarter of that distance is halved, so that fast links are pushed,
    too.

    Attributes:
        friction: Coulomb coefficient, bounded by the contact's own normal impulse.
        restitution: Normal velocity after an impact over the velocity before it, 0 (inelastic) to
            1. With friction it also holds for the sliding velocity, as far as friction can reverse
            it (Moreau's collision law with one coefficient), so that no impact adds energy. Where
            contacts are struck at once the smallest coefficient holds for all of them. Of hard
            contact only.
        stiffness: Stiffness of a compliant peg or wall, N/m; hard if not given.
        damping: Its damping, N s/m.
    """

    friction: NonNegative = 0.0
    restitution: Fraction = 0.0
    stiffness: Positive | None = None
    damping: NonNegative = 0.0

    def __post_init__(self) -> None:
        if self.stiffness is None and self.damping:
            raise InvalidInput(
                f"Contact.damping = {self.damping!r} is not allowed without stiffness: hard "
                "contact has restitution"
            )
        if self.stiffness is not None and self.restitution:
            raise InvalidInput(
                f"Contact.restitution = {self.restitution!r} is not allowed with stiffness: the "
                "rebound from a compliant obstacle follows from stiffness and damping"
            )

    @property
    def is_compliant(self) -> bool:
        """Whether it has a spring."""
        return self.stiffness is not None

    def numbers(self) -> tuple[float, float, float, float]:
        """Fields of the kernels' records of pegs and walls.

        Returns:
            The values of friction, restitution, k and d, which are 0 for hard contact.
        """
        k = 0.0 if self.stiffness is None else float(self.stiffness)
        return float(self.friction), float(self.restitution), k, float(self.damping)


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

    They act at each point of contact: the middle and both ends of each link's outline; ends of two
    links that are one circle count once. With contact on the axis these are the paper's own, the
    links' middles, hinges and tips.

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
