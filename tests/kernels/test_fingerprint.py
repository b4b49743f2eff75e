"""Which changes compile a kernel again."""

import importlib
import inspect
import math
import subprocess
import sys
from pkgutil import walk_packages

import numpy as np
import pytest

import serpenoid.kernels
import serpenoid.methods
from serpenoid.kernels import _jit, run
from serpenoid.kernels._compiler import store_name
from serpenoid.kernels._fingerprint import (
    Unkeyed,
    _code,
    _Walk,
    fingerprint,
    source_digest,
    type_digest,
)
from serpenoid.methods import hybrid_step
from tests.kernels import tiny_kernels

pytestmark = pytest.mark.skipif(
    not hasattr(run.run_newton, "targetctx"), reason="nothing is compiled"
)


def both(tmp_path, monkeypatch, **changes):
    """Digests of an entry before and after a change."""
    before = tiny_kernels.imported(tiny_kernels.write(tmp_path / "before"), monkeypatch)
    after = tiny_kernels.imported(tiny_kernels.write(tmp_path / "after", changes), monkeypatch)
    return store_name(before.total), store_name(after.total)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"parts": ("", "# a comment\n\n\n")},
        {"parts": ("The scaled value.", "Something else.")},
        {"parts": ("share: float = 0.5", "share: 'anything' = 0.5")},
        {"parts": ("7.0 * x", "8.0 * x")},
        {"constants": ("UNUSED = 5.0", "UNUSED = 6.0")},
        {"entries": ("total(x) + other(x)", "total(x) - other(x)")},
    ],
    ids=["moved", "comment", "docstring", "annotation", "unreached", "unused", "caller"],
)
def test_what_an_entry_does_not_depend_on_does_not_count(changes, tmp_path, monkeypatch):
    before, after = both(tmp_path, monkeypatch, **changes)
    assert after == before


@pytest.mark.parametrize(
    "changes",
    [
        {"constants": ("FACTOR = 2.0", "FACTOR = 3.0")},
        {"constants": ("OFFSET = 1.0", "OFFSET = 1")},
        {"parts": ("SHIFTS = (0.0", "SHIFTS = (-0.0")},
        {"parts": ("FACTOR * x", "FACTOR / x")},
        {"parts": ("@jit\ndef scaled", "@jit_apart\ndef scaled")},
        {"parts": ("share: float = 0.5", "share: float = 0.25")},
        {"parts": ("first: float\n    second", "second: float\n    first")},
        {"parts": ("adder(0.0)", "adder(1.0)")},
        {"parts": ('made("first"), made("second")', 'made("second"), made("first")')},
        {"entries": ("halves(x)", "halves(2.0 * x)")},
    ],
    ids=[
        *("constant", "attribute", "tuple", "callee", "decorator", "default"),
        *("fields", "closure", "made functions", "entry"),
    ],
)
def test_what_an_entry_depends_on_counts(changes, tmp_path, monkeypatch):
    before, after = both(tmp_path, monkeypatch, **changes)
    assert after != before


def test_methods_and_the_default_step_do_not_depend_on_each_other(monkeypatch):
    def reached(entry):
        walk = _Walk()
        walk.value(entry)
        for function in walk.functions:
            walk.function(function)
        return {function.__globals__.get("__name__", "") for function in walk.functions}

    assert not any("methods" in module for module in reached(run.run_newton))
    assert "serpenoid.methods.hybrid_flow" in reached(hybrid_step.run_hybrid)
    assert "serpenoid.kernels.newton" not in reached(hybrid_step.run_hybrid)


def test_the_digest_is_the_same_in_every_process():
    program = (
        "from serpenoid.kernels import run; from serpenoid.kernels._compiler import store_name; "
        "print(store_name(run.run_newton))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert answer.stdout.strip() == store_name(run.run_newton)


def test_every_entry_can_be_kept():
    rooms = (serpenoid.kernels, serpenoid.methods)
    found = [
        info.name for room in rooms for info in walk_packages(room.__path__, room.__name__ + ".")
    ]
    values = [value for name in found for value in vars(importlib.import_module(name)).values()]
    entries = {id(value): value for value in values if hasattr(value, "_part")}.values()
    names = {store_name(entry) for entry in entries}
    assert len(names) == len(entries) > 10


def test_a_profiler_does_not_count():
    code = run.run_newton.py_func.__code__
    # As Numba leaves it after a call under a profiler.
    traced = code.replace(co_flags=code.co_flags & ~inspect.CO_OPTIMIZED)
    assert _code(traced) == _code(code)


def test_another_compiler_makes_other_code():
    assert fingerprint(run.run_newton, "one") != fingerprint(run.run_newton, "other")


def test_values_are_told_apart():
    values = [
        *(0, 0.0, -0.0, False, None, "0", b"0", math.nan, 1j, (0,), [0], {0}, {0: 0}, int, float),
        *(np.float64(0), np.float32(0), np.zeros(1), np.zeros(2), np.zeros((1, 1)), np.dtype("f8")),
        *(np.sqrt, math.sqrt, np.linalg.norm, len, run.Timing, run.Timing(0, 0), _jit.jit),
    ]
    described = [_Walk().value(value) for value in values]
    assert len(set(described)) == len(values)
    assert described == [_Walk().value(value) for value in values]


def test_a_value_without_a_stable_description_is_refused():
    with pytest.raises(Unkeyed):
        _Walk().value(object())


def test_types_are_told_apart_by_the_fields_of_their_tuples():
    class Member:
        def __init__(self, fields):
            self.fields, self.types = fields, ()

        def __str__(self):
            return "Pair(float64, float64)"

    assert type_digest([Member(("a", "b"))]) != type_digest([Member(("b", "a"))])


def test_sources_count_without_comments_and_docstrings():
    source = '"""About."""\nX = 1\n\n\ndef f(x):\n    """Twice x."""\n    return 2 * x\n'
    same = "# Comment.\nX = 1\ndef f(x):\n    return (2 *\n        x)\n"
    other = source.replace("2 * x", "3 * x")
    assert source_digest([source]) == source_digest([same])
    assert source_digest([source]) != source_digest([other])
