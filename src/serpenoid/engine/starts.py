"""Scenarios made ready to start as the kernels take them; what several share is made once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from serpenoid.control.interface import CompiledController
from serpenoid.engine import assemble as model
from serpenoid.engine import assemble_world as surroundings
from serpenoid.engine.simulate import hold
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.model.robot import Robot
from serpenoid.model.start import check_clear, first_state
from serpenoid.model.world import World
from serpenoid.scenario.scenario import Scenario, in_sections

# Robots in worlds that are kept in case another scenario has the same.
_MOST_KEPT = 256


@dataclass(frozen=True)
class Ready:
    """A robot that is ready to start. body: shared with others, valid until the next is made."""

    robot: Robot
    world: World
    packed: layout.World
    body: layout.Body
    gait: layout.Gait
    control: layout.Control
    is_pedal: bool

    @property
    def structure(self) -> dict[str, Any]:
        """What robots of one batch have in common: what they are made of, and what is recorded."""
        return {
            "number of links": len(self.robot.links),
            "number of loads": len(self.world.loads),
            "series-elastic joints": self.robot.is_elastic,
            "pedal wave": self.is_pedal,
            "compliant terrain": not self.packed.hard,
        }


@dataclass
class _Common:
    """What scenarios of one robot in one world share; bodies: by what a controller remembers."""

    robot: Robot
    world: World
    packed: layout.World | None = None
    bodies: dict[int, layout.Body] = field(default_factory=dict)


class Starts:
    """Makes scenarios ready, with all checks of a single run."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Common] = {}

    def ready(self, scenario: Scenario) -> Ready:
        """The robot of a scenario, ready to start; InvalidInput if it cannot."""
        controller: Any = scenario.controller
        if controller is not None and not isinstance(controller, CompiledController):
            raise InvalidInput(
                f"controller = {type(controller).__name__} is not allowed in a batch: it is no "
                "compiled one; simulate each scenario by itself, or command a Batch without one"
            )
        common = self._common(scenario)
        try:
            return _ready(scenario, common, controller)
        except InvalidInput as error:
            raise type(error)(in_sections(str(error))) from None

    def built(self, scenario: Scenario) -> tuple[Robot, World]:
        """The robot and the world of a scenario."""
        common = self._common(scenario)
        return common.robot, common.world

    def _common(self, scenario: Scenario) -> _Common:
        """What was made of the same sections before, or is made now."""
        seed = scenario.seed if scenario.world.field is not None else 0
        sections = (scenario.robot, scenario.actuator, scenario.world, scenario.friction)
        key = (*sections, seed, scenario.solver, scenario.clock.time_step)
        try:
            found = self._kept.get(key)
        except TypeError:
            # A law of someone's own may hold what cannot be looked up.
            return _Common(*scenario.built)
        if found is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = _Common(*scenario.built)
        return found


def _ready(scenario: Scenario, common: _Common, controller: CompiledController | None) -> Ready:
    robot, world, time_step = common.robot, common.world, scenario.clock.time_step
    if common.packed is None:
        scenario.solver.check(robot, world)
        scenario.solver.check_step(robot, world, time_step)
        common.packed = surroundings.pack_world(world, robot)
    gait, control, memory = layout.HELD_GAIT, layout.NO_CONTROL, np.zeros(0)
    if controller is not None:
        gait = controller.gait()
        control, memory = controller.control(len(robot.joints), time_step)
    body = common.bodies.get(len(memory))
    if body is None:
        body = common.bodies[len(memory)] = model.pack_robot(robot, world, len(memory))
    body.memory[:] = memory
    first = first_state(robot, world, controller, scenario.start, time_step)
    model.put_state(body, first)
    check_clear(body, world, common.packed)
    if not control.ticks:
        hold(body, controller, 0.0)
    pedal = controller is not None and controller.is_pedal
    return Ready(robot, world, common.packed, body, gait, control, pedal)
