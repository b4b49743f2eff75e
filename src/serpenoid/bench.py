"""How fast this machine steps the gallery."""

from __future__ import annotations

import statistics
from typing import Any

from serpenoid.scenario.scenario import Scenario, gallery

# Repetitions of each run; the median is reported.
REPEATS = 5


def bench() -> list[dict[str, Any]]:
    """Measure the time of the compiled steps of every scenario in the gallery.

    Returns:
        A row for each scenario: its name, links, solver, microseconds per step, and how many times
        faster than real time it runs.
    """
    return [_row(name, Scenario.load(name)) for name in gallery()]


def _row(name: str, scenario: Scenario) -> dict[str, Any]:
    runs = [scenario.run() for _ in range(REPEATS)]
    seconds = statistics.median(run.stepping_seconds for run in runs)
    steps = round(scenario.clock.duration / scenario.clock.time_step)
    return {
        "scenario": name,
        "links": len(runs[0].robot.links),
        "solver": scenario.plain()["solver"]["kind"],
        "microseconds_per_step": 1e6 * seconds / steps,
        "times_real_time": scenario.clock.duration / seconds,
    }
