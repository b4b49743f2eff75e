"""The decorators of kernels.

A function that Python calls is a `jit_entry`. It is compiled with all that it calls when it is
first called, and its machine code is kept for all later processes of the user: `_compiler` says
how, `_fingerprint` which changes compile it again, `_store` where it is kept.
"""

import functools
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.extending import overload, register_jitable

from serpenoid.kernels import _store
from serpenoid.kernels._fingerprint import Unkeyed
from serpenoid.kernels._private import make_private

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

try:
    from serpenoid.kernels import _compiler
except (ImportError, AttributeError):
    # Numba's private parts have moved: it compiles and keeps kernels in its own way.
    _LINKED = False
else:
    _LINKED = True
try:
    from serpenoid.kernels._reference import by_reference as by_reference
except (ImportError, AttributeError):
    # Tuples are handed over number by number then.
    @register_jitable  # type: ignore[untyped-decorator]
    def by_reference(value: T) -> T:
        """A named tuple as it is."""
        return value


_ROOM = Path(__file__).parent
# Of all kernels. Without Numba's reference counts one is twice as fast and cannot allocate.
FLAGS = {"error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}


def _digest() -> str:
    sources = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*_ROOM.rglob("*.py"), *_ROOM.parent.glob("methods/**/*.py")]):
        sources.update(path.read_bytes())
    return sources.hexdigest()[:16]


# A short digest of all kernel sources and of the compiler that reads them: what results depend on.
DIGEST = _digest()


def is_compiled(kernel: Callable[..., Any]) -> bool:
    """Whether this machine holds the machine code of a jit_entry as it is now."""
    if numba.config.DISABLE_JIT:
        return True
    if not _LINKED:
        place = _plain_folder()
        name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"
        return place is not None and any(place.rglob(f"{name}-*.nbc"))
    try:
        return _store.holds(_compiler.store_name(kernel))
    except Unkeyed:
        return False


@functools.cache
def announce_compilation(kernel: Callable[..., Any], time: str) -> None:
    """Say once that the first run of a kernel on a machine compiles it, and for how long."""
    if not is_compiled(kernel):
        print(f"serpenoid: compiling for this machine, once, {time} ...", file=sys.stderr)


def _part_flags(*, forceinline: bool) -> dict[str, Any]:
    flags = FLAGS | {"no_cpython_wrapper": True, "forceinline": forceinline}
    return flags | ({"pipeline_class": _compiler.PartCompiler} if _LINKED else {})


def _part(function: F, *, forceinline: bool) -> F:
    """Compile without what Python would need to call it, which takes long for large tuples."""
    part: Any = numba.njit(**_part_flags(forceinline=forceinline))(function)
    if not numba.config.DISABLE_JIT:
        # Without this a call would end the interpreter.
        part.__class__ = type(type(part).__name__, (type(part),), {"__call__": _refuse})
    return part


def _refuse(kernel: Any, *_: Any, **__: Any) -> None:
    raise TypeError(f"{kernel.__name__} is called by other kernels only; make it a jit_entry")


def jit(function: F) -> F:
    """Compile inline into the kernels that call it: IEEE arithmetic, no Python objects."""
    return _part(function, forceinline=True)


def jit_apart(function: F) -> F:
    """Compile as a separate function: for functions that are large or seldom called."""
    # Said, because what is compiled into its callers hands that on to what it calls.
    return _part(function, forceinline=False)


def jit_unless_none(function: F, otherwise: Any = None) -> F:
    """`jit` for a function of what may be left out; otherwise: its value if its first argument is.

    Numba would give a function that returns None in one branch an optional value for all arguments,
    which is looked at again wherever it is used.
    """
    part: Any = jit(function)
    chosen: Any = unless_none(part, otherwise)

    def choose(*arguments: Any) -> Any:
        if isinstance(arguments[0], numba.types.NoneType):
            return lambda *arguments: otherwise  # noqa: ARG005 (names must be the same)
        return lambda *arguments: part(*arguments)

    overload(chosen, strict=False, jit_options=_part_flags(forceinline=True))(choose)
    return cast(F, chosen)


def unless_none(function: F, otherwise: Any = None) -> F:
    """`jit_unless_none` for Python."""

    def chosen(*arguments: Any) -> Any:
        return otherwise if arguments[0] is None else function(*arguments)

    return cast(F, chosen)


def jit_lines(arguments: str, lines: Sequence[str], **known: Any) -> Callable[..., Any]:
    """Compile lines of code into the kernels that call them.

    For what a kernel cannot loop over: functions, and fields of a record.

    Args:
        arguments: Of the kernel, separated by commas.
        lines: Its body.
        known: Values of the names that it reads.
    """
    exec("\n    ".join([f"def lines({arguments}):", *lines]), known)
    return jit(known["lines"])


def jit_entry(function: F) -> F:
    """Compile for Python, whose other threads go on during a call."""
    flags = FLAGS | {"nogil": True, "forceinline": False}
    if numba.config.DISABLE_JIT:
        return function
    if not _LINKED:
        return _plain_entry(function, flags)
    entry: Any = numba.njit(pipeline_class=_compiler.EntryCompiler, **flags)(function)
    entry._cache = _compiler.EntryCache(entry)
    # Kernels that call it see a part, which must be kept alive.
    part: Any = jit_apart(function)
    members = {"_part": part, "_numba_type_": part._numba_type_}
    entry.__class__ = type(type(entry).__name__, (type(entry),), members)
    return entry


def _plain_folder() -> Path | None:
    """Where Numba keeps what it compiles in its own way; None if others can write there.

    It sees neither a change in a callee nor whether bounds are checked.
    """
    checked = "-checked" if numba.config.BOUNDSCHECK else ""
    return _store.folder(f"kernels-{DIGEST}{checked}")


def _plain_entry(function: F, flags: dict[str, Any]) -> F:
    place, before = _plain_folder(), numba.config.CACHE_DIR
    try:
        if place is not None:
            # Before Numba makes it in its own way, which others may be let into.
            make_private(place)
        # Read by Numba while it decorates, so other people's kernels keep their own folder.
        numba.config.CACHE_DIR = str(place)
        compiled: F = numba.njit(cache=place is not None, **flags)(function)
    except (OSError, RuntimeError):
        compiled = numba.njit(**flags)(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def _described(value: Any) -> Any:
    """All that Numba's type of an argument depends on, at a hundredth of the time."""
    if isinstance(value, tuple):
        return type(value), *map(_described, value)
    if isinstance(value, np.ndarray):
        flags = value.flags
        order = flags.c_contiguous, flags.f_contiguous
        return value.dtype, value.ndim, *order, flags.aligned, flags.writeable
    return type(value)


# Machine code by kernel and description of its arguments.
_CODE: dict[Any, Any] = {}


def machine_code(kernel: F, *arguments: Any) -> F:
    """The code of a jit_entry for arguments of these types, loaded or compiled if need be.

    Finding the code that suits the types of a hundred arrays takes ten times as long as handing
    them over, so that it is worth keeping by a caller whose arrays keep their types.
    """
    if numba.config.DISABLE_JIT:
        return kernel
    key = kernel, _described(arguments)
    if key not in _CODE:
        compile_for: Any = kernel.compile  # type: ignore[attr-defined]
        _CODE[key] = compile_for(tuple(map(numba.typeof, arguments)))
    code: F = _CODE[key]
    return code
