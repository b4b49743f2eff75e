"""Sweeps: all points of a study on all cores, or on a cluster, finished once and for all."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serpenoid.errors import (
    Interrupted,
    InvalidInput,
    OutputError,
    SerpenoidError,
    StudyInterrupted,
    StudyStopped,
)
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies.cluster import Workers, check, check_installed, connected, dashboard
from serpenoid.studies.hearing import heard
from serpenoid.studies.metrics import METRICS
from serpenoid.studies.sampling import Value
from serpenoid.studies.scheduler import Engine, Tell
from serpenoid.studies.store import Store
from serpenoid.studies.study import Runs, Study
from serpenoid.studies.table import read

if TYPE_CHECKING:
    import pandas

# So many points are looked at for one that is a valid scenario.
LOOKED_AT = 200


@dataclass(frozen=True)
class Outcome:
    """How a sweep went.

    points: all of them. before: how many were done when it began. seconds: wall time of what it
    ran. run_seconds: of the runs alone, summed over workers. groups: in which they were sent.
    """

    points: int
    before: int
    seconds: float = 0.0
    run_seconds: float = 0.0
    groups: int = 0


def sweep(
    study: Study | str | os.PathLike[str],
    out: str | os.PathLike[str],
    scheduler: str | None = None,
    workers: int | None = None,
) -> pandas.DataFrame:
    """Run all points of a study and return its table, a row for every point.

    study: itself, or its TOML file. out: the folder of this study; what is finished there already
    is not run again. scheduler: address of a Dask scheduler whose workers do the work. workers:
    processes on this machine otherwise, one for each core if left out.
    """
    check_installed()
    wanted = study if isinstance(study, Study) else Study.load(study)
    run_study(wanted, out, scheduler, workers)
    return load_table(out)


def load_table(out: str | os.PathLike[str]) -> pandas.DataFrame:
    """The table of a finished study, from its folder; `table.attrs["units"]` has the units."""
    check_installed()
    file = Path(out) / "table.parquet"
    if not file.exists():
        raise InvalidInput(f"{out} has no table.parquet: no study was finished there")
    stored = read(file)
    table = stored.to_pandas()
    noted = {field.name: field.metadata or {} for field in stored.schema}
    table.attrs["units"] = {name: m[b"unit"].decode() for name, m in noted.items() if b"unit" in m}
    return table


def run_study(
    study: Study,
    out: str | os.PathLike[str],
    scheduler: str | None = None,
    workers: int | None = None,
    tell: Tell = lambda _done, _points: None,
    announce: Callable[[str], None] = lambda _words: None,
) -> Outcome:
    """Run what is left of a study and write its table.

    tell: called with the number of points done and of all. announce: called with what else
    should be said, in a sentence.
    """
    check(scheduler, workers)
    total = len(study.points)
    if not (Path(out) / "table.parquet").exists():
        prepare(study, some_points(study))
    with Store(out, study) as store:
        before = len(store.done)
        if before == total:
            store.finish()
            return Outcome(total, before)
        begin = time.perf_counter()
        engine = Engine(study, store, tell)
        try:
            with heard() as heed, connected(scheduler, workers) as client:
                if link := dashboard(client):
                    announce(f"dashboard: {link}")
                engine.work(Workers(client, announce, heed))
            store.finish()
        except KeyboardInterrupt:
            raise StudyInterrupted(f"interrupted; {engine.kept()}") from None
        except OutputError as error:
            raise OutputError(f"{error}; {engine.kept()}") from None
        except StudyStopped as error:
            raise StudyStopped(f"{error}; {engine.kept()}") from None
        seconds = time.perf_counter() - begin
        return Outcome(total, before, seconds, engine.run_seconds, engine.groups)


def prepare(study: Runs, points: Iterable[Mapping[str, Value]]) -> None:
    """Compile what the runs need, and refuse a study that can never work.

    points: of the study, all or LOOKED_AT of them. What goes wrong with some is for their rows.
    """
    looked_at, reason, solvers = list(points), "", set()
    for changes in looked_at:
        try:
            scenario = _checked(study, changes)
        except InvalidInput as error:
            reason = reason or str(error)
            continue
        if type(scenario.solver) not in solvers:
            solvers.add(type(scenario.solver))
            _compile(scenario)
        if not any(key.startswith("solver") for key in study.parameters):
            return
    if not solvers and (len(looked_at) < LOOKED_AT or _hopeless(study, looked_at)):
        raise InvalidInput(reason)


def some_points(study: Study) -> Iterator[dict[str, Value]]:
    """Points of a study, not too many, from all over it."""
    points = len(study.points)
    chosen = random.Random(0).sample(range(points), min(points, LOOKED_AT))
    return (study.changes(point) for point in sorted(chosen))


def _checked(study: Runs, changes: Mapping[str, Value]) -> Scenario:
    """The scenario of a point, of which all that is asked for could be told."""
    scenario = study.scenario.changed(changes)
    if study.skip >= scenario.clock.duration:
        raise InvalidInput(
            f"skip = {study.skip:g} is not allowed: runs last {scenario.clock.duration:g} s"
        )
    for name in study.measured:
        try:
            METRICS[name].check(scenario)
        except InvalidInput as error:
            raise InvalidInput(f"metrics: {name!r} is not allowed: {error}") from None
    return scenario


def _hopeless(study: Runs, points: Sequence[Mapping[str, Value]]) -> bool:
    """Whether one of the parameters alone is wrong wherever it was looked at."""

    def wrong(changes: Mapping[str, Value]) -> bool:
        try:
            _checked(study, changes)
        except InvalidInput:
            return True
        return False

    return any(all(wrong({key: point[key]}) for point in points) for key in study.parameters)


def _compile(scenario: Scenario) -> None:
    """The first moment of a run, which compiles its solver; what it comes to is for its row."""
    try:
        scenario.run(duration=scenario.record.period)
    except Interrupted:
        raise
    except SerpenoidError:
        return
