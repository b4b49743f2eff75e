"""One run: the controller's ticks, compiled steps between them, the result."""

from __future__ import annotations

import copy
import time as clock
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from serpenoid.checks import plain
from serpenoid.control.interface import CompiledController, Controller, ControllerSpec
from serpenoid.control.own import as_spec, no_controller, without_held
from serpenoid.engine.own_ticks import OwnTicks, seen_by
from serpenoid.engine.prepare import Preparation, PreparedRun, features_of, hold_shape
from serpenoid.engine.recording import columns
from serpenoid.engine.trajectory import SOURCE_HASH, Trajectory, made_with
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    InvalidInput,
    RoughRun,
    SimulationStopped,
)
from serpenoid.interrupts import interrupt_guard
from serpenoid.kernels import layout
from serpenoid.methods.method import Method, as_method
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.world import World
from serpenoid.progress import clock_bar
from serpenoid.scenario.scenario import Scenario
from serpenoid.scenario.sections import place_of

if TYPE_CHECKING:
    from serpenoid.engine.engine import Engine

Control = ControllerSpec | Controller | None
Progress = bool | Callable[[float], None]

# Steps of the first call; calls that take less, or longer than this, s, are made longer or shorter.
_FIRST_CHUNK, _SHORT, _LONG = 100, 0.1, 0.4


