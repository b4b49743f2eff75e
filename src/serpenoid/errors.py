"""Errors of serpenoid. Each mistake is one sentence: what, which value, what is allowed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from serpenoid.text import printable

if TYPE_CHECKING:
    from serpenoid.engine.trajectory import Trajectory


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or its class if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


class SerpenoidError(Exception):
    """Base of all errors that serpenoid raises deliberately.

    Their messages can be shown on a terminal, whatever names and values from outside they quote.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


# Beginning and end that are left of a sentence with a very long value, characters.
_BEGINNING, _END = 600, 300


class InvalidInput(SerpenoidError, ValueError):
    """Values are not allowed; each line of the message names one, and says what is allowed.

    Args:
        mistakes: One sentence each; the middle of a very long one is left out.
    """

    def __init__(self, *mistakes: str) -> None:
        super().__init__(*map(_shortened, mistakes))

    @property
    def mistakes(self) -> tuple[str, ...]:
        """Each mistake in one sentence."""
        return tuple(printable(str(words)) for words in self.args)

    def __str__(self) -> str:
        return "\n".join(self.mistakes)


def _shortened(words: str) -> str:
    if len(words) <= _BEGINNING + _END + 5:
        return words
    return f"{words[:_BEGINNING]} ... {words[-_END:]}"


@contextlib.contextmanager
def reworded(reword: Callable[[Iterable[str]], Iterable[str]]) -> Iterator[None]:
    """Raise the mistakes of an InvalidInput in other words; those of CodeNotAllowed stay."""
    try:
        yield
    except CodeNotAllowed:
        raise
    except InvalidInput as error:
        raise InvalidInput(*reword(error.mistakes)) from None


def prefixed(subject: str) -> contextlib.AbstractContextManager[None]:
    """Put what an InvalidInput is about in front of each of its mistakes."""
    return reworded(lambda mistakes: [f"{subject}: {words}" for words in mistakes])


@contextlib.contextmanager
def together() -> Iterator[Callable[[], contextlib.AbstractContextManager[None]]]:
    """Collect the mistakes of checks that do not depend on each other, and raise them at the end.

    Yields:
        A function that makes the `with` block of one check.
    """
    found: list[str] = []

    @contextlib.contextmanager
    def check() -> Iterator[None]:
        try:
            yield
        except InvalidInput as error:
            found.extend(error.mistakes)

    yield check
    if found:
        raise InvalidInput(*found)


class CodeNotAllowed(InvalidInput):
    """A file names Python code, which may not run unless that is allowed.

    Its sentence begins with the file, so nothing is put in front of it.
    """


class Overlap(InvalidInput):
    """A robot would start inside an obstacle."""


class UnsupportedLaw(InvalidInput):
    """A solver cannot resolve a law of the robot or the world."""


class ControllerError(SerpenoidError, ValueError):
    """A controller returned something that is not a command for this robot.

    Attributes:
        run: What was computed up to then.
    """

    run: Trajectory | None = None


class OutputError(SerpenoidError, OSError):
    """A file could not be written or read; nothing was left half written."""


class SimulationStopped(SerpenoidError, RuntimeError):
    """A run could not continue.

    Args:
        message: One sentence with time, place, law and remedy.

    Attributes:
        run: What was computed up to then.
    """

    def __init__(self, message: str, run: Trajectory) -> None:
        super().__init__(message)
        self.run = run

    def __reduce__(self) -> tuple[type[SimulationStopped], tuple[str, Trajectory]]:
        """Pickle the run, too, so that the error can cross processes."""
        return type(self), (str(self), self.run)


class Interrupted(SimulationStopped):
    """A run was interrupted by Ctrl-C; `run` holds what was computed up to then."""


class StudyStopped(SerpenoidError, RuntimeError):
    """A study could not continue; finished points are in its folder and are not run again."""


class StudyInterrupted(StudyStopped):
    """A study was interrupted by Ctrl-C; finished points are in its folder."""


class RoughRun(UserWarning):
    """A run whose time step is too large for its energies to be trusted."""
