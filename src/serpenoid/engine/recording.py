"""What is kept of a run, as the kernels write it, and its columns, by the table of variables."""

from __future__ import annotations

from collections.abc import Set
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from serpenoid.engine.variables import PEDAL, SPRINGS, SUM, TIME, VARIABLES, Variable
from serpenoid.kernels import layout

Columns = dict[str, npt.NDArray[Any]]


class Sums(NamedTuple):
    """What a record holds of the interval under way.

    Attributes:
        windows: Copies of the arrays of `windows`.
        counts: Numbers of contacts in rows and in all; empty without a log of them.
        touches: Copies of those since the last row.
    """

    windows: list[npt.NDArray[Any]]
    counts: npt.NDArray[np.int64]
    touches: Any


def new_record(
    rows: int, links: int, loads: int, features: Set[str], contacts: int | None = None
) -> layout.RunRecord:
    """Room for a run.

    Args:
        rows: How many times the state is recorded.
        links: Number of links.
        loads: Number of loads.
        features: What the run has, of those in `variables`.
        contacts: Room for contacts of all rows; None for bare robots, whose code has no log.
    """
    joints, bodies = links - 1, links + loads
    springs, pedal, parts = (joints if f in features else 0 for f in (SPRINGS, PEDAL, SUM))
    return layout.RunRecord(
        rows=np.zeros(1, np.int64),
        time=np.zeros(rows),
        pose=np.zeros((rows, bodies, 3)),
        velocity=np.zeros((rows, bodies, 3)),
        force=np.zeros((rows, bodies, 4)),
        sticking=np.zeros((rows, bodies), np.bool_),
        torque=np.zeros((rows, joints)),
        reference=np.zeros((rows, joints)),
        rotor=np.zeros((rows, springs, 2)),
        spring=np.zeros((rows, springs)),
        spatial=np.zeros((rows, pedal)),
        parts=None if contacts is None else np.zeros((rows, parts, 4)),
        ledger=np.zeros((rows, layout.LEDGER_SIZE)),
        certificate=np.zeros((rows, layout.CERTIFICATE_SIZE)),
        window_force=np.zeros((bodies, 4)),
        window_torque=np.zeros(joints),
        window_certificate=np.zeros(layout.CERTIFICATE_SIZE),
        contacts=None if contacts is None else new_log(contacts),
    )


def new_log(room: int) -> layout.ContactLog:
    """An empty log of contacts."""
    touches = np.zeros(room, layout.TOUCH).view(np.recarray)
    return layout.ContactLog(touches, np.zeros(2, np.int64))


def lacks_room(log: layout.ContactLog | None, most: int) -> bool:
    """Whether a log that is kept cannot take this many more contacts."""
    if log is None or len(log.touches) == 0:
        return False
    return int(log.counts[1]) + most > len(log.touches)


def windows(record: layout.RunRecord) -> tuple[npt.NDArray[Any], ...]:
    """Sums over the record interval under way, and the number of rows."""
    return record.window_force, record.window_torque, record.window_certificate, record.rows


def clear_sums(record: layout.RunRecord) -> None:
    """Begin anew, without rows."""
    for array in windows(record):
        array[...] = 0
    if record.contacts is not None:
        record.contacts.counts[:] = 0


def copy_sums(record: layout.RunRecord) -> Sums:
    """What the interval under way has so far."""
    counts, touches = np.zeros(0, np.int64), None
    if record.contacts is not None:
        counts = record.contacts.counts.copy()
        touches = record.contacts.touches[slice(*counts)].copy()
    return Sums([np.copy(array) for array in windows(record)], counts, touches)


def put_sums(record: layout.RunRecord, sums: Sums) -> None:
    """Go back to where the sums were copied, contacts of later rows included."""
    for array, old in zip(windows(record), sums.windows, strict=True):
        array[...] = old
    if record.contacts is not None:
        record.contacts.counts[:] = sums.counts
        record.contacts.touches[slice(*sums.counts)] = sums.touches


def blank_rest(record: layout.RunRecord) -> None:
    """Fill the rows that a run did not reach with NaN, where columns hold numbers."""
    sums = {id(array) for array in windows(record)}
    for array in record:
        if isinstance(array, np.ndarray) and array.dtype.kind == "f" and id(array) not in sums:
            array[int(record.rows[0]) :] = np.nan


def columns(record: layout.RunRecord, features: Set[str]) -> Columns:
    """The rows written so far, by variable.

    Args:
        record: Of one run; or of many, with one more axis in front: then all rows it has room for.
        features: What the runs have.
    """
    written = int(record.rows.max()) if record.rows.ndim == 1 else record.time.shape[-1]
    rows, links = written, record.torque.shape[-1] + 1
    found: Columns = {}
    for variable in (TIME, *VARIABLES.values()):
        if not variable.feature or variable.feature in features:
            found[variable.name] = _column(record, variable, rows, links, found)
    return found


def _column(
    record: layout.RunRecord, variable: Variable, rows: int, links: int, found: Columns
) -> npt.NDArray[Any]:
    if variable.difference:
        return np.diff(found[variable.difference], axis=-1)
    array: npt.NDArray[Any] = getattr(record, variable.source)
    # The robot axis of many runs, if there is one, comes first.
    parts = {"link": slice(links), "load": slice(links, None), "joint": slice(None)}
    where: list[Any] = [Ellipsis, slice(rows)]
    where += [parts[dim] for dim in variable.dims if dim in parts]
    if variable.index is not None:
        where.append(variable.index)
    column: npt.NDArray[Any] = array[tuple(where)]
    return column
