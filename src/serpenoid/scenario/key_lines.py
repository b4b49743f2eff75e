"""On which line of a TOML file a key stands, for messages about its value."""

from __future__ import annotations

import bisect
import re
import tomllib
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from serpenoid.errors import reworded
from serpenoid.spec_mistakes import key_path

# A longer file gets messages without lines, which take two seconds to find, characters.
_LONGEST = 1_000_000

_BETWEEN = re.compile(r"(?:[ \t\r\n\ufeff]|#[^\n]*)*+")
_WORD = r"""(?:[\w-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')"""
_KEY = re.compile(rf"{_WORD}(?:[ \t]*\.[ \t]*{_WORD})*+")
_TEXT = re.compile(
    r'''"""(?:\\.|[^\\])*?""""{0,2}|\'\'\'.*?\'\'\'\'{0,2}|"(?:\\.|[^"\\])*+"|'[^']*+\'''',
    re.DOTALL,
)
# What continues a word.
_WITHIN = re.compile(r"[\w-]")
_PLAIN = re.compile(r"[^,\]}\n#]*+")


def located(what: str, text: str) -> AbstractContextManager[None]:
    """Put a file, and the line of the key with which it begins, in front of each mistake.

    Args:
        what: Name of the file.
        text: What it holds, which is valid TOML.
    """

    def reword(mistakes: Iterable[str]) -> list[str]:
        lines = key_lines(text) if len(text) <= _LONGEST else {}
        places = sorted((_line(words, lines), words) for words in mistakes)
        return [f"{what}{f', line {line}' if line else ''}: {words}" for line, words in places]

    return reworded(reword)


def _line(words: str, lines: dict[str, int]) -> int:
    """The line of the longest key with which a sentence begins; 0 if it begins with none."""
    known = (key for key in lines if words.startswith(key) and not _WITHIN.match(words, len(key)))
    longest = max(known, key=len, default=None)
    return 0 if longest is None else lines[longest]


def key_lines(text: str) -> dict[str, int]:
    """The lines on which the keys of a TOML file first stand.

    Args:
        text: Valid TOML.

    Returns:
        Keys, spelt as in messages, world.pegs[2].radius for instance, to lines, from 1.
    """
    scan = _Scan(text)
    scan.file()
    return scan.lines


class _Scan:
    """Reads valid TOML and notes where each key begins.

    Attributes:
        lines: Key to line.
    """

    def __init__(self, text: str) -> None:
        self.lines: dict[str, int] = {}
        self._text, self._at = text, 0
        self._ends = [found.start() for found in re.finditer("\n", text)]
        # Array of tables to the number of its last entry.
        self._last: dict[str, int] = {}

    def file(self) -> None:
        table = ""
        while next_letter := self._next():
            if next_letter == "[":
                table = self._header()
            else:
                self._statement(table)

    def _next(self) -> str:
        """Go to what comes after blanks and comments; its first letter, none at the end."""
        self._take(_BETWEEN)
        return self._text[self._at : self._at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at + 1
        return found[0] if found else ""

    def _note(self, key: str) -> None:
        self.lines.setdefault(key, bisect.bisect_left(self._ends, self._at) + 1)

    def _keys(self) -> list[str]:
        """The words of a dotted key, which is noted by the caller."""
        self._next()
        found = _KEY.match(self._text, self._at)
        inner: Any = tomllib.loads(f"{found[0]} = 0") if found else 0
        words = []
        while isinstance(inner, dict):
            ((word, inner),) = inner.items()
            words.append(word)
        return words

    def _header(self) -> str:
        """The table that [a.b] or [[a.b]] begins."""
        many = self._text.startswith("[[", self._at)
        self._at += 1 + many
        path, words = "", self._keys()
        for k, word in enumerate(words, 1):
            path = key_path((word,), path)
            self._note(path)
            if many and k == len(words):
                self._last[path] = self._last.get(path, -1) + 1
            if path in self._last:
                path = key_path((self._last[path],), path)
                self._note(path)
        self._take(_KEY)
        self._next()
        self._at += 1 + many
        return path

    def _statement(self, table: str) -> None:
        """A key and its value."""
        path = table
        for word in self._keys():
            path = key_path((word,), path)
            self._note(path)
        self._take(_KEY)
        self._next()
        self._at += 1  # the equals sign
        self._value(path)

    def _value(self, path: str) -> None:
        match self._next():
            case "[":
                self._entries(path, "]")
            case "{":
                self._entries(path, "}")
            case '"' | "'":
                self._take(_TEXT)
            case _:
                self._take(_PLAIN)

    def _entries(self, path: str, end: str) -> None:
        """What a list or an inline table holds."""
        self._at += 1
        index = 0
        while (letter := self._next()) and letter != end:
            if letter == ",":
                self._at += 1
            elif end == "}":
                self._statement(path)
            else:
                entry = key_path((index,), path)
                self._note(entry)
                self._value(entry)
                index += 1
        self._at += 1
