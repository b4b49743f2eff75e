"""What an optimisation writes into its folder: table, best scenarios, summary, figures.

    table.parquet      every trial
    best.toml          the best scenario, of one objective
    pareto/0017.toml   those that no other one beats in all objectives, by trial
    figures/           history, importance and so on, each as PNG and PDF
    summary.json       written last

The best ones have been run again from their files, and measured the same.
"""

from __future__ import annotations

import functools
import math
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pydantic

from serpenoid.analysis.metrics import Measure
from serpenoid.files import dumps, json_numbers, make_folder, write_bytes, write_text
from serpenoid.scenario.scenario import Scenario
from serpenoid.studies import study_table
from serpenoid.studies.dispatch import Dispatch
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.parallel import Workers
from serpenoid.studies.point_runner import Attempt, PointRunner, Row
from serpenoid.studies.sampling import Value
from serpenoid.studies.sweep_runner import count_words

if TYPE_CHECKING:
    from serpenoid.studies.trial_store import Trials

# Metrics of the same scenario agree to this on one kind of machine, relatively.
_SAME = 1e-9


@dataclass(frozen=True)
class Best:
    """One of the best trials.

    Attributes:
        trial: Its number.
        parameters: Dotted keys to values.
        metrics: Those of the trial; None where nothing was measured.
        again: Those of the scenario in the file, run anew.
        file: Of the scenario.
        same: Whether the file gives what the trial gave.
    """

    trial: int
    parameters: dict[str, Value]
    metrics: dict[str, float | None]
    again: dict[str, float | None]
    file: str
    same: bool


@dataclass(frozen=True)
class OptimisationSummary:
    """Summary of an optimisation.

    Attributes:
        title: Of the study.
        folder: Of the study.
        objectives: Metric to 'minimise' or 'maximise'.
        trials: Counts by state, 'running' those under way elsewhere.
        feasible: Count of complete trials that meet all constraints.
        before: Count of trials that had ended when it began.
        seconds: Wall time, s.
        best: The best trial, or the Pareto front.
        importances: Objective to parameter to share.
        errors: Reason to count of trials, most first.
    """

    title: str
    folder: str
    objectives: dict[str, str]
    trials: dict[str, int]
    feasible: int
    before: int
    seconds: float
    best: tuple[Best, ...]
    importances: dict[str, dict[str, float]]
    errors: dict[str, int]

    @property
    def ended(self) -> int:
        """Trials that are not running."""
        return sum(self.trials.values()) - self.trials["running"]

    @property
    def same(self) -> bool:
        """Whether there is a best trial, and all best ones gave the same again."""
        return bool(self.best) and all(one.same for one in self.best)

    def line(self) -> str:
        """The counts of trials, and the time that the new ones took."""
        counts = ", ".join(f"{n} {state}" for state, n in self.trials.items() if n)
        words = f"{sum(self.trials.values())} trials: {counts or 'none'}"
        return count_words(words, self.ended, self.before, self.seconds)


def finished(folder: Path, ended: int) -> OptimisationSummary | None:
    """The summary of a folder in which nothing is left to do; ended: trials in its database."""
    try:
        text = (folder / "summary.json").read_bytes()
        summary = pydantic.TypeAdapter(OptimisationSummary).validate_json(text)
        if summary.ended != ended:
            return None
    except (OSError, ValueError, KeyError):
        return None
    return replace(summary, folder=str(folder), before=ended, seconds=0.0)


def best_rows(study: Optimisation, rows: Sequence[Row]) -> list[Row]:
    """The Pareto front of the trials that meet all constraints; the best one of one objective.

    Of several that are equally good in all objectives it is the first.
    """
    directions = study.optimise.objectives.items()

    def losses(row: Row) -> tuple[float, ...]:
        return tuple(
            row[name] if direction == "minimise" else -row[name] for name, direction in directions
        )

    # By losses and trial: nothing is dominated by what comes later.
    front: dict[tuple[float, ...], Row] = {}
    good = (row for row in rows if row["feasible"])
    for row in sorted(good, key=lambda row: (losses(row), row["trial"])):
        mine = losses(row)
        if not any(all(a <= b for a, b in zip(each, mine, strict=True)) for each in front):
            front[mine] = row
    return list(front.values())


