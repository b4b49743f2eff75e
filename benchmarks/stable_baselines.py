"""The environment for stable-baselines3 beside its own two ways to run many robots.

Each gets the same tasks, the same number of robots and the same random actions; a robot-step is one
control period of 0.05 s of one robot, episodes that end and begin anew included. Alone: python -m
benchmarks.stable_baselines
"""

from __future__ import annotations

import json
import time as clock
from importlib.util import find_spec
from typing import Any

import numpy as np

from serpenoid.engine.threads import as_threads

ROBOTS, PERIODS = 16, 20
TASKS = ("Crawl-v0", "PegField-v0")


def measure(rounds: int = 3) -> dict[str, Any]:
    """Robot-steps per second, best of several rounds in which the contenders take turns.

    Without stable-baselines3: the sentence that says so, as `skipped`.
    """
    if find_spec("stable_baselines3") is None:
        words = "stable-baselines3 is not installed: pip install stable-baselines3"
        return {"skipped": words}
    found: dict[str, Any] = {"robots": ROBOTS, "threads": as_threads(None)}
    for task in TASKS:
        contenders = made(task)
        best = dict.fromkeys(contenders, 0.0)
        for _ in range(rounds):
            for name, env in contenders.items():
                best[name] = max(best[name], rate(env))
        for env in contenders.values():
            env.close()
        found[task] = best
    return found


def made(task: str) -> dict[str, Any]:
    """Environments of the same robots: ours, and those of `make_vec_env`."""
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor

    from serpenoid.envs.stable_baselines import SerpenoidVecEnv

    def theirs(kind: type[DummyVecEnv | SubprocVecEnv]) -> Any:
        # One that draws nothing, as ours.
        options = {"render_mode": None}
        name = f"serpenoid.envs:serpenoid/{task}"
        return make_vec_env(name, ROBOTS, seed=1, env_kwargs=options, vec_env_cls=kind)

    ours = VecMonitor(SerpenoidVecEnv(task, ROBOTS))
    ours.seed(1)
    envs = {"ours": ours, "dummy": theirs(DummyVecEnv), "subproc": theirs(SubprocVecEnv)}
    for env in envs.values():
        env.reset()
    return envs


def rate(env: Any) -> float:
    """Robot-steps per second of random actions."""
    shape = (PERIODS, ROBOTS, *env.action_space.shape)
    actions = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
    begin = clock.perf_counter()
    for action in actions:
        env.step(action)
    return ROBOTS * PERIODS / (clock.perf_counter() - begin)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