def simulate(
    robot: Robot,
    world: World | None = None,
    controller: CompiledController | Controller | None = None,
    duration: float = 10.0,
    *,
    start: Start | State | None = None,
    time_step: float = 1e-3,
    record_period: float = 0.01,
    record_contacts: bool = False,
    solver: str | Method = "newton",
    seed: int = 0,
    title: str = "",
    progress: bool | Callable[[float], None] = False,
) -> Trajectory:
    """Simulate a robot in a world and return the recorded run.

    Args:
        robot: The robot.
        world: Where it is; an empty plane without friction if not given.
        controller: A gait, a `PythonController`, any object with a period and a command method, or
            None to hold the shape the robot starts in.
        duration: s.
        start: A pose, or the state of an earlier run to continue it; another controller than before
            begins afresh.
        time_step: Time step, s.
        record_period: Time between recorded rows, s.
        record_contacts: Whether to record every contact, as `run.contacts`.
        solver: 'newton', 'prox', 'hybrid', 'explicit', or one of them with its options.
        seed: Seed, stored in the result.
        title: Title, stored in the result.
        progress: True shows a bar if the run takes longer than two seconds; or a function, called
            with the simulated time now and then.

    Returns:
        The recorded run.

    Raises:
        InvalidInput: A value that cannot be simulated; keys are those of a `Scenario`.
        SimulationStopped: A step cannot be solved; what was computed is in its `run`.
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
    named = _named(controller)
    scenario = Scenario.from_plain(
        {
            "robot": robot,
            "title": title,
            "seed": plain(seed),
            "world": place_of(world),
            "friction": world.friction,
            "controller": named,
            "start": start if isinstance(start, Start) else Start(),
            "solver": as_method(solver),
            "clock": {"duration": plain(duration), "time_step": plain(time_step)},
            "record": {"period": plain(record_period), "contacts": plain(record_contacts)},
        }
    )
    state = start if isinstance(start, State) else None
    return run_scenario(scenario, as_spec(controller), state, progress)


def run_scenario(
    scenario: Scenario,
    controller: Any = None,
    start: State | None = None,
    progress: Progress = False,
    allow_code: bool = False,
) -> Trajectory:
    """Simulate a scenario.

    Args:
        scenario: The scenario.
        controller: The controller itself, where the scenario only names it.
        start: The state to begin with instead of the scenario's start.
        progress: Show a bar, or call this with the simulated time.
        allow_code: Whether a controller that a file names may be imported.
    """
    if not isinstance(progress, bool) and not callable(progress):
        raise InvalidInput(
            f"progress = {progress!r} is not allowed: it must be True, False or a function"
        )
    chosen: Any = scenario.controller if controller is None else controller
    run = _Run(scenario, chosen, start, allow_code)
    end = run.time + scenario.clock.duration
    bar = clock_bar(run.time, end) if progress is True else nullcontext(progress or None)
    try:
        with interrupt_guard(), bar as show:
            run.go(show)
            result = run.result()
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted at t = {run.time:g} s", run.result()) from None
    if result.advice:
        warnings.warn(result.advice, RoughRun, stacklevel=3)
    return result


class _Run:
    """A run under way."""

    def __init__(
        self, scenario: Scenario, controller: Control, start: State | None, allow_code: bool
    ) -> None:
        if start is not None:
            scenario = scenario.as_continued(start)
        self.scenario, self.controller = scenario, controller
        self.every = scenario.steps_per_row
        prepared = Preparation().prepare(scenario, controller, start, allow_code)
        self.own = prepared.own
        self.engine = new_engine(1, prepared)
        self.engine.put(0, prepared)
        self.end = int(self.engine.step[0]) + (scenario.rows - 1) * self.every
        # With a gait or no controller, the state that a run ends in commands the last shape.
        self.holds = prepared.holds
        if self.holds:
            hold_shape(self.engine.body(0), controller, self.time)
        self.seconds = 0.0
        # No steps, but the first row.
        self.engine.step_one(0)

    @property
    def time(self) -> float:
        """Time reached, s."""
        return float(self.engine.time[0])

    def go(self, progress: Callable[[float], None] | None) -> None:
        """Step to the end, in chunks that leave the interpreter room for Ctrl-C and progress."""
        chunk = _FIRST_CHUNK
        with interrupt_guard() as check_interrupt:
            while (step := int(self.engine.step[0])) < self.end:
                if self.own is not None and self.own.is_due(step):
                    self._tick(self.own)
                # Whole rows where it can be, so that an interrupted run ends with one.
                count = chunk // self.every * self.every or chunk
                until_tick = count if self.own is None else self.own.next_tick(step) - step
                before = clock.perf_counter()
                self._advance(min(count, until_tick, self.end - step))
                passed = clock.perf_counter() - before
                if passed < _SHORT:
                    chunk *= 2
                elif passed > _LONG:
                    chunk = max(1, chunk // 4)
                if progress is not None:
                    progress(self.time)
                check_interrupt()

    def _advance(self, count: int) -> None:
        """Take steps; where one cannot be solved, go back to the end of the last whole one."""
        engine = self.engine
        before, first = engine.checkpoint(), int(engine.step[0])
        target = first + count
        while engine.step[0] < target:
            before_steps = clock.perf_counter()
            engine.step_one(target - int(engine.step[0]))
            self.seconds += clock.perf_counter() - before_steps
            try:
                if engine.grow() or engine.status[0] == layout.DONE:
                    continue
                why = engine.reason(0)
            except InvalidInput as error:  # no memory for more contacts
                why = f"stopped at t = {self.time:g} s: {error}"
            whole = int(engine.step[0]) - first
            engine.restore(before)
            if whole > 0:
                engine.step_one(whole)
            raise SimulationStopped(why, self.result())

    def _tick(self, own: OwnTicks) -> None:
        """Ask the controller in Python, and put its command into the joints."""
        try:
            command = own.ask(seen_by(self.engine.observe(own.on_top), 0))
        except ControllerError as error:
            error.run = self.result()
            raise
        self.engine.command_one(0, command, own.on_top)

    def result(self) -> Trajectory:
        """What was recorded up to now."""
        if self.holds:
            hold_shape(self.engine.body(0), self.controller, self.time)
        return trajectory_of(self.engine, 0, self.scenario, self.seconds, self.own)


def trajectory_of(
    engine: Engine,
    b: int,
    scenario: Scenario,
    seconds: float = 0.0,
    own: OwnTicks | None = None,
    *,
    live: bool = False,
) -> Trajectory:
    """What was recorded of robot b.

    Args:
        engine: The engine.
        b: Number of the robot.
        scenario: Its scenario.
        seconds: Wall time of its steps, s.
        own: Its controller in Python.
        live: Whether the robot is stepped on, which must not change what was recorded until now.
    """
    digest = "" if own is None else own.made.digest
    record = engine.record(b)
    if live or len(engine) > 1:
        # Arrays of its own, which lie in memory as those of a single run: sums over them are the
        # same to the bit.
        record = copy.deepcopy(record)
    return Trajectory(
        columns=columns(record, features_of(scenario, scenario.controller)),
        state=engine.state(b),
        scenario=scenario,
        attributes=made_with() | ({SOURCE_HASH: digest} if digest else {}),
        stepping_seconds=seconds,
        events=engine.events,
        contacts=engine.contacts(b),
    )


def new_engine(count: int, like: PreparedRun) -> Engine:
    """An engine with room for the whole records of runs.

    Args:
        count: Number of runs.
        like: One of them.

    Raises:
        InvalidInput: They do not fit into the budget of memory.
    """
    from serpenoid.engine.engine import Engine

    return Engine(count, like, like.scenario.rows, like.scenario.steps_per_row)


def _named(controller: object) -> ControllerSpec | None:
    """A controller as the scenario of a run holds it: an object in Python by the name of its class.

    Raises:
        InvalidInput: It is no controller.
    """
    if controller is None:
        return None
    named = as_spec(controller)
    if not isinstance(named, ControllerSpec):
        raise no_controller(controller)
    return without_held(named)
