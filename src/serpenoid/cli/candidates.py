"""What may stand at a place of a command line; a shell offers it at Tab."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from serpenoid import papers
from serpenoid.cli.help_page import shown_name
from serpenoid.cli.output import app
from serpenoid.errors import SerpenoidError
from serpenoid.scenario.scenario import Scenario, gallery
from serpenoid.spec import Family, written
from serpenoid.text import summary_line

# A word, and what it is.
Candidate = tuple[str, str]


def candidates(words: Sequence[str], incomplete: str) -> list[Candidate]:
    """What the last word of a command line may become.

    Args:
        words: The words before it, without the name of the program.
        incomplete: The beginning of the last word; may be empty.

    Returns:
        Words with what they are; those that end in = or / are not complete themselves.
    """
    commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands", {})
    if not words or words[0] not in commands:
        offered: Iterable[Candidate] = [] if words else _commands(commands)
        return [(word, about) for word, about in offered if word.startswith(incomplete)]
    command = commands[words[0]]
    given, option = _read(command, words[1:])
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    if option is None and incomplete.startswith("-"):
        offered = _options(command)
    else:
        left = [p for k, p in enumerate(arguments) if k >= len(given) or p.nargs == -1]
        param = option or next(iter(left), None)
        offered = _values(param, given, incomplete) if param is not None else []
    return [(word, about) for word, about in offered if word.startswith(incomplete)]


def _commands(commands: dict[str, Any]) -> Iterator[Candidate]:
    for name, command in commands.items():
        yield name, summary_line(command.help)


def _read(command: Any, words: Sequence[str]) -> tuple[list[str], Any]:
    """The arguments among the words after a command, and the option that waits for its value."""
    takers = {
        name: param
        for param in command.params
        if param.param_type_name == "option" and not param.is_flag
        for name in param.opts
    }
    given, waiting = [], None
    for word in words:
        if waiting is not None:
            waiting = None
        elif word in takers:
            waiting = takers[word]
        elif word == "-" or not word.startswith("-"):
            given.append(word)
    return given, waiting


def _options(command: Any) -> Iterator[Candidate]:
    for param in command.params:
        if param.param_type_name == "option":
            yield from ((name, param.help or "") for name in param.opts)
    yield "--help", "Show the help of this command."


def _values(param: Any, given: Sequence[str], incomplete: str) -> Iterable[Candidate]:
    """The values of an argument or an option, by what its help calls them."""
    name = shown_name(param)
    if name == "KEY=VALUE":
        return _settings(given[0], incomplete) if given else []
    if name in _KNOWN:
        return _KNOWN[name](incomplete)
    return []


def _scenarios(incomplete: str) -> Iterator[Candidate]:
    yield from ((name, "ready scenario") for name in gallery())
    yield from _files(incomplete, ".toml")


def _anything(incomplete: str) -> Iterator[Candidate]:
    """What `info` takes."""
    yield from _scenarios(incomplete)
    yield from (file for file in _files(incomplete, ".nc") if not file[0].endswith("/"))


def _files(incomplete: str, *endings: str) -> Iterator[Candidate]:
    """Files with one of some endings, any if there is none, and folders; hidden ones if asked."""
    folder, begin = os.path.split(incomplete)
    with contextlib.suppress(OSError, ValueError):
        for entry in sorted(os.scandir(folder or "."), key=lambda entry: entry.name):
            word = os.path.join(folder, entry.name)  # noqa: PTH118 (keeps ./ as typed)
            if entry.name.startswith(".") and not begin.startswith("."):
                continue
            if entry.is_dir():
                yield word + "/", "folder"
            elif not endings or Path(entry.name).suffix in endings:
                yield word, "file"


def _papers(_incomplete: str) -> Iterator[Candidate]:
    yield from ((key, papers.find(key).title) for key in papers.available())
    yield "all", "all papers"


def _kinds(_incomplete: str) -> Iterator[Candidate]:
    from serpenoid.cli.plot_command import kinds

    yield from kinds()
    yield "all", "each of them"


def _metrics(_incomplete: str) -> Iterable[Candidate]:
    from serpenoid.analysis.metrics import METRICS

    return ((name, metric.words) for name, metric in METRICS.items())


def _settings(source: str, incomplete: str) -> list[Candidate]:
    """Dotted keys of a scenario with their values; the kinds of a section after its key."""
    try:
        scenario = Scenario.load(source)
    except SerpenoidError:
        return []
    key, equals, _ = incomplete.partition("=")
    if equals:
        return [(f"{key}={kind}", about) for kind, about in _kinds_of(scenario, key)]
    found: list[Candidate] = []
    _keys(scenario.plain(), "", found)
    return [(f"{name}=", value) for name, value in found]


def _keys(values: Any, place: str, found: list[Candidate]) -> None:
    """All dotted keys below a place."""
    if isinstance(values, dict):
        for name, inner in values.items():
            _keys(inner, f"{place}.{name}" if place else name, found)
    elif isinstance(values, list) and any(isinstance(inner, dict) for inner in values):
        for k, inner in enumerate(values):
            _keys(inner, f"{place}[{k}]", found)
    elif place != "continued":
        found.append((place, f"now {written(values)}"))


def _kinds_of(scenario: Scenario, key: str) -> list[Candidate]:
    """The kinds that a section may have: after controller.kind= or controller=."""
    section = getattr(scenario, key.removesuffix(".kind"), None)
    families: list[Any] = [base for base in type(section).__mro__ if Family in base.__bases__]
    return [
        (kind, summary_line(inspect.getdoc(member)))
        for family in families[:1]
        for kind, member in family.offered().items()
    ]


_KNOWN: dict[str, Callable[[str], Iterable[Candidate]]] = {
    "SCENARIO": _scenarios,
    "STUDY.toml": lambda incomplete: _files(incomplete, ".toml"),
    "RUN.nc": lambda incomplete: _files(incomplete, ".nc"),
    "WHAT": _anything,
    "KIND": _kinds,
    "PAPER": _papers,
    "METRIC": _metrics,
    "SHELL": lambda _incomplete: ((name, "shell") for name in ("bash", "zsh", "fish")),
    "FILE": _files,
    "DIR": lambda incomplete: (f for f in _files(incomplete) if f[0].endswith("/")),
}
