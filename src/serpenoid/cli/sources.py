"""Scenarios as a command line gives them, and the names of what is made of them."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from serpenoid.cli.output import output_name
from serpenoid.errors import InvalidInput, prefixed
from serpenoid.files import file_name
from serpenoid.scenario.key_lines import located
from serpenoid.scenario.keys import BARE_TEXT, parse, read_all, read_text, setting
from serpenoid.scenario.scenario import Scenario, find

SCENARIO = "Name in the gallery, or a TOML file; - reads standard input."
ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help=SCENARIO)]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a value; may be repeated."),
]
AllowCode = Annotated[
    bool,
    typer.Option("--allow-code", help="Let a controller in Python that the file names run."),
]
OutputName = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="Name of the files, without an ending."),
]

# Longest name of settings that is spelt out, characters.
_LONGEST = 60
# Numbers and words of TOML that can stand in the name of a file as they are.
_SAFE = re.compile(r"[A-Za-z0-9_.+-]+")
# Endings of the files of a run.
_ENDINGS = ("nc", "toml")
# Keys that only studies have.
_OF_STUDIES = {"base", "parameters", "optimise"}


@dataclass(frozen=True)
class Source:
    """A scenario of the command line, with what --set changes.

    Attributes:
        shown: Its name or file, as in messages.
        text: What is in the file.
        file: The file; None for standard input.
        changes: Dotted keys to new values.
        scenario: The scenario, changes made.
    """

    shown: str
    text: str
    file: Path | None
    changes: Mapping[str, Any]
    scenario: Scenario

    def located(self) -> AbstractContextManager[None]:
        """Say of mistakes that are found later in which file and line they are.

        Only the file if there are changes, which may be the mistake.
        """
        return prefixed(self.shown) if self.changes else located(self.shown, self.text)

    def output(self, name: str | None = None) -> str:
        """Name of the files that are made of it.

        Args:
            name: The one that the user wants; if not given, that of the scenario with what is
                changed, so that no run replaces one with other settings.

        Raises:
            InvalidInput: It cannot be the name of a file.
        """
        if name is not None:
            bare, _, ending = name.rpartition(".")
            if bare and ending.lower() in _ENDINGS:
                raise InvalidInput(
                    f"--name {name!r} is not allowed: it must be the name without an ending, as in "
                    f"--name {shlex.quote(bare)}"
                )
            with prefixed("--name"):
                return file_name(name)
        own = output_name(self.shown)
        return file_name(f"{own}-{changes_name(self.changes)}") if self.changes else own


def read_source(given: str, settings: list[str] | None, allow_code: bool = False) -> Source:
    """Read a scenario and make the changes of --set.

    Args:
        given: Name in the gallery, file, or - for standard input.
        settings: What follows each --set.
        allow_code: Whether a controller in Python that it names may run.
    """
    changes = dict(setting(text) for text in settings or [])
    if given == "-":
        try:
            text = read_all(sys.stdin, "stdin")
        except UnicodeDecodeError:
            raise InvalidInput("stdin is not valid TOML: it is no UTF-8 text") from None
        _refuse_study(text, "stdin")
        scenario = Scenario.read(text, "stdin", changes, folder=Path(), allow_code=allow_code)
        return Source("stdin", text, None, changes, scenario)
    file = find(given)
    text = read_text(file, given)
    _refuse_study(text, given)
    scenario = Scenario.read(text, given, changes, folder=file.parent, allow_code=allow_code)
    return Source(given, text, file, changes, scenario)


def _refuse_study(text: str, shown: str) -> None:
    """Raise InvalidInput with the command to type if text is that of a study."""
    if command := _study_command(_values(text)):
        typed = "STUDY.toml" if shown == "stdin" else shlex.quote(shown)
        raise InvalidInput(f"{shown} is a study: serpenoid {command} {typed} runs it")


def check_study(file: Path, command: str) -> None:
    """Raise InvalidInput with the command to type if a file is meant for another one.

    Args:
        file: The file.
        command: The command that is given it: 'sweep' or 'optimise'.
    """
    values = _values(read_text(file, f"study {file}"))
    meant = _study_command(values)
    if not meant and "robot" in values:
        raise InvalidInput(f"{file} is a scenario: serpenoid run {shlex.quote(str(file))} runs it")
    if meant and meant != command:
        what = "a study to optimise" if meant == "optimise" else "a study without objectives"
        raise InvalidInput(f"{file} is {what}: serpenoid {meant} {shlex.quote(str(file))} runs it")


def _study_command(values: Mapping[str, Any]) -> str:
    """The command for values of a study, sweep or optimise; empty if they are of none."""
    if "robot" in values or not _OF_STUDIES & values.keys():
        return ""
    return "optimise" if "optimise" in values else "sweep"


def _values(text: str) -> dict[str, Any]:
    """The values of TOML text; empty if it is not valid, which is reported where it is read."""
    try:
        return parse(text, "")
    except InvalidInput:
        return {}


def changes_name(changes: Mapping[str, Any]) -> str:
    """Settings in the name of a file: friction.mu=0.4,seed=7; a digest if that is too long or odd.

    The same settings have the same name in any order, and different ones never do.

    Args:
        changes: Dotted keys to values, at least one.
    """
    words = [f"{key}={_plain(value)}" for key, value in sorted(changes.items())]
    name = ",".join(words)
    if len(name) <= _LONGEST and all(_SAFE.fullmatch(word.replace("=", "", 1)) for word in words):
        return name
    text = json.dumps(changes, sort_keys=True, default=repr)
    return f"set-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _plain(value: Any) -> str:
    """A number, truth value or bare text as typed; others by their repr, which is not safe."""
    if isinstance(value, str):
        return value if BARE_TEXT.fullmatch(value) else repr(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)
