"""`{recorded-variables}`: the variables that a run records, as a table."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from serpenoid.engine.variables import CONTACT_LOG, VARIABLES


class RecordedVariables(SphinxDirective):
    """Name, dimensions, unit and meaning of each variable, and what a run must have for it."""

    def run(self) -> list[nodes.Node]:
        """Write the table in Markdown and parse it."""
        head = ("variable", "dimensions", "unit", "only with", "meaning")
        rows = [head, ("---",) * len(head)]
        rows += [
            (f"`{v.name}`", ", ".join(v.dims), v.unit.replace("1", ""), v.feature, v.meaning)
            for v in (*VARIABLES.values(), *CONTACT_LOG)
        ]
        return self.parse_text_to_nodes("\n".join(f"| {' | '.join(row)} |" for row in rows))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("recorded-variables", RecordedVariables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
