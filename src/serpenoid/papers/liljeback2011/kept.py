"""Outcomes that are kept with the sources, because a run takes a quarter of a minute.

`python -m serpenoid.papers.liljeback2011.kept` does those that are missing, on all cores, and goes
on where it was killed.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from serpenoid.papers.liljeback2011 import baselines
from serpenoid.papers.liljeback2011.outcome import pass_through
from serpenoid.papers.liljeback2011.plan import planned
from serpenoid.papers.outcome_file import read_outcome, write_outcome
from serpenoid.papers.paper import Work
from serpenoid.studies.parallel import cores, for_each

_FOLDER = Path(__file__).parent
FILE, BASELINES = _FOLDER / "outcomes.zip", _FOLDER / "baselines.zip"
# Outcomes are written whenever so many are done for each core.
_AT_ONCE = 8


def reading(file: Path) -> Work:
    """The experiment that reads a file of outcomes, known by what is in it."""
    return Work(kept, file.name, hashlib.sha256(file.read_bytes()).hexdigest())


@functools.cache
def kept(name: str, _digest: str) -> list[Any]:
    """All outcomes of a file.

    Args:
        name: Its name.
        _digest: Its hash.
    """
    outcomes: list[Any] = read_outcome(_FOLDER / name)
    return outcomes


def kept_fields() -> list[Any]:
    """Outcomes of the random fields."""
    work = reading(FILE)
    return kept(*work.arguments)


def complete(
    file: Path, function: Callable[[Any], Any], items: Sequence[Any], item_of: Callable[[Any], Any]
) -> None:
    """Do what a file lacks.

    Args:
        file: The file.
        function: What gives an outcome.
        items: Its arguments, in the order in which they are to be done.
        item_of: The argument that gave an outcome.
    """
    outcomes = read_outcome(file) if file.exists() else []
    done = {item_of(each) for each in outcomes}
    todo = [item for item in items if item not in done]
    size = _AT_ONCE * cores()
    for first in range(0, len(todo), size):
        outcomes += for_each(function, todo[first : first + size], lambda _: None)
        write_outcome(file, outcomes)
        sys.stderr.write(f"{file.name}: {len(todo) - min(len(todo), first + size)} left\n")


def main() -> None:
    """Do all that is missing."""
    pairings = baselines.experiments()["baselines"].items
    complete(FILE, pass_through, planned(), lambda each: each.case)
    complete(BASELINES, baselines.cross, pairings, lambda each: each.pairing)


if __name__ == "__main__":
    main()
