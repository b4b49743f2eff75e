"""What is kept of a run, as the kernels write it, and its columns, by the table of variables."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.engine.variables import PEDAL, SPRINGS, TIME, VARIABLES, Variable
from serpenoid.kernels import layout

Columns = dict[str, npt.NDArray[Any]]


def new_record(rows: int, links: int, loads: int, features: Set[str]) -> layout.RunRecord:
    """Room for a run.

    Args:
        rows: How many times the state is recorded.
        links: Number of links.
        loads: Number of loads.
        features: What the run has, of those in `variables`.
    """
    joints, bodies = links - 1, links + loads
    springs, pedal = (joints if name in features else 0 for name in (SPRINGS, PEDAL))
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
        ledger=np.zeros((rows, layout.LEDGER_SIZE)),
        certificate=np.zeros((rows, layout.CERTIFICATE_SIZE)),
        window_force=np.zeros((bodies, 4)),
        window_torque=np.zeros(joints),
        window_certificate=np.zeros(layout.CERTIFICATE_SIZE),
    )


def windows(record: layout.RunRecord) -> tuple[npt.NDArray[Any], ...]:
    """Sums over the record interval under way, and the number of rows."""
    return record.window_force, record.window_torque, record.window_certificate, record.rows


def blank_rest(record: layout.RunRecord) -> None:
    """Fill the rows that a run did not reach with NaN, where columns hold numbers."""
    sums = {id(array) for array in windows(record)}
    for array in record:
        if array.dtype.kind == "f" and id(array) not in sums:
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
