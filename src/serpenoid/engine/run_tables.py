"""The tidy tables of a run: one for each kind of thing that has rows of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import one_of
from serpenoid.engine.table_output import TidyTable
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import (
    CONTACT_LOG,
    EVENT_KINDS,
    EVENT_LOG,
    TIME,
    VARIABLES,
    Variable,
)
from serpenoid.errors import InvalidInput

# Kinds of tables; what has a row in each, besides the time.
_OWN = {"run": "", "links": "link", "joints": "joint", "loads": "load"}
_LOGS = ("contacts", "events")
KINDS = (*_OWN, *_LOGS)
_CENTRE = {
    "centre_x": ("m", "centre of mass, x"),
    "centre_y": ("m", "centre of mass, y"),
    "centre_vx": ("m/s", "velocity of the centre of mass, x"),
    "centre_vy": ("m/s", "velocity of the centre of mass, y"),
}


def run_table(run: Trajectory, kind: str) -> TidyTable:
    """One table of a run.

    Args:
        run: A run.
        kind: 'run' has a row for each time: the centre of mass, the energy ledger, the
            certificate. 'links', 'joints' and 'loads' have one for each time and link, joint or
            load. 'contacts' and 'events' have one for each recorded contact or event.

    Returns:
        The table; vectors have a column for each component, `contact_force_x`.

    Raises:
        InvalidInput: There is no such kind, or the run has no such things.
    """
    one_of("kind", kind, KINDS)
    if not _rows_of(run, kind):
        raise InvalidInput(f"this run has no {kind}")
    if kind in _OWN:
        return _over_time(run, kind)
    if kind == "contacts":
        return _logged(run, CONTACT_LOG, run.contacts.columns)
    columns = {entry.name: column for entry, column in zip(EVENT_LOG, run.events.T, strict=True)}
    numbers = {name: column.astype(int) for name, column in columns.items() if name != "event_time"}
    numbers["event_kind"] = np.array(EVENT_KINDS)[numbers["event_kind"] - 1]
    return _logged(run, EVENT_LOG, columns | numbers)


def run_tables(run: Trajectory) -> dict[str, TidyTable]:
    """All tables of a run by their kinds."""
    return {kind: run_table(run, kind) for kind in KINDS if _rows_of(run, kind)}


def _rows_of(run: Trajectory, kind: str) -> bool:
    """Whether a run has things of a kind."""
    counts = {"joints": len(run.robot.joints), "loads": len(run.world.loads)}
    counts |= {"contacts": len(run.contacts), "events": len(run.events)}
    return counts.get(kind, 1) > 0


def _over_time(run: Trajectory, kind: str) -> TidyTable:
    """Variables of one kind of things, a row for each time and thing."""
    own, rows = _OWN[kind], len(run.time)
    dims = ("time", own) if own else ("time",)
    known = [each for name, each in VARIABLES.items() if name in run.columns]
    mine = [
        each
        for each in known
        if each.dims[: len(dims)] == dims and each.dims[len(dims) :] in ((), ("axis",))
    ]
    units, words = {"time": TIME.unit}, {"time": TIME.meaning}
    if own:
        count = run.columns[mine[0].name].shape[1]
        columns = {
            "time": np.repeat(run.time, count),
            own: np.tile(np.arange(count), rows),
        }
        words[own] = f"number of the {own}"
    else:
        columns = {"time": run.time}
        centre = np.concatenate([run.centre_of_mass(), run.centre_velocity()], axis=1)
        for (name, (unit, meaning)), column in zip(_CENTRE.items(), centre.T, strict=True):
            columns[name], units[name], words[name] = column, unit, meaning
    for each in mine:
        _add(
            each.name,
            each,
            run.columns[each.name].reshape(len(columns["time"]), -1),
            columns,
            units,
            words,
        )
    return TidyTable(columns, units, words, _about(run))


def _logged(
    run: Trajectory, log: Iterable[Variable], given: dict[str, npt.NDArray[Any]]
) -> TidyTable:
    """A log of a run, its names without those of the log."""
    columns: dict[str, npt.NDArray[Any]] = {}
    units: dict[str, str] = {}
    words: dict[str, str] = {}
    for each in log:
        name = each.name.partition("_")[2]
        values = given[name if name in given else each.name]
        _add(name, each, values.reshape(len(values), -1), columns, units, words)
    return TidyTable(columns, units, words, _about(run))


def _add(
    name: str,
    variable: Variable,
    values: npt.NDArray[Any],
    columns: dict[str, npt.NDArray[Any]],
    units: dict[str, str],
    words: dict[str, str],
) -> None:
    """Add a variable to the columns of a table, of a vector each component.

    Args:
        name: Name of the column.
        variable: Its unit and meaning.
        values: Its values, (rows, 1), or (rows, 2) of a vector.
        columns: Columns to add to.
        units: Units to add to.
        words: Meanings to add to.
    """
    names = [f"{name}_{axis}" for axis in "xy"] if variable.dims[-1] == "axis" else [name]
    for each, column in zip(names, values.T, strict=True):
        columns[each], words[each] = column, variable.meaning
        if variable.unit != "1":
            units[each] = variable.unit


def _about(run: Trajectory) -> dict[str, str]:
    return dict(run.attributes) | {"scenario": json.dumps(run.scenario.plain())}
