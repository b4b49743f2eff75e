"""Points of a study on their way to the workers and back."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from serpenoid.studies.cluster import received
from serpenoid.studies.point import DEADLY, Group, Task, failed_row, run_group
from serpenoid.studies.store import Store
from serpenoid.studies.study import Study

if TYPE_CHECKING:
    from distributed import Client, Future

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
# How often the workers are counted, s.
_COUNT_PERIOD = 1.0

Tell = Callable[[int, int], None]


class Engine:
    """Sends the points that a store lacks to workers, and puts what comes back into it.

    run_seconds: wall time of the runs alone, summed over workers. groups: in which they were sent.
    """

    def __init__(self, study: Study, store: Store, tell: Tell) -> None:
        self.study, self.store, self.tell = study, store, tell
        self.task = Task.of(study)
        self.waiting = deque(k for k in range(len(study.points)) if k not in store.done)
        self.suspects: list[int] = []
        self.run_seconds, self.groups = 0.0, 0
        self.pace = 0.0  # s for a point, of late: a worker's first points take longer
        self.slots, self.counted = 1, 0.0

    def work(self, client: Client) -> None:
        """Run all that is left."""
        from distributed import as_completed

        self.tell(len(self.store.done), len(self.study.points))
        flying: dict[Future, list[int]] = {}
        arrivals = as_completed(loop=client.loop)
        while self.waiting or flying:
            self._count(client)
            while self.waiting and len(flying) < _GROUPS_PER_WORKER * self.slots:
                points = self._next_group()
                future = self._send(client, points)
                flying[future] = points
                arrivals.add(future)
            future = next(arrivals)
            self._receive(future, flying.pop(future))
        # One of a group has killed its workers. Each alone shows which one.
        for point in self.suspects:
            self._receive(self._send(client, [point]), [point], alone=True)

    def kept(self) -> str:
        """What is on the disk, and how to go on."""
        done, points = len(self.store.done), len(self.study.points)
        return (
            f"{done} of {points} points are kept in {self.store.folder}, and the same command goes "
            "on from there"
        )

    def _count(self, client: Client) -> None:
        """How many groups the workers can run at once; workers come and go."""
        now = time.monotonic()
        if now - self.counted > _COUNT_PERIOD:
            self.slots, self.counted = max(1, sum(client.nthreads().values())), now

    def _next_group(self) -> list[int]:
        """Points for about a second, fewer towards the end so that all workers end together."""
        size = _FIRST_GROUP
        if self.pace:
            share = -(-len(self.waiting) // (_GROUPS_PER_WORKER * self.slots))
            least, most = _LAST_GROUP_SECONDS / self.pace, _GROUP_SECONDS / self.pace
            size = round(min(max(share, least), most))
        if self.study.keep_runs:
            size = min(size, _MOST_KEPT)
        return [self.waiting.popleft() for _ in range(min(max(size, 1), len(self.waiting)))]

    def _send(self, client: Client, points: Sequence[int]) -> Future:
        numbered = [(point, self.study.points[point]) for point in points]
        return client.submit(run_group, self.task, numbered, _MOST_SECONDS, pure=False, retries=0)

    def _receive(self, future: Future, points: list[int], alone: bool = False) -> None:
        """Keep what has come back."""
        group: Group | None = received(future)
        if group is None:
            if not alone:
                self.suspects += points
                return
            seed = self.study.changes(points[0]).get("seed", self.study.scenario.seed)
            row = failed_row(self.study.metrics, DEADLY, seed)
            group = Group([{"point": points[0]} | row])
        self.store.add(group)
        self.waiting.extendleft(points[: len(group.rows) - 1 : -1])
        self.run_seconds += group.seconds
        pace = max(group.seconds, 1e-6) / len(group.rows)
        self.pace = (self.pace + pace) / 2 if self.pace else pace
        self.groups += 1
        self.tell(len(self.store.done), len(self.study.points))
