"""The folder of compiled kernels: one per user, shared by all environments and checkouts.

A file is written whole or not at all, and holds a digest of its bytes, because damaged machine code
would end the interpreter. Nothing here ever fails: what cannot be read is compiled, and what cannot
be written is compiled again by the next process. A folder that others can write is not used at all.
"""

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

from serpenoid.kernels._private import intruder, is_ours, make_private
from serpenoid.text import printable

_SUFFIX = ".kernel"
# Files that nobody has read for this time, s, are removed, and the oldest beyond this number.
_UNUSED = 60 * 86400.0
_MOST = 200
# A file that is still not whole after this time was left by a process that was killed, s.
_ABANDONED = 3600.0


def folder(within: str = "") -> Path | None:
    """SERPENOID_CACHE_DIR, or the user's cache folder; None if others can write it.

    Args:
        within: Name of a folder in it, which is meant instead.
    """
    place = _chosen() / within
    why = intruder(place)
    if why:
        _refuse(place, why)
    return None if why else place


def _chosen() -> Path:
    """The folder; users without a home have one among temporary files."""
    chosen = os.environ.get("SERPENOID_CACHE_DIR")
    if chosen:
        return Path(chosen)
    try:
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        user = os.geteuid() if hasattr(os, "geteuid") else 0
        return Path(tempfile.gettempdir()) / f"serpenoid-{user}"
    return Path(home) / "serpenoid"


def holds(beginning: str) -> bool:
    """Whether there is a file whose name begins like this."""
    place = folder()
    return place is not None and any(place.glob(f"{beginning}-*{_SUFFIX}"))


def read(name: str) -> bytes | None:
    """What was kept under a name; None if there is nothing, or if it is damaged."""
    place = folder()
    if place is None:
        return None
    path = place / (name + _SUFFIX)
    try:
        with path.open("rb") as file:
            safe, (digest, data) = is_ours(os.fstat(file.fileno())), _split(file.read())
    except OSError:
        return None
    if not safe:
        complain(name, "others can write it")
        return None
    if digest != hashlib.sha256(data).digest():
        complain(name, "its digest is not that of its content")
        return None
    with contextlib.suppress(OSError):
        os.utime(path)
    return data


def _split(content: bytes) -> tuple[bytes, bytes]:
    size = hashlib.sha256().digest_size
    return content[:size], content[size:]


def write(name: str, data: bytes) -> None:
    """Keep something under a name, if that is possible, and make room."""
    place = folder()
    if place is None:
        return
    try:
        make_private(place)
        handle, unfinished = tempfile.mkstemp(dir=place, prefix="unfinished-", suffix=_SUFFIX)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(data).digest() + data)
        Path(unfinished).replace(place / (name + _SUFFIX))
    except OSError:
        with contextlib.suppress(OSError):
            Path(unfinished).unlink()
        return
    _make_room(place)


def _make_room(place: Path) -> None:
    """Remove what has not been used for long, and what killed processes left."""
    now = time.time()
    with contextlib.suppress(OSError):
        files = sorted(((_used(path), path) for path in place.glob(f"*{_SUFFIX}")), reverse=True)
        for rank, (used, path) in enumerate(files):
            limit = _ABANDONED if path.name.startswith("unfinished-") else _UNUSED
            if rank >= _MOST or now - used > limit:
                with contextlib.suppress(OSError):
                    path.unlink()


def _used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def complain(name: str, reason: str) -> None:
    """Say that a file cannot be used and is written anew."""
    _say(f"{name}{_SUFFIX} in {folder()} cannot be used ({reason}); compiling again")


def _refuse(place: Path, why: str) -> None:
    """Say that a folder is not used."""
    _say(
        f"compiled code is not kept in {place}, because others can write there ({why}); set "
        "SERPENOID_CACHE_DIR to a folder that only you can write"
    )


@functools.cache
def _say(words: str) -> None:
    """Print a sentence, once."""
    print(f"serpenoid: {printable(words)}", file=sys.stderr)
