"""Numbers and texts in the HDF5 file of a run, read only where they are what runs are made of.

What a file declares is checked before anything of its size is made: numbers lie in one piece, as
they were written, so all of them together are no larger than the file. Nothing else is opened: no
links to other places or files, no filters, no types of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import check_shape
from serpenoid.engine.heap_check import heaps_are_sound
from serpenoid.engine.variables import DTYPES
from serpenoid.errors import InvalidInput, first_line
from serpenoid.memory import check_memory

DAMAGED = "it is no NetCDF file of serpenoid, or a damaged one"
# Truth values are stored as the smallest whole numbers.
_TRUTH = np.int8
# What h5py raises for what the HDF5 library finds wrong.
_LIBRARY_ERRORS = (OSError, LookupError, ValueError, TypeError, ArithmeticError, RuntimeError)


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[StoredGroup]:
    """The file of a run.

    Yields:
        Its outermost group.

    Raises:
        InvalidInput: It cannot be opened, is too large, or no HDF5 file.
    """
    import h5py

    try:
        size = Path(path).stat().st_size
        if not Path(path).is_file():
            raise ValueError("it is not a file")
        check_memory(size, "the file")
        sound = heaps_are_sound(Path(path))
    except (OSError, TypeError, ValueError) as error:
        raise InvalidInput(getattr(error, "strerror", None) or first_line(error)) from None
    if not sound:
        raise InvalidInput(DAMAGED)
    with _library_errors():
        file = h5py.File(path, "r")
    try:
        yield StoredGroup(file.id, "", _Allowance(size), {})
    finally:
        with _library_errors():
            file.close()


@contextlib.contextmanager
def _library_errors() -> Iterator[None]:
    """Say in one sentence that the HDF5 library has found something wrong."""
    try:
        yield
    except InvalidInput:
        raise
    except _LIBRARY_ERRORS:
        raise InvalidInput(DAMAGED) from None


class _Allowance:
    """Bytes that may still be read: those of the file, each once.

    Args:
        size: Of the file, B.
    """

    def __init__(self, size: int) -> None:
        self.size = self._left = size

    def take(self, size: int) -> None:
        """Refuse to read more than there is."""
        self._left -= size
        if self._left < 0:
            raise InvalidInput(f"its parts have more than the {self.size} B of the file")


class StoredGroup:
    """A group of a file.

    Args:
        handle: Its h5py identifier.
        place: Where it is in the file, for messages; empty, or with a dot at the end.
        allowance: What may still be read.
        content: Numbers of all groups that have been read so far, by name with its place.
    """

    def __init__(
        self, handle: Any, place: str, allowance: _Allowance, content: dict[str, npt.NDArray[Any]]
    ) -> None:
        self._handle, self._place, self._allowance = handle, place, allowance
        self.content = content

    def __contains__(self, name: str) -> bool:
        with _library_errors():
            return bool(self._handle.links.exists(name.encode()))

    def group(self, name: str) -> StoredGroup:
        """A group in it."""
        from h5py import h5g

        with _library_errors():
            found = self._opened(name)
            if not isinstance(found, h5g.GroupID):
                raise InvalidInput(f"{name} is no group")
            return StoredGroup(found, f"{name}.", self._allowance, self.content)

    def text(self, name: str) -> str | None:
        """The text of an attribute; None if there is no such attribute."""
        from h5py import h5a, h5t

        with _library_errors():
            if not h5a.exists(self._handle, name.encode()):
                return None
            attribute = h5a.open(self._handle, name.encode())
            if attribute.shape != () or attribute.get_type().get_class() != h5t.STRING:
                raise InvalidInput(f"{self._place}{name} is no text")
            # Of a text of any length, this is where in the file it is.
            self._allowance.take(attribute.get_storage_size())
            value = np.zeros((), attribute.dtype)
            attribute.read(value)
            return bytes(value[()]).decode()

    def number(self, name: str, default: int, most: int) -> int:
        """The whole number of an attribute.

        Args:
            name: Of the attribute.
            default: Its value if there is no such attribute.
            most: The largest; the least is 1.
        """
        from h5py import h5a, h5t

        with _library_errors():
            if not h5a.exists(self._handle, name.encode()):
                return default
            attribute = h5a.open(self._handle, name.encode())
            words = (
                f"it must be a whole number from 1 to {most}; later versions of serpenoid may "
                "write larger ones"
            )
            if attribute.shape not in ((), (1,)) or attribute.get_type().get_class() != h5t.INTEGER:
                raise InvalidInput(f"{self._place}{name} is not allowed: {words}")
            value = np.zeros(attribute.shape, np.int64)
            attribute.read(value)
        number = int(value.reshape(()))
        if not 1 <= number <= most:
            raise InvalidInput(f"{self._place}{name} = {number} is not allowed: {words}")
        return number

    def numbers(self, name: str, shape: tuple[int | None, ...] | None = None) -> npt.NDArray[Any]:
        """The numbers of a variable.

        Args:
            name: Of the variable.
            shape: What it must have, None for an axis of any length; any shape if not given.

        Returns:
            Floating-point, whole or truth values.

        Raises:
            InvalidInput: There is no such variable, or it is stored in another way than those of
                runs are.
        """
        from h5py import h5d, h5s

        key = f"{self._place}{name}"
        with _library_errors():
            stored = self._opened(name)
            if not isinstance(stored, h5d.DatasetID):
                raise InvalidInput(f"{key} is no variable")
            # The layout first: to ask a dataset of parts of others for its shape opens those.
            layout = stored.get_create_plist().get_layout()
            if layout not in (h5d.CONTIGUOUS, h5d.CHUNKED):
                raise InvalidInput(f"{key} is not stored in one piece")
            dtype, found = _dtype(key, stored.get_type()), _shape(key, stored)
            if shape is not None:
                check_shape(key, found, shape)
            size = math.prod(found) * dtype.itemsize
            if size:
                self._check_place(key, stored, size)
            array = np.zeros(found, dtype)
            if size:
                stored.read(h5s.ALL, h5s.ALL, array)
        self.content[key] = _truths(key, array)
        return self.content[key]

    def _opened(self, name: str) -> Any:
        """What is in this group by a name, unless it leads elsewhere."""
        from h5py import h5l, h5o

        if name not in self:
            raise InvalidInput(f"it has no {self._place}{name}")
        if self._handle.links.get_info(name.encode()).type != h5l.TYPE_HARD:
            raise InvalidInput(f"{self._place}{name} leads to another place")
        return h5o.open(self._handle, name.encode())

    def _check_place(self, key: str, stored: Any, size: int) -> None:
        """Refuse numbers that are not all there, one after the other, in this file."""
        from h5py import h5d

        made = stored.get_create_plist()
        whole = made.get_layout() == h5d.CONTIGUOUS and not made.get_external_count()
        if not whole or made.get_nfilters():
            raise InvalidInput(f"{key} is not stored in one piece")
        offset = stored.get_offset()
        there = offset is not None and offset + size <= self._allowance.size
        if not there or stored.get_storage_size() != size:
            raise InvalidInput(f"{key} declares {size} B that are not in the file")
        self._allowance.take(size)


def _shape(key: str, stored: Any) -> tuple[int, ...]:
    from h5py import h5s

    space = stored.get_space()
    if space.get_simple_extent_type() == h5s.NULL:
        raise InvalidInput(f"{key} holds nothing")
    return tuple(int(length) for length in space.get_simple_extent_dims())


def _dtype(key: str, kind: Any) -> np.dtype[Any]:
    """The NumPy type of stored numbers, if it is one that runs are written with."""
    from h5py import h5t

    for recorded in DTYPES:
        dtype = np.dtype(_TRUTH if recorded is np.bool_ else recorded)
        if any(kind.equal(h5t.py_create(each)) for each in (dtype, dtype.newbyteorder())):
            return dtype
    raise InvalidInput(f"{key} holds another type of values than those of runs")


def _truths(key: str, numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if numbers.dtype != _TRUTH:
        return numbers
    if ((numbers < 0) | (numbers > 1)).any():
        raise InvalidInput(f"{key} holds values that are neither true nor false")
    return numbers.astype(np.bool_)


def checksum(scenario: str, versions: Iterable[int], numbers: Mapping[str, npt.ArrayLike]) -> str:
    """A digest of the content of a file, which tells whether any of it has changed.

    Args:
        scenario: Text of the scenario.
        versions: Of the file, its columns and its state.
        numbers: Arrays by name.
    """
    digest = hashlib.sha256(f"{list(versions)} {scenario}".encode())
    for name in sorted(numbers):
        array = np.asarray(numbers[name])
        digest.update(f" {name} {array.dtype.kind} {array.shape} ".encode())
        digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.hexdigest()
