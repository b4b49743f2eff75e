"""What serpenoid raises. Every message is one sentence: what, which value, what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from serpenoid.engine.trajectory import Trajectory


def first_line(error: BaseException) -> str:
    """The first line of what an error says, or its class if it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


class SerpenoidError(Exception):
    """Base of everything serpenoid raises on purpose."""


class InvalidInput(SerpenoidError, ValueError):
    """A value that makes no sense, named together with what would."""


class Overlap(InvalidInput):
    """A robot would start inside an obstacle."""


class UnsupportedLaw(InvalidInput):
    """A solver was asked for a law it cannot resolve."""


class ControllerError(SerpenoidError, ValueError):
    """A controller returned something that is not a command for this robot.

    What was computed up to then is in `run`.
    """

    run: Trajectory | None = None


class OutputError(SerpenoidError, OSError):
    """A file could not be written or read; nothing was left half written."""


class SimulationStopped(SerpenoidError, RuntimeError):
    """A run could not go on. What was computed up to then is in `run`."""

    def __init__(self, message: str, run: Trajectory) -> None:
        super().__init__(message)
        self.run = run

    def __reduce__(self) -> tuple[type[SimulationStopped], tuple[str, Trajectory]]:
        """So that it reaches the caller from another process."""
        return type(self), (str(self), self.run)


class Interrupted(SimulationStopped):
    """A run was interrupted by Ctrl-C. What was computed up to then is in `run`."""


class StudyStopped(SerpenoidError, RuntimeError):
    """A study could not go on. What was finished is in its folder, and need not be run again."""


class StudyInterrupted(StudyStopped):
    """A study was interrupted by Ctrl-C. What was finished is in its folder."""
