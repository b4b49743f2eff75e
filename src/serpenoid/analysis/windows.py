"""Parts of a run by time."""

from __future__ import annotations

import dataclasses

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput


def between(run: Trajectory, start: float | None = None, end: float | None = None) -> Trajectory:
    """The rows of a run between two times.

    Energies, and a path that begins at the robot, still count from the start of the run; its state
    is still that at the end.

    Args:
        run: A run.
        start: Time of the first row, s; the start of the run if not given.
        end: Time of the last row, s; the end of the run if not given.

    Returns:
        A run with these rows, contacts and events.

    Raises:
        InvalidInput: A time is not within the run, or there are fewer than two rows between them.
    """
    if start is None and end is None:
        return run
    first = 0 if start is None else run.row(start, "start")
    last = len(run.time) - 1 if end is None else run.row(end, "end")
    if first >= last:
        raise InvalidInput(
            f"start = {start!r}, end = {end!r} is not allowed: the end must be at least a row "
            "after the start"
        )
    columns = {name: column[first : last + 1] for name, column in run.columns.items()}
    low, high = run.time[first], run.time[last]
    # Contacts of the first row pushed before it.
    contacts = run.contacts.where((run.contacts.time > low) & (run.contacts.time <= high))
    times = run.events[:, 0]
    return dataclasses.replace(
        run,
        columns=columns,
        began_at=run.centre_of_mass()[0] if run.began_at is None else run.began_at,
        contacts=contacts,
        events=run.events[(times >= low) & (times <= high)],
    )
