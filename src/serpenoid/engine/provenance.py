"""What a run was made of, as plain values."""

from __future__ import annotations

import json
import platform
from typing import Any

import pydantic

from serpenoid._version import __version__
from serpenoid.control.interface import CompiledController, Controller
from serpenoid.methods.method import Method
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.world import World


def described(
    robot: Robot,
    world: World,
    controller: CompiledController | Controller | None,
    method: Method,
    start: Start | State | None,
    time_step: float,
) -> dict[str, Any]:
    """Robot, world, controller, solver, start and time step of a run."""
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


def _plain(value: Any) -> Any:
    """A spec as plain values; any other controller by the name of its class."""
    if value is None:
        return None
    if hasattr(value, "__pydantic_validator__"):
        return json.loads(pydantic.TypeAdapter(type(value)).dump_json(value))
    return f"{type(value).__module__}.{type(value).__qualname__}"
