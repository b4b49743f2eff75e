"""What all tests share."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A first call may compile, so no deadline; the same examples every time, so that a failure stays.
settings.register_profile("serpenoid", deadline=None, derandomize=True, database=None)
settings.load_profile("serpenoid")


# Scenarios that have the entries of all methods compiled, for bare robots and for others: by
# process, so that both cores are busy.
_COMPILED: tuple[tuple[tuple[str, str], ...], ...] = (
    (("newton", "aiko_flat"), ("prox", "aiko_flat"), ("hybrid", "aiko_pegs")),
    (("newton", "push_box"), ("explicit", "pedal_wave"), ("hybrid", "peg_forest")),
)
_COMPILE = """
import serpenoid as sp
for method, name in {share!r}:
    changes = {{"solver.kind": method, "clock.time_step": 1e-3, "clock.duration": 0.1}}
    changes["record.period"] = 0.1
    sp.Scenario.load(name, changes).run()
"""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile before the tests are shared out: each worker would do it for itself."""
    config = session.config
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        return
    programs = [_COMPILE.format(share=share) for share in _COMPILED]
    processes = [subprocess.Popen([sys.executable, "-c", program]) for program in programs]
    for process in processes:
        process.wait()


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No test finds the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
