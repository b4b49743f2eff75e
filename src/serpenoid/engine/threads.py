"""Threads."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait

import numpy as np


def shares(count: int, threads: int, parts: int) -> list[tuple[int, int]]:
    """0 <= b < count cut into ranges, first and last, so many parts for each thread.

    Threads that take one after the other are far from each other, because the rows of neighbours
    share lines of the processor's caches.
    """
    edges = np.linspace(0, count, min(count, parts * threads) + 1).astype(int).tolist()
    ranges = list(itertools.pairwise(edges))
    stride = -(-len(ranges) // threads)
    return [each for k in range(stride) for each in ranges[k::stride]]


class Crew:
    """Threads that share the robots of a stack."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0

    def _others(self) -> ThreadPoolExecutor | None:
        """The other threads; those of a process do not live on in one that is forked from it."""
        if self.threads > 1 and self._process != os.getpid():
            self._pool, self._process = ThreadPoolExecutor(self.threads - 1), os.getpid()
        return self._pool

    def each(self, work: Callable[[int, int], None], count: int, parts: int = 1) -> None:
        """Do work for first <= b < last until all of 0 <= b < count are done.

        parts: for each thread, so that one with less to do takes over from the others.
        """
        pool = self._others()
        if pool is None and parts == 1:
            work(0, count)
            return
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
            if pool is not None:
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
