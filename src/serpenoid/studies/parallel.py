"""A function over many items, on all cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from serpenoid.errors import SerpenoidError
from serpenoid.studies.hearing import heard

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# How often Ctrl-C is looked for while workers are busy, s.
_PATIENCE = 0.5


class WorkerLost(SerpenoidError, RuntimeError):
    """A worker process ended before its work."""


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def for_each(
    function: Callable[[Item], Answer],
    items: Sequence[Item],
    tell: Callable[[float], None] = lambda _share: None,
) -> list[Answer]:
    """What a function of a module gives for every item, in their order, from worker processes.

    tell: called with the share that is done. The first error ends it, and so does Ctrl-C, without
    waiting for what is under way.
    """
    context = multiprocessing.get_context("spawn")
    workers = max(1, min(cores(), len(items)))
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupts)
    try:
        with heard() as heed:
            running: list[Future[Answer]] = [pool.submit(function, item) for item in items]
            waiting: set[Future[Answer]] = set(running)
            while waiting:
                done, waiting = wait(waiting, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                tell(1 - len(waiting) / len(items))
                heed()
        return [future.result() for future in running]
    except BrokenProcessPool:
        raise WorkerLost("a worker process was killed, perhaps for want of memory") from None
    except BaseException:
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that asked for the work handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
