"""The loop: controller ticks, compiled steps between them, rows recorded."""

from __future__ import annotations

import functools
import json
import math
import pickle
import platform
import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pydantic

from serpenoid._version import __version__
from serpenoid.control.controller import CompiledController, Controller, Observation, as_command
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    InvalidInput,
    OutputError,
    SimulationStopped,
)
from serpenoid.kernels import types as kt
from serpenoid.progress import clock_bar
from serpenoid.robot import Robot
from serpenoid.solvers import model, recording, surroundings
from serpenoid.solvers.methods import Explicit, Hybrid, Method, as_method
from serpenoid.solvers.state import State
from serpenoid.spec import plain
from serpenoid.start import Start, check_clear, first_state
from serpenoid.trajectory import Trajectory
from serpenoid.world import World

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
        _announce_compilation(method)
        from serpenoid.kernels import step as kernel
        from serpenoid.kernels._jit import CACHE_FOLDER

        self.kernel = kernel
        self.controller, self.time_step, self.every = controller, time_step, every
        self.ticks = _ticks(controller, time_step)
        self.method, self.options = method, method.options()
        self.world = surroundings.pack_world(world, robot)
        self.gait, self.control, memory = kt.HELD_GAIT, kt.NO_CONTROL, np.zeros(0)
        if isinstance(controller, CompiledController):
            self.gait = controller.gait()
            self.control, memory = controller.control(len(robot.joints), time_step)
        if isinstance(start, State):
            first = start
        else:
            first = first_state(robot, world, controller, start or Start(), time_step)
        self.body = model.pack_robot(robot, world, len(memory), len(first.contact))
        self.body.memory[:] = memory
        model.put_state(self.body, first)
        if not model.owns_kinetic_energy(self.body):
            raise InvalidInput("the state is that of another robot: its kinetic energy differs")
        check_clear(self.body, world, self.world)
        self.dense = model.new_dense(self.body, self.options.solver)
        solver = self.options.solver
        self.flow = model.new_flow(self.body) if solver == kt.HYBRID else None
        self.chain = model.new_lagrange(self.body, robot) if solver == kt.EXPLICIT else None
        self.soft = not self.world.hard
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
        self.origin = int(self.body.step[0])
        self.end = self.origin + steps
        self.stepping = 0.0
        self.scenario = described(robot, world, controller, method, start, time_step)
        self._hold()
        kernel.write_row(self.body, self.gait, time_step, every, self.record)
        # No steps: loads or compiles the machine code, which is not stepping time.
        try:
            self._step(0)
        except (pickle.UnpicklingError, EOFError) as error:
            raise OutputError(
                f"the compiled kernels in {CACHE_FOLDER} are damaged ({error}); delete that folder"
            ) from None

    @property
    def time(self) -> float:
        """Time reached, s."""
        return float(self.body.step[0]) * self.time_step

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

    def _step(self, count: int) -> int:
        before = clock.perf_counter()
        status = self.kernel.run(
            self.world,
            self.body,
            self.gait,
            self.control,
            self.time_step,
            count,
            self.origin,
            self.every,
            self.options,
            self.dense,
            self.flow,
            self.chain,
            self.record,
        )
        self.stepping += clock.perf_counter() - before if count else 0.0
        return status

    def _advance(self, count: int) -> None:
        """Take steps; where one cannot be solved, go back to the end of the last whole one."""
        record = self.record
        target = int(self.body.step[0]) + count
        before = model.get_state(self.body, self.time_step)
        windows = [np.copy(array) for array in recording.windows(record)]
        logged = int(self.flow.logged[0]) if self.flow else 0
        while self.body.step[0] < target:
            status = self._step(target - int(self.body.step[0]))
            if status == kt.CONTACTS_FULL:
                self.body = model.grown(self.body)
                self.dense = model.new_dense(self.body, self.options.solver)
                if self.flow:
                    old = self.flow
                    self.flow = model.new_flow(self.body)._replace(log=old.log, logged=old.logged)
            elif status != kt.DONE:
                why = reason(status, self.body, self.time_step, self.method)
                whole = int(self.body.step[0]) - before.step
                self.body.pieces[:] = 0
                model.put_state(self.body, before)
                for array, saved in zip(recording.windows(record), windows, strict=True):
                    array[...] = saved
                if self.flow:
                    self.flow.logged[0] = logged
                if whole > 0:
                    self._step(whole)
                raise SimulationStopped(why, self.result())

    def _tick(self) -> None:
        """Ask the controller, and put its command into the joints."""
        from serpenoid.kernels.chain import place_links

        assert isinstance(self.controller, Controller)
        links: Any = self.body.links
        now = self.time
        place_links(links, self.body.com)
        names = ("x", "y", "theta", "vx", "vy", "omega")
        seen = {name: np.array(links[name]) for name in names}
        # Of the links' middles, where rotors move the centres of mass from them.
        seen["x"] += links.middle * links.ex
        seen["y"] += links.middle * links.ey
        seen["vx"] -= links.middle * links.omega * links.ey
        seen["vy"] += links.middle * links.omega * links.ex
        since = now - float(self.body.last[1])
        felt = np.stack([links.tick_x, links.tick_y], axis=1)
        observation = Observation(
            time=now,
            joint_angle=np.diff(seen["theta"]),
            joint_rate=np.diff(seen["omega"]),
            contact_force=felt / since if since > 0 else 0 * felt,
            spring_torque=model.spring_torques(self.body),
            **seen,
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

    def _hold(self) -> None:
        if not self.ticks and not self.control.ticks:
            hold(self.body, self.controller, self.time)

    def result(self) -> Trajectory:
        """What was recorded up to now."""
        self._hold()
        return Trajectory(
            columns=recording.columns(self.record, self.soft),
            state=model.get_state(self.body, self.time_step),
            scenario=self.scenario,
            attributes=attributes(),
            stepping_seconds=self.stepping,
            events=model.events(self.flow) if self.flow else np.zeros((0, 4)),
        )


def hold(body: kt.Body, controller: Control, time: float) -> None:
    """Without ticks: command the joints to hold the shape last wanted, from now (s) on."""
    links, joints = body.links.view(np.ndarray), body.joints.view(np.ndarray)
    if isinstance(controller, CompiledController):
        angle = controller.angles(len(joints), time)
    else:
        angle = joints["angle"] + joints["rate"] * (time - joints["tick"])
    model.put_command(body, angle, 0.0, 0.0, time)
    links["tick_x"] = links["tick_y"] = 0.0


def described(
    robot: Robot,
    world: World,
    controller: Control,
    method: Method,
    start: Start | State | None,
    time_step: float,
) -> dict[str, Any]:
    """What a run was made of, as plain values."""
    return {
        "robot": _plain(robot),
        "world": _plain(world),
        "controller": _plain(controller),
        "solver": _plain(method),
        "start": None if isinstance(start, State) else _plain(start or Start()),
        "time_step": time_step,
    }


def attributes() -> dict[str, str]:
    """What a run was computed with."""
    return {
        "serpenoid_version": __version__,
        "platform": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }


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
        if type(number) not in (int, float) or not math.isfinite(number) or number <= 0:
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


@functools.cache
def _announce(kernel: str, time: str) -> None:
    from serpenoid.kernels._jit import announce_compilation

    announce_compilation(kernel, time)


def _announce_compilation(method: Method) -> None:
    """Say once that the first run on a machine compiles, each of the papers' methods by itself."""
    hybrid = isinstance(method, Hybrid)
    kernel = "newton.search"
    if hybrid or isinstance(method, Explicit):
        kernel = "hybrid.step_hybrid" if hybrid else "explicit.step_explicit"
    _announce(kernel, "a minute" if hybrid else "half a minute")


def reason(status: int, body: kt.Body, time_step: float, method: Method) -> str:
    """Why a run stopped, in one sentence with time, place, law and remedy."""
    index, law = (int(value) for value in body.blame)
    n = len(body.links)
    who = f"link {index}" if index < n else f"load {index - n}"
    place = {
        kt.NO_LAW: "",
        kt.GROUND_LAW: f", ground friction of {who}",
        kt.CONTACT_LAW: f", contact of {who}",
        kt.LIMIT_LAW: f", limit of joint {index}",
    }[law]
    what = {
        kt.NO_CONVERGENCE: "the step did not converge",
        kt.NOT_FINITE: "the motion is no longer finite",
        kt.TOO_DEEP: "an obstacle was entered too deeply",
        kt.TOO_FAST: "a link outran the search for contacts",
        kt.TOO_ROUGH: "the links turn too fast for the hinges to be closed without work",
    }[status]
    when = f"stopped at t = {body.step[0] * time_step:g} s"
    return f"{when}{place}: {what}, {method.remedy(time_step)}"


def _plain(value: Any) -> Any:
    """A spec as plain values; any other controller by the name of its class."""
    if value is None:
        return None
    if hasattr(value, "__pydantic_validator__"):
        return json.loads(pydantic.TypeAdapter(type(value)).dump_json(value))
    return f"{type(value).__module__}.{type(value).__qualname__}"
