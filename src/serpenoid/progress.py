"""Progress bars on standard error for work that takes longer than two seconds."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from serpenoid.text import printable

# Quicker work shows no bar, s.
_PATIENCE = 2.0


@contextlib.contextmanager
def clock_bar(start: float, end: float) -> Iterator[Callable[[float], None]]:
    """A bar over simulated time.

    Args:
        start: Time at the start, s.
        end: Time at the end, s.

    Yields:
        A function to call with the time reached, s.
    """
    begin = time.perf_counter()
    with bar("simulating", end - start) as show:

        def at(now: float) -> None:
            speed = (now - start) / max(time.perf_counter() - begin, 1e-9)
            show(now - start, f"{now:.4g} of {end:.4g} s, {speed:.3g} x real time")

        yield at


@contextlib.contextmanager
def points_bar(
    points: int, label: str = "sweeping", noun: str = "points"
) -> Iterator[Callable[..., None]]:
    """A bar over a number of points, with the rate since the first call.

    Args:
        points: Number of points.
        label: Label of the bar.
        noun: Plural noun for the points.

    Yields:
        A function to call with the number of points done, their total, and further text.
    """
    first: tuple[int, float] | None = None
    with bar(label, points) as show:

        def at(done: int, points: int, words: str = "") -> None:
            nonlocal first
            now = time.perf_counter()
            if first is None:
                first = done, now
            before, begin = first
            rate = (done - before) / max(now - begin, 1e-9)
            more = f", {words}" if words else ""
            show(done, f"{done} of {points} {noun}, {rate:.3g} {noun}/s{more}")

        yield at


@contextlib.contextmanager
def bar(label: str, total: float) -> Iterator[Callable[..., None]]:
    """A bar with the remaining time.

    Args:
        label: Label of the bar.
        total: Amount of work.

    Yields:
        A function to call with the amount done and, optionally, a text.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[words]}", markup=False),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    begin = time.perf_counter()
    task = progress.add_task(label, total=total, words="")

    def show(done: float, words: str = "") -> None:
        if not progress.live.is_started:
            if time.perf_counter() - begin < _PATIENCE:
                return
            progress.start()
        progress.update(task, completed=done, words=printable(words))

    try:
        yield show
    finally:
        if progress.live.is_started:
            progress.stop()
