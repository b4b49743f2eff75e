"""A page that plays runs in any browser, offline: one file, nothing fetched from anywhere."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from serpenoid._version import __version__
from serpenoid.checks import check_ending, short
from serpenoid.engine.runs_by_name import Runs, as_runs
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.files import write_text
from serpenoid.plots.viewer.captions import heading, notes, rates, rows_table
from serpenoid.plots.viewer.data import BUDGET, pack
from serpenoid.plots.viewer.signals import described

# One script made of these files, in this order.
_SCRIPTS = (
    *("numbers.js", "run.js", "signals.js", "camera.js", "scene.js"),
    *("surroundings.js", "loads.js", "forces.js", "links.js", "charts.js", "chooser.js"),
    *("swatches.js", "saving.js", "player.js"),
)


def write_html(
    run: Trajectory | Runs, path: str | os.PathLike[str], title: str | None = None
) -> Path:
    """Write a page that plays runs in any browser, offline, whole or not at all.

    Rows of long runs are left out so that the file stays below 2.5 MB; the page says how many
    frames a second it shows.

    Args:
        run: The run to show, or 2 to 7 runs by name, or their .nc files, which the page plays on
            one clock.
        path: File to write.
        title: Heading of the page; the scenario's title or the robot's name if not given, of
            several runs their names.

    Returns:
        The file.

    Raises:
        InvalidInput: An argument is not allowed, or the runs cannot be compared.
        OutputError: A file cannot be read or written.
    """
    check_ending(path, (".html", ".htm"))
    return write_text(path, page(run, title))


def page(run: Trajectory | Runs, title: str | None = None, *, budget: float = BUDGET) -> str:
    """The text of a page that plays runs.

    Args:
        run: The run to show, or 2 to 7 runs by name, or their .nc files, which the page plays on
            one clock.
        title: Heading of the page; the scenario's title or the robot's name if not given, of
            several runs their names.
        budget: Characters that the data may take.

    Returns:
        HTML that needs no other file.

    Raises:
        InvalidInput: An argument is not allowed, or the runs cannot be compared.
        OutputError: A file cannot be read, or is no run.
    """
    if not isinstance(run, Trajectory | Mapping):
        raise InvalidInput(
            f"run = {short(run)} is not allowed: it must be a Trajectory, or a mapping of names to "
            'runs, such as {"smooth": run, "rough": other}'
        )
    # A single run has no name.
    runs = {"": run} if isinstance(run, Trajectory) else as_runs("run", run)
    if title is not None and not isinstance(title, str):
        raise InvalidInput(f"title = {title!r} is not allowed: it must be text or None")
    packed = {name: pack(each, budget / len(runs)) for name, each in runs.items()}
    content = {
        "names": list(runs),
        "runs": [data for data, _ in packed.values()],
        "variables": described(runs.values()),
    }
    data = json.dumps(content, allow_nan=False, separators=(",", ":"))
    title, about = heading(runs, title)
    frames = {name: kept for name, (_, kept) in packed.items()}
    first = next(iter(runs.values()))
    texts = {
        "title": title,
        "rate": rates(runs, frames),
        "version": first.attributes.get("serpenoid_version", __version__),
    }
    parts = {name: html.escape(text) for name, text in texts.items()}
    parts["about"] = "\n".join(f"<p>{html.escape(line)}</p>" for line in about)
    parts["notes"] = "\n".join(f"<p>{html.escape(line)}</p>" for line in notes(runs))
    parts["notes"] += rows_table(runs, frames)
    parts["kind"] = "compared" if len(runs) > 1 else "single"
    parts["style"] = _read("viewer.css")
    parts["script"] = "\n".join(_read(name) for name in _SCRIPTS)
    # Inside a script element only its end tag, or the start of a comment, would end the data.
    parts["data"] = data.replace("<", "\\u003c")
    # In one pass, so that braces in a name stay what they are.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read("page.html"))


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
