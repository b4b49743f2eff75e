"""Scenarios from standard input, summaries as JSON, and names of what --set changes."""

import io
import json
import shlex
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid import cli
from serpenoid.cli.sources import changes_name
from serpenoid.files import file_name
from serpenoid.scenario.keys import setting


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


SHORT = ["--set", "clock.duration=0.1"]


def named(*texts):
    return changes_name(dict(setting(text) for text in texts))


def test_settings_are_spelt_out_in_the_name():
    assert named("friction.mu=0.4") == "friction.mu=0.4"
    assert named("friction.mu = 0.40") == "friction.mu=0.4"
    assert named("seed=7", "friction=none") == named("friction=none", "seed=7")
    assert named("seed=7", "friction=none") == "friction=none,seed=7"
    assert named("controller.parts[0].delay=-5e-1") == "controller.parts.0.delay=-0.5"
    assert named("record.contacts=true") == "record.contacts=true"
    # The last one counts, as in the run.
    assert named("seed=1", "seed=2") == "seed=2"


ODD = [
    ["friction.mu=[0.1, 0.1, 0.4]"],
    ["friction.mu=[0.1, 0.1, 0.5]"],
    ['title="true"'],
    ['title="0.4"'],
    ['title="a/b"'],
    ['title="a b"'],
    ['title="ü"'],
    ["title=aü"],
    [f"section.key{k}={k}" for k in range(9)],
    [f"section.key{k}={k}" for k in range(10)],
    ["friction={kind='coulomb', mu=1}"],
]


def test_odd_or_long_settings_have_a_short_name_of_their_own():
    names = [named(*texts) for texts in ODD]
    assert len(set(names)) == len(names)
    for name in names:
        assert name.startswith("set-")
        assert len(name) == 12
        assert file_name(name) == name
    assert names == [named(*reversed(texts)) for texts in ODD]
    assert named("title=true") == "title=true"


def test_runs_with_different_settings_do_not_replace_each_other(capsys):
    for mu in ("0.1", "0.2", "0.10"):
        assert cli.invoke(["run", "aiko_flat", *SHORT, "--set", f"friction.mu={mu}"]) == 0
        err = capsys.readouterr().err
        stem = f"runs/aiko_flat-clock.duration=0.1,friction.mu={float(mu)}"
        assert err == (f"replaced {stem}.nc and {stem}.toml\n" if mu == "0.10" else "")
    assert len([*Path("runs").iterdir()]) == 4
    assert cli.invoke(["run", "aiko_flat", *SHORT, "--name", "mine"]) == 0
    assert sp.load("runs/mine.nc").time[-1] == pytest.approx(0.1)


def test_standard_input(monkeypatch, capsys):
    text = sp.gallery()["aiko_flat"].read_text(encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert cli.invoke(["run", "-", *SHORT, "--name", "piped"]) == 0
    assert Path("runs/piped.nc").exists()
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert cli.invoke(["export", "-", "--mjcf", "a.xml"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(text.replace("duration = 20.0", "duration = 0.1")))
    assert cli.invoke(["run", "-"]) == 0
    assert Path("runs/stdin.nc").exists()
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", io.StringIO("[robot]\nname = 'aiko'\n\nseed = -1\n[clock"))
    assert cli.invoke(["run", "-"]) == 2
    assert capsys.readouterr().err.startswith("serpenoid: stdin is not valid TOML: ")
    monkeypatch.setattr("sys.stdin", io.StringIO("seed = -1\n[robot]\nname = 'aiko'\n"))
    assert cli.invoke(["run", "-"]) == 2
    words = "serpenoid: stdin, line 1: seed = -1 is not allowed: it must be at least 0\n"
    assert capsys.readouterr().err == words


def test_standard_input_that_is_no_text(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a = '\xff'"), "utf-8"))
    assert cli.invoke(["run", "-"]) == 2
    words = "serpenoid: stdin is not valid TOML: it is no UTF-8 text\n"
    assert capsys.readouterr().err == words


def test_run_as_json(capsys):
    assert cli.invoke(["run", "aiko_pegs", *SHORT, "--json", "run.json"]) == 0
    assert cli.invoke(["run", "aiko_pegs", *SHORT, "--json", "-"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out[out.rindex("\n{\n") :])
    assert told == json.loads(Path("run.json").read_text())
    run = sp.load(told["file"])
    assert told["energy"] == run.energy()
    assert told["measures"]["distance"] == run.measures()["distance"]
    assert told["units"]["distance"] == "m"
    assert "whole cycle" in told["left_out"]["mean_speed"]
    assert told["certificate"]["penetration"] == run.columns["penetration"].max()
    # info says the same of the file.
    assert cli.invoke(["info", told["file"], "--json", "info.json"]) == 0
    about = json.loads(Path("info.json").read_text())
    shared = [key for key in told if key in about]
    assert shared[:2] == ["title", "robot"]
    assert {"start", "end", "rows", "numerical_share"} <= set(shared)
    assert [told[key] for key in shared] == [about[key] for key in shared]
    # What is printed besides does not mix with it.
    assert "saved as runs/aiko_pegs-clock.duration=0.1.nc" in err


def test_a_refused_run_leaves_no_folder():
    command = ["run", "push_disc", "--set", "start.link=99", "--out", "a/b"]
    assert cli.invoke(command) == 2
    assert [*Path.cwd().iterdir()] == []
    Path("a").mkdir()
    assert cli.invoke(command) == 2
    assert [*Path.cwd().rglob("*")] == [Path.cwd() / "a"]


def test_the_next_command_can_be_typed_as_it_is_printed(capsys):
    assert cli.invoke(["run", "aiko_flat", *SHORT, "--name", "my run", "--out", "its folder"]) == 0
    saved, _, line = capsys.readouterr().out.splitlines()[-1].partition("; look at it with: ")
    assert saved == "saved as its folder/my run.nc"
    words = shlex.split(line)
    assert words == ["serpenoid", "view", "its folder/my run.nc"]
    assert cli.invoke([*words[1:], "--no-open"]) == 0
