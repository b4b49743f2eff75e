"""Errors of serpenoid. Every message is one sentence: what, which value, what is allowed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
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
    """A value is not allowed; the message says what is."""

    def __init__(self, message: str) -> None:
        if len(message) > _BEGINNING + _END + 5:
            message = f"{message[:_BEGINNING]} ... {message[-_END:]}"
        super().__init__(message)


@contextlib.contextmanager
def prefixed(subject: str) -> Iterator[None]:
    """Put what an InvalidInput is about in front of its message."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{subject}: {error}") from None


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
