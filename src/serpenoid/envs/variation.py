"""Domain randomisation by factors that are drawn for every episode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.model.friction import OrthotropicCoulomb
from serpenoid.model.robot import Robot
from serpenoid.spec import nearest_word, plain

# Largest factors: pegs that always fit into their field.
_MOST = {"pegs": 1.4}
_ALLOWED = (
    "a spread from 0 to less than 1, or the least and the largest factor, above 0 and at most 1000"
)


def ranges(given: Any, known: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Check the option `randomise`.

    Args:
        given: Spread or range by key, or None.
        known: Keys that the task varies.

    Returns:
        Least and largest factor of each key that is varied.

    Raises:
        InvalidInput: A key is not known, or a value is not allowed.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidInput(f"randomise = {given!r} is not allowed: it must be a table")
    for key in given:
        if key not in known:
            raise InvalidInput(
                f"randomise has no {key!r}{nearest_word(str(key), list(known))}; it takes "
                + ", ".join(known)
            )
    return {key: _range(key, plain(given[key])) for key in known if key in given}


def _range(key: str, value: Any) -> tuple[float, float]:
    if _number(value) and 0 <= value < 1:
        return _feasible(key, value, (1.0 - value, 1.0 + value))
    pair = list(value) if isinstance(value, list | tuple) else []
    if len(pair) == 2 and all(map(_number, pair)) and 0 < pair[0] <= pair[1]:
        return _feasible(key, value, (float(pair[0]), float(pair[1])))
    raise InvalidInput(f"randomise[{key!r}] = {value!r} is not allowed: it must be {_ALLOWED}")


def _feasible(key: str, value: Any, factors: tuple[float, float]) -> tuple[float, float]:
    """Return the factors, or refuse those that do not fit into the scene."""
    most = _MOST.get(key, math.inf)
    if factors[1] > most:
        raise InvalidInput(
            f"randomise[{key!r}] = {value!r} is not allowed: its largest factor must be at most "
            f"{most:g}, more do not fit"
        )
    return factors


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= 1e3


class Draw:
    """Random numbers of one episode, made from a single number of the environment's generator.

    The scene and each key that is varied have a stream of their own, so that varying one of them
    does not change the others.

    Args:
        random: Random numbers of the environment.
        ranges: Least and largest factor by key.
    """

    def __init__(
        self, random: np.random.Generator, ranges: Mapping[str, tuple[float, float]]
    ) -> None:
        self.ranges = ranges
        self._seed = int(random.integers(2**63))
        self._scene = self._stream("scene")

    def _stream(self, name: str) -> np.random.Generator:
        return np.random.default_rng([self._seed, *name.encode()])

    def factor(self, key: str) -> float:
        """Factor of a key in this episode; 1 for a key that is not varied."""
        return float(self._stream(key).uniform(*self.ranges[key])) if key in self.ranges else 1.0

    def uniform(self, low: float, high: float) -> float:
        """A number between two bounds."""
        return float(self._scene.uniform(low, high))

    def uniforms(self, size: float, count: int) -> tuple[float, ...]:
        """Numbers between -size and size."""
        return tuple(self._scene.uniform(-size, size, count).tolist())

    def seed(self) -> int:
        """Seed for generators with random numbers of their own."""
        return int(self._scene.integers(2**31))

    def friction(self, along: float, across: float) -> OrthotropicCoulomb:
        """Ground friction with its factor.

        Args:
            along: Nominal coefficient along the links.
            across: Nominal coefficient across the links.
        """
        factor = self.factor("friction")
        return OrthotropicCoulomb(along=factor * along, across=factor * across)

    def robot(self, robot: Robot) -> Robot:
        """A robot with the masses of its links multiplied by one factor."""
        if "mass" not in self.ranges:
            return robot
        factor = self.factor("mass")

        def heavier(value: float | None) -> float | None:
            return None if value is None else factor * value

        links = tuple(
            replace(link, mass=factor * link.mass, inertia=heavier(link.inertia))
            for link in robot.links
        )
        return replace(robot, links=links)
