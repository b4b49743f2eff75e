"""Progress bars, on a terminal or in a notebook, for work that takes longer than two seconds."""

from __future__ import annotations

import contextlib
import html
import time
from collections.abc import Callable, Iterator
from typing import Any

from serpenoid.checks import check_flag
from serpenoid.displays import in_notebook
from serpenoid.text import printable

# Quicker work shows no bar, s.
_PATIENCE = 2.0
# Least time from one picture of a bar in a notebook to the next, s.
_PAUSE = 0.2


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


def study_bar(
    progress: bool, *given: Any
) -> contextlib.AbstractContextManager[Callable[..., None]]:
    """The bar of a study that was called from Python.

    Args:
        progress: Whether to show it.
        *given: Arguments of `points_bar`.

    Returns:
        A context manager that yields what `points_bar` yields, or a function that shows nothing.

    Raises:
        InvalidInput: `progress` is neither True nor False.
    """
    if check_flag("progress", progress):
        return points_bar(*given)
    return contextlib.nullcontext(lambda *_: None)


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
    if in_notebook():
        with _notebook_bar(label, total) as show_below:
            yield show_below
        return
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


@contextlib.contextmanager
def _notebook_bar(label: str, total: float) -> Iterator[Callable[..., None]]:
    """A bar below a notebook's cell, as `bar` yields it; one of work that failed says so."""
    from IPython.display import HTML, display

    begin, due = time.perf_counter(), _PATIENCE
    handle: Any = None
    reached = 0.0, ""

    def picture(done: float, words: str, end: str) -> Any:
        return HTML(
            f'<label>{html.escape(label)} <progress value="{done:g}" max="{total:g}"></progress> '
            f"{html.escape(printable(words))}{end}</label>"
        )

    def show(done: float, words: str = "") -> None:
        nonlocal due, handle, reached
        reached = done, words
        passed = time.perf_counter() - begin
        over = done >= total and handle is not None
        if passed < due and not over:
            return
        due = passed + _PAUSE
        left = "" if done <= 0 else f", {passed * (total - done) / done:.0f} s left"
        now = picture(done, words, "" if over else left)
        if handle is None:
            handle = display(now, display_id=True)
        else:
            handle.update(now)

    try:
        yield show
    except BaseException:
        if handle is not None:
            handle.update(picture(*reached, ", stopped"))
        raise
    if handle is not None and reached[0] < total:
        handle.update(picture(*reached, ""))
