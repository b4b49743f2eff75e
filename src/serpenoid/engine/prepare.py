"""Scenarios prepared to run: checked, and put into numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from serpenoid.control.interface import CompiledController
from serpenoid.engine.assemble import (
    has_rotor,
    new_loops,
    new_self_contacts,
    pack_drive,
    pack_robot,
    pack_world,
    records,
)
from serpenoid.engine.own_ticks import OwnTicks
from serpenoid.engine.start_check import check_clear
from serpenoid.engine.state_check import checked_state
from serpenoid.engine.states import (
    added_angles,
    added_commands,
    check_kinetic_energy,
    first_state,
    put_command,
    put_state,
)
from serpenoid.engine.supports import pack_supports
from serpenoid.engine.variables import COMPLIANT, CONTACTS, LOADS, PEDAL, SPRINGS, SUM
from serpenoid.errors import ControllerError, InvalidInput
from serpenoid.kernels import layout
from serpenoid.methods.laws import touches_itself
from serpenoid.model.robot import Robot
from serpenoid.model.state import State
from serpenoid.model.world import World
from serpenoid.scenario.scenario import Scenario

# Robots in worlds that are kept in case another scenario has the same.
_MOST_KEPT = 256


@dataclass(frozen=True)
class PreparedRun:
    """A scenario in numbers, ready to be put into an engine.

    Attributes:
        scenario: The scenario.
        robot: Its robot.
        world: Its world.
        packed: The world as the kernels take it.
        body: The robot and its loads in their first state; shared with other runs of the same
            robot, and so valid until the next one is prepared.
        drive: The gait and the compiled controller.
        features: What is recorded besides the usual, see `variables`.
        own: The controller in Python, or the part of one that is; None without one.
    """

    scenario: Scenario
    robot: Robot
    world: World
    packed: layout.PackedWorld
    body: layout.Body
    drive: layout.Drive
    features: frozenset[str]
    own: OwnTicks | None = None

    @property
    def structure(self) -> dict[str, Any]:
        """What the robots of one engine have in common."""
        return {
            "number of links": len(self.robot.links),
            "number of loads": len(self.world.loads),
            "series-elastic joints": SPRINGS in self.features,
            "pedal wave": PEDAL in self.features,
            "compliant contact": COMPLIANT in self.features,
            "record.contacts": CONTACTS in self.features,
            "terrain, loads, support points, rotors or feedback": not self.is_bare,
            "self-contact": self.body.self_contacts is not None,
        }

    @property
    def holds(self) -> bool:
        """Whether no controller ticks that commands the joints itself.

        Then the state that a run ends in commands the last shape.
        """
        control = self.drive.control
        ticks = control is not None and control.ticks > 0
        return not ticks and (self.own is None or self.own.on_top)

    @property
    def is_bare(self) -> bool:
        """Whether it has none of the features that the code of bare robots leaves out.

        These are terrain, loads, support points, rotors, a compiled controller that ticks, and
        commands on top of a controller.
        """
        body = self.body
        there = (self.packed.ground, body.loops, body.supports, body.rotors, body.added)
        return self.drive.control is None and all(feature is None for feature in there)

    def completed(self) -> PreparedRun:
        """The same with all features, empty where it has none.

        So there are three kinds of machine code, for bare robots, for bare ones that can touch
        themselves and for all others, and not one for each combination of features.
        """
        body, ground = self.body, self.packed.ground
        links, own = len(self.robot.links), body.self_contacts
        loops, rotors = body.loops, body.rotors
        return replace(
            self,
            packed=self.packed._replace(
                ground=records(0, layout.GROUND) if ground is None else ground
            ),
            body=body._replace(
                loops=new_loops(0, links, 0) if loops is None else loops,
                self_contacts=new_self_contacts(links, 0, 0) if own is None else own,
                supports=records(0, layout.SUPPORT) if body.supports is None else body.supports,
                rotors=np.zeros(0, np.int64) if rotors is None else rotors,
                added=np.zeros(0) if body.added is None else body.added,
            ),
            drive=self.drive._replace(control=self.drive.control or layout.NO_CONTROL),
        )


@dataclass
class _Shared:
    """What scenarios of one robot in one world share."""

    robot: Robot
    world: World
    packed: layout.PackedWorld | None = None
    # By the room for what a controller remembers, for contacts and for commands on top.
    bodies: dict[tuple[int, int, int], layout.Body] = field(default_factory=dict)


class Preparation:
    """Prepares scenarios; what several of them share is made once.

    Attributes:
        complete: Whether bare robots are to be `completed` as well, because others are not bare.
        commanded: Whether robots that have a controller are commanded on top of it.
    """

    def __init__(self, complete: bool = False, commanded: bool = False) -> None:
        self.complete, self.commanded = complete or commanded, commanded
        self._kept: dict[Hashable, _Shared] = {}

    def prepare(
        self,
        scenario: Scenario,
        controller: object = None,
        start: State | None = None,
        allow_code: bool = False,
    ) -> PreparedRun:
        """Check a scenario and put it into numbers.

        Args:
            scenario: The scenario.
            controller: The controller itself, which the scenario may only name.
            start: The state to begin with instead of the scenario's start.
            allow_code: Whether a controller that a file names may be imported.

        Raises:
            InvalidInput: The scenario cannot be run, with the reason.
        """
        if scenario.continued and start is None:
            raise InvalidInput(
                "continued = True is not allowed without a state: run it with start=, the state in "
                "which the earlier run ended"
            )
        if scenario.record.contacts:
            scenario.solver.check_contacts_recorded()
        shared, time_step = self._shared(scenario), scenario.clock.time_step
        robot, world = shared.robot, shared.world
        if shared.packed is None:
            scenario.solver.check(robot, world)
            scenario.solver.check_step(robot, world, time_step)
            shared.packed = pack_world(world, robot)
        drive, memory = pack_drive(controller, len(robot.joints), time_step)
        if start is not None:
            sizes = len(robot.links), len(world.loads)
            start = checked_state(vars(start), *sizes, drive, memory)
        own = OwnTicks.of(controller, len(robot.joints), time_step, allow_code)
        on_top = controller is not None and self.commanded
        if own is not None and own.on_top:
            if on_top:
                raise InvalidInput(
                    "commanded = True is not allowed: a controller in Python is already added to "
                    "the compiled one of a robot"
                )
            on_top = True
        added = layout.added_size(len(robot.links)) if on_top else 0
        room = (len(memory), 0 if start is None else len(start.contact), added)
        body = shared.bodies.get(room)
        if body is None:
            body = shared.bodies[room] = pack_robot(robot, world, *room)
        body.memory[:] = memory
        if start is None:
            told = None
            if own is not None and scenario.start.joint_angles_deg is None:
                # If it fails, the first tick tells.
                with contextlib.suppress(ControllerError):
                    told = own.shape(robot, world, scenario.start, time_step)
            put_state(body, first_state(robot, world, controller, scenario.start, time_step, told))
            if own is not None and own.on_top and told is not None:
                # The row of the start is recorded before its first tick.
                added_commands(cast(layout.Floats, body.added))[:, 0] = told[0]
        else:
            put_state(body, start)
            check_kinetic_energy(body, shared.packed.surfaces[0])
        check_clear(body, world, shared.packed, scenario.solver)
        prepared = PreparedRun(
            scenario=scenario,
            robot=robot,
            world=world,
            packed=shared.packed,
            body=body,
            drive=drive,
            features=features_of(scenario, controller),
            own=own,
        )
        complete = self.complete or scenario.record.contacts or not prepared.is_bare
        return prepared.completed() if complete else prepared

    def _shared(self, scenario: Scenario) -> _Shared:
        """What was made of the same sections before, or is made now."""
        seed = scenario.seed if scenario.world.field is not None else 0
        sections = (scenario.robot, scenario.actuator, scenario.world, scenario.friction)
        key = (*sections, seed, scenario.solver, scenario.clock.time_step)
        try:
            found = self._kept.get(key)
        except TypeError:
            # A law of someone's own may hold what cannot be looked up.
            return _Shared(*scenario.built)
        if found is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = _Shared(*scenario.built)
        return found


def differ(scenarios: Iterable[Scenario]) -> bool:
    """Whether scenarios are of several kinds or not bare, so that all have to be `completed`."""
    bare, touching = True, set()
    for scenario in scenarios:
        try:
            robot, world = scenario.built
            drive, _ = pack_drive(scenario.controller, len(robot.joints), scenario.clock.time_step)
            supports = pack_supports(robot, world)
        except InvalidInput:
            continue
        # Most robots have one actuator for all joints.
        actuators = {id(joint.actuator): joint.actuator for joint in robot.joints}
        rotors = any(map(has_rotor, actuators.values()))
        features = (world.loads or None, supports, world.terrain, drive.control)
        controller = scenario.controller
        on_top = isinstance(controller, CompiledController) and controller.own is not None
        asked = rotors or scenario.record.contacts or on_top
        bare = bare and not asked and all(feature is None for feature in features)
        touching.add(touches_itself(robot, world))
    return not bare or len(touching) > 1


def features_of(scenario: Scenario, controller: object) -> frozenset[str]:
    """What a run of a scenario with a controller records besides the usual, see `variables`."""
    robot, world = scenario.built
    pedal = isinstance(controller, CompiledController) and controller.is_pedal
    found = {
        SPRINGS: robot.is_elastic,
        PEDAL: pedal,
        SUM: isinstance(controller, CompiledController) and controller.is_sum,
        COMPLIANT: world.is_compliant,
        LOADS: bool(world.loads),
        CONTACTS: scenario.record.contacts,
    }
    return scenario.solver.features | {name for name, there in found.items() if there}


def hold_shape(body: layout.Body, controller: object, time: float) -> None:
    """Command joints that no controller asks to hold the shape last wanted.

    With commands on top of a gait, contact forces go on being measured since the last of them.

    Args:
        body: The robot.
        controller: None, or a gait.
        time: From when on, s.
    """
    joints = body.joints.view(np.ndarray)
    if isinstance(controller, CompiledController):
        angle = controller.angles(len(joints), time)
        if body.added is not None and len(body.added):
            joints["angle"], joints["rate"] = angle + added_angles(body, time), 0.0
            joints["torque"] = added_commands(body.added)[:, 2]
            return
    else:
        angle = joints["angle"] + joints["rate"] * (time - joints["tick"])
    put_command(body.joints, body.bodies, body.last, (angle, 0.0, 0.0), time)
