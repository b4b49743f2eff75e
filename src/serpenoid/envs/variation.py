"""Domain randomisation by factors that are drawn for every episode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.checks import as_table, plain
from serpenoid.errors import InvalidInput
from serpenoid.model.friction import OrthotropicCoulomb
from serpenoid.model.robot import Robot

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
    table = as_table("randomise", given, known)
    return {key: _range(key, plain(table[key])) for key in known if key in table}


def _range(key: str, value: Any) -> tuple[float, float]:
    refused = f"randomise[{key!r}] = {value!r} is not allowed"
    spread = _number(value) and 0 <= value < 1
    pair = [1.0 - value, 1.0 + value] if spread else value
    ascending = isinstance(pair, list) and len(pair) == 2 and all(map(_number, pair))
    if not ascending or not 0 < pair[0] <= pair[1]:
        raise InvalidInput(f"{refused}: it must be {_ALLOWED}")
    most = _MOST.get(key, math.inf)
    if pair[1] > most:
        raise InvalidInput(
            f"{refused}: its largest factor must be at most {most:g}, more do not fit"
        )
    return float(pair[0]), float(pair[1])


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
        links = []
        for link in robot.links:
            inertia = None if link.inertia is None else factor * link.inertia
            links.append(replace(link, mass=factor * link.mass, inertia=inertia))
        return replace(robot, links=tuple(links))
