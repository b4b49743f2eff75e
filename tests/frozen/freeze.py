"""Freeze results: `python -m tests.frozen.freeze` writes them, the test compares with them."""

from __future__ import annotations

import hashlib
import json
import platform
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np

import serpenoid as sp
from serpenoid.engine.variables import SUM, VARIABLES
from serpenoid.kernels.layout import PARTS
from tests.frozen.cases import cases

FILE = Path(__file__).with_name("frozen.json")
# What a method counts, which means another thing for each of them.
COUNTS = (
    *("iterations", "multiplier_updates", "halvings"),
    *("integrator_steps", "located_events", "unresolved_modes"),
)
# And the parts of references, which came later.
NOT_HASHED = (*COUNTS, *(name for name, column in VARIABLES.items() if column.feature == SUM))


def machine() -> str:
    """What rounding depends on: the processor, the compiler, the mathematical library."""
    libc = " ".join(platform.libc_ver())
    cpu = llvmlite.binding.get_host_cpu_name()
    return f"{cpu}, numba {numba.__version__}, numpy {np.__version__}, {libc}"


def digest(run: sp.Trajectory) -> dict[str, Any]:
    """Hashes of columns and of the final state, and the final centre of mass, m.

    What has been recorded since the runs were frozen is left out: parts of references, which other
    tests add up, and commands on top of a controller where there are none.
    """
    columns = {name: run.columns[name] for name in sorted(run.columns) if name not in NOT_HASHED}
    state = dict(vars(run.state))
    if not len(state["added"]):
        del state["added"]
    if len(state["memory"]):
        state["memory"] = state["memory"][: -PARTS * (len(run.state.theta) - 1)]
    return {
        "columns": _hash(columns.values()),
        "state": _hash(np.asarray(state[name]) for name in sorted(state)),
        "com": [float(value) for value in run.state.com],
    }


def _hash(arrays: Any) -> str:
    total = hashlib.sha256()
    for array in arrays:
        total.update(str(array.shape).encode())
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:16]


def main() -> None:
    """Freeze the results as they are now."""
    frozen = {name: [digest(run) for run in case()] for name, case in cases()}
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(d)}" for name, d in frozen.items())
    FILE.write_text(f'{{\n  "machine": {json.dumps(machine())},\n{lines}\n}}\n')
    print(f"{len(frozen)} cases frozen in {FILE.name}")


if __name__ == "__main__":
    main()
