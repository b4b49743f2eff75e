"""The folder of a study, which knows at any moment what is done.

    study.json              what was begun: study, scenario, metrics, version; never changed
    parts/0000017.parquet   rows of a group, named by its first point; gone once there is a table
    runs/0000017.nc         the run of a point, if runs are kept
    table.parquet           all rows in the order of the points
    lock                    held while a sweep is at work here

Files are written whole or not at all and forced onto the disk, so a process may be killed, or the
disk be full, at any moment: a point is done once its part is there, and is not run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from serpenoid._version import __version__
from serpenoid.errors import InvalidInput, OutputError
from serpenoid.files import clear_left_over, make_folder, write_durably
from serpenoid.kernels._jit import DIGEST
from serpenoid.studies import table
from serpenoid.studies.metrics import METRICS
from serpenoid.studies.point import Group
from serpenoid.studies.study import Runs, Study


class Store:
    """The folder of one study; a context that keeps other sweeps out while it lasts.

    done: numbers of the points that are on the disk.
    """

    def __init__(self, folder: str | os.PathLike[str], study: Study) -> None:
        self.folder, self.study = Path(folder), study
        self.parts, self.runs = self.folder / "parts", self.folder / "runs"
        self.table_file = self.folder / "table.parquet"
        self.done: set[int] = set()
        self._note = self.folder / "study.json"
        self._schema = table.schema(study)
        self._lock: IO[bytes] | None = None

    def __enter__(self) -> Store:
        make_folder(self.folder)
        self._lock = locked(self.folder / "lock")
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _begin(self) -> None:
        """Compare with what was begun here, and find out which points are done."""
        if self._note.exists():
            check_same(read_json(self._note), _with_points(self.study), str(self.folder))
        elif self.table_file.exists() or self._finished_parts():
            raise InvalidInput(f"{self.folder} holds points but no study.json; take another folder")
        if self.table_file.exists():
            self.done = set(range(len(self.study.points)))
            return
        for folder in [self.parts, *([self.runs] if self.study.keep_runs else [])]:
            make_folder(folder)
            clear_left_over(folder)
        for part in self._finished_parts():
            self.done.update(table.read(part, ["point"])["point"].to_pylist())

    def add(self, group: Group) -> None:
        """Put a group on the disk; its points are done afterwards."""
        if not self._note.exists():
            note = json.dumps(_with_points(self.study), indent=2) + "\n"
            write_durably(self._note, note.encode())
        for point, content in group.runs.items():
            write_durably(self.runs / f"{point:07d}.nc", content)
        rows = table.table(self.study, self._schema, group.rows)
        points = rows["point"].to_pylist()
        write_durably(self.parts / f"{points[0]:07d}.parquet", table.to_parquet(rows))
        self.done.update(points)

    def finish(self) -> None:
        """Write the table of all points, then drop the parts."""
        import pyarrow

        if not self.table_file.exists():
            rows = pyarrow.concat_tables(table.read(part) for part in self._finished_parts())
            rows = rows.sort_by("point").combine_chunks()
            points = rows["point"].to_pylist()
            if lost := sorted(self.done.difference(points)):
                self.done.difference_update(lost)
                shown = ", ".join(map(str, lost[:5])) + (", ..." if len(lost) > 5 else "")
                raise OutputError(f"{self.parts} has lost points: {shown}")
            # A point that is in two parts, copied by hand perhaps, is the same in both.
            rows = rows.take([k for k, p in enumerate(points) if k == 0 or points[k - 1] != p])
            write_durably(self.table_file, table.to_parquet(rows))
        shutil.rmtree(self.parts, ignore_errors=True)

    def _finished_parts(self) -> list[Path]:
        return sorted(self.parts.glob("[0-9]*.parquet"))


def identity(study: Runs) -> dict[str, Any]:
    """All that the runs of a study depend on."""
    return {
        "serpenoid_version": __version__,
        "kernels": DIGEST,
        "order": [list(study.parameters), list(study.measured)],
        "metric": {name: METRICS[name].about() for name in study.measured},
        "study": study.plain(),
        "scenario": study.scenario.plain(),
    }


def _with_points(study: Study) -> dict[str, Any]:
    """All that the rows of a study depend on."""
    points = hashlib.sha256(json.dumps(study.points).encode()).hexdigest()
    return identity(study) | {"points": points}


def check_same(begun: Mapping[str, Any], now: Mapping[str, Any], where: str) -> None:
    """Refuse to go on with something else than was begun, and say what differs."""
    before, after = _flat(begun), _flat(json.loads(json.dumps(now)))
    for key in [*after, *before]:
        # NaN is the same as NaN.
        old, new = (json.dumps(side[key]) if key in side else "nothing" for side in (before, after))
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
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise OutputError(f"path = {str(path)!r} cannot be read: {error}") from None


def locked(path: Path) -> IO[bytes]:
    """The file, locked until it is closed or this process ends, however it ends.

    Where there are no such locks, as on Windows, nothing keeps others out.
    """
    try:
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
