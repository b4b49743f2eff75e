"""The environment for stable-baselines3 lives as its own DummyVecEnv does, and can be learnt in."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import serpenoid as sp

sb3 = pytest.importorskip(
    "stable_baselines3",
    reason="stable-baselines3 is not installed: pip install stable-baselines3",
)

from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor  # noqa: E402

from serpenoid.envs.stable_baselines import SerpenoidVecEnv  # noqa: E402
from tests.envs.inside import let_next_step_fail, put_load_into_goal  # noqa: E402

OPTIONS: dict[str, Any] = {"max_episode_steps": 4, "randomise": {"mass": 0.2, "friction": 0.3}}


def both(**options: Any) -> tuple[SerpenoidVecEnv, DummyVecEnv]:
    """Ours and theirs, of three robots each, with the same seeds."""
    given = OPTIONS | options
    ours = SerpenoidVecEnv("Push-v0", 3, **given)
    theirs = DummyVecEnv([lambda: gymnasium.make("serpenoid/Push-v0", **given)] * 3)
    for env in (ours, theirs):
        env.seed(5)
    return ours, theirs


def assert_same(ours: Any, theirs: Any) -> None:
    """Equal to the bit and in type, infos included."""
    for mine, its in zip(ours[:3], theirs[:3], strict=True):
        assert mine.dtype == its.dtype
        assert np.array_equal(mine, its)
    for mine, its in zip(ours[3], theirs[3], strict=True):
        assert mine.keys() == its.keys()
        for key, value in its.items():
            assert type(mine[key]) is type(value)
            assert np.array_equal(mine[key], value), key


@pytest.mark.parametrize("action", ["joint_targets", "gait"])
def test_it_is_their_vector_of_single_environments_to_the_bit(action: str) -> None:
    ours, theirs = both(action=action)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert np.array_equal(ours.reset(), theirs.reset())
    random, ended = np.random.default_rng(1), 0
    for _ in range(9):
        actions = random.uniform(-1, 1, (3, *ours.action_space.shape)).astype(np.float32)  # type: ignore[misc]
        mine, its = ours.step(actions), theirs.step(actions)
        assert_same(mine, its)
        ended += sum("terminal_observation" in info for info in mine[3])
        assert all(
            info["TimeLimit.truncated"] == done for info, done in zip(mine[3], mine[2], strict=True)
        )
    assert ended == 6
    # Seeds count once; without them episodes go on with the random numbers there are.
    assert np.array_equal(ours.reset(), theirs.reset())


def test_goals_and_failures_end_episodes_as_theirs_do() -> None:
    ours, theirs = both(max_episode_steps=None)
    for env in (ours, theirs):
        env.reset()
    for inside in (ours.vector, theirs.envs[1]):
        robot = 1 if inside is ours.vector else 0
        put_load_into_goal(inside, robot)
    for inside in (ours.vector, theirs.envs[2]):
        let_next_step_fail(inside, 2 if inside is ours.vector else 0)
    zero = np.zeros((3, 7), np.float32)
    mine, its = ours.step(zero), theirs.step(zero)
    assert_same(mine, its)
    assert mine[2].tolist() == [False, True, True]
    assert [info["TimeLimit.truncated"] for info in mine[3]] == [False, False, True]
    assert mine[3][2]["failed"].startswith("stopped at t = 0 s")
    assert_same(ours.step(zero), theirs.step(zero))


def test_episodes_end_when_those_of_the_task_do() -> None:
    env = SerpenoidVecEnv("Crawl-v0", 1, control_period=0.01)
    env.reset()
    ends = [bool(env.step(np.zeros((1, 7), np.float32))[2][0]) for _ in range(400)]
    assert ends == [False] * 399 + [True]


def test_attributes_and_methods_of_robots() -> None:
    env = SerpenoidVecEnv("Crawl-v0", 3, render_mode="rgb_array", width=200, record=True)
    env.seed(7)
    env.reset()
    assert env.get_attr("np_random_seed") == [7, 8, 9]
    assert env.get_attr("np_random_seed", [0, 2]) == [7, 9]
    assert env.get_attr("render_mode", 1) == ["rgb_array"]
    assert not env.has_attr("colour")
    env.set_attr("colour", "blue", [1])
    assert env.get_attr("colour", 1) == ["blue"]
    assert env.env_is_wrapped(Monitor) == [False] * 3
    assert [frame.shape for frame in env.env_method("render")] == [(160, 200, 3)] * 3
    picture = env.render()
    assert picture is not None
    assert picture.shape == (320, 400, 3)
    env.step(np.zeros((3, 7), np.float32))
    assert [len(run.time) for run in env.env_method("trajectory")] == [6] * 3
    env.close()


def test_a_recorded_episode_is_in_the_info_of_its_end(tmp_path: Path) -> None:
    env = SerpenoidVecEnv("Crawl-v0", 2, max_episode_steps=3, record=True)
    env.reset()
    for _ in range(3):
        *_, infos = env.step(np.ones((2, 7), np.float32))
    run = infos[1]["trajectory"]
    assert len(run.time) == 16
    assert run.columns["joint_angle"][-1] == pytest.approx(
        infos[1]["terminal_observation"][:7], abs=1e-6
    )
    assert len(env.trajectory(1).time) == 1


def test_ppo_learns_in_it() -> None:
    env = VecMonitor(SerpenoidVecEnv("Crawl-v0", 4, action="gait", max_episode_steps=20))
    model = sb3.PPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=2, seed=1, device="cpu")
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(256)
    assert model.num_timesteps == 256
    assert any(not (a == b).all() for a, b in zip(before, model.policy.parameters(), strict=True))
    assert {episode["l"] for episode in model.ep_info_buffer} == {20}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"task": "Crawl-v1"}, "task = 'Crawl-v1' is not known (did you mean 'Crawl-v0'?); there"),
        ({"num_envs": 0}, "num_envs = 0 is not allowed: it must be a whole number, at least 1"),
        ({"actoin": "gait"}, "the environment has no 'actoin' (did you mean 'action'?); it takes"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(sp.InvalidInput) as caught:
        SerpenoidVecEnv(**{"task": "Crawl-v0", "num_envs": 2} | options)
    assert str(caught.value).startswith(words)


def test_wrong_calls_are_refused() -> None:
    env = SerpenoidVecEnv("Crawl-v0", 2)
    with pytest.raises(sp.InvalidInput, match="step is not allowed before all robots have been r"):
        env.step(np.zeros((2, 7), np.float32))
    env.reset()
    with pytest.raises(sp.InvalidInput, match=r"^actions has the shape \(7,\); it must be \(2, 7"):
        env.step(np.zeros(7, np.float32))
    env.set_options({"speed": 1})
    with pytest.raises(sp.InvalidInput, match="reset has no option 'speed'; it takes none"):
        env.reset()


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer robots and steps."""
    page = Path(__file__).parents[2] / "docs" / "environments.md"
    (code,) = re.findall(r"^```py\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for much, few in (('"Crawl-v0", 64', '"Crawl-v0", 4'), ("200_000", "32"), ("128", "8")):
        assert much in code
        code = code.replace(much, few)
    monkeypatch.chdir(tmp_path)
    exec(compile(code.replace("batch_size=1024", "batch_size=32"), page.name, "exec"), {})
    assert Path("crawl.zip").is_file()


def test_without_the_library_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3.common.vec_env", None)
    monkeypatch.delitem(sys.modules, "serpenoid.envs.stable_baselines")
    with pytest.raises(ModuleNotFoundError, match="pip install stable-baselines3"):
        importlib.import_module("serpenoid.envs.stable_baselines")
