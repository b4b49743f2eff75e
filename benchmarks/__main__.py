"""Run all benchmarks, sweep and batch on all cores and the others on one thread, into one table."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from rich.console import Console
from rich.table import Table

from benchmarks import batch, closed_loop, peers, recursion, resources, scaling, sweeps, vector_env

OUTPUT = Path("benchmarks.json")


def main() -> None:
    console = Console()
    console.print(
        "Peers, scaling, recursion, memory, start-up, a sweep, a batch, environments: about six "
        "minutes alone"
    )
    lines = peers.compare()
    links, pegs = scaling.links(), scaling.pegs()
    speeds = closed_loop.times_real_time()
    recursive = recursion.links()
    used = resources.measure()
    swept = sweeps.measure()
    together = batch.measure()
    learning = vector_env.measure()

    table = Table("what", "measured", "bar", "met")
    ours = lines[0].microseconds_per_step
    for line in lines:
        ratio = line.microseconds_per_step / ours
        bar = {
            "MuJoCo elliptic Newton (rollout)": 12.0,
            "MuJoCo fastest within 5 mm (rollout)": 6.0,
        }.get(line.name)
        table.add_row(
            f"Aiko on pegs, {line.name}",
            f"{line.microseconds_per_step:.2f} us/step, {ratio:.1f} x ours, "
            f"{line.deviation_mm:.2f} mm off",
            f">= {bar:g} x" if bar else "",
            _met(ratio >= bar) if bar else "",
        )
    small = next(row for row in links if row["links"] == 20)
    for row in links:
        ratio = row["ns_per_link"] / small["ns_per_link"]
        last = row is links[-1]
        table.add_row(
            f"flat, {row['links']:g} links",
            f"{row['ns_per_link']:.0f} ns/link/step, {row['iterations']:.2f} iterations, "
            f"{ratio:.2f} x that of 20",
            "<= 1.3 x" if last else "",
            _met(ratio <= 1.3) if last else "",
        )
    ratio = pegs[1]["us_per_step"] / pegs[0]["us_per_step"]
    table.add_row("10,000 pegs against 10", f"{ratio:.2f} x", "<= 1.3 x", _met(ratio <= 1.3))
    for row in recursive:
        for name, peer in (("newton_euler", "rnea"), ("inverse", "rnea"), ("forward", "aba")):
            ratio = row[name] / recursive[0][name]
            table.add_row(
                f"recursion, {row['links']:g} links, {name}",
                f"{row[name]:.3f} us/link, {ratio:.2f} x that of {recursive[0]['links']:g}, "
                f"Pinocchio's {peer} {row[peer]:.3f}, {row[peer] / row[name]:.2f} x ours",
                "<= 0.8 us, 0.6 to 1.4 x",
                _met(row[name] <= 0.8 and 0.6 <= ratio <= 1.4),
            )
    slowest = min(speeds)
    table.add_row(
        f"path following, 10 links, 320 pegs, slowest of {len(speeds)} fields",
        f"{slowest:.0f} x real time",
        ">= 100 x",
        _met(slowest >= 100),
    )
    for name, unit, bar in (
        ("memory_600s_mb", "MB", 400.0),
        ("import_s", "s", 0.5),
        ("simulate_10s_warm_s", "s", 1.0),
        ("first_run_with_compilation_s", "s", 40.0),
    ):
        words = name.rsplit("_", 1)[0].replace("_", " ")
        measured = used[name]
        table.add_row(words, f"{measured:.3g} {unit}", f"<= {bar:g} {unit}", _met(measured <= bar))
    cores, words = swept["cores"], f"sweep of {swept['points']:g} points"
    least = 0.85 * cores
    table.add_row(
        f"{words} on {cores:g} cores",
        f"{swept['points_per_s']:.0f} points/s, {swept['times_one_core']:.2f} x one core",
        f">= {least:g} x",
        _met(swept["times_one_core"] >= least),
    )
    for name, bar in (("overhead", 0.15), ("memory_growth", 0.05)):
        table.add_row(
            f"{words}, {name.replace('_', ' ')}",
            f"{100 * swept[name]:.1f} %",
            f"<= {100 * bar:g} %",
            _met(swept[name] <= bar),
        )
    least = 0.925 * together["threads"]
    robots = f"batch of {together['robots']:g} robots, {together['threads']:g} threads"
    table.add_row(
        robots,
        f"{together['robot_seconds_per_s']:.0f} x real time, "
        f"{together['times_one_thread']:.2f} x one thread",
        f">= {least:g} x",
        _met(together["times_one_thread"] >= least),
    )
    table.add_row(
        f"{robots}, MuJoCo rollout with as many",
        f"{together['mujoco_robot_seconds_per_s']:.0f} x real time, ours "
        f"{together['times_mujoco']:.1f} x",
        ">= 12 x",
        _met(together["times_mujoco"] >= 12),
    )
    table.add_row(
        "a call that takes one step with one robot",
        f"{together['us_per_call']:.0f} us",
        "<= 50 us",
        _met(together["us_per_call"] <= 50),
    )
    table.add_row(
        "Gymnasium's Swimmer-v5, sync",
        f"{learning['swimmer_sync'] / 1e3:.0f} thousand robot-steps/s (of 10 ms)",
    )
    for name in vector_env.TASKS:
        ratio = learning[f"{name}_times_mujoco_loop"]
        table.add_row(
            f"{name}, {learning['robots']:g} robots, {learning['threads']:g} threads",
            f"{learning[name] / 1e3:.0f} thousand robot-steps/s, {ratio:.1f} x MuJoCo in a loop, "
            f"{learning[f'{name}_times_mujoco_rollout']:.1f} x its rollout",
            ">= 20 x the loop",
            _met(ratio >= 20),
        )
    console.print(table)
    report = {
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
        "peers": [asdict(line) for line in lines],
        "links": links,
        "pegs": pegs,
        "recursion": recursive,
        "closed_loop_times_real_time": speeds,
        "resources": used,
        "sweep": swept,
        "batch": together,
        "vector_env": learning,
    }
    OUTPUT.write_text(json.dumps(report, indent=2) + "\n")
    console.print(f"written to {OUTPUT}")


def _met(fine: bool) -> str:
    return "[green]yes[/]" if fine else "[red]no[/]"


if __name__ == "__main__":
    main()
