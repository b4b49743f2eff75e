"""The keys of scenario files, from the classes that check them.

`scenario-keys` lists the sections of a scenario; `scenario-keys friction` lists everything that one
of them takes: each kind of a family of specs, and the specs inside them. A spec that several
sections take is described once, in its own section or where it is first mentioned.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.ext.napoleon import Config, GoogleDocstring

import serpenoid as sp
from docs._pages import writing
from serpenoid.scenario.sections import Chain, Clock, NamedRobot, Place, Record
from serpenoid.spec import Each, Family, Point, names

_NAMES = {float: "number", int: "whole number", str: "text", bool: "true or false"}
_HEADINGS: dict[type, str] = {
    NamedRobot: "By name",
    Chain: "As a chain of similar links",
    sp.Robot: "Link by link",
    sp.Wheels: "Wheels",
    **{section: section.__name__.lower() for section in (sp.Start, Clock, Record)},
    Place: "world",
}
# What is the only thing in its section needs no heading below that of the section.
_WITHOUT_HEADING = {Place, sp.Start, Clock, Record}
# A place has the keys of a world, which are described there.
_DESCRIBED_BY: dict[type, tuple[type, ...]] = {Place: (sp.World,)}
# Napoleon turns `Attributes:` into fields of reStructuredText.
_NAPOLEON = Config(napoleon_use_ivar=True)
_ATTRIBUTE = re.compile(r"^:ivar (\w+): ", re.MULTILINE)


class Words(NamedTuple):
    """What a key takes: type, allowed range, and the specs that describe it further."""

    kind: str
    allowed: str = ""
    specs: tuple[type, ...] = ()


def words(hint: Any) -> Words:
    """An annotation in words."""
    if hint == Point:
        return Words("two numbers")
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated(arguments[0], hint.__metadata__)
    if origin in (typing.Union, types.UnionType):
        return _any_of([words(each) for each in arguments if each is not type(None)])
    if origin is tuple:
        inner = words(arguments[0])
        return inner._replace(kind=f"list of {_plural(inner.kind)}")
    if origin is dict:
        return Words("table")
    if origin is typing.Literal:
        return Words("text", " or ".join(f'`"{value}"`' for value in arguments))
    if isinstance(hint, type) and issubclass(hint, Family) and "kind" not in hint.__annotations__:
        # Kinds that others have added are not those of the package.
        members = tuple(
            member
            for member in hint.offered().values()
            if member.__module__.startswith("serpenoid.")
        )
        kinds = ", ".join(f"[{heading(member)}](#{_anchor(member)})" for member in members)
        return Words("table", kinds, members)
    if dataclasses.is_dataclass(hint):
        spec = typing.cast(type, hint)
        return Words("table", f"[{heading(spec).lower()}](#{_anchor(spec)})", (spec,))
    return Words(_NAMES[hint])


def _annotated(inner: Any, metadata: tuple[Any, ...]) -> Words:
    if metadata == Each[Any].__metadata__:
        one = words(typing.get_args(inner)[0])
        return one._replace(kind=f"{one.kind}, or a list with one for each")
    found = words(inner)
    bounds = [bound for item in metadata for bound in getattr(item, "metadata", ())]
    signs = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    limits = [
        f"{sign} {getattr(bound, name):g}"
        for bound in bounds
        for name, sign in signs.items()
        if hasattr(bound, name)
    ]
    if any(getattr(item, "allow_inf_nan", None) for item in [*metadata, *bounds]):
        limits.append("or `inf`")
    return found._replace(allowed=", ".join(limits)) if limits else found


def _any_of(options: list[Words]) -> Words:
    if len(options) == 1:
        return options[0]
    kinds = " or ".join(dict.fromkeys(option.kind for option in options))
    allowed = ", ".join(option.allowed for option in options if option.allowed)
    return Words(kinds, allowed, tuple(spec for option in options for spec in option.specs))


def _plural(kind: str) -> str:
    if kind.startswith("list of "):
        return kind.replace("list", "lists", 1)
    return {"two numbers": "points"}.get(kind, f"{kind}s")


def hints(spec: type) -> dict[str, Any]:
    """Key to annotation, without the kind."""
    found = typing.get_type_hints(spec, include_extras=True)
    return {name: found[name] for name in names(spec)}


def _default(spec: type, name: str) -> str:
    field = spec.__pydantic_fields__[name]  # type: ignore[attr-defined]
    if field.is_required():
        return "required"
    value = field.default
    if value is None or value == "" or field.default_factory is not None:
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if dataclasses.is_dataclass(value):
        return f"`{value.kind}`" if hasattr(value, "kind") else ""
    if isinstance(value, tuple):
        return f"`[{', '.join(map(str, value))}]`"
    if value == math.inf:
        return "`inf`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value:g}`"


def meanings(spec: type) -> tuple[str, dict[str, str]]:
    """What docstrings say of a spec on the whole, and of each key.

    A key that the spec does not describe is described by one of its bases.
    """
    summary, meaning = "", {}
    for base in reversed([*spec.__mro__, *_DESCRIBED_BY.get(spec, ())]):
        if dataclasses.is_dataclass(base):
            text = inspect.cleandoc(base.__doc__ or "")
            summary, *pairs = _ATTRIBUTE.split(str(GoogleDocstring(text, _NAPOLEON)))
            texts = (" ".join(text.split()).rstrip(".") for text in pairs[1::2])
            meaning |= zip(pairs[::2], texts, strict=True)
    return " ".join(summary.split()), meaning


def table(spec: type) -> list[str]:
    """Every key of a spec as a row of Markdown."""
    meaning = meanings(spec)[1]
    rows = []
    for name, hint in hints(spec).items():
        kind, allowed, _specs = words(hint)
        if type(None) in typing.get_args(hint) and _default(spec, name):
            allowed = f'{allowed}, or `"none"`' if allowed else 'or `"none"`'
        rows.append([f"`{name}`", kind, allowed, _default(spec, name), meaning.get(name, "")])
    columns = [k for k in range(5) if k < 2 or any(row[k] for row in rows)]
    head = ["key", "type", "allowed", "default", "meaning"]
    lines = [[row[k] for k in columns] for row in (head, *rows)]
    return writing.table(lines[0], lines[1:]).splitlines()


def within(spec: type, seen: set[type]) -> Iterator[type]:
    """A spec and those inside it that were not seen yet, families left to their own sections."""
    if spec in seen:
        return
    seen.add(spec)
    yield spec
    for hint in hints(spec).values():
        for inner in words(hint).specs:
            if inner not in _elsewhere():
                yield from within(inner, seen)


def _elsewhere() -> set[type]:
    """Members of families that have a section of their own."""
    sections = (words(hint).specs for hint in hints(sp.Scenario).values())
    return {spec for specs in sections for spec in specs if hasattr(spec, "kind")}


def specs_of(section: str) -> list[type]:
    """Everything that can stand in a section."""
    seen: set[type] = set()
    return [s for first in words(hints(sp.Scenario)[section]).specs for s in within(first, seen)]


def block(_page: Path, section: str = "") -> str:
    """The keys of a scenario, or of one of its sections."""
    return markdown(section, level=3) if section else "\n".join(table(sp.Scenario))


def markdown(section: str, level: int) -> str:
    """A section of the reference, its headings at this level."""
    found = specs_of(section)
    parts = []
    for spec in found:
        if spec not in _WITHOUT_HEADING:
            parts.append(f"{'#' * level} {heading(spec)}")
        parts.append(meanings(spec)[0])
        parts.append("\n".join(table(spec)) if hints(spec) else "It takes no further keys.")
    return "\n\n".join(part for part in parts if part)


def heading(spec: type) -> str:
    """How a table inside a section is called."""
    if hasattr(spec, "kind"):
        return f"`{spec.kind}`"
    return _HEADINGS.get(spec, f"A {spec.__name__.lower()}")


def _anchor(spec: type) -> str:
    """Where on the page it is described."""
    return heading(spec).strip("`").lower().replace(" ", "-")
