"""Worker processes of this machine, and a function over many items on all cores."""

from __future__ import annotations

import abc
import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import threading
import traceback
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from serpenoid.errors import InvalidInput, SerpenoidError, StudyStopped, first_line
from serpenoid.interrupts import STOPS, InterruptCheck, interrupt_guard, no_check

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Period of the interrupt check while workers are busy, s.
_CHECK_PERIOD = 0.5
# So many processes in a row may be killed before they take a call.
_MOST_STARTS = 5
# A process has this time to end after its pipe, s.
_END_TIME = 5.0

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
            self._check_workers()
            with contextlib.suppress(queue.Empty):
                return self._answers.get(timeout=_CHECK_PERIOD)

    def _check_workers(self) -> None:  # noqa: B027 (local workers need no care)
        """Check the workers while waiting."""


class LocalWorkers(Workers):
    """Processes of this machine; a context that ends them with it."""

    def __init__(self, count: int, check_interrupt: InterruptCheck = no_check) -> None:
        super().__init__(check_interrupt)
        self.slots = count
        self._workers: list[_LocalWorker] = []
        self._homes: weakref.WeakKeyDictionary[Future[Any], int] = weakref.WeakKeyDictionary()

    def __enter__(self) -> LocalWorkers:
        try:
            self._workers += (_LocalWorker() for _ in range(self.slots))
            for started in [worker.submit(os.getpid) for worker in self._workers]:
                started.result()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.join()

    def submit(
        self, function: Callable[..., Any], *arguments: Any, among: Sequence[int] | None = None
    ) -> Future[Any]:
        """Send a call to the worker that has least to do."""
        calls = Counter(home for call, home in self._homes.items() if not call.done())
        home = min(range(self.slots) if among is None else among, key=lambda k: calls[k])
        future = self._workers[home].submit(function, *arguments)
        self._homes[future] = home
        future.add_done_callback(self._answers.put)
        return future

    def others(self, future: Future[Any]) -> list[int]:
        """List the workers except the one that ran a call."""
        return [k for k in range(self.slots) if k != self._homes[future]]

    def result(self, future: Future[Any]) -> Any:
        """Get the result of a finished call."""
        return future.result()


# Processes are started one after the other, and none once it is known that they shall end.
_STARTING = threading.Lock()


class _LocalWorker:
    """A process that is replaced if it dies, and the thread that talks to it.

    This process keeps one end of a pipe only, so that the pipe ends when the process does, in the
    middle of an answer too.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Future[Any], bytes] | None] = queue.SimpleQueue()
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection
        self._killed = False
        self._thread = threading.Thread(target=self._answer_calls, daemon=True)
        self._thread.start()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have the process call a function, after all earlier calls."""
        future: Future[Any] = Future()
        self._calls.put((future, pickle.dumps((function, arguments))))
        return future

    def kill(self) -> None:
        """End the process and its calls."""
        with _STARTING:
            self._killed = True
            if self._process is not None:
                self._process.kill()
        self._calls.put(None)

    def join(self) -> None:
        """Wait for the process to have ended."""
        self._thread.join()
        if self._process is not None:
            self._await_end(self._process)

    def _answer_calls(self) -> None:
        while (call := self._calls.get()) is not None:
            future, message = call
            try:
                future.set_result(self._answer(message))
            except BaseException as error:
                future.set_exception(error)

    def _answer(self, message: bytes) -> Any:
        """What the process answers to a call; raise what the call raises.

        Raises:
            WorkerLost: If the process dies while it runs the call.
            StudyStopped: If processes are killed, again and again, before they can take the call.
            InvalidInput: If processes end by themselves before that.
        """
        for _ in range(_MOST_STARTS):
            fresh = self._process is None
            process = self._process or self._start()
            try:
                self._pipe.send_bytes(message)
                self._pipe.recv_bytes()  # empty: it has taken the call
            except (EOFError, OSError):
                code = self._await_end(process)
                if fresh and code >= 0:
                    raise InvalidInput(
                        f"worker processes end before they can begin, with exit code {code}, and "
                        f"print why; {MAIN_GUARD}"
                    ) from None
                continue
            try:
                answer = self._pipe.recv_bytes()
            except (EOFError, OSError):
                self._await_end(process)
                words = "a worker process was killed, perhaps because memory ran out"
                raise WorkerLost(words) from None
            succeeded, value = pickle.loads(answer)
            if not succeeded:
                raise value
            return value
        raise StudyStopped(
            f"{_MOST_STARTS} worker processes were killed before they could begin, perhaps "
            "because memory ran out"
        )

    def _start(self) -> multiprocessing.process.BaseProcess:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,))
        with _STARTING, theirs, _stops_blocked():
            if self._killed:
                raise WorkerLost("the worker processes have been ended")
            process.start()
            self._process = process
        return process

    def _await_end(self, process: multiprocessing.process.BaseProcess) -> int:
        """Wait for the process, whose pipe has ended, and return its exit code."""
        self._pipe.close()
        process.join(_END_TIME)
        process.kill()  # one that has closed its pipe and does not end
        process.join()
        self._process = None
        return process.exitcode or 0


def _serve(pipe: Connection) -> None:
    """Answer calls, in a worker process, until the other end of the pipe is closed."""
    # Ctrl-C is left to the process that asked for the work; that one ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            message = pipe.recv_bytes()
            pipe.send_bytes(b"")
            pipe.send_bytes(_called(message))


def _called(message: bytes) -> bytes:
    """Call a function; pickle whether it succeeded, and its result or error."""
    try:
        function, arguments = pickle.loads(message)
        return pickle.dumps((True, function(*arguments)))
    except BaseException as error:
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        try:
            return pickle.dumps((False, error))
        except Exception:
            words = f"{type(error).__name__}: {first_line(error)}"
            return pickle.dumps((False, StudyStopped(words)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextlib.contextmanager
def _stops_blocked() -> Iterator[None]:
    """Start processes in which Ctrl-C is blocked from the first moment, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # If it is started later, multiprocessing's own process unblocks the signals.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
        WorkerLost: If two worker processes were killed that ran the same call.
        Exception: The first error of a call. It ends all calls, and so does Ctrl-C.
    """
    if not items:
        return []
    results: dict[int, Answer] = {}
    waiting = deque(enumerate(items))
    again: set[int] = set()  # calls whose worker was killed
    calls: dict[Future[Answer], int] = {}
    count = min(cores(), len(items))
    with interrupt_guard() as check, LocalWorkers(count, check) as workers:
        while waiting or calls:
            while waiting and len(calls) < count:
                number, item = waiting.popleft()
                calls[workers.submit(function, item)] = number
            future = workers.next()
            number = calls.pop(future)
            try:
                results[number] = workers.result(future)
            except WorkerLost:
                if number in again:
                    raise
                again.add(number)
                waiting.append((number, items[number]))
            tell(len(results) / len(items))
            check()
    return [results[number] for number in range(len(items))]
