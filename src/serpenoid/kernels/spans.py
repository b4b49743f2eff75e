"""The time of a step, and of the impact before it."""

from typing import NamedTuple

from serpenoid.kernels._jit import jit

# Duration of an impact, as a share of the step after it.
INSTANT = 1e-9


class Span(NamedTuple):
    """The time of a step, s.

    An impact is a step without duration that stops what would be struck in the first half of the
    step after it. A step keeps the midpoint of the next one clear, if that is no longer; so an
    impact is needed at the start and after shortened steps.
    """

    start: float
    dt: float  # of the step, or of the one after the impact
    impact: bool
    half: float  # to the midpoint
    length: float  # in which laws act
    kink: bool  # prescribed joints change their rates in the impact


@jit
def span_of(start: float, dt: float, impact: bool, kink: bool = False) -> Span:
    """A step, or the impact before it."""
    if impact:
        return Span(start, dt, impact, 0.0, INSTANT * dt, kink)
    return Span(start, dt, impact, 0.5 * dt, dt, kink)
