"""A page that plays a run in any browser, offline: one file, nothing fetched from anywhere."""

from __future__ import annotations

import html
import os
import re
from importlib.resources import files
from pathlib import Path

from serpenoid._version import __version__
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.files import write_text
from serpenoid.plots.viewer.data import pack

# One script made of these files, in this order.
_SCRIPTS = ("run.js", "camera.js", "scene.js", "loads.js", "forces.js", "charts.js", "player.js")


def write_html(run: Trajectory, path: str | os.PathLike[str], title: str | None = None) -> Path:
    """Write a page that plays a run in any browser, offline, whole or not at all.

    Rows of long runs are left out so that the file stays below 2.5 MB; the page says how many
    frames a second it shows.

    Args:
        run: The run to show.
        path: File to write.
        title: Heading of the page; the scenario's title or the robot's name if not given.

    Returns:
        The file.

    Raises:
        InvalidInput: An argument is not allowed.
        OutputError: The file cannot be written.
    """
    if not isinstance(run, Trajectory):
        raise InvalidInput(f"run = {run!r} is not allowed: it must be a Trajectory")
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InvalidInput(f"path = {str(path)!r} is not allowed: it must end in .html")
    if title is not None and not isinstance(title, str):
        raise InvalidInput(f"title = {title!r} is not allowed: it must be text or None")
    robot = str(run.robot)
    title = title or run.scenario.title or None
    if title is None:
        title, robot = run.robot.name, robot.removeprefix(f"{run.robot.name}: ")
    data, frames = pack(run)
    texts = {
        "title": title,
        "robot": robot,
        "world": str(run.world),
        "rate": _rate(run, frames),
        "version": run.attributes.get("serpenoid_version", __version__),
    }
    parts = {name: html.escape(text) for name, text in texts.items()}
    parts["style"] = _read("viewer.css")
    parts["script"] = "\n".join(_read(name) for name in _SCRIPTS)
    # Inside a script element only its end tag, or the start of a comment, would end the data.
    parts["data"] = data.replace("<", "\\u003c")
    # In one pass, so that braces in a name stay what they are.
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read("page.html"))
    return write_text(path, page)


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _rate(run: Trajectory, frames: int) -> str:
    """How many of the recorded rows the page shows."""
    rows, duration = len(run.time), run.time[-1] - run.time[0]
    if rows < 2:
        return "One recorded row."
    if frames == rows:
        return f"All {rows} recorded rows, {(rows - 1) / duration:.4g} frames/s."
    return (
        f"{frames} of {rows} recorded rows, {(frames - 1) / duration:.4g} of "
        f"{(rows - 1) / duration:.4g} frames/s; the plots use these frames, forces are means "
        "over the rows between them."
    )
