"""A sweep of 7,000 points on all cores: throughput, what sending points costs, memory.

Alone: python -m benchmarks.sweeps
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import psutil

from serpenoid.studies.parallel import cores
from serpenoid.studies.point_runner import PointRunner
from serpenoid.studies.preparation import prepare, some_points
from serpenoid.studies.sampling import Parameter
from serpenoid.studies.study import Study
from serpenoid.studies.sweep_runner import run_study

STUDY = Study(
    base="swimmer",
    parameters={
        "controller.amplitude_deg": Parameter(range=(10, 50), steps=20),
        "controller.phase_deg": Parameter(range=(-90, -30), steps=25),
        "controller.frequency_deg": Parameter(range=(90, 240), steps=14),
    },
    metrics=("mean_speed", "positive_work", "cost_of_transport"),
    change={"clock.duration": 10.0},
)
# Points of the same study that are run here, one after the other, spread over all of it.
_ALONE = 300


def measure() -> dict[str, float]:
    prepare(STUDY, some_points(STUDY))
    points = len(STUDY.points)
    sample = [STUDY.changes(point) for point in range(0, points, points // _ALONE)]
    run = PointRunner(STUDY.scenario, STUDY.measures, STUDY.skip)
    run(sample[0])
    begin = time.perf_counter()
    for changes in sample:
        run(changes)
    alone = (time.perf_counter() - begin) / len(sample)
    memory: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        outcome = run_study(
            STUDY, Path(folder) / "out", tell=lambda _done, _points: memory.append(_megabytes())
        )
    # Once all workers have loaded everything, and at the end.
    quarter = len(memory) // 4
    early, late = (max(part) for part in (memory[quarter : 2 * quarter], memory[-quarter:]))
    busy = outcome.run_seconds
    return {
        "points": outcome.points,
        "cores": cores(),
        "ms_per_run_alone": 1000 * alone,
        "points_per_s": outcome.points / outcome.seconds,
        "times_one_core": outcome.points * alone / outcome.seconds,
        "overhead": (cores() * outcome.seconds - busy) / busy,
        "groups": outcome.groups,
        "memory_mb": late,
        "memory_growth": late / early - 1,
    }


def _megabytes() -> float:
    """Resident memory of this process and its workers."""
    own = psutil.Process()
    family = [own, *own.children(recursive=True)]
    return float(sum(process.memory_info().rss for process in family if process.is_running()) / 1e6)


if __name__ == "__main__":
    print(json.dumps(measure(), indent=2))
