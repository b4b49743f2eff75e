"""What pages show of ready scenarios: pictures, numbers, files, and the player on the site."""

from __future__ import annotations

import json
import os
from pathlib import Path

import serpenoid as sp
from docs._pages.places import DOCS, PICTURES
from docs._pages.writing import figure, first_line, grid, typeset
from serpenoid import plots

# Kinds of figure that say more about another run than about Aiko on its pegs.
SHOWN_ON = {
    "joint_angles": "wheeled_snake",
    "stick_slip": "aiko_flat",
    "loads": "push_box",
    "energy": "scales",
    "cross_track": "waypoints",
    "heading_error": "waypoints",
    "forward_velocity": "waypoints",
}
# Name of a ready scenario: its run in a line; written with the pictures.
LINES = PICTURES / "gallery" / "runs.json"


def shown_on(kind: str) -> str:
    """The ready scenario that a kind of figure is shown on."""
    return SHOWN_ON.get(kind, "aiko_pegs")


def _on_site(page: Path, name: str) -> str:
    """Address of a player on the site, which copies them to play/."""
    return Path(os.path.relpath(DOCS / "play" / f"{name}.html", page.parent)).as_posix()


def ready_scenario(page: Path, name: str) -> str:
    """Picture, numbers, command, and the file behind a click; a link to the player on the site."""
    line = typeset(json.loads(LINES.read_text(encoding="utf-8"))[name])
    words = f"Path of the robot in {name}, with snapshots."
    shown = figure(page, PICTURES / "gallery" / f"{name}.png", words, f"{line}.")
    link = f'<p class="play"><a href="{_on_site(page, name)}">Play it</a></p>'
    text = sp.gallery()[name].read_text(encoding="utf-8")
    return (
        f"{shown}\n\n<!-- {{raw}} html\n{link}\n-->\n\n"
        f"```console\n$ serpenoid run {name}\n```\n\n"
        f"<details><summary>{name}.toml</summary>\n\n```toml\n{text}```\n\n</details>"
    )


def player(page: Path, name: str) -> str:
    """The page that plays a run, inside this one; only the site can show it."""
    # Until it is clicked, the frame lets the page be scrolled over it.
    frame = (
        f'<div class="player" tabindex="0"><iframe src="{_on_site(page, name)}" '
        f'loading="lazy" title="{name} as a player"></iframe></div>'
    )
    return f"<!-- {{raw}} html\n{frame}\n-->"


def figure_kinds(page: Path) -> str:
    """One figure of each kind, with the call that draws it."""
    figures = []
    for kind, function in plots.KINDS.items():
        words = first_line(function.__doc__)
        caption = f"`run.plot.{kind}()` of `{shown_on(kind)}`. {words}"
        figures.append(figure(page, PICTURES / "kinds" / f"{kind}.png", words, caption))
    return grid(figures)
