"""Which study a folder or a database holds, and the lock of a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from serpenoid._version import __version__
from serpenoid.analysis.metrics import METRICS
from serpenoid.control.own import source_of
from serpenoid.engine.trajectory import SOURCE_HASH
from serpenoid.errors import InvalidInput, OutputError, first_line
from serpenoid.files import check_regular
from serpenoid.kernels._jit import DIGEST
from serpenoid.memory import check_memory
from serpenoid.studies.study import StudyBase


def identity(study: StudyBase) -> dict[str, Any]:
    """All that the runs of a study depend on."""
    source = source_of(study.scenario.controller)
    return {
        "serpenoid_version": __version__,
        "kernels": DIGEST,
        "order": [list(study.parameters), list(study.measured)],
        "metric": {name: METRICS[name].about() for name in study.measured},
        "study": study.plain(),
        "scenario": study.scenario.plain(),
    } | ({} if source is None else {SOURCE_HASH: source.digest()})


def check_same(begun: Mapping[str, Any], now: Mapping[str, Any], where: str) -> None:
    """Refuse to continue another study than the one in the folder, and say what differs."""
    try:
        before = _flat(begun)
    except RecursionError:
        before = {}
    after = _flat(json.loads(json.dumps(now)))
    for key in [*after, *before]:
        # NaN is the same as NaN.
        old, new = (json.dumps(side[key]) if key in side else "nothing" for side in (before, after))
        if old != new and key == SOURCE_HASH:
            raise InvalidInput(
                f"{where} was begun with a controller whose file has changed since; take another "
                "folder, or delete it to begin anew"
            )
        if old != new:
            raise InvalidInput(
                f"{where} was begun with {key.removeprefix('study.')} = {_short(old)}, which is "
                f"now {_short(new)}; take another folder, or delete it to begin anew"
            )


def _flat(value: Any, place: str = "") -> dict[str, Any]:
    """Nested tables as dotted keys to values."""
    if not isinstance(value, Mapping):
        return {place: value}
    inner = [_flat(value[key], f"{place}.{key}" if place else key) for key in value]
    return {key: v for table in inner for key, v in table.items()}


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def read_json(path: Path) -> dict[str, Any]:
    """The table in a JSON file."""
    try:
        check_regular(path)
        check_memory(path.stat().st_size, "the file")
        return as_json_table(path.read_text(encoding="utf-8"))
    except OSError as error:
        words = error.strerror
    except ValueError as error:
        words = first_line(error) if isinstance(error, InvalidInput) else "it is no text"
    raise OutputError(f"path = {str(path)!r} cannot be read: {words}")


def as_json_table(text: Any) -> dict[str, Any]:
    """The table that JSON text holds.

    Raises:
        InvalidInput: It holds none.
    """
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidInput("it is no table in JSON, or a damaged one")
    return found


def locked(path: Path) -> IO[bytes]:
    """The file, locked until it is closed or this process ends, however it ends.

    Where there are no such locks, as on Windows, nothing keeps others out.
    """
    try:
        check_regular(path)
        file = path.open("ab")
    except OSError as error:
        raise OutputError(f"path = {str(path)!r} cannot be written: {error.strerror}") from None
    try:
        import fcntl
    except ImportError:
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        if isinstance(error, BlockingIOError):
            raise InvalidInput(f"another process is at work in {path.parent}") from None
        raise OutputError(f"path = {str(path)!r} cannot be locked: {error.strerror}") from None
    return file
