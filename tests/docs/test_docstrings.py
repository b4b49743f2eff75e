"""Public names say what they take, give and raise: Google docstrings are complete.

Public is what a page of the API names, with the members that it shows, and what the public modules
export.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import pkgutil
import re
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import serpenoid
from serpenoid import errors, studies

DOCS = Path(__file__).parents[2] / "docs"
# Kernels and solvers call these methods, users do not; the pages leave them out.
INTERNAL = set(
    re.search(r"^internal = \(([^)]*)\)", (DOCS / "conf.py").read_text(), re.M)[1]
    .replace('"', "").replace(",", " ").split()
)  # fmt: skip
ARRAYS = re.compile(r"\b(Floats|Ints|NDArray|ndarray)\b")
SECTIONS = ("Args", "Attributes", "Returns", "Yields", "Raises")


def sections(text: str) -> dict[str, str]:
    """Content of each section of a docstring, and of what is before them under ''."""
    found, name = {"": ""}, ""
    for line in inspect.cleandoc(text).splitlines():
        if line.endswith(":") and line[:-1] in SECTIONS:
            name = line[:-1]
            found[name] = ""
        else:
            found[name] += line + "\n"
    return found


def entries(section: str) -> set[str]:
    """Names that a section describes: those that begin its least indented lines."""
    return set(re.findall(r"^\*{0,2}(\w+)(?: \([^)]*\))?:", textwrap.dedent(section), re.M))


def raised(function: Callable[..., Any]) -> set[str]:
    """Errors of this package that the function raises itself."""
    body = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    inner = {
        id(node)
        for nested in ast.walk(body)
        if nested is not body and isinstance(nested, ast.FunctionDef | ast.Lambda)
        for node in ast.walk(nested)
    }
    names = set()
    for node in ast.walk(body):
        if isinstance(node, ast.Raise) and id(node) not in inner:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            names.add(getattr(called, "id", ""))
    mine = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    return names & mine


def lacks_of_function(function: Callable[..., Any], *, is_property: bool = False) -> list[str]:
    """What the docstring of a function, method or property leaves out."""
    found = sections(function.__doc__ or "")
    if not found[""].strip():
        return ["a summary"]
    inner = getattr(function, "__wrapped__", None)  # of a method that hands its run to a function
    signature = inspect.signature(inner or function)
    names = [name for name in signature.parameters if name.strip("_") not in ("", "self", "cls")]
    if inner is not None:
        names.remove("run")
    told = entries(found.get("Args", ""))
    lacks = [f"Args: {name}" for name in names if name not in told]
    lacks += [f"a parameter {name}" for name in sorted(told - set(names))]
    gives = str(signature.return_annotation)
    returns = found.get("Returns", found.get("Yields", ""))
    if is_property:
        returns = returns or found[""]
    elif gives not in ("None", "NoReturn") and not returns:
        lacks.append("Returns")
    if ARRAYS.search(gives) and returns and not re.search(r"\([\w\s,.+*-]*\)", returns):
        lacks.append("the shape of what it returns")
    lacks += [f"Raises: {name}" for name in raised(function) - entries(found.get("Raises", ""))]
    return lacks


def lacks_of_class(kind: type, *, is_made_by_users: bool) -> list[str]:
    """What the docstring of a class leaves out, of its fields or of the arguments that make it."""
    text = kind.__doc__ or ""
    found = sections(text)
    if not found[""].strip():
        return ["a summary"]
    told = entries(found.get("Attributes", "")) | entries(found.get("Args", ""))
    if dataclasses.is_dataclass(kind):
        names = [f.name for f in dataclasses.fields(kind) if f.name in kind.__annotations__]
    elif issubclass(kind, tuple):
        names = list(kind._fields)
    elif is_made_by_users and isinstance(vars(kind).get("__init__"), types.FunctionType):
        names = list(inspect.signature(kind).parameters)
        told |= entries(sections(kind.__init__.__doc__ or "").get("Args", ""))
    else:
        names = list(vars(kind).get("__annotations__", {}))
    public = [name for name in names if name != "kind" and not name.startswith("_")]
    return [f"Attributes: {name}" for name in public if name not in told]


def public() -> dict[str, bool]:
    """Address of every public function and class, and whether users call it."""
    pages = "".join(page.read_text(encoding="utf-8") for page in sorted(DOCS.glob("api/*.md")))
    named = re.findall(r"^\.\. auto(?:function|class|exception):: ([\w.]+)(\(\))?", pages, re.M)
    found = {name if "." in name else f"serpenoid.{name}": not empty for name, empty in named}
    for module in (serpenoid, studies):
        for name in module.__all__:
            if callable(getattr(module, name)):
                found.setdefault(f"{module.__name__}.{name}", True)
    return found


def members(kind: type) -> Iterator[tuple[str, Callable[..., Any], bool]]:
    """Public methods and properties of a class, and whether each is a property."""
    for name, member in vars(kind).items():
        if name.startswith("_") or name in INTERNAL:
            continue
        if isinstance(member, property | functools.cached_property):
            yield name, member.fget if isinstance(member, property) else member.func, True
        elif isinstance(member, classmethod | staticmethod):
            yield name, member.__func__, False
        elif isinstance(member, types.FunctionType):
            yield name, member, False


def documented() -> dict[str, list[str]]:
    """Address of each public function, class, method and property: what its docstring lacks."""
    found = {}
    for path, is_called in public().items():
        thing = pkgutil.resolve_name(path)
        if not isinstance(thing, type):
            found[path] = lacks_of_function(thing)
            continue
        is_made = is_called and not getattr(thing, "_is_protocol", False)
        found[path] = lacks_of_class(thing, is_made_by_users=is_made)
        for name, function, is_property in members(thing):
            found[f"{path}.{name}"] = lacks_of_function(function, is_property=is_property)
    return found


DOCUMENTED = documented()


@pytest.mark.parametrize("path", DOCUMENTED)
def test_a_public_docstring_is_complete(path):
    assert DOCUMENTED[path] == []
