"""The one rule by which claims of papers are judged."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

from serpenoid.errors import InvalidInput

# What a number given in words, such as "about 15", is compared to.
_IN_WORDS = 0.10


class Verdict(enum.StrEnum):
    """Verdict on a published claim."""

    REPRODUCED = "reproduced"
    CONSISTENT = "consistent"
    FITTED = "fitted"
    NOT_REPRODUCED = "not reproduced"
    NOT_COMPARABLE = "not comparable"
    CONTRADICTED = "contradicted"


@dataclass(frozen=True)
class Finding:
    """Result of checking a claim under one combination of readings.

    Attributes:
        measured: The value found; None if there is none.
        holds: Whether the claim holds; None if that cannot be told.
        note: How it was measured, and what else was seen.
        interval: 95 % interval of what was measured, where that is a statistic.
        share: Of a claim that depends on parameters which the paper does not publish: share of
            their plausible range in which it holds.
    """

    measured: float | bool | str | None
    holds: bool | None
    note: str
    interval: tuple[float, float] | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        if self.holds is not None:
            object.__setattr__(self, "holds", bool(self.holds))  # a NumPy bool is no JSON
        numbers = {"measured": self.measured, "share": self.share}
        if self.interval is not None:
            numbers |= {"interval[0]": self.interval[0], "interval[1]": self.interval[1]}
        for name, value in numbers.items():
            if isinstance(value, float) and not math.isfinite(value):
                raise InvalidInput(f"{name} = {value} is not allowed: it must be a finite number")


def verdict(
    findings: Sequence[Finding], *, not_comparable: bool = False, argument: bool = False
) -> Verdict:
    """Judge a claim by what was found under all natural combinations of readings.

    Args:
        findings: What was found under each of them.
        not_comparable: Whether the paper does not give what is needed to test the claim.
        argument: Whether there is an argument, from the paper's own numbers, that the claim is
            impossible under every reading.

    Returns:
        The verdict. What cannot be told under some reading does not hold under it.
    """
    if not_comparable:
        return Verdict.NOT_COMPARABLE
    if all(each.holds for each in findings):
        return Verdict.REPRODUCED
    if any(each.holds for each in findings):
        return Verdict.CONSISTENT
    if any(each.share for each in findings):
        return Verdict.FITTED
    return Verdict.CONTRADICTED if argument else Verdict.NOT_REPRODUCED


def near(measured: float, published: float, note: str = "") -> Finding:
    """Compare a number given in words, such as "about 15", which is known to 10 %.

    Args:
        measured: The measured value.
        published: The published value, not 0.
        note: Text to append to the finding's note.

    Returns:
        The finding.

    Raises:
        InvalidInput: The published value is 0.
    """
    return printed(measured, published, 100 * _IN_WORDS, note)


def printed(measured: float, published: float, percent: float, note: str = "") -> Finding:
    """Compare a number that is printed with digits.

    Args:
        measured: The measured value.
        published: The published value, not 0.
        percent: How far they may be apart, per cent of the published value.
        note: Text to append to the finding's note.

    Returns:
        The finding.

    Raises:
        InvalidInput: The published value is 0.
    """
    if published == 0:
        raise InvalidInput("published = 0 is not allowed: a relative error needs another value")
    off = round(100 * abs(measured - published) / abs(published), 7)
    words = f"{off:.2g} % off, {percent:g} % allowed"
    return Finding(float(measured), off <= percent, f"{words}; {note}" if note else words)
