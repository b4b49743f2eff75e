"""Commands that may be killed at any moment, and how to see what became of their files."""

import json
import os
import shutil
import sqlite3
import tomllib
import zipfile
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pyarrow.parquet

import serpenoid as sp

_STUDY = 'base = "swimmer"\nmetrics = ["mean_speed"]\nchange = { "clock.duration" = 8.0 }\n'
_SWEEP = _STUDY + "parameters = { seed = { range = [0, 29], steps = 30, integer = true } }\n"
_OPTIMISATION = _STUDY + (
    'parameters = { "controller.amplitude_deg" = { range = [20, 60] } }\n'
    'optimise = { objectives = { mean_speed = "maximise" }, trials = 12, batch = 4 }\n'
)
# How a file that is whole ends.
_ENDS = {".png": b"IEND\xaeB`\x82", ".pdf": b"%%EOF", ".md": b"\n"}


class Job:
    """A command that can be started again and again in its folder.

    Args:
        folder: An empty one.

    Attributes:
        arguments: Of the program, which writes below `out`.
        seconds: How long it takes, about.
    """

    arguments: tuple[str, ...] = ("run", "swimmer", "--out", "out")
    seconds = 3.0

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def finished(self) -> dict[int, Any]:
        """Points that are finished, and something that changes if one is computed again."""
        return {}

    def doubled(self, before: dict[int, Any]) -> list[int]:
        """Points that were computed again, though they were finished before."""
        now = self.finished()
        return [point for point in before if point in now and now[point] != before[point]]

    def wrong(self, _before: dict[int, Any]) -> list[str]:
        """What is wrong once the command has come to its end; before: points finished then."""
        return []


class Reproduction(Job):
    """A paper of some twenty parts and files, begun anew whenever it has come to its end."""

    arguments = ("reproduce", "colorado2010", "--quick", "--out", "out")
    seconds = 10.0

    def finished(self) -> dict[int, Any]:
        """Parts by their names, with the time at which they were written."""
        parts = (self.folder / "out" / "colorado2010" / "parts").glob("[0-9a-f]*.zip")
        return {int(part.name.partition("-")[0], 16): part.stat().st_mtime_ns for part in parts}

    def wrong(self, before: dict[int, Any]) -> list[str]:
        """All parts are there."""
        count = len(self.finished())
        shutil.rmtree(self.folder / "out")
        return [] if count == 20 and len(before) <= count else [f"{count} parts are there"]


class Sweep(Job):
    """A sweep, begun anew whenever it has come to its end."""

    arguments = ("sweep", "study.toml", "--out", "out", "--workers", "2", "--json", "summary.json")
    seconds = 5.0
    study, points, number = _SWEEP, 30, "point"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "study.toml").write_text(self.study)
        self._home, self._table = folder / "out" / "study", b""

    def finished(self) -> dict[int, Any]:
        """Points, with the time at which their part of the table was written."""
        if (self._home / "table.parquet").exists():
            return dict.fromkeys(range(self.points))
        return {
            point: part.stat().st_mtime_ns
            for part in sorted(self._home.glob("parts/[0-9]*.parquet"))
            for point in pyarrow.parquet.read_table(part)["point"].to_pylist()
        }

    def doubled(self, before: dict[int, Any]) -> list[int]:
        """Once there is a table, the summary says how many were finished before."""
        return [] if (self._home / "table.parquet").exists() else super().doubled(before)

    def wrong(self, before: dict[int, Any]) -> list[str]:
        """Every point is in the table once, the same as in all earlier rounds."""
        summary = json.loads((self.folder / "summary.json").read_text())
        table = pyarrow.parquet.read_table(self._home / "table.parquet")
        content = (self._home / "table.parquet").read_bytes()
        found = {
            f"{len(before)} were finished, it says {summary['before']}": (
                summary["before"] != len(before)
            ),
            f"points {table[self.number].to_pylist()}": (
                table[self.number].to_pylist() != list(range(self.points))
            ),
            f"errors {table['error'].to_pylist()}": table["error"].null_count < self.points,
            "another table than before": self._table not in (b"", content),
        }
        self._table = content
        shutil.rmtree(self.folder / "out")
        return [words for words, is_wrong in found.items() if is_wrong]


class Search(Sweep):
    """An optimisation, whose database notes every attempt that is stored."""

    arguments = ("optimise", *Sweep.arguments[1:])
    seconds = 6.0
    study, points, number = _OPTIMISATION, 12, "trial"

    def finished(self) -> dict[int, Any]:
        """Trials, with the count of attempts that were stored since the database was looked at."""
        with suppress(sqlite3.OperationalError), closing(self._opened()) as base, base:
            base.execute("CREATE TABLE IF NOT EXISTS stored (trial_id INTEGER)")
            for event in ("INSERT", "UPDATE"):
                base.execute(
                    f"CREATE TRIGGER IF NOT EXISTS on_{event} AFTER {event} ON "
                    "trial_user_attributes WHEN new.key = 'attempt' "
                    "BEGIN INSERT INTO stored VALUES (new.trial_id); END"
                )
            return dict(
                base.execute(
                    "SELECT number, (SELECT count(*) FROM stored WHERE trial_id = t.trial_id) "
                    "FROM trials t JOIN trial_user_attributes USING (trial_id) "
                    "WHERE key = 'attempt'"
                ).fetchall()
            )
        return {}

    def doubled(self, before: dict[int, Any]) -> list[int]:
        """Trials that were stored again, or twice since."""
        return Job.doubled(self, before) + [t for t, n in self.finished().items() if n > 1]

    def _opened(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self._home / 'trials.db'}?mode=rw", uri=True)


def files_of(folder: Path) -> Iterable[Path]:
    """All files below a folder, in which a process may be at work."""
    return (Path(place, name) for place, _, names in os.walk(folder) for name in names)


def left_over(folder: Path) -> set[Path]:
    """Temporary files of killed processes below a folder."""
    return {path for path in files_of(folder) if path.name.startswith(".")}


def half_written(folder: Path) -> list[str]:
    """Files below a folder that cannot be read to their end."""
    found = []
    for path in files_of(folder):
        if not path.name.startswith("."):
            try:
                _read(path)
            except Exception as error:
                found.append(f"{path.name}: {type(error).__name__}: {error}")
    return found


def _read(path: Path) -> None:
    """Read a file; raise if it is not whole, or of a kind that is not known here."""
    kind = path.suffix
    if kind == ".nc":
        sp.load(path)
    elif kind == ".parquet":
        pyarrow.parquet.read_table(path)
    elif kind == ".json":
        json.loads(path.read_text())
    elif kind == ".zip":
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
    elif kind == ".toml":
        tomllib.loads(path.read_text())
    elif kind == ".db":
        with closing(sqlite3.connect(path)) as base:
            (verdict,) = base.execute("PRAGMA integrity_check").fetchone()
            assert verdict == "ok", verdict
    elif kind in _ENDS:
        assert path.read_bytes().rstrip(b"\n" if kind == ".pdf" else b"").endswith(_ENDS[kind])
    else:  # SQLite's own, gone or used when it was opened
        assert path.name in ("lock", "trials.db-wal", "trials.db-shm")
