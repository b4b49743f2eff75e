"""`serpenoid info`: what a run, a scenario and the folder of a study hold."""

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid import cli
from serpenoid.engine.storage import FORMAT
from serpenoid.studies.study_info import read_study, remove_begun, trial_counts
from tests.studies.helpers import inline_workers

STUDY = """
title = "Amplitudes"
base = "swimmer"
metrics = ["distance"]
change = { "clock.duration" = 0.1 }
parameters = { "controller.amplitude_deg" = { values = [10, 1e9, 40] } }
"""
SEARCH = """
base = "swimmer"
change = { "clock.duration" = 0.1 }
parameters = { "controller.amplitude_deg" = { range = [20, 40] } }
optimise = { objectives = { distance = "maximise" }, trials = 4, batch = 2 }
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def told(*arguments):
    """What `info` says, as JSON."""
    assert cli.invoke(["info", *arguments, "--json", "info.json"]) == 0
    return json.loads(Path("info.json").read_text())


def test_a_scenario_by_name_and_by_file(capsys, monkeypatch):
    monkeypatch.setattr(sp.Scenario, "run", lambda *_: pytest.fail("it was run"))
    about = told("peg_forest")
    assert about["what"] == "scenario"
    assert about["title"] == "Peg forest"
    assert about["robot"].startswith("robot: ")
    assert about["duration"] == sp.Scenario.load("peg_forest").clock.duration
    shown = capsys.readouterr().out
    assert "peg_forest" in shown
    assert "  duration" in shown
    Path("mine.toml").write_text(sp.gallery()["peg_forest"].read_text(encoding="utf-8"))
    assert told("mine.toml") == about


def test_a_scenario_with_any_ending_and_from_standard_input(monkeypatch):
    text = sp.gallery()["peg_forest"].read_text(encoding="utf-8")
    for name in ("mine", "mine.txt"):
        Path(name).write_text(text)
        assert told(name) == told("peg_forest")
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert told("-") == told("peg_forest")


def test_a_controller_in_python_is_named_and_not_imported(capsys):
    Path("own.py").write_text("raise SystemExit('it was imported')\n")
    own = '[controller]\nkind = "python"\nsource = "own.py:Bend"\n'
    robot = "[robot]\nlinks = 3\nlength = 0.1\nmass = 1.0\nradius = 0.02\n"
    Path("mine.toml").write_text(f"{robot}{own}[clock]\nduration = 0.1\n")
    about = told("mine.toml")
    assert about["source"] == "own.py:Bend"
    assert about["source_file"] == str(Path("own.py").absolute())
    assert "source file" in capsys.readouterr().out
    Path("own.py").unlink()
    assert told("mine.toml")["source_file"] == "not found"


def test_a_run_says_how_far_it_got(capsys):
    run = sp.Scenario.load("aiko_flat", {"clock.duration": 0.2}).run()
    run.save("run.nc")
    about = told("run.nc")
    assert (about["what"], about["rows"], about["start"], about["end"]) == ("run", 21, 0.0, 0.2)
    assert about["numerical_share"] == run.numerical_share
    assert about["version"] == sp.__version__
    assert about["format"] == FORMAT
    assert about["size"] == Path("run.nc").stat().st_size
    assert not about["continued"]
    assert cli.invoke(["info", "run.nc", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out[out.index("{") :]) == about
    assert "numerical share" in err


def test_a_sweep_before_and_after_its_end(capsys):
    Path("study.toml").write_text(STUDY)
    with inline_workers():
        assert cli.invoke(["sweep", "study.toml", "--workers", "1"]) == 0
    about = told("sweeps/study")
    expected = {
        "what": "sweep",
        "title": "Amplitudes",
        "parameters": ["controller.amplitude_deg"],
        "metrics": ["distance"],
        "points": 3,
        "done": 3,
        "failed": 1,
        "finished": True,
    }
    assert {key: about[key] for key in expected} == expected
    assert [one["point"] for one in about["best"]] == [2, 0]
    home = Path("sweeps/study")
    (home / "parts").mkdir()
    (home / "table.parquet").rename(home / "parts" / "0000000.parquet")
    about = told("sweeps/study")
    assert (about["done"], about["finished"], about["best"]) == (3, False, [])
    shutil.rmtree(home / "parts")
    assert told("sweeps/study")["done"] == 0


def test_a_sweep_asks_for_what_its_table_needs(monkeypatch, capsys):
    Path("study.toml").write_text(STUDY)
    with inline_workers():
        assert cli.invoke(["sweep", "study.toml", "--workers", "1"]) == 0
    capsys.readouterr()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert cli.invoke(["info", "sweeps/study"]) == 2
    assert capsys.readouterr().err == (
        "serpenoid: tables need pyarrow, which is not installed: pip install 'serpenoid[tables]'\n"
    )


def test_an_optimisation_before_and_after_its_end():
    Path("search.toml").write_text(SEARCH)
    with inline_workers():
        assert cli.invoke(["optimise", "search.toml", "--workers", "1"]) == 0
    about = told("optimisations/search")
    counts = {key: about[key] for key in ("what", "points", "done", "failed", "finished")}
    assert list(counts.values()) == ["optimisation", 4, 4, 0, True]
    assert set(about["best"][0]) == {"trial", "controller.amplitude_deg", "distance"}
    home = Path("optimisations/search")
    (home / "summary.json").unlink()
    about = told("optimisations/search")
    assert (about["points"], about["done"], about["finished"]) == (4, 4, False)
    # What was run is never taken for something that was only begun.
    before = sorted(home.rglob("*"))
    remove_begun(home)
    assert sorted(home.rglob("*")) == before


def test_what_is_no_study(tmp_path):
    assert read_study(tmp_path) is None
    assert trial_counts(tmp_path / "trials.db") == {}
    (tmp_path / "optimisation.json").write_text("{}")
    (tmp_path / "trials.db").write_text("no database, but long enough to be looked at" * 100)
    with pytest.raises(sp.InvalidInput, match=r"trials.db' cannot be read: .*not a database"):
        read_study(tmp_path)
