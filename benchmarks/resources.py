"""Memory and start-up, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

_MEMORY = """
import serpenoid as sp
from benchmarks.peers import aiko_on_pegs
robot, world, gait, start = aiko_on_pegs()
run = sp.simulate(robot, world, gait, 600.0, start=start, record_period=0.01)
run.dataset
status = dict(line.split(":") for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) / 1024)
"""

_IMPORT = """
import time
begin = time.perf_counter()
import serpenoid
print(time.perf_counter() - begin)
"""

_FIRST_CALL = """
import time
begin = time.perf_counter()
import serpenoid as sp
from benchmarks.peers import aiko_on_pegs
robot, world, gait, start = aiko_on_pegs()
after_import = time.perf_counter()
sp.simulate(robot, world, gait, 10.0, start=start)
print(time.perf_counter() - after_import)
"""


def _answer(code: str, **environment: str) -> float:
    """What a fresh interpreter prints for a piece of code."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    return float(done.stdout)


def measure(rounds: int = 3) -> dict[str, float]:
    """Peak memory (MB), import time, simulate call with warm caches, first run ever (s)."""
    result = {
        "memory_600s_mb": _answer(_MEMORY),
        "import_s": min(_answer(_IMPORT) for _ in range(rounds)),
        "simulate_10s_warm_s": min(_answer(_FIRST_CALL) for _ in range(rounds)),
    }
    with tempfile.TemporaryDirectory() as empty:
        begin = time.perf_counter()
        _answer(_FIRST_CALL, SERPENOID_CACHE_DIR=empty)
        result["first_run_with_compilation_s"] = time.perf_counter() - begin
    return result
