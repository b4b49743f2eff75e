"""Classes of controllers in files and modules of the user: found, imported when that is allowed."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
import traceback
import types
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path

from serpenoid.checks import nearest_word
from serpenoid.control.code_imports import digest_of, file_of, imports_from
from serpenoid.errors import InvalidInput, first_line

_WORD = r"[^\W\d]\w*"
_SOURCE = re.compile(rf"(?P<place>.*\.py|{_WORD}(\.{_WORD})*):(?P<name>{_WORD})")


@dataclass(frozen=True)
class CodeSource:
    """Where a class is: `module:Class` or `file.py:Class`.

    Attributes:
        text: As it was written.
        place: Module or file.
        name: Of the class.
        folder: Where files and modules are looked for first.
        key: Of the controller in its scenario, for messages.
    """

    text: str
    place: str
    name: str
    folder: Path
    key: str = "controller"

    @classmethod
    def read(cls, text: str, folder: str | None = None) -> CodeSource:
        """Take a source apart, without looking for it.

        Args:
            text: `module:Class` or `file.py:Class`.
            folder: The current folder if None.

        Raises:
            ValueError: It is none.
        """
        found = _SOURCE.fullmatch(text)
        if found is None:
            raise ValueError("it must be module:Class or file.py:Class, such as 'reflex.py:Reflex'")
        return cls(text, found["place"], found["name"], Path(folder or "").absolute())

    @property
    def is_file(self) -> bool:
        """Whether it is a file, not a module."""
        return self.place.endswith(".py")

    def file(self) -> Path:
        """The file, looked for without running any of it.

        Raises:
            InvalidInput: There is none.
        """
        path = self.folder / self.place if self.is_file else self._module_file()
        if path is None or not path.is_file():
            what = f"{path} is not there" if path and self.is_file else f"no module {self.place!r}"
            where = "" if self.is_file else f" in {self.folder} or among those installed"
            raise self.refused(what + where)
        return path

    def digest(self) -> str:
        """The sha256 of the file."""
        return hashlib.sha256(self._content()).hexdigest()

    def load(self) -> tuple[type, str]:
        """Import the class, if its file has changed since or was not imported yet.

        Returns:
            The class and the digest of the file.

        Raises:
            InvalidInput: It cannot be imported; the sentence has file, line and reason.
        """
        path, content = self.file(), self._content()
        digest = hashlib.sha256(content).hexdigest()
        try:
            module = self._from_file(path, content) if self.is_file else self._module(path)
        except (KeyboardInterrupt, InvalidInput):
            raise
        except BaseException as error:
            raise self.refused(f"{place_of(error, str(path))}{error_words(error)}") from None
        found = getattr(module, self.name, None)
        if not isinstance(found, type):
            here = [n for n, v in vars(module).items() if isinstance(v, type) and _of(v, module)]
            there = f"; it has {', '.join(here)}" if here else ""
            raise self.refused(
                f"{path.name} has no class {self.name!r}{nearest_word(self.name, here)}{there}"
            )
        return found, digest

    def refused(self, words: str) -> InvalidInput:
        """The error for a source that cannot be used."""
        return InvalidInput(f"{self.key}.source = {self.text!r} cannot be used: {words}")

    def _content(self) -> bytes:
        path = self.file()
        try:
            return path.read_bytes()
        except OSError as error:
            raise self.refused(f"{path} cannot be read: {error.strerror}") from None

    def _module_file(self) -> Path | None:
        """The file of a module; packages above it are not run to look for it."""
        where, spec = [str(self.folder), *sys.path], None
        for part in self.place.split("."):
            # By its last name only: a folder without __init__.py looks for the one it is in.
            spec = PathFinder.find_spec(part, where)
            if spec is None:
                return None
            where = list(spec.submodule_search_locations or [])
        return Path(spec.origin) if spec is not None and spec.origin is not None else None

    def _from_file(self, path: Path, content: bytes) -> types.ModuleType:
        """The module made of a file; one that was made of the same content is taken again."""
        key = hashlib.sha256(f"{self.folder}\n{path}\n".encode() + content).hexdigest()[:16]
        name = f"{path.stem}_{key}"
        if _is_current(name):
            return sys.modules[name]
        module = types.ModuleType(name)
        module.__file__ = str(path)
        # Data classes look for the module of a class.
        sys.modules[name] = module
        try:
            with imports_from(self.folder, frozenset([name])) as files:
                exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
        _loaded[name] = _Loaded(module, files)
        return module

    def _module(self, path: Path) -> types.ModuleType:
        """The module of this name in the folder, or among those installed."""
        parts = self.place.split(".")
        parents = [".".join(parts[: k + 1]) for k in range(len(parts))]
        if _is_current(self.place) and file_of(sys.modules[self.place]) == path:
            return sys.modules[self.place]
        for name in [*_loaded]:
            if name.partition(".")[0] == parts[0]:
                _forget(name)
        self._check_name(path, parents)
        with imports_from(self.folder, frozenset(parents)) as files:
            new = [name for name in parents if name not in sys.modules]
            module = importlib.import_module(self.place)
        files[path] = digest_of(path)
        for name in {*new, self.place}:
            _loaded[name] = _Loaded(sys.modules[name], files)
        return module

    def _check_name(self, path: Path, parents: list[str]) -> None:
        """Refuse a name that stands for another module in this process."""
        instead = f"name its file instead: '{'/'.join(self.place.split('.'))}.py:{self.name}'"
        if parents[0] in sys.stdlib_module_names:
            raise self.refused(f"{parents[0]!r} is a module of Python itself; {instead}")
        for k, name in enumerate(parents[::-1]):
            there = file_of(sys.modules.get(name))
            home = path.parent if path.name == "__init__.py" else path
            mine = home.parents[k - 1] if k else home
            allowed = {mine.resolve(), (mine / "__init__.py").resolve()}
            if there is not None and there.resolve() not in allowed:
                raise self.refused(f"{name!r} is already imported from {there}; {instead}")


@dataclass(frozen=True)
class _Loaded:
    """A module that was imported here, with the digests of its helpers, by their files."""

    module: types.ModuleType
    files: dict[Path, str]


_loaded: dict[str, _Loaded] = {}


def _is_current(name: str) -> bool:
    """Whether a module was imported here and none of its files has changed since."""
    known = _loaded.get(name)
    return (
        known is not None
        and sys.modules.get(name) is known.module
        and all(digest_of(file) == digest for file, digest in known.files.items())
    )


def _forget(name: str) -> None:
    """Take a module that was imported here out of those of the process."""
    if sys.modules.get(name) is _loaded[name].module:
        del sys.modules[name], _loaded[name]


def _of(thing: type, module: types.ModuleType) -> bool:
    return thing.__module__ == module.__name__


def error_words(error: BaseException) -> str:
    """An exception in words: its class and the first line of its message."""
    words = error.msg if isinstance(error, SyntaxError) else first_line(error)
    return f"{type(error).__name__}: {words}"


def place_of(error: BaseException, file: str | None) -> str:
    """File and line in which an exception was raised, before a colon; empty if not in the file."""
    if file is None:
        return ""
    if isinstance(error, SyntaxError) and error.lineno is not None and error.filename == file:
        return f"{Path(file).name}, line {error.lineno}: "
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return f"{Path(file).name}, line {frames[-1].lineno}: " if frames else ""
