"""Declaration of a paper: readings, experiments, claims, figures, tables and coverage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Interrupted, SerpenoidError, SimulationStopped
from serpenoid.papers.readings import Reading, Setting, Unpublished
from serpenoid.papers.verdicts import Finding
from serpenoid.scenario.scenario import Scenario

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

T = TypeVar("T")
# How figures show published values.
PUBLISHED_MARK: dict[str, Any] = {"color": "k", "marker": "x", "ms": 5, "mew": 1.2, "ls": "none"}


class Failed(SerpenoidError):
    """An experiment that a claim or figure needs did not finish."""


@dataclass(frozen=True, init=False)
class Work:
    """A call of a function as an experiment; its outcome is what the function returns.

    Attributes:
        function: A function of a module.
        arguments: Its arguments: numbers, texts, arrays, scenarios, lists, tuples and tables of
            such, and dataclasses of them.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "arguments", arguments)


@dataclass(frozen=True)
class Each:
    """Calls of a function, one for each item; the outcome is the list of what they return.

    Attributes:
        function: A function of a module.
        items: Its argument in each call.
    """

    function: Callable[[Any], Any]
    items: Sequence[Any]


# The outcome of a scenario is its run.
Experiment = Scenario | Work | Each


class Results(Mapping[str, Any]):
    """Outcomes of the experiments by name, under one combination of readings.

    Looking up one that failed raises Failed.

    Args:
        outcomes: Outcomes by name, or what reads them when they are looked up.
        setting: The combination; none of a paper without readings.

    Attributes:
        setting: The combination.
        looked_up: Names of the experiments that were looked up.
    """

    def __init__(self, outcomes: Mapping[str, Any], setting: Setting | None = None) -> None:
        self._outcomes = outcomes
        self.setting = Setting() if setting is None else setting
        self.looked_up: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        outcome = self._outcomes[name]
        self.looked_up.add(name)
        if isinstance(outcome, SerpenoidError):
            raise Failed(f"experiment {name!r} failed: {outcome}")
        return outcome

    def __iter__(self) -> Iterator[str]:
        return iter(self._outcomes)

    def __len__(self) -> int:
        return len(self._outcomes)


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and how to check it.

    Attributes:
        id: Short name.
        statement: What the paper says.
        published: The published value, a number in `unit` or words.
        unit: Unit of the numbers.
        check: Function from the results to a finding.
        place: Where the paper says so.
        not_comparable: Why the claim cannot be tested; empty if it can.
        argument: Why it is impossible, from the paper's own numbers; empty if there is no such
            argument.
    """

    id: str
    statement: str
    published: float | bool | str
    unit: str
    check: Callable[[Results], Finding]
    place: str = ""
    not_comparable: str = ""
    argument: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure in the layout of the paper's.

    Attributes:
        name: File name without ending.
        caption: Caption; readings, solver and controller are added to it.
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
        name: File name without ending.
        caption: Caption.
        rows: Function from the results to the heading and the lines, as text.
        csv: Whether it is a file beside the report instead of a part of it.
    """

    name: str
    caption: str
    rows: Callable[[Results], list[list[str]]]
    csv: bool = False


@dataclass(frozen=True)
class Covered:
    """An equation, algorithm, figure, table or conclusion of a paper, and where it is.

    Attributes:
        item: Its number or place in the paper.
        what: What it is.
        where: Where it is implemented, or why it is out of reach.
        command: The command that shows it; that which reproduces the paper if empty.
        claims: Ids of the claims that judge it.
    """

    item: str
    what: str
    where: str
    command: str = ""
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Erratum:
    """A misprint of a paper.

    Attributes:
        place: Where it is.
        printed: What is printed.
        right: What it must be.
        evidence: Why.
    """

    place: str
    printed: str
    right: str
    evidence: str


def _always(_setting: Setting) -> bool:
    return True


@dataclass(frozen=True)
class Paper:
    """A paper to reproduce.

    Attributes:
        key: Author and year.
        title: Title.
        reference: Citation.
        experiments: Function that returns the experiments by name under a combination of readings;
            smaller ones if `setting.quick`.
        claims: Claims to check.
        readings: What the paper leaves open.
        natural: Whether choices of different readings make sense together.
        unpublished: Parameters that it does not publish.
        found: What was found, five plain sentences.
        coverage: All its equations, algorithms, figures, tables and conclusions.
        errata: Its misprints.
        figures: Figures to draw.
        tables: Tables of the report.
        long: Whether the experiments take many minutes, so that only slow tests compare them with
            the reproduction that is kept.
    """

    key: str
    title: str
    reference: str
    experiments: Callable[[Setting], Mapping[str, Experiment]]
    claims: tuple[Claim, ...]
    readings: tuple[Reading, ...] = ()
    natural: Callable[[Setting], bool] = field(default_factory=lambda: _always)
    unpublished: tuple[Unpublished, ...] = ()
    found: tuple[str, ...] = ()
    coverage: tuple[Covered, ...] = ()
    errata: tuple[Erratum, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    long: bool = False


def claim(
    statement: str,
    published: float | bool | str,
    unit: str = "",
    *,
    place: str = "",
    not_comparable: str = "",
    argument: str = "",
) -> Callable[[Callable[[Results], Finding]], Claim]:
    """Declare the claim that the decorated function checks.

    The id is the name of the function without the underscore in front.

    Args:
        statement: What the paper says.
        published: The published value, a number in `unit` or words.
        unit: Unit of the numbers.
        place: Where the paper says so.
        not_comparable: Why the claim cannot be tested, if it cannot.
        argument: Why it is impossible, if there is an argument from the paper's own numbers.

    Returns:
        A decorator that makes a `Claim` of a function.
    """

    def declare(check: Callable[[Results], Finding]) -> Claim:
        name = check.__name__.strip("_")
        return Claim(name, statement, published, unit, check, place, not_comparable, argument)

    return declare


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


def table(
    caption: str, *, csv: bool = False
) -> Callable[[Callable[[Results], list[list[str]]]], Table]:
    """Declare the table whose heading and lines the decorated function returns.

    The name of its file is that of the function without the underscore in front.

    Args:
        caption: Caption.
        csv: Whether it is a file beside the report instead of a part of it.

    Returns:
        A decorator that makes a `Table` of a function.
    """
    return lambda rows: Table(rows.__name__.strip("_"), caption, rows, csv)


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
