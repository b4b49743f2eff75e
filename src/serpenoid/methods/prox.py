"""The proximal point method of transeth2008."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from serpenoid.kernels import layout
from serpenoid.methods.laws import Law
from serpenoid.methods.method import Method
from serpenoid.methods.scratch import check_scratch, new_scratch
from serpenoid.model.robot import Robot
from serpenoid.spec import Count, Positive, spec, tag

if TYPE_CHECKING:
    from serpenoid.methods.prox_solver import Dense, ProxOptions


@spec
class Prox(Method):
    """Transeth's modified Newton iteration on proximal points [transeth2008 (54)-(70)].

    In maximal coordinates, hinges closed by projection. Resolves isotropic and orthotropic dry
    friction, inelastic frictionless contact, and servos, which act implicitly as in the default
    solver unless told otherwise.

    Attributes:
        r_normal: The paper's r_H, kg.
        r_tangential: Its r_T, kg.
        tolerance: Its epsilon, N s.
        max_iterations: Of a step.
        explicit_servo: Whether servos take the torque of the step from the angle at its midpoint
            and the rate before it, as in the paper [transeth2008 (43)(55)]; then they are unstable
            unless kd dt + kp dt^2 / 2 is less than twice the inertia that a joint turns, where dt
            is the time step.
        max_penetration: Deepest that a step may end in an obstacle, m, as of `Newton`; one that
            would end deeper is halved.
    """

    r_normal: Positive = 0.01
    r_tangential: Positive = 1.3
    tolerance: Positive = 1e-9
    max_iterations: Count = 100_000
    explicit_servo: bool = False
    max_penetration: Positive = 5e-5
    kind: Literal["prox"] = tag(default="prox", kw_only=True)

    resolves = frozenset({Law.DRY, Law.PEGS, Law.WALLS, Law.SERVO, Law.TORQUE})
    tried = ", and this solver halves a step 8 times at most, and only if it enters an obstacle"
    records_contacts = True

    def entry(self) -> Callable[..., None]:
        """The compiled loop over robots and steps."""
        from serpenoid.methods.prox_step import run_prox

        return run_prox

    def options(self) -> ProxOptions:
        """Its options as the entry takes them."""
        from serpenoid.methods.prox_solver import ProxOptions

        return ProxOptions(**{name: getattr(self, name) for name in ProxOptions._fields})

    def scratch(self, robot: Robot, body: layout.Body, before: Any = None) -> Dense:  # noqa: ARG002
        """Dense matrices of all laws."""
        from serpenoid.methods.prox_solver import Dense

        n = len(robot.links)
        laws = 2 * n + len(body.contacts)
        sizes = {"size": 5 * n - 2, "laws": laws, "laws + 1": laws + 1}
        check_scratch(Dense, sizes, f"solver = 'prox' with {n} links")
        return new_scratch(Dense, sizes)

    def remedy(self, time_step: float) -> str:
        """Advise a smaller step, or a faster iteration."""
        return (
            f"try a smaller time_step than {time_step:g} s, "
            "another r_normal or r_tangential, more max_iterations, or solver='newton'"
        )
