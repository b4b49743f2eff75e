"""Shares, means and medians of fields with their 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from serpenoid.kernels.layout import Floats
from serpenoid.papers.paper import Failed
from serpenoid.plots.statistics import wilson

_DRAWS = 2000


class Estimate(NamedTuple):
    """A statistic of fields.

    Attributes:
        value: Its value.
        low: Lower end of its 95 % interval.
        high: Upper end.
    """

    value: float
    low: float
    high: float

    def words(self, digits: int = 2) -> str:
        """The value and its interval."""
        value, low, high = (f"{each:.{digits}g}" for each in self)
        return f"{value} ({low} to {high})"


def percent(true: Sequence[bool]) -> Estimate:
    """Share of fields, %, with Wilson's interval.

    Args:
        true: Whether it is so in each field.

    Raises:
        Failed: There are no fields.
    """
    if not true:
        raise Failed("no field was run")
    low, high = wilson(sum(true), len(true))
    return Estimate(100 * sum(true) / len(true), 100 * float(low), 100 * float(high))


def mean(values: Sequence[float]) -> Estimate:
    """Mean over fields, with a bootstrap interval.

    Args:
        values: One of each field.

    Raises:
        Failed: There are no fields.
    """
    given, drawn = _drawn(values)
    low, high = np.percentile(drawn.mean(axis=1), (2.5, 97.5))
    return Estimate(float(np.mean(given)), float(low), float(high))


def median(values: Sequence[float]) -> Estimate:
    """Median over fields, with a bootstrap interval.

    Args:
        values: One of each field.

    Raises:
        Failed: There are no fields.
    """
    given, drawn = _drawn(values)
    # Of sorted values, so that infinite ones need no arithmetic.
    low, high = np.percentile(np.median(drawn, axis=1), (2.5, 97.5), method="nearest")
    return Estimate(float(np.median(given)), float(low), float(high))


def sign_test(for_it: int, against: int) -> float:
    """Probability of so many fields for it, or more, if for and against are equally likely.

    Args:
        for_it: Fields for it.
        against: Fields against it; others do not count.
    """
    total = for_it + against
    return float(sum(comb(total, k) for k in range(for_it, total + 1)) / 2**total)


def _drawn(values: Sequence[float]) -> tuple[Floats, Floats]:
    """The values, and samples of as many drawn from them, (draws, fields)."""
    if not len(values):
        raise Failed("there is no such field")
    given = np.asarray(values, dtype=float)
    return given, np.random.default_rng(0).choice(given, (_DRAWS, len(given)))
