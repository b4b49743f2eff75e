"""Scratch of the methods: tuples of arrays, made in the shapes that their fields say."""

import math
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

import numpy as np

from serpenoid.kernels.layout import Ints
from serpenoid.memory import check_memory

T = TypeVar("T")


def new_scratch(kind: Callable[..., T], sizes: dict[str, int], **given: Any) -> T:
    """Arrays of zeros for all fields but those given.

    Args:
        kind: The tuple, whose fields are annotated with their shapes, `Annotated[Floats, 7, "n"]`.
        sizes: What the names in these shapes stand for.
        given: Values of other fields.

    Raises:
        TypeError: A shape has a name that is not among the sizes.
    """
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if name not in given:
            shape = [_size(name, size, sizes) for size in hint.__metadata__]
            given[name] = np.zeros(shape, np.int64 if hint.__origin__ == Ints else np.float64)
    return kind(**given)


def check_scratch(kind: Callable[..., Any], sizes: dict[str, int], what: str) -> None:
    """Refuse scratch that does not fit into the budget of memory.

    Args:
        kind: The tuple, as of `new_scratch`; fields without a shape are not counted.
        sizes: What the names in its shapes stand for.
        what: The solver and the robot, for the message.
    """
    hints = get_type_hints(kind, include_extras=True).items()
    shapes = [
        [_size(name, size, sizes) for size in getattr(hint, "__metadata__", (0,))]
        for name, hint in hints
    ]
    check_memory(8 * sum(map(math.prod, shapes)), what)


def _size(field: str, size: int | str, sizes: dict[str, int]) -> int:
    """One size of an array, given as a number or by name."""
    if isinstance(size, int):
        return size
    if size not in sizes:
        raise TypeError(f"the shape of {field} has {size!r}; sizes are {', '.join(sizes)}")
    return sizes[size]
