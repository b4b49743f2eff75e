"""Ctrl-C: what it does to the program `serpenoid`, and how work notices it.

The program handles Ctrl-C, SIGTERM and a lost terminal from its first line on. While there is
nothing to keep it ends at once, with one line and exit code 130: an exception would come out of
whatever is being imported or compiled, as a traceback or not at all. Within an `interrupt_guard` it
is a KeyboardInterrupt, and what was computed is kept. In Python code of users, whatever they have
set for Ctrl-C stays.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

TYPE_CHECKING = False  # that of typing, which takes longer to import than all the rest here
if TYPE_CHECKING:
    from typing import Any, NoReturn

INTERRUPTED = 130  # exit code

STOPS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

# Another stop within this time of the first one is ignored, so that results are saved, s.
_PATIENCE = 3.0
# Clears the line of a progress bar and shows the cursor, which a bar hides.
_TIDY_TERMINAL = b"\r\x1b[2K\x1b[?25h"

# Raises KeyboardInterrupt if Ctrl-C was pressed.
InterruptCheck = Callable[[], None]

_pressed = False
_guards = 0
_saving = False
_first_stop: float | None = None
_over = False


def is_program() -> bool:
    """Whether this process is `serpenoid ...` or `python -m serpenoid ...`, and no worker of it."""
    place = len(sys.orig_argv) - len(sys.argv)
    word = sys.orig_argv[place] if 0 < place < len(sys.orig_argv) else ""
    name = word.replace("\\", "/").rpartition("/")[2]
    return name.partition(".")[0] in ("serpenoid", "serpenoid-script")


def handle_stops() -> None:
    """Handle Ctrl-C, SIGTERM and a lost terminal, except those that are ignored, as by nohup."""
    for stop in STOPS:
        if signal.getsignal(stop) not in (signal.SIG_IGN, None):
            signal.signal(stop, _stop)


def ignore_stops() -> None:
    """Ignore them while the interpreter ends, so that the exit code is that of the program."""
    for stop in STOPS:
        signal.signal(stop, signal.SIG_IGN)
    # Python remembers a KeyboardInterrupt that left code given as text, as dataclasses run it, and
    # would end by SIGINT, unless other such code was run since.
    exec("")


def ignore_further_stops() -> None:
    """Have stops ignored from now on: the line that ends the program is about to be printed."""
    global _over
    _over = True


def _stop(_number: int, _frame: object) -> None:
    global _first_stop, _pressed
    now = time.monotonic()
    if _over or (_first_stop is not None and now - _first_stop < _PATIENCE):
        return
    if _first_stop is not None or not (_guards or _saving):
        end_at_once()
    _first_stop, _pressed = now, True
    if not _saving:
        raise KeyboardInterrupt


def end_at_once() -> NoReturn:
    """End the program with one line, whatever it does just now."""
    ignore_further_stops()
    with contextlib.suppress(OSError):
        tidy = _TIDY_TERMINAL if os.isatty(2) else b""
        os.write(2, tidy + b"serpenoid: interrupted\n")
    os._exit(INTERRUPTED)


def no_check() -> None:
    """An interrupt check that never raises."""


def _check() -> None:
    if _pressed and not _saving:
        raise KeyboardInterrupt


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Let the program come to the end of a `with` block before it stops, to save results.

    Raises:
        KeyboardInterrupt: At the end, if the first stop came within the block.
    """
    global _saving
    stopped_before, _saving = _first_stop is not None, True
    try:
        yield
    finally:
        _saving = False
    if _first_stop is not None and not stopped_before:
        raise KeyboardInterrupt


@contextlib.contextmanager
def interrupt_guard() -> Iterator[InterruptCheck]:
    """Notice a Ctrl-C even if a library swallows it; in the program, have it raised at all.

    Python raises KeyboardInterrupt in whatever code runs at that moment. In a callback of a library
    it is only printed, and a library that is interrupted half-way may raise another error.

    Yields:
        A check that raises KeyboardInterrupt if Ctrl-C was pressed within the outermost guard.

    Raises:
        KeyboardInterrupt: Instead of any error that follows a Ctrl-C.
    """
    import threading  # here, because Ctrl-C is handled once this module is imported

    global _guards, _pressed
    before = signal.getsignal(signal.SIGINT)
    in_program = any(signal.getsignal(stop) is _stop for stop in STOPS)
    if threading.current_thread() is not threading.main_thread() or not (
        in_program or callable(before)
    ):
        yield no_check
        return

    def handle(number: int, frame: Any) -> None:
        global _pressed
        try:
            before(number, frame)  # type: ignore[operator, misc]
        except KeyboardInterrupt:
            _pressed = True
            raise

    outermost, _guards = _guards == 0, _guards + 1
    try:
        if outermost:
            _pressed = False
            if not in_program:
                signal.signal(signal.SIGINT, handle)
        yield _check
    except Exception:
        _check()
        raise
    finally:
        _guards -= 1
        if outermost and not in_program:
            signal.signal(signal.SIGINT, before)
