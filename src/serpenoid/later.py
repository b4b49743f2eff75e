"""Public names of a package that are imported once they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def later(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Make the `__getattr__` of a package.

    Args:
        package: Name of the package.
        homes: Name to the module that has it; a module of the package is its own home.

    Returns:
        A function that imports what a name stands for.
    """

    def found(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        module = importlib.import_module(home if "." in home else f"{package}.{home}")
        return module if home == name else getattr(module, name)

    return found
