"""Memory and start-up, each in a process of its own.

Alone: python -m benchmarks resources first_run
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"

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
    """Peak memory (MB), import time, simulate call with warm caches (s)."""
    return {
        "memory_600s_mb": _answer(_MEMORY),
        "import_s": min(_answer(_IMPORT) for _ in range(rounds)),
        "simulate_10s_warm_s": min(_answer(_FIRST_CALL) for _ in range(rounds)),
    }


def first_runs() -> dict[str, float]:
    """Seconds of the command `serpenoid run aiko_pegs`, until the run is saved.

    The first is that of a user who has nothing compiled. The second is that of the same user in
    another environment, whose copy of the package has a comment more in one file of each room with
    compiled functions, at its top, so that all lines below move. The third is that in an
    environment whose installer left no byte code, neither of the package nor of what it imports.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        first, second = (_copy(home / name) for name in ("first", "second"))
        for room in ("kernels", "methods"):
            files = (second / "serpenoid" / room).rglob("*.py")
            longest = max(files, key=lambda file: file.stat().st_size)
            longest.write_text("# A comment.\n" + longest.read_text(encoding="utf-8"))
        store = home / "store"
        store.mkdir()
        return {
            "first_run_s": _run_command(first, store),
            "first_run_in_a_second_environment_s": _run_command(second, store),
            "first_run_without_byte_code_s": _run_command(
                second, store, PYTHONPYCACHEPREFIX=str(home / "byte_code")
            ),
        }


def _copy(target: Path) -> Path:
    """The package elsewhere, as pip would install it: with byte code, without machine code."""
    shutil.copytree(SOURCES, target, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(target)], check=True)
    return target


def _run_command(sources: Path, store: Path, **variables: str) -> float:
    """Wall time (s) of the command with a copy of the package and a store of compiled code."""
    environment = os.environ | variables
    environment |= {"PYTHONPATH": str(sources), "SERPENOID_CACHE_DIR": str(store)}
    out = sources / "runs"
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "serpenoid", "run", "aiko_pegs", "--out", str(out)],
        cwd=sources,
        env=environment,
        check=True,
        capture_output=True,
    )
    seconds = time.perf_counter() - begin
    assert list(out.glob("*.nc"))
    return seconds


if __name__ == "__main__":
    print(json.dumps(measure() | first_runs(), indent=2))
