"""The example that learns: its search works, repeats itself, and beats what it began with."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from examples import learn_pegs


def test_cma_es_finds_the_bottom_of_a_skewed_bowl() -> None:
    # Axes whose curvatures differ by 1e4, turned: only an adapted covariance gets there in time.
    random = np.random.default_rng(5)
    turn = np.linalg.qr(random.standard_normal((8, 8)))[0]
    bottom = random.uniform(-1, 1, 8)
    search = learn_pegs.cma_es(np.zeros(8), 12, 0.3, random)
    mean, asked = next(search)
    for _ in range(300):
        values = -(((asked - bottom) @ turn) ** 2 @ np.logspace(0, 4, 8))
        mean, asked = search.send(values)
    assert np.abs(mean - bottom).max() < 1e-6


@pytest.mark.parametrize("seed", [0, 1])
def test_the_search_learns_to_crawl(seed: int) -> None:
    """A tiny problem: four numbers, the parameters of a gait that holds for 3 s on the flat."""

    def returns(gaits: Any) -> Any:
        envs = gymnasium.make_vec("serpenoid.envs:serpenoid/Crawl-v0", len(gaits), action="gait")
        envs.reset(seed=[1] * len(gaits))
        return sum(envs.step(np.clip(gaits, -1, 1))[1] for _ in range(60))

    search = learn_pegs.cma_es(np.zeros(4), 8, 0.3, np.random.default_rng(seed))
    mean, asked = next(search)
    for _ in range(12):
        mean, asked = search.send(returns(asked))
    # All joints in step get nowhere; 0.3 m/s is fast for this robot.
    zero, learnt = returns(np.vstack([np.zeros(4), mean])) / 60
    assert abs(zero) < 0.05
    assert learnt > 0.3


def test_the_policy_does_the_same_in_a_mirror() -> None:
    random = np.random.default_rng(1)
    weights, seen = random.normal(0, 0.3, (5, 4, 4)), random.normal(0, 0.3, (5, 69))
    mirrored = seen.copy()
    # Sine of the heading, velocity across, spin, distance from the axis, contact forces across.
    mirrored[:, [23, 25, 26, 27, *range(29, 52, 2)]] *= -1
    pace = random.normal(0, 0.1, 5)
    left, right = (learn_pegs.act(weights, each, pace) for each in (seen, mirrored))
    assert np.array_equal(left[:, :3], right[:, :3])
    assert np.array_equal(left[:, 3], -right[:, 3])
    assert (np.abs(left[:, 3]) > 0).all()


def test_a_search_repeats_itself() -> None:
    budget = {"seed": 1, "generations": 3, "candidates": 8, "fields": 2, "steps": 60}
    weights, returns, progress = learn_pegs.learn(**budget)
    again = learn_pegs.learn(**budget)
    assert np.array_equal(weights, again[0])
    assert np.array_equal(returns, again[1])
    assert np.array_equal(progress, again[2])
    budget["seed"] = 2
    assert not np.array_equal(weights, learn_pegs.learn(**budget)[0])


@pytest.mark.slow
def test_it_beats_zero_action_and_gait_by_hand_within_three_minutes(tmp_path: Path) -> None:
    # Once compiled. Processor time over two cores, so that what else runs here does not count.
    learn_pegs.episodes(np.zeros((2, 4, 4)), [1, 2], 1)
    began = time.process_time()
    result = learn_pegs.main(tmp_path / "out")
    assert (time.process_time() - began) / min(2, os.cpu_count() or 1) < 180
    learnt = result["learnt"]
    for name, more in (("zero action", 1.0), ("gait by hand", 0.0)):
        other = result[name]
        error = np.hypot(other["standard_error"], learnt["standard_error"])
        assert learnt["progress"] > other["progress"] + max(more, 2 * error)
        assert learnt["through"] > other["through"] + 0.2
    assert json.loads((tmp_path / "out" / "learn_pegs.json").read_text()) == result
    assert (tmp_path / "out" / "learn_pegs.png").stat().st_size > 10_000
