"""Worker processes of this machine, and a function over many items on all cores."""

from __future__ import annotations

import abc
import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from serpenoid.errors import InvalidInput, SerpenoidError
from serpenoid.studies.interrupts import InterruptCheck, interrupt_guard, no_check

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Period of the interrupt check while workers are busy, s.
_CHECK_PERIOD = 0.5

MAIN_GUARD = "a script that sweeps must do so below: if __name__ == '__main__':"


class WorkerLost(SerpenoidError, RuntimeError):
    """A worker process ended before its work."""


def cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers(abc.ABC):
    """Processes that are sent calls and answer in any order.

    Attributes:
        slots: How many calls run at once.
    """

    slots = 1

    def __init__(self, check_interrupt: InterruptCheck = no_check) -> None:
        self._check_interrupt = check_interrupt
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    @abc.abstractmethod
    def submit(
        self, function: Callable[..., Any], *arguments: Any, among: Sequence[Any] | None = None
    ) -> Any:
        """Send a call.

        Args:
            function: Of a module.
            *arguments: Of the function; they are pickled.
            among: Workers that may run it, as `others` lists them; any if None.

        Returns:
            Its future.
        """

    @abc.abstractmethod
    def others(self, future: Any) -> Sequence[Any]:
        """List the workers except the one that ran a call."""

    @abc.abstractmethod
    def result(self, future: Any) -> Any:
        """Get the result of a finished call.

        Raises:
            WorkerLost: If the worker died while it ran the call.
        """

    def next(self) -> Any:
        """Wait for the next call that is done and return its future."""
        while True:
            self._check_interrupt()
            self._look_after()
            with contextlib.suppress(queue.Empty):
                return self._answers.get(timeout=_CHECK_PERIOD)

    def _look_after(self) -> None:  # noqa: B027 (local workers need no care)
        """Look after the workers while waiting."""


class LocalWorkers(Workers):
    """Processes of this machine; a context that ends them with it.

    Each one is a pool of its own: a process that dies breaks no call of another one. It is replaced
    when the next call is sent to it.
    """

    def __init__(self, count: int, check_interrupt: InterruptCheck = no_check) -> None:
        super().__init__(check_interrupt)
        self.slots = count
        self._pools: dict[int, ProcessPoolExecutor] = {}
        self._homes: weakref.WeakKeyDictionary[Future[Any], int] = weakref.WeakKeyDictionary()

    def __enter__(self) -> LocalWorkers:
        try:
            for started in [self._start(home) for home in range(self.slots)]:
                started.result()
        except BaseException as error:
            self.__exit__()
            if isinstance(error, BrokenProcessPool):
                raise InvalidInput(f"worker processes do not start; {MAIN_GUARD}") from None
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for pool in self._pools.values():
            for process in list((pool._processes or {}).values()):
                process.terminate()
        for pool in self._pools.values():
            pool.shutdown(cancel_futures=True)

    def submit(
        self, function: Callable[..., Any], *arguments: Any, among: Sequence[int] | None = None
    ) -> Future[Any]:
        """Send a call to the worker that has least to do."""
        calls = Counter(home for call, home in self._homes.items() if not call.done())
        home = min(range(self.slots) if among is None else among, key=lambda k: calls[k])
        try:
            future = self._pools[home].submit(function, *arguments)
        except BrokenProcessPool:
            self._start(home).result()
            future = self._pools[home].submit(function, *arguments)
        self._homes[future] = home
        future.add_done_callback(self._answers.put)
        return future

    def others(self, future: Future[Any]) -> list[int]:
        """List the workers except the one that ran a call."""
        return [k for k in range(self.slots) if k != self._homes[future]]

    def result(self, future: Future[Any]) -> Any:
        """Get the result of a finished call."""
        try:
            return future.result()
        except BrokenProcessPool:
            raise WorkerLost("a worker process was killed, perhaps for want of memory") from None

    def _start(self, home: int) -> Future[int]:
        """Start a process, new or in place of a dead one; the future is done once it is there."""
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, mp_context=context, initializer=_prepare_worker)
        self._pools[home] = pool
        with _interrupts_blocked():
            return pool.submit(os.getpid)


def for_each(
    function: Callable[[Item], Answer],
    items: Sequence[Item],
    tell: Callable[[float], None] = lambda _share: None,
) -> list[Answer]:
    """Call a function for every item in worker processes.

    Args:
        function: Of a module.
        items: One for each call.
        tell: Called with the share of the calls that are done, 0 to 1.

    Returns:
        The results in the order of the items.

    Raises:
        WorkerLost: If a worker process was killed.
        Exception: The first error of a call. It ends all calls, and so does Ctrl-C.
    """
    if not items:
        return []
    results: dict[int, Answer] = {}
    waiting = deque(enumerate(items))
    calls: dict[Future[Answer], int] = {}
    count = min(cores(), len(items))
    with interrupt_guard() as check, LocalWorkers(count, check) as workers:
        while waiting or calls:
            while waiting and len(calls) < count:
                number, item = waiting.popleft()
                calls[workers.submit(function, item)] = number
            future = workers.next()
            results[calls.pop(future)] = workers.result(future)
            tell(len(results) / len(items))
            check()
    return [results[number] for number in range(len(items))]


def _prepare_worker() -> None:
    """Leave Ctrl-C to the process that asked for the work, and end when that one does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start processes in which Ctrl-C is blocked from the first moment, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # If it is started later, multiprocessing's own process unblocks the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
