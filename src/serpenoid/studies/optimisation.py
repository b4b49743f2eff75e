"""What an optimisation looks for, and how: the study file with its table [optimise]."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from serpenoid.analysis.metrics import check_metric
from serpenoid.checks import one_of
from serpenoid.errors import InvalidInput, together
from serpenoid.memory import check_memory
from serpenoid.spec import Count, Seed, spec
from serpenoid.studies.study import StudyBase

_SAMPLERS = ("tpe", "cmaes", "nsga2")
_PRUNERS = ("median", "halving", "none")
# Trials in a batch if nothing is said; a generation of nsga2 is larger, to hold a front.
_BATCH, _GENERATION = 8, 24
# What a trial takes, B.
_TRIAL = 5000
# Smallest generations: cmaes needs a better half to learn from, nsga2 two parents.
_LEAST_GENERATION = {"cmaes": 4, "nsga2": 2}

_BOUND = re.compile(r"\s*(\w+)\s*(>=|<=)\s*(\S+)\s*")


@dataclass(frozen=True)
class Constraint:
    """A metric with a bound: a run is feasible if it is at least, or at most, that."""

    text: str
    metric: str
    least: bool
    bound: float

    @classmethod
    def read(cls, text: str) -> Constraint:
        """Read text such as 'mean_speed >= 0.05'."""
        found = _BOUND.fullmatch(text)
        try:
            bound = float(found[3]) if found else math.nan
        except ValueError:
            bound = math.nan
        if found is None or not math.isfinite(bound):
            raise InvalidInput(
                f"Search.constraints = {text!r} is not allowed: each must be a metric with a "
                "bound, such as 'mean_speed >= 0.05'"
            )
        check_metric(found[1], "Search.constraints")
        words = f"{found[1]} {found[2]} {repr(bound).removesuffix('.0')}"
        return cls(words, found[1], found[2] == ">=", bound)

    def violation(self, value: float) -> float:
        """How far a value is beyond the bound; at most 0 if it is within."""
        return self.bound - value if self.least else value - self.bound


@spec
class Search:
    """Objectives, constraints and sampler of an optimisation.

    Attributes:
        objectives: Metrics to 'minimise' or 'maximise'; several make a Pareto front.
        trials: Count of runs.
        sampler: 'tpe', 'cmaes' or 'nsga2'.
        constraints: Metrics with a bound, such as 'mean_speed >= 0.05'.
        seed: Of the sampler.
        batch: Count of trials that are chosen at once, without knowing of each other; a generation
            of cmaes and nsga2.
        pruner: What ends unpromising runs early: 'median', 'halving' or 'none'. If left out,
            'median' for one objective with tpe, else 'none'.
        stages: Count of equal parts of a run, at whose ends the pruner judges it.
    """

    objectives: Annotated[dict[str, Literal["minimise", "maximise"]], Field(min_length=1)]
    trials: Count
    sampler: Annotated[str, Strict()] = "tpe"
    constraints: tuple[Annotated[str, Strict()], ...] = ()
    seed: Seed = 0
    batch: Count | None = None
    pruner: Annotated[str, Strict()] | None = None
    stages: Annotated[int, Strict(), Field(ge=2, le=1000)] = 4

    def __post_init__(self) -> None:
        with together() as check:
            with check():
                check_memory(self.trials * _TRIAL, f"Search.trials = {self.trials}")
            with check():
                one_of("Search.sampler", self.sampler, _SAMPLERS)
            with check():
                if self.pruner is not None:
                    one_of("Search.pruner", self.pruner, _PRUNERS)
            for name in self.objectives:
                with check():
                    check_metric(name, "Search.objectives")
            with check():
                _ = self.bounds
        self._check_sampler()
        if self.several and self.pruner not in (None, "none"):
            raise InvalidInput(
                f"Search.pruner = {self.pruner!r} is not allowed with several objectives: "
                "pruning needs a single one; it must be 'none'"
            )

    def _check_sampler(self) -> None:
        """Refuse what the sampler cannot do."""
        least = _LEAST_GENERATION.get(self.sampler, 1)
        if self.batch is not None and self.batch < least:
            raise InvalidInput(
                f"Search.batch = {self.batch} is not allowed with sampler {self.sampler!r}: a "
                f"generation needs at least {least}"
            )
        if self.sampler != "cmaes":
            return
        if self.several:
            raise InvalidInput(
                "Search.sampler = 'cmaes' is not allowed with several objectives; 'nsga2' and "
                "'tpe' take them"
            )
        if self.constraints:
            raise InvalidInput(
                "Search.sampler = 'cmaes' is not allowed with constraints; 'tpe' and 'nsga2' "
                "take them"
            )

    @property
    def several(self) -> bool:
        """Whether there is more than one objective."""
        return len(self.objectives) > 1

    @functools.cached_property
    def bounds(self) -> tuple[Constraint, ...]:
        """The constraints as metric, sign and bound.

        Raises:
            InvalidInput: A constraint cannot be read, or is given twice.
        """
        found = tuple(Constraint.read(text) for text in self.constraints)
        for each in found:
            if found.count(each) > 1:
                raise InvalidInput(f"Search.constraints: {each.text!r} is given twice")
        return found

    @property
    def batch_size(self) -> int:
        """Trials that are chosen at once."""
        return self.batch or (_GENERATION if self.sampler == "nsga2" else _BATCH)

    @property
    def judge(self) -> str:
        """The pruner, or 'none'."""
        return self.pruner or ("none" if self.several or self.sampler != "tpe" else "median")


@spec
class Optimisation(StudyBase):
    """A study that searches for the best point instead of running given ones.

    Attributes:
        metrics: Measured besides those of objectives and constraints.
        optimise: What to look for.
    """

    words = "a study to optimise"

    metrics: tuple[Annotated[str, Strict()], ...] = ()
    optimise: Search = Field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for key, parameter in self.parameters.items():
            if parameter.steps is not None:
                raise InvalidInput(
                    f"parameters.{key}.steps = {parameter.steps} is not allowed: an optimisation "
                    "takes any number of the range; give values for a few of them"
                )
            if self.optimise.sampler == "cmaes" and parameter.values is not None:
                raise InvalidInput(
                    f"parameters.{key}.values is not allowed with sampler 'cmaes', which needs a "
                    "range; 'tpe' and 'nsga2' take values"
                )

    @property
    def measured(self) -> tuple[str, ...]:
        """All metrics that are measured: of objectives, of constraints, and others."""
        bounded = [bound.metric for bound in self.optimise.bounds]
        return tuple(dict.fromkeys([*self.optimise.objectives, *bounded, *self.metrics]))

    def plain(self) -> dict[str, Any]:
        """This study as nested plain values, without the base and the number of trials.

        Returns:
            What JSON can hold.
        """
        data = super().plain()
        data["optimise"].pop("trials")
        return data
