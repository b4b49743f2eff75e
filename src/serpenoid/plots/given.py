"""Lists and numbers that figures of many runs are given; one sentence for those they refuse."""

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
    """A list with something in it."""
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
    """A list with an entry for each of another one."""
    found = _listed(name, given)
    if len(found) != len(beside):
        raise InvalidInput(
            f"{name} has {len(found)} entries, which is not allowed: it must have {len(beside)}"
        )
    return found


def counts_up_to(name: str, given: list[Any], word: str, most: int) -> list[list[int]]:
    """Whole numbers from 0 to the most, which the caller calls by the word."""
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
    """Finite numbers, at least one."""
    found: list[Any] = plain(entries(name, given))
    for k, number in enumerate(found):
        if type(number) not in (int, float) or not math.isfinite(number):
            raise InvalidInput(
                f"{name}[{k}] = {short(number)} is not allowed: it must be a finite number"
            )
    return found


def numbers(given: npt.ArrayLike) -> Floats | None:
    """As an array; None for what is no number, such as text that looks like one."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        return None
    return array.astype(float) if array.dtype.kind in "iuf" else None


def short(value: object) -> str:
    """In one line, however long it is."""
    return reprlib.repr(plain(value))
