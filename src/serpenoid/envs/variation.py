"""Domain randomisation by factors that are drawn for every episode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from serpenoid.checks import as_table, plain
from serpenoid.errors import InvalidInput
from serpenoid.model.fields import RandomPegs
from serpenoid.model.friction import FrictionLaw, Sum
from serpenoid.model.robot import Robot
from serpenoid.scenario.scenario import Scenario

# Largest factors: pegs that always fit into their field.
_MOST = {"pegs": 1.4}
# Fields of laws, terrains, patches and loads that say how rough the ground is.
_COEFFICIENTS = (
    "friction",
    "mu",
    "along",
    "across",
    "forward",
    "backward",
    "sideways",
    "turning",
    "along_squared",
    "across_squared",
)
_ALLOWED = (
    "a spread from 0 to less than 1, or the least and the largest factor, above 0 and at most 1000"
)


def ranges(given: Any, known: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Check the option `randomise`.

    Args:
        given: Spread or range by key, or None.
        known: Keys that can be varied.

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

    def seed_of(self, key: str) -> int:
        """Seed of what is drawn anew where a key is varied."""
        return int(self._stream(f"seed of {key}").integers(2**31))

    def uniform(self, low: float, high: float) -> float:
        """A number between two bounds."""
        return float(self._scene.uniform(low, high))

    def uniforms(self, size: float, count: int) -> tuple[float, ...]:
        """Numbers between -size and size."""
        return tuple(self._scene.uniform(-size, size, count).tolist())

    def seed(self) -> int:
        """Seed for generators with random numbers of their own."""
        return int(self._scene.integers(2**31))


def varied(scenario: Scenario, draw: Draw) -> Scenario:
    """A scenario with what `randomise` varies, by the factors of an episode.

    Args:
        scenario: The scenario, whose robot is given link by link.
        draw: Random numbers of the episode.
    """
    changes: dict[str, Any] = {}
    world = scenario.world
    if "mass" in draw.ranges:
        changes["robot"] = _of_other_mass(scenario.built[0], draw.factor("mass"))
    if "friction" in draw.ranges:
        factor = draw.factor("friction")
        changes["friction"] = _rougher(scenario.friction, factor)
        world = replace(
            world,
            terrain=_rougher(world.terrain, factor),
            patches=tuple(_rougher(patch, factor) for patch in world.patches),
            loads=tuple(_rougher(load, factor) for load in world.loads),
        )
    if "load" in draw.ranges:
        factor = draw.factor("load")
        world = replace(world, loads=tuple(_heavier(load, factor) for load in world.loads))
    if "pegs" in draw.ranges and isinstance(world.field, RandomPegs):
        count = max(1, round(world.field.count * draw.factor("pegs")))
        world = replace(world, field=replace(world.field, count=count))
    if world is not scenario.world:
        changes["world"] = world
    return replace(scenario, **changes) if changes else scenario


def variable(scenario: Scenario) -> list[str]:
    """What can be varied in a scenario."""
    world = scenario.world
    rough = (scenario.friction, world.terrain, *world.patches, *world.loads)
    there = {
        "mass": True,
        "friction": any(thing is not None for thing in rough),
        "pegs": isinstance(world.field, RandomPegs),
        "load": bool(world.loads),
    }
    return [key for key, is_there in there.items() if is_there]


def _rougher(thing: Any, factor: float) -> Any:
    """A law of friction, or what has friction, with its coefficients multiplied by a factor."""
    if thing is None:
        return None
    if isinstance(thing, Sum):
        return replace(thing, laws=tuple(_rougher(law, factor) for law in thing.laws))
    changes: dict[str, Any] = {}
    for name in _COEFFICIENTS:
        value = getattr(thing, name, None)
        if isinstance(value, FrictionLaw):
            changes[name] = _rougher(value, factor)
        elif isinstance(value, tuple):
            changes[name] = tuple(factor * one for one in value)
        elif value is not None:
            changes[name] = factor * value
    if isinstance(thing, FrictionLaw) and not changes:
        raise InvalidInput(
            f"randomise['friction'] is not allowed: {type(thing).__name__} has none of the "
            f"coefficients that are varied, {', '.join(_COEFFICIENTS)}"
        )
    return replace(thing, **changes)


def _heavier(thing: Any, factor: float) -> Any:
    """A link or load with its mass, and its inertia if it has one of its own, times a factor."""
    inertia = None if thing.inertia is None else factor * thing.inertia
    return replace(thing, mass=factor * thing.mass, inertia=inertia)


def _of_other_mass(robot: Robot, factor: float) -> Robot:
    return replace(robot, links=tuple(_heavier(link, factor) for link in robot.links))
