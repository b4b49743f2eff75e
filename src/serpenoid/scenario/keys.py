"""Nested plain values, and dotted keys into them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, NoReturn

from serpenoid.errors import InvalidInput


def setting(text: str) -> tuple[str, Any]:
    """Key and value of `controller.phase_deg=-30`; the value is TOML, or a bare word."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        _refuse(f"setting {text!r} is not allowed: it must be key=value, as in clock.duration=5")
    try:
        parsed = tomllib.loads(f"value = {value}")
        if len(parsed) > 1:
            _refuse(f"setting {text!r} is not allowed: it holds more than one value")
        return key.strip(), parsed["value"]
    except tomllib.TOMLDecodeError:
        if value.strip().replace("_", "").replace("-", "").replace(".", "").isalnum():
            return key.strip(), value.strip()
        _refuse(f"setting {text!r} is not allowed: {value!r} is no TOML value")


def changed(data: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """A copy of nested values with one of them replaced; list entries are named by their number.

    A new `kind` starts its table afresh, because the other keys belong to the old one.
    """
    first, _, rest = key.partition(".")
    copy = dict(data)
    if not first:
        _refuse(f"key {key!r} is not allowed: it must be dotted words, such as clock.duration")
    if not rest:
        if first == "kind" and copy.get("kind") != value:
            copy = {}
        return copy | {first: value}
    inner = copy.get(first, {})
    copy[first] = _changed_inside(inner, rest, value, first)
    return copy


def _changed_inside(inner: Any, key: str, value: Any, place: str) -> Any:
    if isinstance(inner, Mapping):
        return changed(inner, key, value)
    number, _, rest = key.partition(".")
    if not isinstance(inner, list):
        _refuse(f"{place} = {inner!r} is a value and has no {key!r}")
    if not number.isdecimal() or int(number) >= len(inner):
        _refuse(f"{place} is a list of {len(inner)} entries and has no {number!r}")
    index, entries = int(number), list(inner)
    if rest:
        entries[index] = _changed_inside(entries[index], rest, value, f"{place}[{number}]")
    else:
        entries[index] = value
    return entries


def _refuse(words: str) -> NoReturn:
    raise InvalidInput(words)


def without_none(value: Any) -> Any:
    """TOML has no null: what is None is left out."""
    if isinstance(value, dict):
        return {key: without_none(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_none(inner) for inner in value]
    return value
