"""What all tests share."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

import serpenoid  # noqa: F401 (knows the methods)
from serpenoid.kernels._jit import is_compiled
from serpenoid.methods.method import Method

# A first call may compile, so no deadline; the same examples every time, so that a failure stays.
settings.register_profile("serpenoid", deadline=None, derandomize=True, database=None)
settings.load_profile("serpenoid")


# Scenarios that have the entry of each method compiled, by process.
_COMPILED: tuple[dict[str, str], ...] = (
    {"newton": "aiko_flat", "prox": "aiko_flat"},
    {"hybrid": "aiko_pegs", "explicit": "pedal_wave"},
)
_COMPILE = """
import serpenoid as sp
changes = {{"solver.kind": {method!r}, "clock.time_step": 1e-3, "clock.duration": 0.01}}
sp.Scenario.load({name!r}, changes).run()
"""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile before the tests are shared out: each worker would do it for itself."""
    config = session.config
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    processes = []
    for share in _COMPILED:
        missing = [
            _COMPILE.format(method=method, name=name)
            for method, name in share.items()
            if not is_compiled(Method.members[method]().entry())
        ]
        processes.append(subprocess.Popen([sys.executable, "-c", "\n".join(missing)]))
    for process in processes:
        process.wait()


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No test finds the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
