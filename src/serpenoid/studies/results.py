"""What an optimisation leaves in its folder: table, best scenarios, summary, figures.

    table.parquet      every trial
    best.toml          the best scenario, of one objective
    pareto/0017.toml   those that no other one beats in all objectives, by trial
    figures/           history, importance and so on, each as PNG and PDF
    summary.json       written last

The best ones have been run again from their files, and measured the same.
"""

from __future__ import annotations

import dataclasses
import json
import math
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from serpenoid.files import dumps, make_folder, write_bytes, write_text
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies import table
from serpenoid.studies.cluster import Workers, received
from serpenoid.studies.metrics import METRICS, Measure
from serpenoid.studies.point import WORKER_FAULTS, Row, failed_row, measure, reason
from serpenoid.studies.sampling import Value
from serpenoid.studies.search import Optimisation

if TYPE_CHECKING:
    from serpenoid.studies.trials import Trials

# Metrics of the same scenario agree to this on one kind of machine, relatively.
_SAME = 1e-9


@dataclass(frozen=True)
class Best:
    """One of the best trials.

    parameters: dotted keys to values. metrics: as the trial has them. again: as the scenario in the
    file has them, run anew; None where nothing was measured. file: of the scenario.
    """

    trial: int
    parameters: dict[str, Value]
    metrics: dict[str, float | None]
    again: dict[str, float | None]
    file: str = ""

    @property
    def same(self) -> bool:
        """Whether the file gives what the trial gave."""
        return all(_near(value, self.again[name]) for name, value in self.metrics.items())


@dataclass(frozen=True)
class Summary:
    """An optimisation in a few numbers.

    trials: by state, 'running' those under way elsewhere. feasible: complete ones that meet all
    constraints. before: trials that had ended when it began. seconds: wall time. best: the best
    trial, or the Pareto front. importances: objective to parameter to share. errors: reasons to how
    many trials have them, most first.
    """

    title: str
    folder: str
    objectives: dict[str, str]
    trials: dict[str, int]
    feasible: int
    before: int
    seconds: float
    best: tuple[Best, ...] = ()
    importances: dict[str, dict[str, float]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)

    @property
    def ended(self) -> int:
        """Trials that are not under way."""
        return sum(self.trials.values()) - self.trials["running"]

    @property
    def same(self) -> bool:
        """Whether there is a best one and all of them gave the same again."""
        return bool(self.best) and all(one.same for one in self.best)

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        data = asdict(self)
        for one, best in zip(data["best"], self.best, strict=True):
            one["same"] = best.same
        return data

    def line(self) -> str:
        """How many trials, how many of them now and how fast."""
        counts = ", ".join(f"{n} {state}" for state, n in self.trials.items() if n)
        words = f"{sum(self.trials.values())} trials: {counts or 'none'}"
        now = self.ended - self.before
        if self.before:
            words += f"; {self.before} of them were there already"
        return f"{words}; {now} in {self.seconds:.3g} s" if now else words


def finished(folder: Path, ended: int) -> Summary | None:
    """The summary of a folder in which nothing is left to do; ended: trials in its database."""
    try:
        data = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        data["best"] = tuple(
            Best(**{name: one[name] for name in one if name != "same"}) for one in data["best"]
        )
        summary = Summary(**data)
        if summary.ended != ended:
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return dataclasses.replace(summary, folder=str(folder), before=ended, seconds=0.0)


def best_rows(study: Optimisation, rows: Sequence[Row]) -> list[Row]:
    """The best of the trials that meet all constraints, or those that no other one beats.

    Of several that are equally good in all objectives it is the first.
    """
    ways = study.optimise.objectives
    good = [row for row in rows if row["feasible"]]
    if not study.optimise.several:
        ((name, way),) = ways.items()
        sign = 1.0 if way == "minimise" else -1.0
        return sorted(good, key=lambda row: (sign * row[name], row["trial"]))[:1]

    def losses(row: Row) -> list[float]:
        return [row[name] if way == "minimise" else -row[name] for name, way in ways.items()]

    def beaten(row: Row) -> bool:
        mine = losses(row)
        return any(
            theirs != mine and all(a <= b for a, b in zip(theirs, mine, strict=True))
            for theirs in map(losses, good)
        )

    front: dict[tuple[float, ...], Row] = {}
    for row in sorted(good, key=lambda row: (losses(row), row["trial"])):
        if not beaten(row):
            front.setdefault(tuple(losses(row)), row)
    return list(front.values())


