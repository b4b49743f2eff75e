"""One scenario with the values of many runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from serpenoid.errors import InvalidInput
from serpenoid.scenario.scenario import Scenario
from serpenoid.spec import plain

# A scenario, or why there is none.
Made = Scenario | InvalidInput


def varied(base: Any, parameters: Any) -> list[Made]:
    """The scenario with the values of each run; parameters: dotted keys to these values."""
    if not isinstance(base, Scenario):
        raise InvalidInput(
            f"scenarios = {type(base).__name__} is not allowed beside parameters: it must be one "
            "Scenario"
        )
    if not isinstance(parameters, Mapping) or not parameters:
        raise InvalidInput(
            f"parameters = {parameters!r} is not allowed: it must be a table of keys and values"
        )
    values: dict[str, Sequence[Any]] = {}
    for key, value in parameters.items():
        values[key] = _listed(value)
        if not values[key]:
            raise InvalidInput(
                f"parameters[{key!r}] = {value!r} is not allowed: it must be a list of values, one "
                "for each run"
            )
    sizes = {key: len(entries) for key, entries in values.items()}
    if len(set(sizes.values())) > 1:
        words = ", ".join(f"{key} {size}" for key, size in sizes.items())
        raise InvalidInput(f"parameters have different numbers of values: {words}")
    return [
        _changed(base, dict(zip(values, row, strict=True)))
        for row in zip(*values.values(), strict=True)
    ]


def _listed(value: Any) -> list[Any]:
    """The entries of anything that has them in an order; none of what has not."""
    if isinstance(value, str | bytes | Mapping | Set):
        return []
    try:
        return list(value)
    except TypeError:
        return []


def _changed(base: Scenario, changes: Mapping[str, Any]) -> Made:
    try:
        return base.changed({key: plain(value) for key, value in changes.items()})
    except InvalidInput as error:
        return error
