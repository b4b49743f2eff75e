"""Points of a study on their way to the workers and back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from serpenoid.errors import StudyStopped
from serpenoid.studies.cluster import Workers, received
from serpenoid.studies.point import DEADLY, Fault, Group, Task, failed_row, run_group
from serpenoid.studies.store import Store
from serpenoid.studies.study import Study

if TYPE_CHECKING:
    from distributed import Future

# Points are sent in groups that take about this long, s: much longer than sending them takes, and
# not too long to be lost when something is killed. Towards the end they are shorter, so that all
# workers end together, but not shorter than the second number.
_GROUP_SECONDS, _LAST_GROUP_SECONDS = 1.0, 0.1
# A worker that has been at a group for this long, s, hands back the points it has not begun.
_MOST_SECONDS = 2.0
# A first group, of which nobody knows how long it takes.
_FIRST_GROUP = 2
# Runs travel with their group, so that there must not be too many of them.
_MOST_KEPT = 8
# One group under way and one waiting for each worker; more would only pile up.
_GROUPS_PER_WORKER = 2

Tell = Callable[[int, int], None]


class Engine:
    """Sends the points that a store lacks to workers, and puts what comes back into it.

    run_seconds: wall time of the runs alone, summed over workers. groups: in which they were sent.
    """

    def __init__(self, study: Study, store: Store, tell: Tell) -> None:
        self.study, self.store, self.tell = study, store, tell
        self.task = Task.of(study)
        self.waiting = deque(k for k in range(len(study.points)) if k not in store.done)
        # Points whose workers died; to run on another worker; that have been there before.
        self.suspects: list[int] = []
        self.again: dict[int, Fault] = {}
        self.blamed: set[int] = set()
        self.run_seconds, self.groups = 0.0, 0
        self.pace = 0.0  # s for a point, of late: a worker's first points take longer

    def work(self, workers: Workers) -> None:
        """Run all that is left."""
        self.tell(len(self.store.done), len(self.study.points))
        flying: dict[Future, list[int]] = {}
        while self.waiting or self.again or flying:
            while self.again:
                point, fault = self.again.popitem()
                flying[self._send(workers, [point], fault)] = [point]
            while self.waiting and len(flying) < _GROUPS_PER_WORKER * workers.slots:
                points = self._next_group(workers.slots)
                flying[self._send(workers, points)] = points
            future = workers.next()
            self._receive(received(future), flying.pop(future))
        # One of a group has killed its workers. Each alone shows which one: beside others it would
        # be sent to their workers next, and have them blamed.
        for point in self.suspects:
            self._send(workers, [point])
            self._receive(received(workers.next()) or self._deadly(point), [point])

    def kept(self) -> str:
        """What is on the disk, and how to go on."""
        done, points = len(self.store.done), len(self.study.points)
        return (
            f"{done} of {points} points are kept in {self.store.folder}, and the same command goes "
            "on from there"
        )

    def _next_group(self, slots: int) -> list[int]:
        """Points for about a second, fewer towards the end so that all workers end together."""
        size = _FIRST_GROUP
        if self.pace:
            share = -(-len(self.waiting) // (_GROUPS_PER_WORKER * slots))
            least, most = _LAST_GROUP_SECONDS / self.pace, _GROUP_SECONDS / self.pace
            size = round(min(max(share, least), most))
        if self.study.keep_runs:
            size = min(size, _MOST_KEPT)
        return [self.waiting.popleft() for _ in range(min(max(size, 1), len(self.waiting)))]

    def _send(self, workers: Workers, points: Sequence[int], fault: Fault | None = None) -> Future:
        numbered = [(point, self.study.points[point]) for point in points]
        return workers.submit(run_group, self.task, numbered, _MOST_SECONDS, fault=fault)

    def _deadly(self, point: int) -> Group:
        """What comes of a point that kills whoever runs it."""
        seed = self.study.changes(point).get("seed", self.study.scenario.seed)
        return Group([{"point": point} | failed_row(self.study.metrics, DEADLY, seed)])

    def _receive(self, group: Group | None, points: list[int]) -> None:
        """Keep what has come back; None if the workers died."""
        if group is None:
            self.suspects += points
            return
        left = points[len(group.rows) :]
        if group.fault is not None:
            point = left.pop(0)
            if point in self.blamed:
                raise StudyStopped(f"point {point} could not be run: {group.fault.words}")
            self.blamed.add(point)
            self.again[point] = group.fault
        self.waiting.extendleft(reversed(left))
        if group.rows:
            self.store.add(group)
            pace = max(group.seconds, 1e-6) / len(group.rows)
            self.pace = (self.pace + pace) / 2 if self.pace else pace
        self.run_seconds += group.seconds
        self.groups += 1
        self.tell(len(self.store.done), len(self.study.points))
