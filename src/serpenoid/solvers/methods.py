"""The methods a step can be solved with, and the laws each of them can resolve."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

from serpenoid.errors import InvalidInput, UnsupportedLaw
from serpenoid.kernels.types import Options
from serpenoid.laws.actuator import Servo, Torque
from serpenoid.laws.friction import Coulomb, OrthotropicCoulomb
from serpenoid.robot import Robot
from serpenoid.spec import Count, Family, Positive, nearest_word, spec, tag
from serpenoid.world import World


class Method(Family):
    """Base of the solvers: which laws they resolve, and their options."""

    @abstractmethod
    def check(self, robot: Robot, world: World) -> None:
        """Raise UnsupportedLaw, with the remedy, if a law cannot be resolved."""

    @abstractmethod
    def options(self) -> Options:
        """As the kernels take it."""


@spec
class Newton(Method):
    """The house solver: semismooth Newton on the augmented Lagrangian, O(n) per iteration.

    A step that does not converge, ends too deep in an obstacle or turns a link too far is halved.

    tolerance: residual of every set-valued law, m/s. force_tolerance: residual of ground friction,
    in units of its bound. stiffness: of the multipliers, in link masses. max_penetration: deepest
    that a step may end in an obstacle, m. max_iterations: Newton iterations between two updates of
    the multipliers. max_updates: updates of the multipliers in a step. max_halvings: how often a
    step may be halved.
    """

    tolerance: Positive = 1e-6
    force_tolerance: Positive = 1e-5
    stiffness: Positive = 1e4
    max_penetration: Positive = 5e-5
    max_iterations: Count = 100
    max_updates: Count = 200
    max_halvings: Count = 8
    kind: Literal["newton"] = tag(default="newton", kw_only=True)

    def check(self, robot: Robot, world: World) -> None:
        """Every law can be resolved."""

    def options(self) -> Options:
        """As the kernels take it."""
        return Options(
            prox=False,
            tolerance=self.tolerance,
            force_tolerance=self.force_tolerance,
            stiffness=self.stiffness,
            max_iterations=self.max_iterations,
            max_updates=self.max_updates,
            max_halvings=self.max_halvings,
            max_penetration=self.max_penetration,
            r_normal=0.0,
            r_tangential=0.0,
        )


@spec
class Prox(Method):
    """Transeth's modified Newton iteration on proximal points [transeth2008 (54)-(70)].

    In maximal coordinates, hinges closed by projection. Resolves isotropic and orthotropic dry
    friction, inelastic frictionless contact, and servos, which act implicitly as in the house
    solver.

    r_normal: the paper's r_H, kg. r_tangential: its r_T, kg. tolerance: its epsilon, N s.
    max_iterations: of a step.
    """

    r_normal: Positive = 0.01
    r_tangential: Positive = 1.3
    tolerance: Positive = 1e-9
    max_iterations: Count = 100_000
    kind: Literal["prox"] = tag(default="prox", kw_only=True)

    def check(self, robot: Robot, world: World) -> None:
        """Refuse the laws the paper's iteration does not have."""
        if world.contact_at == "centre":
            raise _refusal("contact at the links' centres")
        for law in (world.friction, *(patch.friction for patch in world.patches)):
            if law is not None and not isinstance(law, Coulomb | OrthotropicCoulomb):
                raise _refusal(f"ground friction {law}")
        contacts = [world.contact, *(peg.contact for peg in world.pegs)]
        contacts += [wall.contact for wall in world.walls]
        for contact in contacts:
            if contact is not None and (contact.friction or contact.restitution):
                raise _refusal(f"contact law {contact}")
        for joint in robot.joints:
            drive = joint.actuator
            if joint.limits_deg is not None:
                raise _refusal(f"joint limits {joint.limits_deg} deg")
            if isinstance(drive, Servo) and (drive.deadband_deg or drive.torque_limit < math.inf):
                raise _refusal(f"actuator {drive}")
            if not isinstance(drive, Servo | Torque) or (
                isinstance(drive, Torque) and drive.limit < math.inf
            ):
                raise _refusal(f"actuator {drive}")

    def options(self) -> Options:
        """As the kernels take it."""
        return Options(
            prox=True,
            tolerance=self.tolerance,
            force_tolerance=0.0,
            stiffness=1.0,
            max_iterations=self.max_iterations,
            max_updates=1,
            max_halvings=0,
            max_penetration=math.inf,
            r_normal=self.r_normal,
            r_tangential=self.r_tangential,
        )


def as_method(solver: str | Method) -> Method:
    """A solver by name with its defaults, or as given."""
    if isinstance(solver, Method):
        return solver
    names = list(Method.members)
    if solver in names:
        method: Method = Method.members[solver]()
        return method
    hint = nearest_word(str(solver), names)
    raise InvalidInput(f"solver = {solver!r} is not known{hint}; there are {', '.join(names)}")


def _refusal(what: str) -> UnsupportedLaw:
    return UnsupportedLaw(f"solver 'prox' cannot resolve {what}; use solver='newton'")
