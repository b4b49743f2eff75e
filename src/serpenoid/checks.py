"""Checks of arguments, each of which words its refusal in one sentence."""

from __future__ import annotations

import difflib
import itertools
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.memory import check_memory


def plain(value: Any) -> Any:
    """Convert NumPy arrays and scalars to nested lists and Python numbers.

    A number of single precision becomes the decimal it prints as: 0.05, not 0.05000000074505806.

    Args:
        value: Any value; others than arrays, scalars, lists and tuples are returned as they are.

    Returns:
        The plain value.
    """
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind == "f" and value.dtype != np.float64:
            value = value.astype(str).astype(np.float64)
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def single(value: Any) -> Any:
    """The plain value, but for arrays of many, which may be too large to be one."""
    return value if isinstance(value, np.ndarray) and value.ndim else plain(value)


# More steps, or rows, than any run could take.
MOST_STEPS = 10**12


def whole_number(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """Check a whole number.

    Args:
        name: Name for the message.
        value: The value.
        least: Lower bound.
        most: Upper bound; none if not given.

    Raises:
        InvalidInput: The value is not a whole number within the bounds.
    """
    number = single(value)
    if type(number) is not int or number < least or (most is not None and number > most):
        bounds = f", at least {least}" if most is None else f" from {least} to {most}"
        raise InvalidInput(
            f"{name} = {short(value)} is not allowed: it must be a whole number{bounds}"
        )
    return number


def whole_multiple(name: str, value: Any, unit_name: str, unit: Any) -> int:
    """How many units make up the value; InvalidInput unless that is a whole number above zero."""
    for key, number in ((unit_name, unit), (name, value)):
        if type(number) not in (int, float) or not 0 < number <= sys.float_info.max:
            raise InvalidInput(
                f"{key} = {number!r} is not allowed: it must be a finite number greater than 0 (s)"
            )
    if value / unit > MOST_STEPS:
        raise InvalidInput(
            f"{name} = {value!r} is not allowed: it must be at most {MOST_STEPS:g} times "
            f"{unit_name}, {unit!r} s"
        )
    count: int = round(value / unit)
    if count < 1 or abs(count * unit - value) > 1e-9 * value:
        raise InvalidInput(
            f"{name} = {value!r} is not allowed: it must be a whole multiple of {unit_name}, "
            f"{unit!r} s"
        )
    return count


# Kinds of arrays that are taken for numbers of a type, and what these are called.
_NUMBERS = {"f": ("iuf", "numbers"), "i": ("iu", "whole numbers"), "b": ("b", "true or false")}


def as_numbers(
    name: str,
    value: npt.ArrayLike,
    shape: tuple[int | None, ...],
    dtype: npt.DTypeLike = np.float64,
    largest: float = sys.float_info.max,
) -> npt.NDArray[Any]:
    """Check an array of numbers.

    Args:
        name: Name for the message.
        value: The numbers.
        shape: Their shape; None for an axis of any length.
        dtype: Their type: floating-point, whole or truth values.
        largest: Bound on their size; infinite: any, infinite ones and NaN as well.

    Returns:
        The array, of this type.

    Raises:
        InvalidInput: It is none, or has another shape, or numbers that are not finite or too large.
    """
    kinds, words = _NUMBERS[np.dtype(dtype).kind]
    try:
        array = np.asarray(value)
        if array.dtype.kind not in kinds:
            raise ValueError
    except MemoryError:
        raise
    except Exception:  # whatever a value that makes arrays of itself may raise
        raise InvalidInput(
            f"{name} is not allowed: it must be {words} of shape {_shown(shape)}"
        ) from None
    check_shape(name, array.shape, shape)
    check_memory(array.size * np.dtype(dtype).itemsize, f"{name}, of shape {array.shape},")
    with np.errstate(over="ignore"):
        numbers = array.astype(dtype)
    if largest < math.inf and numbers.dtype.kind == "f":
        refuse_where(name, numbers, ~np.isfinite(numbers), "it must be a finite number")
    if largest < sys.float_info.max:
        words = f"it must be at most {largest:g} in size"
        refuse_where(name, numbers, np.abs(numbers) > largest, words)
    return numbers


def check_shape(name: str, found: tuple[int, ...], shape: tuple[int | None, ...]) -> None:
    """Check the shape of an array.

    Args:
        name: Name for the message.
        found: The shape it has.
        shape: The one it must have; None for an axis of any length.

    Raises:
        InvalidInput: They differ.
    """
    same = (mine in (None, its) for mine, its in zip(shape, found, strict=False))
    if len(found) != len(shape) or not all(same):
        raise InvalidInput(f"{name} has the shape {found}; it must be {_shown(shape)}")


def _shown(shape: tuple[int | None, ...]) -> str:
    return str(shape).replace("None", "any")


def refuse_where(
    name: str, numbers: npt.NDArray[Any], wrong: npt.NDArray[np.bool_], words: str
) -> None:
    """Refuse the first number of an array that is wrong.

    Args:
        name: Name of the array, for the message.
        numbers: The array.
        wrong: Which of its numbers are not allowed.
        words: What is.

    Raises:
        InvalidInput: One is wrong.
    """
    if wrong.any():
        place = tuple(int(k) for k in np.argwhere(wrong)[0])
        at = list(place) if place else ""
        raise InvalidInput(f"{name}{at} = {numbers[place]} is not allowed: {words}")


def check_whole(name: str, numbers: npt.NDArray[Any], low: float, high: float) -> None:
    """Refuse the first number of an array that is not whole, or out of its range.

    Raises:
        InvalidInput: One is.
    """
    wrong = (numbers < low) | (numbers > high) | (numbers != np.floor(numbers))
    refuse_where(name, numbers, wrong, f"it must be a whole number from {low} to {high}")


def check_distinct(name: str, points: Iterable[tuple[float, float]]) -> None:
    """Refuse a line with a piece of no length; name: that of its points, for the message."""
    for a, b in itertools.pairwise(points):
        if a == b:
            raise InvalidInput(f"{name} repeats {a}: neighbouring points must differ")


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """Check a word.

    Args:
        name: Name for the message.
        value: The value.
        known: Allowed words.

    Raises:
        InvalidInput: The value is not one of the known words.
    """
    words = list(known)
    if not isinstance(value, str) or value not in words:
        hint = nearest_word(str(value), words)
        raise InvalidInput(
            f"{name} = {short(value)} is not known{hint}; there are {', '.join(words)}"
        )
    return str(value)


def check_flag(name: str, value: Any) -> bool:
    """Check a truth value; name: for the message.

    Raises:
        InvalidInput: The value is neither True nor False.
    """
    given = plain(value)
    if not isinstance(given, bool):
        raise InvalidInput(f"{name} = {short(value)} is not allowed: it must be True or False")
    return given


def check_type(
    name: str, value: object, kind: type, *, or_none: bool = False, origin: str = ""
) -> None:
    """Check that a value is of a kind.

    Args:
        name: Name for the message.
        value: The value.
        kind: Its class.
        or_none: Whether None is allowed, too.
        origin: Package of the class, for the message; none if not given.

    Raises:
        InvalidInput: It is not.
    """
    if not isinstance(value, kind) and not (or_none and value is None):
        allowed = f"{origin} {kind.__name__}".strip() + (" or None" if or_none else "")
        raise InvalidInput(f"{name} = {value!r} is not allowed: it must be a {allowed}")


def real_number(
    name: str, value: Any, words: str, allows: Callable[[float], bool] | None = None
) -> float:
    """Check a finite number.

    Args:
        name: Name for the message.
        value: The value.
        words: What is allowed, for the message.
        allows: Function that says whether a finite number is allowed; all are if not given.

    Returns:
        The number.

    Raises:
        InvalidInput: The value is not a finite number, or not allowed.
    """
    number = single(value)
    finite = type(number) in (int, float) and abs(number) <= sys.float_info.max
    if not finite or (allows is not None and not allows(number)):
        raise InvalidInput(f"{name} = {short(number)} is not allowed: it must be {words}")
    return float(number)


def as_table(
    name: str, given: Any, known: Iterable[str], lacks: str = "", also: Iterable[str] = ()
) -> Mapping[str, Any]:
    """Check a table.

    Args:
        name: Name for the message.
        given: The table; None is an empty one.
        known: Allowed keys.
        lacks: Beginning of the message about a key; 'weights has no' if the name is 'weights'.
        also: Keys that are taken elsewhere, which the message lists as well.

    Returns:
        Values by key.

    Raises:
        InvalidInput: It is not a table, or a key is not known.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"{name} = {given!r} is not allowed: it must be a table")
    keys = list(known)
    for key in given:
        if key not in keys:
            listed = [*keys, *also]
            hint, takes = nearest_word(str(key), listed), ", ".join(listed) or "none"
            raise InvalidInput(f"{lacks or f'{name} has no'} {key!r}{hint}; it takes {takes}")
    return given


def check_ending(path: str | os.PathLike[str], endings: Sequence[str]) -> str:
    """Check the ending of a file's name.

    Args:
        path: The file.
        endings: Allowed endings, with their dots.

    Returns:
        The ending, in small letters.

    Raises:
        InvalidInput: It is another one.
    """
    ending = Path(str(path)).suffix.lower()
    if ending not in endings:
        *some, last = endings
        hint = nearest_word(ending, list(endings))
        raise InvalidInput(
            f"path = {str(path)!r} is not allowed{hint}: it must end in {', '.join(some)} or {last}"
        )
    return ending


def nearest_word(word: str, known: list[str]) -> str:
    """' (did you mean ...?)' if one of the known words is similar, otherwise an empty text."""
    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def short(value: Any) -> str:
    """A value as Python writes it, cut after 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
