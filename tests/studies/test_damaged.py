"""Damaged tables, notes and databases of studies are refused in one sentence."""

import io
import json
import os
import random
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from serpenoid.errors import InvalidInput, OutputError, SerpenoidError
from serpenoid.studies import Optimisation, Study, load_table, optimise, sweep
from serpenoid.studies.study_table import point_schema, read
from tests.sentences import refusal
from tests.studies.helpers import inline_workers

STUDY = {
    "base": "swimmer",
    "parameters": {"controller.amplitude_deg": {"range": [10, 60], "steps": 3}},
    "metrics": ["mean_speed"],
    "change": {"clock.duration": 0.1},
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """The folder of a sweep that is finished."""
    folder = tmp_path_factory.mktemp("sweep") / "out"
    with inline_workers():
        sweep(Study(**STUDY), folder)
    return folder


@pytest.fixture
def unfinished(finished, tmp_path) -> Path:
    """A folder with one part of the same sweep."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "study.json").write_bytes((finished / "study.json").read_bytes())
    rows = parquet.read_table(finished / "table.parquet")
    parquet.write_table(rows.slice(0, 1), part(tmp_path))
    return tmp_path


def part(folder: Path) -> Path:
    return folder / "parts" / "0000000.parquet"


def refused(folder: Path) -> str:
    with inline_workers():
        return refusal(lambda: sweep(Study(**STUDY), folder), OutputError)


def test_what_is_unfinished_goes_on(unfinished):
    with inline_workers():
        assert len(sweep(Study(**STUDY), unfinished)) == 3


JSON = "it is no table in JSON, or a damaged one"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", JSON),
        (b'{"serpenoid_version": ', JSON),
        (b"[1, 2]", JSON),
        (b"[" * 10**5, JSON),
        (b"\xff\xfe", "it is no text"),
    ],
)
def test_a_damaged_note_of_a_sweep(unfinished, content, why):
    (unfinished / "study.json").write_bytes(content)
    path = str(unfinished / "study.json")
    assert refused(unfinished) == f"path = {path!r} cannot be read: {why}"


@pytest.mark.parametrize("name", ["study.json", "lock"])
def test_what_is_no_file_is_not_waited_for(unfinished, name):
    (unfinished / name).unlink(missing_ok=True)
    os.mkfifo(unfinished / name)
    assert refused(unfinished).endswith(": it is not a file")


def test_a_note_that_is_nested_deeply_is_another_study(unfinished):
    (unfinished / "study.json").write_text('{"a":' * 600 + "1" + "}" * 600)
    with inline_workers():
        words = refusal(lambda: sweep(Study(**STUDY), unfinished))
    assert "was begun with serpenoid_version = nothing" in words


def rows(**columns) -> bytes:
    content = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is no Parquet file, or a damaged one"),
        (b"PAR1" * 100, "it is no Parquet file, or a damaged one"),
        (rows(other=[1]), "it has other columns than the study"),
        (rows(point=["text"]), "it has other columns than the study"),
    ],
)
def test_a_damaged_part(unfinished, content, why):
    part(unfinished).write_bytes(content)
    assert refused(unfinished) == (
        f"path = {str(part(unfinished))!r} cannot be read: {why}; delete it to have its points run "
        "again"
    )


def test_a_part_that_is_not_damaged_is_not_to_be_deleted(unfinished, monkeypatch):
    path = f"path = {str(part(unfinished))!r} cannot be read: "
    columns = point_schema(Study(**STUDY))
    monkeypatch.setenv("SERPENOID_MEMORY", "0.0001MB")
    words = refusal(lambda: read(part(unfinished), columns), OutputError)
    assert words.startswith(f"{path}the file would need ")
    assert "delete" not in words
    monkeypatch.delenv("SERPENOID_MEMORY")
    part(unfinished).unlink()
    part(unfinished).mkdir()
    assert refused(unfinished) == f"{path}Is a directory"


def test_a_table_whose_parts_are_gone_is_not_to_be_deleted(tmp_path):
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1")
    words = refusal(lambda: load_table(tmp_path), OutputError)
    assert words == f"path = {str(path)!r} cannot be read: it is no Parquet file, or a damaged one"


@pytest.mark.parametrize("error", [MemoryError, pyarrow.ArrowMemoryError])
def test_want_of_memory_is_no_damage(finished, monkeypatch, error):
    def fail(*_, **__):
        raise error("malloc failed")

    monkeypatch.setattr(parquet, "ParquetFile", fail)
    with pytest.raises(MemoryError):
        load_table(finished)


def test_points_that_the_study_does_not_have(unfinished):
    table = parquet.read_table(part(unfinished))
    number = table.schema.get_field_index("point")
    table = table.set_column(number, "point", pyarrow.array([10**9]))
    parquet.write_table(table, part(unfinished))
    assert "holds points that the study does not have" in refused(unfinished)


def test_a_small_table_that_declares_much_is_refused(tmp_path, monkeypatch):
    (tmp_path / "table.parquet").write_bytes(rows(point=np.zeros(10**6)))
    assert (tmp_path / "table.parquet").stat().st_size < 10**5
    assert len(load_table(tmp_path)) == 10**6
    monkeypatch.setenv("SERPENOID_MEMORY", "5MB")
    words = refusal(lambda: load_table(tmp_path), OutputError)
    assert "the table would need 8 MB of memory" in words


def test_tables_that_are_flipped_or_cut(finished, tmp_path):
    content, draw, said = (finished / "table.parquet").read_bytes(), random.Random(1), []
    for _ in range(150):
        spoilt = bytearray(content)
        for _ in range(draw.choice([1, 4])):
            spoilt[draw.randrange(len(spoilt))] ^= 1 << draw.randrange(8)
        cut = draw.choice([len(spoilt), len(spoilt), draw.randrange(len(spoilt))])
        (tmp_path / "table.parquet").write_bytes(spoilt[:cut])
        try:
            load_table(tmp_path)
        except OutputError as error:
            said.append(str(error))
    assert 75 < len(said) < 150
    assert not [words for words in said if "\n" in words]


# -------------------------------------------------------------------------------- optimisations


OPTIMISED = STUDY | {
    "parameters": {"controller.amplitude_deg": {"range": [10, 60]}},
    "optimise": {"objectives": {"mean_speed": "maximise"}, "trials": 2},
}


@pytest.fixture(scope="module")
def best(tmp_path_factory) -> Path:
    """The folder of an optimisation that is finished."""
    folder = tmp_path_factory.mktemp("optimisation") / "best"
    with inline_workers():
        optimise(Optimisation(**OPTIMISED), folder)
    return folder


@pytest.fixture
def optimised(best, tmp_path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(best, tmp_path / "best"))


def noted(folder: Path, table: str, key: str, value: str) -> None:
    """Replace a note in the database."""
    with sqlite3.connect(folder / "trials.db") as database:
        query = f"UPDATE {table} SET value_json = ? WHERE key = ?"
        assert database.execute(query, (json.dumps(value), key)).rowcount > 0


def again(folder: Path, error: type[SerpenoidError]) -> str:
    with inline_workers():
        return refusal(lambda: optimise(Optimisation(**OPTIMISED), folder), error)


@pytest.mark.parametrize(
    "note", ["", "[]", "{}", '{"row": 1, "stages": {}}', '{"row": {}, "stages": {}}']
)
def test_damaged_notes_in_a_database(optimised, note):
    # With a summary, there is nothing to do.
    (optimised / "summary.json").unlink()
    noted(optimised, "trial_user_attributes", "attempt", note)
    words = again(optimised, InvalidInput)
    assert words == "the note of trial 0 in the database is damaged; take another folder"
    noted(optimised, "study_user_attributes", "serpenoid", note or "nothing")
    words = again(optimised, InvalidInput)
    assert words.startswith(f"the note of the study in {optimised}: ") or "begun with" in words


def test_a_database_that_is_none(optimised):
    (optimised / "trials.db").write_bytes(b"text" * 1000)
    for more in optimised.glob("trials.db-*"):
        more.unlink()
    words = again(optimised, OutputError)
    assert words.endswith("cannot be used as a database: file is not a database")


def test_a_database_that_is_no_file(optimised):
    (optimised / "summary.json").unlink()
    (optimised / "trials.db").unlink()
    os.mkfifo(optimised / "trials.db")
    assert again(optimised, OutputError).endswith("as a database: it is not a file")


def test_a_damaged_owner(optimised):
    (optimised / "optimisation.json").write_text("text")
    assert again(optimised, OutputError).endswith(f"optimisation.json' cannot be read: {JSON}")
