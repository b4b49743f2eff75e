"""Named tuples of many robots: every array gets a robot axis in front.

A `RowLayout` turns named tuples of one kind, such as the worlds of a batch, into `Rows`, and gives
one of them back, in Python and in kernels. What the tuple holds is said once, in its class.
"""

import math
import operator
import typing
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from serpenoid.kernels._jit import jit_unless_none, unless_none

T = TypeVar("T", bound=tuple[Any, ...])

_CACHE_LINE = 64  # bytes
_NUMBERS: dict[Any, Any] = {bool: np.bool_, int: np.int64, float: np.float64}


class Rows(NamedTuple):
    """Named tuples of one kind, b of them."""

    numbers: Any  # record (b,) of the tuple's numbers
    lengths: Any  # (b, r) how many entries of each array of varying length are used
    arrays: Any  # tuple of arrays (b, ...), or of Rows for tuples within the tuple


class RowLayout(Generic[T]):
    """How named tuples of one kind lie in rows.

    Attributes:
        kind: Class of the named tuple.
        of: Kernel that gives the tuple of robot b: `of(rows, b)`.
        view: The same function for Python; the arrays are views of the rows.
    """

    def __init__(
        self,
        kind: Callable[..., T],
        *,
        varying: Sequence[str] = (),
        parts: dict[str, str] | None = None,
        within: "dict[str, RowLayout[Any]] | None" = None,
    ) -> None:
        """Read the fields of the named tuple.

        Args:
            kind: Class of the named tuple.
            varying: Arrays whose length differs from robot to robot.
            parts: Fields that are views of other fields, as expressions of their names.
            within: Layouts of the fields that are named tuples themselves.
        """
        self.kind, self._parts, self._within = kind, parts or {}, within or {}
        types = self._types = typing.get_type_hints(kind)
        self._names = [name for name in types if types[name] in _NUMBERS]
        self._arrays = [n for n in types if n not in self._names and n not in self._parts]
        self._varying = [name for name in self._arrays if name in varying]
        self._dtype = np.dtype([(n, _NUMBERS[types[n]]) for n in self._names], align=True)
        self._fields = list(types)
        # The same in Python, in the memory of the rows.
        self.view: Callable[[Rows, int], T] = self._defined("view", unless_none)
        self.of: Callable[[Rows, int], T] = self._defined("of", jit_unless_none)

    def _source(self) -> str:
        """The source of `of`: a kernel cannot loop over the fields of a named tuple."""
        # No field of a named tuple begins with an underscore.
        lines = ["def of(_rows, _b):"]
        lines += [f"    {name} = _rows.numbers[_b][{name!r}]" for name in self._names]
        for k, name in enumerate(self._arrays):
            optional = type(None) in typing.get_args(self._types[name])
            row = f"_row(_rows.arrays[{k}], _b)[0]" if optional else f"_rows.arrays[{k}][_b]"
            if name in self._varying:
                r = self._varying.index(name)
                row = f"_rows.arrays[{k}][_b, : _rows.lengths[_b, {r}]]"
                if optional:
                    row = f"_part(_rows.arrays[{k}], _b, _rows.lengths[_b, {r}])[0]"
            if name in self._within:
                row = f"_tuple_of_{name}(_rows.arrays[{k}], _b)"
            lines.append(f"    {name} = {row}")
        lines += [f"    {name} = {part}" for name, part in self._parts.items()]
        fields = ", ".join(f"{name}={name}" for name in self._fields)
        return "\n".join([*lines, f"    return _kind({fields})"])

    def _defined(self, inner: str, choose: Callable[..., Any]) -> Any:
        """The function `of`; inner: which of `of` and `view` it calls for tuples within."""
        known: dict[str, Any] = {"_kind": self.kind}
        known["_row"], known["_part"] = choose(_row, (None,)), choose(_part, (None,))
        for name, layout in self._within.items():
            known[f"_tuple_of_{name}"] = getattr(layout, inner)
        exec(self._source(), known)
        return choose(known["of"])

    def member(self, rows: Rows, name: str) -> Any:
        """The rows of one field that is an array or a named tuple."""
        return rows.arrays[self._arrays.index(name)]

    def lengths(self, rows: Rows, name: str) -> Any:
        """How many entries of an array of varying length each row uses, (b,)."""
        return rows.lengths[:, self._varying.index(name)]

    def room(self, example: T, count: int, spare: float = 0.0) -> Rows:
        """Empty rows for tuples like an example.

        Args:
            example: Tuple whose arrays have the shapes wanted.
            count: Number of rows.
            spare: Share of the length of varying arrays to leave free.
        """
        arrays = []
        for name in self._arrays:
            member = getattr(example, name)
            if member is None or name in self._within:
                within = None if member is None else self._within[name].room(member, count, spare)
                arrays.append(within)
                continue
            extra = int(spare * len(member)) if name in self._varying else 0
            shape = (count, *_longer(member.shape, extra))
            arrays.append(aligned_zeros(shape, member.dtype).view(type(member)))
        return Rows(
            numbers=np.zeros(count, self._dtype).view(np.recarray),
            lengths=np.zeros((count, len(self._varying)), np.int64),
            arrays=tuple(arrays),
        )

    def size(self, example: T) -> int:
        """Bytes of the row of a tuple like an example."""
        members = {name: getattr(example, name) for name in self._arrays}
        total = self._dtype.itemsize
        for name, member in members.items():
            if member is not None:
                total += self._within[name].size(member) if name in self._within else member.nbytes
        return total

    def fits(self, rows: Rows, value: T) -> bool:
        """Whether a tuple has room in the rows."""
        for name, array in zip(self._arrays, rows.arrays, strict=True):
            member = getattr(value, name)
            if member is None or array is None:
                assert member is array, f"{name} is None in one of them only"
            elif name in self._within:
                if not self._within[name].fits(array, member):
                    return False
            elif any(map(operator.gt, member.shape, array.shape[1:])):
                return False
        return True

    def put(self, rows: Rows, b: int, value: T) -> None:
        """Write a tuple that fits into row b."""
        if self._names:
            rows.numbers[b] = tuple(getattr(value, name) for name in self._names)
        rows.lengths[b] = [_length(getattr(value, name)) for name in self._varying]
        for name, array in zip(self._arrays, rows.arrays, strict=True):
            member = getattr(value, name)
            if member is None:
                continue
            if name in self._within:
                self._within[name].put(array, b, member)
                continue
            row, member = np.asarray(array)[b], np.asarray(member)
            alike = row.shape == member.shape and row.dtype == member.dtype
            if alike and member.flags.c_contiguous:
                # NumPy would copy records field by field, which takes ten times as long.
                row.view(np.uint8)[...] = member.view(np.uint8)
            else:
                # What another robot left beyond the end would be taken for this one's.
                row[...] = np.zeros(1, row.dtype)
                row[tuple(map(slice, member.shape))] = member

    def grown(self, rows: Rows, example: T) -> Rows:
        """The same rows with at least the room that an example needs."""
        arrays = []
        for name, array in zip(self._arrays, rows.arrays, strict=True):
            member = getattr(example, name)
            if member is None or name in self._within:
                within = None if member is None else self._within[name].grown(array, member)
                arrays.append(within)
                continue
            shape = tuple(map(max, zip(array.shape[1:], member.shape, strict=True)))
            larger = array
            if shape != array.shape[1:]:
                larger = aligned_zeros((len(array), *shape), array.dtype).view(type(array))
                larger[tuple(map(slice, array.shape))] = array
            arrays.append(larger)
        return rows._replace(arrays=tuple(arrays))


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Zeros that begin with a line of the processor's cache, which no vector of lanes straddles."""
    size = math.prod(shape) * dtype.itemsize
    raw = np.zeros(size + _CACHE_LINE, np.uint8)
    start = -raw.ctypes.data % _CACHE_LINE
    return raw[start : start + size].view(dtype).reshape(shape)


def _row(array: Any, b: int) -> tuple[Any]:
    """Row b of an array; in a tuple, because kernels return no arrays."""
    return (array[b],)


def _part(array: Any, b: int, length: int) -> tuple[Any]:
    """The beginning of row b, in a tuple."""
    return (array[b, :length],)


def _length(array: Any) -> int:
    return 0 if array is None else len(array)


def _longer(shape: tuple[int, ...], extra: int) -> tuple[int, ...]:
    return (shape[0] + extra, *shape[1:])
