"""Ctrl-C that is not lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def heard() -> Iterator[Callable[[], None]]:
    """Gives a function that raises KeyboardInterrupt if there was one, even if it was swallowed.

    Python raises it wherever it is just then; in a callback of a library it is only printed.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    pressed = threading.Event()

    def note(number: int, frame: Any) -> Any:
        pressed.set()
        return before(number, frame)

    def check() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)
