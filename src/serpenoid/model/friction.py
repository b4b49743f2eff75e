"""Friction between the links and the ground.

Every law acts at the centre of each link, in the link's own axes, but `DistributedCoulomb`. A
coefficient is one value for all links, or a list with one for each. Laws add up: `Coulomb(0.2) +
Viscous(along=0.5, across=2.0)`.
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Strict

from serpenoid.errors import InvalidInput
from serpenoid.kernels.laws import GROUND_LAWS
from serpenoid.kernels.layout import Records
from serpenoid.model.surfaces import coefficients_set, ground_laws, kinds_of, surface_of
from serpenoid.spec import Each, Family, NonNegative, Positive, spec, tag


class FrictionLaw(Family):
    """Base of the laws of ground friction, which add up."""

    @abstractmethod
    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link.

        Args:
            surface: Kernel records to add to, one for each link, changed in place: each field is an
                array over the links, and takes one value for all of them or one for each. `mass`
                holds the masses of the links, kg.
        """

    def __add__(self, other: FrictionLaw) -> Sum:
        """Both laws at once."""
        return Sum(laws=(*getattr(self, "laws", (self,)), *getattr(other, "laws", (other,))))


@spec
class Coulomb(FrictionLaw):
    """Isotropic dry friction [transeth2008 (50)].

    Attributes:
        mu: Largest friction force over the weight of the link.
    """

    mu: Each[NonNegative]
    kind: Literal["coulomb"] = tag(default="coulomb", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.forward = surface.backward = surface.side = self.mu


@spec
class OrthotropicCoulomb(FrictionLaw):
    """Dry friction with an elliptic force reservoir along and across the link [transeth2008 (52)].

    Attributes:
        along: Largest friction force along the link over its weight.
        across: Largest friction force across the link over its weight.
    """

    along: Each[NonNegative]
    across: Each[NonNegative]
    kind: Literal["orthotropic"] = tag(default="orthotropic", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.forward = surface.backward = self.along
        surface.side = self.across


@spec
class DirectionalCoulomb(FrictionLaw):
    """Dry friction that differs between moving forward, backward and sideways.

    The force reservoir is made of two half ellipses that share the sideways half axis. Each value
    is the largest friction force over the weight of the link.

    Attributes:
        forward: Friction against moving forward.
        backward: Friction against moving backward.
        sideways: Friction against moving sideways.
    """

    forward: Each[NonNegative]
    backward: Each[NonNegative]
    sideways: Each[NonNegative]
    kind: Literal["directional"] = tag(default="directional", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.forward, surface.backward = self.forward, self.backward
        surface.side = self.sideways


@spec
class RectangularCoulomb(FrictionLaw):
    """Dry friction with a rectangular force reservoir: two independent laws along and across.

    Two sign functions of the velocities along and across the link make such a reservoir
    [transeth2008 V-B2]. Friction is then not opposite to the motion, not even if both coefficients
    are the same, and up to the square root of 2 larger; `Coulomb` and `OrthotropicCoulomb` have no
    corners.

    Attributes:
        along: Largest friction force along the link over its weight.
        across: Largest friction force across the link over its weight.
    """

    along: Each[NonNegative]
    across: Each[NonNegative]
    kind: Literal["rectangular"] = tag(default="rectangular", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.rectangle_along, surface.rectangle_across = self.along, self.across


@spec
class SmoothCoulomb(FrictionLaw):
    """Isotropic friction smoothed to a function of the velocity v, mu v / sqrt(v^2 + speed^2).

    It never sticks: on a slope that `Coulomb` holds, a link creeps at the speed times s / sqrt(1 -
    s^2), where s is the tangent of the slope over mu [transeth2008 V-B2].

    Attributes:
        mu: Friction force of fast motion over the weight of the link.
        speed: Speed at which friction is 0.71 times that, m/s.
    """

    mu: Each[NonNegative]
    speed: Each[Positive]
    kind: Literal["smooth"] = tag(default="smooth", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.smooth, surface.smooth_speed = self.mu, self.speed


@spec
class DistributedCoulomb(FrictionLaw):
    """Dry friction distributed along the link: at Gauss points, each with its share of the weight.

    A link that turns on the spot feels a torque by geometry, and what slides and turns at once is
    held less against either than by `OrthotropicCoulomb` and `SpinCoulomb`, whose force and torque
    know nothing of each other. At each point the force reservoir is an ellipse along and across the
    link. On the spot, the torque of two points is across times weight times 0.289 length, where
    uniform pressure has 0.25.

    Attributes:
        along: Largest friction force along the link over its weight.
        across: Largest friction force across the link over its weight.
        supports: Number of points, at most 16; the same in all patches that have this law.
    """

    along: Each[NonNegative]
    across: Each[NonNegative]
    supports: Annotated[int, Strict(), Field(ge=1, le=16)] = 2
    kind: Literal["distributed"] = tag(default="distributed", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.support_along, surface.support_across = self.along, self.across
        surface.support_count = self.supports


@spec
class SpinCoulomb(FrictionLaw):
    """Dry friction torque about the link's centre, at most mu times arm times the link's weight.

    Attributes:
        mu: Coefficient of friction.
        arm: Arm of the friction torque, m.
    """

    mu: Each[NonNegative]
    arm: Each[NonNegative]
    kind: Literal["spin"] = tag(default="spin", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.spin = np.multiply(self.mu, self.arm)


@spec
class Viscous(FrictionLaw):
    """Viscous friction of each link.

    Attributes:
        along: Resistance along the link, N s/m.
        across: Resistance across the link, N s/m.
        turning: Resistance to turning about the centre, N m s/rad. If not given, the resistance
            across is taken as spread evenly along the link, which makes it across length^2 / 12.
        per_mass: Whether all of these are per mass of the link, 1/s and m2/s.
    """

    along: Each[NonNegative]
    across: Each[NonNegative]
    turning: Each[NonNegative] | None = None
    per_mass: Annotated[bool, Strict()] = False
    kind: Literal["viscous"] = tag(default="viscous", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        scale = surface.mass if self.per_mass else 1.0
        across = np.multiply(scale, self.across)
        surface.along, surface.across = np.multiply(scale, self.along), across
        if self.turning is None:
            surface.spread = across / 12.0
        else:
            surface.turn = np.multiply(scale, self.turning)


@spec
class Fluid(FrictionLaw):
    """A fluid at rest: drag along and across each link, linear and quadratic, and added mass.

    The terms of Morison's equation. Drag and added mass across are taken as spread evenly along the
    link, which gives those of turning: added_mass_across length^2 / 12 is the added inertia.

    Attributes:
        along: Linear drag along the link, N s/m.
        across: Linear drag across the link, N s/m.
        along_squared: Quadratic drag along the link, N s2/m2.
        across_squared: Quadratic drag across the link, N s2/m2: half the density of the fluid times
            length, height and drag coefficient of the link.
        added_mass_along: Mass of the fluid that moves with the link along it, kg; near 0 of slender
            links.
        added_mass_across: The same across the link, kg: density of the fluid times length, squared
            half height and pi of the link, times a coefficient near 1.
    """

    along: Each[NonNegative] = 0.0
    across: Each[NonNegative] = 0.0
    along_squared: Each[NonNegative] = 0.0
    across_squared: Each[NonNegative] = 0.0
    added_mass_along: Each[NonNegative] = 0.0
    added_mass_across: Each[NonNegative] = 0.0
    kind: Literal["fluid"] = tag(default="fluid", kw_only=True)

    def pack(self, surface: Records) -> None:
        """Add this law's coefficients to the surface under each link."""
        surface.along, surface.across = self.along, self.across
        surface.spread = np.divide(self.across, 12.0)
        surface.drag_along, surface.drag_across = self.along_squared, self.across_squared
        surface.drag_spread = np.divide(self.across_squared, 32.0)
        surface.mass_along, surface.mass_across = self.added_mass_along, self.added_mass_across
        surface.mass_spread = np.divide(self.added_mass_across, 12.0)


@spec
class Sum(FrictionLaw):
    """Several laws at once.

    Attributes:
        laws: Laws that add up, at most one dry law, one dry torque and one viscous law.
    """

    laws: tuple[FrictionLaw, ...]
    kind: Literal["sum"] = tag(default="sum", kw_only=True)

    def __post_init__(self) -> None:
        if any(isinstance(law, Sum) for law in self.laws):
            raise InvalidInput("Sum.laws holds a Sum, which is not allowed: add the laws up")
        for one, two in itertools.combinations(self.laws, 2):
            both = coefficients_set(one) & coefficients_set(two)
            kinds = kinds_of(ground_laws(one)) & kinds_of(ground_laws(two)) & {"dry law"}
            if both or kinds:
                setters = [law.name for law in GROUND_LAWS if both & set(law.coefficients.split())]
                words = min(kinds | kinds_of(setters))
                raise InvalidInput(
                    f"friction = {one} + {two} is not allowed: a sum takes at most one {words}"
                )
        surface_of(self, place="Sum")

    def __str__(self) -> str:
        return " + ".join(str(law) for law in self.laws) or "none"

    def pack(self, surface: Records) -> None:
        """Add every law's coefficients to the surface under each link."""
        for law in self.laws:
            law.pack(surface)
