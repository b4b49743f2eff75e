"""Work for many items, handed out to workers and collected.

Items travel in groups. An item that fails because memory or disk ran out is tried on another
worker. If a worker dies, every item of its group is run again alone: that shows which one kills.
"""

from __future__ import annotations

import functools
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from serpenoid._version import __version__
from serpenoid.errors import InvalidInput, SerpenoidError, StudyStopped, first_line
from serpenoid.studies.parallel import WorkerLost, Workers

# Want of memory or of disk, a module that is not installed: another worker may do better.
WORKER_FAULTS = (MemoryError, OSError, ImportError)

# Groups take about this long, s: much longer than sending them takes, and short enough to be lost
# in a kill. Towards the end they are shorter, but not below the second number.
_GROUP_SECONDS, _LAST_GROUP_SECONDS = 1.0, 0.1
# A worker that has been at a group for this long, s, returns the items it has not begun.
_LONGEST_GROUP_SECONDS = 2.0
# Size of a group while it is not known how long an item takes.
_FIRST_GROUP = 2
# Remaining items are split into this count of groups for each worker, so that all end together.
_LAST_GROUPS = 2

Work = Callable[[Any], Any]


def reason(error: Exception) -> str:
    """Say in one line what went wrong."""
    line, name = first_line(error), type(error).__name__
    return line if isinstance(error, SerpenoidError) or line == name else f"{name}: {line}"


@dataclass
class Answers:
    """Results of a group of items.

    Attributes:
        results: By number of the item; None for an item that no worker survives.
        seconds: Wall time of the work, s.
        fault: Why the first item without a result was not run, if this is the worker's fault.
    """

    results: dict[int, Any] = field(default_factory=dict)
    seconds: float = 0.0
    fault: str | None = None


def run_items(work: bytes, items: Sequence[tuple[int, Any]], version: str) -> Answers:
    """Do the work for a group of items, in a worker process.

    Args:
        work: A pickled function of an item.
        items: With their numbers. At least the first one is run; none is begun late.
        version: Of the serpenoid that sends them.

    Raises:
        InvalidInput: If this process has another version of serpenoid.
    """
    if version != __version__:
        raise InvalidInput(
            f"a worker has serpenoid {__version__} instead of {version}; install the same "
            "everywhere"
        )
    answers, begin = Answers(), time.perf_counter()
    for number, item in items:
        if answers.results and time.perf_counter() > begin + _LONGEST_GROUP_SECONDS:
            break
        try:
            answers.results[number] = _loaded(work)(item)
        except WORKER_FAULTS as error:
            answers.fault = reason(error)
            break
    answers.seconds = time.perf_counter() - begin
    return answers


@functools.lru_cache(maxsize=1)
def _loaded(work: bytes) -> Work:
    import cloudpickle

    function: Work = cloudpickle.loads(work)
    return function


class Dispatch:
    """Sends items to workers; iterate over it for their results, group by group, in any order.

    Args:
        workers: Who do the work.
        work: A function of an item. It may come from a script or a notebook.
        numbers: Of the items.
        item: Number to item.
        noun: What an item is called in sentences.
        largest_group: Most items that are sent at once.
    """

    def __init__(
        self,
        workers: Workers,
        work: Work,
        numbers: Iterable[int],
        item: Callable[[int], Any],
        noun: str,
        largest_group: int = 1,
    ) -> None:
        import cloudpickle

        self._workers, self._item, self._noun = workers, item, noun
        self._work, self._largest_group = cloudpickle.dumps(work), largest_group
        self._waiting = deque(numbers)
        self._calls: dict[Any, list[int]] = {}
        # Items whose worker died, and those that have been moved to another worker.
        self._suspects: list[int] = []
        self._moved: set[int] = set()
        self._tried_alone: set[int] = set()  # suspects that were sent again, each by itself
        self._pace = 0.0  # s for an item, of late: a worker's first items take longer

    def __iter__(self) -> Iterator[Answers]:
        self._fill()
        while self._calls:
            answers = self._receive()
            self._fill()  # before the answers are stored, so that no worker waits for that
            if answers.results:
                yield answers

    def _fill(self) -> None:
        """Send work to every worker, and at the end one by one the items whose worker died."""
        while self._waiting and len(self._calls) < self._workers.slots:
            count = min(self._group_size(), len(self._waiting))
            self._send([self._waiting.popleft() for _ in range(count)])
        if self._suspects and not self._calls:
            suspect = self._suspects.pop(0)
            self._tried_alone.add(suspect)
            self._send([suspect])

    def _group_size(self) -> int:
        """Items for about a second, fewer towards the end so that all workers end together."""
        size = _FIRST_GROUP
        if self._pace:
            share = -(-len(self._waiting) // (_LAST_GROUPS * self._workers.slots))
            least, most = _LAST_GROUP_SECONDS / self._pace, _GROUP_SECONDS / self._pace
            size = round(min(max(share, least), most))
        return max(1, min(size, self._largest_group))

    def _send(self, numbers: list[int], among: Sequence[Any] | None = None) -> None:
        items = [(number, self._item(number)) for number in numbers]
        call = self._workers.submit(run_items, self._work, items, __version__, among=among)
        self._calls[call] = numbers

    def _receive(self) -> Answers:
        """Wait for the next group."""
        call = self._workers.next()
        numbers = self._calls.pop(call)
        try:
            answers: Answers = self._workers.result(call)
        except WorkerLost:
            if self._tried_alone.issuperset(numbers):
                return Answers(dict.fromkeys(numbers))
            self._suspects += numbers
            return Answers()
        except SerpenoidError:
            raise
        except Exception as error:
            words = f"{type(error).__name__}: {first_line(error)}"
            raise StudyStopped(f"the workers failed: {words}") from None
        left = numbers[len(answers.results) :]
        if answers.fault is not None:
            self._move(left.pop(0), answers.fault, self._workers.others(call))
        self._waiting.extendleft(reversed(left))
        if answers.results:
            pace = max(answers.seconds, 1e-6) / len(answers.results)
            self._pace = (self._pace + pace) / 2 if self._pace else pace
        return answers

    def _move(self, number: int, fault: str, others: Sequence[Any]) -> None:
        """Try an item on another worker, once."""
        if not others:
            raise StudyStopped(f"the only worker failed: {fault}")
        if number in self._moved:
            raise StudyStopped(f"{self._noun} {number} could not be run: {fault}")
        self._moved.add(number)
        self._send([number], among=others)
