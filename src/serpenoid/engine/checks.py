"""What is refused, in one sentence each."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.methods.method import Newton
from serpenoid.scenario.scenario import Scenario
from serpenoid.spec import whole_number

Floats = npt.NDArray[np.float64]


def as_threads(threads: int | None) -> int:
    """How many threads: as told, or as many as this process has cores."""
    if threads is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    return whole_number("threads", threads, most=1024)


def as_scenarios(scenarios: Any) -> list[Scenario]:
    """At least one scenario."""
    given = list(scenarios) if isinstance(scenarios, Sequence) else None
    if not given or not all(isinstance(each, Scenario) for each in given):
        words = "the batch is empty" if given == [] else "it must be a list of Scenario"
        if isinstance(scenarios, Scenario):
            words += "; for one run, [scenario]"
        shown = repr(scenarios) if len(repr(scenarios)) <= 60 else type(scenarios).__name__
        raise InvalidInput(f"scenarios = {shown} is not allowed: {words}")
    return given


def check_alike(scenario: Scenario, first: Scenario, b: int, others: str = "scenario 0") -> None:
    """Refuse scenario b if it cannot be stepped together with the first; others: who that is."""
    if not isinstance(scenario, Scenario):
        raise InvalidInput(f"scenario = {scenario!r} is not allowed: it must be a Scenario")
    if not isinstance(scenario.solver, Newton):
        raise InvalidInput(
            f"solver {scenario.solver.kind!r} is not allowed in a batch, which takes 'newton'; "  # type: ignore[attr-defined]
            "simulate each scenario by itself"
        )
    mine = {"solver": scenario.solver, "clock.time_step": scenario.clock.time_step}
    its = {"solver": first.solver, "clock.time_step": first.clock.time_step}
    check_same(mine, its, b, others)


def check_same(mine: Mapping[str, Any], its: Mapping[str, Any], b: int, others: str) -> None:
    """Refuse scenario b if one of its values differs from that of the others."""
    for name, value in mine.items():
        if value != its[name]:
            raise InvalidInput(
                f"scenario {b} has {name} = {value!r}, but {others} has {its[name]!r}; robots of "
                "one batch must have the same"
            )


def as_numbers(name: str, value: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """Finite numbers of this shape."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise ValueError
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} is not allowed: it must be numbers of shape {shape}") from None
    if array.shape != shape:
        raise InvalidInput(f"{name} has the shape {array.shape}; it must be {shape}")
    numbers = array.astype(np.float64)
    if not np.isfinite(numbers).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(numbers))[0])
        raise InvalidInput(
            f"{name}{list(place)} = {numbers[place]} is not allowed: it must be a finite number"
        )
    return numbers
