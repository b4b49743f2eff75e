"""The help of the program and of its commands: usage, what it takes, examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from serpenoid.text import summary_line

# Commands in the order in which a user meets them; others follow.
_ORDER = (
    *("list", "show", "info", "run", "view", "plot", "compare", "verify", "export", "plan-push"),
    *("sweep", "optimise", "reproduce", "bench", "completion"),
)
# Width of help that is read elsewhere than on a terminal, and the largest one on a terminal.
_WIDTH, _WIDEST = 80, 100

Function = TypeVar("Function", bound=Callable[..., Any])
# Left and right column of a row.
Row = tuple[str, str]


class HelpfulCommand(TyperCommand):
    """A command whose help shows flags as flags and ends with its examples."""

    def get_help(self, ctx: Any) -> str:
        """The help, as text."""
        parts = [("Arguments", arguments(self)), ("Options", options(self.get_params(ctx)))]
        return _page(ctx, usage(self), self.help or "", [*parts, *self.more()], self.epilog or "")

    def more(self) -> list[tuple[str, list[Row]]]:
        """Further parts of the help, each with a title."""
        return []


class Group(TyperGroup):
    """The program, whose help lists the commands in the order in which a user meets them."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.commands = {name: self.commands[name] for name in sorted(self.commands, key=_rank)}

    def list_commands(self, _ctx: Any) -> list[str]:
        """Names of the commands."""
        return list(self.commands)

    def get_help(self, ctx: Any) -> str:
        """The help, as text."""
        commands = [(name, summary_line(command.help)) for name, command in self.commands.items()]
        parts = [("Commands", commands), ("Options", options(self.get_params(ctx)))]
        return _page(ctx, "COMMAND [OPTIONS]", self.help or "", parts, self.epilog or "")


def _rank(name: str) -> int:
    return _ORDER.index(name) if name in _ORDER else len(_ORDER)


def usage(command: Any) -> str:
    """What follows the name of a command: RUN.nc [KIND] [OPTIONS], and options that are needed."""
    given = [param for param in command.params if _is_option(param)]
    words = [_usage_of(param) for param in command.params if not _is_option(param)]
    words += [_option_words(param, max(param.opts, key=len)) for param in given if param.required]
    if any(not (param.required or param.hidden) for param in given):
        words.append("[OPTIONS]")
    return " ".join(words)


def arguments(command: Any) -> list[Row]:
    """The arguments of a command with their help."""
    return [
        (_argument_words(param), param.help or "")
        for param in command.params
        if not _is_option(param)
    ]


def _is_option(param: Any) -> bool:
    return bool(param.param_type_name == "option")


def _usage_of(argument: Any) -> str:
    words = _argument_words(argument)
    return words if argument.required else f"[{words}]"


def _argument_words(argument: Any) -> str:
    return shown_name(argument) + ("" if argument.nargs == 1 else "...")


def _option_words(option: Any, names: str) -> str:
    """An option as one types it: its names and what stands for its value."""
    return names if option.is_flag or option.count else f"{names} {shown_name(option)}"


def shown_name(param: Any) -> str:
    """What stands for the value of an argument or an option: RUN.nc, KEY=VALUE."""
    return str(param.metavar or param.name.upper())


def options(params: Iterable[Any]) -> list[Row]:
    """The options among parameters with their help, and the defaults that say something."""
    rows = []
    for param in params:
        if not _is_option(param) or param.hidden:
            continue
        notes = ["Needed."] if param.required else []
        if not param.is_flag and param.default is not None:
            notes.append(f"Default: {param.default}.")
        words = _option_words(param, ", ".join(sorted(param.opts, key=len)))
        rows.append((words, " ".join([param.help or "", *notes])))
    return rows


def _page(
    ctx: Any, words: str, about: str, parts: Iterable[tuple[str, Sequence[Row]]], end: str
) -> str:
    """The help as text, coloured on a terminal."""
    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDEST) if console.is_terminal else _WIDTH
    with console.capture() as page:
        console.print(Text.assemble(("Usage: ", "bold"), f"{ctx.command_path} {words}"))
        for paragraph in about.split("\n\n"):
            console.print()
            console.print(" ".join(paragraph.split()))
        for title, rows in parts:
            if rows:
                console.print()
                console.print(Text(title, style="bold"))
                console.print(_columns(rows))
        heading, *lines = end.split("\n\n")
        console.print()
        console.print(Text(heading, style="bold"))
        for line in lines:
            if line.startswith("serpenoid"):
                console.print(f"  {line}", soft_wrap=True)
            else:
                console.print()
                console.print(line)
    return "\n".join(line.rstrip() for line in page.get().rstrip().splitlines())


def _columns(rows: Sequence[Row]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, style="cyan")
    table.add_column()
    for left, right in rows:
        table.add_row(f"  {left}", right)
    return table


class Program(typer.Typer):
    """A program whose commands have such help."""

    def command(self, name: str | None = None, **more: Any) -> Callable[[Function], Function]:
        """As `typer.Typer.command`."""
        return super().command(name, **{"cls": HelpfulCommand, **more})
