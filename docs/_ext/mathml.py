r"""Formulas as MathML, which every browser draws by itself: no script, no network, no LaTeX.

The converter is the one that docutils ships. It sets the subscript of an accented letter below the
letter; `\tilde{x}{}_j` puts it behind, here and in LaTeX.
"""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator


def _inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, *, block: bool) -> str:
    code = node.astext()
    try:
        return str(tex2mathml(code, as_block=block))
    except MathError as error:
        logging.getLogger(__name__).warning("formula %r: %s", code, error, location=node)
        return ""


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer that conf.py names."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
