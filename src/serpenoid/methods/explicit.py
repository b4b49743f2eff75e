"""Explicit integration of the Euler-Lagrange equations of koopaee2020."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.memory import check_memory
from serpenoid.methods.laws import Law
from serpenoid.methods.method import INTEGRATOR, Method
from serpenoid.methods.stability import stable_step
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.spec import NonNegative, spec, tag

if TYPE_CHECKING:
    from serpenoid.methods.euler_lagrange import Lagrange
    from serpenoid.methods.explicit_step import ExplicitOptions


@spec
class Explicit(Method):
    """Fixed steps on the Euler-Lagrange equations with compliant terrain [koopaee2020 (31)].

    Resolves a vertical or horizontal plane without ground friction, pegs and walls; terrain that is
    compliant; series-elastic joints, servos and torques, explicit. A step that is too large to be
    stable is refused. Steps are not halved; `energy_residual` is the error of the integrator.

    Attributes:
        integrator: Semi-implicit Euler, as in the paper, or the method of Runge and Kutta of
            order 4.
        stick_speed: Sliding velocity at which friction is at 71 % of its bound, m/s; at 0 it
            switches with the sign of the velocity, as in the paper.
    """

    integrator: Literal["euler", "rk4"] = "euler"
    stick_speed: NonNegative = 0.0
    kind: Literal["explicit"] = tag(default="explicit", kw_only=True)

    resolves = frozenset(
        {
            *(Law.VERTICAL_PLANE, Law.COMPLIANT_TERRAIN, Law.CONTACT_ON_AXIS),
            *(Law.SERVO, Law.TORQUE, Law.FREE, Law.SERIES_ELASTIC, Law.TORQUE_LIMIT),
        }
    )
    features = frozenset({INTEGRATOR})

    def check_step(self, robot: Robot, world: World, time_step: float) -> None:
        """Refuse a step at which springs and dampers would not be stable."""
        n = len(robot.links)
        # Some 130 numbers for every pair of links, of which most are those of the eigenvalues.
        check_memory(1000 * n * n, f"solver = 'explicit' with {n} links")
        largest = stable_step(robot, world, self._order, time_step)
        if time_step > largest:
            raise InvalidInput(
                f"clock.time_step = {time_step!r} is not allowed with solver 'explicit': the "
                "springs and dampers of this robot and terrain need at most "
                f"{_rounded_down(largest):g} s"
            )

    @property
    def _order(self) -> int:
        return 1 if self.integrator == "euler" else 4

    def entry(self) -> Callable[..., None]:
        """The compiled loop over robots and steps."""
        from serpenoid.methods.explicit_step import run_explicit

        return run_explicit

    def options(self) -> ExplicitOptions:
        """Its options as the entry takes them."""
        from serpenoid.methods.explicit_step import ExplicitOptions

        return ExplicitOptions(self._order, float(self.stick_speed))

    def scratch(self, robot: Robot, body: layout.Body, before: Any = None) -> Lagrange:  # noqa: ARG002
        """Data of the chain for the equations."""
        from serpenoid.methods.euler_lagrange import new_lagrange

        return new_lagrange(body.links, robot)

    def remedy(self, time_step: float) -> str:
        """Steps are taken as they are."""
        return f"try a smaller time_step than {time_step:g} s or solver='newton'"


def _rounded_down(value: float) -> float:
    """To two digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit) * unit
