"""Tasks in scenarios of one's own: what they take from them, and what does not fit."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import serpenoid as sp
from serpenoid.analysis.metrics import METRICS
from serpenoid.envs import SerpenoidEnv, SerpenoidVectorEnv
from serpenoid.envs.tasks import TASKS
from serpenoid.scenario.scenario import gallery
from serpenoid.studies.sampling import Parameter
from serpenoid.studies.study import Study
from serpenoid.studies.sweep_runner import sweep
from tests.engine import test_own_controllers as own
from tests.envs.inside import batch_of, robots_of

AIKO = sp.Scenario.load("aiko_flat")
PUSHER = sp.Scenario.load("push_box")


def lived(env: Any, steps: int = 6, seed: int = 3) -> list[Any]:
    """What an environment says in some steps of random actions, from a seed on."""
    said = [env.reset(seed=seed)[0]]
    random = np.random.default_rng(seed)
    for _ in range(steps):
        seen, reward, *_ = env.step(random.uniform(-1, 1, env.action_space.shape))
        said.append(np.append(seen, reward))
    return said


class Bent:
    """Commands the same angle at all joints."""

    period = 0.05

    def reset(self, *_: Any) -> None:
        """Nothing is remembered."""

    def command(self, seen: sp.Observation) -> np.ndarray:
        return np.full(len(seen.joint_angle), 0.1)


BENT = sp.PythonController(source=f"{__file__}:Bent")


def test_a_controller_in_python_is_corrected() -> None:
    scenario = replace(AIKO, controller=BENT)
    env = SerpenoidEnv("Crawl-v0", scenario=scenario, action="residual", record=True)
    env.reset(seed=1)
    for _ in range(5):
        env.step(np.ones(10))
    reference = env.trajectory().columns["joint_reference"][-1]
    np.testing.assert_allclose(reference, 0.1 + np.radians(15.0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("added", [False, True])
def test_a_robot_starts_as_its_controller_in_python_commands(added: bool) -> None:
    wave = sp.Serpenoid(20, 90, 40)
    scenario = replace(AIKO, controller=wave + BENT if added else BENT)
    env = SerpenoidEnv("Crawl-v0", scenario=scenario, action="gait", record=True)
    env.reset(seed=1)
    env.step(np.zeros(4))
    began = env.trajectory().columns["joint_angle"][0]
    run = scenario.run(duration=0.1).columns["joint_angle"][0]
    np.testing.assert_allclose(began, run, rtol=0, atol=1e-12)


def test_a_file_that_names_code_does_not_run_it_unasked(tmp_path: Path) -> None:
    file = tmp_path / "bent.toml"
    replace(AIKO, controller=BENT).dump(file)
    with pytest.raises(sp.InvalidInput, match="is Python code, which runs only if that is allowed"):
        SerpenoidEnv("Crawl-v0", scenario=file, action="gait")


@pytest.mark.parametrize("name", list(TASKS))
def test_a_task_in_its_own_scenario_is_the_task(name: str) -> None:
    """Given by hand, but for what the task draws for each episode."""
    env = SerpenoidEnv(name)
    own = robots_of(env).fitted.scenario
    other = SerpenoidEnv(name, scenario=own)
    assert robots_of(other).fitted.scenario == own
    assert (other.observation_space, other.action_space) == (
        env.observation_space,
        env.action_space,
    )
    assert SerpenoidEnv(name, robot=own.robot, world=own.built[1]).observation_space is not None


@pytest.mark.parametrize("kind", ["path", "text", "gallery", "object"])
def test_a_file_a_name_and_a_scenario_are_the_same(kind: str, tmp_path: Path) -> None:
    path = PUSHER.dump(tmp_path / "mine.toml")
    given = {"path": path, "text": str(path), "gallery": "push_box", "object": PUSHER}[kind]
    env = gymnasium.make("serpenoid/Push-v0", scenario=given).unwrapped
    path.unlink()
    assert lived(copy.deepcopy(env))[1] is not None
    for one, two in zip(lived(env), lived(SerpenoidEnv("Push-v0", scenario=PUSHER)), strict=True):
        assert np.array_equal(one, two)


def test_robot_world_start_and_clock_are_those_of_the_scenario() -> None:
    changes = {"clock.time_step": 0.002, "start.x": 0.1, "start.heading_deg": 120, "robot.links": 6}
    mine = sp.Scenario.load("wheeled_snake", changes)
    env = SerpenoidEnv("PathFollow-v0", scenario=mine)
    env.reset(seed=1)
    begun = robots_of(env).scenarios[0]
    assert begun.built == mine.built
    assert (begun.clock, begun.solver) == (mine.clock, mine.solver)
    assert robots_of(env).steps == 25
    # The gait is not in charge, but the robot starts in its shape.
    assert begun.controller is None
    assert mine.controller is not None
    state = batch_of(env).state(0)
    assert np.diff(state.theta) == pytest.approx(mine.controller.angles(5), abs=1e-12)  # type: ignore[attr-defined]
    assert np.mean(state.theta) == pytest.approx(np.radians(120))
    # Goals are ahead of where it starts: straight on, 1.1 m at most.
    first = robots_of(env).now.goals[0, 0] - (0.1, 0.0)
    assert np.degrees(np.arctan2(first[1], first[0])) == pytest.approx(120, abs=45)
    assert 0.8 < np.hypot(*first) <= 1.1


def test_all_robots_of_a_vector_are_single_ones_in_the_scenario() -> None:
    options: Any = {
        "scenario": "push_box",
        "action": "gait",
        "randomise": {"mass": 0.2, "friction": (0.5, 1.5), "load": 0.3},
        "weights": {"ctrl": 2.0},
    }
    vector = SerpenoidVectorEnv("Push-v0", 3, **options)
    singles = [SerpenoidEnv("Push-v0", **options) for _ in range(3)]
    seen, _ = vector.reset(seed=5)
    for b, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=5 + b)[0], seen[b])
    actions = np.random.default_rng(1).uniform(-1, 1, (4, 3, 4)).astype(np.float32)
    for action in actions:
        seen, reward, *_ = vector.step(action)
        for b, env in enumerate(singles):
            mine = env.step(action[b])
            assert np.array_equal(mine[0], seen[b])
            assert mine[1] == reward[b]


def test_the_same_seed_is_the_same_episode_and_another_is_another() -> None:
    def episode(seed: int) -> list[Any]:
        return lived(SerpenoidEnv("Push-v0", scenario=PUSHER), seed=seed)

    first, again, other = episode(1), episode(1), episode(2)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_what_is_randomised_is_found_in_the_scenario() -> None:
    laws = sp.Coulomb(0.2) + sp.SpinCoulomb(mu=0.3, arm=0.03)
    mine = sp.Scenario.load("random_pegs", {"world.field.count": 20, "robot.links": 6})
    patch = sp.Patch(x=0, y=0, width=1, height=1, friction=sp.Viscous(along=1, across=2))
    world = replace(mine.world, patches=(patch,))
    mine = replace(mine, friction=laws, world=world)
    ranges = {"mass": (2, 2), "friction": (0.5, 0.5), "pegs": (0.5, 0.5)}
    env = SerpenoidEnv("PegField-v0", scenario=mine, randomise=ranges)
    env.reset(seed=1)
    robot, place = robots_of(env).scenarios[0].built
    assert robot.mass == pytest.approx(2 * mine.built[0].mass)
    assert place.friction == sp.Coulomb(0.1) + sp.SpinCoulomb(mu=0.15, arm=0.03)
    assert place.patches[0].friction == sp.Viscous(along=0.5, across=1)
    assert len(place.pegs) == 10
    # Fields are other ones in each episode where pegs are varied, and only there.
    env.reset(seed=2)
    assert robots_of(env).scenarios[0].built[1].pegs != place.pegs
    same = SerpenoidEnv("PegField-v0", scenario=mine)
    for seed in (1, 2):
        same.reset(seed=seed)
        assert robots_of(same).scenarios[0].built[1].pegs == mine.built[1].pegs
    profile = SerpenoidEnv("Stairs-v0", scenario="pedal_wave", randomise={"friction": (2, 2)})
    profile.reset(seed=1)
    assert robots_of(profile).scenarios[0].world.terrain.friction == (1.64, 0.80)


def test_the_terrain_ahead_is_that_of_the_scenario() -> None:
    env = SerpenoidEnv("Stairs-v0", scenario="stairs")
    seen, _ = env.reset(seed=1)
    names = [term.name for term in robots_of(env).terms]
    place = sum(robots_of(env).sizes[: names.index("terrain")])
    head = batch_of(env).observe().x[0, -1], batch_of(env).observe().y[0, -1]
    terrain = robots_of(env).scenarios[0].world.terrain
    ahead = terrain.level(head[0] + 0.08 * np.arange(8)) - head[1]
    assert seen[place : place + 8] == pytest.approx(ahead, abs=1e-6)
    assert np.ptp(ahead) > 0.05


def test_a_robot_or_a_world_alone_take_the_place_of_the_tasks_own() -> None:
    robot = sp.Robot.uniform(5, length=0.1, mass=0.3, radius=0.02, actuator=sp.Servo(10.0, 0.5))
    env = SerpenoidEnv("Crawl-v0", robot=robot)
    starts = [env.reset(seed=seed)[0] for seed in (1, 2)]
    assert robots_of(env).scenarios[0].built[0] == robot
    # The task's start is drawn for it, and its ground is as it was.
    assert not np.array_equal(*starts)
    assert robots_of(env).scenarios[0].friction == sp.OrthotropicCoulomb(along=0.05, across=0.5)
    assert SerpenoidEnv("Crawl-v0", robot="aiko").action_space.shape == (10,)
    world = sp.World(sp.Viscous(along=0.3, across=3.0), pegs=(sp.Peg(2.0, 0.0, 0.1),))
    other = SerpenoidEnv("PegField-v0", world=world)
    other.reset(seed=1)
    assert robots_of(other).scenarios[0].built[1] == world


def test_the_scale_of_actions_can_be_chosen() -> None:
    env = SerpenoidEnv("Crawl-v0", action_scale=30)
    env.reset(seed=1)
    for _ in range(20):
        env.step(np.ones(7))
    assert batch_of(env).state(0).command[:, 0] == pytest.approx([np.radians(30)] * 7)


@pytest.mark.parametrize("name", ["aiko_pegs", "waypoints", "stairs"])
def test_corrections_of_0_are_the_run_of_the_scenario_to_the_bit(name: str) -> None:
    scenario = sp.Scenario.load(name)
    task = "Stairs-v0" if name == "stairs" else "Crawl-v0"
    env = SerpenoidEnv(task, scenario=name, action="residual", record=True)
    env.reset(seed=1)
    zero = np.zeros(env.action_space.shape)
    for _ in range(8):
        env.step(zero)
    mine, run = env.trajectory(), scenario.run(duration=0.4)
    assert mine.columns.keys() == run.columns.keys()
    for key, column in run.columns.items():
        assert np.array_equal(mine.columns[key], column), key
    # Others are added to the references, 15 degrees if not told otherwise.
    for _ in range(2):
        seen, *_ = env.step(zero + 1)
    assert seen[robots_of(env).sizes[0] * -1 :] == pytest.approx(np.radians(15), abs=1e-6)
    changed, longer = env.trajectory(), scenario.run(duration=0.5)
    if name == "aiko_pegs":
        more = changed.columns["joint_reference"][-1] - longer.columns["joint_reference"][-1]
        assert more == pytest.approx(np.radians(15), abs=1e-9)
    assert not np.array_equal(changed.columns["x"], longer.columns["x"])


def test_an_own_controller_gives_the_same_numbers_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that remembers what pushed it: in a run, an environment, a batch, a file and a sweep."""
    scenario = own.SCENARIO.changed({"clock.duration": 0.4})
    run = scenario.run()
    push = run.columns["contact_force"]
    assert np.abs(push[:-10]).max() > 1
    # It starts in the shape that it commands, and is asked at ticks which no action meets.
    assert run.columns["joint_angle"][0].any()
    assert not (0.05 / scenario.controller.make().controller.period).is_integer()  # type: ignore[union-attr]

    env = SerpenoidEnv("Crawl-v0", scenario=scenario, action="residual", record=True)
    for _ in range(2):
        env.reset(seed=1)
        for _ in range(8):
            env.step(np.zeros(env.action_space.shape))
        mine = env.trajectory()
        assert mine.columns.keys() == run.columns.keys()
        for key, column in run.columns.items():
            assert np.array_equal(mine.columns[key], column), key
    vector = SerpenoidVectorEnv("Crawl-v0", 2, scenario=scenario, action="residual")
    vector.reset(seed=1)
    for _ in range(8):
        vector.step(np.zeros(vector.action_space.shape))
    for b in range(2):
        assert np.array_equal(batch_of(vector).state(b).theta, run.state.theta)

    monkeypatch.chdir(tmp_path)
    scenario.dump("mine.toml")
    loaded = sp.Scenario.load("mine.toml", allow_code=True)
    many = sp.simulate_batch(loaded, {"controller.parameters.gain": [0.002, 0.01]})
    for again in (loaded.run(), many[0]):
        assert again.state == run.state
        for key, column in run.columns.items():
            assert np.array_equal(again.columns[key], column), key
    batch = sp.Batch([loaded])
    batch.step(400)
    assert batch.state(0) == run.state
    names = ("mean_speed", "peak_torque")
    gains = Parameter(values=[0.002, 0.01])
    study = Study(
        base="mine.toml",
        parameters={"controller.parameters.gain": gains},
        metrics=names,
        allow_code=True,
    )
    table = sweep(study, "out", workers=2)
    assert table["mean_speed"].nunique() == 2
    for name in names:
        assert table[name].tolist() == [METRICS[name].measure(each) for each in many]


