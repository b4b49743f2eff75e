"""Named tuples and blocks of lanes that kernels hand over as addresses."""

import os
import subprocess
import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import TypingError

from serpenoid.kernels._jit import by_reference, jit_apart, jit_entry, jit_unless_none
from serpenoid.kernels.block_layout import BLOCK, LANES


class Inner(NamedTuple):
    scale: float
    flag: bool


class Outer(NamedTuple):
    blocks: Any
    totals: Any
    inner: Inner
    extra: Any


@jit_unless_none
def first_of(values: Any) -> Any:
    return values[0]


@jit_apart
def weigh(outer: Outer) -> float:
    total = 0.0
    for b in range(outer.blocks.shape[0]):
        o = outer.blocks[b]
        o.width = LANES
        for at in range(o.width):
            o.vx[at] += outer.inner.scale * o.mass[at]
            total += o.vx[at]
    outer.totals[0] = total if outer.inner.flag else -total
    return total


@jit_apart
def wrong(outer: Outer) -> float:
    return outer.sclae


@jit_entry
def weigh_all(blocks: Any, totals: Any, scale: float, flag: bool, extra: Any) -> float:
    outer = by_reference(Outer(blocks, totals, Inner(scale, flag), extra))
    found = first_of(outer.extra)
    return weigh(outer) + (0.0 if found is None else found)


@jit_entry
def misread(totals: Any) -> float:
    return wrong(by_reference(Outer(totals, totals, Inner(1.0, True), None)))


def blocks_of(masses: list[float]) -> Any:
    blocks = np.zeros(2, BLOCK)
    for i, mass in enumerate(masses):
        blocks["mass"][divmod(i, LANES)] = mass
    blocks["vx"][:] = 1.0
    return blocks


@pytest.mark.parametrize("flag", [True, False])
def test_fields_are_read_and_written_in_place(flag: bool) -> None:
    masses = [1.0, 2.0, 3.0, 0.5, 0.25, 4.0, 8.0, 16.0, 32.0]
    blocks, totals = blocks_of(masses), np.zeros(1)
    total = weigh_all(blocks, totals, 2.0, flag, np.array([0.125]))
    assert total == 2 * LANES + 2.0 * sum(masses) + 0.125
    assert totals[0] == (total - 0.125) * (1 if flag else -1)
    assert blocks["vx"][1, 0] == 1.0 + 2.0 * 32.0
    assert blocks["vx"][1, 1] == 1.0
    # Nothing beside the fields that were meant.
    assert not blocks["vy"].any()
    assert (blocks["width"] == LANES).all()


def test_what_is_left_out_is_none() -> None:
    assert weigh_all(blocks_of([]), np.zeros(1), 1.0, True, None) == 2 * LANES
    assert first_of(None) is None


def test_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises((TypingError, AttributeError), match="sclae"):
        misread(np.zeros(1))


@jit_apart
def keeps(outer: Outer) -> Outer:
    return by_reference(Outer(outer.totals, outer.totals, outer.inner, None))


@jit_entry
def dangle(totals: Any) -> float:
    return keeps(by_reference(Outer(totals, totals, Inner(1.0, True), None))).totals[0]


def test_an_address_cannot_outlive_its_frame() -> None:
    with pytest.raises(TypeError, match="keeps returns an address in its own frame"):
        dangle(np.zeros(1))


@pytest.mark.parametrize(("index", "lane"), [(2, 0), (-1, 0), (0, LANES), (0, -1)])
def test_bounds_are_checked_where_numba_is_told_to(index: int, lane: int) -> None:
    # Read by Numba when it starts.
    run = subprocess.run(
        [sys.executable, "-c", OUTSIDE.format(index=index, lane=lane)],
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
    )
    assert "IndexError" in run.stderr


OUTSIDE = """
import numpy as np
from serpenoid.kernels._jit import jit_entry
from serpenoid.kernels.block_layout import BLOCK
from tests.kernels.test_reference import Inner, Outer, by_reference

@jit_entry
def read(blocks, totals, b, at):
    outer = by_reference(Outer(blocks, totals, Inner(1.0, True), None))
    return outer.blocks[b].vx[at]

blocks = np.zeros(2, BLOCK)
assert read(blocks, np.zeros(1), 1, 7) == 0.0
read(blocks, np.zeros(1), {index}, {lane})
"""
