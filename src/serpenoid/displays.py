"""How values show themselves: in one line of text, and in a notebook."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

# Longest line, and longest part of it, characters.
_LINE, _PART = 110, 48


def in_notebook() -> bool:
    """Whether Python runs in a notebook, which can show more than text."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None


class Displayed:
    """Base of values that a notebook shows as more than a line of text."""

    def _repr_html_(self) -> str | None:
        """What a notebook shows; None: the line of text."""
        from serpenoid.plots.notebook import shown

        return shown(self)


def brief(item: Any) -> str:
    """A dataclass in one short line: the fields that are not as they are by default."""
    fields = getattr(type(item), "__pydantic_fields__", {})
    shown = [
        f"{field.name}={_short(value)}"
        for field in dataclasses.fields(item)
        if field.repr and not _same(value := getattr(item, field.name), fields.get(field.name))
    ]
    name = type(item).__name__
    line = f"{name}({', '.join(shown)})"
    while len(line) > _LINE and shown:
        shown.pop()
        line = f"{name}({', '.join([*shown, '...'])})"
    return line


def _same(value: Any, field: Any) -> bool:
    """Whether a value is the default of its field."""
    return field is not None and type(value) is type(field.default) and value == field.default


def _short(value: Any) -> str:
    """The value of a field in short; of a long list the count."""
    words = repr(value)
    if type(value) is not tuple or (len(value) <= 3 and len(words) <= _PART):
        return words if len(words) <= _LINE else f"{words[: _PART - 3]}..."
    kinds = [type(each).__name__ for each in value]
    if any(isinstance(each, int | float | tuple) for each in value):
        return f"({len(value)} values)"
    return f"({', '.join(kinds)})" if len(kinds) <= 3 else f"({len(kinds)} x {kinds[0]})"


def in_full(value: Any) -> str:
    """A value with all that its fields hold, as dataclasses write themselves."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value) if field.repr]
        parts = (f"{name}={in_full(getattr(value, name))}" for name in fields)
        return f"{type(value).__qualname__}({', '.join(parts)})"
    if type(value) is tuple:
        inner = ", ".join(map(in_full, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)
