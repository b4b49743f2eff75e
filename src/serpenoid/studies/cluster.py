"""Processes that do the work: a Dask cluster of this machine's cores, or one that is there."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import multiprocessing
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from serpenoid.errors import InvalidInput
from serpenoid.studies.parallel import cores

if TYPE_CHECKING:
    from distributed import Client

# How long to wait for a scheduler and for its first worker, s each.
_PATIENCE = 5.0
# A group that was under way in so many workers when they died is suspected to have killed them.
_DEATHS = 2

MISSING = "sweeps need Dask and PyArrow, which are not installed: pip install 'serpenoid[studies]'"


def check_installed() -> None:
    """Raise InvalidInput if what sweeps need is missing."""
    if not all(importlib.util.find_spec(name) for name in ("distributed", "pyarrow", "pandas")):
        raise InvalidInput(MISSING)


@contextlib.contextmanager
def connected(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    """A client of the scheduler at an address, or of a cluster made here for as long as it lasts.

    workers: processes of such a cluster; one for each core if left out.
    """
    if scheduler is not None:
        if workers is not None:
            raise InvalidInput(
                f"workers = {workers} is not allowed with a scheduler, which has its own"
            )
        with _client(scheduler) as client:
            yield client
        return
    own = _local_cluster(cores() if workers is None else workers)
    with own as cluster, _client(cluster) as client:
        yield client


def dashboard(client: Client) -> str | None:
    """Address of the scheduler's dashboard, if it has one, which takes Bokeh."""
    try:
        there = client.run_on_scheduler(importlib.util.find_spec, "bokeh") is not None
    except Exception:  # a scheduler may refuse to run anything
        return None
    return str(client.dashboard_link) if there else None


@contextlib.contextmanager
def _client(scheduler: Any) -> Iterator[Client]:
    from distributed import Client

    where = getattr(scheduler, "scheduler_address", scheduler)
    try:
        client = Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        words = "nobody answers" if isinstance(error, OSError) else str(error).splitlines()[0]
        raise InvalidInput(
            f"scheduler {where} cannot be reached: {words}; it must be the address that dask "
            "scheduler has printed, such as tcp://127.0.0.1:8786"
        ) from None
    with client:
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise InvalidInput(
                f"scheduler {where} has no workers; start some with: dask worker {where}"
            ) from None
        yield client


@contextlib.contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """A scheduler in this process and workers in processes of their own."""
    import dask
    from distributed import LocalCluster

    if type(workers) is not int or workers < 1:
        raise InvalidInput(
            f"workers = {workers!r} is not allowed: it must be a whole number, at least 1"
        )
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # A worker imports the script that it works for, and would begin the same sweep again.
        raise InvalidInput("a script that sweeps must do so below: if __name__ == '__main__':")
    settings = {"distributed.scheduler.allowed-failures": _DEATHS}
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
            words = (str(error).splitlines() or [type(error).__name__])[0]
            raise InvalidInput(
                f"worker processes cannot be started: {words}; a script that sweeps must do so "
                "below: if __name__ == '__main__':"
            ) from None
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
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
