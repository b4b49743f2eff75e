"""Many robots in one call are single robots to the bit, and live as Gymnasium's vectors do."""

from __future__ import annotations

import copy
import pickle
import signal
import threading
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import serpenoid.envs
from serpenoid.envs import SerpenoidVectorEnv
from serpenoid.envs.actions import MODES
from serpenoid.envs.tasks import TASKS
from serpenoid.errors import InvalidInput
from tests.envs.inside import batch_of, let_next_step_fail, put_load_into_goal, robots_of


def vectors(name: str, count: int, **options: Any) -> tuple[Any, Any]:
    """Ours, and Gymnasium's of single environments."""
    ours = gymnasium.make_vec(
        f"serpenoid/{name}", count, vectorization_mode="vector_entry_point", **options
    )
    theirs = gymnasium.make_vec(f"serpenoid/{name}", count, vectorization_mode="sync", **options)
    return ours, theirs


def assert_same(ours: Any, theirs: Any) -> None:
    """Equal to the bit, infos and masks included."""
    assert type(ours) is type(theirs)
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        for key in ours:
            assert_same(ours[key], theirs[key])
    elif isinstance(ours, tuple):
        for a, b in zip(ours, theirs, strict=True):
            assert_same(a, b)
    else:
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", list(TASKS))
@pytest.mark.parametrize("action", [m for m, kind in MODES.items() if not kind.on_top])
def test_a_vector_is_its_single_environments_to_the_bit(name: str, action: str) -> None:
    # Episodes of 5 steps, so that several end and begin.
    options = {"action": action, "max_episode_steps": 5, "randomise": {"mass": 0.2}}
    ours, theirs = vectors(name, 3, **options)
    assert isinstance(ours.unwrapped, SerpenoidVectorEnv)
    assert isinstance(theirs, SyncVectorEnv)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert_same(ours.reset(seed=3), theirs.reset(seed=3))
    ours.action_space.seed(1)
    ended = 0
    for _ in range(14):
        actions = ours.action_space.sample()
        mine, its = ours.step(actions), theirs.step(actions)
        assert_same(mine, its)
        assert mine[0] in ours.observation_space
        ended += int(mine[3].sum())
    assert ended == 6
    # Where it is now goes on without seeds.
    assert_same(ours.reset(), theirs.reset())


def test_robots_end_each_by_itself_and_begin_in_the_next_step() -> None:
    ours, theirs = vectors("Push-v0", 3)
    for each in (ours, theirs):
        each.reset(seed=[5, 6, 7])
    # The load of one robot is put into its goal.
    put_load_into_goal(ours, robot=1)
    put_load_into_goal(theirs.envs[1])
    zero = np.zeros((3, 7), np.float32)
    for k in range(4):
        mine, its = ours.step(zero), theirs.step(zero)
        assert_same(mine, its)
        assert mine[2].tolist() == [False, k == 0, False]
        if k == 1:
            assert mine[1][1] == 0.0
            assert mine[4]["_reward_arrival"].tolist() == [True, False, True]


def test_the_number_of_threads_changes_nothing() -> None:
    def lived(threads: int) -> Any:
        env = SerpenoidVectorEnv("PegField-v0", 5, threads=threads, max_episode_steps=4)
        env.action_space.seed(2)
        env.reset(seed=1)
        return [env.step(env.action_space.sample())[:2] for _ in range(7)]

    for one, two in zip(lived(1), lived(2), strict=True):
        assert_same(one, two)


def test_some_robots_can_be_reset_alone() -> None:
    ours, theirs = vectors("Crawl-v0", 3)
    for each in (ours, theirs):
        each.reset(seed=1)
        each.step(np.ones((3, 7), np.float32))
    mask = np.array([True, False, True])
    results = [e.reset(seed=[8, 9, 10], options={"reset_mask": mask}) for e in (ours, theirs)]
    assert_same(*results)
    steps = [each.step(np.ones((3, 7), np.float32)) for each in (ours, theirs)]
    assert_same(*steps)


