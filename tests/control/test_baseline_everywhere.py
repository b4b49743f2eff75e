"""The baselines of liljeback2011 give the same numbers from a file, a command and an environment."""

from pathlib import Path

import numpy as np
import pytest

import serpenoid as sp
from serpenoid import cli
from serpenoid.envs import SerpenoidEnv

PARTS = """
[controller]
kind = "references"

[[controller.parts]]
kind = "leader_follower"
amplitude_deg = 60
frequency_deg = 40
delay = 0.2

[[controller.parts]]
kind = "jam_resolution"
gain = 0.02
distance = 0.1
time = 0.4
duration = 0.3

[[controller.parts]]
kind = "heading"
gain = 1.3
look_ahead = 0.7
path = { kind = "waypoints", points = [[2.5, 0.0], [2.5, 1.0]], acceptance = 0.5 }
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sp.Scenario:
    """The forest of the gallery with these parts, as the file mine.toml."""
    monkeypatch.chdir(tmp_path)
    tables = sp.gallery()["peg_forest"].read_text(encoding="utf-8").split("[controller]")
    Path("mine.toml").write_text(f"{tables[0]}{PARTS}[clock]\nduration = 1.0\n", encoding="utf-8")
    return sp.Scenario.load("mine.toml")


def same(one: sp.Trajectory, other: sp.Trajectory) -> bool:
    return all(np.array_equal(one.columns[name], other.columns[name]) for name in one.columns)


def test_a_command_changes_a_part(mine: sp.Scenario) -> None:
    setting = ["--set", "controller.parts[1].duration=0.2", "--name", "shorter"]
    assert cli.invoke(["run", "mine.toml", *setting]) == 0
    (file,) = Path("runs").glob("*.nc")
    run = sp.load(file)
    assert same(run, mine.changed({"controller.parts[1].duration": 0.2}).run())
    assert np.abs(run.columns["reference_adaptation"]).max() > 0
    assert not same(run, mine.run())
    assert sp.Scenario.of(run).controller.parts[1].duration == 0.2


def test_an_environment_that_corrects_nothing_is_the_run(mine: sp.Scenario) -> None:
    mine = mine.changed({"record.period": 0.01})
    env = SerpenoidEnv("PathFollow-v0", scenario=mine, action="residual", record=True)
    env.reset(seed=1)
    for _ in range(20):
        env.step(np.zeros(9))
    assert same(env.trajectory(), mine.run())
