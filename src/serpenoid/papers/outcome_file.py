"""Files of outcomes: values without code, so that reading one runs nothing."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from serpenoid.engine.storage import load
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput, SerpenoidError
from serpenoid.files import write_bytes
from serpenoid.scenario.scenario import Scenario

_PACKAGE = __name__.partition(".")[0]
_VALUE = "outcome.json"
# Files within an outcome's are dated alike, so that the same outcome is the same bytes.
_DATE = (1980, 1, 1, 0, 0, 0)
# Takes an array or a run, and returns what stands for it in the JSON.
_Keep = Callable[[Any], str]


def write_outcome(path: Path, value: Any) -> None:
    """Write an outcome, whole or not at all.

    Args:
        path: The file.
        value: Numbers, texts, arrays, runs, lists, tuples and tables of such, dataclasses of this
            package, or an error of this package.

    Raises:
        InvalidInput: The outcome holds something else.
        OutputError: The file cannot be written.
    """
    members: dict[str, bytes] = {}

    def keep(item: Any) -> str:
        name = f"{len(members)}.{'nc' if isinstance(item, Trajectory) else 'npy'}"
        members[name] = _run_bytes(item) if isinstance(item, Trajectory) else _array_bytes(item)
        return name

    text = json.dumps(_encoded(value, keep))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {_VALUE: text.encode(), **members}.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    write_bytes(path, buffer.getvalue())


def read_outcome(path: Path) -> Any:
    """Read an outcome.

    Args:
        path: The file.

    Returns:
        The outcome; an error if the experiment failed.

    Raises:
        InvalidInput: The file is none that `write_outcome` wrote.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _decoded(json.loads(archive.read(_VALUE)), archive)
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, OSError) as error:
        raise InvalidInput(f"{path} is no outcome of an experiment: {error}; delete it") from None


def fingerprint(value: Any) -> str:
    """Hash of a value that can be in an outcome, or of a scenario; the same in every process."""
    kept: list[str] = []

    def keep(item: Any) -> str:
        content = np.ascontiguousarray(item)
        kept.append(hashlib.sha256(content.tobytes()).hexdigest())
        return f"{content.dtype.str} {content.shape} {kept[-1]}"

    return hashlib.sha256(json.dumps(_encoded(value, keep)).encode()).hexdigest()


def _encoded(value: Any, keep: _Keep) -> Any:
    """A value as JSON; what JSON does not know is a table with the name of its kind."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return _encoded(value.item(), keep)
    if isinstance(value, np.ndarray):
        return {"array": keep(value)}
    if isinstance(value, Trajectory):
        return {"run": keep(value)}
    if isinstance(value, list):
        return [_encoded(item, keep) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_encoded(item, keep) for item in value]}
    if isinstance(value, dict):
        return {"table": [[_encoded(k, keep), _encoded(v, keep)] for k, v in value.items()]}
    if isinstance(value, Scenario):
        return {"scenario": value.plain()}
    if isinstance(value, SerpenoidError):
        return {"failed": str(value)}
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        fields = [field.name for field in dataclasses.fields(kind) if field.init]
        values = {name: _encoded(getattr(value, name), keep) for name in fields}
        return {"kind": f"{kind.__module__}:{kind.__qualname__}", "fields": values}
    raise InvalidInput(
        f"{kind.__name__} is not allowed in an outcome: it must be numbers, texts, arrays, runs, "
        "lists, tuples, tables or dataclasses"
    )


def _decoded(value: Any, archive: zipfile.ZipFile) -> Any:
    if isinstance(value, list):
        return [_decoded(item, archive) for item in value]
    if not isinstance(value, dict):
        return value
    if "kind" in value:
        fields = {name: _decoded(item, archive) for name, item in value["fields"].items()}
        return _dataclass(value["kind"])(**fields)
    [(kind, content)] = value.items()
    match kind:
        case "array":
            return np.load(io.BytesIO(archive.read(content)), allow_pickle=False)
        case "run":
            return _run_from(archive.read(content))
        case "tuple":
            return tuple(_decoded(item, archive) for item in content)
        case "table":
            return {_decoded(k, archive): _decoded(v, archive) for k, v in content}
        case "scenario":
            return Scenario.from_plain(content)
        case "failed":
            return SerpenoidError(content)
    raise ValueError(f"{kind!r} is no kind of value")


def _dataclass(name: str) -> type:
    """A dataclass of this package by its module and name."""
    module, _, qualified = name.partition(":")
    if module.partition(".")[0] != _PACKAGE:
        raise ValueError(f"{name!r} is not of this package")
    kind = getattr(importlib.import_module(module), qualified, None)
    if not (isinstance(kind, type) and dataclasses.is_dataclass(kind)):
        raise ValueError(f"{name!r} is no dataclass of this package")
    return kind


def _array_bytes(array: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _run_bytes(run: Trajectory) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return run.save(Path(folder) / "run.nc").read_bytes()


def _run_from(content: bytes) -> Trajectory:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.nc"
        path.write_bytes(content)
        return load(path)
