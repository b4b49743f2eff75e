"""Scenarios made ready to start as the kernels take them; what several share is made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from serpenoid.control.controller import CompiledController
from serpenoid.errors import InvalidInput
from serpenoid.kernels import types as kt
from serpenoid.robot import Robot
from serpenoid.scenario.scenario import Scenario, in_sections
from serpenoid.simulate import hold
from serpenoid.solvers import model
from serpenoid.start import check_clear, first_state
from serpenoid.world import World

T = TypeVar("T")

# Robots and worlds that are kept in case another scenario has the same.
_MOST_KEPT = 256


@dataclass(frozen=True)
class Ready:
    """A robot that is ready to start. body: shared with others, valid until the next is made."""

    robot: Robot
    world: World
    packed: kt.World
    body: kt.Body
    gait: kt.Gait
    control: kt.Control
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


class Starts:
    """Makes scenarios ready, with all checks of a single run."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def ready(self, scenario: Scenario) -> Ready:
        """The robot of a scenario, ready to start; InvalidInput if it cannot."""
        controller: Any = scenario.controller
        if controller is not None and not isinstance(controller, CompiledController):
            raise InvalidInput(
                f"controller = {type(controller).__name__} is not allowed in a batch: it is no "
                "compiled one; simulate each scenario by itself, or command a Batch without one"
            )
        robot, world = self.built(scenario)
        try:
            return self._ready(scenario, robot, world, controller)
        except InvalidInput as error:
            raise type(error)(in_sections(str(error))) from None

    def built(self, scenario: Scenario) -> tuple[Robot, World]:
        """The robot and the world of a scenario."""
        seed = scenario.seed if scenario.world.field is not None else 0
        keys = (scenario.robot, scenario.actuator), (scenario.world, scenario.friction, seed)
        robot = self._once(("robot", *keys[0]), lambda: scenario.built[0])
        return robot, self._once(("world", *keys[1]), lambda: scenario.built[1])

    def _ready(
        self, scenario: Scenario, robot: Robot, world: World, controller: CompiledController | None
    ) -> Ready:
        time_step, method = scenario.clock.time_step, scenario.solver
        pair = (robot, world)

        def pack() -> kt.World:
            method.check(robot, world)
            method.check_step(robot, world, time_step)
            return model.pack_world(world, robot)

        packed = self._once(("packed", method, time_step, *pair), pack)
        gait, control, memory = kt.HELD_GAIT, kt.NO_CONTROL, np.zeros(0)
        if controller is not None:
            gait = controller.gait()
            control, memory = controller.control(len(robot.joints), time_step)
        size = len(memory)
        body = self._once(("body", size, *pair), lambda: model.pack_robot(robot, world, size))
        body.memory[:] = memory
        first = first_state(robot, world, controller, scenario.start, time_step)
        model.put_state(body, first)
        check_clear(body, world, packed)
        if not control.ticks:
            hold(body, controller, 0.0)
        pedal = controller is not None and controller.is_pedal
        return Ready(robot, world, packed, body, gait, control, pedal)

    def _once(self, key: tuple[Hashable, ...], make: Callable[[], T]) -> T:
        """What was made of the same before, or is made now."""
        try:
            if key not in self._kept:
                if len(self._kept) >= _MOST_KEPT:
                    self._kept.clear()
                self._kept[key] = make()
        except TypeError:
            # A law of someone's own may hold what cannot be looked up.
            return make()
        found: T = self._kept[key]
        return found
