"""Showing the page of runs: in a file, in a notebook, or in the browser."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import webbrowser
from pathlib import Path

from serpenoid.displays import in_notebook
from serpenoid.engine.runs_by_name import Runs
from serpenoid.engine.trajectory import Trajectory
from serpenoid.plots.viewer import write_html


def show_page(
    run: Trajectory | Runs, path: str | os.PathLike[str] | None, title: str | None = None
) -> Path | None:
    """Show the page that plays runs: inside a notebook, or else in the browser, if it has no file.

    Without a display, or a browser, one sentence on standard error says where the page is.

    Args:
        run: The run, or several by name.
        path: File to write.
        title: Heading of the page, as in `write_html`.

    Returns:
        The file, in a new folder for temporary files if none is named; None in a notebook, which
        needs none.

    Raises:
        InvalidInput: An argument is not allowed.
        OutputError: The file cannot be written.
    """
    if path is not None:
        return write_html(run, path, title)
    named = _named(run)
    if in_notebook():
        from IPython.display import HTML, display

        from serpenoid.plots.notebook import frame

        alone = isinstance(run, Trajectory)
        display(run if alone else HTML(frame(run, named, named, title)))
        return None
    name = re.sub(r"[^\w-]+", "_", named).strip("_")[:60] or "run"
    path = write_html(run, Path(tempfile.mkdtemp(prefix="serpenoid-")) / f"{name}.html", title)
    open_in_browser(path)
    return path


def open_in_browser(page: Path) -> None:
    """Open a page in the browser; if there is none, say so in one sentence on standard error."""
    if not _has_display():
        _tell(f"there is no display to open the page on; it is {page}")
    elif not webbrowser.open(page.resolve().as_uri()):
        _tell(f"no browser was found to open the page with; it is {page}")


def _named(run: Trajectory | Runs) -> str:
    """What the page is called."""
    if isinstance(run, Trajectory):
        return run.scenario.title or run.robot.name
    return ", ".join(run)


def _has_display() -> bool:
    """Whether a browser could show itself; one that is named is trusted to."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def _tell(words: str) -> None:
    print(f"serpenoid: {words}", file=sys.stderr)