def best_words(study: Optimisation, rows: Sequence[Row]) -> str:
    """The best so far in a few words."""
    best = best_rows(study, rows)
    if not best:
        return "none good yet"
    if study.optimise.several:
        return f"{len(best)} on the front"
    (name,) = study.optimise.objectives
    return f"best {best[0][name]:.4g}"


def run_again(
    study: Optimisation, rows: Sequence[Row], workers: Workers
) -> list[tuple[Best, Scenario]]:
    """Run the best ones again from the text of their scenario files."""
    metrics = {name: METRICS[name].measure for name in study.measured}
    runs = []
    for row in best_rows(study, rows):
        changes = {key: row[key] for key in study.parameters}
        scenario = study.scenario.changed(changes)
        future = workers.submit(_measured_again, scenario.dumps(), metrics, study.skip)
        runs.append((row, changes, scenario, future))
    answers = {}
    for _ in runs:
        future = workers.next()
        answers[future] = received(future)
    best = []
    for row, changes, scenario, future in runs:
        again = answers[future] or failed_row(study.measured, None, scenario.seed)
        first, second = (_numbers(each, study.measured) for each in (row, again))
        one = Best(row["trial"], changes, first, second)
        best.append((one, scenario))
    return best


def _measured_again(text: str, metrics: Mapping[str, Measure], skip: float) -> Row:
    row = failed_row(list(metrics), None, 0)
    try:
        return row | measure(Scenario.loads(text).run(), metrics, skip)
    except WORKER_FAULTS:
        raise
    except Exception as error:
        return row | {"error": reason(error)}


def write(
    study: Optimisation,
    trials: Trials,
    rows: Sequence[Row],
    folder: Path,
    best: Sequence[tuple[Best, Scenario]],
    before: int,
    seconds: float,
) -> Summary:
    """Write all that is left at the end, the summary last."""
    from serpenoid.studies.study_figures import draw

    (folder / "summary.json").unlink(missing_ok=True)
    kept = _write_best(study, folder, best)
    states = Counter(row["state"] for row in rows)
    reasons = Counter(row["error"] for row in rows if row["state"] == "failed")
    summary = Summary(
        title=study.title,
        folder=str(folder),
        objectives=dict(study.optimise.objectives),
        trials={state: states[state] for state in ("complete", "pruned", "failed", "running")},
        feasible=sum(row["feasible"] for row in rows),
        before=before,
        seconds=round(seconds, 3),
        best=kept,
        importances=trials.importances(),
        errors=dict(reasons.most_common()),
    )
    chosen = {one.trial for one in kept}
    columns = table.search_schema(study)
    stored = table.filled(columns, [row | {"best": row["trial"] in chosen} for row in rows])
    write_bytes(folder / "table.parquet", table.to_parquet(stored))
    draw(trials, folder, summary.importances)
    write_text(folder / "summary.json", dumps(summary.plain()))
    return summary


def _write_best(
    study: Optimisation, folder: Path, best: Sequence[tuple[Best, Scenario]]
) -> tuple[Best, ...]:
    """Scenario files of the best ones, and none of what was best before."""
    pareto = folder / "pareto"
    shutil.rmtree(pareto, ignore_errors=True)
    (folder / "best.toml").unlink(missing_ok=True)
    if study.optimise.several and best:
        make_folder(pareto)
    kept = []
    for one, scenario in best:
        file = pareto / f"{one.trial:04d}.toml" if study.optimise.several else folder / "best.toml"
        scenario.dump(file)
        kept.append(dataclasses.replace(one, file=file.relative_to(folder).as_posix()))
    return tuple(kept)


def _numbers(row: Row, names: Sequence[str]) -> dict[str, float | None]:
    return {name: row[name] if math.isfinite(row[name]) else None for name in names}


def _near(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return math.isclose(first, second, rel_tol=_SAME, abs_tol=1e-12)
