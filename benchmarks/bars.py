"""What the benchmarks should reach: a row for each number, with its bars."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """What was measured, and between which bars it should be; without bars it is for information.

    Attributes:
        what: Whose cost.
        value: The number that is judged.
        unit: Of the value; x for a ratio.
        words: More to know.
        least: It should be at least this.
        most: It should be at most this.
    """

    what: str
    value: float
    unit: str
    words: str = ""
    least: float = -math.inf
    most: float = math.inf

    @property
    def bar(self) -> str:
        """The bars in words."""
        bars = ((">=", self.least), ("<=", self.most))
        return ", ".join(f"{sign} {bar:.4g}" for sign, bar in bars if math.isfinite(bar))

    @property
    def met(self) -> str:
        """Yes, no, or nothing without a bar."""
        if not self.bar:
            return ""
        return "[green]yes[/]" if self.least <= self.value <= self.most else "[red]no[/]"


def peer_rows(lines: list[dict[str, Any]]) -> list[Row]:
    """The peg track at 1 ms, times ours."""
    bars = {
        "MuJoCo elliptic Newton (rollout)": 26.0,
        "MuJoCo fastest within 5 mm (rollout)": 13.0,
        "pymunk fastest within 5 mm": 10.0,
    }
    return [
        Row(
            f"Aiko on pegs, {line['name']}, over ours",
            line["microseconds_per_step"] / lines[0]["microseconds_per_step"],
            "x",
            f"{line['microseconds_per_step']:.2f} us/step, {line['deviation_mm']:.2f} mm off",
            least=bars.get(line["name"], -math.inf),
        )
        for line in lines
    ]


def work_precision_rows(best: list[dict[str, Any]]) -> list[Row]:
    """The peg track at the best time step of each, times ours."""
    return [
        Row(
            f"Aiko on pegs within {row['within_mm']:g} mm, {row['contender']}, over ours",
            row["times_ours"],
            "x",
            f"{row['cost_ms']:.2f} ms per simulated second, {row['setting']}",
        )
        for row in best
    ]


def scaling_rows(found: dict[str, list[dict[str, float]]]) -> list[Row]:
    """Growing robots and fields."""
    small = next(row for row in found["links"] if row["links"] == 20)
    rows = [
        Row(
            f"flat, {row['links']:g} links, cost per link over that of 20",
            row["ns_per_link"] / small["ns_per_link"],
            "x",
            f"{row['ns_per_link']:.0f} ns/link/step, {row['iterations']:.2f} iterations",
            most=1.3 if row["links"] > 20 else math.inf,
        )
        for row in found["links"]
    ]
    few, many = (row["us_per_step"] for row in found["pegs"])
    return [*rows, Row("10,000 pegs over 10", many / few, "x", most=1.3)]


def recursion_rows(found: list[dict[str, float]]) -> list[Row]:
    """Recursive dynamics beside Pinocchio's, and how the cost per link grows."""
    rows = []
    for name, peer in (("newton_euler", "rnea"), ("inverse", "rnea"), ("forward", "aba")):
        for row in found:
            words = f"Pinocchio's {peer} {row[peer]:.3f}, {row[peer] / row[name]:.2f} x ours"
            what = f"recursion, {row['links']:g} links, {name}"
            rows.append(Row(what, row[name], "us/link", words, most=0.8))
        ratios = [row[name] / found[0][name] for row in found]
        farthest = max(ratios, key=lambda ratio: abs(ratio - 1))
        what = f"recursion, {name}, cost per link over that of {found[0]['links']:g}, farthest"
        rows.append(Row(what, farthest, "x", least=0.6, most=1.4))
    return rows


def closed_loop_rows(speeds: list[float]) -> list[Row]:
    """Feedback among many pegs."""
    what = f"path following, 10 links, 320 pegs, slowest of {len(speeds)} fields"
    return [Row(what, min(speeds), "x real time", least=100)]


def resource_rows(used: dict[str, float]) -> list[Row]:
    """Memory and start-up, and first runs."""
    bars = {
        "memory_600s_mb": 400.0,
        "import_s": 0.5,
        "simulate_10s_warm_s": 1.0,
        "first_run_s": 20.0,
        "first_run_in_a_second_environment_s": 3.0,
    }
    parts = {name: name.rpartition("_") for name in used}
    return [
        Row(
            parts[name][0].replace("_", " "),
            value,
            parts[name][2].replace("mb", "MB"),
            most=bars.get(name, math.inf),
        )
        for name, value in used.items()
    ]


def sweep_rows(swept: dict[str, float]) -> list[Row]:
    """A study on all cores."""
    words, cores = f"sweep of {swept['points']:g} points", swept["cores"]
    speed = f"{swept['points_per_s']:.0f} points/s"
    return [
        Row(f"{words} on {cores:g} cores", swept["times_one_core"], "x", speed, 0.85 * cores),
        Row(f"{words}, overhead", 100 * swept["overhead"], "%", most=15),
        Row(f"{words}, memory growth", 100 * swept["memory_growth"], "%", most=5),
    ]


def batch_rows(found: dict[str, float]) -> list[Row]:
    """Many robots in one call."""
    threads, call = found["threads"], found["us_per_call"]
    robots = f"batch of {found['robots']:g} robots, {threads:g} threads"
    ours, theirs = found["robot_seconds_per_s"], found["mujoco_robot_seconds_per_s"]
    one, mujoco = found["times_one_thread"], found["times_mujoco"]
    return [
        Row(f"{robots}, over one thread", one, "x", f"{ours:.0f} x real time", 0.95 * threads),
        Row(f"{robots}, over MuJoCo's rollout", mujoco, "x", f"{theirs:.0f} x real time", 22),
        Row("a call that takes one step with one robot", call, "us", most=50),
    ]


def environment_rows(found: dict[str, float]) -> list[Row]:
    """Vector environments beside MuJoCo."""
    rows = [
        Row(
            "Gymnasium's Swimmer-v5, sync, of 10 ms", found["swimmer_sync"] / 1e3, "k robot-steps/s"
        )
    ]
    for name, bar in (("Crawl-v0", 30.0), ("PegField-v0", 25.0)):
        what = f"{name}, {found['robots']:g} robots, {found['threads']:g} threads, over MuJoCo loop"
        rollout = found[f"{name}_times_mujoco_rollout"]
        words = f"{found[name] / 1e3:.0f} k robot-steps/s, {rollout:.1f} x MuJoCo's rollout"
        rows.append(Row(what, found[f"{name}_times_mujoco_loop"], "x", words, bar))
    return rows


def stable_baselines_rows(found: dict[str, Any]) -> list[Row]:
    """The environment for stable-baselines3 beside its own; none where that is not installed."""
    rows = []
    for name in ("Crawl-v0", "PegField-v0"):
        if name not in found:
            continue
        rates = found[name]
        own = max(rates["dummy"], rates["subproc"])
        what = f"{name}, {found['robots']:g} robots, over the faster of make_vec_env's"
        words = ", ".join(f"{kind} {rate / 1e3:.2f} k" for kind, rate in rates.items())
        rows.append(Row(what, rates["ours"] / own, "x", f"{words} robot-steps/s", least=5.0))
    return rows
