"""Optimisations: trials of a study, batch by batch, on all cores or on a cluster.

    trials.db           every trial, in SQLite, unless another database is named
    optimisation.json   whose trials are whose, where several folders share a database
    lock                held while an optimisation is at work here

What is made of them at the end is in the module `results`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.errors import InvalidInput, OutputError, StudyInterrupted, StudyStopped
from serpenoid.files import make_folder, write_durably
from serpenoid.studies.cluster import (
    Workers,
    check,
    check_installed,
    connected,
    dashboard,
    received,
)
from serpenoid.studies.hearing import heard
from serpenoid.studies.point import DEADLY, Fault, failed_row
from serpenoid.studies.sampling import Random
from serpenoid.studies.search import Optimisation
from serpenoid.studies.store import locked, read_json
from serpenoid.studies.sweeps import LOOKED_AT, load_table, prepare
from serpenoid.studies.trial import Attempt, Work, run_trial

if TYPE_CHECKING:
    import pandas

    from serpenoid.studies.results import Summary
    from serpenoid.studies.trials import Chosen, Trials

# Called with trials done, trials wanted, and words about the best so far.
Tell = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Options:
    """Where an optimisation keeps its trials and who runs them.

    storage: URL of a database; a file in the folder if left out. scheduler: address of a Dask
    scheduler. workers: processes on this machine otherwise, one for each core if left out.
    """

    storage: str | None = None
    scheduler: str | None = None
    workers: int | None = None


def optimise(
    study: Optimisation | str | os.PathLike[str],
    out: str | os.PathLike[str],
    scheduler: str | None = None,
    workers: int | None = None,
    storage: str | None = None,
) -> pandas.DataFrame:
    """Look for the best point of a study and return its table, a row for every trial.

    study: itself, or its TOML file. out: the folder of this study, which gets the table, the best
    scenario files, a summary and figures; what is finished there already is not run again.
    scheduler: address of a Dask scheduler whose workers do the work. workers: processes on this
    machine otherwise, one for each core if left out. storage: URL of a database to keep trials in,
    instead of a file in the folder; several machines may share one.
    """
    check_optuna()
    wanted = study if isinstance(study, Optimisation) else Optimisation.load(study)
    run_search(wanted, out, Options(storage, scheduler, workers))
    return load_table(out)


def check_optuna() -> None:
    """Raise InvalidInput if what optimisations need is missing."""
    check_installed()
    if not all(importlib.util.find_spec(name) for name in ("optuna", "cmaes")):
        raise InvalidInput(
            "optimisations need Optuna and cmaes, which are not installed: pip install "
            "'serpenoid[studies]'"
        )


def run_search(
    study: Optimisation,
    out: str | os.PathLike[str],
    options: Options | None = None,
    tell: Tell = lambda _done, _trials, _words: None,
    announce: Callable[[str], None] = lambda _words: None,
) -> Summary:
    """Run what is left of an optimisation and write what came of it.

    tell: called with the number of trials done, of all, and words about the best. announce: called
    with what else should be said, in a sentence.
    """
    options = options or Options()
    check_optuna()
    check(options.scheduler, options.workers)
    from serpenoid.studies import results

    folder = Path(out)
    if not (folder / "optimisation.json").exists():
        samples = Random(LOOKED_AT, seed=study.optimise.seed).points(study.parameters)
        prepare(study, (dict(zip(study.parameters, p, strict=True)) for p in samples))
    make_folder(folder)
    with locked(folder / "lock"), contextlib.closing(_trials(study, folder, options)) as trials:
        engine = _Engine(study, trials, tell)
        begin, before = time.perf_counter(), trials.done()
        if (there := len(trials.all())) > study.optimise.trials:
            announce(
                f"{folder} has {there} trials, more than trials = {study.optimise.trials}; none is "
                "run, and none is left out"
            )
        if not trials.more() and (summary := results.finished(folder, before)):
            return summary
        try:
            with (
                heard() as heed,
                connected(options.scheduler, options.workers) as client,
            ):
                if link := dashboard(client):
                    announce(f"dashboard: {link}")
                workers = Workers(client, announce, heed)
                engine.work(workers)
                seconds = time.perf_counter() - begin
                rows = trials.rows()
                best = results.run_again(study, rows, workers)
            return results.write(study, trials, rows, folder, best, before, seconds)
        except KeyboardInterrupt:
            raise StudyInterrupted(f"interrupted; {engine.kept(folder)}") from None
        except OutputError as error:
            raise OutputError(f"{error}; {engine.kept(folder)}") from None
        except StudyStopped as error:
            raise StudyStopped(f"{error}; {engine.kept(folder)}") from None


def _trials(study: Optimisation, folder: Path, options: Options) -> Trials:
    """The trials of a folder, in its own database or in the one that is named."""
    from serpenoid.studies.trials import Trials

    if (folder / "study.json").exists():
        raise InvalidInput(f"{folder} holds a sweep; take another folder")
    note = folder / "optimisation.json"
    if note.exists():
        owner = str(read_json(note).get("owner"))
    else:
        owner = secrets.token_hex(8)
        write_durably(note, (json.dumps({"owner": owner}) + "\n").encode())
    place = options.storage if options.storage is not None else folder / "trials.db"
    return Trials(study, folder.resolve().name, place, owner, str(folder))


class _Engine:
    """Sends trials to workers batch by batch, and notes what comes back."""

    def __init__(self, study: Optimisation, trials: Trials, tell: Tell) -> None:
        self.study, self.trials, self.tell = study, trials, tell
        self.best = ""

    def work(self, workers: Workers) -> None:
        """Run batches until there are enough trials."""
        batch, slots = self.study.optimise.batch_size, workers.slots
        if slots > batch:
            workers.announce(
                f"batch = {batch} leaves {slots - batch} of {slots} workers idle; a larger batch "
                "would use them"
            )
        self._report()
        while self.trials.more():
            self._run(workers, self.trials.next_batch())
            self.trials.settle()
            self._report()

    def kept(self, folder: Path) -> str:
        """What is in the database, and how to go on."""
        try:
            done = self.trials.done()
        except StudyStopped:  # the database is why it was stopped
            return f"what was noted is kept, and the same command for {folder} goes on from there"
        return (
            f"{done} of {self.study.optimise.trials} trials of {folder} are kept, and the same "
            "command goes on from there"
        )

    def _run(self, workers: Workers, chosen: list[Chosen]) -> None:
        """Run a batch; what kills its workers is tried again alone."""
        work = Work.of(self.study, self.trials.rule())
        flying = {workers.submit(run_trial, work, one.changes): one for one in chosen}
        suspects: list[Chosen] = []
        blamed: set[int] = set()
        while flying:
            future = workers.next()
            one, attempt = flying.pop(future), received(future)
            if attempt is None:
                suspects.append(one)
            elif isinstance(attempt, Fault):
                if one.number in blamed:
                    raise StudyStopped(f"trial {one.number} could not be run: {attempt.words}")
                blamed.add(one.number)
                flying[workers.submit(run_trial, work, one.changes, fault=attempt)] = one
            else:
                self._keep(one, attempt)
        for one in suspects:
            attempt = None
            if len(chosen) > 1:  # it was not alone, and another one may be to blame
                workers.submit(run_trial, work, one.changes)
                attempt = received(workers.next())
            if isinstance(attempt, Fault):
                raise StudyStopped(f"trial {one.number} could not be run: {attempt.words}")
            if attempt is None:
                seed = one.changes.get("seed", self.study.scenario.seed)
                attempt = Attempt(failed_row(self.study.measured, DEADLY, seed))
            self._keep(one, attempt)

    def _keep(self, one: Chosen, attempt: Attempt) -> None:
        self.trials.keep(one.number, attempt)
        self.tell(self.trials.done(), self.study.optimise.trials, self.best)

    def _report(self) -> None:
        """Say how far it is, and what is best."""
        from serpenoid.studies.results import best_words

        self.best = best_words(self.study, self.trials.rows())
        self.tell(self.trials.done(), self.study.optimise.trials, self.best)
