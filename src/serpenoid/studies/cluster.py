"""Processes that do the work: a Dask cluster of this machine's cores, or one that is there."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
import multiprocessing
import queue
import re
import signal
import socket
import time
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Any

from serpenoid.errors import InvalidInput, SerpenoidError, StudyStopped, first_line
from serpenoid.studies.hearing import Heed
from serpenoid.studies.parallel import cores
from serpenoid.studies.quiet import silent

if TYPE_CHECKING:
    from distributed import Client, Future

    from serpenoid.studies.point import Fault

# How long to wait for somebody else's scheduler and for its first worker, s each; and for our own,
# which are there for sure, on a machine that may be busy.
_PATIENCE, _OWN_PATIENCE = 4.0, 60.0
# How often workers are counted, and how long they may all be away once there were some, s.
_COUNT_PERIOD, _MOST_ALONE = 1.0, 300.0
# A group that was under way when more workers than this died is suspected to have killed them.
_DEATHS = 1

_ADDRESS = r"(?:(?:tcp|tls|wss?)://)?[^\s/]+:\d{1,5}"
_GUARD = "a script that sweeps must do so below: if __name__ == '__main__':"


def check(scheduler: str | None, workers: int | None) -> None:
    """Raise InvalidInput for what no cluster can come of, before anything is begun."""
    check_installed()
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # A worker imports the script that it works for, and would begin the same sweep again.
        raise InvalidInput(_GUARD)
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InvalidInput(
            f"workers = {workers!r} is not allowed: it must be a whole number, at least 1"
        )
    if scheduler is None:
        return
    if workers is not None:
        raise InvalidInput(
            f"workers = {workers} is not allowed with a scheduler, which has its own"
        )
    if not re.fullmatch(_ADDRESS, str(scheduler)):
        raise InvalidInput(
            f"scheduler = {scheduler!r} is not allowed: it must be an address as dask scheduler "
            "prints it, such as tcp://127.0.0.1:8786"
        )


def check_installed() -> None:
    """Raise InvalidInput if what sweeps need is missing."""
    if not all(importlib.util.find_spec(name) for name in ("distributed", "pyarrow", "pandas")):
        raise InvalidInput(
            "sweeps need Dask and PyArrow, which are not installed: pip install "
            "'serpenoid[studies]'"
        )


@contextlib.contextmanager
def connected(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    """A client of the scheduler at an address, or of a cluster made here for as long as it lasts.

    workers: processes of such a cluster; one for each core if left out.
    """
    if scheduler is not None:
        with _client(scheduler, _PATIENCE) as client:
            yield client
        return
    own = _local_cluster(workers or cores())
    with own as cluster, _client(cluster, _OWN_PATIENCE) as client:
        yield client


def received(future: Future) -> Any:
    """What a worker has sent back; None if every worker died that ran it."""
    from distributed import KilledWorker

    try:
        result = future.result()
    except KilledWorker:
        return None
    except InvalidInput:
        raise
    except Exception as error:
        if future.cancelled():
            raise StudyStopped("the scheduler was lost") from None
        words = f"{type(error).__name__}: {first_line(error)}"
        raise StudyStopped(f"the workers failed: {words}") from None
    future.release()
    return result


class Workers:
    """The workers of a client, who are sent calls and answer in any order.

    announce: called with what should be said, in a sentence. heed: raises KeyboardInterrupt if
    there was one. slots: how many calls they run at once; workers come and go.
    """

    def __init__(
        self,
        client: Client,
        announce: Callable[[str], None] = lambda _words: None,
        heed: Heed = lambda: None,
    ) -> None:
        self.client, self.announce, self.heed = client, announce, heed
        self.slots = 1
        self._answers: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._counted, self._seen, self._said = 0.0, time.monotonic(), False
        self.count()

    def submit(
        self, function: Callable[..., Any], *arguments: Any, fault: Fault | None = None
    ) -> Future:
        """Send a call; fault: what it met with before, on a worker that is to be avoided."""
        others = None
        if fault is not None:
            others = [address for address in self.client.nthreads() if address != fault.worker]
            if not others:
                raise StudyStopped(f"the only worker failed: {fault.words}")
        future = self.client.submit(
            function,
            *arguments,
            workers=others,
            allow_other_workers=others is not None,
            pure=False,
            retries=0,
        )
        future.add_done_callback(self._answers.put)
        return future

    def next(self) -> Future:
        """The next call that is done; StudyStopped if there have been no workers for long."""
        while True:
            self.heed()
            self.count()
            with contextlib.suppress(queue.Empty):
                return self._answers.get(timeout=_COUNT_PERIOD)

    def count(self) -> None:
        """Count the workers, not too often."""
        now = time.monotonic()
        if now - self._counted < _COUNT_PERIOD:
            return
        slots = sum(self.client.nthreads().values())
        self.slots, self._counted = max(1, slots), now
        if slots:
            self._seen, self._said = now, False
        elif now - self._seen > _MOST_ALONE:
            raise StudyStopped(f"there was no worker for {_MOST_ALONE:g} s")
        elif now - self._seen > _PATIENCE and not self._said:
            self.announce("there are no workers; waiting for some")
            self._said = True


def dashboard(client: Client) -> str | None:
    """Address of the scheduler's dashboard, if it has one, which takes Bokeh."""
    try:
        there = client.run_on_scheduler(importlib.util.find_spec, "bokeh") is not None
    except Exception:  # a scheduler may refuse to run anything
        return None
    return str(client.dashboard_link) if there else None


