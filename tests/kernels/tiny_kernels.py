"""A small package of kernels in a folder of its own, which tests change, move and compile."""

import importlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SOURCES = {
    "__init__": "",
    "constants": """
FACTOR = 2.0
OFFSET = 1.0
UNUSED = 5.0
""",
    "parts": '''
"""Functions that entries call."""
from typing import NamedTuple
from serpenoid.kernels._jit import jit, jit_apart
from tiny import constants
from tiny.constants import FACTOR

SHIFTS = (0.0, 0.5)

class Pair(NamedTuple):
    first: float
    second: float

@jit
def scaled(x: float) -> float:
    """The scaled value."""
    return FACTOR * x + constants.OFFSET + SHIFTS[0]

@jit_apart
def halves(x: float, share: float = 0.5) -> Pair:
    return Pair(share * x, x - share * x)

def adder(step):
    @jit
    def added(x):
        return x + step
    return added

add = adder(0.0)

def made(name):
    known = {"kind": Pair, "inner": scaled}
    exec(f"def of(x):\\n    return kind(first=inner(x), second=0.0).{name}", known)
    return jit(known["of"])

of_first, of_second = made("first"), made("second")

@jit
def other(x):
    return 7.0 * x
''',
    "entries": """
from serpenoid.kernels._jit import jit_entry
from tiny.parts import add, halves, of_first, of_second, other

@jit_entry
def total(x):
    pair = halves(x)
    return add(of_first(pair.first) + of_second(pair.second))

@jit_entry
def outer(x):
    return total(x) + other(x)
""",
}
# total(3.0) and outer(3.0) as the sources are.
VALUES = "4.0 25.0"

# Prints both values, and how many of the two were loaded instead of compiled.
CALL = """
from tiny.entries import outer, total
print(total(3.0), outer(3.0))
try:
    print(sum(sum(entry.stats.cache_hits.values()) for entry in (total, outer)), "loaded")
except AttributeError:
    print("not compiled")
"""


def write(folder: Path, changes: Mapping[str, tuple[str, str]] | None = None) -> Path:
    """Write the package into a folder, with some text of its modules replaced."""
    (folder / "tiny").mkdir(parents=True)
    for name, source in SOURCES.items():
        old, new = (changes or {}).get(name, ("", ""))
        assert old in source
        changed = source.replace(old, new, 1) if old else new + source
        (folder / "tiny" / f"{name}.py").write_text(changed)
    return folder


def imported(folder: Path, monkeypatch: Any) -> Any:
    """The module of the package's entries, imported anew from a folder."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "tiny"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(folder))
    entries = importlib.import_module("tiny.entries")
    for name in [name for name in sys.modules if name.partition(".")[0] == "tiny"]:
        monkeypatch.delitem(sys.modules, name)
    return entries


def start(folder: Path, cache: Path, before: str = "", **environment: str) -> Any:
    """Call both entries in a process of their own."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {
        "PYTHONPATH": path,
        "SERPENOID_CACHE_DIR": str(cache),
        "NUMBA_DISABLE_JIT": "0",
    }
    return subprocess.Popen(
        [sys.executable, "-c", before + CALL],
        env=os.environ | variables | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(process: Any) -> tuple[str, str, str]:
    """The two values, whether they were loaded, and what was said on stderr."""
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    values, loaded = out.splitlines()
    return values, loaded, said


def call(folder: Path, cache: Path, before: str = "", **environment: str) -> tuple[str, str, str]:
    """As `start`, and wait for it."""
    return outcome(start(folder, cache, before, **environment))
