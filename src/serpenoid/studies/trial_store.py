"""The trials of an optimisation in their database.

A batch of trials is chosen at once, run in any order, and told to the sampler in the order of their
numbers once all have ended: what is chosen next does not depend on which worker is faster. What
comes back from a worker is stored with its trial at once, so no finished trial is run again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path

import optuna
from optuna.samplers import RandomSampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, Trial, TrialState

from serpenoid.errors import InvalidInput, prefixed
from serpenoid.studies.database import database_errors, opened
from serpenoid.studies.optimisation import Optimisation
from serpenoid.studies.point_runner import Attempt, Row
from serpenoid.studies.repeatable_sampler import Repeatable, suggest, values
from serpenoid.studies.run_parts import RUNG, Direction, Rule
from serpenoid.studies.sampling import Value
from serpenoid.studies.study_folder import as_json_table, check_same, identity

_NOTE, _OWNER, _BATCH, _ATTEMPT = "serpenoid", "owner", "batch", "attempt"

# Samplers add up violations of constraints; an infinite one is this.
_LARGEST_VIOLATION = 1e300

DIRECTIONS: dict[str, Direction] = {"minimise": "minimize", "maximise": "maximize"}
STATES = {
    TrialState.COMPLETE: "complete",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "running",
}


class Trials:
    """The trials of one optimisation, in the database at a URL or in a file.

    Args:
        study: What is optimised.
        name: Of the optimisation in the database.
        place: URL of the database, or its SQLite file.
        owner: Whose unfinished trials are continued; others may work in the same database.
        where: What error messages call the place.
    """

    def __init__(
        self, study: Optimisation, name: str, place: str | Path, owner: str, where: str
    ) -> None:
        self.study, self.search, self.owner = study, study.optimise, owner
        self._base = opened(place)
        self._storage = optuna.storages.get_storage(self._base)
        with contextlib.ExitStack() as ends, database_errors():
            ends.callback(self.close)
            self._study = optuna.create_study(
                storage=self._storage,
                study_name=name,
                directions=[DIRECTIONS[each] for each in self.search.objectives.values()],
                sampler=RandomSampler(),
                load_if_exists=True,
            )
            self._id = self._storage.get_study_id_from_name(name)
            self._check_same(where)
            ends.pop_all()

    def close(self) -> None:
        """Close the database."""
        self._base.remove_session()
        self._base.engine.dispose()

    def _check_same(self, where: str) -> None:
        now = identity(self.study)
        begun = self._study.user_attrs.get(_NOTE)
        if begun is not None:
            with prefixed(f"the note of the study in {where}"):
                noted = as_json_table(begun)
            check_same(noted, now, where)
        elif self.all():
            raise InvalidInput(f"{where} holds trials of something else; take another folder")
        else:
            self._study.set_user_attr(_NOTE, json.dumps(now))

    def all(self) -> list[FrozenTrial]:
        """All trials in the order of their numbers."""
        with database_errors():
            return self._storage.get_all_trials(self._id, deepcopy=False)

    def done(self) -> int:
        """Count the trials that have been run."""
        return sum(
            trial.state.is_finished() or _ATTEMPT in trial.user_attrs for trial in self.all()
        )

    def more(self) -> bool:
        """Whether there are trials to run."""
        trials = self.all()
        return len(trials) < self.search.trials or bool(self._left(trials))

    def next_batch(self) -> dict[int, dict[str, Value]]:
        """Trials to run next: those of an unfinished batch that were not run, or new ones.

        Returns:
            Number of the trial to dotted keys to values.
        """
        trials = self.all()
        batch = self._left(trials)
        if batch:
            first, size = batch[0].user_attrs[_BATCH]
        else:
            first = len(trials)
            size = min(self.search.batch_size, self.search.trials - first)
        begun = [trial for trial in batch if _ATTEMPT not in trial.user_attrs]
        chosen = {trial.number: self._choose(trial) for trial in begun}
        # No trial runs before all of its batch are chosen, so one that was run shows it is whole.
        if len(batch) < size and len(begun) == len(batch):
            for _ in range(size - len(batch)):
                trial = self._new(first, size)
                chosen[trial.number] = self._choose(trial)
        return chosen

    def _left(self, trials: list[FrozenTrial]) -> list[FrozenTrial]:
        """The unfinished batch of this owner, if there is one."""
        ours = [trial for trial in trials if trial.user_attrs.get(_OWNER) == self.owner]
        begun = [t.user_attrs[_BATCH] for t in ours if not t.state.is_finished()]
        return [trial for trial in ours if begun and trial.user_attrs[_BATCH] == begun[0]]

    def _new(self, first: int, size: int) -> FrozenTrial:
        """A new trial, written at once with its owner, and the start and size of its batch."""
        notes = {_OWNER: self.owner, _BATCH: [first, size]}
        template = optuna.create_trial(state=TrialState.RUNNING, user_attrs=notes)
        with database_errors():
            return self._storage.get_trial(
                self._storage.create_new_trial(self._id, template_trial=template)
            )

    def _choose(self, trial: FrozenTrial) -> dict[str, Value]:
        """Have the sampler choose the remaining values of a trial."""
        parameters, chosen = self.study.parameters, trial.params
        if len(chosen) < len(parameters):
            with database_errors():
                self._study.sampler = Repeatable(self.search)
                # The sampler chooses here what it chooses jointly.
                asked = Trial(self._study, trial._trial_id)
                chosen = {key: suggest(asked, key, each) for key, each in parameters.items()}
                self._study.sampler = RandomSampler()
        return values(parameters, chosen)

    def keep(self, number: int, attempt: Attempt) -> None:
        """Store the result of a trial; it is not run again."""
        note = json.dumps(dataclasses.asdict(attempt))
        with database_errors():
            one = self._storage.get_trial_id_from_study_id_trial_number(self._id, number)
            self._storage.set_trial_user_attr(one, _ATTEMPT, note)

    def tell_sampler(self) -> None:
        """Report the results of a batch to the sampler, in the order of the trials."""
        for trial in self._left(self.all()):
            if not trial.state.is_finished():
                with database_errors():
                    self._tell(Trial(self._study, trial._trial_id), attempt_of(trial, self.study))

    def _tell(self, trial: Trial, attempt: Attempt) -> None:
        for stage, value in attempt.stages.items():
            trial.report(value, stage)
        for name, value in attempt.rungs.items():
            self._storage.set_trial_system_attr(trial._trial_id, name, value)
        for bound in self.search.bounds:
            violation = bound.violation(attempt.row[bound.metric])
            if not math.isnan(violation):
                limited = min(max(violation, -_LARGEST_VIOLATION), _LARGEST_VIOLATION)
                trial.set_constraint(bound.text, limited)
        if attempt.pruned:
            self._study.tell(trial, state=TrialState.PRUNED)
        elif problem(self.study, attempt.row):
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, [attempt.row[name] for name in self.search.objectives])

    def rule(self) -> Rule | None:
        """The rule by which the pruner judges the next batch."""
        if self.search.judge == "none":
            return None
        (objective, direction), *_ = self.search.objectives.items()
        # A complete trial that breaks a constraint is no standard for others.
        past = self._where(lambda row: row["feasible"] or row["state"] == "pruned")
        judge, stages = self.search.judge, self.search.stages
        return Rule(judge, objective, DIRECTIONS[direction], stages, tuple(map(_for_pruner, past)))

    def rows(self) -> list[Row]:
        """Every trial as a row of the table."""
        return [self._row(trial) for trial in self.all()]

    def _row(self, trial: FrozenTrial) -> Row:
        chosen = values(self.study.parameters, trial.params)
        row: Row = {"trial": trial.number, "state": STATES[trial.state]} | chosen
        if _ATTEMPT not in trial.user_attrs:
            return row | {"feasible": False, "reached": 0.0}
        attempt = attempt_of(trial, self.study)
        row = attempt.row | row | {"reached": attempt.reached}
        row["error"] = row["error"] or (None if attempt.pruned else problem(self.study, row))
        broken = {each.text: each.violation(row[each.metric]) for each in self.search.bounds}
        met = all(violation <= 0 for violation in broken.values())
        return row | broken | {"feasible": met and row["state"] == "complete"}

    def _where(self, wanted: Callable[[Row], bool]) -> list[FrozenTrial]:
        """The trials that have a row in the table."""
        return [trial for trial in self.all() if wanted(self._row(trial))]

    def in_memory(self, feasible_only: bool = False) -> optuna.Study:
        """Trials in a study that needs no database; all, or those that meet all constraints."""
        trials = self._where(lambda row: row["feasible"]) if feasible_only else self.all()
        with database_errors():
            copy = optuna.create_study(directions=self._study.directions)
            copy.add_trials(trials)
        return copy

    def loss(self, k: int) -> Callable[[FrozenTrial], float]:
        """Value that Optuna minimises for one of several objectives."""
        sign = 1.0 if self._study.directions[k] == StudyDirection.MINIMIZE else -1.0
        return lambda trial: sign * trial.values[k]

    def importances(self) -> dict[str, dict[str, float]]:
        """Importances of the parameters by PED-ANOVA, of trials that meet all constraints.

        Returns:
            Objective to parameter to its share; empty if there are fewer than two such trials.
        """
        good, found = self.in_memory(feasible_only=True), {}
        if len(good.trials) < 2:
            return {}
        for k, name in enumerate(self.search.objectives):
            with database_errors():
                shares = optuna.importance.get_param_importances(
                    good,
                    evaluator=optuna.importance.PedAnovaImportanceEvaluator(),
                    params=list(self.study.parameters),
                    target=self.loss(k),
                )
            found[name] = {key: float(shares[key]) for key in self.study.parameters}
        return found


def _for_pruner(trial: FrozenTrial) -> FrozenTrial:
    """A trial with only what pruners use: it is sent to the workers with every group of runs."""
    return optuna.create_trial(
        state=trial.state,
        value=trial.value,
        intermediate_values=trial.intermediate_values,
        system_attrs={
            name: rung for name, rung in trial.system_attrs.items() if name.startswith(RUNG)
        },
    )


def attempt_of(trial: FrozenTrial, study: Optimisation) -> Attempt:
    """Result of a trial, from the database.

    Raises:
        InvalidInput: The note is damaged.
    """
    try:
        noted = as_json_table(trial.user_attrs[_ATTEMPT])
        stages = {int(stage): float(value) for stage, value in noted.pop("stages").items()}
        attempt = Attempt(**noted, stages=stages)
        measured = [noted["row"][name] for name in study.measured]
        if all(type(value) in (int, float) for value in measured) and "error" in noted["row"]:
            return attempt
    except (AttributeError, LookupError, TypeError, ValueError):
        pass
    raise InvalidInput(
        f"the note of trial {trial.number} in the database is damaged; take another folder"
    )


def problem(study: Optimisation, row: Row) -> str | None:
    """Why a run cannot be judged; None if it can."""
    search = study.optimise
    for name in search.objectives:
        if not math.isfinite(row[name]):
            return row["error"] or f"{name} = {row[name]} is no finite number"
    for name in (bound.metric for bound in search.bounds):
        # An infinite value meets its bound or violates it.
        if math.isnan(row[name]):
            return row["error"] or f"{name} = {row[name]} is no number"
    return None
