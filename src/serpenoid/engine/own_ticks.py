"""Ticks of controllers in Python: what they see, are asked and command."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import plain, whole_multiple
from serpenoid.control.interface import CompiledController, Observation, as_command
from serpenoid.control.own import is_controller, make_own, no_controller
from serpenoid.control.python_controller import Made
from serpenoid.control.source import error_words, place_of
from serpenoid.engine.states import first_state, link_middles
from serpenoid.errors import ControllerError
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.world import World

if TYPE_CHECKING:
    from serpenoid.engine.engine import Engine

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class OwnTicks:
    """The controller in Python of one robot.

    Attributes:
        made: The object.
        steps: From one tick to the next.
        joints: Of the robot.
        on_top: Whether it is added to a compiled controller.
    """

    made: Made
    steps: int
    joints: int
    on_top: bool

    @classmethod
    def of(
        cls, controller: object, joints: int, time_step: float, allow_code: bool = False
    ) -> OwnTicks | None:
        """The part of a controller that is computed in Python, made to run; None without one.

        Args:
            controller: A controller.
            joints: Number of joints.
            time_step: s.
            allow_code: Whether code that files name may run.

        Raises:
            InvalidInput: It cannot be made, is no controller, or its period does not fit.
        """
        made = make_own(controller, allow_code)
        if made is None:
            return None
        if not is_controller(made.controller):
            raise no_controller(made.controller)
        period = plain(made.read_period())
        steps = whole_multiple("controller.period", period, "clock.time_step", time_step)
        return cls(made, steps, joints, isinstance(controller, CompiledController))

    def is_due(self, step: int) -> bool:
        """Whether it has a tick before a step."""
        return step % self.steps == 0

    def next_tick(self, step: int) -> int:
        """The step before which its next tick is, after this one."""
        return step - step % self.steps + self.steps

    def ask(self, seen: Observation) -> Sequence[Floats]:
        """Its answer to an observation: angle, rad, rate, rad/s, and torque, N m, (n-1,) each.

        Raises:
            ControllerError: It fails, or its answer is no command.
        """
        return _answer(self.made.controller, seen, self.joints)

    def shape(
        self, robot: Robot, world: World, start: Start, time_step: float
    ) -> tuple[Floats, Floats] | None:
        """Angles, rad, and rates, rad/s, that it commands a straight robot at t = 0.

        A copy of the controller is asked, so that it remembers nothing of it. None where it cannot
        be copied.

        Raises:
            ControllerError: It fails, or its answer is no command.
        """
        probe = self.made.probe()
        if probe is None:
            return None
        straight = first_state(robot, world, None, start, time_step)
        angle, rate, _ = _answer(probe, observation_of(straight, robot), self.joints)
        return angle, rate


class BatchTicks:
    """The controllers in Python of a batch of robots.

    Attributes:
        own: That of each robot; None without one.
    """

    def __init__(self, count: int) -> None:
        """Make room for a number of robots, none with a controller yet."""
        self.own: list[OwnTicks | None] = [None] * count
        # Those that are there, by robot.
        self._there: dict[int, OwnTicks] = {}
        # The step before which each answered last, so that after Ctrl-C none is asked twice.
        self._answered = np.full(count, -1)

    @property
    def robots(self) -> list[int]:
        """Numbers of the robots that have one."""
        return list(self._there)

    def put(self, b: int, own: OwnTicks | None) -> None:
        """Take the controller of a robot that starts anew."""
        self.own[b], self._answered[b] = own, -1
        self._there.pop(b, None)
        if own is not None:
            self._there[b] = own

    def forget(self) -> None:
        """Drop the controllers; of each the digest stays, which runs that have ended record."""
        for b, own in self._there.items():
            self.own[b] = replace(own, made=Made(None, own.made.digest))
        self._there.clear()

    def holds(self, engine: Engine, b: int) -> bool:
        """Whether a robot ends in the last shape commanded, as `PreparedRun.holds`."""
        own = self.own[b]
        return not engine.ticks[b] and (own is None or own.on_top)

    def ask(self, engine: Engine, active: Flags) -> dict[int, ControllerError]:
        """Ask the controllers that are due, and put their commands into the joints.

        Args:
            engine: The robots.
            active: Which of them have a step to take, (b,).

        Returns:
            What went wrong, by number of the robot.
        """
        steps, seen, errors = engine.step, {}, {}
        for b, own in sorted(self._there.items()):
            step = int(steps[b])
            if not active[b] or not own.is_due(step) or self._answered[b] == step:
                continue
            if own.on_top not in seen:
                seen[own.on_top] = engine.observe(own.on_top)
            try:
                engine.command_one(b, own.ask(seen_by(seen[own.on_top], b)), own.on_top)
            except ControllerError as error:
                errors[b] = error
            else:
                self._answered[b] = step
        return errors

    def until(self, steps: Ints, end: Ints) -> Ints:
        """The step to take each robot to: its next tick, or the end, (b,)."""
        target = end.copy()
        for b, own in self._there.items():
            target[b] = min(target[b], own.next_tick(int(steps[b])))
        return target


def _answer(controller: Any, seen: Observation, joints: int) -> Sequence[Floats]:
    now = float(seen.time)
    try:
        command: Any = as_command(controller.command(seen), joints, now)
    except ControllerError:
        raise
    except (Exception, SystemExit) as error:
        place = place_of(error, _file_of(controller)).removesuffix(": ")
        where = f" in {place}" if place else ""
        words = f"controller failed at t = {now:g} s{where}: {error_words(error)}"
        raise ControllerError(words) from error
    return command.angle, command.rate, command.torque


def _file_of(controller: object) -> str | None:
    """The file of the class of a controller; None if it has none."""
    try:
        file = inspect.getfile(type(controller))
    except (OSError, TypeError):
        return None
    return file if Path(file).suffix == ".py" else None


def seen_by(seen: Observation, b: int) -> Observation:
    """What the controller of robot b sees, of the observation of a batch."""
    # Forces lie in memory as those of one robot, whose sums are the same to the bit.
    alone: dict[str, Any] = {
        name: np.ascontiguousarray(array[b]) for name, array in vars(seen).items()
    }
    return Observation(**alone | {"time": float(seen.time[b])})


def observation_of(state: State, robot: Robot) -> Observation:
    """What a controller sees of a robot that starts; nothing has pushed it yet."""
    middles, velocities = link_middles(robot, state)
    omega, joints = state.velocity[:, 2], len(robot.joints)
    return Observation(
        time=state.time,
        x=middles[:, 0],
        y=middles[:, 1],
        theta=state.theta,
        vx=velocities[:, 0],
        vy=velocities[:, 1],
        omega=omega,
        joint_angle=np.diff(state.theta),
        joint_rate=np.diff(omega),
        contact_force=np.zeros((joints + 1, 2)),
        spring_torque=np.zeros(joints),
        load_pose=state.load[:, :3].copy(),
        load_velocity=state.load[:, 3:6].copy(),
    )
