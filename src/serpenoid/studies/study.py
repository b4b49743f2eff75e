"""A study: one scenario, some of its values varied, and what to measure of every run."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

import pydantic
from pydantic import BeforeValidator, Field, Strict

from serpenoid.errors import InvalidInput, prefixed
from serpenoid.memory import check_memory
from serpenoid.scenario.keys import read_toml
from serpenoid.scenario.scenario import Scenario, gallery
from serpenoid.spec import Label, NonNegative, sentence, spec
from serpenoid.studies.metrics import CERTIFICATE, METRICS, Measure, check_metric
from serpenoid.studies.sampling import VALUE, Grid, Parameter, Sampling, Value

# What a point takes with the row of the table that is made of it, without its values, B.
_POINT = 1000


def _as_base(value: Any) -> Any:
    if not isinstance(value, str | Scenario):
        raise ValueError("it must be the name of a ready scenario, or a path to a file")
    return value


@spec
class StudyBase:
    """Many runs: a scenario, what is varied in it, and what is measured.

    Attributes:
        base: A scenario, by its name in the gallery, by path (in a study file, from the folder of
            that file), or itself.
        parameters: Dotted keys of the scenario to what they are varied over.
        metrics: Names of what is measured of every run.
        title: Stands above the summary.
        change: Dotted keys to values that are the same in all runs.
        skip: Time at the beginning of a run that metrics leave out, s.
    """

    words = "a study"  # what sentences call it; no field, because it has no type

    base: Annotated[Any, BeforeValidator(_as_base)]
    parameters: Annotated[dict[str, Parameter], Field(min_length=1)]
    metrics: Annotated[tuple[Annotated[str, Strict()], ...], Field(min_length=1)]
    title: Label = ""
    change: dict[str, Any] = dataclasses.field(default_factory=dict)
    skip: NonNegative = 0.0

    def __post_init__(self) -> None:
        for name in self.metrics:
            if name in CERTIFICATE:
                raise InvalidInput(f"metrics: {name!r} is in every table and need not be asked for")
            check_metric(name, "metrics")
            if self.metrics.count(name) > 1:
                raise InvalidInput(f"metrics: {name!r} is there twice")
        for key in self.parameters:
            if key in self.change:
                raise InvalidInput(f"change: {key!r} is one of the parameters already")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read it from a TOML file.

        Raises:
            InvalidInput: For a file that cannot be read, or holds no study.
        """
        data = read_toml(path, f"study {path}")
        base = data.get("base")
        if isinstance(base, str) and base not in gallery():
            there = Path(path).parent / base
            # A word that is no file is left to be answered with the nearest one of the gallery.
            data["base"] = str(there) if there.is_file() else base
        if isinstance(data.get("parameters"), dict):
            data["parameters"] = _dotted(data["parameters"])
        with prefixed(str(path)):
            study = cls.from_plain(data)
            _ = study.scenario
        return study

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Self:
        """Build it from nested plain values."""
        try:
            return pydantic.TypeAdapter(cls).validate_python(data)
        except pydantic.ValidationError as error:
            raise InvalidInput(sentence(error, whole=cls.words)) from None

    def plain(self) -> dict[str, Any]:
        """Nested plain values without the base, which may be a file that moves."""
        data = json.loads(pydantic.TypeAdapter(type(self)).dump_json(self, exclude={"base"}))
        return dict(data)

    @property
    def measured(self) -> tuple[str, ...]:
        """All metrics that are measured."""
        return self.metrics

    @property
    def measures(self) -> dict[str, Measure]:
        """The functions of these metrics, by name."""
        return {name: METRICS[name].measure for name in self.measured}

    @functools.cached_property
    def scenario(self) -> Scenario:
        """The base with what is the same in all runs."""
        if isinstance(self.base, Scenario):
            return self.base.changed(self.change) if self.change else self.base
        return Scenario.load(self.base, self.change)


@spec
class Study(StudyBase):
    """What to vary, and what to measure: runs at points that are known beforehand.

    Attributes:
        sampling: How points are chosen; all combinations if left out.
        keep_runs: Whether every run is kept as NetCDF.
    """

    sampling: Sampling = Grid()
    keep_runs: Annotated[bool, Strict()] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        count = self.sampling.count(self.parameters)
        size = _POINT + VALUE * len(self.parameters)
        check_memory(count * size, f"parameters and sampling, which make {count} points,")

    @functools.cached_property
    def points(self) -> list[tuple[Value, ...]]:
        """The values of all parameters, in their order, for every point; always the same."""
        return self.sampling.points(self.parameters)

    def changes(self, point: int) -> dict[str, Value]:
        """Dotted keys to values of one point."""
        return dict(zip(self.parameters, self.points[point], strict=True))


def _dotted(tables: dict[str, Any]) -> dict[str, Any]:
    """Keys of parameters that TOML reads as tables because they are not in quotes."""
    found: dict[str, Any] = {}
    for key, value in tables.items():
        inner = list(value.values()) if isinstance(value, dict) else []
        if inner and all(isinstance(each, dict) for each in inner):
            found |= {f"{key}.{rest}": deeper for rest, deeper in _dotted(value).items()}
        else:
            found[key] = value
    return found
