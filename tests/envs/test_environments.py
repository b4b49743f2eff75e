"""The environments keep Gymnasium's contract, and their numbers stay within their spaces."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import Any

import gymnasium
import matplotlib
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from PIL import ImageColor

import serpenoid.envs
from serpenoid.envs.actions import GAIT, MODES
from serpenoid.envs.task_batch import TaskBatch
from serpenoid.envs.tasks import TASKS
from serpenoid.envs.terms import term
from serpenoid.envs.variation import variable
from serpenoid.plots.animation import OUTLINE, SLIPS, STICKS
from tests.envs.inside import batch_of, let_next_step_fail, put_load_into_goal, robots_of

NAMES = [f"serpenoid/{name}" for name in TASKS]
EACH = pytest.mark.parametrize("name", NAMES)
# Actions of the tasks' own scenarios, which have no controllers to correct.
OWN = [mode for mode, kind in MODES.items() if not kind.on_top]
ACTIONS = pytest.mark.parametrize("action", OWN)


def gait(amplitude: float, frequency: float, phase: float, offset: float) -> Any:
    """The action that asks for this gait, degrees."""
    values = zip((amplitude, frequency, phase, offset), GAIT.values(), strict=True)
    return np.array([2 * (v - low) / (high - low) - 1 for v, (low, high) in values])


@EACH
@ACTIONS
def test_gymnasiums_checker_finds_nothing(name: str, action: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(name, action=action).unwrapped, skip_render_check=True)


@EACH
def test_pictures_pass_the_checker_and_show_the_robot(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    matplotlib.use("Agg")
    env = gymnasium.make(name, render_mode="rgb_array")
    check_env(env.unwrapped)
    assert capsys.readouterr().err.count("there is no display to open a window on") == 1
    env.reset(seed=3)
    picture = env.render()
    assert isinstance(picture, np.ndarray)
    assert picture.shape == (360, 600, 3)
    middle = picture[150:210, 250:350].reshape(-1, 3)
    colours = [ImageColor.getrgb(colour) for colour in (OUTLINE, SLIPS, STICKS)]
    assert (middle[:, None] == colours).all(axis=2).sum() > 20


@EACH
@ACTIONS
def test_random_actions_stay_within_the_space(name: str, action: str) -> None:
    _live(name, action, seconds=10)


@pytest.mark.slow
@EACH
@ACTIONS
def test_random_actions_for_ten_minutes(name: str, action: str) -> None:
    _live(name, action, seconds=600)


def _live(name: str, action: str, seconds: float) -> None:
    env = gymnasium.make(name, action=action).unwrapped
    env.reset(seed=7)
    env.action_space.seed(7)
    for _ in range(round(seconds / 0.05)):
        seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert np.isfinite(seen).all()
        assert seen in env.observation_space
        parts = [value for key, value in info.items() if key.startswith("reward_")]
        assert reward == sum(parts)
        assert "failed" not in info, info["failed"]
        if terminated or truncated:
            env.reset()


@EACH
def test_the_same_seed_is_the_same_episode_to_the_bit(name: str) -> None:
    def episode(seed: int) -> list[Any]:
        env = gymnasium.make(name, randomise={"mass": 0.2, "friction": (0.5, 1.5)})
        seen = [np.append(env.reset(seed=seed)[0], robots_of(env).now.centre)]
        env.action_space.seed(1)
        for _ in range(20):
            now, reward, *_ = env.step(env.action_space.sample())
            seen.append(np.append(now, reward))
        return [*seen, np.append(env.reset()[0], robots_of(env).now.centre)]

    first, again, other = episode(4), episode(4), episode(5)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[1], other[1])
    # The next episode is another one.
    assert not np.array_equal(first[0], first[-1])


def test_a_serpenoid_wave_crawls_forward_and_follows_a_path() -> None:
    for name in ("Crawl-v0", "PathFollow-v0"):
        env = gymnasium.make(f"serpenoid/{name}", action="gait")
        env.reset(seed=1)
        parts = []
        for _ in range(200):
            *_, info = env.step(gait(35, 120, -60, 0))
            parts.append(info)
        if name == "Crawl-v0":
            assert sum(info["reward_forward"] for info in parts) * 0.05 > 1.5  # m in 10 s
        else:
            # The first waypoint is 1.1 m ahead and 0.25 m wide.
            assert max(info["reward_arrival"] for info in parts) == 5.0


def test_reward_terms_are_what_they_say() -> None:
    env = gymnasium.make("serpenoid/Crawl-v0", action="gait", weights={"ctrl": 2.0}).unwrapped
    env.reset(seed=2)
    for _ in range(30):
        before, work = robots_of(env).now.centre[0, 0], batch_of(env).energy()["actuator"][0]
        _, reward, _, _, info = env.step(gait(40, 150, -60, 0))
        after = robots_of(env).now.centre[0, 0]
        power = batch_of(env).energy()["actuator"][0] - work
        assert info["reward_forward"] == pytest.approx((after - before) / 0.05, abs=1e-12)
        cost = max(0.0, power) / 0.05 / (8 * 0.8 * 9.81)
        assert info["reward_ctrl"] == pytest.approx(-2.0 * cost, rel=1e-12, abs=1e-15)
        assert reward == info["reward_forward"] + info["reward_ctrl"]


def test_pushing_a_load_into_its_goal_ends_the_episode() -> None:
    env = gymnasium.make("serpenoid/Push-v0").unwrapped
    env.reset(seed=1)
    put_load_into_goal(env, aside=0.05)
    *_, terminated, truncated, info = env.step(np.zeros(7))
    assert terminated
    assert not truncated
    assert info["reward_arrival"] == 5.0


def test_joint_targets_and_torques_have_the_documented_scales() -> None:
    env = gymnasium.make("serpenoid/Crawl-v0").unwrapped
    env.reset(seed=1)
    for _ in range(40):
        env.step(np.full(7, 0.5) * [1, -1, 1, -1, 1, -1, 1])
    assert np.abs(robots_of(env).now.seen.joint_angle[0]) == pytest.approx(np.radians(30), abs=0.02)
    env = gymnasium.make("serpenoid/Crawl-v0", action="joint_torques").unwrapped
    env.reset(seed=1)
    env.step(np.linspace(-1, 2, 7))
    wanted = 3.0 * np.minimum(1.0, np.linspace(-1, 2, 7))
    assert batch_of(env).state(0).command[:, 2] == pytest.approx(wanted)


def test_randomisation_varies_what_it_names_and_nothing_else() -> None:
    options = {"mass": 0.2, "friction": (0.5, 1.5), "pegs": (0.5, 0.6)}
    env = gymnasium.make("serpenoid/PegField-v0", randomise=options).unwrapped
    masses, frictions, pegs = [], [], []
    for seed in range(20):
        env.reset(seed=seed)
        robot, world = robots_of(env).scenarios[0].built
        masses.append(robot.mass / 4.8)
        frictions.append(world.friction.along / 0.2)
        pegs.append(len(world.pegs) / 80)
    for factors, low, high in ((masses, 0.8, 1.2), (frictions, 0.5, 1.5), (pegs, 0.5, 0.6)):
        assert low <= min(factors) < max(factors) <= high
        assert max(factors) - min(factors) > 0.5 * (high - low)
    env = gymnasium.make("serpenoid/PegField-v0").unwrapped
    fields = set()
    for seed in range(3):
        env.reset(seed=seed)
        robot, world = robots_of(env).scenarios[0].built
        assert (robot.mass, len(world.pegs)) == (pytest.approx(4.8), 80)
        fields.add(world.pegs)
    assert len(fields) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"action": "joint_target"}, "did you mean 'joint_targets'"),
        ({"action": ["gait"]}, "action = ['gait'] is not known (did you mean 'gait'?); there are"),
        ({"action": None}, "action = None is not known; there are joint_targets, joint_torques"),
        ({"actoin": "gait"}, "has no 'actoin' (did you mean 'action'?)"),
        ({"randomise": {"mas": 0.1}}, "has no 'mas' (did you mean 'mass'?); it takes mass, fric"),
        ({"randomise": {"mass": 1.0}}, "randomise['mass'] = 1.0 is not allowed"),
        ({"randomise": {"mass": (0.0, 1.0)}}, "randomise['mass'] = [0.0, 1.0] is not allowed"),
        ({"randomise": {"friction": (2, 1)}}, "randomise['friction'] = [2, 1] is not allowed"),
        ({"randomise": {"mass": float("nan")}}, "randomise['mass'] = nan is not allowed"),
        ({"randomise": 0.1}, "randomise = 0.1 is not allowed: it must be a table"),
        ({"randomise": {"pegs": 0.1}}, "randomise has no 'pegs'; it takes mass, friction"),
        ({"weights": {"forwards": 1}}, "did you mean 'forward'"),
        ({"weights": {"ctrl": "no"}}, "weights['ctrl'] = 'no' is not allowed"),
        ({"weights": {"ctrl": 10**400}}, "is not allowed: it must be a number of at most 1e15"),
        ({"randomise": {"mass": 10**400}}, "is not allowed: it must be a spread from 0"),
        ({"weights": 2}, "weights = 2 is not allowed"),
        ({"control_period": 0.0205}, "control_period = 0.0205 is not allowed"),
        ({"control_period": -1}, "control_period = -1 is not allowed"),
        ({"render_mode": "rgb_arrays"}, "did you mean 'rgb_array'"),
        ({"render_mode": ["human"]}, "render_mode = ['human'] is not known"),
        (
            {"width": 100},
            "width = 100 is not allowed: it must be a whole number from 160 to 4096",
        ),
        (
            {"height": 5000},
            "height = 5000 is not allowed: it must be a whole number from 160 to 4096",
        ),
        ({"height": 300.5}, "height = 300.5 is not allowed: it must be a whole number from 160"),
        ({"widht": 300}, "the environment has no 'widht' (did you mean 'width'?); it takes"),
        ({"record": "yes"}, "record = 'yes' is not allowed: it must be True or False"),
        (
            {"action_scale": 0},
            "action_scale = 0 is not allowed: it must be a number above 0 and at most 1e6, degrees "
            "or N m",
        ),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(options: dict[str, Any], words: str) -> None:
    for make in (
        lambda: serpenoid.envs.SerpenoidEnv("Crawl-v0", **options),
        lambda: serpenoid.envs.SerpenoidVectorEnv("Crawl-v0", 2, **options),
    ):
        with pytest.raises(serpenoid.InvalidInput) as caught:
            make()
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (np.zeros(6), "action has the shape (6,); it must be (7,)"),
        (np.full(7, np.nan), "action[0] = nan is not allowed: it must be a finite number"),
        (["a"] * 7, "action is not allowed: it must be numbers of shape (7,)"),
        (None, "action is not allowed: it must be numbers of shape (7,)"),
        ([[0.0], 1.0], "action is not allowed: it must be numbers of shape (7,)"),
    ],
)
def test_wrong_actions_are_refused(action: Any, words: str) -> None:
    env = serpenoid.envs.SerpenoidEnv("Crawl-v0")
    with pytest.raises(serpenoid.InvalidInput, match="step is not allowed before reset"):
        env.step(np.zeros(7, np.float32))
    seen, _ = env.reset(seed=1)
    with pytest.raises(serpenoid.InvalidInput) as caught:
        env.step(action)
    assert str(caught.value) == words
    assert np.array_equal(robots_of(env).observation()[0], seen)


def test_unknown_tasks_and_reset_options() -> None:
    with pytest.raises(serpenoid.InvalidInput, match="did you mean 'Crawl-v0'"):
        serpenoid.envs.SerpenoidEnv("Crawl-v1")
    for task in (["a"], {}, None):
        with pytest.raises(
            serpenoid.InvalidInput, match=r"^task = .* is not known.*; there are Cr"
        ):
            serpenoid.envs.SerpenoidEnv(task)  # type: ignore[arg-type]
    env = serpenoid.envs.SerpenoidEnv("Crawl-v0")
    with pytest.raises(
        serpenoid.InvalidInput, match=r"^options = 5 is not allowed: it must be a t"
    ):
        env.reset(options=5)  # type: ignore[arg-type]
    for seed in (1.5, -1, "a", True, [1]):
        with pytest.raises(
            serpenoid.InvalidInput, match=r"^seed = .* must be a whole number, at l"
        ):
            env.reset(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(serpenoid.InvalidInput, match="reset has no option 'speed'; it takes none"):
        env.reset(options={"speed": 1})


@pytest.mark.parametrize("period", [0.05, 0.5, 2.0, 7])
def test_control_periods_of_any_kind_of_number(period: float) -> None:
    env = serpenoid.envs.SerpenoidEnv("Crawl-v0", control_period=np.float32(period))
    assert robots_of(env).period == period
    # Players divide by it.
    assert env.metadata["render_fps"] == max(1, round(1 / period))
    env.reset(seed=1)
    env.step(np.zeros(7))
    assert robots_of(env).now.seen.time[0] == pytest.approx(period)


@pytest.mark.parametrize("name", ["PegField-v0", "Push-v0"])
def test_what_is_varied_leaves_everything_else_as_it_is(name: str) -> None:
    keys = tuple(variable(TASKS[name].scenario(False)))

    def episodes(varied: tuple[str, ...]) -> list[dict[str, Any]]:
        env = gymnasium.make(
            f"serpenoid/{name}", randomise=dict.fromkeys(varied, (0.8, 1.2))
        ).unwrapped
        drawn = []
        # The second episode goes on with the random numbers of the first.
        for seed in (5, None):
            env.reset(seed=seed)
            robot, world = robots_of(env).scenarios[0].built
            friction: Any = world.friction
            load = world.loads[0] if world.loads else None
            drawn.append(
                {
                    "start": robots_of(env).scenarios[0].start,
                    "goals": robots_of(env).now.goals.tolist(),
                    "place": load and (load.x, load.y),
                    "mass": robot.mass,
                    "friction": load.friction if load else friction.along,
                    "load": load and load.mass,
                    "pegs": len(world.pegs),
                    "first pegs": world.pegs[:50],
                }
            )
        return drawn

    alone = {key: episodes((key,)) for key in keys}
    for none, *each in zip(
        episodes(()), episodes(keys), *(alone[key] for key in keys), strict=True
    ):
        for what in none:
            together, *others = (one[what] for one in each)
            if what in keys:
                # Drawn alone or with the others, it is the same.
                assert together == others[keys.index(what)] != none[what]
            else:
                assert [together, *others] == [none[what]] * (len(keys) + 1)


@pytest.mark.parametrize("action", ["joint_targets", "gait"])
def test_where_the_references_are_is_seen(action: str) -> None:
    """Where they go next depends on it, because they cannot jump."""
    env = gymnasium.make("serpenoid/Crawl-v0", action=action).unwrapped
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(20):
        seen, *_ = env.step(env.action_space.sample())
        angle, rate, _ = batch_of(env).state(0).command.T
        told = angle + 0.05 * rate
        assert seen[20:27] == pytest.approx(told, abs=1e-6)
    # The angles of the joints would not say it.
    assert np.abs(seen[:7] - seen[20:27]).max() > 0.01


@ACTIONS
def test_a_step_that_fails_leaves_the_whole_observation(action: str) -> None:
    env = gymnasium.make("serpenoid/Crawl-v0", action=action).unwrapped
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(3):
        before, *_ = env.step(env.action_space.sample())
    let_next_step_fail(env)
    seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["failed"].startswith("stopped at t = 0 s")
    assert np.array_equal(seen, before)


@ACTIONS
def test_a_command_that_is_refused_changes_nothing(
    action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = gymnasium.make("serpenoid/Crawl-v0", action=action).unwrapped
    seen, _ = env.reset(seed=1)

    def refuse(*_: Any, **__: Any) -> None:
        raise serpenoid.InvalidInput("no")

    monkeypatch.setattr(batch_of(env), "command", refuse)
    with pytest.raises(serpenoid.InvalidInput, match=r"^no$"):
        env.step(np.ones(env.action_space.shape))
    assert np.array_equal(robots_of(env).observation()[0], seen)


def test_weights_are_those_of_the_scenes_gravity() -> None:
    env = serpenoid.envs.SerpenoidEnv("Crawl-v0")
    task = robots_of(env).task

    def on_the_moon(*given: Any) -> Any:
        return task.draw(*given).changed({"world.gravity": 1.62})

    robots_of(env).task = dataclasses.replace(task, draw=on_the_moon)
    env.reset(seed=1)
    assert robots_of(env).now.weight[0] == pytest.approx(8 * 0.8 * 1.62)


def test_a_step_stopped_by_ctrl_c_has_to_be_followed_by_a_reset() -> None:
    env = serpenoid.envs.SerpenoidEnv("Crawl-v0", control_period=100_000.0)
    env.reset(seed=1)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    begin = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        env.step(np.ones(7))
    assert time.perf_counter() - begin < 5.0
    with pytest.raises(serpenoid.InvalidInput, match=r"^step is not allowed before reset"):
        env.step(np.ones(7))
    seen, _ = env.reset(seed=1)
    assert np.array_equal(seen, serpenoid.envs.SerpenoidEnv("Crawl-v0").reset(seed=1)[0])


@EACH
@ACTIONS
@pytest.mark.parametrize("way", ["deepcopy", "pickle"])
def test_a_copy_lives_on_as_the_original(name: str, action: str, way: str) -> None:
    env = gymnasium.make(name, action=action, randomise={"mass": 0.2})
    env.reset(seed=2)
    env.action_space.seed(2)
    for _ in range(3):
        env.step(env.action_space.sample())
    other = copy.deepcopy(env) if way == "deepcopy" else pickle.loads(pickle.dumps(env))
    assert batch_of(other) is not batch_of(env)
    for _ in range(3):
        chosen = env.action_space.sample()
        mine, its = env.step(chosen), other.step(chosen)
        assert np.array_equal(mine[0], its[0])
        assert mine[1:] == its[1:]
    assert np.array_equal(env.reset()[0], other.reset()[0])


def test_gymnasium_is_loaded_only_with_the_environments() -> None:
    check = (
        "import sys, serpenoid; assert 'gymnasium' not in sys.modules; import serpenoid.envs; "
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", check], check=True)
    assert gymnasium.make("serpenoid.envs:serpenoid/Crawl-v0").spec is not None


def test_without_gymnasium_a_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "serpenoid.envs")
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'serpenoid\[rl\]'"):
        importlib.import_module("serpenoid.envs")


def test_a_batch_takes_only_the_options_it_uses() -> None:
    with pytest.raises(serpenoid.InvalidInput, match=r"has no 'render_mode'.*, width, height$"):
        TaskBatch("Crawl-v0", 1, 1, {"render_mode": "human"})


def test_a_term_needs_a_docstring() -> None:
    with pytest.raises(TypeError, match="<lambda> needs a docstring"):
        term("m", 1.0)(lambda now: now.centre)
