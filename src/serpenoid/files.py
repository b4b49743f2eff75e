"""Atomic writing of files: each is written completely or not at all, where it was told to be."""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from serpenoid.errors import InvalidInput, OutputError
from serpenoid.interrupts import interrupt_guard
from serpenoid.text import printable

# Names that Windows keeps for devices, whatever follows a dot.
_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{port}{k}" for port in ("COM", "LPT") for k in "123456789"),
}
# Longest name of output, which leaves room for suffixes, bytes.
_LONGEST_NAME = 200


def file_name(name: str) -> str:
    """Check a name from outside that is to be that of a file or folder within another folder.

    Args:
        name: The name, without a folder.

    Raises:
        InvalidInput: It would lead elsewhere, or cannot be the name of a file everywhere.
    """
    plain = name == printable(name) and not any(mark in name for mark in "/\\")
    device = name.partition(".")[0].strip().upper() in _DEVICES
    size = len(name.encode("utf-8", "surrogatepass"))
    if not plain or device or name in (".", "..") or not 0 < size <= _LONGEST_NAME:
        shown = name if len(name) <= 60 else name[:57] + "..."
        raise InvalidInput(
            f"{shown!r} is not allowed as a name of output: it must be 1 to {_LONGEST_NAME} bytes "
            "without slashes and control characters, and neither . nor .. nor a device of Windows"
        )
    return name


def _check_link(path: Path) -> None:
    """Refuse a link that another user has put where something is to be written.

    Raises:
        PermissionError: It is one.
    """
    if hasattr(os, "geteuid") and path.is_symlink():
        owner = path.lstat().st_uid
        if owner not in (os.geteuid(), 0):
            raise PermissionError(None, "it is a link of another user")


def check_regular(path: Path) -> None:
    """Refuse what is there but no file, which may never end, and links of another user.

    Raises:
        OSError: It is such a thing.
    """
    _check_link(path)
    if path.exists() and not path.is_file():
        raise OSError(None, "it is not a file")


@contextlib.contextmanager
def _temporary(path: str | os.PathLike[str]) -> Iterator[tuple[Path, Path]]:
    """An empty temporary file beside a target; it is gone at the end, after Ctrl-C too.

    Args:
        path: The target.

    Yields:
        The target as an absolute path, and the temporary file.

    Raises:
        OutputError: The target cannot be written.
    """
    with interrupt_guard() as check_interrupt, _refused(path):
        check_regular(Path(path))
        target = Path(path).resolve()
        unique = f"{platform.node()}-{os.getpid()}-{secrets.token_hex(4)}"
        temporary = target.with_name(f".{target.name}.{unique}.part")
        try:
            temporary.touch(exist_ok=False)
            yield target, temporary
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        check_interrupt()


@contextlib.contextmanager
def _refused(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say of which path it is that it cannot be written."""
    try:
        yield
    except (TypeError, ValueError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        shown = str(path) if isinstance(path, os.PathLike) else path
        raise OutputError(f"path = {shown!r} cannot be written: {reason}") from None


@contextlib.contextmanager
def _whole(path: str | os.PathLike[str], durable: bool = False) -> Iterator[Path]:
    """A temporary path beside the target that replaces it at the end and is removed on failure.

    Args:
        path: The target.
        durable: Whether its new entry in the folder is forced onto the disk.

    Yields:
        The temporary path to write to.

    Raises:
        OutputError: The target cannot be written.
    """
    with _temporary(path) as (target, temporary):
        yield temporary
        temporary.replace(target)
        if durable:
            _sync_folder(target.parent)


def write_bytes(path: str | os.PathLike[str], content: bytes | memoryview) -> Path:
    """Write a file, completely or not at all.

    What killed processes of this machine have left in the folder is removed.

    Args:
        path: The target.
        content: Its content.

    Returns:
        The absolute path.

    Raises:
        OutputError: The target cannot be written.
    """
    with _whole(path) as temporary:
        clear_left_over(temporary.parent)
        temporary.write_bytes(content)
    return Path(path).resolve()


def write_together(contents: Mapping[Path, bytes]) -> list[Path]:
    """Write files that belong together: all of them are complete before the first is replaced.

    Args:
        contents: Contents by target.

    Returns:
        The absolute paths.

    Raises:
        OutputError: A target cannot be written; all are as they were.
    """
    with contextlib.ExitStack() as stack:
        for path, content in contents.items():
            temporary = stack.enter_context(_whole(path))
            clear_left_over(temporary.parent)
            temporary.write_bytes(content)
    return [path.resolve() for path in contents]


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text file in UTF-8, completely or not at all.

    Args:
        path: The target.
        text: Its content.

    Returns:
        The absolute path.

    Raises:
        OutputError: The target cannot be written.
    """
    return write_bytes(path, text.encode("utf-8"))


def write_durably(path: Path, content: bytes) -> None:
    """Write a file, completely or not at all, so that it survives a power failure.

    Partial files of killed processes stay: in a folder of many files, `clear_left_over` removes
    them once for all.

    Args:
        path: The target.
        content: Its content.

    Raises:
        OutputError: The target cannot be written.
    """
    with _whole(path, durable=True) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def make_folder(folder: Path) -> None:
    """Make a folder and its parents.

    Args:
        folder: The folder; it may exist.

    Raises:
        OutputError: It cannot be made.
    """
    try:
        _check_link(folder)
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"folder {folder} cannot be made: {error.strerror}") from None


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that a file can be written, before the work rather than after it.

    Raises:
        OutputError: It cannot be written.
    """
    with _temporary(path):
        pass


def dumps(value: Any) -> str:
    """JSON text with indentation and a final newline."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def json_numbers(numbers: Mapping[str, float]) -> dict[str, float | None]:
    """Numbers by name with None for those that JSON cannot hold."""
    return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


def clear_left_over(folder: Path) -> None:
    """Remove the temporary files in a folder whose process, on this machine, has ended.

    Those that cannot be removed stay: they may be another user's.
    """
    pattern = re.compile(rf"\..+\.{re.escape(platform.node())}-(\d+)-[0-9a-f]+\.part")
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            match = pattern.fullmatch(entry.name)
            if match and not _alive(int(match.group(1))):
                with contextlib.suppress(OSError):
                    Path(entry.path).unlink()


def _sync_folder(folder: Path) -> None:
    """Force the entries of a folder onto the disk; only on Unix folders can be opened."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _alive(process: int) -> bool:
    if os.name != "posix":
        return True  # elsewhere signal 0 is no question but an order
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True
