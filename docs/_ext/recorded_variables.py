"""`{recorded-variables}`: the variables that a run records, as a table."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from serpenoid.engine.trajectory import OPTIONAL, VARIABLES


class RecordedVariables(SphinxDirective):
    """Name, dimensions, unit and meaning of each variable."""

    def run(self) -> list[nodes.Node]:
        """Write the table in Markdown and parse it."""
        rows = ["| variable | dimensions | unit | meaning |", "|---|---|---|---|"]
        rows += [
            f"| `{name}` | {', '.join(dims)} | {'' if unit == '1' else unit} | {meaning} |"
            for name, (dims, unit, meaning) in (VARIABLES | OPTIONAL).items()
        ]
        return self.parse_text_to_nodes("\n".join(rows))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("recorded-variables", RecordedVariables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
