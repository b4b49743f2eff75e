"""Nested plain values, and dotted keys into them."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TextIO

from serpenoid.errors import InvalidInput, first_line
from serpenoid.memory import budget, check_memory
from serpenoid.spec import NONE

# Text that needs no quotes after --set: a word, a name, or a path, also with blanks in it.
BARE_TEXT = re.compile(r"(?!(?:true|false|inf|nan)$)(?:[A-Za-z_]|\.{0,2}/)[\w./: -]*")
# What a character of a file takes, read and made into objects, B.
_CHARACTER = 50
# Tables and lists within each other; no file needs more than eight.
_DEEPEST = 50
# A key of that many parts and one more, which takes tomllib a time that grows with their square.
_LONG_KEY = re.compile(
    rf"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{_DEEPEST}}}"""
)


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """The text of a TOML file; what: to complain of.

    Raises:
        InvalidInput: It cannot be read, or does not fit into the budget of memory.
    """
    try:
        with Path(path).open(encoding="utf-8") as file:
            size = os.fstat(file.fileno()).st_size
            return read_all(file, what, size)
    except (OSError, TypeError) as error:
        reason = getattr(error, "strerror", None) or "it must be a path"
        raise InvalidInput(f"{what} cannot be read: {reason}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{what} is not valid TOML: it is no UTF-8 text") from None
    except InvalidInput:
        raise
    except ValueError as error:
        raise InvalidInput(f"{what} cannot be read: {error}") from None


def read_all(file: TextIO, what: str, size: int = 0) -> str:
    """The text of an open file, if it fits into the budget of memory.

    Args:
        file: The file.
        what: It, to complain of.
        size: Of the file, if it is known, B.

    Raises:
        InvalidInput: It does not fit.
    """
    # Not more than that, because some files have no end.
    text = file.read(int(budget()) // _CHARACTER + 1)
    size = max(len(text), size)
    check_memory(size * _CHARACTER, f"{what}, a file of {size} bytes,")
    return text


def parse(text: str, what: str) -> dict[str, Any]:
    """TOML text as nested values; what: to complain of, a file for instance."""
    try:
        if _LONG_KEY.search(text):
            raise RecursionError
        values = tomllib.loads(text.removeprefix("\ufeff"))
        level: list[Any] = [values]
        for _ in range(_DEEPEST):
            level = [inner for each in level for inner in _entries(each)]
        if level:
            raise RecursionError
    except RecursionError:
        _refuse(f"{what} is not allowed: it has tables or lists within more than {_DEEPEST} others")
    except ValueError as error:
        _refuse(f"{what} is not valid TOML: {first_line(error)}")
    return values


def _entries(value: Any) -> Iterable[Any]:
    """What a table or list holds; nothing of another value."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def setting(text: str) -> tuple[str, Any]:
    """Key and value of `controller.phase_deg=-30`; the value is TOML, or bare text.

    The key is spelt with dots only, so that both spellings of it are one key.
    """
    key, equals, value = (part.strip() for part in text.partition("="))
    shown = text if len(text) <= 60 else text[:57] + "..."
    if not equals or not key:
        _refuse(f"setting {shown!r} is not allowed: it must be key=value, as in clock.duration=5")
    if BARE_TEXT.fullmatch(value):
        return _dotted(key), value
    try:
        values = parse(f"value = {value}", "")
    except InvalidInput:
        _refuse(
            f"setting {shown!r} is not allowed: its value must be a number, a word, true, false, "
            "or a text in quotes, a list or a table as TOML has them"
        )
    if len(values) > 1:
        _refuse(f"setting {shown!r} is not allowed: it holds more than one value")
    return _dotted(key), values["value"]


def changed(data: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:
    """A copy of nested values with one of them replaced.

    List entries are named by their number, parts[0].delay or parts.0.delay. A new `kind` starts its
    table afresh, because the other keys belong to the old one; a word in place of such a table is
    its kind.
    """
    words = _dotted(str(key)).split(".")
    if not all(words) or not 0 < len(words) <= 20:
        shown = key if len(str(key)) <= 60 else str(key)[:57] + "..."
        _refuse(f"key {shown!r} is not allowed: it must be dotted words, such as clock.duration")
    result: dict[str, Any] = _changed(data, words, value, "")
    return result


def _dotted(key: str) -> str:
    """The key with parts[0] spelt parts.0."""
    return re.sub(r"\[([^\[\].]*)\](?=[.\[]|$)", r".\1", key)


def _changed(inner: Any, words: list[str], value: Any, place: str) -> Any:
    first, rest = words[0], words[1:]
    if isinstance(inner, Mapping):
        table = dict(inner)
        if not rest:
            if first == "kind" and table.get("kind") != value:
                table = {}
            return table | {first: _replaced(table.get(first), value)}
        where = f"{place}.{first}" if place else first
        section = table.get(first)
        section = {} if section is None else section
        return table | {first: _changed(section, rest, value, where)}
    if not isinstance(inner, list):
        _refuse(f"{place} = {inner!r} is a value and has no {first!r}")
    if not re.fullmatch(r"\d{1,9}", first) or int(first) >= len(inner):
        _refuse(f"{place} is a list of {len(inner)} entries and has no {first!r}")
    entries, index = list(inner), int(first)
    where = f"{place}[{first}]"
    entries[index] = (
        _changed(entries[index], rest, value, where) if rest else _replaced(entries[index], value)
    )
    return entries


def _replaced(old: Any, value: Any) -> Any:
    """The new value; a word for a table with a kind is its kind, unless it says none."""
    if isinstance(value, str) and value != NONE and isinstance(old, Mapping) and "kind" in old:
        return _changed(old, ["kind"], value, "")
    return value


def _refuse(words: str) -> NoReturn:
    raise InvalidInput(words)
