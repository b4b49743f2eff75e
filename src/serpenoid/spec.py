"""Frozen, validated value objects, and one clear sentence for every wrong value."""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, dataclass_transform

import numpy as np
import pydantic
from pydantic import ConfigDict, Field, Strict
from pydantic.dataclasses import dataclass

from serpenoid.errors import InvalidInput

T = TypeVar("T")

Number = Annotated[float, Strict()]
Positive = Annotated[float, Strict(), Field(gt=0)]
NonNegative = Annotated[float, Strict(), Field(ge=0)]
PositiveOrInfinite = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=True)]
Fraction = Annotated[float, Strict(), Field(ge=0, le=1)]
Count = Annotated[int, Strict(), Field(ge=1)]
Point = tuple[Number, Number]

_BOUNDS = {"gt": "greater than", "ge": "at least", "lt": "less than", "le": "at most"}


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
        try:
            validate(self, *map(plain, args), **{k: plain(v) for k, v in kwargs.items()})
        except pydantic.ValidationError as error:
            raise InvalidInput(sentence(error, type(self))) from None
        except TypeError as error:
            raise InvalidInput(f"{type(self).__name__}: {error}") from None

    made.__init__ = init
    return made  # type: ignore[no-any-return]


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
    names = [name for name in getattr(cls, "__dataclass_fields__", {}) if name != "kind"]
    kind, value, context = first["type"], first["input"], first.get("ctx", {})
    where = cls.__name__ + "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}"
        for part in first["loc"]
        if isinstance(part, int) or part in names or str(part).isidentifier()
    )
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        word = str(first["loc"][-1])
        hint = nearest_word(word, names)
        return f"{cls.__name__} has no {word!r}{hint}; it takes {', '.join(names)}"
    if kind in ("missing", "missing_argument"):
        return f"{where} is missing; {cls.__name__} takes {', '.join(names)}"
    if kind == "finite_number":
        return f"{where} = {value!r} is not allowed: it must be a finite number"
    if isinstance(value, float) and math.isnan(value):
        return f"{where} = {value!r} is not allowed: it must be a number"
    for bound, words in _BOUNDS.items():
        if bound in context:
            return f"{where} = {value!r} is not allowed: it must be {words} {context[bound]:g}"
    if kind == "value_error":
        return f"{where}: {context['error']}" if first["loc"] else str(context["error"])
    message = first["msg"]
    return f"{where} = {_short(value)} is not allowed: {message[0].lower()}{message[1:]}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
