"""What a page says in words: its heading, how many frames it shows, and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from serpenoid.analysis.measure_table import as_html
from serpenoid.engine.trajectory import Trajectory

# Of more runs the title does not name each: the legend does.
_MOST_NAMES = 4
_AS_RECORDED = ("contact_force", "load_force")


def heading(runs: Mapping[str, Trajectory], title: str | None) -> tuple[str, list[str]]:
    """Title of a page, and lines about its runs.

    Args:
        runs: Runs by name; a single one may have an empty name.
        title: The title; made from the runs if not given.
    """
    if len(runs) > 1:
        owners: dict[str, list[str]] = {}
        for name, run in runs.items():
            owners.setdefault(f"{run.robot}. {run.world}.", []).append(name)
        about = [f"{', '.join(names)}: {line}" for line, names in owners.items()]
        if len(owners) == 1:
            about = list(owners)
        *most, last = runs
        many = len(runs) > _MOST_NAMES
        title = title or (f"{len(runs)} runs" if many else f"{', '.join(most)} and {last}")
        return title, about + _early(runs)
    (run,) = runs.values()
    robot = str(run.robot)
    title = title or run.scenario.title or None
    if title is None:
        title, robot = run.robot.name, robot.removeprefix(f"{run.robot.name}: ")
    return title, [f"{robot}. {run.world}.", *_early(runs)]


def _early(runs: Mapping[str, Trajectory]) -> list[str]:
    """A sentence about each run that ended before its time."""
    return [
        f"{f'{name} ended' if name else 'The run ended'} at {run.time[-1]:g} s, before the planned "
        f"{run.missed_end:g} s."
        for name, run in runs.items()
        if run.missed_end is not None
    ]


def rates(runs: Mapping[str, Trajectory], frames: Mapping[str, Sequence[int]]) -> str:
    """How many of the recorded rows a page shows.

    Args:
        runs: Runs by name.
        frames: Of each run the number of rows that are drawn, and of those that charts alone show.
    """
    lines = {_rate(run, *frames[name]) for name, run in runs.items()}
    thinned = any(set(frames[name]) != {len(run.time)} for name, run in runs.items())
    if len(lines) == 1:
        words = lines.pop()
    elif thinned:
        words = "Of some runs not all rows are shown; forces are means over the rows between them."
    else:
        words = "All recorded rows of all runs."
    if thinned or len(runs) > 1:
        words += " CSV files have the rows that all plotted lines share."
    return words


def rows_table(runs: Mapping[str, Trajectory], frames: Mapping[str, Sequence[int]]) -> str:
    """Time and rows of each of several runs, as HTML; empty where they are alike.

    Args:
        runs: Runs by name.
        frames: As `rates` takes them.
    """
    rows = {
        name: (
            f"{run.time[0]:g} to {run.time[-1]:g} s",
            f"{frames[name][0]} of {len(run.time)}",
            f"{frames[name][1]} of {len(run.time)}",
        )
        for name, run in runs.items()
    }
    if len(set(rows.values())) == 1:
        return ""
    heads = ("Run", "Time", "Rows drawn", "Rows of what only plots show")
    fewer = any(drawn > charted for drawn, charted in frames.values())
    columns = 4 if fewer else 3
    return as_html(heads[:columns], [(name, *row)[:columns] for name, row in rows.items()])


def _rate(run: Trajectory, frames: int, charted: int) -> str:
    rows, duration = len(run.time), run.time[-1] - run.time[0]
    if rows < 2:
        return "One recorded row."
    if frames == rows:
        words = f"All {rows} recorded rows, {(rows - 1) / duration:.4g} frames/s."
    else:
        words = (
            f"{frames} of {rows} recorded rows, {(frames - 1) / duration:.4g} of "
            f"{(rows - 1) / duration:.4g} frames/s; the plots use these frames, forces are means "
            "over the rows between them."
        )
    if charted < frames:
        words += f" Signals that only plots show have {charted} rows."
    return words


def notes(runs: Mapping[str, Trajectory]) -> list[str]:
    """Sentences about what a page of some runs shows otherwise than one might expect."""
    found = []
    spans = {name: (run.time[0], run.time[-1]) for name, run in runs.items()}
    if len(set(spans.values())) > 1:
        found.append(
            "A run is pale and holds its first frame before it begins, its last when it is over."
        )
    bare = [name for name, run in runs.items() if _lacks_points(run)]
    if bare:
        of = f" of {', '.join(bare)}" if len(bare) < len(runs) else ""
        found.append(
            f"Contact forces{of} are drawn from the centres of links; a run with "
            "record.contacts = true shows the points where they act."
        )
    return found


def _lacks_points(run: Trajectory) -> bool:
    """Whether things touched, and where was not recorded."""
    if len(run.contacts):
        return False
    return any(np.any(run.columns[name]) for name in _AS_RECORDED if name in run.columns)
