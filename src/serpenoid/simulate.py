"""The loop: controller ticks, compiled steps between them, rows recorded."""

from __future__ import annotations

import dataclasses
import json
import math
import platform
import sys
import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pydantic

from serpenoid._version import __version__
from serpenoid.control.controller import Controller, Observation, as_command
from serpenoid.control.gaits import Serpenoid
from serpenoid.errors import InvalidInput, SimulationStopped
from serpenoid.robot import Robot
from serpenoid.solvers.methods import Method, as_method
from serpenoid.solvers.state import State
from serpenoid.spec import plain
from serpenoid.start import Start, check_clear, first_state
from serpenoid.trajectory import Trajectory
from serpenoid.world import World

if TYPE_CHECKING:
    from serpenoid.kernels import types as kt

Floats = npt.NDArray[np.float64]


# More steps, or rows, than any run could take.
_MOST_STEPS = 1e12


def simulate(
    robot: Robot,
    world: World | None = None,
    controller: Serpenoid | Controller | None = None,
    duration: float = 10.0,
    *,
    start: Start | State | None = None,
    time_step: float = 1e-3,
    record_period: float = 0.01,
    solver: str | Method = "newton",
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Trajectory:
    """Simulate a robot in a world and return what happened.

    controller: a gait, any object with a period and a command method, or None to hold the shape the
    robot starts in. duration, time_step, record_period: s. start: a pose, or the state of an
    earlier run to continue it. solver: 'newton', 'prox', or one of them with its options. seed:
    noted in the result. progress: called with the simulated time now and then.
    """
    world = World() if world is None else world
    for name, value, kinds in (
        ("robot", robot, (Robot,)),
        ("world", world, (World,)),
        ("start", start, (Start, State, type(None))),
    ):
        if not isinstance(value, kinds):
            raise InvalidInput(
                f"{name} = {value!r} is not allowed: it must be a {kinds[0].__name__}"
            )
    method = as_method(solver)
    method.check(robot, world)
    if isinstance(start, State) and start.time_step != time_step:
        raise InvalidInput(
            f"time_step = {time_step!r} is not allowed: the state to continue from has "
            f"{start.time_step!r} s"
        )
    time_step, record_period, duration = plain(time_step), plain(record_period), plain(duration)
    every = _multiple("record_period", record_period, "time_step", time_step)
    steps = _multiple("duration", duration, "record_period", record_period) * every
    ticks = sys.maxsize
    if isinstance(controller, Controller) and not isinstance(controller, type):
        ticks = _multiple("controller.period", controller.period, "time_step", time_step)
    elif controller is not None and not isinstance(controller, Serpenoid):
        raise InvalidInput(
            f"controller = {controller!r} is not allowed: it must be a gait, None, or have a "
            "period and a command method"
        )
    _announce_compilation()
    from serpenoid.kernels import step as kernel
    from serpenoid.kernels import types as kt
    from serpenoid.solvers import model

    body = model.pack_robot(robot)
    packed = model.pack_world(world, robot)
    if isinstance(start, State):
        model.put_state(body, start)
    else:
        model.put_state(body, first_state(robot, controller, start or Start(), time_step))
    check_clear(body, world)
    options = method.options()
    dense = model.new_dense(robot, options.prox)
    record = model.new_record(steps // every + 1, len(robot.links))
    gait = _pack_gait(controller)
    kernel.write_row(body, gait, time_step, every, record)
    end = int(body.step[0]) + steps
    notes = {"record_period": record_period, "seed": seed, "duration": duration}

    def result() -> Trajectory:
        if isinstance(controller, Serpenoid):
            # What the joints hold when the run is continued without a controller.
            joints: Any = body.joints
            joints.angle = controller.angles(len(joints), float(body.step[0]) * time_step)
        run = _result(robot, world, controller, method, body, record, time_step, notes)
        return dataclasses.replace(run, stepping_seconds=stepping)

    # No steps: loads or compiles the machine code, which is not stepping time.
    kernel.run(packed, body, gait, time_step, 0, every, options, dense, record)
    chunk, stepping = 100, 0.0
    try:
        while body.step[0] < end:
            if isinstance(controller, Controller) and body.step[0] % ticks == 0:
                _tick(controller, body, ticks, time_step)
            until_tick = ticks - int(body.step[0]) % ticks
            count = min(chunk, until_tick, end - int(body.step[0]))
            before = clock.perf_counter()
            status = kernel.run(packed, body, gait, time_step, count, every, options, dense, record)
            if status == kt.CONTACTS_FULL:
                body = model.grown(body)
            elif status != kt.DONE:
                raise SimulationStopped(_reason(status, body, time_step), result())
            elapsed = clock.perf_counter() - before
            stepping += elapsed
            if elapsed < 0.1:
                chunk *= 2
            if progress is not None:
                progress(float(body.step[0]) * time_step)
    except KeyboardInterrupt:
        raise SimulationStopped(
            f"interrupted at t = {body.step[0] * time_step:g} s", result()
        ) from None
    return result()


def _multiple(name: str, value: Any, unit_name: str, unit: Any) -> int:
    """How many units make up the value; InvalidInput unless that is a whole number above zero."""
    for key, number in ((unit_name, unit), (name, value)):
        known = isinstance(number, int | float | np.number) and not isinstance(number, bool)
        if not known or not math.isfinite(number) or number <= 0:
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


def _announce_compilation() -> None:
    """Say once that the first run on a machine compiles."""
    from serpenoid.kernels._jit import discard_old_code, is_compiled

    if not is_compiled():
        print("serpenoid: compiling for this machine, once, half a minute ...", file=sys.stderr)
        discard_old_code()


def _pack_gait(controller: Serpenoid | Controller | None) -> kt.Gait:
    """A gait in closed form, or the command held in the joints."""
    from serpenoid.kernels import types as kt

    if not isinstance(controller, Serpenoid):
        return kt.Gait(kt.HELD, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return kt.Gait(
        kt.SERPENOID,
        math.radians(controller.amplitude_deg),
        math.radians(controller.frequency_deg),
        math.radians(controller.phase_deg),
        math.radians(controller.offset_deg),
        math.radians(controller.start_deg),
        float(controller.delay),
    )


def _tick(controller: Controller, body: kt.Body, ticks: int, time_step: float) -> None:
    """Ask the controller, and put its command into the joints."""
    from serpenoid.kernels.chain import place_links

    links: Any = body.links
    joints: Any = body.joints
    place_links(links, body.com)
    now = float(body.step[0]) * time_step
    names = ("x", "y", "theta", "vx", "vy", "omega")
    seen = {name: np.array(links[name]) for name in names}
    observation = Observation(
        time=now,
        joint_angle=np.diff(seen["theta"]),
        joint_rate=np.diff(seen["omega"]),
        contact_force=np.stack([links.tick_x, links.tick_y], axis=1) / (ticks * time_step),
        **seen,
    )
    links.tick_x = links.tick_y = 0.0
    command = as_command(controller.command(observation), len(joints), now)
    joints.angle, joints.rate, joints.torque = command.angle, command.rate, command.torque
    joints.tick = now


def _reason(status: int, body: kt.Body, time_step: float) -> str:
    """Why a run stopped, in one sentence with time, place, law and remedy."""
    from serpenoid.kernels import types as kt

    index, law = (int(value) for value in body.blame)
    place = {
        kt.NO_LAW: "",
        kt.GROUND_LAW: f", ground friction of link {index}",
        kt.CONTACT_LAW: f", contact of link {index}",
        kt.LIMIT_LAW: f", limit of joint {index}",
    }[law]
    what = {
        kt.NO_CONVERGENCE: "the step did not converge, even in halves",
        kt.NOT_FINITE: "the motion is no longer finite",
        kt.TOO_DEEP: "an obstacle was entered too deeply, even in halves",
        kt.TOO_FAST: "a link outran the search for contacts, even in halves",
    }[status]
    return (
        f"stopped at t = {body.step[0] * time_step:g} s{place}: {what}; "
        f"try a smaller time_step than {time_step:g} s, softer actuators or less contact friction"
    )


def _plain(value: Any) -> Any:
    """A spec as plain values; any other controller by its name."""
    if value is None or isinstance(value, int | float | str):
        return value
    if hasattr(value, "__pydantic_validator__"):
        return json.loads(pydantic.TypeAdapter(type(value)).dump_json(value))
    return repr(value)


def _result(
    robot: Robot,
    world: World,
    controller: Serpenoid | Controller | None,
    method: Method,
    body: kt.Body,
    record: kt.Record,
    time_step: float,
    notes: dict[str, Any],
) -> Trajectory:
    from serpenoid.solvers.model import columns, get_state

    scenario = {
        "robot": _plain(robot),
        "world": _plain(world),
        "controller": _plain(controller),
        "solver": _plain(method),
        "time_step": time_step,
        **notes,
    }
    attributes = {
        "serpenoid_version": __version__,
        "platform": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
    }
    return Trajectory(columns(record), get_state(body, time_step), scenario, attributes)