@contextlib.contextmanager
def _client(scheduler: Any, patience: float) -> Iterator[Client]:
    from distributed import Client

    where = str(getattr(scheduler, "scheduler_address", scheduler))
    try:
        # Where packets are lost without a word, a client would wait longer than it was told.
        with socket.create_connection(_endpoint(where), timeout=patience):
            pass
        client = Client(scheduler, timeout=patience, set_as_default=False)
    except (OSError, OverflowError):
        raise InvalidInput(
            f"scheduler = {where!r} is not allowed: nobody answers there within {patience:g} s"
        ) from None
    with silent("distributed.client"), client:
        try:
            client.wait_for_workers(1, timeout=patience)
        except TimeoutError:
            raise InvalidInput(
                f"scheduler = {where!r} has no workers; start some with: dask worker {where}"
            ) from None
        try:
            yield client
        except SerpenoidError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            # A client that has lost its scheduler raises this and that.
            if client.status == "running" and not isinstance(error, OSError):
                raise
            raise StudyStopped("the scheduler was lost") from None


def _endpoint(address: str) -> tuple[str, int]:
    """Host and port of an address such as tcp://127.0.0.1:8786."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    return host.strip("[]"), int(port)


@contextlib.contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """A scheduler in this process and workers in processes of their own."""
    import dask
    from distributed import LocalCluster

    settings = {
        "distributed.scheduler.allowed-failures": _DEATHS,
        # It looks at the worker's stack a hundred times a second, a sixth of the time of our runs.
        "distributed.worker.profile.enabled": False,
        # Groups take about a second; to look after them fifty times as often is for nothing.
        "distributed.admin.tick.interval": "500ms",
        "distributed.worker.memory.monitor-interval": "500ms",
    }
    with dask.config.set(settings), _undisturbed_children():
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            )
        except (OSError, RuntimeError) as error:
            words = first_line(error).rstrip(".")
            raise InvalidInput(f"worker processes do not start ({words}); {_GUARD}") from None
    with cluster:
        yield cluster


@contextlib.contextmanager
def _undisturbed_children() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal; the one that asked for the work handles it.

    What is blocked here stays blocked in the cluster's thread and in all processes it starts. In
    this thread a signal that came meanwhile is answered at the end.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Where it starts first, multiprocessing's own process unblocks them again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
