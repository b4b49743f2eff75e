"""What a parameter is varied over, and how points are chosen from it."""

from __future__ import annotations

import abc
import itertools
import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Strict

from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory
from serpenoid.spec import Count, Family, Point, Seed, spec, tag

# A number, text, truth value, list or table, as TOML has them.
Value = Any
# What a value of a parameter takes, B.
VALUE = 100


@spec
class Parameter:
    """Values of one key: a list, or a range.

    Attributes:
        values: Any that the key takes.
        range: Lowest and highest number.
        steps: Count of numbers of the range, both ends included; a grid needs it.
        scale: Whether they are spread evenly, or evenly in their logarithms.
        integer: Whether they are rounded to whole numbers.
    """

    values: Annotated[tuple[Any, ...], Field(min_length=1)] | None = None
    range: Point | None = None
    steps: Annotated[Count, Field(ge=2)] | None = None
    scale: Literal["linear", "log"] = "linear"
    integer: Annotated[bool, Strict()] = False

    def __post_init__(self) -> None:
        check_memory((self.steps or 0) * VALUE, f"Parameter.steps = {self.steps}")
        if (self.values is None) == (self.range is None):
            both = "not both" if self.values is not None else "and has neither"
            raise InvalidInput(f"Parameter.values or range must be given, {both}")
        if self.values is not None:
            for value in self.values:
                _check_value(value)
            _check_mixed(self.values)
            if self.steps is not None or self.scale != "linear" or self.integer:
                raise InvalidInput("Parameter.values is not allowed beside steps, scale or integer")
        if self.range is not None:
            self._check_range(*self.range)

    def _check_range(self, low: float, high: float) -> None:
        shown = f"Parameter.range = [{low:g}, {high:g}] is not allowed"
        if low >= high:
            raise InvalidInput(f"{shown}: the first number must be less than the second")
        if self.scale == "log" and low <= 0:
            raise InvalidInput(f"{shown}: with scale = 'log' both must be greater than 0")
        if self.integer and not (low.is_integer() and high.is_integer()):
            raise InvalidInput(f"{shown}: with integer = true both must be whole numbers")
        if self.integer and self.steps is not None and self.steps > high - low + 1:
            raise InvalidInput(
                f"Parameter.steps = {self.steps} is not allowed: there are only "
                f"{high - low + 1:g} whole numbers in the range"
            )
        if self.integer and self.steps is not None and self.scale == "log":
            self._check_repeats(self.steps)

    def _check_repeats(self, steps: int) -> None:
        """Steps of a logarithm are closest at its low end, where whole numbers may repeat."""
        for before, level in itertools.pairwise(map(self._level, range(steps))):
            if level == before:
                raise InvalidInput(
                    f"Parameter.steps = {steps} is not allowed: with scale = 'log' and integer = "
                    f"true some of them are the same whole number, as {level}; it must be less"
                )
            if level - before > 1:
                return

    @property
    def levels(self) -> tuple[Value, ...] | None:
        """All values it can take, or None if it is a whole range."""
        if self.values is not None:
            return self.values
        if self.steps is None:
            return None
        return tuple(self._level(k) for k in range(self.steps))

    def at(self, share: float) -> Value:
        """The value at a fraction of the range; levels have equal fractions.

        Args:
            share: Fraction of the range, 0 <= share < 1.

        Returns:
            The value.
        """
        if self.values is not None:
            return self.values[int(share * len(self.values))]
        if self.steps is not None:
            return self._level(int(share * self.steps))
        if not self.integer or self.range is None:
            return self._in_range(share)
        low, high = self.range
        if self.scale == "linear":
            return int(low) + int(share * (high - low + 1))
        return min(int(high), math.floor(low * ((high + 1) / low) ** share))

    def _level(self, k: int) -> float | int:
        """The number k of the steps."""
        assert self.steps is not None
        return self._in_range(k / (self.steps - 1))

    def _in_range(self, share: float) -> float | int:
        assert self.range is not None
        low, high = self.range
        if share == 1:  # rounding must not miss the end
            number = high
        elif self.scale == "log":
            number = low * (high / low) ** share
        else:
            number = low + (high - low) * share
        return round(number) if self.integer else number


def _check_value(value: Value) -> None:
    """Values go into a table, which holds numbers of 64 bits, and into JSON."""
    try:
        json.dumps(value)
        fits = not isinstance(value, int) or abs(value) < 2**63
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise InvalidInput(
            f"Parameter.values = {value!r} is not allowed: each must be a number of at most 64 "
            "bits, text, true or false, a list or a table"
        )


