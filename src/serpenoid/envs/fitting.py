"""Own scenarios, robots and worlds for a task, and whether they fit it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from serpenoid.checks import check_type, one_of, short
from serpenoid.control.interface import CompiledController
from serpenoid.engine.own_ticks import OwnTicks
from serpenoid.envs.actions import Action
from serpenoid.envs.tasks import TASKS
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model import robots
from serpenoid.model.actuator import Free
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.scenario.scenario import Scenario
from serpenoid.scenario.sections import place_of

# Options that take the place of parts of a task's own scenario.
OPTIONS = ("scenario", "robot", "world")


@dataclass(frozen=True)
class Fitted:
    """The scenario of a task, made of its own and of what was given instead.

    Attributes:
        task: Name of the task.
        scenario: The scenario, whose robot is given link by link.
        given: Options that were given, of OPTIONS.
        words: The same as messages name them; empty if nothing was.
    """

    task: str
    scenario: Scenario
    given: frozenset[str]
    words: str

    def drawn(self, scenario: Scenario) -> Scenario:
        """A scenario that the task has drawn for an episode, with what was given put back."""
        if "world" not in self.given:
            return scenario
        kept = {name: getattr(self.scenario, name) for name in ("world", "friction", "seed")}
        return replace(scenario, **kept)

    @property
    def misfit(self) -> str:
        """How the sentence begins that says why it does not fit."""
        return f"{self.words} does not fit {self.task}"

    def refuse(self, why: str) -> InvalidInput:
        """The sentence that says why it does not fit."""
        return InvalidInput(f"{self.misfit}: {why}")


def fitted(name: str, action: type[Action], options: Mapping[str, Any]) -> Fitted:
    """The scenario of a task, with what was given in place of parts of its own.

    Args:
        name: Name of the task.
        action: Kind of action.
        options: `scenario`: a `Scenario`, a file or a name of the gallery; `robot`: a `Robot` or a
            name; `world`: a `World`. None where the task's own is kept.

    Raises:
        InvalidInput: One of them is not allowed, or does not fit the task or the action.
    """
    given = {key: options[key] for key in OPTIONS if options[key] is not None}
    scenario = TASKS[name].scenario(action.torque)
    if "scenario" in given:
        scenario = _own(given["scenario"], action.on_top)
    elif action.on_top:
        raise InvalidInput(
            "action = 'residual' is not allowed without scenario: the task's own scenario has no "
            "controller to correct"
        )
    robot = _robot(given["robot"]) if "robot" in given else scenario.built[0]
    scenario = replace(scenario, robot=robot, actuator=None)
    if "world" in given:
        check_type("world", given["world"], World, origin="serpenoid")
        world = given["world"]
        scenario = replace(scenario, world=place_of(world), friction=world.friction)
    words = " and ".join(_named(key, value) for key, value in given.items())
    made = Fitted(name, scenario, frozenset(given), words)
    if given:
        _check(made, action)
    return made


def _own(given: Any, controlled: bool) -> Scenario:
    """A scenario as it is given, in which the robot starts as in a run of it.

    Args:
        given: The scenario, a file or a name of the gallery.
        controlled: Whether its controller stays.
    """
    if not isinstance(given, Scenario | str | os.PathLike):
        raise InvalidInput(
            f"scenario = {short(given)} is not allowed: it must be a Scenario, a file or a name of "
            "the gallery"
        )
    scenario = given if isinstance(given, Scenario) else Scenario.load(given)
    if scenario.continued:
        raise InvalidInput(
            "scenario is not allowed: it continues an earlier run, and cannot hold where that ended"
        )
    if controlled:
        return scenario
    start = scenario.start
    angles = _first_angles(scenario) if start.joint_angles_deg is None else None
    if angles is not None:
        start = replace(start, joint_angles_deg=tuple(np.degrees(angles).tolist()))
    return replace(scenario, controller=None, start=start)


def _first_angles(scenario: Scenario) -> Floats | None:
    """Joint angles that the controller of a scenario commands at t = 0, rad; None if it has none.

    Raises:
        InvalidInput: It is Python code that may not run, or cannot be used.
        ControllerError: It fails.
    """
    controller, time_step = scenario.controller, scenario.clock.time_step
    robot, world = scenario.built
    angles = None
    if isinstance(controller, CompiledController):
        angles = controller.angles(len(robot.joints))
    own = OwnTicks.of(controller, len(robot.joints), time_step)
    told = own.shape(robot, world, scenario.start, time_step) if own is not None else None
    if told is None:
        return angles
    return told[0] if angles is None else angles + told[0]


def _robot(given: Any) -> Robot:
    if isinstance(given, str):
        return robots.BY_NAME[one_of("robot", given, robots.BY_NAME)](None)
    if not isinstance(given, Robot):
        raise InvalidInput(
            f"robot = {short(given)} is not allowed: it must be a serpenoid Robot or a name, "
            f"{', '.join(robots.BY_NAME)}"
        )
    return given


def _named(key: str, value: Any) -> str:
    """An option as a message names it."""
    return f"{key} {os.fspath(value)!r}" if isinstance(value, str | os.PathLike) else key


def _check(made: Fitted, action: type[Action]) -> None:
    """Refuse what lacks something that the task or the action needs."""
    joints = made.scenario.built[0].joints
    if not joints:
        raise made.refuse("the robot has a single link, and the task needs joints")
    for need in TASKS[made.task].needs:
        if not need.holds(made.scenario):
            raise made.refuse(f"the task needs {need.words}")
    if action.on_top and made.scenario.controller is None:
        raise made.refuse("action 'residual' needs a controller to correct, and there is none")
    if action.on_top and getattr(made.scenario.controller, "own", None) is not None:
        raise made.refuse(
            "action 'residual' cannot correct a controller with parts in Python beside compiled "
            "ones; take a controller that is all of one kind"
        )
    driven = [j for j, joint in enumerate(joints) if not isinstance(joint.actuator, Free)]
    if not driven:
        raise made.refuse("all joints are free, and no action moves them")
    for j in driven:
        actuator = joints[j].actuator
        if not action.drives(actuator):
            kp = getattr(actuator, "kp", None)
            has = type(actuator).__name__ + ("" if kp is None else f" with kp = {kp:g}")
            raise made.refuse(f"joint {j} has {has}, and this action needs {action.needs}")
