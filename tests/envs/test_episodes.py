"""An episode is a trajectory, with columns, ledger, player and file, where it is recorded."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import serpenoid as sp
from serpenoid.envs import SerpenoidEnv, SerpenoidVectorEnv
from serpenoid.envs.tasks import TASKS
from tests.envs.inside import batch_of, let_next_step_fail, robots_of


@pytest.mark.parametrize("name", list(TASKS))
def test_its_columns_are_what_was_observed_and_its_ledger_closes(name: str, tmp_path: Path) -> None:
    env = gymnasium.make(f"serpenoid/{name}", record=True).unwrapped
    env.action_space.seed(1)
    robots, seen = robots_of(env), []
    env.reset(seed=1)
    for _ in range(10):
        seen.append(robots.now.seen)
        env.step(env.action_space.sample())
    seen.append(robots.now.seen)
    run = env.trajectory()
    assert run.time == pytest.approx(np.arange(51) * 0.01)
    assert run.time[::5] == pytest.approx([each.time[0] for each in seen])
    for key in ("x", "y", "theta", "vx", "vy", "omega", "joint_angle", "joint_rate"):
        told = np.array([getattr(each, key)[0] for each in seen])
        assert run.columns[key][::5] == pytest.approx(told, abs=1e-12), key
    # Forces of an observation are means of its control period.
    told = np.array([each.contact_force[0] for each in seen[1:]])
    means = run.columns["contact_force"][1:].reshape(10, 5, -1, 2).mean(axis=1)
    assert means == pytest.approx(told, abs=1e-9)
    energy = run.energy()
    moved = sum(abs(value) for value in energy.values())
    assert abs(energy["residual"]) < 1e-9 * moved
    assert energy["actuator"] == pytest.approx(robots.now.work[0], rel=1e-12)
    assert run.world == robots.scenarios[0].built[1]
    assert run.view(tmp_path / "run.html").stat().st_size > 10_000
    run.plot.energy()
    again = sp.load(run.save(tmp_path / "run.nc"))
    assert np.array_equal(again.columns["x"], run.columns["x"])
    with pytest.raises(sp.InvalidInput) as caught:
        sp.Scenario.of(run)
    assert str(caught.value) == (
        f"this run was controlled by actions in serpenoid/{name}, which only Python code knows"
    )


def test_it_stays_as_it_was_and_the_next_one_begins_anew() -> None:
    env = SerpenoidEnv("Crawl-v0", record=True)
    env.reset(seed=1)
    assert len(env.trajectory().time) == 1
    # Room grows for an episode that goes on beyond its end.
    for _ in range(401):
        env.step(np.zeros(7))
    run = env.trajectory()
    held = copy.deepcopy(dict(run.columns))
    assert (len(run.time), run.time[-1]) == (2006, pytest.approx(20.05))
    env.step(np.ones(7))
    assert len(env.trajectory().time) == 2011
    env.reset()
    assert len(env.trajectory().time) == 1
    env.step(np.ones(7))
    assert all(np.array_equal(run.columns[key], column) for key, column in held.items())


def test_those_of_a_vector_are_those_of_single_environments() -> None:
    options: Any = {"record": True, "randomise": {"mass": 0.2}}
    vector = SerpenoidVectorEnv("PegField-v0", 3, max_episode_steps=4, **options)
    single = SerpenoidEnv("PegField-v0", **options)
    vector.reset(seed=4)
    single.reset(seed=5)
    actions = np.random.default_rng(1).uniform(-1, 1, (4, 3, 11)).astype(np.float32)
    for action in actions:
        truncated = vector.step(action)[3]
        single.step(action[1])
    # It is still there when the episode has ended.
    assert truncated.all()
    mine, its = vector.trajectory(1), single.trajectory()
    assert all(np.array_equal(mine.columns[key], column) for key, column in its.columns.items())
    vector.step(actions[0])
    assert len(vector.trajectory(1).time) == 1
    with pytest.raises(sp.InvalidInput) as caught:
        vector.trajectory(3)
    assert str(caught.value) == "index = 3 is not allowed: the batch has robots 0 to 2"


def test_recording_changes_nothing_and_a_copy_records_on() -> None:
    env, plain = (SerpenoidEnv("Crawl-v0", record=record) for record in (True, False))
    for each in (env, plain):
        each.reset(seed=2)
        each.action_space.seed(2)
    actions = [env.action_space.sample() for _ in range(6)]
    for action in actions[:3]:
        assert np.array_equal(env.step(action)[0], plain.step(action)[0])
    other = copy.deepcopy(env)
    for action in actions[3:]:
        assert np.array_equal(env.step(action)[0], other.step(action)[0])
    mine, its = env.trajectory(), other.trajectory()
    assert len(its.time) == 31
    assert all(np.array_equal(mine.columns[key], column) for key, column in its.columns.items())


def test_a_step_that_fails_leaves_the_rows_before_it() -> None:
    env = SerpenoidEnv("Crawl-v0", record=True)
    env.reset(seed=1)
    let_next_step_fail(env)
    assert env.step(np.zeros(7))[3]
    assert len(env.trajectory().time) == 1


def test_episodes_that_are_not_there_are_refused() -> None:
    env = SerpenoidEnv("Crawl-v0")
    env.reset(seed=1)
    with pytest.raises(sp.InvalidInput) as caught:
        env.trajectory()
    assert str(caught.value) == "the environment does not record: make it with record=True"
    with pytest.raises(sp.InvalidInput) as caught:
        batch_of(env).trajectory(0)
    assert str(caught.value) == "this batch does not record: make it with record=True"
    with pytest.raises(sp.InvalidInput) as caught:
        SerpenoidEnv("Crawl-v0", record=True).trajectory()
    assert str(caught.value) == "there is no episode before reset"
    with pytest.raises(sp.InvalidInput) as caught:
        SerpenoidVectorEnv("Crawl-v0", 500, record=True, max_episode_steps=100_000)
    assert str(caught.value).startswith(
        "record.period = 0.01, which makes 500001 rows of 500 robots of 8 links, would need"
    )


def test_pictures_have_the_size_that_is_asked_for() -> None:
    env = SerpenoidEnv("PegField-v0", render_mode="rgb_array", width=320, height=240)
    env.reset(seed=1)
    assert env.render().shape == (240, 320, 3)
    vector = SerpenoidVectorEnv("Crawl-v0", 2, render_mode="rgb_array", width=400)
    vector.reset(seed=1)
    assert [frame.shape for frame in vector.render() or ()] == [(240, 400, 3)] * 2
