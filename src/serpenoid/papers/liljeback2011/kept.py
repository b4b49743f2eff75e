"""Outcomes that are kept with the sources, because a run takes a quarter of a minute.

`python -m serpenoid.papers.liljeback2011.kept` does those of the plan that are missing, on all
cores, and goes on where it was killed.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from serpenoid.papers.liljeback2011.outcome import Outcome, pass_through
from serpenoid.papers.liljeback2011.plan import planned
from serpenoid.papers.liljeback2011.study import Case
from serpenoid.papers.outcome_file import read_outcome, write_outcome
from serpenoid.studies.parallel import cores, for_each

FILE = Path(__file__).parent / "outcomes.zip"
# Outcomes are written whenever so many are done for each core.
_AT_ONCE = 8


def digest() -> str:
    """Hash of the file, by which what is made of it is known."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()


@functools.cache
def kept(_digest: str) -> list[Outcome]:
    """All outcomes of the file.

    Args:
        _digest: Its hash.
    """
    outcomes: list[Outcome] = read_outcome(FILE)
    return outcomes


def missing(outcomes: Sequence[Outcome]) -> list[Case]:
    """Cases of the plan that have no outcome, in the order in which they are to be done."""
    done = {each.case for each in outcomes}
    return [case for case in planned() if case not in done]


def complete() -> None:
    """Do the cases of the plan that are missing."""
    outcomes = read_outcome(FILE) if FILE.exists() else []
    todo = missing(outcomes)
    size = _AT_ONCE * cores()
    for first in range(0, len(todo), size):
        outcomes += for_each(pass_through, todo[first : first + size], lambda _: None)
        write_outcome(FILE, outcomes)
        sys.stderr.write(f"{len(todo) - min(len(todo), first + size)} left\n")


if __name__ == "__main__":
    complete()
