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


# Kernels that take long to compile, and what has them compiled, by process.
_COMPILED: tuple[dict[str, str], ...] = (
    {
        "newton.search": "load('aiko_flat').run(duration=0.01)",
        "prox_solver.solve_prox": "load('aiko_flat', {'solver': 'prox'}).run(duration=0.01)",
    },
    {
        "hybrid_step.step_hybrid": "load('aiko_pegs', {'solver': 'hybrid'}).run(duration=0.01)",
        "explicit_step.step_explicit": "load('pedal_wave', {'solver': 'explicit', "
        "'clock.time_step': 1e-3}).run(duration=0.01)",
    },
)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile before the tests are shared out: each worker would do it for itself."""
    config = session.config
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    processes = []
    for share in _COMPILED:
        missing = [line for kernel, line in share.items() if not is_compiled(kernel)]
        code = "\n".join(["import serpenoid as sp", "load = sp.Scenario.load", *missing])
        processes.append(subprocess.Popen([sys.executable, "-c", code]))
    for process in processes:
        process.wait()


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No test finds the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
