"""Optuna's samplers, made repeatable: the same study and seed choose the same points."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, CmaEsSampler, NSGAIISampler, TPESampler
from optuna.trial import FrozenTrial

from serpenoid.studies.optimisation import Search
from serpenoid.studies.sampling import Parameter, Value


def suggest(trial: optuna.Trial, key: str, parameter: Parameter) -> Any:
    """Let a trial choose a parameter; listed values are written as JSON, so that 1 is not true."""
    if parameter.range is None:
        return trial.suggest_categorical(key, [json.dumps(v) for v in parameter.values or ()])
    low, high = parameter.range
    log = parameter.scale == "log"
    if parameter.integer:
        return trial.suggest_int(key, int(low), int(high), log=log)
    return trial.suggest_float(key, low, high, log=log)


def values(parameters: Mapping[str, Parameter], chosen: Mapping[str, Any]) -> dict[str, Value]:
    """The choice of a trial as values of the scenario, in the order of the parameters."""
    return {
        key: chosen[key] if parameter.range is not None else json.loads(chosen[key])
        for key, parameter in parameters.items()
        if key in chosen
    }


class Repeatable(BaseSampler):
    """A sampler whose choice depends only on the seed, the trial's number and the told results.

    Optuna's samplers also depend on their earlier choices, which a killed process forgets. Here a
    new sampler, with a seed of its own, makes each choice of each trial.
    """

    def __init__(self, search: Search) -> None:
        self.search = search

    def _fresh(self, trial: FrozenTrial, name: str = "") -> BaseSampler:
        entropy = [self.search.seed, trial.number, zlib.crc32(name.encode())]
        seed = int(np.random.SeedSequence(entropy).generate_state(1)[0])
        size = self.search.batch_size
        if self.search.sampler == "cmaes":
            return CmaEsSampler(seed=seed, popsize=size, warn_independent_sampling=False)
        if self.search.sampler == "nsga2":
            return NSGAIISampler(seed=seed, population_size=size)
        return TPESampler(seed=seed)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Parameters that are chosen together."""
        return self._fresh(trial).infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Choose the parameters of a group together."""
        fresh = self._fresh(trial)
        if isinstance(fresh, NSGAIISampler):
            # When it selects parents it has them in another order than when it finds them noted.
            fresh.get_parent_population(study, fresh.get_trial_generation(study, trial))
        return fresh.sample_relative(study, trial, search_space)

    def sample_independent(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Choose a parameter that is independent of the others."""
        fresh = self._fresh(trial, param_name)
        return fresh.sample_independent(study, trial, param_name, param_distribution)
