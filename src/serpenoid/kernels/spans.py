"""The time of a step, and of the impact before it."""

from typing import NamedTuple

from serpenoid.kernels._jit import jit

# Duration of an impact, as a share of the step after it: forces do nothing in it, even to rounding.
INSTANT = 1e-30


class Span(NamedTuple):
    """The time of a step, s.

    An impact is a step without duration. It comes before a step in which a contact would rebound or
    prescribed joints change their rates at once, and stops what would be struck in the first half
    of the step: a step keeps the midpoint of the next one clear, if that is no longer, but not at
    the start, after shortened steps, and after rebounds.
    """

    start: float
    dt: float  # of the step, or of the one after the impact
    impact: bool
    kept: bool  # whether the step before has kept the midpoint clear
    bounces: bool  # whether contacts may rebound in the impact, or before the step
    kink: bool  # prescribed joints change their rates in the impact
    half: float  # to the midpoint
    length: float  # in which laws act


@jit
def step_span(start: float, dt: float, kept: bool, bounces: bool) -> Span:
    """A step."""
    return Span(start, dt, False, kept, bounces, False, 0.5 * dt, dt)


@jit
def impact_span(start: float, dt: float, bounces: bool, kink: bool) -> Span:
    """The impact before a step dt."""
    return Span(start, dt, True, False, bounces, kink, 0.0, INSTANT * dt)
