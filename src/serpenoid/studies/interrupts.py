"""Guards around other libraries: a lost Ctrl-C is noticed, and their logs are silenced."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

# Raises KeyboardInterrupt if Ctrl-C was pressed.
InterruptCheck = Callable[[], None]


def no_check() -> None:
    """An interrupt check that never raises."""


@contextlib.contextmanager
def interrupt_guard() -> Iterator[InterruptCheck]:
    """Notice a Ctrl-C even if a library swallows it.

    Python raises KeyboardInterrupt in whatever code runs at that moment. In a callback of a library
    it is only printed, and a library that is interrupted half-way may raise another error.

    Yields:
        A check that raises KeyboardInterrupt if Ctrl-C was pressed within the guard.

    Raises:
        KeyboardInterrupt: Instead of any error that follows a Ctrl-C.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield no_check
        return
    pressed = threading.Event()

    def handle(number: int, frame: Any) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt:
            pressed.set()
            raise

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handle)
    try:
        yield check
    except Exception:
        check()
        raise
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def silenced_logger(name: str) -> Iterator[None]:
    """Silence a logger of another library."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


@contextlib.contextmanager
def silenced_optuna() -> Iterator[None]:
    """Silence the logs and warnings of Optuna."""
    with silenced_logger("optuna"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
