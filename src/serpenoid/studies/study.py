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

from serpenoid.analysis.metrics import CERTIFICATE, METRICS, Measure, check_metric
from serpenoid.control.own import own_key
from serpenoid.errors import InvalidInput, together
from serpenoid.memory import check_memory
from serpenoid.scenario.key_lines import located
from serpenoid.scenario.keys import parse, read_text
from serpenoid.scenario.scenario import Scenario, gallery
from serpenoid.spec import Label, NonNegative, names, spec
from serpenoid.spec_mistakes import sentences
from serpenoid.studies.sampling import VALUE, Grid, Parameter, Sampling, Value

# What a point takes with the row of the table that is made of it, without its values, B.
_POINT = 1000


def _as_base(value: Any) -> Any:
    if not isinstance(value, str | Scenario):
        raise ValueError("it must be the name of a ready scenario, or a path to a file")
    return value


def _as_parameter(value: Any) -> Any:
    if not isinstance(value, Mapping | Parameter):
        raise ValueError("it must have values or a range, as in { values = [1, 2] }")
    return value


@spec
class StudyBase:
    """Many runs: a base scenario, its parameters and the metrics.

    Attributes:
        base: A scenario, by its name in the gallery, by path (in a study file, from the folder of
            that file), or itself.
        parameters: Dotted keys of the scenario to what they are varied over.
        metrics: Names of what is measured of every run.
        title: Stands above the summary.
        change: Dotted keys to values that are the same in all runs.
        skip: Time at the beginning of a run that metrics leave out, s.
        allow_code: Whether a controller in Python that the file of the base names may be imported;
            a study file cannot say so.
    """

    words = "a study"  # what sentences call it; no field, because it has no type

    base: Annotated[Any, BeforeValidator(_as_base)]
    parameters: Annotated[
        dict[str, Annotated[Parameter, BeforeValidator(_as_parameter)]], Field(min_length=1)
    ]
    metrics: Annotated[tuple[Annotated[str, Strict()], ...], Field(min_length=1)]
    title: Label = ""
    change: dict[str, Any] = dataclasses.field(default_factory=dict)
    skip: NonNegative = 0.0
    allow_code: Annotated[bool, Strict(), Field(exclude=True)] = dataclasses.field(
        default=False, repr=False, compare=False, kw_only=True
    )

    def __post_init__(self) -> None:
        with together() as check:
            for name in dict.fromkeys(self.metrics):
                with check():
                    self._check_metric(name)
            for key in self.parameters:
                with check():
                    if key in self.change:
                        raise InvalidInput(f"change: {key!r} is one of the parameters already")
                    if _names_code(key):
                        raise InvalidInput(
                            f"parameters: {key!r} is not allowed: code is the same in all runs, so "
                            "that none goes on with a file that has changed; make a study of each"
                        )

    def _check_metric(self, name: str) -> None:
        if name in CERTIFICATE:
            raise InvalidInput(f"metrics: {name!r} is in every table and need not be asked for")
        check_metric(name, "metrics")
        if self.metrics.count(name) > 1:
            raise InvalidInput(f"metrics: {name!r} is there twice")

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, allow_code: bool = False) -> Self:
        """Read it from a TOML file.

        Args:
            path: The file.
            allow_code: Whether a controller in Python that its base names may be imported.

        Raises:
            InvalidInput: For a file that cannot be read, or holds no study.
        """
        text = read_text(path, f"study {path}")
        data = parse(text, f"study {path}")
        base = data.get("base")
        if isinstance(base, str) and base not in gallery():
            there = Path(path).parent / base
            # A word that is no file is left to be answered with the nearest one of the gallery.
            data["base"] = str(there) if there.is_file() else base
        if isinstance(data.get("parameters"), dict):
            data["parameters"] = _dotted(data["parameters"])
        with located(str(path), text):
            study = dataclasses.replace(cls.from_plain(data), allow_code=allow_code)
            python = study.scenario.python
        if python is None or (python.folder and Path(python.folder).is_absolute()):
            return study
        # Paths in the file of the base have their folder; this one is of the study.
        where = f"{own_key(study.scenario.controller)}.folder"
        folder = str(python.resolve_in(Path(path).parent).folder)
        return dataclasses.replace(study, change=study.change | {where: folder})

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Self:
        """Build it from nested plain values."""
        if "allow_code" in data:
            takes = ", ".join(names(cls))
            raise InvalidInput(f"allow_code is not known; {cls.words} takes {takes}")
        try:
            return pydantic.TypeAdapter(cls).validate_python(data)
        except pydantic.ValidationError as error:
            raise InvalidInput(*sentences(error, whole=cls.words)) from None

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
        """The base with the changes that are the same in all runs."""
        if isinstance(self.base, Scenario):
            return self.base.changed(self.change) if self.change else self.base
        return Scenario.load(self.base, self.change, allow_code=self.allow_code)


@spec
class Study(StudyBase):
    """Parameters and metrics of a sweep: runs at points that are known beforehand.

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
        """The changes that one point makes to the base scenario.

        Args:
            point: Number of the point.

        Returns:
            Dotted keys to values.
        """
        return dict(zip(self.parameters, self.points[point], strict=True))


def _names_code(key: str) -> bool:
    """Whether a dotted key says where a controller in Python is."""
    parts = key.split(".")
    own = parts[0] == "controller" and "parameters" not in parts
    return own and parts[-1] in ("source", "folder")


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
