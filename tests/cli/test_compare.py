"""`serpenoid compare`, as a user types it."""

import csv
import json
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid import cli

NAMES = ("plain", "steep", "wheels")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    base = sp.Scenario.load("aiko_pegs", {"clock.duration": 0.5})
    runs = {
        "plain": base.run(),
        "steep": base.changed({"controller.phase_deg": -65.0}).run(),
        "wheels": sp.Scenario.load("wheeled_snake", {"clock.duration": 0.5}).run(),
    }
    for name, run in runs.items():
        run.save(folder / f"{name}.nc")
    return folder, runs


@pytest.fixture
def files(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return [str(made[0] / f"{name}.nc") for name in NAMES]


def opened(monkeypatch) -> list[Path]:
    pages: list[Path] = []
    monkeypatch.setattr("serpenoid.plots.viewer.opening.open_in_browser", pages.append)
    return pages


def test_two_runs(files, made, monkeypatch, capsys):
    pages = opened(monkeypatch)
    assert cli.invoke(["compare", *files[:2]]) == 0
    shown, noted = capsys.readouterr()
    found = sp.compare({name: made[1][name] for name in NAMES[:2]})
    assert shown.startswith(repr(found))
    home = Path("comparisons")
    kinds = ("path", "speeds", "energy")
    wanted = ["plain-steep.csv", *(f"plain-steep-{kind}.png" for kind in kinds), "plain-steep.html"]
    assert shown.removeprefix(repr(found)).split("\n")[1:-1] == [
        f"{word}: {home / name}"
        for word, name in zip(("table", *["figure"] * 3, "page"), wanted, strict=True)
    ]
    assert sorted(path.name for path in home.iterdir()) == sorted(wanted)
    assert pages == [home / "plain-steep.html"]
    with (home / "plain-steep.csv").open(newline="") as file:
        assert {row["run"] for row in csv.DictReader(file)} == {"plain", "steep"}
    for kind in kinds:
        assert (home / f"plain-steep-{kind}.png").read_bytes().startswith(b"\x89PNG")
    assert noted == ""


def test_names_folder_and_json(files, made, monkeypatch, capsys):
    pages = opened(monkeypatch)
    labels = ["--label", "flat [b]", "--label", "x", "--label", "rolls"]
    line = ["compare", *files, *labels, "--out", "trial", "--no-open", "--json", "-"]
    assert cli.invoke(line) == 0
    shown, noted = capsys.readouterr()
    plain = json.loads(shown)
    assert plain["runs"] == ["flat [b]", "x", "rolls"]
    values = {(row["measure"], row["run"]): row["value"] for row in plain["measures"]}
    assert values["distance", "rolls"] == made[1]["wheels"].distance()
    assert "flat [b]" in noted
    assert pages == []
    assert '"names":["flat [b]","x","rolls"]' in Path("trial/plain-steep-wheels.html").read_text()
    # Again: what was there is replaced.
    assert cli.invoke(["compare", *files, "--out", "trial", "--no-open"]) == 0
    said = capsys.readouterr().err
    assert "replaced trial/plain-steep-wheels.csv and trial/plain-steep-wheels.html\n" in said


def test_files_of_one_name(files, made, tmp_path, monkeypatch, capsys):
    opened(monkeypatch)
    for folder in ("a", "b"):
        Path(folder).mkdir()
        made[1]["plain"].save(f"{folder}/run.nc")
    assert cli.invoke(["compare", "a/run.nc", "b/run.nc", "--json", "c.json"]) == 0
    assert json.loads(Path("c.json").read_text())["runs"] == ["a/run.nc", "b/run.nc"]


def test_the_help_has_examples(capsys):
    assert cli.invoke(["compare", "--help"]) == 0
    assert "serpenoid compare A.nc B.nc C.nc --json -" in capsys.readouterr().out


def test_a_refused_command_leaves_nothing(files):
    assert cli.invoke(["compare", files[0], "nothing.nc", "--out", "trial"]) == 2
    assert not list(Path().iterdir())


def test_a_folder_that_stays_empty_is_removed(files, monkeypatch, capsys):
    def full(*_, **__):
        raise sp.OutputError("the disk is full")

    monkeypatch.setattr(sp.Comparison, "save", full)
    assert cli.invoke(["compare", *files[:2], "--out", "trials/first", "--no-open"]) == 2
    assert "the disk is full" in capsys.readouterr().err
    assert not list(Path().iterdir())
    # What was there stays, empty or not.
    Path("trials").mkdir()
    assert cli.invoke(["compare", *files[:2], "--out", "trials/first", "--no-open"]) == 2
    assert [path.name for path in Path().rglob("*")] == ["trials"]