def _check_mixed(values: tuple[Value, ...]) -> None:
    """Whole numbers among others are kept as floating-point numbers, which must hold them."""
    kinds = {type(value) for value in values}
    if kinds == {int, float}:
        for value in values:
            if type(value) is int and float(value) != value:
                raise InvalidInput(
                    f"Parameter.values = {value} is not allowed beside numbers that are not whole: "
                    "it must be at most 2**53 in size"
                )


class Sampling(Family):
    """Base of the rules that choose points."""

    @abc.abstractmethod
    def count(self, parameters: Mapping[str, Parameter]) -> int:
        """Count the points.

        Args:
            parameters: Key to parameter.

        Returns:
            Number of points.

        Raises:
            InvalidInput: The parameters do not fit this kind of sampling.
        """

    @abc.abstractmethod
    def points(self, parameters: Mapping[str, Parameter]) -> list[tuple[Value, ...]]:
        """Choose the points; they depend on the arguments and the seed alone.

        Args:
            parameters: Key to parameter.

        Returns:
            A value for every parameter, for each point.
        """


@spec
class Grid(Sampling):
    """All combinations; the last parameter varies fastest."""

    kind: Literal["grid"] = tag(default="grid", kw_only=True)

    def count(self, parameters: Mapping[str, Parameter]) -> int:
        """Product of the numbers of levels.

        Args:
            parameters: Key to parameter.

        Returns:
            Number of points.

        Raises:
            InvalidInput: A parameter has neither values nor steps.
        """
        for key, parameter in parameters.items():
            if parameter.values is None and parameter.steps is None:
                raise InvalidInput(
                    f"parameters.{key}.steps is missing; a grid needs it, kind = 'random' or "
                    "'latin_hypercube' in [sampling] does not"
                )
        return math.prod(p.steps or len(p.values or ()) for p in parameters.values())

    def points(self, parameters: Mapping[str, Parameter]) -> list[tuple[Value, ...]]:
        """All combinations of the levels.

        Args:
            parameters: Key to parameter.

        Returns:
            A value for every parameter, for each point.
        """
        return list(itertools.product(*(p.levels or () for p in parameters.values())))


class RandomSampling(Sampling):
    """A number of points, drawn with a seed."""

    samples: int
    seed: int

    def count(self, parameters: Mapping[str, Parameter]) -> int:  # noqa: ARG002
        """Number of samples."""
        return self.samples

    def points(self, parameters: Mapping[str, Parameter]) -> list[tuple[Value, ...]]:
        """The values of all parameters at the shares that are drawn."""
        generator = np.random.Generator(np.random.PCG64(self.seed))
        shares = self.shares(generator, len(parameters))
        columns = [
            [parameter.at(share) for share in column.tolist()]
            for parameter, column in zip(parameters.values(), shares.T, strict=True)
        ]
        return list(zip(*columns, strict=True))

    @abc.abstractmethod
    def shares(self, generator: np.random.Generator, parameters: int) -> Floats:
        """Draw fractions of the ranges.

        Args:
            generator: Source of random numbers.
            parameters: Number of parameters.

        Returns:
            Fractions in [0, 1), (samples, parameters).
        """


@spec
class Random(RandomSampling):
    """Points drawn at random, independent of each other.

    Attributes:
        samples: Number of points.
        seed: Seed of the random numbers.
    """

    samples: Count
    seed: Seed = 0
    kind: Literal["random"] = tag(default="random", kw_only=True)

    def shares(self, generator: np.random.Generator, parameters: int) -> Floats:
        """Draw fractions of the ranges independently.

        Args:
            generator: Source of random numbers.
            parameters: Number of parameters.

        Returns:
            Fractions in [0, 1), (samples, parameters).
        """
        return generator.random((self.samples, parameters))


@spec
class LatinHypercube(RandomSampling):
    """Points for which each of `samples` equal slices of every parameter has one point.

    Attributes:
        samples: Number of points.
        seed: Seed of the random numbers.
    """

    samples: Count
    seed: Seed = 0
    kind: Literal["latin_hypercube"] = tag(default="latin_hypercube", kw_only=True)

    def shares(self, generator: np.random.Generator, parameters: int) -> Floats:
        """Draw one fraction in each slice, and combine the slices at random.

        Args:
            generator: Source of random numbers.
            parameters: Number of parameters.

        Returns:
            Fractions in [0, 1), (samples, parameters).
        """
        slices = [generator.permutation(self.samples) for _ in range(parameters)]
        inside = generator.random((self.samples, parameters))
        shares = (np.stack(slices, axis=1) + inside) / self.samples
        return np.minimum(shares, np.nextafter(1.0, 0.0))  # rounding may reach 1
