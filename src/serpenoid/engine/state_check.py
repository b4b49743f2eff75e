"""Whether a state that comes from outside is one of a robot in its world, with its controller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from serpenoid.checks import (
    MOST_STEPS,
    as_numbers,
    check_whole,
    real_number,
    refuse_where,
    whole_number,
)
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.model.state import MOST, RANGES, State

# The random numbers of a contact sensor are whole numbers below this.
_NOISE = 2147483647
# Fields whose lengths say of which robot and world the state is.
_OWNERS = {"theta": "robot", "load": "world"}


def checked_state(
    values: Mapping[str, Any], links: int, loads: int, drive: layout.Drive, memory: Floats
) -> State:
    """A state of which every field is checked, by the list of fields that `State` is.

    Args:
        values: Fields by name.
        links: Number of links of the robot.
        loads: Number of loads in its world.
        drive: What moves the joints.
        memory: What the controller remembers at first.

    Raises:
        InvalidInput: A field is missing, or has another shape, kind of numbers or range; the
            sentence names it.
    """
    sizes = {"links": links, "joints": links - 1, "loads": loads}
    sizes |= {"com": 2, "ledger": layout.LEDGER_SIZE}
    found: dict[str, Any] = {"time_step": _time_step(values)}
    for name, (place, dtype) in State.places().items():
        key = f"state.{name}"
        value = _given(values, name)
        if isinstance(place.part, int):
            found[name] = _number(name, value, dtype)
            continue
        columns = place.names if place.names[1:] else ()
        rest = (len(columns),) if columns else ()
        # Memories of other controllers are not read, and this one's are checked below.
        largest = np.inf if name == "memory" else MOST
        length = None if name in _OWNERS else sizes.get(place.member)
        array = found[name] = as_numbers(key, value, (length, *rest), dtype, largest)
        # What is listed of contacts is as long as their list.
        mine = sizes.setdefault(place.member, len(array))
        if len(array) != mine:
            what, owner = place.member, _OWNERS[name]
            raise InvalidInput(f"the state has {len(array)} {what}, but the {owner} has {mine}")
        for column, numbers in zip(columns, array.T, strict=True) if columns else ():
            if column in RANGES:
                check_whole(f"{key}.{column}", numbers, *RANGES[column])
    check_whole("state.contact.link", found["contact"][:, 0], 0, links + loads - 1)
    _check_time(found)
    added = layout.added_size(links)
    if len(found["added"]) not in (0, added):
        raise InvalidInput(
            f"state.added has {len(found['added'])} entries, but must have 0 or {added} for "
            f"{links} links"
        )
    own = len(found["memory"]) == len(memory) > 0
    if own and found["memory"][layout.OWNER] == memory[layout.OWNER]:
        _check_memory(found["memory"], drive.control or layout.NO_CONTROL)
    return State(**found)


def _given(values: Mapping[str, Any], name: str) -> Any:
    if name not in values:
        raise InvalidInput(f"state.{name} is missing")
    return values[name]


def _time_step(values: Mapping[str, Any]) -> float:
    words = "a finite number greater than 0 (s)"
    given = _given(values, "time_step")
    return real_number("state.time_step", given, words, lambda step: step > 0)


def _number(name: str, value: Any, dtype: type) -> float | int:
    low, high = RANGES[name]
    if dtype is np.int64:
        return whole_number(f"state.{name}", value, int(low), int(high))
    words = f"a number from {low:g} to {high:g} (s)"
    return real_number(f"state.{name}", value, words, lambda number: low <= number <= high)


def _check_time(found: Mapping[str, Any]) -> None:
    now = found["step"] * found["time_step"]
    if found["command_time"] > now * (1 + 1e-9):
        raise InvalidInput(
            f"state.command_time = {found['command_time']!r} is not allowed: it must be at most "
            f"the time of the state, {now:g} s"
        )


def _check_memory(memory: Floats, control: layout.Control) -> None:
    """Refuse what the controller could not have remembered; kernels look things up by it."""
    waypoints = len(control.path)
    # Before the first tick no waypoint has been reached.
    reached = waypoints if memory[layout.TICKS] > 0 else 0
    entries = [
        ("ticks", layout.TICKS, (0, MOST_STEPS)),
        ("waypoint", layout.WAYPOINT, (0, reached)),
        ("noise", layout.NOISE, (0, _NOISE - 1)),
    ]
    if control.resolution > 0.0:
        paused = layout.MEMORY_HEAD + waypoints + layout.PAUSED
        entries.append(("paused", paused, (0, MOST_STEPS)))
    for name, entry, allowed in entries:
        check_whole(f"state.memory.{name}", memory[entry], *allowed)
    begin, end = layout.MEMORY_HEAD, layout.MEMORY_HEAD + waypoints
    times = memory[begin:end]
    wrong = ~(times >= 0.0)
    refuse_where("state.memory.reached", times, wrong, "it must be a time of at least 0 s, or inf")
    others = np.concatenate([memory[:begin], memory[end:]])
    as_numbers("state.memory", others, others.shape, largest=MOST)
