"""Frozen, validated value objects, and one clear sentence for every wrong value."""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, dataclass_transform

import numpy as np
import pydantic
from pydantic import BeforeValidator, ConfigDict, Field, Strict
from pydantic.dataclasses import dataclass

from serpenoid.errors import InvalidInput

T = TypeVar("T")

Number = Annotated[float, Strict()]
Positive = Annotated[float, Strict(), Field(gt=0)]
NonNegative = Annotated[float, Strict(), Field(ge=0)]
PositiveOrInfinite = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=True)]
Fraction = Annotated[float, Strict(), Field(ge=0, le=1)]
Count = Annotated[int, Strict(), Field(ge=1)]
Whole = Annotated[int, Strict()]

_BOUNDS = {"gt": "greater than", "ge": "at least", "lt": "less than", "le": "at most"}
_WORDS = {
    "float_type": "it must be a number",
    "int_type": "it must be a whole number",
    "tuple_type": "it must be a list",
    "finite_number": "it must be a finite number",
}


def _two(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError("it must be two numbers")
    return value


Point = Annotated[tuple[Number, Number], BeforeValidator(_two)]


def expect(*classes: type) -> BeforeValidator:
    """Say which classes are meant when something else is given."""
    *most, last = ["None" if cls is type(None) else cls.__name__ for cls in classes]

    def check(value: Any) -> Any:
        if not isinstance(value, (*classes, dict)):
            raise ValueError(f"it must be a {', '.join(most)} or {last}")
        return value

    return BeforeValidator(check)


def tag(*, default: Any, kw_only: bool) -> Any:
    """The field that says which of several specs a saved one is; never given by hand."""
    return Field(default=default, kw_only=kw_only, repr=False)


@dataclass_transform(frozen_default=True, field_specifiers=(Field, tag))
def spec(cls: type[T]) -> type[T]:
    """Turn a class of annotated fields into a frozen, validated dataclass.

    Unknown names, wrong types, non-finite and out-of-range values raise InvalidInput.
    """
    config = ConfigDict(extra="forbid", allow_inf_nan=False, ser_json_inf_nan="constants")
    made: Any = dataclass(frozen=True, config=config)(cls)
    validate: Callable[..., None] = made.__init__

    @functools.wraps(validate)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        values = _by_name(type(self), args, kwargs)
        try:
            validate(self, **{name: plain(value) for name, value in values.items()})
        except pydantic.ValidationError as error:
            raise InvalidInput(sentence(error, type(self))) from None

    made.__init__ = init
    return made  # type: ignore[no-any-return]


def _names(cls: type) -> list[str]:
    return [name for name in getattr(cls, "__dataclass_fields__", {}) if name != "kind"]


def _by_name(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments under their names, or a sentence about one that has none."""
    names = _names(cls)
    takes = ", ".join(names)
    if len(args) > len(names):
        raise InvalidInput(f"{cls.__name__} takes no more than {takes}, got {len(args)} values")
    given = dict(zip(names, args, strict=False))
    for name in kwargs:
        if name in given:
            raise InvalidInput(f"{cls.__name__}.{name} is given twice")
        if name not in names and name != "kind":
            hint = nearest_word(name, names)
            raise InvalidInput(f"{cls.__name__} has no {name!r}{hint}; it takes {takes}")
    return given | kwargs


def plain(value: Any) -> Any:
    """NumPy arrays and scalars as nested lists and Python numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def nearest_word(word: str, known: list[str]) -> str:
    """' (did you mean ...?)' when one of the known words is close, else nothing."""
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def sentence(error: pydantic.ValidationError, cls: type) -> str:
    """The first complaint of a validation error, in one sentence."""
    first = error.errors(include_url=False)[0]
    kind, value, context = first["type"], first["input"], first.get("ctx", {})
    where = cls.__name__ + "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]
    )
    if kind in ("missing", "missing_argument"):
        return f"{where} is missing; {cls.__name__} takes {', '.join(_names(cls))}"
    if kind == "value_error" and not first["loc"]:
        return str(context["error"])
    if kind == "value_error":
        allowed = str(context["error"])
    elif kind == "dataclass_type":
        allowed = f"it must be a {context['class_name']}"
    elif kind in _WORDS:
        allowed = _WORDS[kind]
    elif isinstance(value, float) and math.isnan(value):
        allowed = "it must be a number"
    elif bounds := [f"{words} {context[b]:g}" for b, words in _BOUNDS.items() if b in context]:
        allowed = f"it must be {bounds[0]}"
    else:
        message = first["msg"]
        allowed = message[0].lower() + message[1:]
    return f"{where} = {_short(value)} is not allowed: {allowed}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
