"""What a kernel is compiled from, as a digest.

That is the bytecode of every function that an entry can reach, with all that it reads by name:
constants of modules, fields of named tuples, options of the decorators. Comments, docstrings,
annotations, line numbers, times and places of files do not count, and neither do functions that
the entry cannot reach.
"""

import ast
import enum
import hashlib
import inspect
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

# Functions of these are known by name: they change with a version, or Numba has its own of them.
_KNOWN = {"numpy", "numba", "llvmlite", "scipy", *sys.stdlib_module_names}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
_PLAIN = {bool, int, float, complex, str, bytes, range, slice, type(None), type(...)}


class Unkeyed(Exception):
    """A kernel uses a value that cannot be told from one process to another."""


def fingerprint(entry: Any, made_by: str) -> str:
    """A digest of all that the machine code of an entry is made of, but for argument types.

    Args:
        entry: What the decorator returned.
        made_by: The compiler, in words.

    Returns:
        The digest, 24 hexadecimal digits.

    Raises:
        Unkeyed: The entry uses a value of an unknown kind.
    """
    walk = _Walk()
    total = hashlib.sha256(f"{made_by} {walk.value(entry)}".encode())
    # Grows while it is gone through.
    for function in walk.functions:
        total.update(walk.function(function).encode())
    return total.hexdigest()[:24]


def source_digest(sources: Iterable[str]) -> str:
    """A digest of Python sources, without comments, docstrings and places of lines."""
    total = hashlib.sha256()
    for source in sources:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
        total.update(ast.dump(tree).encode())
    return total.hexdigest()


def type_digest(arguments: Iterable[Any]) -> str:
    """A digest of Numba types; their names leave out the fields of named tuples."""
    total = hashlib.sha256()
    for kind in arguments:
        for part in _parts(kind):
            total.update(f"{part} {getattr(part, 'fields', '')};".encode())
    return total.hexdigest()[:16]


def _parts(kind: Any) -> Iterator[Any]:
    yield kind
    members = getattr(kind, "types", ())
    for member in members if isinstance(members, tuple) else ():
        yield from _parts(member)


class _Walk:
    """A walk through functions, which are told apart by the order in which they are met.

    Attributes:
        functions: Those met so far; several may have the same name.
    """

    def __init__(self) -> None:
        self.functions: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def function(self, function: Any) -> str:
        """Describe a function: its code, and the values of the names that it reads."""
        code, known = function.__code__, function.__globals__
        names = _names(code)
        parts = [_code(code, function.__doc__)]
        parts += [self.value(function.__defaults__), self.value(function.__kwdefaults__)]
        parts += [self.value(cell.cell_contents) for cell in function.__closure__ or ()]
        parts += [f"{name}={self._named(known[name], names)}" for name in names if name in known]
        return "\n".join(parts)

    def _named(self, value: Any, names: list[str], within: tuple[Any, ...] = ()) -> str:
        """Describe what a name stands for; of a module, the attributes that the code may read."""
        if not isinstance(value, types.ModuleType):
            return self.value(value)
        parts = [value.__name__]
        if value not in within:
            members, within = vars(value), (*within, value)
            found = [name for name in names if name in members]
            parts += [f".{name}={self._named(members[name], names, within)}" for name in found]
        return " ".join(parts)

    def value(self, value: Any) -> str:
        """Describe a value, such that other values have other descriptions."""
        kind = type(value)
        if kind in _PLAIN or isinstance(value, np.dtype) or _is_numba_type(kind):
            return f"{kind.__qualname__} {value!r}"
        if isinstance(value, np.ndarray | np.generic):
            return f"{value.dtype!r} {value.shape} {value.tobytes().hex()}"
        if isinstance(value, tuple | list):
            return f"{kind.__qualname__}({','.join(map(self.value, value))})"
        if isinstance(value, dict):
            return f"dict({','.join(map(self.value, value.items()))})"
        if isinstance(value, set | frozenset):
            return f"set({','.join(sorted(map(self.value, value)))})"
        if isinstance(value, enum.Enum):
            return f"{kind.__qualname__}.{value.name}({self.value(value.value)})"
        return self._class(value) if isinstance(value, type) else self._callable(value)

    def _class(self, value: Any) -> str:
        """Describe a class: that of a named tuple or of constants, or a type of numbers."""
        members: list[Any] | None = list(value) if isinstance(value, enum.EnumType) else None
        fields = getattr(value, "_fields", None), getattr(value, "_field_defaults", None)
        return f"class {value.__module__}.{value.__qualname__} {self.value((members, *fields))}"

    def _callable(self, value: Any) -> str:
        """Describe a function: by its number in the walk, or by its name in a library."""
        # Of a dispatcher and of an intrinsic.
        function = getattr(value, "py_func", None) or getattr(value, "_defn", value)
        if isinstance(function, types.FunctionType) and not _is_known(
            function.__globals__.get("__name__", "")
        ):
            if function not in self._numbers:
                self._numbers[function] = len(self.functions)
                self.functions.append(function)
            options = sorted(getattr(value, "targetoptions", {}).items())
            return f"function {self._numbers[function]} {options}"
        module = getattr(value, "__module__", None) or type(value).__module__
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        if name is None or not callable(value) or not _is_known(module):
            raise Unkeyed(f"{value!r}")
        return f"{type(value).__qualname__} {module}.{name}"


def _is_known(module: str) -> bool:
    return module.partition(".")[0] in _KNOWN


def _is_numba_type(kind: type) -> bool:
    return kind.__module__.startswith("numba.core.types")


def _names(code: types.CodeType) -> list[str]:
    """The names of globals and attributes in some code, sorted."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(_names(constant))
    return sorted(names)


def _code(code: types.CodeType, docstring: str | None = None) -> str:
    """Describe code and its constants, without the docstring."""
    # Numba clears other flags when it calls the code under a profiler.
    flags = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR)
    shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    parts = [repr((code.co_code, shape, names, code.co_exceptiontable))]
    for index, constant in enumerate(code.co_consts):
        is_docstring = index == 0 and constant == docstring
        parts.append("None" if is_docstring else _constant(constant))
    return "\n".join(parts)


def _constant(value: Any) -> str:
    if isinstance(value, types.CodeType):
        return _code(value)
    if isinstance(value, frozenset):
        # Its order changes from one process to the next.
        return f"set({','.join(sorted(map(_constant, value)))})"
    if isinstance(value, tuple):
        return f"tuple({','.join(map(_constant, value))})"
    return repr(value)
