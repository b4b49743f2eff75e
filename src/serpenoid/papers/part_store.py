"""Parts of the work of a reproduction, each stored once it is done."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serpenoid._version import __version__
from serpenoid.errors import Interrupted, OutputError, SerpenoidError
from serpenoid.papers.outcome_file import fingerprint, read_outcome, write_outcome
from serpenoid.papers.paper import Each, Experiment, Work
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.parallel import cores, for_each

_PACKAGE = Path(__file__).parents[1]
# The sources on which the outcome of every part depends, beside those of its function.
_ROOMS = ("model", "control", "kernels", "methods", "engine", "scenario", "analysis")
# So many parts are worth starting worker processes for, which takes seconds.
_MANY = 4
# Size of the files whose outcomes are held in memory, bytes: those of one combination of readings
# are used together, by all claims.
_HELD = 200e6


@dataclass(frozen=True)
class Part:
    """A piece of work that is done as a whole, known by what is to be done.

    Attributes:
        work: A scenario to run, or a function to call.
    """

    work: Scenario | Work

    @functools.cached_property
    def content(self) -> str:
        """Hash of what is to be done."""
        if isinstance(self.work, Scenario):
            return fingerprint(self.work)
        function = self.work.function
        name = f"{function.__module__}:{function.__qualname__}"
        return fingerprint((name, self.work.arguments))

    @functools.cached_property
    def sources(self) -> str:
        """Hash of the sources that do it."""
        if isinstance(self.work, Scenario):
            return _sources("")
        return _sources(self.work.function.__module__)

    def do(self) -> Any:
        """The outcome; an error of this package if it has none."""
        try:
            if isinstance(self.work, Scenario):
                return self.work.run()
            return self.work.function(*self.work.arguments)
        except (Interrupted, OutputError):
            raise
        except SerpenoidError as error:
            return error


def parts_of(experiment: Experiment) -> list[Part]:
    """The parts of an experiment, in order."""
    if isinstance(experiment, Each):
        return [Part(Work(experiment.function, item)) for item in experiment.items]
    return [Part(experiment)]


class PartStore:
    """A folder of finished parts.

    A part that is there is not done again, after the process was killed either. One that other
    sources did is done anew.

    Attributes:
        folder: The folder.
        keep: Whether to take parts that other sources did, too.
        foreign: Number of parts taken that other sources did.
    """

    def __init__(self, folder: Path, *, keep: bool = False) -> None:
        self.folder = folder
        self.keep = keep
        self.foreign = 0
        self._paths: dict[str, Path] = {}
        self._held: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._size = 0

    def complete(self, parts: Sequence[Part], tell: Callable[[int, int], None]) -> None:
        """Do all parts that are not there.

        Args:
            parts: The parts.
            tell: Called with the number of parts done and their total.
        """
        every = {part.content: part for part in parts}
        missing = []
        for content, part in every.items():
            path = self._find(part)
            if path is None:
                missing.append((part, self._own_path(part)))
            self._paths[content] = path or self._own_path(part)
        before = len(every) - len(missing)

        def tell_share(share: float) -> None:
            tell(before + round(share * len(missing)), len(every))

        tell_share(0.0)
        if len(missing) < _MANY or cores() == 1:
            for number, item in enumerate(missing, 1):
                _do(item)
                tell_share(number / len(missing))
        else:
            for_each(_do, missing, tell_share)

    def outcome(self, experiment: Experiment) -> Any:
        """The outcome of an experiment whose parts are there; an error if one of them failed."""
        found = [self._read(part) for part in parts_of(experiment)]
        failures = [each for each in found if isinstance(each, SerpenoidError)]
        if failures:
            return failures[0]
        return found if isinstance(experiment, Each) else found[0]

    def _own_path(self, part: Part) -> Path:
        return self.folder / f"{part.content[:32]}-{part.sources[:16]}.zip"

    def _find(self, part: Part) -> Path | None:
        """The file of a part, if it is there."""
        path = self._own_path(part)
        if path.is_file():
            return path
        others = sorted(self.folder.glob(f"{part.content[:32]}-*.zip")) if self.keep else []
        self.foreign += bool(others)
        return others[-1] if others else None

    def _read(self, part: Part) -> Any:
        content = part.content
        if content not in self._held:
            path = self._paths[content]
            self._held[content] = read_outcome(path), path.stat().st_size
            self._size += self._held[content][1]
        self._held.move_to_end(content)
        while self._size > _HELD and len(self._held) > 1:
            _, (_, size) = self._held.popitem(last=False)
            self._size -= size
        return self._held[content][0]


def _do(item: tuple[Part, Path]) -> None:
    """Do a part and store its outcome; in a worker process, too."""
    part, path = item
    write_outcome(path, part.do())


@functools.cache
def _sources(module: str) -> str:
    """Hash of the sources of all rooms that simulate, and of a module and what it imports."""
    files = [path for room in _ROOMS for path in sorted((_PACKAGE / room).rglob("*.py"))]
    if module:
        file = getattr(importlib.import_module(module), "__file__", None)  # none of built-in ones
        files += _with_siblings(Path(file), module.rpartition(".")[0]) if file else []
    digest = hashlib.sha256(__version__.encode())
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _with_siblings(file: Path, package: str) -> list[Path]:
    """A file and those of its folder that it imports, or that they import, sorted."""
    found, todo = {file}, [file]
    while todo:
        for node in ast.walk(ast.parse(todo.pop().read_bytes())):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{each.name}" for each in node.names)]
            else:
                names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            paths = {file.with_name(f"{name.removeprefix(f'{package}.')}.py") for name in names}
            new = {path for path in paths - found if path.is_file()}
            found |= new
            todo += new
    return sorted(found)
