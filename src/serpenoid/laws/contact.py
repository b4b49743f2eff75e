"""The law of hard contact between a link's outline and a peg or wall."""

from serpenoid.spec import Fraction, NonNegative, spec


@spec
class Contact:
    """Hard one-sided contact: the link may push, never pull and never enter.

    friction: Coulomb coefficient, bounded by the contact's own normal impulse.
    restitution: velocity after a blow over velocity before it, 0 (inelastic) to 1. With friction it
    holds for the sliding velocity too, as far as friction can reverse it (Moreau's collision law
    with one coefficient), so that no blow adds energy.
    """

    friction: NonNegative = 0.0
    restitution: Fraction = 0.0
