"""The trials of an optimisation in their database, which knows at any moment what is done.

A batch of trials is chosen at once, run in any order, and told to the sampler in the order of their
numbers once all have ended: what is chosen next does not depend on who was faster. What comes back
from a worker is noted with its trial at once, so that nothing that was finished is run again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
from optuna.samplers import RandomSampler
from optuna.trial import FrozenTrial, Trial, TrialState

from serpenoid.errors import InvalidInput
from serpenoid.studies.database import database, opened
from serpenoid.studies.point import Row
from serpenoid.studies.samplers import Repeatable, suggested, values
from serpenoid.studies.sampling import Value
from serpenoid.studies.search import Optimisation
from serpenoid.studies.store import check_same, identity
from serpenoid.studies.trial import Attempt, Direction, Past, Rule

_NOTE, _OWNER, _BATCH, _ATTEMPT = "serpenoid", "owner", "batch", "attempt"

# Samplers add up how far constraints are broken; infinitely far is this.
_FAR = 1e300

DIRECTIONS: dict[str, Direction] = {"minimise": "minimize", "maximise": "maximize"}
STATES = {
    TrialState.COMPLETE: "complete",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "running",
}


@dataclass(frozen=True)
class Chosen:
    """A trial that is to be run: its number and dotted keys to values."""

    number: int
    changes: Mapping[str, Value]


class Trials:
    """The trials of one optimisation, in the database at a URL or in a file.

    name: of the optimisation there. owner: whose trials are taken up again if they were left;
    others may work in the same database. where: what complaints call it.
    """

    def __init__(
        self, study: Optimisation, name: str, place: str | Path, owner: str, where: str
    ) -> None:
        self.study, self.search, self.owner = study, study.optimise, owner
        self._base = opened(place)
        self._storage = optuna.storages.get_storage(self._base)
        with contextlib.ExitStack() as ends, database():
            ends.callback(self.close)
            self._study = optuna.create_study(
                storage=self._storage,
                study_name=name,
                directions=[DIRECTIONS[way] for way in self.search.objectives.values()],
                sampler=RandomSampler(),
                load_if_exists=True,
            )
            self._id = self._storage.get_study_id_from_name(name)
            self._check_same(where)
            ends.pop_all()

    def close(self) -> None:
        """Let go of the database."""
        self._base.remove_session()
        self._base.engine.dispose()

    def _check_same(self, where: str) -> None:
        now = identity(self.study)
        begun = self._study.user_attrs.get(_NOTE)
        if begun is not None:
            check_same(json.loads(begun), now, where)
        elif self.all():
            raise InvalidInput(f"{where} holds trials of something else; take another folder")
        else:
            self._study.set_user_attr(_NOTE, json.dumps(now))

    def all(self) -> list[FrozenTrial]:
        """Every trial there is, by number."""
        with database():
            return self._storage.get_all_trials(self._id, deepcopy=False)

    def done(self) -> int:
        """How many trials have ended, or need only be told."""
        return sum(
            trial.state.is_finished() or _ATTEMPT in trial.user_attrs for trial in self.all()
        )

    def more(self) -> bool:
        """Whether trials were left, or are still to come."""
        trials = self.all()
        return len(trials) < self.search.trials or bool(self._left(trials))

    def next_batch(self) -> list[Chosen]:
        """Trials to run now: those that were left and not run, or new ones."""
        trials = self.all()
        batch = self._left(trials)
        first = batch[0].user_attrs[_BATCH][0] if batch else len(trials)
        size = min(self.search.batch_size, self.search.trials - first)
        if batch:
            size = batch[0].user_attrs[_BATCH][1]
        chosen = [self._choose(trial) for trial in batch if _ATTEMPT not in trial.user_attrs]
        # What has been run, or told, was so after all had been chosen.
        if len(batch) < size and len(chosen) == len(batch):
            missing = range(size - len(batch))
            chosen += [self._choose(self._new(first, size)) for _ in missing]
        return chosen

    def _left(self, trials: list[FrozenTrial]) -> list[FrozenTrial]:
        """The batch of ours that was begun and is not told, if there is one."""
        ours = [trial for trial in trials if trial.user_attrs.get(_OWNER) == self.owner]
        begun = [t.user_attrs[_BATCH] for t in ours if not t.state.is_finished()]
        return [trial for trial in ours if begun and trial.user_attrs[_BATCH] == begun[0]]

    def _new(self, first: int, size: int) -> FrozenTrial:
        """A new trial, at once with whose it is and where its batch begins and how long it is."""
        notes = {_OWNER: self.owner, _BATCH: [first, size]}
        template = optuna.create_trial(state=TrialState.RUNNING, user_attrs=notes)
        with database():
            return self._storage.get_trial(
                self._storage.create_new_trial(self._id, template_trial=template)
            )

    def _choose(self, trial: FrozenTrial) -> Chosen:
        """Have the sampler choose what it has not chosen yet for a trial."""
        parameters, chosen = self.study.parameters, trial.params
        if len(chosen) < len(parameters):
            with database():
                self._study.sampler = Repeatable(self.search)
                asked = self._open(trial)
                chosen = {key: suggested(asked, key, each) for key, each in parameters.items()}
                self._study.sampler = RandomSampler()
        return Chosen(trial.number, values(parameters, chosen))

    def _open(self, trial: FrozenTrial) -> Trial:
        """A trial to write into; whatever the sampler chooses together is chosen by this."""
        return Trial(self._study, trial._trial_id)

    def keep(self, number: int, attempt: Attempt) -> None:
        """Note what came of a trial; it is not run again."""
        note = json.dumps(dataclasses.asdict(attempt))
        with database():
            one = self._storage.get_trial_id_from_study_id_trial_number(self._id, number)
            self._storage.set_trial_user_attr(one, _ATTEMPT, note)

    def settle(self) -> None:
        """Tell the sampler of a batch that has been run, in the order of the trials."""
        for trial in self._left(self.all()):
            if not trial.state.is_finished():
                with database():
                    self._tell(self._open(trial), attempt_of(trial))

    def _tell(self, trial: Trial, attempt: Attempt) -> None:
        for stage, value in attempt.stages.items():
            trial.report(value, stage)
        for name, value in attempt.rungs.items():
            self._storage.set_trial_system_attr(trial._trial_id, name, value)
        for bound in self.search.bounds:
            violation = bound.violation(attempt.row[bound.metric])
            if not math.isnan(violation):
                trial.set_constraint(bound.text, min(max(violation, -_FAR), _FAR))
        if attempt.pruned:
            self._study.tell(trial, state=TrialState.PRUNED)
        elif problem(self.study, attempt.row):
            self._study.tell(trial, state=TrialState.FAIL)
        else:
            self._study.tell(trial, [attempt.row[name] for name in self.search.objectives])

    def rule(self) -> Rule:
        """When runs of the next batch are hopeless, by all trials that are told."""
        (objective, way), *_ = self.search.objectives.items()
        rule = Rule(self.search.judge, objective, DIRECTIONS[way], self.search.stages)
        if rule.pruner == "none":
            return rule
        past = []
        for trial in self.all():
            if trial.state not in (TrialState.COMPLETE, TrialState.PRUNED):
                continue
            attempt = attempt_of(trial)
            # To cost less by not doing what is asked for is no merit.
            if attempt.pruned or feasible(self.study, attempt.row):
                value = None if attempt.pruned else attempt.row[objective]
                past.append(Past(value, attempt.stages, attempt.rungs))
        return dataclasses.replace(rule, past=tuple(past))

    def rows(self) -> list[Row]:
        """Every trial as a row of the table."""
        return [self._row(trial) for trial in self.all()]

    def _row(self, trial: FrozenTrial) -> Row:
        row: Row = {"trial": trial.number} | values(self.study.parameters, trial.params)
        row |= {"state": STATES[trial.state], "feasible": False, "reached": 0.0}
        if _ATTEMPT not in trial.user_attrs:
            return row
        attempt = attempt_of(trial)
        row |= attempt.row | {"reached": attempt.reached}
        row["feasible"] = row["state"] == "complete" and feasible(self.study, attempt.row)
        row["error"] = row["error"] or (None if attempt.pruned else problem(self.study, row))
        for bound in self.search.bounds:
            row[bound.text] = bound.violation(row[bound.metric])
        return row

    def in_memory(self) -> optuna.Study:
        """All trials in a study that needs no database."""
        with database():
            copy = optuna.create_study(directions=self._study.directions)
            copy.add_trials(self.all())
        return copy

    def losses(self) -> optuna.Study:
        """Feasible trials in a study that needs no database, all objectives to be minimised.

        The others are left out: what does not meet the constraints is not good at anything.
        """
        ways = self.search.objectives
        signs = [1.0 if way == "minimise" else -1.0 for way in ways.values()]
        good = {row["trial"] for row in self.rows() if row["feasible"]}
        with database():
            losses = optuna.create_study(directions=["minimize"] * len(ways))
            for trial in self.all():
                if trial.number in good:
                    values = [sign * value for sign, value in zip(signs, trial.values, strict=True)]
                    losses.add_trial(
                        optuna.create_trial(
                            values=values, params=trial.params, distributions=trial.distributions
                        )
                    )
        return losses

    def importances(self) -> dict[str, dict[str, float]]:
        """Objective to parameter to its share in good values, by PED-ANOVA; empty if too few."""
        losses, found = self.losses(), {}
        if len(losses.trials) < 2:
            return {}
        for k, name in enumerate(self.search.objectives):
            with database():
                shares = optuna.importance.get_param_importances(
                    losses,
                    evaluator=optuna.importance.PedAnovaImportanceEvaluator(),
                    params=list(self.study.parameters),
                    target=objective(k),
                )
            found[name] = {key: float(shares[key]) for key in self.study.parameters}
        return found


def objective(k: int) -> Callable[[FrozenTrial], float]:
    """What Optuna takes for one of several objectives."""
    return lambda trial: trial.values[k]


def attempt_of(trial: FrozenTrial) -> Attempt:
    """What came of a trial, from the note on it."""
    noted: dict[str, Any] = json.loads(trial.user_attrs[_ATTEMPT])
    stages = {int(stage): value for stage, value in noted.pop("stages").items()}
    return Attempt(**noted, stages=stages)


def problem(study: Optimisation, row: Row) -> str | None:
    """Why a run cannot be judged, if so."""
    search = study.optimise
    for name in search.objectives:
        if not math.isfinite(row[name]):
            return row["error"] or f"{name} = {row[name]} is no finite number"
    for name in (bound.metric for bound in search.bounds):
        # What is infinite keeps its bound or breaks it.
        if math.isnan(row[name]):
            return row["error"] or f"{name} = {row[name]} is no number"
    return None


def feasible(study: Optimisation, row: Row) -> bool:
    """Whether a run meets all constraints."""
    bounds = study.optimise.bounds
    return all(bound.violation(row[bound.metric]) <= 0 for bound in bounds)
