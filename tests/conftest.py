"""What all tests share."""

import faulthandler
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A first call may compile, so no deadline; the same examples every time, so that a failure stays.
settings.register_profile("serpenoid", deadline=None, derandomize=True, database=None)
settings.load_profile("serpenoid")


# Longest time of a test that is not marked slow, s.
_LIMIT = 300

# What is ignored here would be ignored by all programs that are started here: Ctrl-C where tests
# run in the background, the end of the terminal after nohup. A function is not handed on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda _number, _frame: None)

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
        process.wait(timeout=_LIMIT)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Have a test fail that takes too long, and end the process if it does not even fail."""
    if item.get_closest_marker("slow") or not hasattr(signal, "setitimer"):
        return (yield)
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.setitimer(signal.ITIMER_REAL, _LIMIT)
    faulthandler.dump_traceback_later(_LIMIT + 60, exit=True, file=sys.__stderr__)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _out_of_time(_number: int, _frame: object) -> None:
    # No error that the code under test could catch, as it does OSError.
    pytest.fail(f"a test takes longer than {_LIMIT} s")


@pytest.fixture
def another_user(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """A function that gives a file, folder or link to another user, or has the system say so."""
    if not hasattr(os, "geteuid"):
        pytest.skip("no owners of files")
    other, given = 54321, set()

    def as_given(look: Callable[..., os.stat_result]) -> Callable[..., os.stat_result]:
        def looked(*what: Any, **options: Any) -> os.stat_result:
            about = look(*what, **options)
            if (about.st_dev, about.st_ino) not in given:
                return about
            named = {name: getattr(about, name) for name in dir(about) if name.startswith("st_")}
            return os.stat_result((*about[:4], other, *about[5:]), named)

        return looked

    def give(path: Path) -> None:
        if os.geteuid() == 0:
            os.chown(path, other, -1, follow_symlinks=False)
            return
        about = path.lstat()
        given.add((about.st_dev, about.st_ino))

    for name in ("stat", "lstat", "fstat"):
        monkeypatch.setattr(os, name, as_given(getattr(os, name)))
    return give


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """No test finds the figures of another."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
