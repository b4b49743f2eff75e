"""Copies of batches and runs, also for other processes: made anew, with the numbers put back.

Machine code, threads and packed worlds are not copied: they come from the scenarios again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.engine.stack import Stack
from serpenoid.errors import InvalidInput

# What the robots of a stack are at the moment.
_LIVE = ("bodies", "drives", "record", "status", "target")


def numbers_of(stack: Stack) -> dict[str, Any]:
    """All arrays in which robots differ from how they were put."""
    from serpenoid.kernels._jit import DIGEST

    return {"kernels": DIGEST} | {name: _bare(getattr(stack, name)) for name in _LIVE}


def put_numbers(stack: Stack, numbers: dict[str, Any]) -> None:
    """Make the robots of a stack of the same scenarios those of another one."""
    from serpenoid.kernels._jit import DIGEST

    if numbers["kernels"] != DIGEST:
        raise InvalidInput("this copy was made by another version of serpenoid, and cannot be read")
    for name in _LIVE:
        setattr(stack, name, _filled(getattr(stack, name), numbers[name]))


def _bare(rows: Any) -> Any:
    """Nested tuples of plain arrays."""
    if isinstance(rows, tuple):
        return tuple(map(_bare, rows))
    return np.array(rows)


def _filled(like: Any, saved: Any) -> Any:
    """The saved numbers in arrays of exactly the types that the kernels were compiled for."""
    if isinstance(like, tuple):
        return type(like)(*(_filled(*pair) for pair in zip(like, saved, strict=True)))
    filled = np.zeros(saved.shape, like.dtype).view(type(like))
    filled[...] = saved
    return filled
