"""Declaration of a paper: experiments, claims, figures and tables."""

from __future__ import annotations

import enum
import math
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, InvalidInput, SerpenoidError, SimulationStopped
from serpenoid.scenario.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

T = TypeVar("T")
# Called with the share of an experiment that is done, 0 to 1.
Tell = Callable[[float], None]
# A scenario gives its run; a function gives anything, for instance a sweep.
Experiment = Scenario | Callable[[Tell], Any]
# How figures show published values.
PUBLISHED_MARK: dict[str, Any] = {"color": "k", "marker": "x", "ms": 5, "mew": 1.2, "ls": "none"}


class Verdict(enum.StrEnum):
    """Verdict on a published claim."""

    REPRODUCED = "reproduced"
    CLOSE = "close"
    NOT_REPRODUCED = "not reproduced"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Finding:
    """Result of checking a claim.

    Attributes:
        measured: The value found; None if there is none.
        verdict: The verdict.
        note: The reason for the verdict.
    """

    measured: float | bool | str | None
    verdict: Verdict
    note: str

    def __post_init__(self) -> None:
        value = self.measured
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidInput(f"measured = {value} is not allowed: it must be a finite number")


class Failed(SerpenoidError):
    """An experiment that a claim or figure needs did not finish."""


class Results(UserDict[str, Any]):
    """Outcomes of the experiments by name; looking up one that failed raises Failed."""

    def __getitem__(self, name: str) -> Any:
        outcome = self.data[name]
        if isinstance(outcome, SerpenoidError):
            raise Failed(f"experiment {name!r} failed: {outcome}")
        return outcome

    def runs(self) -> dict[str, Trajectory]:
        """The outcomes that are runs."""
        return {name: run for name, run in self.data.items() if isinstance(run, Trajectory)}


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and how to check it.

    Attributes:
        id: Short name.
        statement: What the paper says.
        published: The published value, a number in `unit` or words.
        unit: Unit of the numbers.
        check: Function from the results to a finding.
    """

    id: str
    statement: str
    published: float | bool | str
    unit: str
    check: Callable[[Results], Finding]


@dataclass(frozen=True)
class Figure:
    """A figure in the layout of the paper's.

    Attributes:
        name: File name without ending.
        caption: Caption.
        size: Width and height, inches.
        draw: Function that draws the results on an empty canvas.
    """

    name: str
    caption: str
    size: tuple[float, float]
    draw: Callable[[Results, Canvas], None]


@dataclass(frozen=True)
class Table:
    """A table of the report.

    Attributes:
        caption: Caption.
        rows: Function from the results to the heading and the lines, as text.
    """

    caption: str
    rows: Callable[[Results], list[list[str]]]


@dataclass(frozen=True)
class Paper:
    """A paper to reproduce.

    Attributes:
        key: Author and year.
        title: Title.
        reference: Citation.
        experiments: Function that returns the experiments by name, shorter ones if its argument is
            true.
        claims: Claims to check.
        figures: Figures to draw.
        tables: Tables of the report.
        long: Whether the experiments take many minutes, so that only slow tests compare them with
            the reproduction that is kept.
    """

    key: str
    title: str
    reference: str
    experiments: Callable[[bool], Mapping[str, Experiment]]
    claims: tuple[Claim, ...]
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    long: bool = False


def claim(
    statement: str, published: float | bool | str, unit: str = ""
) -> Callable[[Callable[[Results], Finding]], Claim]:
    """Declare the claim that the decorated function checks.

    The id is the name of the function without the underscore in front.

    Args:
        statement: What the paper says.
        published: The published value, a number in `unit` or words.
        unit: Unit of the numbers.

    Returns:
        A decorator that makes a `Claim` of a function.
    """
    return lambda check: Claim(check.__name__.strip("_"), statement, published, unit, check)


def figure(
    caption: str, size: tuple[float, float]
) -> Callable[[Callable[[Results, Canvas], None]], Figure]:
    """Declare the figure that the decorated function draws.

    The name of its file is that of the function without the underscore in front.

    Args:
        caption: Caption.
        size: Width and height, inches.

    Returns:
        A decorator that makes a `Figure` of a function.
    """
    return lambda draw: Figure(draw.__name__.strip("_"), caption, size, draw)


def table(caption: str) -> Callable[[Callable[[Results], list[list[str]]]], Table]:
    """Declare the table whose heading and lines the decorated function returns.

    Args:
        caption: Caption.

    Returns:
        A decorator that makes a `Table` of a function.
    """
    return lambda rows: Table(caption, rows)


def declared(*modules: ModuleType) -> dict[str, Any]:
    """All claims, figures and tables that modules declare, in order, as arguments of `Paper`.

    One that a module imports from another, or has under two names, is taken once.

    Args:
        *modules: Modules with claims, figures and tables.

    Returns:
        Keyword arguments of `Paper`: claims, figures and tables.
    """
    # By identity, because a published value or a result may have no hash.
    values = {id(v): v for module in modules for v in vars(module).values()}.values()
    kinds = {"claims": Claim, "figures": Figure, "tables": Table}
    found = {name: tuple(v for v in values if isinstance(v, kind)) for name, kind in kinds.items()}
    return {name: several for name, several in found.items() if several}


def each(items: Sequence[T], tell: Tell) -> Iterator[T]:
    """Yield the items, telling the share that is done after each."""
    for number, item in enumerate(items, 1):
        yield item
        tell(number / len(items))


def run_as_far_as_possible(scenario: Scenario) -> tuple[Trajectory, str]:
    """Run a scenario; one that stops early counts up to there.

    Returns:
        The run, and the reason why it ended early; empty if it did not.
    """
    try:
        return scenario.run(), ""
    except Interrupted:
        raise
    except SimulationStopped as error:
        return error.run, str(error)


def require_run(outcomes: list[T], least: int = 1) -> list[T]:
    """The same outcomes, if there are enough of them.

    Args:
        outcomes: What was run.
        least: Count of outcomes that are needed.

    Raises:
        Failed: There are fewer, because a quick reproduction leaves them out.
    """
    if len(outcomes) < least:
        raise Failed("this was not run; leave out --quick")
    return outcomes


def judge(right: bool, *, close: bool = False) -> Verdict:
    """Verdict on a yes-or-no claim.

    Args:
        right: Whether the claim holds.
        close: Whether it nearly holds.

    Returns:
        Reproduced, close or not reproduced.
    """
    if right:
        return Verdict.REPRODUCED
    return Verdict.CLOSE if close else Verdict.NOT_REPRODUCED


def near(measured: float, published: float, note: str = "") -> Finding:
    """Judge a number given in words such as "about 15": 10 % is reproduced, 25 % close.

    A number rounded to one or two digits and read off a figure is not known any better.

    Args:
        measured: The measured value.
        published: The published value, not 0.
        note: Text to append to the finding's note.

    Returns:
        The finding, with its verdict.

    Raises:
        InvalidInput: The published value is 0.
    """
    if published == 0:
        raise InvalidInput("published = 0 is not allowed: a relative error needs another value")
    off = round(abs(measured - published) / abs(published), 9)
    words = f"{100 * off:.0f} % off"
    verdict = judge(off <= 0.10, close=off <= 0.25)
    return Finding(float(measured), verdict, f"{words}; {note}" if note else words)
