"""The methods a step can be solved with, and the laws each of them can resolve."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from serpenoid.errors import InvalidInput, UnsupportedLaw
from serpenoid.kernels import layout
from serpenoid.methods.stability import stable_step
from serpenoid.model.actuator import Free, SeriesElastic, Servo, Torque
from serpenoid.model.contact import Contact, Hard
from serpenoid.model.friction import Coulomb, FrictionLaw, OrthotropicCoulomb
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.spec import Count, Family, NonNegative, Positive, nearest_word, spec, tag


class Method(Family):
    """Base of the solvers: which laws they resolve, and their options."""

    @abstractmethod
    def check(self, robot: Robot, world: World) -> None:
        """Raise UnsupportedLaw, with the remedy, if a law cannot be resolved."""

    def check_step(self, robot: Robot, world: World, time_step: float) -> None:
        """Raise InvalidInput if a step (s) is too large; by default any is taken."""

    @abstractmethod
    def options(self) -> layout.Options:
        """As the kernels take it."""

    @abstractmethod
    def remedy(self, time_step: float) -> str:
        """The end of the sentence about a step that failed: what was tried, and what to try."""

    def _refuse_loads(self, robot: Robot, world: World) -> None:
        """Refuse what only the house solver has: loads and wheels."""
        if world.loads:
            raise self._refusal("loads")
        if any(link.wheels is not None for link in robot.links):
            raise self._refusal("wheels")

    def _refusal(self, what: str) -> UnsupportedLaw:
        kind = getattr(self, "kind", "")
        return UnsupportedLaw(f"solver {kind!r} cannot resolve {what}; use solver='newton'")


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
        """Every law can be resolved; wheels need a ground to stand on."""
        if world.plane == "vertical" and any(link.wheels is not None for link in robot.links):
            raise UnsupportedLaw(
                "Link.wheels is not allowed in a vertical plane: they stand on a horizontal one"
            )

    def options(self) -> layout.Options:
        """As the kernels take it."""
        return layout.NO_OPTIONS._replace(
            solver=layout.NEWTON,
            tolerance=self.tolerance,
            force_tolerance=self.force_tolerance,
            stiffness=self.stiffness,
            max_iterations=self.max_iterations,
            max_updates=self.max_updates,
            max_halvings=self.max_halvings,
            max_penetration=self.max_penetration,
        )

    def remedy(self, time_step: float) -> str:
        """Steps are halved."""
        return (
            f"even in halves; try a smaller time_step than {time_step:g} s, softer actuators or "
            "less contact friction"
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
        self._refuse_loads(robot, world)
        if world.plane == "vertical":
            raise self._refusal("a vertical plane")
        if world.contact_at == "centre":
            raise self._refusal("contact at the links' centres")
        for law in _ground_laws(world):
            if not isinstance(law, Coulomb | OrthotropicCoulomb):
                raise self._refusal(f"ground friction {law}")
        for contact in _contact_laws(world):
            if contact.friction or contact.restitution:
                raise self._refusal(f"contact law {contact}")
        for joint in robot.joints:
            drive = joint.actuator
            if joint.limits_deg is not None:
                raise self._refusal(f"joint limits {joint.limits_deg} deg")
            if isinstance(drive, Servo) and (drive.deadband_deg or drive.torque_limit < math.inf):
                raise self._refusal(f"actuator {drive}")
            if not isinstance(drive, Servo | Torque) or (
                isinstance(drive, Torque) and drive.limit < math.inf
            ):
                raise self._refusal(f"actuator {drive}")

    def options(self) -> layout.Options:
        """As the kernels take it."""
        return layout.NO_OPTIONS._replace(
            solver=layout.PROX,
            tolerance=self.tolerance,
            max_iterations=self.max_iterations,
            max_updates=1,
            r_normal=self.r_normal,
            r_tangential=self.r_tangential,
        )

    def remedy(self, time_step: float) -> str:
        """Steps are taken as they are."""
        return (
            f"and this solver does not halve it; try a smaller time_step than {time_step:g} s, "
            "another r_normal or r_tangential, more max_iterations, or solver='newton'"
        )


@spec
class Hybrid(Method):
    """Liljeback's hybrid model: flow between located events, jumps at them [liljeback2011 (2)].

    Coordinates without hinges, an integrator with error control, contacts as exact constraints that
    slide, stick or open at events; blows are inelastic and without friction. Resolves dry friction
    but the directional kind, regularised, so that what would stick creeps; pegs; servos and torques
    with limits, explicit. Contradictory modes, more events than allowed, and wedged contacts, which
    are brought to rest, are counted as `halvings`, events as `multiplier_updates`. Chains of
    impacts are cut short without adding energy: a closed contact that a blow would open slower than
    1 mm/s stays closed, 0.1 m/s after more than four impacts in about a millisecond; at a link's
    centre it is left 0.03 mm beyond the peg.

    tolerance: of the integrator in a step, relative and absolute (rad, m, rad/s, m/s). stick_speed:
    velocity at which ground friction is at 71 % of its bound along its stronger axis, m/s.
    max_events_per_step: events in one time_step after which closed contacts stay closed until its
    end. The integrator's steps are its own.
    """

    tolerance: Annotated[Positive, Field(le=0.01)] = 1e-5
    stick_speed: Positive = 1e-4
    max_events_per_step: Count = 30
    kind: Literal["hybrid"] = tag(default="hybrid", kw_only=True)

    def check(self, robot: Robot, world: World) -> None:
        """Refuse what has no place in the flow and jump maps."""
        self._refuse_loads(robot, world)
        if world.plane == "vertical":
            raise self._refusal("a vertical plane")
        if world.walls:
            raise self._refusal("walls")
        for law in _ground_laws(world):
            surface: Any = np.zeros(1, layout.SURFACE).view(np.recarray)[0]
            law.pack(surface)
            if surface.forward != surface.backward:
                raise self._refusal(f"ground friction {law}")
        for contact in _contact_laws(world):
            if contact.restitution:
                raise self._refusal(f"contact law {contact}")
        for joint in robot.joints:
            drive = joint.actuator
            if joint.limits_deg is not None:
                raise self._refusal(f"joint limits {joint.limits_deg} deg")
            if not isinstance(drive, Servo | Torque | Free):
                raise self._refusal(f"actuator {drive}")
            if isinstance(drive, Servo) and drive.deadband_deg:
                raise self._refusal(f"actuator {drive}")

    def options(self) -> layout.Options:
        """As the kernels take it."""
        return layout.NO_OPTIONS._replace(
            solver=layout.HYBRID,
            tolerance=self.tolerance,
            stick_speed=self.stick_speed,
            max_events=self.max_events_per_step,
        )

    def remedy(self, time_step: float) -> str:  # noqa: ARG002
        """The integrator has steps of its own."""
        return (
            "between or at events; try another tolerance, a larger stick_speed, softer actuators "
            "or solver='newton'"
        )


@spec
class Explicit(Method):
    """Fixed steps on the Euler-Lagrange equations with compliant terrain [koopaee2020 (31)].

    Resolves a vertical or horizontal plane without ground friction, pegs and walls; terrain that is
    compliant; series-elastic joints, servos and torques, explicit. A step that is too large to be
    stable is refused. Steps are not halved; `energy_residual` is the error of the integrator.

    integrator: semi-implicit Euler, as in the paper, or the method of Runge and Kutta of order 4.
    stick_speed: sliding velocity at which friction is at 71 % of its bound, m/s; at 0 it switches
    with the sign of the velocity, as in the paper.
    """

    integrator: Literal["euler", "rk4"] = "euler"
    stick_speed: NonNegative = 0.0
    kind: Literal["explicit"] = tag(default="explicit", kw_only=True)

    def check(self, robot: Robot, world: World) -> None:
        """Refuse what has no place in the equations of motion."""
        self._refuse_loads(robot, world)
        if world.pegs or world.walls:
            raise self._refusal("pegs and walls")
        if laws := _ground_laws(world):
            raise self._refusal(f"ground friction {laws[0]}")
        if world.terrain is not None and isinstance(world.terrain.contact, Hard):
            raise UnsupportedLaw(
                "solver 'explicit' cannot resolve hard terrain; give it a Compliant contact or use "
                "solver='newton'"
            )
        for joint in robot.joints:
            drive = joint.actuator
            if joint.limits_deg is not None:
                raise self._refusal(f"joint limits {joint.limits_deg} deg")
            if not isinstance(drive, Servo | Torque | Free | SeriesElastic):
                raise self._refusal(f"actuator {drive}")
            if isinstance(drive, Servo) and drive.deadband_deg:
                raise self._refusal(f"actuator {drive}")

    def check_step(self, robot: Robot, world: World, time_step: float) -> None:
        """Refuse a step at which springs and dampers would not be stable."""
        largest = stable_step(robot, world, self.options().order, time_step)
        if time_step > largest:
            raise InvalidInput(
                f"time_step = {time_step!r} is not allowed with solver 'explicit': the springs and "
                f"dampers of this robot and terrain need at most {_rounded_down(largest):g} s"
            )

    def options(self) -> layout.Options:
        """As the kernels take it."""
        return layout.NO_OPTIONS._replace(
            solver=layout.EXPLICIT,
            order=1 if self.integrator == "euler" else 4,
            stick_speed=float(self.stick_speed),
        )

    def remedy(self, time_step: float) -> str:
        """Steps are taken as they are."""
        return f"try a smaller time_step than {time_step:g} s or solver='newton'"


def _rounded_down(value: float) -> float:
    """To two digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / unit) * unit


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


