"""Bounds that kernels check if Numba is told to (NUMBA_BOUNDSCHECK=1), as `make bounds` does."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
from serpenoid.kernels._jit import jit, jit_apart, jit_entry
from serpenoid.kernels.layout import LINK

@jit_apart
def read(values, i):
    return values[i]

@jit
def write(values, i):
    values[i] = 1.0

@jit_entry
def number(values, i):
    return read(values, i)

@jit_entry
def assign(values, i):
    write(values, i)
    return 0.0

@jit_entry
def entry_of_table(values, i):
    return values.reshape(3, 1)[2, i] + values.reshape(1, 3)[0, i]

@jit_entry
def record(values, i):
    return values[i].mass

def outside(entry, values, i):
    try:
        entry(values, i)
    except IndexError:
        return True
    return False

plain, records = np.zeros(3), np.zeros(3, LINK).view(np.recarray)
for entry, values in ((number, plain), (assign, plain), (entry_of_table, plain), (record, records)):
    assert not outside(entry, values, 0)
    print(entry.__name__, [i for i in {indices} if not outside(entry, values, i)])
"""


def probe(indices: list[int], checked: str) -> str:
    """What a process prints about indices that are taken to be within an array of 3."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{indices}", repr(indices))],
        env=os.environ | {"NUMBA_BOUNDSCHECK": checked},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_an_access_outside_an_array_is_an_error() -> None:
    """Below zero as well, where Numba would count from the end."""
    found = probe([3, 4, 1000, -1, -3, -4], "1")
    assert found == "number []\nassign []\nentry_of_table []\nrecord []\n"


def test_without_the_check_an_index_below_zero_counts_from_the_end() -> None:
    assert probe([-1], "0").startswith("number [-1]\n")
