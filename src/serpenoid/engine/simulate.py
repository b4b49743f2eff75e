"""The loop: controller ticks, compiled steps between them, rows recorded."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.control.interface import CompiledController, Controller, Observation, as_command
from serpenoid.engine import assemble as model
from serpenoid.engine import assemble_world as surroundings
from serpenoid.engine import recording
from serpenoid.engine.provenance import attributes, described
from serpenoid.engine.single import Single
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import ControllerError, Interrupted, InvalidInput, SimulationStopped
from serpenoid.kernels import layout
from serpenoid.methods.method import Method, as_method, reason
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start, check_clear, first_state
from serpenoid.model.state import State
from serpenoid.model.world import World
from serpenoid.progress import clock_bar
from serpenoid.spec import plain

if TYPE_CHECKING:
    Control = CompiledController | Controller | None

# More steps, or rows, than any run could take.
_MOST_STEPS = 1e12
# Rows times links that are worth trying to keep: some 100 GB.
_MOST_NUMBERS = 1e9


def simulate(
    robot: Robot,
    world: World | None = None,
    controller: CompiledController | Controller | None = None,
    duration: float = 10.0,
    *,
    start: Start | State | None = None,
    time_step: float = 1e-3,
    record_period: float = 0.01,
    solver: str | Method = "newton",
    seed: int = 0,
    title: str = "",
    progress: bool | Callable[[float], None] = False,
) -> Trajectory:
    """Simulate a robot in a world and return what happened.

    controller: a gait, any object with a period and a command method, or None to hold the shape the
    robot starts in. duration, time_step, record_period: s. start: a pose, or the state of an
    earlier run to continue it; another controller than before begins afresh. solver: 'newton',
    'prox', 'hybrid', 'explicit', or one of them with its options. seed, title: noted in the result.
    progress: True shows a bar if the run takes longer than two seconds; or a function, called with
    the simulated time now and then.
    """
    world = World() if world is None else world
    for name, value, kinds in (
        ("robot", robot, (Robot,)),
        ("world", world, (World,)),
        ("start", start, (Start, State, type(None))),
    ):
        if not isinstance(value, kinds):
            raise InvalidInput(
                f"{name} = {value!r} is not allowed: it must be a "
                + " or ".join(kind.__name__ for kind in kinds if kind is not type(None))
            )
    method = as_method(solver)
    method.check(robot, world)
    time_step, record_period, duration = plain(time_step), plain(record_period), plain(duration)
    if isinstance(start, State) and start.time_step != time_step:
        raise InvalidInput(
            f"time_step = {time_step!r} is not allowed: the state to continue from has "
            f"{start.time_step!r} s"
        )
    every = whole_multiple("record_period", record_period, "time_step", time_step)
    method.check_step(robot, world, time_step)
    steps = whole_multiple("duration", duration, "record_period", record_period) * every
    rows = steps // every + 1
    if rows * len(robot.links) > _MOST_NUMBERS:
        raise InvalidInput(
            f"record_period = {record_period!r} is not allowed: {rows} rows do not fit into "
            "memory; it must be longer, or duration shorter"
        )
    if type(plain(seed)) is not int or plain(seed) < 0:
        raise InvalidInput(f"seed = {seed!r} is not allowed: it must be a whole number, at least 0")
    if not isinstance(title, str):
        raise InvalidInput(f"title = {title!r} is not allowed: it must be text")
    if not isinstance(progress, bool) and not callable(progress):
        raise InvalidInput(
            f"progress = {progress!r} is not allowed: it must be True, False or a function"
        )
    run = _Run(robot, world, controller, method, start, time_step, every, steps)
    run.scenario |= {"record_period": record_period, "duration": duration, "seed": plain(seed)}
    run.scenario |= {"title": title}
    try:
        if progress is True:
            with clock_bar(run.time, run.time + duration) as show:
                run.go(show)
        else:
            run.go(progress or None)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted at t = {run.time:g} s", run.result()) from None
    return run.result()


class _Run:
    """A run under way: the records, the clock and the controller."""

    def __init__(
        self,
        robot: Robot,
        world: World,
        controller: Control,
        method: Method,
        start: Start | State | None,
        time_step: float,
        every: int,
        steps: int,
    ) -> None:
        self.controller, self.method = controller, method
        self.time_step, self.every = time_step, every
        self.ticks = _ticks(controller, time_step)
        packed = surroundings.pack_world(world, robot)
        gait, control, memory = layout.HELD_GAIT, layout.NO_CONTROL, np.zeros(0)
        if isinstance(controller, CompiledController):
            gait = controller.gait()
            control, memory = controller.control(len(robot.joints), time_step)
        if isinstance(start, State):
            first = start
        else:
            first = first_state(robot, world, controller, start or Start(), time_step)
        body = model.pack_robot(robot, world, len(memory), len(first.contact))
        body.memory[:] = memory
        model.put_state(body, first)
        if not model.owns_kinetic_energy(body):
            raise InvalidInput("the state is that of another robot: its kinetic energy differs")
        check_clear(body, world, packed)
        self.soft = not packed.hard
        pedal = isinstance(controller, CompiledController) and controller.is_pedal
        try:
            self.record = recording.new_record(
                steps // every + 1, len(robot.links), len(world.loads), robot.is_elastic, pedal
            )
        except MemoryError:
            raise InvalidInput(
                f"record_period = {every * time_step!r} is not allowed: {steps // every + 1} rows "
                "do not fit into memory; it must be longer, or duration shorter"
            ) from None
        self.end = first.step + steps
        self.scenario = described(robot, world, controller, method, start, time_step)
        # Neither asked nor ticking by itself: it has the joints held where a run ends.
        self.holds = not self.ticks and not control.ticks
        if self.holds:
            hold(body, controller, first.step * time_step)
        drive = (gait, control)
        self.single = Single(robot, body, self.record, packed, drive, method, time_step, every)

    @property
    def body(self) -> layout.Body:
        """The robot."""
        return self.single.body

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.single.time

    def go(self, progress: Callable[[float], None] | None) -> None:
        """Step to the end, in chunks that leave the interpreter room for Ctrl-C and progress."""
        chunk = 100
        while self.body.step[0] < self.end:
            step = int(self.body.step[0])
            if self.ticks and step % self.ticks == 0:
                self._tick()
            # Whole rows where it can be, so that an interrupted run ends with one.
            count = chunk // self.every * self.every or chunk
            until_tick = self.ticks - step % self.ticks if self.ticks else count
            before = clock.perf_counter()
            self._advance(min(count, until_tick, self.end - step))
            passed = clock.perf_counter() - before
            if passed < 0.1:
                chunk *= 2
            elif passed > 0.4:
                chunk = max(1, chunk // 4)
            if progress is not None:
                progress(self.time)

    def _advance(self, count: int) -> None:
        """Take steps; where one cannot be solved, go back to the end of the last whole one."""
        single, record = self.single, self.record
        target = int(self.body.step[0]) + count
        before = model.get_state(self.body, self.time_step)
        windows = [np.copy(array) for array in recording.windows(record)]
        logged = int(single.flow.logged[0]) if single.flow else 0
        while self.body.step[0] < target:
            status = single.step(target - int(self.body.step[0]))
            if status == layout.CONTACTS_FULL:
                single.grow()
            elif status != layout.DONE:
                why = reason(status, self.body, self.time_step, self.method)
                whole = int(self.body.step[0]) - before.step
                self.body.pieces[:] = 0
                model.put_state(self.body, before)
                for array, saved in zip(recording.windows(record), windows, strict=True):
                    array[...] = saved
                if single.flow:
                    single.flow.logged[0] = logged
                if whole > 0:
                    single.step(whole)
                raise SimulationStopped(why, self.result())

    def _tick(self) -> None:
        """Ask the controller, and put its command into the joints."""
        assert isinstance(self.controller, Controller)
        links: Any = self.body.links
        now = self.time
        motion, felt = self.single.observe()
        observation = Observation(
            now,
            *(motion[0], motion[1], motion[2], motion[3], motion[4], motion[5]),
            joint_angle=felt[0],
            joint_rate=felt[1],
            contact_force=np.ascontiguousarray(motion[6:].T),
            spring_torque=felt[2],
        )
        links.tick_x = links.tick_y = 0.0
        try:
            command = as_command(self.controller.command(observation), len(self.body.joints), now)
        except Exception as error:
            if not isinstance(error, ControllerError):
                words = f"controller failed at t = {now:g} s: {type(error).__name__}: {error}"
                failure = ControllerError(words)
                failure.run = self.result()
                raise failure from error
            error.run = self.result()
            raise
        model.put_command(self.body, command.angle, command.rate, command.torque, now)

    def result(self) -> Trajectory:
        """What was recorded up to now."""
        if self.holds:
            hold(self.body, self.controller, self.time)
        flow = self.single.flow
        return Trajectory(
            columns=recording.columns(self.record, self.soft),
            state=model.get_state(self.body, self.time_step),
            scenario=self.scenario,
            attributes=attributes(),
            stepping_seconds=self.single.seconds,
            events=model.events(flow) if flow else np.zeros((0, 4)),
        )


def hold(body: layout.Body, controller: Control, time: float) -> None:
    """Without ticks: command the joints to hold the shape last wanted, from now (s) on."""
    links, joints = body.links.view(np.ndarray), body.joints.view(np.ndarray)
    if isinstance(controller, CompiledController):
        angle = controller.angles(len(joints), time)
    else:
        angle = joints["angle"] + joints["rate"] * (time - joints["tick"])
    model.put_command(body, angle, 0.0, 0.0, time)
    links["tick_x"] = links["tick_y"] = 0.0


def _ticks(controller: Control, time_step: float) -> int:
    """Steps from one tick of the controller to the next; 0 without a controller."""
    if controller is None or isinstance(controller, CompiledController):
        return 0
    if not isinstance(controller, type) and isinstance(controller, Controller):
        return whole_multiple("controller.period", plain(controller.period), "time_step", time_step)
    raise InvalidInput(
        f"controller = {controller!r} is not allowed: it must be a gait, None, or have a period "
        "and a command method"
    )


def whole_multiple(name: str, value: Any, unit_name: str, unit: Any) -> int:
    """How many units make up the value; InvalidInput unless that is a whole number above zero."""
    for key, number in ((unit_name, unit), (name, value)):
        if type(number) not in (int, float) or not 0 < number <= sys.float_info.max:
            raise InvalidInput(
                f"{key} = {number!r} is not allowed: it must be a finite number greater than 0 (s)"
            )
    if value / unit > _MOST_STEPS:
        raise InvalidInput(
            f"{name} = {value!r} is not allowed: it must be at most {_MOST_STEPS:g} times "
            f"{unit_name}, {unit!r} s"
        )
    count: int = round(value / unit)
    if count < 1 or abs(count * unit - value) > 1e-9 * value:
        raise InvalidInput(
            f"{name} = {value!r} is not allowed: it must be a whole multiple of {unit_name}, "
            f"{unit!r} s"
        )
    return count
