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

from serpenoid.errors import InvalidInput, OutputError
from serpenoid.files import clear_left_over, make_folder, write_durably
from serpenoid.studies import study_table
from serpenoid.studies.point_runner import Row
from serpenoid.studies.study import Study
from serpenoid.studies.study_folder import check_same, identity, locked, read_json


class Store:
    """The folder of one study; a context that keeps other sweeps out while it lasts.

    Attributes:
        done: Numbers of the points that are on the disk.
    """

    def __init__(self, folder: str | os.PathLike[str], study: Study) -> None:
        self.folder, self.study = Path(folder), study
        self.parts, self.runs = self.folder / "parts", self.folder / "runs"
        self.table_file = self.folder / "table.parquet"
        self.done: set[int] = set()
        self._note = self.folder / "study.json"
        self._schema = study_table.point_schema(study)
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
            self.done.update(study_table.read(part, ["point"])["point"].to_pylist())

    def add(self, results: Mapping[int, tuple[Row, bytes | None]]) -> None:
        """Put points on the disk; they are done afterwards.

        Args:
            results: By point: its row without the parameters, and its run as NetCDF if it is kept.
        """
        if not self._note.exists():
            note = json.dumps(_with_points(self.study), indent=2) + "\n"
            write_durably(self._note, note.encode())
        for point, (_, run) in results.items():
            if run is not None:
                write_durably(self.runs / f"{point:07d}.nc", run)
        points = sorted(results)
        rows = [
            {"point": point} | results[point][0] | self.study.changes(point) for point in points
        ]
        content = study_table.to_parquet(study_table.filled(self._schema, rows))
        write_durably(self.parts / f"{points[0]:07d}.parquet", content)
        self.done.update(points)

    def finish(self) -> None:
        """Write the table of all points, then drop the parts."""
        import pyarrow

        if not self.table_file.exists():
            rows = pyarrow.concat_tables(study_table.read(part) for part in self._finished_parts())
            rows = rows.sort_by("point").combine_chunks()
            points = rows["point"].to_pylist()
            if lost := sorted(self.done.difference(points)):
                self.done.difference_update(lost)
                shown = ", ".join(map(str, lost[:5])) + (", ..." if len(lost) > 5 else "")
                raise OutputError(f"{self.parts} has lost points: {shown}")
            # A point that is in two parts, copied by hand perhaps, is the same in both.
            rows = rows.take([k for k, p in enumerate(points) if k == 0 or points[k - 1] != p])
            write_durably(self.table_file, study_table.to_parquet(rows))
        shutil.rmtree(self.parts, ignore_errors=True)

    def _finished_parts(self) -> list[Path]:
        return sorted(self.parts.glob("[0-9]*.parquet"))


def _with_points(study: Study) -> dict[str, Any]:
    """All that the rows of a study depend on."""
    points = hashlib.sha256(json.dumps(study.points).encode()).hexdigest()
    return identity(study) | {"points": points}