FREE = sp.Robot.uniform(3, length=0.1, mass=0.3, radius=0.02, actuator=sp.Free())
SINGLE = sp.Robot.uniform(1, length=0.1, mass=0.3, radius=0.02)


@pytest.mark.parametrize(
    ("task", "options", "words"),
    [
        (
            "Push-v0",
            {"scenario": "aiko_flat"},
            "scenario 'aiko_flat' does not fit Push-v0: the task needs a load to push "
            "(world.loads)",
        ),
        (
            "Push-v0",
            {"world": sp.World()},
            "world does not fit Push-v0: the task needs a load to push (world.loads)",
        ),
        (
            "Stairs-v0",
            {"scenario": sp.Scenario.load("aiko_flat")},
            "scenario does not fit Stairs-v0: the task needs a vertical plane with terrain "
            "(world.plane, world.terrain)",
        ),
        (
            "PegField-v0",
            {"scenario": "eel"},
            "scenario 'eel' does not fit PegField-v0: the task needs something fixed to push "
            "against (world.pegs, world.walls or world.field)",
        ),
        (
            "PathFollow-v0",
            {"scenario": "stairs"},
            "scenario 'stairs' does not fit PathFollow-v0: the task needs a horizontal plane "
            "(world.plane)",
        ),
        (
            "Crawl-v0",
            {"robot": SINGLE},
            "robot does not fit Crawl-v0: the robot has a single link, and the task needs joints",
        ),
        (
            "Crawl-v0",
            {"robot": FREE},
            "robot does not fit Crawl-v0: all joints are free, and no action moves them",
        ),
        (
            "Crawl-v0",
            {"scenario": "wheeled_snake", "action": "joint_torques"},
            "scenario 'wheeled_snake' does not fit Crawl-v0: joint 0 has Servo with kp = 20, and "
            "this action needs Torque, or a servo or series-elastic motor with kp = 0",
        ),
        (
            "Crawl-v0",
            {"scenario": "push_disc", "action": "gait"},
            "scenario 'push_disc' does not fit Crawl-v0: joint 0 has Torque, and this action needs "
            "Prescribed, or a servo or series-elastic motor with kp above 0",
        ),
        (
            "Crawl-v0",
            {"action": "residual"},
            "action = 'residual' is not allowed without scenario: the task's own scenario has no "
            "controller to correct",
        ),
        (
            "Crawl-v0",
            {
                "scenario": replace(AIKO, controller=AIKO.controller + BENT),
                "action": "residual",
            },
            "scenario does not fit Crawl-v0: action 'residual' cannot correct a controller with "
            "parts in Python beside compiled ones; take a controller that is all of one kind",
        ),
        (
            "Crawl-v0",
            {"scenario": replace(PUSHER, controller=None), "action": "residual"},
            "scenario does not fit Crawl-v0: action 'residual' needs a controller to correct, and "
            "there is none",
        ),
        (
            "PegField-v0",
            {"scenario": sp.Scenario.load("random_pegs", {"start.x": 5.0})},
            "scenario does not fit PegField-v0: an episode would end at its start, where the "
            "centre is beyond x = 2.2 m",
        ),
        (
            "Crawl-v0",
            {"world": sp.World(pegs=(sp.Peg(0.0, 0.0, 0.1),))},
            "world does not fit Crawl-v0: world.pegs[0] at (0, 0) m overlaps link 4 by 100 mm at "
            "the start",
        ),
        (
            "Crawl-v0",
            {"scenario": sp.Scenario.load("aiko_flat", {"solver.kind": "prox"})},
            "scenario does not fit Crawl-v0: solver 'prox' is not allowed in a batch, which takes "
            "'newton'",
        ),
        (
            "Crawl-v0",
            {
                "scenario": sp.Scenario.load(
                    "aiko_flat", {"clock.time_step": 0.004, "record.period": 0.1}
                )
            },
            "control_period = 0.05 is not allowed: it must be a whole multiple of "
            "clock.time_step, 0.004 s",
        ),
        (
            "Crawl-v0",
            {"scenario": sp.Scenario.load("adaptive_path_following"), "record": True},
            "control_period = 0.05 is not allowed with record=True: it must be a whole multiple of "
            "the scenario's record.period, 0.1 s; make the environment with control_period=0.1, "
            "or set record.period = 0.05 in the scenario",
        ),
        (
            "Crawl-v0",
            {"scenario": "aiko_flatt"},
            "scenario 'aiko_flatt' is neither a file nor in the gallery (did you mean "
            "'aiko_flat'?); there are",
        ),
        (
            "Crawl-v0",
            {"scenario": 3},
            "scenario = 3 is not allowed: it must be a Scenario, a file or a name of the gallery",
        ),
        (
            "Crawl-v0",
            {"robot": "aikoo"},
            "robot = 'aikoo' is not known (did you mean 'aiko'?); there are",
        ),
        (
            "Crawl-v0",
            {"robot": 7},
            "robot = 7 is not allowed: it must be a serpenoid Robot or a name, aiko",
        ),
        (
            "Crawl-v0",
            {"world": 7},
            "world = 7 is not allowed: it must be a serpenoid World",
        ),
        (
            "Crawl-v0",
            {"scenario": "aiko_flat", "randomise": {"pegs": 0.1}},
            "randomise has no 'pegs'; it takes mass, friction",
        ),
        (
            "Crawl-v0",
            {"scenario": replace(PUSHER, continued=True)},
            "scenario is not allowed: it continues an earlier run, and cannot hold where that "
            "ended",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(
    task: str, options: dict[str, Any], words: str
) -> None:
    for make in (
        lambda: SerpenoidEnv(task, **options),
        lambda: SerpenoidVectorEnv(task, 2, **options),
    ):
        with pytest.raises(sp.InvalidInput) as caught:
            make()
        assert str(caught.value).startswith(words)
        assert "\n" not in str(caught.value)


def test_every_scenario_of_the_gallery_is_taken_or_refused_in_one_sentence() -> None:
    taken, refused = [], []
    for name in gallery():
        for task in TASKS:
            try:
                SerpenoidEnv(task, scenario=name).reset(seed=1)
                taken.append((task, name))
            except sp.InvalidInput as error:
                refused.append((f"scenario {name!r} does not fit {task}: ", str(error)))
    assert all(words.startswith(begin) for begin, words in refused)
    assert len({name for _, name in taken}) == len(gallery()) - 1  # one is driven by torques
    assert ("Push-v0", "push_box") in taken


def test_pictures_of_an_own_controller() -> None:
    """Along a path, the picture is kept by scenario; parameters are a table."""
    mine = replace(own.SCENARIO, friction=sp.Coulomb(0.2))
    env: Any = gymnasium.make(
        "serpenoid/PathFollow-v0",
        scenario=mine,
        action="residual",
        render_mode="rgb_array",
        width=160,
        height=160,
    )
    env.reset(seed=1)
    assert np.ptp(env.render()) > 0
    env.close()
