"""1,024 gaits of Aiko on the pegs, 5 s each at 1 ms, in one call: on all cores, and beside MuJoCo.

Alone: python -m benchmarks.batch
"""

from __future__ import annotations

import dataclasses
import json
import time as clock

import numpy as np

import serpenoid as sp
from serpenoid.engine.threads import as_threads
from tests.peers import mujoco_peer
from tests.peers.track import AIKO

ROBOTS, DURATION = 1024, 5.0
# MuJoCo is slower, and gets every 64th of these robots; its time is scaled up.
PART = 64


def gaits(robots: int) -> dict[str, list[float]]:
    """Amplitudes and frequencies around the paper's, in a random order."""
    random = np.random.default_rng(1)
    return {
        "controller.amplitude_deg": random.uniform(-41.0, -36.0, robots).tolist(),
        "controller.frequency_deg": random.uniform(60.0, 100.0, robots).tolist(),
    }


def measure(robots: int = ROBOTS, rounds: int = 3) -> dict[str, float]:
    """Medians of several rounds, in which the contenders take turns.

    Ratios are those of a round: the clock of a machine drifts by more than what is looked for.
    """
    changes = {"clock.duration": DURATION, "record.period": 0.05}
    base, parameters = sp.Scenario.load("aiko_pegs", changes), gaits(robots)
    threads = as_threads(None)
    tracks = [
        dataclasses.replace(AIKO, amplitude=np.radians(-amplitude), frequency=np.radians(frequency))
        for amplitude, frequency in list(zip(*parameters.values(), strict=True))[::PART]
    ]
    sp.simulate_batch([base])
    seconds: dict[str, list[float]] = {"all": [], "one": [], "mujoco": []}
    for _ in range(rounds):
        for name, count in (("all", threads), ("one", 1)):
            begin = clock.perf_counter()
            runs = sp.simulate_batch(base, parameters, threads=count)
            seconds[name].append(clock.perf_counter() - begin)
            assert not runs.errors
            del runs
        peer = mujoco_peer.seconds_for_many(tracks, threads, duration=DURATION)
        seconds["mujoco"].append(peer * robots / len(tracks))
    total, ours = robots * DURATION, np.array(seconds["all"])
    return {
        "robots": robots,
        "threads": threads,
        "robot_seconds_per_s": total / float(np.median(ours)),
        "times_one_thread": float(np.median(seconds["one"] / ours)),
        "mujoco_robots": len(tracks),
        "mujoco_robot_seconds_per_s": total / float(np.median(seconds["mujoco"])),
        "times_mujoco": float(np.median(seconds["mujoco"] / ours)),
        "us_per_call": 1e6 * _call(base),
    }


def _call(base: sp.Scenario, calls: int = 2000) -> float:
    """What a call costs that takes one step with one robot, s; least of several rounds."""
    batch = sp.Batch([base], threads=1)
    times = []
    for _ in range(5):
        begin = clock.perf_counter()
        for _ in range(calls):
            batch.step()
        times.append((clock.perf_counter() - begin) / calls)
    return min(times)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
