"""What only the site shows: players of runs and tutorials, and comments that hold a directive.

A page is complete as it stands, for those who read it elsewhere. What Sphinx alone understands is
in comments there, and read here as if it were not:

    <!-- {toctree} ... -->     is the directive toctree
    <!-- {.lead} -->           gives the next paragraph the class lead

`docs/generated/play/play/NAME.html` is the player of each ready scenario, copied to play/ of the
site. It stays there until the package or a tutorial changes.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
import shutil
from pathlib import Path
from typing import Any

import notebooks
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

import serpenoid as sp

PLAYERS = Path(__file__).parents[1] / "generated" / "play"
STAMP = PLAYERS / "digest"
_HIDDEN = re.compile(r"^<!-- (\{[\w.-]+\}.*?) *-->$", re.MULTILINE | re.DOTALL)


def _read_hidden(_app: Sphinx, _name: str, source: list[str]) -> None:
    """Take directives and classes out of their comments."""
    source[0] = revealed(source[0])


def revealed(text: str) -> str:
    """The text of a page as Sphinx reads it."""

    def reveal(comment: re.Match[str]) -> str:
        inside = comment[1].rstrip()
        return inside if inside.startswith("{.") else f"```{inside}\n```"

    return _HIDDEN.sub(reveal, text)


def _digest() -> str:
    """Of everything that a player depends on."""
    package = Path(sp.__file__).parent
    files = [path for path in sorted(package.rglob("*")) if path.is_file()]
    digest = hashlib.sha256(Path(__file__).read_bytes())
    files += notebooks.books()
    for path in (path for path in files if "__pycache__" not in path.parts):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _make_players(_app: Sphinx, _config: object) -> None:
    """Run gallery and tutorials, unless their players are there already."""
    wanted = _digest()
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    logging.getLogger(__name__).info("running gallery and tutorials ...")
    shutil.rmtree(PLAYERS, ignore_errors=True)
    (PLAYERS / "play").mkdir(parents=True)
    for name in sp.gallery():
        sp.Scenario.load(name).run().view(PLAYERS / "play" / f"{name}.html")
    _play_comparison()
    notebooks.make_all()
    # Last, so that what was interrupted is made again.
    STAMP.write_text(wanted)


def _play_comparison() -> None:
    """Run the first example on the page Comparing runs, and write the page of both runs."""
    page = (Path(__file__).parents[1] / "compare.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)[0], names)
    names["found"].view(PLAYERS / "play" / "compared.html")


def _show_own_signatures(_app: Sphinx, _config: object) -> None:
    """Let Sphinx read defaults of figures of runs from their signatures.

    It reads them from the source of the functions that they wrap, which have other parameters.
    """
    from serpenoid.plots import Plots
    from serpenoid.plots.comparison_figures import ComparisonPlots

    for member in (*vars(Plots).values(), *vars(ComparisonPlots).values()):
        getattr(member, "__dict__", {}).pop("__wrapped__", None)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Make the players before Sphinx looks for the files that conf.py names."""
    app.connect("config-inited", _make_players, priority=100)
    app.connect("config-inited", _show_own_signatures)
    app.connect("source-read", _read_hidden)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
