"""Random specs of every class, made from the annotations of their fields."""

import inspect
import math
import random
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

import serpenoid as sp
from serpenoid.analysis.metrics import METRICS
from serpenoid.control.feedback import Part
from serpenoid.model import robots
from serpenoid.scenario.scenario import gallery
from serpenoid.scenario.sections import NamedRobot
from serpenoid.spec import Family, names
from serpenoid.studies.optimisation import Optimisation, Search
from serpenoid.studies.sampling import Parameter
from serpenoid.studies.study import Study, StudyBase

_ROOTS = (sp.Scenario, Study, Optimisation)
# What text may hold: the word for None, quotes, escapes, letters of other planes, joined ones.
_TEXTS = ("", "none", "true", "a b", "'\"\\", "\\n\\x1b", "\xa0ü", "🐍", "🧑\u200d🔬", "[[x]] #")


def classes() -> list[type]:
    """All specs that a scenario or a study can hold, and these themselves."""
    found: dict[type, None] = {}
    for root in _ROOTS:
        found |= dict.fromkeys(_within(root, set(found)))
    return list(found)


def _within(hint: Any, seen: set[type]) -> Iterator[type]:
    if hint in seen:
        return
    if _is_family(hint):
        for member in hint.offered().values():
            yield from _within(member, seen)
    elif hasattr(hint, "__pydantic_fields__"):
        seen.add(hint)
        yield hint
        for inner in typing.get_type_hints(hint, include_extras=True).values():
            yield from _within(inner, seen)
    else:
        for inner in typing.get_args(hint):
            yield from _within(inner, seen)


def _is_family(hint: Any) -> bool:
    """Whether it is the base of a family, not one of its members."""
    if not inspect.isclass(hint) or not issubclass(hint, Family):
        return False
    return "kind" not in hint.__annotations__


class Maker:
    """Makes random specs.

    Args:
        seed: Of the random numbers.
    """

    def __init__(self, seed: object) -> None:
        self.random = random.Random(repr(seed))
        # Fields whose values have to fit to those of others, or to what there is by name.
        self._chosen: dict[tuple[type, str], Callable[[], Any]] = {
            (NamedRobot, "name"): lambda: self._one(sorted(robots.BY_NAME)),
            (sp.Scenario, "clock"): lambda: {"duration": self._one([0.5, 8.0])},
            (sp.Scenario, "record"): lambda: {"contacts": self._one([True, False])},
            (sp.World, "contact_at"): lambda: "outline",
            (sp.References, "parts"): lambda: (*self._many(Part), *self._one([(), self._own()])),
            (sp.PythonController, "source"): lambda: self._one(["a.b:C", "x/é y.py:C", "'.py:C"]),
            (sp.PythonController, "parameters"): lambda: {
                "gain": self._one([1, 0.5, "none", [{}]])
            },
            (Parameter, "values"): lambda: self._one([None, [1, 2], ["a"], [[True], {"a": 1}]]),
            (Search, "objectives"): lambda: {self._metric(): self._one(["minimise", "maximise"])},
            (Search, "sampler"): lambda: self._one(["tpe", "cmaes", "nsga2"]),
            (Search, "pruner"): lambda: self._one(["none", "median", None]),
            (Search, "constraints"): lambda: self._one([(), ("mean_speed >= 0.05",)]),
            (StudyBase, "base"): lambda: self._one(sorted(gallery())),
            (StudyBase, "metrics"): lambda: [self._metric()],
            (StudyBase, "change"): lambda: self._one([{}, {"seed": 3}, {"a": True, "b": [{}]}]),
        }

    def spec(self, cls: type) -> Any:
        """A spec of a class, whose fields have any values that it takes together."""
        while True:
            try:
                return cls(**self._fields(cls))
            except sp.InvalidInput:
                continue

    def _fields(self, cls: Any) -> dict[str, Any]:
        hints = typing.get_type_hints(cls, include_extras=True)
        found = {}
        for name, field in cls.__pydantic_fields__.items():
            if name in names(cls) and (field.is_required() or self.random.random() < 0.4):
                chosen = [c for owner in cls.__mro__ if (c := self._chosen.get((owner, name)))]
                found[name] = chosen[0]() if chosen else self.value(hints[name])
        if cls is sp.Robot:
            links, joints = found["links"], (*found["joints"], sp.Joint(sp.Free()))
            found["joints"] = (joints * len(links))[: max(0, len(links) - 1)]
        return found

    def value(self, hint: Any, bounds: dict[str, Any] | None = None) -> Any:
        """A value that an annotation allows; bounds: of a number, as its annotations say."""
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin is typing.Annotated:
            return self.value(arguments[0], _bounds(hint.__metadata__))
        if origin in (typing.Union, types.UnionType):
            return self.value(self._one(arguments))
        if origin is tuple:
            many = arguments[1:] == (...,)
            return self._many(arguments[0]) if many else tuple(map(self.value, arguments))
        if origin is dict:
            return {self.value(arguments[0]): self.value(arguments[1])}
        if origin is typing.Literal:
            return self._one(arguments)
        if _is_family(hint):
            return self.spec(self._one(list(hint.offered().values())))
        if hasattr(hint, "__pydantic_fields__"):
            return self.spec(hint)
        return self._plain(hint, bounds or {})

    def _plain(self, kind: type, bounds: dict[str, Any]) -> Any:
        low = bounds.get("gt", bounds.get("ge", -1e6))
        high = bounds.get("lt", bounds.get("le", 1e6))
        if kind is int:
            return self.random.randint(max(-9, math.ceil(low)), min(9, math.floor(high)))
        if kind is float:
            infinite = [math.inf] if bounds.get("allow_inf_nan") else []
            # Numbers of a usual size fit together more often.
            usual = [number for number in (0.0, 0.25, 1.0, 8.0) if low < number < high]
            between = self.random.uniform(low, high) * self._one([1.0, 1e-3, 1e-9])
            return self._one([*usual, *infinite, min(max(between, low), high) or high])
        return {bool: self._one([True, False]), str: self._one(_TEXTS)}.get(kind)

    def _many(self, hint: Any) -> tuple[Any, ...]:
        return tuple(self.value(hint) for _ in range(self.random.randrange(4)))

    def _own(self) -> tuple[Any, ...]:
        return (self.spec(sp.PythonController),)

    def _metric(self) -> Any:
        return self._one(sorted(METRICS))

    def _one(self, options: typing.Sequence[Any]) -> Any:
        return self.random.choice(options)


def _bounds(metadata: tuple[Any, ...]) -> dict[str, Any]:
    items = [item for outer in metadata for item in (outer, *getattr(outer, "metadata", ()))]
    names = ("gt", "ge", "lt", "le", "allow_inf_nan")
    return {n: found for i in items for n in names if (found := getattr(i, n, None)) is not None}
