"""Which laws of ground friction add up, and which laws they need."""

from typing import Literal

import pytest

import serpenoid as sp
from serpenoid.methods.laws import laws_needed
from serpenoid.model.surfaces import ground_laws
from serpenoid.spec import NonNegative, spec, tag


@spec
class Own(sp.FrictionLaw):
    """A law of a user's own that sets what `Coulomb` does."""

    mu: NonNegative
    kind: Literal["own of sums"] = tag(default="own of sums", kw_only=True)

    def pack(self, surface):
        surface.forward = surface.backward = surface.side = self.mu


@spec
class Both(sp.FrictionLaw):
    """One that is two dry laws."""

    mu: NonNegative
    kind: Literal["both of sums"] = tag(default="both of sums", kw_only=True)

    def pack(self, surface):
        surface.forward = surface.rectangle_along = self.mu


# Only these tests know them.
for law in (Own, Both):
    del sp.FrictionLaw.members[law.kind]


@pytest.mark.parametrize("mu", [0.0, 0.1])
def test_two_laws_must_not_set_one_coefficient(mu):
    """Not even to 0, which would undo the other."""
    for pair in ((sp.Coulomb(0.5), Own(mu)), (Own(mu), sp.Coulomb(0.5))):
        with pytest.raises(sp.InvalidInput, match=r"Own.* is not allowed: .* at most one dry law"):
            pair[0] + pair[1]


def test_laws_that_set_others_add_up():
    assert ground_laws(Own(0.1) + sp.Viscous(1.0, 2.0)) == ["viscous", "dry_friction"]


def test_one_law_must_not_be_two_dry_ones():
    with pytest.raises(sp.InvalidInput, match="at most one dry law"):
        sp.simulate(sp.robots.aiko(), sp.World(friction=Both(0.1)), None, 0.01)
    with pytest.raises(sp.InvalidInput, match="at most one dry law"):
        Both(0.1) + sp.Viscous(1.0, 2.0)


def test_smooth_friction_of_none_needs_no_law():
    law = sp.SmoothCoulomb(0.0, 0.1)
    assert ground_laws(law) == []
    needed = {need for need, _ in laws_needed(sp.robots.aiko(), sp.World(friction=law))}
    assert needed <= sp.Prox.resolves