def test_a_step_that_fails_truncates_the_episode_with_the_reason() -> None:
    ours, theirs = vectors("Crawl-v0", 3)
    for each in (ours, theirs):
        each.reset(seed=1)
    first = ours.step(np.ones((3, 7), np.float32))
    theirs.step(np.ones((3, 7), np.float32))
    let_next_step_fail(ours, robot=1)
    let_next_step_fail(theirs.envs[1])
    # Meanwhile another one begins anew.
    ours.unwrapped._ended[0] = theirs._autoreset_envs[0] = True
    mine, its = (each.step(np.ones((3, 7), np.float32)) for each in (ours, theirs))
    assert_same(mine, its)
    seen, reward, terminated, truncated, infos = mine
    assert np.isfinite(seen).all()
    assert np.array_equal(seen[1], first[0][1])
    assert reward[1] == 0.0
    assert (terminated.tolist(), truncated.tolist()) == ([False] * 3, [False, True, False])
    assert infos["failed"][1].startswith("stopped at t = 0 s")
    assert infos["_failed"].tolist() == [False, True, False]
    after = [each.step(np.ones((3, 7), np.float32)) for each in (ours, theirs)]
    assert_same(*after)
    assert "failed" not in after[0][4]
    assert np.isfinite(after[0][0]).all()
    single = theirs.envs[1].unwrapped
    let_next_step_fail(single)
    single.step(np.ones(7, np.float32))
    with pytest.raises(serpenoid.InvalidInput, match="nor after a step that failed"):
        single.step(np.ones(7, np.float32))


def test_seeds_and_random_numbers_are_those_of_single_environments() -> None:
    ours, theirs = vectors("Crawl-v0", 3)
    for seed in (4, [7, 8, 9], None):
        for each in (ours, theirs):
            each.reset(seed=seed)
        assert ours.np_random_seed == theirs.np_random_seed
        drawn = [[own.integers(2**60) for own in each.np_random] for each in (ours, theirs)]
        assert drawn[0] == drawn[1]
    assert_same(ours.reset(seed=range(3)), theirs.reset(seed=[0, 1, 2]))


def test_a_scene_that_cannot_be_made_leaves_all_robots_as_they_are() -> None:
    env, other = (SerpenoidVectorEnv("Crawl-v0", 3, max_episode_steps=9) for _ in range(2))
    for each in (env, other):
        each.reset(seed=1)
        each.step(np.ones((3, 7), np.float32))
    task, scenarios = robots_of(env).task, list(robots_of(env).scenarios)
    made = 0

    def second_fails(*given: Any) -> Any:
        nonlocal made
        made += 1
        if made == 2:
            raise serpenoid.InvalidInput("no room")
        return task.draw(*given)

    robots_of(env).task = replace(task, draw=second_fails)
    with pytest.raises(serpenoid.InvalidInput, match=r"^no room$"):
        env.reset(seed=5)
    assert made == 2
    robots_of(env).task = task
    assert robots_of(env).scenarios == scenarios
    assert env.np_random_seed == (1, 2, 3)
    # They go on as if nothing had been.
    for _ in range(10):
        assert_same(*(each.step(np.ones((3, 7), np.float32))[:2] for each in (env, other)))


def test_a_reset_that_is_interrupted_has_to_be_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    env = SerpenoidVectorEnv("Crawl-v0", 3)
    env.reset(seed=1)
    put, calls = batch_of(env).put, []

    def interrupted(*given: Any) -> None:
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        put(*given)

    monkeypatch.setattr(batch_of(env), "put", interrupted)
    with pytest.raises(KeyboardInterrupt):
        env.reset(seed=5)
    with pytest.raises(serpenoid.InvalidInput, match="step is not allowed before all robots"):
        env.step(np.zeros((3, 7), np.float32))
    env.reset(seed=5)
    env.step(np.zeros((3, 7), np.float32))


def test_a_step_stopped_by_ctrl_c_has_to_be_followed_by_a_reset() -> None:
    env = SerpenoidVectorEnv("Crawl-v0", 3, control_period=100_000.0, threads=2)
    env.reset(seed=1)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        env.step(np.ones((3, 7), np.float32))
    with pytest.raises(serpenoid.InvalidInput, match="nor after one that was interrupted"):
        env.step(np.ones((3, 7), np.float32))
    seen, _ = env.reset(seed=1)
    assert np.array_equal(seen, SerpenoidVectorEnv("Crawl-v0", 3).reset(seed=1)[0])


