"""What it costs to be right: Aiko on its pegs, each engine at its own best time step.

    python -m benchmarks.work_precision             measure, about two minutes alone
    python -m benchmarks.work_precision --draw      draw again what was measured

Writes work_precision.json, .svg and .md (tables) to docs/_static, for the page Benchmarks.

Every contender simulates the same 9 s with many time steps, and the peers with several numbers of
iterations as well. Its cost is the wall time of the stepping alone, its error the largest distance
of the middle link's centre from the reference, at all multiples of 40 ms. The reference is the
limit of small time steps: our step at 0.05 ms. `agreement` says how far others end up from it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import serpenoid as sp
from benchmarks.peers import aiko_on_pegs
from benchmarks.work_precision_report import draw, tables
from serpenoid import plots
from tests.peers import mujoco_peer, pymunk_peer
from tests.peers.track import PeerRun

OUTPUT = Path(__file__).parents[1] / "docs" / "_static" / "work_precision"
DURATION, SAMPLE = 9.0, 0.04
# They divide the time between samples.
STEPS_MS = (0.25, 0.5, 0.8, 1.0, 1.25, 1.6, 2.0, 2.5, 4.0, 5.0, 8.0, 10.0)
TOLERANCES_MM = (5.0, 2.0, 1.0)
# A robot that is farther off has lost the track.
LOST_MM = 50.0

OURS, ELLIPTIC, FAST, PYMUNK = (
    "serpenoid",
    "MuJoCo, elliptic Newton",
    "MuJoCo, fastest settings",
    "pymunk",
)


@dataclass(frozen=True)
class Setting:
    """A contender with a time step (s), and with what else is chosen, in words."""

    contender: str
    time_step: float
    words: str
    run: Callable[[], PeerRun]


@dataclass(frozen=True)
class Point:
    """What a setting costs (ms of wall time per simulated second), and how far off it is (mm)."""

    contender: str
    setting: str
    cost_ms: float
    error_mm: float
    from_mujoco_mm: float


def ours(time_step: float, solver: sp.Prox | None = None) -> PeerRun:
    """Our run as the peers report theirs."""
    robot, world, gait, start = aiko_on_pegs()
    run = sp.simulate(
        robot,
        world,
        gait,
        DURATION,
        start=start,
        time_step=time_step,
        record_period=SAMPLE,
        solver=solver or sp.Newton(),
    )
    x, y, theta = (run.columns[name] for name in ("x", "y", "theta"))
    return PeerRun(run.time, x, y, theta, 1e6 * run.stepping_seconds * time_step / DURATION)


def mujoco(options: mujoco_peer.MujocoOptions, time_step: float) -> PeerRun:
    """A MuJoCo setting, carried to a time step."""
    carried = mujoco_peer.at_time_step(options, time_step)
    return mujoco_peer.simulate(options=carried, duration=DURATION, sample=SAMPLE)


def pymunk(sweeps: int, time_step: float) -> PeerRun:
    """Chipmunk with some sweeps over all constraints in every step."""
    options = pymunk_peer.PymunkOptions(time_step, sweeps)
    return pymunk_peer.simulate(options=options, duration=DURATION, sample=SAMPLE)


def settings() -> Iterator[Setting]:
    """All that is measured."""
    for ms in STEPS_MS:
        step, words = ms / 1e3, f"{ms:g} ms"
        yield Setting(OURS, step, words, partial(ours, step))
        elliptic = partial(mujoco, mujoco_peer.ELLIPTIC_NEWTON, step)
        yield Setting(ELLIPTIC, step, words, elliptic)
        for count in (1, 2, 4):
            fast = partial(mujoco, replace(mujoco_peer.FASTEST, iterations=count), step)
            yield Setting(FAST, step, f"{words}, {_counted(count, 'iteration')}", fast)
        for count in (3, 5, 7, 10, 20):
            swept = partial(pymunk, count, step)
            yield Setting(PYMUNK, step, f"{words}, {_counted(count, 'sweep')}", swept)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count > 1)}"


def measure(rounds: int = 3) -> list[Point]:
    """Best cost of several rounds, in which the contenders take turns.

    Settings that lose the track are left out after the first round.
    """
    reference, finest = ours(5e-5), mujoco(mujoco_peer.ELLIPTIC_NEWTON, 1e-4)
    points: dict[Setting, Point] = {}
    for setting in settings():
        run = setting.run()
        error, other = 1e3 * run.distance(reference), 1e3 * run.distance(finest)
        if error <= LOST_MM:
            cost = _cost_ms(setting, run)
            points[setting] = Point(setting.contender, setting.words, cost, error, other)
    for _ in range(1, rounds):
        for setting, point in points.items():
            cost = min(point.cost_ms, _cost_ms(setting, setting.run()))
            points[setting] = replace(point, cost_ms=cost)
    return list(points.values())


def _cost_ms(setting: Setting, run: PeerRun) -> float:
    return run.microseconds_per_step / setting.time_step / 1e3


def best(points: Sequence[Point], error: str = "error_mm") -> list[dict[str, Any]]:
    """The cheapest setting of each contender within each tolerance, and its cost over ours."""
    rows = []
    for tolerance in TOLERANCES_MM:
        fine = [point for point in points if getattr(point, error) <= tolerance]
        # The dearest first, so that the cheapest of each contender stays.
        fine.sort(key=lambda point: -point.cost_ms)
        cheapest = {point.contender: point for point in fine}
        for name in (OURS, ELLIPTIC, FAST, PYMUNK):
            if name in cheapest:
                times = cheapest[name].cost_ms / cheapest[OURS].cost_ms
                row = {"within_mm": tolerance, **asdict(cheapest[name]), "times_ours": times}
                rows.append(row)
    return rows


def agreement() -> dict[str, float]:
    """How far others are from the reference with small time steps, mm."""
    reference = ours(5e-5)
    others: dict[str, Callable[[], PeerRun]] = {
        "serpenoid, `newton`, 0.025 ms": lambda: ours(2.5e-5),
        "serpenoid, `prox`, 0.2 ms": lambda: ours(2e-4, sp.Prox(r_normal=0.2)),
        "MuJoCo, elliptic Newton, 0.1 ms": lambda: mujoco(mujoco_peer.ELLIPTIC_NEWTON, 1e-4),
        "pymunk, 3 sweeps, 0.25 ms": lambda: pymunk(3, 2.5e-4),
    }
    return {name: 1e3 * run().distance(reference) for name, run in others.items()}


def report(rounds: int = 3) -> dict[str, Any]:
    """All that the page shows."""
    points = measure(rounds)
    return {
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
        "versions": {name: version(name) for name in ("serpenoid", "mujoco", "pymunk")},
        "agreement_mm": agreement(),
        "best": best(points),
        "best_from_mujoco": best(points, "from_mujoco_mm"),
        "points": [asdict(point) for point in points],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each setting, default 3")
    parser.add_argument("--draw", action="store_true", help="draw again what was measured")
    given = parser.parse_args()
    file = OUTPUT.with_suffix(".json")
    if not given.draw:
        file.write_text(json.dumps(report(given.rounds), indent=1) + "\n")
    found = json.loads(file.read_text())
    OUTPUT.with_suffix(".md").write_text(tables(found))
    plots.save(draw(found), OUTPUT.with_suffix(".svg"))
    print(OUTPUT.with_suffix(".md").read_text())
    print(f"written to {OUTPUT}.json, .md and .svg")


if __name__ == "__main__":
    main()
