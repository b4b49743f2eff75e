"""Completion: what is offered at each place, and that shells get it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import serpenoid as sp
from serpenoid import cli, papers, plots
from serpenoid.cli.candidates import candidates
from serpenoid.cli.completion import answer


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.toml", "run.nc", "my run.nc", ".hidden.nc", "notes.txt", "runs/old.nc"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()


def offered(*words):
    """What is offered for the last word."""
    return [word for word, _about in candidates(words[:-1], words[-1])]


def test_commands_and_options():
    shown = offered("")
    assert {"run", "info", "plot", "sweep", "completion"} <= set(shown)
    assert offered("ver") == ["verify"]
    assert offered("run", "--j") == ["--json"]
    assert offered("view", "run.nc", "--") == ["--no-open", "--gif", "--help"]
    assert offered("nonsense", "") == []


@pytest.mark.parametrize("command", ["run", "show", "export", "plan-push", "info"])
def test_scenarios(command):
    shown = offered(command, "")
    assert set(sp.gallery()) | {"mine.toml", "runs/"} <= set(shown)
    assert "notes.txt" not in shown
    assert offered(command, "aiko_") == ["aiko_flat", "aiko_pegs"]


@pytest.mark.parametrize("command", ["view", "plot", "verify"])
def test_runs(command):
    assert offered(command, "") == ["my run.nc", "run.nc", "runs/"]
    assert offered(command, "runs/") == ["runs/old.nc"]
    assert offered(command, "./r") == ["./run.nc", "./runs/"]
    assert offered(command, ".h") == [".hidden.nc"]
    assert offered(command, "nowhere/") == []


def test_other_arguments():
    assert offered("plot", "run.nc", "") == [*plots.KINDS, "all"]
    assert offered("plot", "run.nc", "--from", "1", "jo") == ["joint_angles"]
    assert offered("reproduce", "") == [*papers.available(), "all"]
    assert offered("sweep", "") == ["mine.toml", "runs/"]
    assert offered("sweep", "mine.toml", "--best", "mean_s") == ["mean_speed"]
    assert offered("run", "aiko_pegs", "--out", "") == ["runs/"]
    assert offered("run", "aiko_pegs", "--json", "no") == ["notes.txt"]
    assert offered("completion", "") == ["bash", "zsh", "fish"]
    # All arguments are there.
    assert offered("run", "aiko_pegs", "") == []


def test_keys_after_set():
    assert offered("run", "aiko_pegs", "--set", "controller.ph") == ["controller.phase_deg="]
    assert "friction.mu=" in offered("run", "aiko_pegs", "--set", "")
    assert offered("run", "peg_forest", "--set", "controller.parts[0].d") == [
        "controller.parts[0].delay="
    ]
    assert offered("run", "aiko_pegs", "--set", "friction.kind=cou") == ["friction.kind=coulomb"]
    assert offered("run", "aiko_pegs", "--set", "solver=hy") == ["solver=hybrid"]
    # Nothing is known of a scenario that is not there, or is wrong.
    assert offered("run", "--set", "") == []
    assert offered("run", "mine.toml", "--set", "controller.") == []


def test_each_key_that_is_offered_can_be_set():
    for name in ("peg_forest", "stairs"):
        scenario = sp.Scenario.load(name)
        keys = [word.removesuffix("=") for word in offered("run", name, "--set", "")]
        assert len(keys) > 20
        for key in keys:
            value = scenario.plain()
            for part in key.replace("[", ".").replace("]", "").split("."):
                value = value[int(part)] if isinstance(value, list) else value[part]
            scenario.changed({key: value})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("serpenoid run aiko_p", "aiko_pegs\t\tready scenario\n"),
        ('serpenoid run "aiko_p', "aiko_pegs\t\tready scenario\n"),
        ("serpenoid view my\\ r", "my run.nc\t\tfile\n"),
        (
            "serpenoid run aiko_pegs --set friction.kind=coul",
            "friction.kind=coulomb\tfriction.kind=\t",
        ),
        ("serpenoid verif", "verify\t\tRun again what the file holds"),
        ("serpenoid verify --allow-code --nonsense", ""),
    ],
)
def test_answer(line, said, capsys):
    assert answer(line) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(said) if said else shown == ""


def test_names_that_steer_a_terminal_are_not_offered(capsys):
    Path("a\x1b[2J.nc").touch()
    Path("a\nb.nc").touch()
    answer("serpenoid view a")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_printed_and_installed(shell, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    (tmp_path / "home").mkdir()
    assert cli.invoke(["completion"]) == 0
    script = capsys.readouterr().out
    assert "_SERPENOID_LINE=" in script or "_SERPENOID_LINE (" in script
    start = tmp_path / "home" / f".{shell}rc"
    start.write_text("# mine\n")
    for _ in range(2):
        assert cli.invoke(["completion", "--install"]) == 0
    assert capsys.readouterr().out.startswith(f"completion: {tmp_path}/home/")
    (file,) = (p for p in (tmp_path / "home").rglob("*") if p.is_file() and p != start)
    assert file.read_text() == script
    lines = start.read_text().splitlines()
    assert lines[0] == "# mine"
    # Once, however often it is installed.
    assert len(lines) == (1 if shell == "fish" else 2)
    if shutil.which(shell):
        subprocess.run([shell, "-n", str(file)], check=True)


def test_unknown_shell_is_refused(monkeypatch, capsys):
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert cli.invoke(["completion"]) == 2
    words = "$SHELL is 'tcsh', for which there is no completion; name bash, zsh or fish"
    assert capsys.readouterr().err == f"serpenoid: {words}\n"


BASH = """
eval "$({program} completion bash)"
compopt() {{ printf '(open)'; }}
ask() {{
    COMP_LINE="$1" COMP_POINT="${{#1}}"
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _serpenoid "{program}"
    printf '%s|' "${{COMPREPLY[@]}}"
    echo
}}
ask "serpenoid run aiko_p" serpenoid run aiko_p
ask "serpenoid run aiko_pegs --set friction.m" serpenoid run aiko_pegs --set friction.m
ask "serpenoid run x --set friction.kind=c" serpenoid run x --set friction.kind = c
ask "serpenoid run aiko_pegs --set solver=hy" serpenoid run aiko_pegs --set solver = hy
ask "serpenoid view my" serpenoid view my
ask "serpenoid view ru" serpenoid view ru
complete -p serpenoid
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_in_bash(tmp_path):
    program = tmp_path / "serpenoid"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m serpenoid "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH.format(program=program)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "aiko_pegs|",
        "(open)friction.mu=|",
        "|",
        "hybrid|",
        "my\\ run.nc|",
        "run.nc|runs/|",
        "complete -o default -F _serpenoid serpenoid",
    ], done.stderr
