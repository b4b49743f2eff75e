"""The public names with a line each, from the pages of the API and the docstrings."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs._pages.writing import first_line

_MARK = re.compile(r"^##+ (.+)$|^\.\. auto(?:class|function|exception):: ([\w.]+)", re.M)


def markdown(page: Path) -> str:
    """A list for each section of the page; of an index, for each page beside it."""
    if page.stem != "index":
        parts = [_part(f"**{title}**", "", names) for title, names in _sections(page)]
    else:
        others = re.search(r"\{toctree\}\n(.*?)^(?:```|-->)$", page.read_text(), re.M | re.S)
        order = re.findall(r"^\w+$", others[1] if others else "", re.M)
        parts = [_page(page.with_name(f"{name}.md")) for name in order]
    return "\n\n".join(parts)


def _page(page: Path) -> str:
    title = page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    names = [name for _, names in _sections(page) for name in names]
    return _part(f"## [{title}]({page.name})", page.name, names)


def _part(heading: str, place: str, names: list[str]) -> str:
    lines = []
    for name in names:
        words = re.sub(r"([*_|<\[])", r"\\\1", first_line(_find(name).__doc__))
        shown = f"`{name.removeprefix('serpenoid.')}`"
        lines.append(f"- {f'[{shown}]({place})' if place else shown} {words}")
    return "\n".join([heading, "", "<!-- {.names} -->", *lines])


def _sections(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Headings with the names that are described below each of them."""
    title, names = "", list[str]()
    for heading, name in _MARK.findall(page.read_text(encoding="utf-8")):
        if name:
            names.append(name)
            continue
        if names:
            yield title, names
        title, names = heading, []
    if names:
        yield title, names


def _find(name: str) -> Any:
    """What has a name, which is one of `serpenoid` if it names no module."""
    parts = name.split(".") if name.startswith("serpenoid.") else ["serpenoid", *name.split(".")]
    for count in range(len(parts) - 1, 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, parts[count:], module)
    raise LookupError(f"there is no {name}")
