"""Arrays with an axis of robots, and kernels that take many of them."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def python(function: T) -> T:
    """What a kernel was compiled from: it makes the same views in Python."""
    return getattr(function, "py_func", function)


def direct(kernel: T) -> T:
    """The machine code of a kernel itself, once it was called and if it was compiled only once.

    Finding the code that suits the types of a hundred arrays takes ten times as long as handing
    them over, and the arrays of a stack keep their types.
    """
    codes = list(getattr(kernel, "overloads", {}).values())
    return codes[0].entry_point if len(codes) == 1 else kernel


def rows(example: Any, count: int) -> Any:
    """Room for so many of each array of a named tuple."""
    if isinstance(example, tuple):
        return type(example)(*(rows(each, count) for each in example))
    return np.zeros((count, *example.shape), example.dtype).view(type(example))


def widened(array: Any, *shape: int) -> Any:
    """The same array with at least this room in every row."""
    room = tuple(max(pair) for pair in zip(array.shape[1:], shape, strict=True))
    if room == array.shape[1:]:
        return array
    wider = np.zeros((len(array), *room), array.dtype).view(type(array))
    wider[tuple(slice(size) for size in array.shape)] = array
    return wider


def ragged(arrays: list[Any], spare: float = 0.0) -> Any:
    """Arrays of different lengths as rows of one; spare: part of the longest left free."""
    longest = max(map(len, arrays))
    room = (len(arrays), longest + int(spare * longest))
    rows = np.zeros(room, arrays[0].dtype).view(type(arrays[0]))
    for row, array in zip(rows, arrays, strict=True):
        row[: len(array)] = array
    return rows
