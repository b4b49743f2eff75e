"""What a paper leaves open: its readings, and the parameters that it does not publish."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from serpenoid.checks import nearest_word
from serpenoid.errors import InvalidInput


@dataclass(frozen=True)
class Choice:
    """One way to read a paper.

    Attributes:
        name: Short name, as in `--reading pegs=0.125`.
        speaks_for: The place in the text that speaks for it, and what it says.
        speaks_against: The same of what speaks against it; empty if nothing does.
    """

    name: str
    speaks_for: str
    speaks_against: str = ""


@dataclass(frozen=True)
class Reading:
    """A question that a paper leaves open, misprints, or answers twice.

    Attributes:
        name: Short name.
        question: What is open.
        choices: The natural answers, in the order in which they are preferred where as many claims
            hold.
    """

    name: str
    question: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Unpublished:
    """A parameter that a paper needs and does not give.

    Attributes:
        name: Its name.
        unit: Its unit.
        low: Least plausible value.
        high: Largest plausible value.
        why: Why no value outside is plausible.
    """

    name: str
    unit: str
    low: float
    high: float
    why: str


class Setting(Mapping[str, str]):
    """A choice for every reading, and whether experiments are to be shortened.

    Args:
        choices: Name of the choice by name of the reading.
        quick: Whether to take fewer samples.

    Attributes:
        quick: Whether to take fewer samples.
    """

    def __init__(self, choices: Mapping[str, str] | None = None, *, quick: bool = False) -> None:
        self._choices = dict(choices or {})
        self.quick = quick

    def __getitem__(self, reading: str) -> str:
        return self._choices[reading]

    def __iter__(self) -> Iterator[str]:
        return iter(self._choices)

    def __len__(self) -> int:
        return len(self._choices)

    def __hash__(self) -> int:
        return hash((frozenset(self._choices.items()), self.quick))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Setting):
            return NotImplemented
        return (self._choices, self.quick) == (other._choices, other.quick)

    def __str__(self) -> str:
        return ", ".join(f"{name} = {choice}" for name, choice in self._choices.items())


def combinations(
    readings: Sequence[Reading],
    natural: Callable[[Setting], bool],
    chosen: Mapping[str, str],
    *,
    quick: bool,
) -> list[Setting]:
    """All natural combinations of readings.

    Args:
        readings: The readings.
        natural: Whether choices make sense together.
        chosen: Choices of some readings, to which combinations are restricted.
        quick: Whether experiments are to be shortened.

    Returns:
        The combinations, those of choices declared earlier first.

    Raises:
        InvalidInput: There is no such reading or choice, or no combination is left.
    """
    for name, choice in chosen.items():
        _check(readings, name, choice)
    names = [reading.name for reading in readings]
    several = [[choice.name for choice in reading.choices] for reading in readings]
    settings = (
        Setting(dict(zip(names, choices, strict=True)), quick=quick)
        for choices in itertools.product(*several)
    )
    kept = [
        setting
        for setting in settings
        if natural(setting) and all(setting[name] == choice for name, choice in chosen.items())
    ]
    if not kept:
        words = ", ".join(f"{name}={choice}" for name, choice in chosen.items())
        raise InvalidInput(f"reading = {words} is not allowed: these choices exclude each other")
    return kept


def _check(readings: Sequence[Reading], name: str, choice: str) -> None:
    """Refuse a reading or a choice that is not declared."""
    if not readings:
        raise InvalidInput(f"reading {name!r} is not known: this paper has none")
    by_name = {reading.name: reading for reading in readings}
    if name not in by_name:
        there = ", ".join(by_name)
        raise InvalidInput(
            f"reading {name!r} is not known{nearest_word(name, list(by_name))}; there are {there}"
        )
    known = [each.name for each in by_name[name].choices]
    if choice not in known:
        raise InvalidInput(
            f"reading {name} = {choice!r} is not allowed{nearest_word(choice, known)}; "
            f"it can be {', '.join(known)}"
        )


def described(group: Sequence[Setting], among: Sequence[Setting]) -> str:
    """A group of combinations in words.

    Args:
        group: The combinations of the group.
        among: All combinations.

    Returns:
        Readings with their choices if these alone tell the group from the rest, else every
        combination; "all" for all of them.
    """
    if len(group) == len(among):
        return "all"
    allowed = {name: list(dict.fromkeys(each[name] for each in group)) for name in group[0]}
    inside = [each for each in among if all(each[name] in allowed[name] for name in each)]
    if len(inside) > len(group):
        return "; or ".join(str(each) for each in group)
    every = {name: {each[name] for each in among} for name in group[0]}
    return ", ".join(
        f"{name} = {' or '.join(choices)}"
        for name, choices in allowed.items()
        if set(choices) != every[name]
    )
