"""Checks of the lists and numbers that figures of many runs take."""

from __future__ import annotations

import contextlib
import math
import reprlib
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.errors import InvalidInput
from serpenoid.spec import plain

Floats = npt.NDArray[np.float64]


def entries(name: str, given: object) -> list[Any]:
    """Check that something is a list with at least one entry.

    Args:
        name: Name of the argument in the error message.
        given: The argument.

    Returns:
        The entries.

    Raises:
        InvalidInput: It is no list, or empty.
    """
    found = _listed(name, given)
    if not found:
        raise InvalidInput(f"{name} has 0 entries, which is not allowed: it needs at least one")
    return found


def _listed(name: str, given: Any) -> list[Any]:
    if not isinstance(given, str):
        with contextlib.suppress(TypeError):
            return list(given)
    raise InvalidInput(f"{name} = {short(given)} is not allowed: it must be a list")


def as_many(name: str, given: object, beside: list[Any]) -> list[Any]:
    """Check that something is a list with an entry for each entry of another list.

    Args:
        name: Name of the argument in the error message.
        given: The argument.
        beside: The other list.

    Returns:
        The entries.

    Raises:
        InvalidInput: It is no list, or of another length.
    """
    found = _listed(name, given)
    if len(found) != len(beside):
        raise InvalidInput(
            f"{name} has {len(found)} entries, which is not allowed: it must have {len(beside)}"
        )
    return found


def counts_up_to(name: str, given: list[Any], word: str, most: int) -> list[list[int]]:
    """Check that entries are lists of whole numbers from 0 to `most`.

    Args:
        name: Name of the argument in the error message.
        given: The lists.
        word: Name of the largest number in the error message.
        most: Largest number allowed.

    Returns:
        The lists, of Python numbers.

    Raises:
        InvalidInput: A list or a number is not allowed.
    """
    rows: list[list[int]] = [plain(_listed(f"{name}[{k}]", each)) for k, each in enumerate(given)]
    for k, row in enumerate(rows):
        for i, number in enumerate(row):
            if type(number) is not int or not 0 <= number <= most:
                raise InvalidInput(
                    f"{name}[{k}][{i}] = {short(number)} is not allowed: it must be a whole "
                    f"number from 0 to {word}, which is {most}"
                )
    return rows


def finite(name: str, given: object) -> list[float]:
    """Check that something is a list of finite numbers, at least one.

    Args:
        name: Name of the argument in the error message.
        given: The argument.

    Returns:
        The numbers.

    Raises:
        InvalidInput: It is no list, empty, or an entry is no finite number.
    """
    found: list[Any] = plain(entries(name, given))
    for k, number in enumerate(found):
        if type(number) not in (int, float) or not math.isfinite(number):
            raise InvalidInput(
                f"{name}[{k}] = {short(number)} is not allowed: it must be a finite number"
            )
    return found


def numbers(given: npt.ArrayLike) -> Floats | None:
    """Numbers as an array; None if there is anything else, such as text that reads as a number."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        return None
    return array.astype(float) if array.dtype.kind in "iuf" else None


def short(value: object) -> str:
    """A value in one short line, for error messages."""
    return reprlib.repr(plain(value))
