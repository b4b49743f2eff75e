"""Imports of code of the user: its helpers are its own, and nothing of the process is replaced."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path

# Never set aside, wherever another module of the name lies.
_STAYS = {*sys.stdlib_module_names, "__main__", "serpenoid"}


def file_of(module: types.ModuleType | None) -> Path | None:
    """The file of a module, or the folder of a package without one; None if it has neither."""
    file = getattr(module, "__file__", None)
    if file is None:
        file = next(iter(getattr(module, "__path__", None) or []), None)
    return Path(file) if isinstance(file, str) else None


@contextlib.contextmanager
def imports_from(folder: Path, keep: frozenset[str] = frozenset()) -> Iterator[dict[Path, str]]:
    """Let imports look in a folder first; what they take from it is forgotten afterwards.

    The same name may stand for another file in another folder, or the file may change. Modules of
    Python and installed ones stay.

    Args:
        folder: The folder.
        keep: Names of modules that are not forgotten.

    Yields:
        Files in the folder that were imported, with their digests; filled in at the end.
    """
    files: dict[Path, str] = {}
    path, writes = list(sys.path), sys.dont_write_bytecode
    aside = {name: sys.modules.pop(name) for name in _shadowed(folder)}
    before = dict(sys.modules)
    sys.path.insert(0, str(folder))
    # Bytecode is told from that of another text by second and size only.
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield files
    finally:
        sys.path[:], sys.dont_write_bytecode = path, writes
        new = {
            name: file_of(module)
            for name, module in sys.modules.items()
            if not {name, name.partition(".")[0]} & before.keys() and _is_in(module, folder)
        }
        files.update({file: digest_of(file) for file in new.values() if file and file.is_file()})
        # After all are found: a folder without __init__.py asks the one it is in where it is.
        for name in new.keys() - keep:
            del sys.modules[name]
        sys.modules.update(aside)


def digest_of(file: Path) -> str:
    """The sha256 of a file; empty if it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _shadowed(folder: Path) -> list[str]:
    """Names of imported modules for which a folder has another file."""
    tops = {file.stem for file in folder.glob("*.py")}
    tops |= {file.parent.name for file in folder.glob("*/__init__.py")}
    # A folder without __init__.py stands for no package that has one.
    tops |= {each.name for each in folder.glob("*/") if not _has_file(sys.modules.get(each.name))}
    tops = {top for top in (tops - _STAYS) & set(sys.modules) if _is_other(top, folder)}
    return [name for name in sys.modules if name.partition(".")[0] in tops]


def _has_file(module: types.ModuleType | None) -> bool:
    return getattr(module, "__file__", None) is not None


def _is_other(name: str, folder: Path) -> bool:
    """Whether an imported module is neither in the folder nor installed."""
    file = file_of(sys.modules[name])
    return file is not None and not _is_installed(file) and not _is_in(sys.modules[name], folder)


def _is_in(module: types.ModuleType, folder: Path) -> bool:
    file = file_of(module)
    if file is None:
        return False
    inside = file.resolve().is_relative_to(folder.resolve())
    return inside and not _is_installed(file)


def _is_installed(file: Path) -> bool:
    return not {"site-packages", "dist-packages"}.isdisjoint(file.parts)
