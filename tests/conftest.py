"""What all tests share."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from serpenoid.kernels._jit import is_compiled

# A first call may compile, so no deadline; the same examples every time, so that a failure stays.
settings.register_profile("serpenoid", deadline=None, derandomize=True, database=None)
settings.load_profile("serpenoid")


# Kernels that take long to compile, and what has them compiled, one line for each process.
_COMPILED = {
    "newton.search": ["aiko_flat", {}],
    "hybrid.step_hybrid": ["aiko_pegs", {"solver": "hybrid"}],
    "explicit.step_explicit": ["pedal_wave", {"solver": "explicit", "clock.time_step": 1e-3}],
}


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile before the tests are shared out: each worker would do it for itself."""
    config = session.config
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    missing = [what for kernel, what in _COMPILED.items() if not is_compiled(kernel)]
    processes = []
    for share in (missing[:1], missing[1:]):
        code = f"import serpenoid as sp\nfor name, changes in {share}:\n"
        code += "    sp.Scenario.load(name, changes).run(duration=0.01)"
        processes.append(subprocess.Popen([sys.executable, "-c", code]))
    for process in processes:
        process.wait()


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No test finds the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