def _ground_laws(world: World) -> list[FrictionLaw]:
    """Every ground friction law of a world."""
    return [law for law in (world.friction, *(patch.friction for patch in world.patches)) if law]


def _contact_laws(world: World) -> list[Contact]:
    """Every contact law of a world."""
    found = [world.contact, *(peg.contact for peg in world.pegs)]
    found += [wall.contact for wall in world.walls]
    return [law for law in found if law is not None]


@functools.cache
def announce_compilation(method: type[Method]) -> None:
    """Say once that the first run on a machine compiles, each of the papers' methods by itself."""
    from serpenoid.kernels import _jit

    kernel, time = {
        Hybrid: ("hybrid_step.step_hybrid", "a minute"),
        Explicit: ("explicit_step.step_explicit", "half a minute"),
        Prox: ("prox_solver.solve_prox", "half a minute"),
    }.get(method, ("newton.search", "a minute"))
    _jit.announce_compilation(kernel, time)


def reason(status: int, body: layout.Body, time_step: float, method: Method) -> str:
    """Why a step failed, in one sentence with time, place, law and remedy."""
    index, law = (int(value) for value in body.blame)
    n = len(body.links)
    who = f"link {index}" if index < n else f"load {index - n}"
    place = {
        layout.NO_LAW: "",
        layout.GROUND_LAW: f", ground friction of {who}",
        layout.CONTACT_LAW: f", contact of {who}",
        layout.LIMIT_LAW: f", limit of joint {index}",
    }[law]
    what = {
        layout.NO_CONVERGENCE: "the step did not converge",
        layout.NOT_FINITE: "the motion is no longer finite",
        layout.TOO_DEEP: "an obstacle was entered too deeply",
        layout.TOO_FAST: "a link outran the search for contacts",
        layout.TOO_ROUGH: "the links turn too fast for the hinges to be closed without work",
    }[status]
    when = f"stopped at t = {body.step[0] * time_step:g} s"
    return f"{when}{place}: {what}, {method.remedy(time_step)}"
