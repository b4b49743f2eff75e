"""Runs that are shown or measured beside each other, by name."""

from __future__ import annotations

import os
from collections.abc import Mapping

from serpenoid.checks import short
from serpenoid.engine.storage import load
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput

# Runs by name, or their .nc files.
Runs = Mapping[str, Trajectory | str | os.PathLike[str]]

# Largest number of runs that colours tell apart.
MOST_RUNS = 7


def as_runs(name: str, runs: object) -> dict[str, Trajectory]:
    """Check runs that are to be compared, and read those that are in files.

    Args:
        name: Name of the argument, for the message.
        runs: 2 to 7 runs by name, or their .nc files.

    Returns:
        The runs by name.

    Raises:
        InvalidInput: There are too few or too many, or one has no name, is no run, or lies in
            another plane than the first.
        OutputError: A file cannot be read, or is no run.
    """
    if not isinstance(runs, Mapping):
        raise InvalidInput(
            f"{name} = {short(runs)} is not allowed: it must be a mapping of names to runs, such "
            'as {"smooth": run, "rough": other}'
        )
    if not 2 <= len(runs) <= MOST_RUNS:
        count = f"{len(runs)} entr{'y' if len(runs) == 1 else 'ies'}"
        raise InvalidInput(
            f"{name} has {count}, which is not allowed: a comparison takes 2 to {MOST_RUNS} runs"
        )
    found: dict[str, Trajectory] = {}
    for key, run in runs.items():
        if not isinstance(key, str) or not key.strip():
            raise InvalidInput(
                f"{name} has the name {short(key)}, which is not allowed: it must be text"
            )
        found[key] = _as_run(f"{name}[{key!r}]", run)
    (first, reference), *others = found.items()
    for key, run in others:
        planes = run.world.plane, reference.world.plane
        if planes[0] != planes[1]:
            raise InvalidInput(
                f"{key!r} cannot be compared with {first!r}: it is in a {planes[0]} plane, the "
                f"other in a {planes[1]} one"
            )
    return found


def _as_run(place: str, run: object) -> Trajectory:
    if isinstance(run, str | os.PathLike):
        return load(run)
    if not isinstance(run, Trajectory):
        raise InvalidInput(
            f"{place} is of type {type(run).__name__}, which is not allowed: it must be a run, or "
            "the .nc file of one"
        )
    return run
