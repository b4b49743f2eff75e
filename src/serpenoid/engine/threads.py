"""Work on the robots of an engine shared out to threads."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np

from serpenoid.checks import whole_number


def as_threads(threads: int | None) -> int:
    """The number of threads: as told, or as many as this process has cores."""
    if threads is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    return whole_number("threads", threads, most=1024)


def shares(count: int, threads: int, parts: int) -> list[tuple[int, int]]:
    """0 <= b < count cut into ranges, first and last, a number of parts for each thread.

    Threads that take one after the other are far from each other, because the rows of neighbours
    share lines of the processor's caches.
    """
    edges = np.linspace(0, count, min(count, parts * threads) + 1).astype(int).tolist()
    ranges = list(itertools.pairwise(edges))
    stride = -(-len(ranges) // threads)
    return [each for k in range(stride) for each in ranges[k::stride]]


class ThreadTeam:
    """Threads that share the robots of an engine."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def _others(self) -> ThreadPoolExecutor:
        """The other threads; those of a process do not live on in one that is forked from it."""
        if self._pool is None or self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads - 1), os.getpid()
        return self._pool

    def parallel_for(self, work: Callable[[int, int], None], count: int, parts: int = 1) -> None:
        """Do work on ranges first <= b < last until all of 0 <= b < count are done.

        Args:
            work: Called with first and last.
            count: Number of robots.
            parts: Ranges for each thread, so that one with less to do takes over from the others.
        """
        if self.threads == 1:
            work(0, count)
            return
        pool = self._others()
        waiting = deque(shares(count, self.threads, parts))

        def share() -> None:
            while waiting:
                try:
                    first, last = waiting.popleft()
                except IndexError:
                    return  # another thread was faster
                work(first, last)

        others: list[Future[None]] = []
        try:
            others.extend(pool.submit(share) for _ in range(self.threads - 1))
            share()
            for other in others:
                other.result()
        except BaseException:
            waiting.clear()
            _wait_in_any_case(others)
            raise


def _wait_in_any_case(threads: list[Future[None]]) -> None:
    """Until all are done, whatever happens: nobody may go on with arrays that are others' again."""
    while not all(thread.done() for thread in threads):
        # Ctrl-C is on its way up already.
        with contextlib.suppress(KeyboardInterrupt):
            wait(threads)
