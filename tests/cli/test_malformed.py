"""Malformed command lines: one sentence on stderr, nothing on stdout, exit code 2."""

from pathlib import Path

import pytest

from serpenoid.cli import invoke
from serpenoid.scenario.scenario import Scenario

GOOD = """
[robot]
links = 3
length = 0.1
mass = 1.0
radius = 0.02

[clock]
duration = 0.1
"""

# What is said word for word, where the command line makes the sentence; otherwise how it begins.
LINES = [
    ("rnu good.toml", "no such command 'rnu' (did you mean 'run'?); see serpenoid --help"),
    ("--versoin", "no such option: --versoin (did you mean --version?); see serpenoid --help"),
    ("run", "missing argument 'scenario'; see serpenoid --help"),
    ("run good.toml twice", "got unexpected extra argument(s) (twice); see serpenoid --help"),
    ("run good.toml --ou x", "no such option: --ou (did you mean --out?); see serpenoid --help"),
    ("run good.toml --set", "option '--set' requires an argument; see serpenoid --help"),
    ("run good.toml --set mu", "setting 'mu' is not allowed: ..."),
    ("run good.toml --set robot.mas=1", "good.toml: robot.mas is not known ..."),
    ("run good.toml --out good.toml", "--out good.toml cannot be a folder: File exists"),
    ("run bad.toml", "bad.toml: robot.mass = -1 is not allowed: ..."),
    ("run nowhere.toml", "scenario 'nowhere.toml' is neither a file nor in the gallery; ..."),
    # What is found before the first step names the scenario, too.
    ("run good.toml --set start.link=3", "good.toml: start.link = 3 is not allowed: ..."),
    ("run pedal_wave --set start.y=-0.02", "pedal_wave: world.terrain is entered by link 0, ..."),
    (
        "run pedal_wave --set solver=explicit --set clock.time_step=0.01",
        "pedal_wave: clock.time_step = 0.01 is not allowed with solver 'explicit': the springs and "
        "dampers of this robot and terrain need at most 0.0021 s",
    ),
    ("run good.toml --set solver=prox --set actuator.kind=free", "good.toml: solver 'prox' ..."),
    ("export good.toml", "missing option '--mjcf'; see serpenoid --help"),
    ("export nowhere.toml --mjcf a.xml", "scenario 'nowhere.toml' is neither a file ..."),
    ("export good.toml --mjcf nowhere/a.xml", "path = 'nowhere/a.xml' cannot be written: ..."),
    (
        "export good.toml --set actuator.kind=prescribed --mjcf a.xml",
        "good.toml: joint 0, which is prescribed, cannot be exported to MuJoCo; ...",
    ),
    ("export good.toml --set start.link=3 --mjcf a.xml", "good.toml: start.link = 3 is not ..."),
    (
        "plan-push aiko_pegs",
        "aiko_pegs: --load 0 is not allowed: there are none in world.loads",
    ),
    ("plan-push push_disc --link 9", "push_disc: Touch.link = 9 is not allowed: ..."),
    ("plan-push push_disc --torque 0", "push_disc: largest_torque = 0.0 is not allowed: ..."),
    ("sweep nowhere.toml", "study nowhere.toml cannot be read: ..."),
    ("sweep good.toml", "good.toml: robot is not known; a study takes ..."),
    ("optimise nowhere.toml", "study nowhere.toml cannot be read: ..."),
    ("optimise good.toml", "good.toml: robot is not known; a study to optimise takes ..."),
    ("reproduce transeth", "paper 'transeth' is not known (did you mean 'transeth2008'?); ..."),
    ("view nothing.nc --no-open", "path = 'nothing.nc' cannot be read as a run: ..."),
    ("verify .", "path = '.' cannot be read as a run: ..."),
    ("plot good.nc pth", "kind = 'pth' is not allowed (did you mean 'path'?): ..."),
    ("plot good.nc path --out x.bmp", "path = 'x.bmp' is not allowed: ..."),
    (
        "plot good.nc all --out x.png",
        "--out x.png is not allowed with all, which writes many files",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "good.toml").write_text(GOOD)
    (folder / "bad.toml").write_text(GOOD.replace("1.0", "-1"))
    Scenario.loads(GOOD).run().save(folder / "good.nc")
    return folder


@pytest.mark.parametrize(("line", "words"), LINES, ids=[line for line, _ in LINES])
def test_malformed_command_line(
    line: str,
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert invoke(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    said, end, more = err.partition("\n")
    assert (end, more) == ("\n", "")
    if words.endswith("..."):
        assert said.startswith(f"serpenoid: {words.removesuffix('...')}")
    else:
        assert said == f"serpenoid: {words}"
    # No run is written, and no folder for one is left full.
    assert not [*folder.glob("runs/*"), *folder.glob("*.xml"), *folder.glob("*.png")]
