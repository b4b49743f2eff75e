"""What Numba works out again for every function it compiles, worked out once or left out.

Only while kernels are compiled, whoever else uses Numba: `shortcuts` puts these in the place of
Numba's own and takes them out again. Of 27 s for `aiko_pegs` they save 5.

Where Numba is told to check bounds (NUMBA_BOUNDSCHECK=1), one more takes out the rule that an index
below zero counts from the end: an index that kernels compute and that is below zero is a mistake.
"""

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

import numba
from numba.core import cgutils, ir, types
from numba.core.types.functions import BaseFunction
from numba.np import arrayobj

_call_type = BaseFunction.get_call_type
# Signature of a function of Numba for types of numbers, with the key of its implementation.
_known: dict[Any, tuple[Any, Any]] = {}


def _remembered_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of an operator or function; Numba tries some ten candidates for every `+`."""
    if kws or not all(isinstance(kind, types.Number | types.Boolean) for kind in args):
        return _call_type(self, context, args, kws)
    if (self, args) not in _known:
        signature: Any = _call_type(self, context, args, kws)
        _known[self, args] = signature, self._impl_keys[signature.args]
    signature, self._impl_keys[signature.args] = _known[self, args]
    return signature


def _variables(_self: Any, value: Any) -> list[Any]:
    """The variables in a statement; Numba makes a list for each thing in it, some 30 times each."""
    found: list[Any] = []
    _add_variables(value, found)
    return found


def _add_variables(value: Any, found: list[Any]) -> None:
    for inner in value.values() if isinstance(value, dict) else value:
        kind = type(inner)
        if kind is ir.Var:
            found.append(inner)
        elif kind is list or kind is tuple or kind is dict:
            _add_variables(inner, found)
        elif isinstance(inner, ir.Inst):
            found.extend(inner.list_vars())


def _checked_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index of an array as it is, which must be within bounds."""
    place = context.cast(builder, index, kind, types.intp)
    cgutils.do_boundscheck(context, builder, place, size)
    return place


_REPLACED: list[tuple[Any, str, Any]] = [
    (BaseFunction, "get_call_type", _remembered_call_type),
    (ir.Inst, "_rec_list_vars", _variables),
]
if numba.config.BOUNDSCHECK:
    _REPLACED.append((arrayobj, "fix_integer_index", _checked_index))


@contextlib.contextmanager
def shortcuts() -> Iterator[None]:
    """Compile with the functions above and without garbage collection.

    Compiling makes millions of objects that live on: collecting finds nothing among them.
    """
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in _REPLACED]
    collects = gc.isenabled()
    gc.disable()
    for owner, name, ours in _REPLACED:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for owner, name, theirs in before:
            setattr(owner, name, theirs)
        if collects:
            gc.enable()
