"""Small tables of numbers, as text and as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from serpenoid.text import printable


def shown_unit(unit: str) -> str:
    """A unit as tables show it; nothing for a plain number."""
    return "" if unit == "1" else unit


def left_out_notes(reasons: Mapping[str, str]) -> list[str]:
    """Sentences on measures that are left out, one for each reason.

    Args:
        reasons: Why, by measure.
    """
    alike: dict[str, list[str]] = {}
    for name, why in reasons.items():
        alike.setdefault(why.replace(f"{name} needs", "each needs", 1), []).append(name)
    return [
        f"{', '.join(names)} are left out, {why}"
        if len(names) > 1
        else f"{names[0]} is left out, {reasons[names[0]]}"
        for why, names in alike.items()
    ]


def as_text(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under the heads of their columns, in columns of equal width.

    Args:
        heads: Heads of the columns.
        rows: Cells of each row; the first of a row is flush left, as are units in the last.
    """
    lines = [[printable(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    last = len(widths) - 1
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k in (0, last) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def as_html(heads: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """Rows as an HTML table, with notes below."""
    head = "".join(f"<th>{html.escape(each)}</th>" for each in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    below = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
