"""Ctrl-C is noticed wherever it comes."""

import math
import signal
import sys
import threading

import pytest

from serpenoid.errors import StudyInterrupted
from serpenoid.interrupts import interrupt_guard
from serpenoid.studies import Study
from serpenoid.studies.parallel import LocalWorkers, for_each
from serpenoid.studies.sweep_runner import run_study

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")


class Pressed:
    """Somebody presses Ctrl-C while a library lets go of this."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def swallow(monkeypatch):
    """Have Python swallow a Ctrl-C; what it would have printed about it is looked at."""
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: lost.append(what.exc_type))

    def press(*_):
        thing = Pressed()
        del thing
        assert lost.pop() is KeyboardInterrupt

    return press


def test_a_swallowed_interrupt_is_noticed_later(swallow):
    before = signal.getsignal(signal.SIGINT)
    with interrupt_guard() as check:
        check()
        swallow()
        with pytest.raises(KeyboardInterrupt):
            check()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_that_is_not_swallowed_is_raised_at_once():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), interrupt_guard():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_what_goes_wrong_after_it_is_its_consequence(swallow):
    def close():
        swallow()
        raise OSError("half closed")

    with pytest.raises(KeyboardInterrupt), interrupt_guard():
        close()
    with pytest.raises(OSError, match="quite so"), interrupt_guard():
        raise OSError("quite so")


def test_without_an_interrupt_nothing_happens():
    before = signal.getsignal(signal.SIGINT)
    with interrupt_guard() as check:
        assert signal.getsignal(signal.SIGINT) is not before
        check()
    assert signal.getsignal(signal.SIGINT) is before


def test_whoever_does_not_want_to_be_interrupted_is_not():
    """A handler of one's own decides."""
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        with interrupt_guard() as check:
            signal.raise_signal(signal.SIGINT)
            check()
        assert pressed == [1]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interrupt_guard() as check:
            signal.raise_signal(signal.SIGINT)
            check()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_in_another_thread_nothing_happens():
    """Only the main thread has signals."""
    before, seen = signal.getsignal(signal.SIGINT), []

    def work():
        with interrupt_guard() as check:
            seen.append(signal.getsignal(signal.SIGINT))
            check()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_while_workers_are_waited_for(swallow):
    with interrupt_guard() as check, LocalWorkers(1, check) as workers:
        swallow()
        with pytest.raises(KeyboardInterrupt):
            workers.next()


def test_in_a_function_over_many_items(swallow):
    with pytest.raises(KeyboardInterrupt):
        for_each(math.sqrt, [1.0] * 5, swallow)


def test_in_a_sweep(swallow, here, inline):
    study = Study(
        base="swimmer",
        parameters={"seed": {"range": [0, 999], "steps": 1000, "integer": True}},
        metrics=["distance"],
        change={"clock.duration": 0.1},
    )
    with pytest.raises(StudyInterrupted, match=r"^interrupted; \d+ of 1000 points are kept in "):
        run_study(study, "out", tell=lambda done, _all: done and swallow())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
