"""The workers of a study: processes of this machine, or those of a Dask scheduler."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from serpenoid.checks import whole_number
from serpenoid.errors import (
    InvalidInput,
    OutputError,
    SerpenoidError,
    StudyInterrupted,
    StudyStopped,
)
from serpenoid.interrupts import InterruptCheck, interrupt_guard, no_check
from serpenoid.studies.parallel import MAIN_GUARD, LocalWorkers, WorkerLost, Workers, cores
from serpenoid.studies.silence import silenced_logger
from serpenoid.studies.tls import PATIENCE, check_answer, check_role, client_security, endpoint

if TYPE_CHECKING:
    from distributed import Client, Future

# Period at which workers are counted, and how long there may be none, s.
_COUNT_PERIOD, _LONGEST_WITHOUT_WORKERS = 1.0, 300.0

# Processes of this machine, as many as there may be threads.
_MOST_WORKERS = 1024

# Called with a sentence for the user.
Announce = Callable[[str], None]


# What many runs need: its name, and packages.
_NEEDS = {
    "sweeps": ("Dask and PyArrow", ("distributed", "pyarrow", "pandas")),
    "optimisations": ("Optuna and cmaes", ("optuna", "cmaes")),
}


def check_installed(kind: str = "sweeps") -> None:
    """Raise InvalidInput if what sweeps or optimisations need is missing."""
    names, packages = _NEEDS[kind]
    if not all(map(importlib.util.find_spec, packages)):
        raise InvalidInput(
            f"{kind} need {names}, which are not installed: pip install 'serpenoid[studies]'"
        )


@dataclass(frozen=True)
class WorkPlace:
    """Where the calls of a study run.

    Attributes:
        scheduler: Address of a Dask scheduler, tls://HOST:PORT; None for processes of this machine.
        workers: Count of such processes; None for one on each core.
    """

    scheduler: str | None = None
    workers: int | None = None

    def check(self) -> None:
        """Raise InvalidInput if no workers can be had, before anything is begun."""
        check_installed()
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            # A worker imports the script that it works for, and would begin the same sweep again.
            raise InvalidInput(MAIN_GUARD)
        if self.workers is not None:
            whole_number("workers", self.workers, most=_MOST_WORKERS)
        if self.scheduler is None:
            return
        if self.workers is not None:
            raise InvalidInput(
                f"workers = {self.workers} is not allowed with a scheduler, which has its own"
            )
        endpoint(self.scheduler)
        client_security()

    @contextlib.contextmanager
    def open(self, announce: Announce, kept: Callable[[], str]) -> Iterator[Workers]:
        """Yield the workers; whatever ends the context early says what is kept.

        Args:
            announce: Called with what should be said, in a sentence.
            kept: Returns what is stored, and how to go on.

        Raises:
            StudyInterrupted: After Ctrl-C.
            StudyStopped: If the study cannot go on.
            OutputError: If a file cannot be written.
        """
        try:
            with interrupt_guard() as check, contextlib.ExitStack() as stack:
                if self.scheduler is None:
                    local = LocalWorkers(self.workers or cores(), check)
                    yield stack.enter_context(local)
                else:
                    client = stack.enter_context(_connected(self.scheduler))
                    if link := _dashboard(client):
                        announce(f"dashboard: {link}")
                    yield ClusterWorkers(client, announce, check)
        except KeyboardInterrupt:
            raise StudyInterrupted(f"interrupted; {kept()}") from None
        except (OutputError, StudyStopped) as error:
            raise type(error)(f"{error}; {kept()}") from None


# Processes of this machine, one for each core.
ALL_CORES = WorkPlace()


class ClusterWorkers(Workers):
    """The workers of a Dask client; they may come and go."""

    def __init__(
        self, client: Client, announce: Announce, check_interrupt: InterruptCheck = no_check
    ) -> None:
        super().__init__(check_interrupt)
        self._client, self._announce = client, announce
        self._counted, self._seen, self._announced = 0.0, time.monotonic(), False
        self._restricted: list[tuple[Future, set[str]]] = []
        self._check_workers()

    def submit(
        self, function: Callable[..., Any], *arguments: Any, among: Sequence[str] | None = None
    ) -> Future:
        """Send a call."""
        future = self._client.submit(function, *arguments, workers=among, pure=False, retries=0)
        if among is not None:
            self._restricted.append((future, set(among)))
        future.add_done_callback(self._answers.put)
        return future

    def others(self, future: Future) -> list[str]:
        """List the addresses of all workers except the one that ran a call."""
        homes = self._client.who_has([future]).get(future.key, ())
        return [address for address in self._client.nthreads() if address not in homes]

    def result(self, future: Future) -> Any:
        """Get the result of a finished call; WorkerLost if every worker died that ran it."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise WorkerLost(str(error)) from None
        except Exception as error:
            # Errors of the call itself come back as its result, so this is the connection's.
            if future.cancelled() or isinstance(error, OSError):
                raise StudyStopped("the scheduler was lost") from None
            raise

    def _check_workers(self) -> None:
        """Count the workers, not too often, and say if there are none."""
        now = time.monotonic()
        if now - self._counted < _COUNT_PERIOD:
            return
        threads = self._client.nthreads()
        slots = sum(threads.values())
        self.slots, self._counted = max(1, slots), now
        # Dask would keep such a call for workers that may never come back.
        if slots and any(
            not c.done() and among.isdisjoint(threads) for c, among in self._restricted
        ):
            raise StudyStopped("all workers were lost but one that failed")
        if slots:
            self._seen, self._announced = now, False
        elif now - self._seen > _LONGEST_WITHOUT_WORKERS:
            raise StudyStopped(f"there was no worker for {_LONGEST_WITHOUT_WORKERS:g} s")
        elif now - self._seen > PATIENCE and not self._announced:
            self._announce("there are no workers; waiting for some")
            self._announced = True


def _dashboard(client: Client) -> str | None:
    """The address of the scheduler's dashboard, if it has one, which takes Bokeh."""
    try:
        there = client.run_on_scheduler(importlib.util.find_spec, "bokeh") is not None
    except Exception:  # a scheduler may refuse to run anything
        return None
    return str(client.dashboard_link) if there else None


@contextlib.contextmanager
def _connected(scheduler: str) -> Iterator[Client]:
    """Connect to a scheduler that has workers."""
    from distributed import Client

    security = client_security()
    check_answer(scheduler, security)
    try:
        check_role(scheduler, security)
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False, security=security)
    except OSError:
        raise InvalidInput(
            f"scheduler = {scheduler!r} is not allowed: it does not answer within {PATIENCE:g} s"
        ) from None
    with silenced_logger("distributed.client"), client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise InvalidInput(
                f"scheduler = {scheduler!r} has no workers; start some with: dask worker "
                f"{scheduler} --tls-ca-file CA --tls-cert CERT --tls-key KEY"
            ) from None
        try:
            yield client
        except SerpenoidError:
            raise
        except (Exception, asyncio.CancelledError) as error:
            # A client that has lost its scheduler raises errors of many kinds.
            if client.status == "running" and not isinstance(error, OSError):
                raise
            raise StudyStopped("the scheduler was lost") from None
