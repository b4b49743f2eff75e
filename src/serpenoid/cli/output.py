"""The program itself, its consoles, and the output that all commands share."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from serpenoid.cli.help_page import Group, Program
from serpenoid.errors import InvalidInput, prefixed
from serpenoid.files import check_writable, file_name, write_text
from serpenoid.interrupts import ignore_further_stops
from serpenoid.text import printable, table_cell

FAILED, BAD_INPUT, CLOSED_PIPE = 1, 2, 141


def examples(*lines: str) -> str:
    """Command lines as the last section of a help text."""
    return "\n\n".join(["Examples", *lines])


app = Program(
    name="serpenoid",
    cls=Group,
    help="Snake robots: simulate, look, compare, sweep, optimise, reproduce papers.",
    epilog=examples(
        "serpenoid list",
        "serpenoid run aiko_pegs",
        "serpenoid view runs/aiko_pegs.nc",
        "serpenoid reproduce transeth2008",
        "serpenoid sweep gait_map.toml",
        "serpenoid optimise best_gait.toml",
    )
    + "\n\nExit codes: 0 done, 1 a run stopped or a check failed, 2 bad input, "
    "130 interrupted. Help of a command: serpenoid COMMAND --help.",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _Console(Console):
    """A console on which no text from outside steers the terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*map(_shown, objects), **options)


def _shown(item: Any) -> Any:
    """What is printed, with all that would steer a terminal spelt out."""
    if isinstance(item, str):
        return printable(item, keep="\n")
    if isinstance(item, Text):
        item = item.copy()
        item.plain = printable(item.plain, keep="\n")
    return item


def new_console(*, stderr: bool, width: int | None = None) -> Console:
    """A console that prints paths and names as they are, brackets and colons too, on one line.

    Args:
        stderr: Whether it prints on standard error.
        width: Width of tables, characters; that of the terminal if not given.
    """
    return _Console(
        stderr=stderr, width=width, highlight=False, markup=False, emoji=False, soft_wrap=True
    )


out, err = new_console(stderr=False), new_console(stderr=True)


def json_option(words: str) -> Any:
    """The option --json, whose file is checked before the work; words: its help."""
    return typer.Option("--json", metavar="FILE", help=words, callback=_check_json)


def _check_json(file: str | None) -> str | None:
    if file is not None and file != "-":
        check_writable(file)
    return file


def keep_apart(option: str, file: str | None, *others: Path | None) -> None:
    """Refuse to write over what the same command reads, or writes itself.

    Args:
        option: The option that names the file, as on the command line.
        file: What it names; None and - are no file.
        others: Files that are to stay; None is none.

    Raises:
        InvalidInput: The file is one of them.
    """
    if file in (None, "-"):
        return
    for other in others:
        if other is not None and other.resolve() == Path(str(file)).resolve():
            raise InvalidInput(
                f"{option} {file} is not allowed: it is a file that this command reads or writes "
                "itself"
            )


RunFile = Annotated[Path, typer.Argument(metavar="RUN.nc", help="A saved run.")]
JsonFile = Annotated[str | None, json_option("Write a summary there; - prints it.")]


class AlreadyPrinted(Exception):
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
    ignore_further_stops()
    message = Text("serpenoid: ", style="bold red", end="")
    err.print(message + Text(printable(words), style="not bold default"))
    return code


def show_table(
    title: str,
    rows: Iterable[Iterable[str | Text]],
    heads: Sequence[str] = (),
    console: Console | None = None,
    folded: Sequence[str] = (),
) -> None:
    """Print rows under a title, and under the heads of their columns if there are some.

    Args:
        title: The title.
        rows: Cells of each row.
        heads: Heads of the columns.
        console: Where to print; standard output if not given.
        folded: Heads of columns whose cells go on in the next line where there is no room.
    """
    console = console or out
    if title:  # as the title of the table it would be broken to its width
        console.print(title, style="italic")
    table = Table(box=None, show_header=bool(heads))
    table.padding = (0, 1 if heads else 2)
    for head in heads:
        table.add_column(_shown(head), no_wrap=head not in folded)
    for row in rows:  # square brackets are no markup here
        table.add_row(*(_shown(Text(cell) if isinstance(cell, str) else cell) for cell in row))
    console.print(table, soft_wrap=False)
    console.print()


def show_points(title: str, points: Sequence[Mapping[str, object]], console: Console) -> None:
    """Print points of a study.

    Args:
        title: Stands above them.
        points: Number, parameters and metrics of each, at least of one; of dotted keys the last
            words are shown.
        console: Where to print.
    """
    heads = [key.rpartition(".")[2] for key in points[0]]
    show_table(title, [map(table_cell, point.values()) for point in points], heads, console)


def output_name(source: str | Path) -> str:
    """Name of what is made of a file, or of a scenario of the gallery: without its suffix.

    Args:
        source: The file or the scenario, as on the command line.

    Raises:
        InvalidInput: With such a name output would lie elsewhere than in its folder.
    """
    with prefixed(str(source)):
        return file_name(Path(source).stem)


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
def new_folder(folder: Path) -> Iterator[None]:
    """Make the folder of the option --out for a `with` block, and leave none behind if that fails.

    Args:
        folder: The folder, which may exist; one that does, or holds something, stays.

    Raises:
        InvalidInput: It cannot be made.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    make_folder(folder)
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):
            for place in made:
                place.rmdir()
        raise


@contextlib.contextmanager
def announced(*files: Path) -> Iterator[None]:
    """Tell the user, after a `with` block has written files, which of them it replaced."""
    there = [str(file) for file in files if file.exists()]
    yield
    if there:
        err.print(f"replaced {' and '.join(there)}")


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
    """Write text to standard output, if there is one: unchanged, unless it is a terminal."""
    if sys.stdout is not None:
        sys.stdout.write(printable(text, keep="\n\t") if sys.stdout.isatty() else text)
