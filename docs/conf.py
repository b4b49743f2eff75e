"""How Sphinx builds this site: `make docs`. Nothing is fetched, neither to build nor to read it."""

import re
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from serpenoid import __version__

project = "serpenoid"
author = "serpenoid contributors"
project_copyright = "serpenoid contributors, MIT licence"
release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "mathml",
    "notebooks",
    "reflow",
    "site_extras",
]
exclude_patterns = ["_build", "_ext", "_pages", "generated", "pictures", "reproductions"]

myst_enable_extensions = ["attrs_block", "attrs_inline", "dollarmath", "html_image"]
myst_heading_anchors = 3
myst_links_external_new_tab = True
nb_execution_mode = "off"  # the extension notebooks runs them
nb_merge_streams = True

# In docstrings `code` is set as such, and fields of dataclasses are listed as parameters are.
default_role = "code"
napoleon_custom_sections = [("Attributes", "params_style")]
# Kernels and solvers call these methods, users do not.
internal = (
    "check, check_step, control, entry, event_count, fields, forget_events, from_stored, "
    "from_values, gait, joined, known, numbers, offered, options, pack, places, remedy, scratch, "
    "stored"
)
autodoc_default_options = {
    "members": True,
    "member-order": "bysource",
    "exclude-members": internal,
}
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
# These names say more than the types they stand for.
autodoc_type_aliases = {
    name: name.rpartition(".")[2]
    for name in (
        *("Count", "Each", "Floats", "Fraction", "Ints", "NonNegative", "NonNegativeOrInfinite"),
        *("Number", "Point", "Positive", "PositiveOrInfinite", "Seed", "Values", "Whole"),
        "npt.ArrayLike",
    )
}
maximum_signature_line_length = 72
toc_object_entries_show_parents = "hide"

# Of a console only the commands are copied; what a program prints has no button.
copybutton_prompt_text = "$ "
copybutton_selector = ":not(.output) > div:not(.highlight-text) > div.highlight > pre"

html_theme = "furo"
html_title = "serpenoid"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_extra_path = ["generated/play"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0f766e",
        "color-brand-content": "#0f766e",
        "color-brand-visited": "#0f766e",
    },
    "dark_css_variables": {
        "color-brand-primary": "#5eead4",
        "color-brand-content": "#5eead4",
        "color-brand-visited": "#5eead4",
    },
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"


# In signatures: `kind`, which users never give, and types that Sphinx writes in full.
_SHORTER = {
    r"(, )?(\*, )?kind: Literal\[[^]]*\] = '\w+'": "",
    r"Annotated\[([\w |]+)(, \w+\([^()]*\))+\]": r"\1",
    r"TypeAliasForwardRef\('(\w+)'\)": r"\1",
    r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[([~.\w]+)\]\]": r"NDArray[\1]",
    r"\bnpt?\.": "",
}


def _shorten_signature(
    _app: Sphinx, _what: str, _name: str, _obj: Any, _options: Any, given: str | None, back: str
) -> tuple[str, str] | None:
    """Apply `_SHORTER` to a signature and its return type."""
    if given is None:
        return None
    for pattern, replacement in _SHORTER.items():
        given, back = (re.sub(pattern, replacement, text or "") for text in (given, back))
    return given, back


def setup(app: Sphinx) -> None:
    """Hook into autodoc."""
    app.connect("autodoc-process-signature", _shorten_signature)
