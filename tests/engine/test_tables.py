"""Tidy tables of a run: data frames and files, whole or not at all."""

import builtins
import csv

import numpy as np
import pandas
import pyarrow.parquet
import pytest

import serpenoid as sp
from serpenoid import files
from serpenoid.engine.run_tables import KINDS
from serpenoid.engine.variables import VARIABLES
from tests.sentences import refusal

KINDS_HERE = ("run", "links", "joints", "contacts")


@pytest.fixture(scope="module")
def run():
    changes = {"clock.duration": 0.5, "record.contacts": True}
    return sp.Scenario.load("aiko_pegs", changes).run()


def test_a_row_for_each_time_and_link(run):
    table = run.to_pandas("links")
    rows, links = run.columns["x"].shape
    assert len(table) == rows * links
    np.testing.assert_array_equal(table["time"], np.repeat(run.time, links))
    np.testing.assert_array_equal(table["link"], np.tile(np.arange(links), rows))
    np.testing.assert_array_equal(table["theta"], run.columns["theta"].ravel())
    np.testing.assert_array_equal(
        table["contact_force_y"], run.columns["contact_force"][..., 1].ravel()
    )
    assert table["sticking"].dtype == bool
    assert table.attrs["units"]["contact_force_y"] == "N"
    assert "sticking" not in table.attrs["units"]


def test_a_row_for_each_time(run):
    table = run.to_pandas()
    np.testing.assert_array_equal(table["centre_y"], run.centre_of_mass()[:, 1])
    np.testing.assert_array_equal(table["centre_vx"], run.centre_velocity()[:, 0])
    np.testing.assert_array_equal(table["energy_actuator"], run.columns["energy_actuator"])


def test_every_variable_is_in_one_table(run):
    names = [name for kind in KINDS_HERE for name in run.to_pandas(kind)]
    for name in run.columns:
        if name != "time":
            vector = VARIABLES[name].dims[-1] == "axis"
            assert names.count(f"{name}_x" if vector else name) == 1, name


def test_contacts_events_and_loads(run):
    table = run.to_pandas("contacts")
    assert table["kind"].tolist() == run.contacts.kind.tolist()
    np.testing.assert_array_equal(table["point_x"], run.contacts.point[:, 0])
    changes = {"clock.duration": 0.3, "solver.kind": "hybrid"}
    events = sp.Scenario.load("aiko_pegs", changes).run()
    kinds = events.to_pandas("events")["kind"]
    assert set(kinds) <= {"impact", "detachment", "slip", "stop of sliding"}
    assert len(kinds) == len(events.events) > 0
    pushed = sp.Scenario.load("push_disc", {"clock.duration": 0.1}).run()
    loads = pushed.to_pandas("loads")
    np.testing.assert_array_equal(loads["load_x"], pushed.columns["load_x"].ravel())


def test_files_hold_the_tables(run, tmp_path):
    assert run.save(tmp_path / "run.csv") == tmp_path / "run.csv"
    assert run.save(tmp_path / "run.parquet") == tmp_path / "run.parquet"
    stems = ["run", *(f"run-{kind}" for kind in KINDS_HERE[1:])]
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(
        f"{stem}{ending}" for stem in stems for ending in (".csv", ".parquet")
    )
    for kind, stem in zip(KINDS_HERE, stems, strict=True):
        table = run.to_pandas(kind)
        stored = pyarrow.parquet.read_table(tmp_path / f"{stem}.parquet")
        pandas.testing.assert_frame_equal(stored.to_pandas(), table)
        with (tmp_path / f"{stem}.csv").open(newline="") as file:
            heads, *rows = csv.reader(file)
        units = table.attrs["units"]
        assert heads == [f"{name} ({units[name]})" if name in units else name for name in table]
        assert len(rows) == len(table)
        # To the bit.
        name = table.columns[-2]
        np.testing.assert_array_equal([float(row[-2]) for row in rows], table[name])
    about = stored.schema
    assert about.field("point_x").metadata[b"unit"] == b"m"
    assert b"aiko" in about.metadata[b"scenario"].lower()


def test_all_files_or_none(run, tmp_path, monkeypatch):
    run.save(tmp_path / "run.csv")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    write, done = files.Path.write_bytes, []

    def full(path, content):
        done.append(path)
        if len(done) == 3:
            raise OSError(28, "No space left on device")
        return write(path, content)

    monkeypatch.setattr(files.Path, "write_bytes", full)
    other = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.1}).run()
    words = refusal(lambda: other.save(tmp_path / "run.csv"), sp.OutputError)
    assert words.endswith("cannot be written: No space left on device")
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda run: run.to_pandas("link"),
            f"kind = 'link' is not known (did you mean 'links'?); there are {', '.join(KINDS)}",
        ),
        (lambda run: run.to_pandas("loads"), "this run has no loads"),
        (lambda run: run.to_pandas("events"), "this run has no events"),
        (
            lambda run: run.save("run.ncc"),
            "path = 'run.ncc' is not allowed (did you mean '.nc'?): it must end in .nc, .csv or "
            ".parquet",
        ),
        (
            lambda run: run.save("run"),
            "path = 'run' is not allowed: it must end in .nc, .csv or .parquet",
        ),
        (
            lambda run: run.save("run.parqet"),
            "path = 'run.parqet' is not allowed (did you mean '.parquet'?): it must end in .nc, "
            ".csv or .parquet",
        ),
    ],
)
def test_wrong_input_is_one_sentence(run, call, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(lambda: call(run)) == words
    assert not list(tmp_path.iterdir())


def test_a_table_is_not_loaded(run, tmp_path):
    path = run.save(tmp_path / "run.csv")
    words = refusal(lambda: sp.load(path), sp.OutputError)
    assert words == (
        f"path = '{path}' cannot be read as a run: a table lacks the state that a run "
        "ended in; save the run as .nc to load it again"
    )


def test_what_is_not_installed_is_asked_for(run, tmp_path, monkeypatch):
    usual = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] in ("pandas", "pyarrow"):
            raise ImportError(name)
        return usual(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    words = "tables need {}, which is not installed: pip install 'serpenoid[tables]'"
    assert refusal(lambda: run.to_pandas()) == words.format("pandas")
    assert refusal(lambda: run.save(tmp_path / "run.parquet")) == words.format("pyarrow")
    assert run.save(tmp_path / "run.csv").exists()
    assert not list(tmp_path.glob("*.parquet"))
