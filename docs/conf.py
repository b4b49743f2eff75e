"""How Sphinx builds this site: `make docs`. Nothing is fetched, neither to build nor to read it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from serpenoid import __version__

project = "serpenoid"
author = "serpenoid contributors"
project_copyright = "serpenoid contributors, MIT licence"
release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "mathml",
    "plain_docstrings",
    "scenario_reference",
    "environment_reference",
    "making",
    "showing",
]
exclude_patterns = ["_build", "_ext", "generated", "reproductions"]

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = True

# Docstrings are plain words; plain_docstrings turns them into signatures and lists of parameters.
add_module_names = False
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
maximum_signature_line_length = 72
toc_object_entries_show_parents = "hide"

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