def best_words(study: Optimisation, rows: Sequence[Row]) -> str:
    """One line on the best trial so far."""
    best = best_rows(study, rows)
    if not best:
        return "none good yet"
    if study.optimise.several:
        return f"{len(best)} on the front"
    (name,) = study.optimise.objectives
    return f"best {best[0][name]:.4g}"


def _run_again(study: Optimisation, rows: Sequence[Row], workers: Workers) -> list[Best]:
    """Run the best trials again, from the text of their scenario files."""
    best = {row["trial"]: row for row in best_rows(study, rows)}
    changes = {trial: {key: row[key] for key in study.parameters} for trial, row in best.items()}
    work = functools.partial(
        _run_text, base=study.scenario, metrics=study.measures, skip=study.skip
    )
    again: dict[int, Attempt | None] = {}
    for answers in Dispatch(
        workers, work, best, lambda trial: study.scenario.changed(changes[trial]).dumps(), "trial"
    ):
        again |= answers.results
    found = []
    for trial, row in best.items():
        second = again[trial] or Attempt({})  # nothing if no worker survives it
        first, repeated = (_numbers(each, study.measured) for each in (row, second.row))
        file = f"pareto/{trial:04d}.toml" if study.optimise.several else "best.toml"
        same = all(_near(value, repeated[name]) for name, value in first.items())
        found.append(Best(trial, changes[trial], first, repeated, file, same))
    return found


def _run_text(text: str, base: Scenario, metrics: Mapping[str, Measure], skip: float) -> Attempt:
    """Run the text of a scenario, whose code may run if that of the base may."""
    withheld = "" if base.python is None else base.python.withheld
    return PointRunner(Scenario.loads(text).withhold(withheld), metrics, skip)({})


def write(
    trials: Trials, folder: Path, workers: Workers, before: int, seconds: float
) -> OptimisationSummary:
    """Run the best trials again, and write all that is left at the end, the summary last.

    Args:
        trials: Of the optimisation.
        folder: Of the optimisation.
        workers: Who run the best trials again.
        before: Count of trials that had ended when it began.
        seconds: Wall time of the others, s.
    """
    from serpenoid.studies.study_figures import draw

    study, rows = trials.study, trials.rows()
    best = _run_again(study, rows, workers)
    (folder / "summary.json").unlink(missing_ok=True)
    _write_best(study, folder, best)
    states = Counter(row["state"] for row in rows)
    reasons = Counter(row["error"] for row in rows if row["state"] == "failed")
    summary = OptimisationSummary(
        title=study.title,
        folder=str(folder),
        objectives=dict(study.optimise.objectives),
        trials={state: states[state] for state in ("complete", "pruned", "failed", "running")},
        feasible=sum(row["feasible"] for row in rows),
        before=before,
        seconds=round(seconds, 3),
        best=tuple(best),
        importances=trials.importances(),
        errors=dict(reasons.most_common()),
    )
    chosen = {one.trial for one in best}
    columns = study_table.trial_schema(study)
    stored = study_table.filled(columns, [row | {"best": row["trial"] in chosen} for row in rows])
    write_bytes(folder / "table.parquet", study_table.to_parquet(stored))
    draw(trials, folder, summary.importances)
    write_text(folder / "summary.json", dumps(asdict(summary)))
    return summary


def _write_best(study: Optimisation, folder: Path, best: Sequence[Best]) -> None:
    """Write the scenario files of the best trials, and remove earlier ones."""
    shutil.rmtree(folder / "pareto", ignore_errors=True)
    (folder / "best.toml").unlink(missing_ok=True)
    for one in best:
        make_folder((folder / one.file).parent)
        study.scenario.changed(one.parameters).dump(folder / one.file)


def _numbers(row: Row, names: Sequence[str]) -> dict[str, float | None]:
    return json_numbers({name: row.get(name, math.nan) for name in names})


def _near(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return math.isclose(first, second, rel_tol=_SAME, abs_tol=1e-12)
