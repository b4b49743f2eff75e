"""Ctrl-C that is not lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

Heed = Callable[[], None]


@contextlib.contextmanager
def heard() -> Iterator[Heed]:
    """Gives a function that raises KeyboardInterrupt if there was one, even if it was swallowed.

    Python raises it wherever it is just then; in a callback of a library it is only printed, and
    libraries that are stopped half-way may raise something else, which is KeyboardInterrupt here.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    pressed = threading.Event()

    def note(number: int, frame: Any) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt:
            pressed.set()
            raise

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    except Exception:
        check()
        raise
    finally:
        signal.signal(signal.SIGINT, before)
