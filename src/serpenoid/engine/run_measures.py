"""What is measured of a run, as methods of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from serpenoid.analysis.measures import Measures


class _OfRun(Protocol):
    """A measure of one run."""

    def __call__(self, start: float | None = None, end: float | None = None) -> float:
        """Measure it between two times, s."""


class _Method(Protocol):
    """A method that measures a run."""

    def __get__(self, run: object, kind: type | None = None) -> _OfRun:
        """The measure of a run."""


# What follows the first line of every docstring.
_ARGUMENTS = """

        Args:
            start: Time from which on rows count, s; the start of the run if not given.
            end: Time up to which rows count, s; the end of the run if not given.

        Returns:
            The measure, in the unit that the first line names.

        Raises:
            InvalidInput: The run does not have it, or a time is not within the run.
        """


def _measure(name: str) -> _Method:
    """A metric of `analysis.metrics` as a method; `describe` gives it its docstring."""

    def method(self: Any, start: float | None = None, end: float | None = None) -> float:
        from serpenoid.analysis.measures import measure

        return measure(self, name, start, end)

    method.__name__, method.__qualname__ = name, f"Trajectory.{name}"
    return cast(_Method, method)


class RunMeasures:
    """Measures of a run; sums and peaks over all rows, means and ratios over settled cycles."""

    mean_speed = _measure("mean_speed")
    forward_velocity = _measure("forward_velocity")
    distance = _measure("distance")
    displacement = _measure("displacement")
    turn_rate = _measure("turn_rate")
    path_curvature = _measure("path_curvature")
    waypoints_reached = _measure("waypoints_reached")
    jammed_time = _measure("jammed_time")
    actuator_work = _measure("actuator_work")
    positive_work = _measure("positive_work")
    absolute_work = _measure("absolute_work")
    friction_work = _measure("friction_work")
    mean_power = _measure("mean_power")
    mean_positive_power = _measure("mean_positive_power")
    cost_of_transport = _measure("cost_of_transport")
    specific_power = _measure("specific_power")
    efficiency = _measure("efficiency")
    peak_torque = _measure("peak_torque")
    peak_contact_force = _measure("peak_contact_force")
    tracking_error = _measure("tracking_error")

    def measures(self: Any, start: float | None = None, end: float | None = None) -> Measures:
        """All measures that this run has, by name, with units; those of the table of a study.

        Args:
            start: Time from which on rows count, s; the start of the run if not given.
            end: Time up to which rows count, s; the end of the run if not given.

        Returns:
            The measures by name; `units` and `left_out` say the rest.

        Raises:
            InvalidInput: A time is not within the run.
        """
        from serpenoid.analysis.measures import measures

        return measures(self, start, end)


def describe(name: str, unit: str, words: str) -> None:
    """Give a method that measures a run its docstring.

    Args:
        name: Of the method.
        unit: Of the measure, SI; "1" for a plain number.
        words: What it is.
    """
    vars(RunMeasures)[name].__doc__ = f"{words}{'' if unit == '1' else f', {unit}'}.{_ARGUMENTS}"
