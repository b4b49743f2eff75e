"""Some of the kills in the suite; all with `-m slow` or `python -m tests.hostile kills`."""

import sqlite3
import sys
from contextlib import closing

import pyarrow
import pytest

import serpenoid as sp
from serpenoid import plots
from serpenoid.studies.study_table import to_parquet
from tests.hostile.__main__ import COUNTS
from tests.hostile.jobs import half_written
from tests.hostile.kills import JOBS, kill_often

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are listed in /proc")


def check(name: str, count: int, seed: int) -> None:
    tally = kill_often(name, count, seed)
    assert tally.failures == []
    assert tally.kills >= count


def test_what_is_half_written_is_found(tmp_path):
    """Each file is whole at first, and then lacks its end."""
    sp.Scenario.load("swimmer", {"clock.duration": 0.1}).run().save(tmp_path / "run.nc")
    (tmp_path / "table.parquet").write_bytes(to_parquet(pyarrow.table({"point": [1, 2, 3]})))
    (tmp_path / "claims.json").write_text('{"a": [1, 2]}')
    (tmp_path / "best.toml").write_text('title = "swimmer"')
    with closing(sqlite3.connect(tmp_path / "trials.db")) as base, base:
        base.executescript("CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(20000))")
    with plots.canvas((1, 1)) as canvas:
        for kind in ("png", "pdf"):
            (tmp_path / f"figure.{kind}").write_bytes(plots.render(canvas, kind))
    assert half_written(tmp_path) == []
    for file in tmp_path.iterdir():
        file.write_bytes(file.read_bytes()[: -max(1, file.stat().st_size // 3)])
    assert len(half_written(tmp_path)) == len(list(tmp_path.iterdir())) == 7


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "count"), [("run", 2), ("sweep", 1), ("workers in their first second", 1)]
)
def test_some_kills(name, count):
    check(name, count, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_all_kills(name):
    check(name, COUNTS["kills"], seed=0)
