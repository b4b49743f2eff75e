"""Named tuples in rows come back as they were put, in Python and in kernels."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from serpenoid.kernels.layout import Floats, Ints
from serpenoid.kernels.rows import RowLayout


class Inner(NamedTuple):
    kind: int
    rows: Floats  # a name that the layout itself uses


class Outer(NamedTuple):
    flag: bool
    size: float
    path: Ints
    table: Floats
    inner: Inner
    head: Ints  # part of path


LAYOUT = RowLayout(
    Outer, varying=("path",), parts={"head": "path[:2]"}, within={"inner": RowLayout(Inner)}
)


def value(k: int, length: int = 3) -> Outer:
    path = 10 * k + np.arange(length)
    inner = Inner(k, np.full(2, 0.5 * k))
    return Outer(k % 2 == 0, 1.5 * k, path, np.full((2, 2), float(k)), inner, path[:2])


def same(a: Outer, b: Outer) -> None:
    assert (a.flag, a.size, a.inner.kind) == (b.flag, b.size, b.inner.kind)
    for name in ("path", "table", "head"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert np.array_equal(a.inner.rows, b.inner.rows)


def filled(*lengths: int) -> tuple:
    rows = LAYOUT.room(value(0, max(lengths)), len(lengths))
    for b, length in enumerate(lengths):
        LAYOUT.put(rows, b, value(b, length))
    return rows


def test_each_robot_has_its_own():
    rows = filled(3, 1, 2)
    for b, length in enumerate((3, 1, 2)):
        same(LAYOUT.view(rows, b), value(b, length))


row_of = LAYOUT.of


def _summed(row):
    """Numbers that depend on every field."""
    lengths = 100 * row.path.shape[0] + row.head.shape[0]
    sums = row.path.sum() + row.table.sum() + row.inner.rows.sum() + row.head.sum()
    return lengths, sums + row.size + row.inner.kind + (1000 if row.flag else 0)


compiled = numba.njit(_nrt=False)(_summed)


@numba.njit(_nrt=False)
def summed(rows, b):
    return compiled(row_of(rows, b))


def test_kernels_see_the_same():
    rows = filled(3, 2)
    for b in range(2):
        assert summed(rows, b) == _summed(LAYOUT.view(rows, b))


def test_a_view_is_the_memory_of_the_rows():
    rows = filled(3, 3)
    LAYOUT.view(rows, 1).head[0] = 77
    assert LAYOUT.view(rows, 1).path[0] == 77
    assert LAYOUT.view(rows, 0).path[0] == 0


def test_what_was_there_before_is_gone():
    rows = filled(3, 3)
    LAYOUT.put(rows, 1, value(5, 1))
    same(LAYOUT.view(rows, 1), value(5, 1))
    assert not LAYOUT.member(rows, "path")[1, 1:].any()


def test_room_for_longer_ones():
    rows = filled(2, 2)
    assert LAYOUT.fits(rows, value(1, 2))
    assert not LAYOUT.fits(rows, value(1, 4))
    larger = LAYOUT.grown(rows, value(1, 4))
    assert LAYOUT.fits(larger, value(1, 4))
    for b in range(2):
        same(LAYOUT.view(larger, b), value(b, 2))


@pytest.mark.parametrize(("spare", "length"), [(0.0, 4), (0.5, 6)])
def test_spare_room_is_for_varying_arrays(spare, length):
    rows = LAYOUT.room(value(0, 4), 1, spare)
    assert LAYOUT.member(rows, "path").shape == (1, length)
    assert LAYOUT.member(rows, "table").shape == (1, 2, 2)


class Optional(NamedTuple):
    size: float
    path: Ints | None
    table: Floats | None
    inner: Inner | None


OPTIONAL = RowLayout(Optional, varying=("path",), within={"inner": RowLayout(Inner)})
optional_of = OPTIONAL.of


@numba.njit(_nrt=False)
def size_without(rows, b):
    left_out = optional_of(rows, b)
    return left_out.size, left_out.path is None, left_out.inner is None


def test_what_is_left_out_stays_so():
    rows = OPTIONAL.room(Optional(0.0, None, None, None), 2)
    for b in range(2):
        OPTIONAL.put(rows, b, Optional(1.5 * b, None, None, None))
    assert OPTIONAL.fits(rows, Optional(3.0, None, None, None))
    for each in (rows, OPTIONAL.grown(rows, Optional(3.0, None, None, None))):
        assert OPTIONAL.view(each, 1) == (1.5, None, None, None)
        assert size_without(each, 1) == (1.5, True, True)


def test_rows_without_a_field_take_no_tuple_with_it():
    rows = OPTIONAL.room(Optional(0.0, None, None, None), 1)
    with pytest.raises(AssertionError, match="path"):
        OPTIONAL.fits(rows, Optional(0.0, np.zeros(1, np.int64), None, None))
