"""The hybrid flow and jump model of liljeback2011."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.methods.laws import Law
from serpenoid.methods.method import EVENTS, INTEGRATOR, Method
from serpenoid.model.robot import Robot
from serpenoid.spec import Count, Positive, spec, tag

if TYPE_CHECKING:
    from serpenoid.methods.hybrid_layout import Flow, HybridOptions

# Events that are kept.
_LOG_SIZE = 100_000


@spec
class Hybrid(Method):
    """Liljeback's hybrid model: flow between located events, jumps at them [liljeback2011 (2)].

    Coordinates without hinges, an integrator with error control, contacts as exact constraints
    that slide, stick or open at events; impacts are inelastic and without friction. Resolves
    dry friction but the directional kind, regularised, so that what would stick creeps; pegs;
    servos and torques with limits, explicit; joint limits, as inelastic as contacts.
    Contradictory modes, more events than allowed, and wedged contacts, which are brought to
    rest, are counted as `unresolved_modes`. Chains of impacts are cut short without adding
    energy: a closed contact that an impact would open slower than 1 mm/s stays closed, 0.1 m/s
    after more than four impacts in about a millisecond; at a link's centre it is left 0.03 mm
    beyond the peg.

    Attributes:
        tolerance: Of the integrator in a step, relative and absolute (rad, m, rad/s, m/s). The
            integrator's steps are its own.
        stick_speed: Velocity at which ground friction is at 71 % of its bound along its stronger
            axis, m/s.
        max_events_per_step: Events in one time step after which closed contacts stay closed until
            its end.
        measures_impacts: Whether contact forces, as they are recorded and as controllers measure
            them, hold the impulses of impacts; without, they are the forces between impacts alone
            [liljeback2011 Definition 6].
    """

    tolerance: Annotated[Positive, Field(le=0.01)] = 1e-5
    stick_speed: Positive = 1e-4
    max_events_per_step: Count = 30
    measures_impacts: bool = True
    kind: Literal["hybrid"] = tag(default="hybrid", kw_only=True)

    resolves = frozenset(
        {
            *(Law.DRY, Law.DRY_TORQUE, Law.VISCOUS, Law.PEGS),
            *(Law.CONTACT_FRICTION, Law.CONTACT_AT_CENTRE),
            *(Law.SERVO, Law.TORQUE, Law.FREE, Law.TORQUE_LIMIT, Law.JOINT_LIMITS),
        }
    )
    features = frozenset({INTEGRATOR, EVENTS})
    compile_time = "a minute"
    tried = ", between or at events"

    def entry(self) -> Callable[..., None]:
        """The compiled loop over robots and steps."""
        from serpenoid.methods.hybrid_step import run_hybrid

        return run_hybrid

    def options(self) -> HybridOptions:
        """Its options as the entry takes them."""
        from serpenoid.methods.hybrid_layout import HybridOptions

        return HybridOptions(
            self.tolerance, self.stick_speed, self.max_events_per_step, self.measures_impacts
        )

    def scratch(self, robot: Robot, body: layout.Body, before: Any = None) -> Flow:  # noqa: ARG002
        """Room for the flow, and the log of events."""
        from serpenoid.methods.hybrid_layout import new_flow

        flow = new_flow(body, _LOG_SIZE)
        return flow if before is None else flow._replace(log=before.log, logged=before.logged)

    def events(self, scratch: Any) -> Floats:
        """The last events, oldest first.

        Args:
            scratch: Memory of the method, with its log.

        Returns:
            Time, kind, link and peg of each event, (events, 4).
        """
        log, count = scratch.log, int(scratch.logged[0])
        if count <= len(log):
            return np.array(log[:count])
        return np.roll(log, -(count % len(log)), axis=0)

    def event_count(self, scratch: Any) -> int:
        """How many events it has located."""
        return int(scratch.logged[0])

    def forget_events(self, scratch: Any, count: int) -> None:
        """Forget all events but the first `count`."""
        scratch.logged[0] = count

    def remedy(self, time_step: float) -> str:  # noqa: ARG002
        """The integrator has steps of its own."""
        return "try another tolerance, a larger stick_speed, softer actuators or solver='newton'"
