"""The default method: the midpoint step solved by semismooth Newton."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from serpenoid.errors import UnsupportedLaw
from serpenoid.kernels import layout
from serpenoid.methods.laws import Law
from serpenoid.methods.method import Method
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.spec import Count, Positive, spec, tag


@spec
class Newton(Method):
    """The default solver: semismooth Newton on the augmented Lagrangian, O(n) per iteration.

    A step that does not converge, ends too deep in an obstacle or turns a link too far is halved.

    Attributes:
        tolerance: Residual of every set-valued law, m/s.
        force_tolerance: Residual of ground friction, in units of its bound.
        stiffness: Penalty r of the augmented Lagrangian, as a multiple of the link's mass.
        max_penetration: Deepest that a step may end in an obstacle, m.
        max_iterations: Newton iterations between two updates of the multipliers.
        max_updates: Updates of the multipliers in a step.
        max_halvings: How often a step may be halved.
    """

    tolerance: Positive = 1e-6
    force_tolerance: Positive = 1e-5
    stiffness: Positive = 1e4
    max_penetration: Positive = 5e-5
    max_iterations: Count = 100
    max_updates: Count = 200
    max_halvings: Count = 8
    kind: Literal["newton"] = tag(default="newton", kw_only=True)

    resolves = frozenset(
        {
            *(Law.DRY, Law.DIRECTIONAL_DRY, Law.DRY_TORQUE, Law.VISCOUS, Law.OTHER_GROUND),
            *(Law.PEGS, Law.WALLS, Law.CONTACT_FRICTION, Law.RESTITUTION, Law.COMPLIANT_CONTACT),
            *(Law.CONTACT_AT_CENTRE, Law.CONTACT_ON_AXIS, Law.VERTICAL_PLANE),
            *(Law.HARD_TERRAIN, Law.COMPLIANT_TERRAIN, Law.LOADS, Law.SELF_CONTACT),
            *(Law.WHEELS, Law.JOINT_LIMITS, Law.SERVO, Law.TORQUE, Law.PRESCRIBED, Law.FREE),
            *(Law.SERIES_ELASTIC, Law.TORQUE_LIMIT, Law.GEAR_PLAY),
        }
    )
    compile_time = "half a minute"
    takes_batches = True
    tried = ", even in halves"
    records_contacts = True

    def check(self, robot: Robot, world: World) -> None:
        """Refuse laws that it does not resolve; wheels need a ground to stand on."""
        super().check(robot, world)
        if world.plane == "vertical" and any(link.wheels is not None for link in robot.links):
            raise UnsupportedLaw(
                "Link.wheels is not allowed in a vertical plane: they stand on a horizontal one"
            )

    def entry(self) -> Callable[..., None]:
        """The compiled loop over robots and steps."""
        from serpenoid.kernels.run import run_newton

        return run_newton

    def options(self) -> layout.NewtonOptions:
        """Its options as the entry takes them."""
        names = layout.NewtonOptions._fields
        return layout.NewtonOptions(**{name: getattr(self, name) for name in names})

    def remedy(self, time_step: float) -> str:
        """Advise a smaller step."""
        return (
            f"try a smaller time_step than {time_step:g} s, softer actuators or less contact "
            "friction"
        )
