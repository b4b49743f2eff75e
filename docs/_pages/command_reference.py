"""The commands of the program, from the help that they print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from docs._pages.writing import table
from serpenoid.cli import app
from serpenoid.cli.help_page import arguments, options, usage


def markdown(_page: Path) -> str:
    """A section for each command: what it does, what it takes, examples."""
    group: Any = typer.main.get_command(app)
    return "\n\n".join(_command(name, command) for name, command in group.commands.items())


def _command(name: str, command: Any) -> str:
    parts = [f"### {name}", str(command.help)]
    rows = [
        (f"`{words}`", meaning)
        for words, meaning in [*arguments(command), *options(command.params)]
    ]
    if rows:
        parts += [f"```text\nserpenoid {name} {usage(command)}\n```", table(("", ""), rows)]
    # The first line is the heading of the examples.
    _heading, *lines = (command.epilog or "").split("\n\n")
    return "\n\n".join([*parts, "```sh\n{}\n```".format("\n".join(lines))])
