"""Run all benchmarks, sweep and batch on all cores and the others on one thread, into one table.

python -m benchmarks                  all, several minutes
python -m benchmarks peers batch      some of them
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from rich.console import Console
from rich.table import Table

from benchmarks import (
    bars,
    batch,
    closed_loop,
    peers,
    recursion,
    resources,
    scaling,
    stable_baselines,
    sweeps,
    vector_env,
    work_precision,
)

OUTPUT = Path("benchmarks.json")

# Name in the report: what measures it, and what its rows are.
BENCHMARKS: dict[str, tuple[Callable[[], Any], Callable[[Any], list[bars.Row]]]] = {
    "peers": (lambda: [asdict(line) for line in peers.compare()], bars.peer_rows),
    "work_precision": (
        lambda: work_precision.best(work_precision.measure(rounds=2)),
        bars.work_precision_rows,
    ),
    "scaling": (lambda: {"links": scaling.links(), "pegs": scaling.pegs()}, bars.scaling_rows),
    "recursion": (recursion.links, bars.recursion_rows),
    "closed_loop_times_real_time": (closed_loop.times_real_time, bars.closed_loop_rows),
    "resources": (resources.measure, bars.resource_rows),
    "first_run": (resources.first_runs, bars.resource_rows),
    "sweep": (sweeps.measure, bars.sweep_rows),
    "batch": (batch.measure, bars.batch_rows),
    "vector_env": (vector_env.measure, bars.environment_rows),
    "stable_baselines": (stable_baselines.measure, bars.stable_baselines_rows),
}


def main() -> None:
    """Measure, print each row beside its bar, and write all numbers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := set(names) - set(BENCHMARKS):
        parser.error(f"there is no {', '.join(unknown)}")
    console = Console()
    report: dict[str, Any] = {
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
    }
    table = Table("what", "measured", "bar", "met", "more")
    for name in names:
        console.print(f"{name} ...")
        measure, rows = BENCHMARKS[name]
        report[name] = measure()
        if "skipped" in report[name]:
            console.print(f"skipped: {report[name]['skipped']}")
        for row in rows(report[name]):
            table.add_row(row.what, f"{row.value:.3g} {row.unit}", row.bar, row.met, row.words)
    console.print(table)
    OUTPUT.write_text(json.dumps(report, indent=2) + "\n")
    console.print(f"written to {OUTPUT}")


if __name__ == "__main__":
    main()
