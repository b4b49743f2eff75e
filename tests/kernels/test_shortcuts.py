"""What is put in the place of Numba's own functions while kernels are compiled."""

import gc
import operator

import pytest
from numba import types
from numba.core import ir
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from serpenoid.kernels._shortcuts import shortcuts

HERE = ir.Loc("here", 1)
FLOAT, INT, ONE = types.float64, types.int64, types.literal(1)


def replaced():
    return BaseFunction.get_call_type, ir.Inst._rec_list_vars, gc.isenabled()


def fail_within(before):
    with shortcuts():
        outer = replaced()
        with shortcuts():
            assert replaced()[:2] == outer[:2]
        assert replaced()[:2] == outer[:2]
        assert all(ours is not theirs for ours, theirs in zip(outer, before, strict=True))
        raise ValueError("an error")


def test_numba_is_as_before_after_kernels_within_kernels_and_after_errors():
    before = replaced()
    with pytest.raises(ValueError, match="an error"):
        fail_within(before)
    assert all(ours is theirs for ours, theirs in zip(replaced(), before, strict=True))


@pytest.mark.parametrize("function", [operator.add, operator.truediv, operator.lt, operator.pow])
@pytest.mark.parametrize("kinds", [(FLOAT, FLOAT), (FLOAT, INT), (INT, ONE), (types.boolean, ONE)])
def test_signatures_are_those_of_numba(function, kinds):
    context = cpu_target.typing_context
    context.refresh()
    theirs = context.resolve_function_type(function, kinds, {})
    for _ in range(2):
        with shortcuts():
            ours = context.resolve_function_type(function, kinds, {})
        assert ours == theirs


def test_what_does_not_suit_is_an_error_each_time():
    context = cpu_target.typing_context
    context.refresh()
    for _ in range(2):
        with shortcuts(), pytest.raises(Exception, match="No implementation"):
            context.resolve_function_type(operator.lshift, (FLOAT, FLOAT), {})


def test_variables_of_statements_are_those_that_numba_finds():
    scope = ir.Scope(None, HERE)
    a, b, c, d = (scope.define(name, HERE) for name in "abcd")
    call = ir.Expr.call(a, [b, c], [("named", d)], HERE)
    statements = [
        ir.Assign(call, a, HERE),
        ir.Assign(ir.Expr.build_tuple([b, c, b], HERE), d, HERE),
        ir.SetItem(a, b, c, HERE),
        ir.Branch(a, 1, 2, HERE),
        ir.Jump(1, HERE),
        ir.Assign(ir.Const(1, HERE), a, HERE),
    ]
    theirs = [statement.list_vars() for statement in statements]
    with shortcuts():
        assert [statement.list_vars() for statement in statements] == theirs
    assert [len(found) for found in theirs] == [5, 4, 3, 1, 0, 1]
