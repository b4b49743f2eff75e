"""Runs of older formats of files, brought to the format of today.

Format 1 held the scenario in a layout of its own, and counts of 'hybrid' and 'explicit' under the
names of other counts; up to 2, links passed through each other and there were no contacts; up to 3,
files had no checksum; up to 4, a controller in Python was a name, and sums of references had no
parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.methods.method import EVENTS, INTEGRATOR

# The first format with a checksum.
CHECKED_SINCE = 4
# The first version of the state with a field.
STATE_SINCE = {"support": 3, "added": 4}


def scenario_of_format(data: Any, version: int) -> dict[str, Any]:
    """The plain values of a stored scenario, as they are written today.

    Raises:
        InvalidInput: They are no scenario of that format.
    """
    if not isinstance(data, dict):
        raise InvalidInput("its scenario is no table")
    sections: dict[str, Any] = data
    if version == 1:
        sections = _sections_of_format_1(data)
    if version < 5:
        sections = sections | {"controller": _controller_of_format_4(sections.get("controller"))}
    if version < 3:
        sections = sections | {"robot": _robot_of_format_2(_table(sections, "robot"))}
    return sections


def _table(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    if not isinstance(data.get(key), dict):
        raise InvalidInput(f"its scenario has no table {key!r}")
    return dict(data[key])


def _sections_of_format_1(data: dict[str, Any]) -> dict[str, Any]:
    """The scenario of a file of format 1, in which it was spelt out without sections."""
    world = _table(data, "world")
    wanted = ("controller", "seed", "start", "solver", "duration", "time_step", "record_period")
    missing = [name for name in wanted if name not in data]
    if missing or "friction" not in world:
        raise InvalidInput(f"its scenario has no {(missing or ['world.friction'])[0]!r}")
    controller = data["controller"]
    if isinstance(controller, str):
        controller = {"kind": "python", "name": controller}
    return {
        "robot": _table(data, "robot"),
        "title": data.get("title", ""),
        "seed": data["seed"],
        "friction": world.pop("friction"),
        "world": world,
        "controller": controller,
        "start": {} if data["start"] is None else data["start"],
        "continued": data["start"] is None,
        "solver": data["solver"],
        "clock": {"duration": data["duration"], "time_step": data["time_step"]},
        "record": {"period": data["record_period"]},
    }


def _controller_of_format_4(controller: Any) -> Any:
    """A controller in Python, of which files had the name only."""
    if isinstance(controller, dict) and set(controller) == {"kind", "name"}:
        python = controller["kind"] == "python"
        return controller | {"kind": "live"} if python else controller
    return controller


def _robot_of_format_2(robot: dict[str, Any]) -> dict[str, Any]:
    """A robot whose links pass through each other; one that has only a name knows by itself."""
    return robot if set(robot) == {"name"} else {"self_contact": False} | robot


def counts_of_format_1(columns: Mapping[str, Any], features: frozenset[str]) -> dict[str, Any]:
    """What 'hybrid' and 'explicit' counted, under its own names."""
    found: dict[str, Any] = {}
    if INTEGRATOR in features:
        found["integrator_steps"] = columns["iterations"]
    if EVENTS in features:
        found["located_events"] = columns["multiplier_updates"]
        found["unresolved_modes"] = columns["halvings"]
    if found:
        nothing = np.zeros_like(columns["time"])
        found |= dict.fromkeys(("iterations", "multiplier_updates", "halvings"), nothing)
    return found


def state_of_version(values: dict[str, Any], version: int, older: bool) -> dict[str, Any]:
    """The fields of a stored state, as they are today.

    Loads had three multipliers of friction and no support points up to version 2. Multipliers are
    a guess for the next step, so those of the points begin with 0. Nothing was commanded on top of
    controllers up to version 3, and the parts of references were not kept.

    Args:
        values: Fields by name.
        version: Of the state.
        older: Whether the file has an older format, so that entries of the ledger may be missing.
            They stand at its end, and a run that goes on from this state counts them from here on.
    """
    load, ledger, memory = values["load"], values["ledger"], values["memory"]
    if version < 4:
        values |= {"added": np.zeros(0)}
    if version < 4 and memory.ndim == 1 and len(memory):
        # The parts of the references, at the last tick.
        parts = layout.PARTS * (len(values["theta"]) - 1)
        values |= {"memory": np.concatenate([memory, np.zeros(max(0, parts))])}
    if version < 3 and load.ndim == 2 and load.shape[1] == 13:
        values |= {"load": np.delete(load, (9, 10, 11), axis=1), "support": np.zeros((0, 3))}
    if older and ledger.ndim == 1:
        missing = max(0, layout.LEDGER_SIZE - len(ledger))
        values |= {"ledger": np.pad(ledger, (0, missing))}
    return values