@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_lives_on_as_the_original(way: str) -> None:
    env = SerpenoidVectorEnv("PegField-v0", 3, action="gait", max_episode_steps=5)
    env.reset(seed=2)
    env.action_space.seed(2)
    for _ in range(3):
        env.step(env.action_space.sample())
    other = copy.deepcopy(env) if way == "deepcopy" else pickle.loads(pickle.dumps(env))
    for _ in range(6):
        actions = env.action_space.sample()
        assert_same(env.step(actions), other.step(actions))


def test_pictures_of_all_robots() -> None:
    env = SerpenoidVectorEnv("Crawl-v0", 2, render_mode="rgb_array")
    env.reset(seed=1)
    frames = env.render()
    assert frames is not None
    assert [frame.shape for frame in frames] == [(360, 600, 3)] * 2
    assert not np.array_equal(*frames)
    env.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"num_envs": 0},
            "num_envs = 0 is not allowed: it must be a whole number, at least 1",
        ),
        ({"num_envs": 1.5}, "num_envs = 1.5 is not allowed"),
        ({"max_episode_steps": 0}, "max_episode_steps = 0 is not allowed"),
        ({"threads": 0}, "threads = 0 is not allowed"),
        ({"thread": 1}, "has no 'thread' (did you mean 'threads'?)"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(serpenoid.InvalidInput) as caught:
        SerpenoidVectorEnv("Crawl-v0", **{"num_envs": 2, **options})
    assert words in str(caught.value)


def test_wrong_calls_are_refused() -> None:
    env = SerpenoidVectorEnv("Crawl-v0", 2)
    actions = np.zeros((2, 7), np.float32)
    with pytest.raises(serpenoid.InvalidInput, match="before all robots have been reset"):
        env.step(actions)
    with pytest.raises(serpenoid.InvalidInput, match="seed has 3 entries, but there are 2"):
        env.reset(seed=[1, 2, 3])
    for seed in (1.5, -1, "a", "ab", {}, True):
        with pytest.raises(
            serpenoid.InvalidInput, match=r"^seed = .* must be a whole number, at l"
        ):
            env.reset(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(serpenoid.InvalidInput, match=r"^seed\[1\] = -3 is not allowed: it must be"):
        env.reset(seed=[1, -3])
    with pytest.raises(
        serpenoid.InvalidInput, match=r"^options = 5 is not allowed: it must be a t"
    ):
        env.reset(options=5)  # type: ignore[arg-type]
    for mask in (np.zeros(2), [[True], [True, False]], "a"):
        with pytest.raises(
            serpenoid.InvalidInput, match=r"^reset_mask is not allowed: it must be 2"
        ):
            env.reset(options={"reset_mask": mask})
    with pytest.raises(serpenoid.InvalidInput, match="reset_mask is not allowed"):
        env.reset(options={"reset_mask": np.zeros(2, bool)})
    with pytest.raises(serpenoid.InvalidInput, match="did you mean 'reset_mask'"):
        env.reset(options={"reset_masks": 1})
    env.reset(seed=1)
    with pytest.raises(serpenoid.InvalidInput, match=r"shape \(7,\); it must be \(2, 7\)"):
        env.step(np.zeros(7, np.float32))
    with pytest.raises(serpenoid.InvalidInput, match=r"actions\[0, 0\] = inf is not allowed"):
        env.step(np.full((2, 7), np.inf))


def test_the_trajectory_of_many_robots_needs_the_number_of_one() -> None:
    many = SerpenoidVectorEnv("Crawl-v0", 3, record=True)
    many.reset(seed=1)
    with pytest.raises(InvalidInput, match=r"^trajectory needs the number of a robot, 0 to 2$"):
        many.trajectory()
    one = SerpenoidVectorEnv("Crawl-v0", 1, record=True)
    one.reset(seed=1)
    assert len(one.trajectory().time) == 1
