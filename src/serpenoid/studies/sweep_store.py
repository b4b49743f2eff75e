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
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow

from serpenoid.errors import InvalidInput, OutputError
from serpenoid.files import clear_left_over, make_folder, write_durably
from serpenoid.studies import study_table
from serpenoid.studies.point_runner import Attempt
from serpenoid.studies.study import Study
from serpenoid.studies.study_folder import check_same, identity, read_json


class Store:
    """The folder of one study, which must be locked.

    Attributes:
        done: Numbers of the points that are on the disk.

    Raises:
        InvalidInput: If something else was begun in the folder.
    """

    def __init__(self, folder: Path, study: Study) -> None:
        self.folder, self.study = folder, study
        self.parts, self.runs = folder / "parts", folder / "runs"
        self.table_file, self._note = folder / "table.parquet", folder / "study.json"
        self._schema = study_table.point_schema(study)
        self.done: set[int] = set()
        clear_left_over(folder)
        if self._note.exists():
            check_same(read_json(self._note), _with_points(study), str(folder))
        elif self.table_file.exists() or self._finished_parts():
            raise InvalidInput(f"{folder} holds points but no study.json; take another folder")
        if self.table_file.exists():
            self.done = set(range(len(study.points)))
            return
        for place in [self.parts, *([self.runs] if study.keep_runs else [])]:
            make_folder(place)
            clear_left_over(place)
        for part in self._finished_parts():
            self.done.update(self._points(part))

    def add(self, attempts: Mapping[int, Attempt]) -> None:
        """Put points, given by number, on the disk; they are done afterwards."""
        if not self._note.exists():
            note = json.dumps(_with_points(self.study), indent=2) + "\n"
            write_durably(self._note, note.encode())
        points = sorted(attempts)
        for point in points:
            if (run := attempts[point].run) is not None:
                write_durably(self.runs / f"{point:07d}.nc", run)
        rows = [{"point": k} | attempts[k].row | self.study.changes(k) for k in points]
        content = study_table.to_parquet(study_table.filled(self._schema, rows))
        write_durably(self.parts / f"{points[0]:07d}.parquet", content)
        self.done.update(points)

    def finish(self) -> None:
        """Write the table of all points, then drop the parts."""
        if not self.table_file.exists():
            rows = pyarrow.concat_tables(
                study_table.read(part, self._schema) for part in self._finished_parts()
            )
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

    def _points(self, part: Path) -> list[int]:
        """Numbers of the points in a part."""
        points: list[int | None] = study_table.read(part, self._schema, ["point"])[
            "point"
        ].to_pylist()
        known = range(len(self.study.points))
        if not set(points).issubset(known):
            raise OutputError(
                f"path = {str(part)!r} holds points that the study does not have; delete it to "
                "have its points run again"
            )
        return [point for point in points if point is not None]

    def _finished_parts(self) -> list[Path]:
        return sorted(self.parts.glob("[0-9]*.parquet"))


def _with_points(study: Study) -> dict[str, Any]:
    """All that the rows of a study depend on."""
    points = hashlib.sha256(json.dumps(study.points).encode()).hexdigest()
    return identity(study) | {"points": points}
