"""Tables and figures in the Markdown that GitHub and Sphinx read alike."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image

# Pixels on the screen per inch of a figure, so that its letters are about as large as the text.
SCALE = 115


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar in a cell is written so that it does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def figure(page: Path, picture: Path, words: str, caption: str) -> str:
    """A figure at its natural size; words: for those who do not see it."""
    with Image.open(picture) as image:
        inches = image.width / image.info["dpi"][0]
    place = Path(os.path.relpath(picture, page.parent)).as_posix()
    wide = ' class="wide"' if inches > 5 else ""
    size = f'width="{SCALE * inches:.0f}"'
    return (
        f"<figure{wide}>\n\n"
        f'<img src="{place}" alt="{html.escape(words)}" {size}>\n\n'
        f"<figcaption>\n\n{caption}\n\n</figcaption>\n</figure>"
    )


def grid(figures: Iterable[str]) -> str:
    """Figures side by side where there is room."""
    return "\n\n".join(['<div class="figures">', *figures, "</div>"])


def typeset(text: str) -> str:
    """Minus signs, no zero with one, and units on the line of their number."""
    text = re.sub(r"(?<!\S)-(?=0\.0+(?!\d))", "", text)
    text = re.sub(r"(?<![^\s(])-(?=\d)", "\N{MINUS SIGN}", text)
    unit = r"(?:%|[cm]?m|cm/s|s|deg|J/m|N)(?:[\s,;.]|$)"
    return re.sub(rf"(?<=\d) (?={unit})", "\N{NO-BREAK SPACE}", text)


def first_line(text: str | None) -> str:
    """The summary of a docstring, on one line."""
    return " ".join((text or "").partition("\n\n")[0].split())
