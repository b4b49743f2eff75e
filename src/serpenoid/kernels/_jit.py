"""The decorators of kernels, and where their machine code is kept.

Numba's own on-disk cache notices a change only in the file of the outermost function. Here the
cache folder carries a digest of every kernel source, so a stale kernel can never be loaded, and a
missing folder means that the next call compiles.
"""

import functools
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

from serpenoid.errors import OutputError

F = TypeVar("F", bound=Callable[..., Any])

_ROOM = Path(__file__).parent


def _digest() -> str:
    sources = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*_ROOM.rglob("*.py"), *_ROOM.parent.glob("methods/*.py")]):
        sources.update(path.read_bytes())
    return sources.hexdigest()[:16]


# A short digest of all kernel sources and of the compiler that reads them.
DIGEST = _digest()


def _cache_folder() -> Path:
    """SERPENOID_CACHE_DIR, or beside the sources if writable, else the user's cache folder."""
    chosen = os.environ.get("SERPENOID_CACHE_DIR")
    if chosen:
        return Path(chosen) / f"kernels-{DIGEST}"
    beside = _ROOM / "__pycache__"
    try:
        beside.mkdir(exist_ok=True)
        writable = os.access(beside, os.W_OK)
    except OSError:
        writable = False
    if writable:
        return beside / f"kernels-{DIGEST}"
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        home = Path(tempfile.gettempdir())
    return home / "serpenoid" / f"kernels-{DIGEST}"


CACHE_FOLDER = _cache_folder()


def is_compiled(kernel: Callable[..., Any]) -> bool:
    """Whether this machine holds the machine code of a kernel as it is now."""
    name = f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"
    return bool(numba.config.DISABLE_JIT) or any(CACHE_FOLDER.rglob(f"{name}-*.nbc"))


def discard_old_code() -> None:
    """Remove machine code of earlier sources of this very room; elsewhere others may share."""
    if CACHE_FOLDER.parent == _ROOM / "__pycache__":
        for folder in CACHE_FOLDER.parent.glob("kernels-*"):
            if folder != CACHE_FOLDER:
                shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def announce_compilation(kernel: Callable[..., Any], time: str) -> None:
    """Say once that the first run of a kernel on a machine compiles it, and for how long."""
    if not is_compiled(kernel):
        print(f"serpenoid: compiling for this machine, once, {time} ...", file=sys.stderr)
        discard_old_code()


def _compile(function: F, **options: Any) -> F:
    before = numba.config.CACHE_DIR
    # Without Numba's reference counts a kernel is twice as fast and cannot allocate.
    flags = {"error_model": "numpy", "_nrt": False, **options}
    try:
        CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
        # Read by Numba while it decorates, so other people's kernels keep their own folder.
        numba.config.CACHE_DIR = str(CACHE_FOLDER)
        compiled: F = numba.njit(cache=True, **flags)(function)
    except OSError:
        compiled = numba.njit(**flags)(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


def _compile_inner(function: F, **options: Any) -> F:
    """Compile without what Python would need to call it, which takes long for large tuples."""
    compiled = _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    if not numba.config.DISABLE_JIT:
        kind: Any = type(compiled)
        # Without this a call would end the interpreter.
        compiled.__class__ = type(kind.__name__, (kind,), {"__call__": _refuse})
    return compiled


def _refuse(kernel: Any, *_: Any, **__: Any) -> None:
    raise TypeError(f"{kernel.__name__} is called by other kernels only; make it a jit_entry")


def jit(function: F) -> F:
    """Compile into the kernels that call it: IEEE arithmetic, no Python objects, cached on disk."""
    return _compile_inner(function, forceinline=True)


def jit_unsaved(function: F) -> F:
    """As `jit`, for a function without a source file, which is saved only within its callers."""
    flags = {"error_model": "numpy", "_nrt": False, "forceinline": True}
    compiled: F = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **flags)(function)
    return compiled


def jit_apart(function: F) -> F:
    """Compile as a function of its own: for what is large or seldom called."""
    # Said, because what is compiled into its callers hands that on to what it calls.
    return _compile_inner(function, forceinline=False)


def jit_within(function: F) -> F:
    """Compile as part of the one kernel that calls it, which saves compiling it by itself."""
    return _compile_inner(function, inline="always")


def jit_entry(function: F) -> F:
    """Compile for Python, whose other threads go on during a call."""
    return _compile(function, forceinline=False, nogil=True, no_cfunc_wrapper=True)


def load(kernel: Callable[..., None], *arguments: Any) -> None:
    """Call a jit_entry for the first time, which loads or compiles it."""
    try:
        kernel(*arguments)
    except (pickle.UnpicklingError, EOFError) as error:
        raise OutputError(
            f"the compiled kernels in {CACHE_FOLDER} are damaged ({error}); delete that folder"
        ) from None


def machine_code(kernel: F, *arguments: Any) -> F:
    """The code of a jit_entry for arguments of these types, with which it was called before.

    Finding the code that suits the types of a hundred arrays takes ten times as long as handing
    them over, so that it is worth keeping by a caller whose arrays keep their types.
    """
    if numba.config.DISABLE_JIT:
        return kernel
    overloads: Any = kernel.overloads  # type: ignore[attr-defined]
    code: F = overloads[tuple(map(numba.typeof, arguments))].entry_point
    return code
