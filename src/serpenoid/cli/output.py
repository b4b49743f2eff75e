"""The program itself, its consoles, and the output that all commands share."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from serpenoid.errors import InvalidInput
from serpenoid.files import write_text

FAILED, BAD_INPUT, INTERRUPTED, CLOSED_PIPE = 1, 2, 130, 141


def examples(*lines: str) -> str:
    """Command lines as the last section of a help text."""
    return "\n\n".join(["[bold]Examples[/]", *(escape(line) for line in lines)])


app = typer.Typer(
    name="serpenoid",
    help="Snake-robot locomotion: simulate, look, reproduce papers, sweep and optimise.",
    epilog=examples(
        "serpenoid list",
        "serpenoid run aiko_pegs",
        "serpenoid view runs/aiko_pegs.nc",
        "serpenoid reproduce transeth2008",
        "serpenoid sweep gait_map.toml",
        "serpenoid optimise best_gait.toml",
    )
    + "\n\nExit codes: 0 done, 1 a run stopped or a claim or check failed, 2 bad input, "
    "130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
# Paths and names are printed as they are, whatever brackets and colons they have.
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False)

JsonFile = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Write a summary there; - prints it.")
]

STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore interrupts within a `with` block, so that results are saved completely."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {stop: signal.signal(stop, signal.SIG_IGN) for stop in STOPS}
    try:
        yield
    finally:
        for stop, handler in before.items():
            signal.signal(stop, handler)


class Told(Exception):
    """An error that has been printed already.

    Attributes:
        code: Exit code of the program.
    """

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


def complain(words: str, code: int) -> int:
    """Print an error on standard error.

    Args:
        words: The error, in one sentence.
        code: Exit code of the program.

    Returns:
        The exit code.
    """
    message = Text("serpenoid: ", style="bold red", end="")
    err.print(message + Text(words, style="not bold default"), soft_wrap=True)
    return code


def show_table(title: str, rows: list[list[str]]) -> None:
    """Print rows under a title."""
    table = Table(title=title, title_justify="left", box=None, show_header=False, padding=(0, 2))
    for row in rows:
        table.add_row(*map(Text, row))  # as they are, brackets and all
    out.print(table)
    out.print()


def make_folder(folder: Path) -> None:
    """Make the folder of the option --out.

    Args:
        folder: The folder, which may exist.

    Raises:
        InvalidInput: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"--out {folder} cannot be a folder: {error.strerror}") from None


@contextlib.contextmanager
def announced(*files: Path) -> Iterator[None]:
    """Tell the user, after a `with` block has written files, which of them it replaced."""
    there = [str(file) for file in files if file.exists()]
    yield
    if there:
        err.print(f"replaced {' and '.join(there)}", soft_wrap=True)


def give(text: str, file: str | None) -> None:
    """Print or write text.

    Args:
        text: The text.
        file: Name of the file to write; - prints the text, None does nothing.
    """
    if file == "-":
        print_text(text)
    elif file is not None:
        with announced(Path(file)):
            write_text(file, text)


def print_text(text: str) -> None:
    """Write text to standard output unchanged, if there is a standard output."""
    if sys.stdout is not None:
        sys.stdout.write(text)
