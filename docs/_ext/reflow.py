"""Tables that are too wide for a phone get a class, and in each cell the heading of its column.

The style sheet shows such a table there as a list of rows, and the headings only there. Short code
with which a row begins gets a class by which it stays on one line.
"""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

# Letters that fit beside each other on a phone, and the longest that a column asks for.
ROOM, LONGEST = 44, 26
# Letters of code that stays on one line.
SHORT = 16


def is_wide(table: nodes.table) -> bool:
    """Whether its columns have no room beside each other on a phone."""
    rows = [[len(entry.astext()) for entry in row.children] for row in table.findall(nodes.row)]
    return sum(2 + min(LONGEST, max(column)) for column in zip(*rows, strict=False)) > ROOM


class ReflowTables(SphinxPostTransform):
    """Prepare wide tables for phones."""

    default_priority = 900
    formats = ("html",)

    def run(self, **_: object) -> None:
        """Mark the tables and label their cells."""
        for table in self.document.findall(nodes.table):
            for row in table.findall(nodes.row):
                for code in row[0].findall(nodes.literal):
                    if len(code.astext()) <= SHORT:
                        code["classes"].append("short")
            if is_wide(table):
                table["classes"].append("reflow")
                _label(table)


def _label(table: nodes.table) -> None:
    heads = [entry.astext() for head in table.findall(nodes.thead) for entry in head[0].children]
    for body in table.findall(nodes.tbody):
        for row in body.children:
            for head, entry in list(zip(heads, row.children, strict=False))[1:]:
                if not entry.astext():
                    entry["classes"].append("nothing")
                elif head and isinstance(entry[0], nodes.paragraph):
                    entry[0].insert(0, nodes.inline("", f"{head}: ", classes=["cell-label"]))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the transform."""
    app.add_post_transform(ReflowTables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
