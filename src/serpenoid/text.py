"""Text from outside, made harmless to the terminal that shows it."""

from __future__ import annotations

import math
import unicodedata

# Controls, formats (some turn the direction of writing), halves of characters, ends of lines and
# paragraphs.
_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
# Formats that some languages are written with: they join letters, or keep them apart.
_JOINERS = "\u200c\u200d"


def printable(text: str, keep: str = "") -> str:
    r"""Text in which characters that would steer a terminal are spelt out, as in \x1b.

    Args:
        text: Any text, such as a title, a key or the name of a file.
        keep: Characters that stay as they are, such as line ends.
    """
    if text.isprintable():
        return text
    return "".join(_spelt(letter) if _steers(letter, keep) else letter for letter in text)


def summary_line(text: str | None) -> str:
    """What a docstring or a help text says in its first line; nothing if there is none."""
    return (text or "").partition("\n")[0]


def table_cell(value: object) -> str:
    """A value as tables show it: numbers with four digits, a dash for what is undefined."""
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return "-" if value is None else str(value)


def _steers(letter: str, keep: str) -> bool:
    return unicodedata.category(letter) in _STEERING and letter not in _JOINERS + keep


def _spelt(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")
