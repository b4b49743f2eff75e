"""Optimisations: trials of a study, batch by batch, on all cores or on a cluster.

    trials.db           every trial, in SQLite, unless another database is named
    optimisation.json   the owner of the trials, where several folders share a database
    lock                held while an optimisation is at work here

The module `optimisation_results` writes what is made of them at the end.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.control.own import check_allowed
from serpenoid.errors import InvalidInput, StudyStopped
from serpenoid.files import make_folder, write_durably
from serpenoid.progress import study_bar
from serpenoid.studies.cluster import ALL_CORES, Announce, WorkPlace, check_installed
from serpenoid.studies.dispatch import Dispatch
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.parallel import Workers
from serpenoid.studies.point_runner import PointRunner
from serpenoid.studies.preparation import CHECKED_POINTS, prepare
from serpenoid.studies.sampling import Random
from serpenoid.studies.silence import silenced_optuna
from serpenoid.studies.study_folder import locked, read_json
from serpenoid.studies.sweep_runner import load_table

if TYPE_CHECKING:
    import pandas

    from serpenoid.studies.optimisation_results import OptimisationSummary
    from serpenoid.studies.trial_store import Trials

# Called with trials done, trials wanted, and words about the best so far.
Tell = Callable[[int, int, str], None]


def optimise(
    study: Optimisation | str | os.PathLike[str],
    out: str | os.PathLike[str],
    scheduler: str | None = None,
    workers: int | None = None,
    storage: str | None = None,
    *,
    progress: bool = False,
    allow_code: bool = False,
) -> pandas.DataFrame:
    """Search for the best point of a study and return its table.

    Args:
        study: Itself, or its TOML file.
        out: The folder of this study, which gets the table, the best scenario files, a summary and
            figures; what is finished there already is not run again.
        scheduler: Address of a Dask scheduler whose workers do the work.
        workers: Count of processes on this machine otherwise; one for each core if left out.
        storage: URL of a database for the trials, instead of a file in the folder; several machines
            may share one.
        progress: Show a progress bar, on a terminal or in a notebook.
        allow_code: Whether a controller in Python that a file names may be imported.

    Returns:
        The table, one row for every trial.

    Raises:
        InvalidInput: If the study can never work, or the folder holds another one.
        StudyStopped: If it could not go on. What was finished is stored.
    """
    wanted = (
        study
        if isinstance(study, Optimisation)
        else Optimisation.load(study, allow_code=allow_code)
    )
    with study_bar(progress, wanted.optimise.trials, "optimising", "trials") as show:
        run_optimisation(wanted, out, WorkPlace(scheduler, workers), storage, show)
    return load_table(out)


def run_optimisation(
    study: Optimisation,
    out: str | os.PathLike[str],
    place: WorkPlace = ALL_CORES,
    storage: str | None = None,
    tell: Tell = lambda _done, _trials, _words: None,
    announce: Announce = lambda _words: None,
) -> OptimisationSummary:
    """Run the remaining trials of an optimisation and write the results.

    Args:
        study: What to optimise.
        out: Its folder.
        place: Where it runs.
        storage: URL of a database for the trials; a file in the folder if left out.
        tell: Called with the count of trials done, of all trials, and words about the best.
        announce: Called with what else should be said, in a sentence.
    """
    place.check()
    check_installed("optimisations")
    from serpenoid.studies import optimisation_results as results

    check_allowed(study.scenario.controller)
    folder = Path(out)
    if not (folder / "optimisation.json").exists():
        samples = Random(CHECKED_POINTS, seed=study.optimise.seed).points(study.parameters)
        prepare(study, (dict(zip(study.parameters, p, strict=True)) for p in samples))
    make_folder(folder)
    with locked(folder / "lock"), contextlib.closing(_trials(study, folder, storage)) as trials:
        begin, before = time.perf_counter(), trials.done()
        if (there := len(trials.all())) > study.optimise.trials:
            announce(
                f"{folder} has {there} trials, more than trials = {study.optimise.trials}; none is "
                "run, and none is left out"
            )
        if not trials.more() and (summary := results.finished(folder, before)):
            return summary
        with place.open(announce, lambda: _kept(trials, folder)) as workers:
            _run_batches(trials, workers, tell, announce)
            seconds = time.perf_counter() - begin
            return results.write(trials, folder, workers, before, seconds)


def _trials(study: Optimisation, folder: Path, storage: str | None) -> Trials:
    """The trials of a folder, in its own database or in the one that is named."""
    with silenced_optuna():  # its progress bars, which are not used, miss a package in notebooks
        from serpenoid.studies.trial_store import Trials

    if (folder / "study.json").exists():
        raise InvalidInput(f"{folder} holds a sweep; take another folder")
    note = folder / "optimisation.json"
    if note.exists():
        owner = str(read_json(note).get("owner"))
    else:
        owner = secrets.token_hex(8)
        write_durably(note, (json.dumps({"owner": owner}) + "\n").encode())
    place = storage if storage is not None else folder / "trials.db"
    return Trials(study, folder.resolve().name, place, owner, str(folder))


def _kept(trials: Trials, folder: Path) -> str:
    """What is in the database, and how to go on."""
    try:
        done = trials.done()
    except StudyStopped:  # the database is why it was stopped
        return f"what was noted is kept, and the same command for {folder} goes on from there"
    return (
        f"{done} of {trials.search.trials} trials of {folder} are kept, and the same command goes "
        "on from there"
    )


def _run_batches(trials: Trials, workers: Workers, tell: Tell, announce: Announce) -> None:
    """Run batches until there are enough trials."""
    from serpenoid.studies.optimisation_results import best_words

    study, wanted = trials.study, trials.search.trials
    batch, slots = trials.search.batch_size, workers.slots
    if slots > batch:
        announce(
            f"batch = {batch} leaves {slots - batch} of {slots} workers idle; a larger batch "
            "would use them"
        )
    best = best_words(study, trials.rows())
    tell(trials.done(), wanted, best)
    while trials.more():
        chosen = trials.next_batch()
        runner = PointRunner(study.scenario, study.measures, study.skip, rule=trials.rule())
        for answers in Dispatch(workers, runner, chosen, chosen.__getitem__, "trial"):
            for number, attempt in answers.results.items():
                trials.keep(number, attempt or runner.lost)
                tell(trials.done(), wanted, best)
        trials.tell_sampler()
        best = best_words(study, trials.rows())
        tell(trials.done(), wanted, best)
