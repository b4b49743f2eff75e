"""Vector environments of 256 robots beside Gymnasium's Swimmer and the same snake in MuJoCo.

All get random actions, which hold for a control period. A robot-step is one physics step of one
robot: 1 ms of ours and of the exported snake, 10 ms of Swimmer. Alone: python -m
benchmarks.vector_env
"""

from __future__ import annotations

import json
import math
import time as clock
from collections.abc import Callable

import gymnasium
import mujoco
import numpy as np
from mujoco import rollout

import serpenoid.envs
from serpenoid.engine.threads import as_threads
from serpenoid.export import mjcf

ROBOTS, PERIODS = 256, 20
# MuJoCo is slower, and gets so many robots; rates are per robot.
FEW = 16
TASKS = ("Crawl-v0", "PegField-v0")


def measure(rounds: int = 3) -> dict[str, float]:
    """Robot-steps per second, best of several rounds in which the contenders take turns."""
    contenders: dict[str, Callable[[], float]] = {"swimmer_sync": swimmer()}
    for task in TASKS:
        contenders |= {
            task: ours(task),
            f"{task}_mujoco_loop": mujoco_loop(task),
            f"{task}_mujoco_rollout": mujoco_rollout(task),
        }
    best = dict.fromkeys(contenders, 0.0)
    for _ in range(rounds):
        for name, run in contenders.items():
            best[name] = max(best[name], run())
    ratios = {
        f"{task}_times_mujoco_{way}": best[task] / best[f"{task}_mujoco_{way}"]
        for task in TASKS
        for way in ("loop", "rollout")
    }
    return {"robots": ROBOTS, "threads": as_threads(None), **best, **ratios}


def ours(task: str) -> Callable[[], float]:
    """The vector environment, observations and rewards included.

    In some steps a robot is set out anew, as often as episodes end.
    """
    env = serpenoid.envs.SerpenoidVectorEnv(task, ROBOTS)
    env.action_space.seed(1)
    env.reset(seed=1)
    ends = math.ceil(ROBOTS * PERIODS / env.task_batch.task.steps)

    def run() -> float:
        actions = [env.action_space.sample() for _ in range(PERIODS)]
        begin = clock.perf_counter()
        for k, action in enumerate(actions):
            env.step(action)
            if k < ends:
                env.reset(options={"reset_mask": np.arange(ROBOTS) == k})
        return ROBOTS * PERIODS * env.task_batch.steps / (clock.perf_counter() - begin)

    return run


def swimmer() -> Callable[[], float]:
    """Gymnasium's own way to run many of its MuJoCo robots: three links, a viscous medium."""
    env = gymnasium.make_vec("Swimmer-v5", FEW, vectorization_mode="sync")
    skip = env.get_attr("frame_skip")[0]  # type: ignore[attr-defined]
    env.action_space.seed(1)
    env.reset(seed=1)

    def run() -> float:
        actions = [env.action_space.sample() for _ in range(PERIODS)]
        begin = clock.perf_counter()
        for action in actions:
            env.step(action)
        return float(FEW * PERIODS * skip / (clock.perf_counter() - begin))

    return run


def models(task: str) -> tuple[list[mujoco.MjModel], np.ndarray]:
    """The same robots and worlds in MuJoCo, and what they are told in each period, rad."""
    env = serpenoid.envs.SerpenoidVectorEnv(task, FEW)
    env.reset(seed=1)
    joints = env.task_batch.action.joints
    # Random targets as the environment would command them: what they end at holds for the period.
    targets = np.random.default_rng(1).uniform(-1, 1, (FEW, PERIODS, joints))
    return (
        [mujoco.MjModel.from_xml_string(mjcf(each)) for each in env.task_batch.scenarios],
        math.radians(env.task_batch.task.joint_deg) * targets,
    )


def mujoco_loop(task: str) -> Callable[[], float]:
    """As Gymnasium's MuJoCo environments do it: a loop over robots, one compiled call for each."""
    made, targets = models(task)
    datas = [mujoco.MjData(model) for model in made]
    joints = targets.shape[2]

    def run() -> float:
        for model, data in zip(made, datas, strict=True):
            mujoco.mj_resetDataKeyframe(model, data, 0)
        begin = clock.perf_counter()
        for k in range(PERIODS):
            for model, data, told in zip(made, datas, targets, strict=True):
                data.ctrl[:joints] = told[k]
                mujoco.mj_step(model, data, nstep=50)
        return FEW * PERIODS * 50 / (clock.perf_counter() - begin)

    return run


def mujoco_rollout(task: str) -> Callable[[], float]:
    """MuJoCo's own way to step many: all controls known beforehand, all cores, one call."""
    made, targets = models(task)
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    states = []
    for model in made:
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        state = np.empty(mujoco.mj_stateSize(model, full))
        mujoco.mj_getState(model, data, state, full)
        states.append(state)
    told = np.zeros((FEW, PERIODS, made[0].nu))
    told[:, :, : targets.shape[2]] = targets
    control = np.repeat(told, 50, axis=1)
    datas = [mujoco.MjData(made[0]) for _ in range(as_threads(None))]

    def run() -> float:
        begin = clock.perf_counter()
        rollout.rollout(made, datas, np.array(states), control)
        return FEW * PERIODS * 50 / (clock.perf_counter() - begin)

    return run


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
