"""The papers that serpenoid reproduces, one module each."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import TYPE_CHECKING

from serpenoid.checks import nearest_word
from serpenoid.errors import InvalidInput
from serpenoid.later import later

if TYPE_CHECKING:
    from serpenoid.papers.paper import Paper

__all__ = ["available", "find"]

# Modules with public names, imported once they are asked for.
_MODULES = ("paper", "readings", "report", "reproduce", "verdicts")

__getattr__ = later(__name__, {name: name for name in _MODULES})


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})


def available() -> list[str]:
    """Keys of all papers: every module named like transeth2008."""
    names = (module.name for module in pkgutil.iter_modules(__path__))
    return [name for name in names if re.fullmatch(r"[a-z]+\d{4}[a-z]?", name)]


def find(key: str) -> Paper:
    """A paper by its key.

    Raises:
        InvalidInput: There is no such paper.
    """
    if key not in available():
        there = ", ".join(available())
        raise InvalidInput(
            f"paper {key!r} is not known{nearest_word(key, available())}; there are {there}"
        )
    paper: Paper = importlib.import_module(f"{__name__}.{key}").PAPER
    return paper
