"""The command line: `serpenoid --help`."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Annotated

import typer

from serpenoid import interrupts
from serpenoid._version import __version__
from serpenoid.cli import (
    compare_command,
    completion,
    info_command,
    output,
    paper_commands,
    plot_command,
    push_commands,
    run_commands,
    study_commands,
)
from serpenoid.cli.output import BAD_INPUT, FAILED, app, complain
from serpenoid.errors import (
    ControllerError,
    Interrupted,
    InvalidInput,
    SerpenoidError,
    SimulationStopped,
    StudyInterrupted,
    StudyStopped,
)
from serpenoid.interrupts import INTERRUPTED

__all__ = [
    "app",
    "compare_command",
    "completion",
    "info_command",
    "invoke",
    "main",
    "paper_commands",
    "plot_command",
    "push_commands",
    "run_commands",
    "study_commands",
]


def main() -> None:
    """Run the command line; every error is one sentence on standard error."""
    interrupts.handle_stops()
    sys.unraisablehook = _report_unraisable
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is spelt out.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    line = os.environ.pop(completion.ASKED, None)
    code = invoke(sys.argv[1:]) if line is None else completion.answer(line)
    interrupts.ignore_stops()
    sys.exit(code)


def _report_unraisable(what: sys.UnraisableHookArgs) -> None:
    """Print errors that cannot be raised; an `interrupt_guard` notices a Ctrl-C by itself."""
    if not issubclass(what.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(what)


def invoke(arguments: Sequence[str]) -> int:
    """Run one command line; errors are printed on standard error.

    Args:
        arguments: The arguments after the name of the program.

    Returns:
        The exit code.
    """
    try:
        code = app(list(arguments) or ["--help"], standalone_mode=False, prog_name="serpenoid")
    except output.AlreadyPrinted as error:
        return error.code
    except (Interrupted, StudyInterrupted, KeyboardInterrupt, typer.Abort) as stop:
        return complain(str(stop) or "interrupted", INTERRUPTED)
    except (SimulationStopped, ControllerError, StudyStopped) as stop:
        return complain(str(stop), FAILED)
    except InvalidInput as error:
        for words in error.mistakes:
            complain(words, BAD_INPUT)
        return BAD_INPUT
    except SerpenoidError as error:
        return complain(str(error), BAD_INPUT)
    except MemoryError:
        return complain("this machine has not enough memory for that; ask for less", FAILED)
    except SystemExit:  # typer's and rich's answer to a reader that has closed our output
        return output.CLOSED_PIPE
    except Exception as error:
        # A wrong command line; typer's own class for it has changed its home more than once.
        if not hasattr(error, "format_message"):
            raise
        commands = getattr(typer.main.get_command(app), "commands", {})
        asked = [*(name for name in arguments[:1] if name in commands), "--help"]
        words = f"{_usage(error.format_message())}; see serpenoid {' '.join(asked)}"
        return complain(words, BAD_INPUT)
    if code == INTERRUPTED:
        return complain("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _usage(words: str) -> str:
    """Typer's message about a wrong command line in the form of our own."""
    sentence = " ".join(words.split()).rstrip(".")
    hint = re.search(r"\.? ?\(?(?:Possible options:|Did you mean) ([^?)]+)[?)]*$", sentence)
    if hint:
        # Of several, the one that is most like what was typed.
        given, likely = sentence[: hint.start()], hint[1].split(", ")
        typed = given.rpartition(" ")[2].strip("'")
        best = max(likely, key=lambda word: SequenceMatcher(None, word, typed).ratio())
        sentence = f"{given} (did you mean {best}?)"
    # Some versions of typer print what pydantic says.
    sentence = re.sub(
        r"Input should be a valid (number|integer).*",
        lambda found: f"it must be a {'whole ' * (found[1] == 'integer')}number",
        sentence,
    )
    return f"{sentence[:1].lower()}{sentence[1:]}"


def _version(wanted: bool) -> None:
    if wanted:
        output.out.print(f"serpenoid {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """Options of the program itself."""
