"""Whether the columns and logs of a stored run are those of its scenario."""

from __future__ import annotations

import numpy as np

from serpenoid.checks import as_numbers, check_whole, refuse_where
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import (
    CONTACT_KINDS,
    CONTACT_LOG,
    EVENT_KINDS,
    EVENT_LOG,
    TIME,
    VARIABLES,
)
from serpenoid.errors import InvalidInput
from serpenoid.model.state import MOST

# Rounding of times, as a share.
_ROUNDING = 1e-9


def check_run(run: Trajectory) -> None:
    """Refuse a run whose numbers no run of its scenario could have.

    Raises:
        InvalidInput: A column or a log has another shape, kind of numbers or range; the sentence
            names it.
    """
    links, loads = len(run.robot.links), len(run.world.loads)
    sizes = {"time": len(run.time), "link": links, "joint": links - 1, "axis": 2, "load": loads}
    for name, column in run.columns.items():
        variable = VARIABLES.get(name, TIME)
        shape = tuple(sizes[dim] for dim in variable.dims)
        as_numbers(name, column, shape, variable.dtype, MOST)
    _check_time(run)
    _check_events(run)
    _check_contacts(run)


def _check_time(run: Trajectory) -> None:
    if len(run.time) == 0:
        raise InvalidInput("it has no rows")
    refuse_where("time", run.time, run.time < 0, "it must be at least 0 (s)")
    steps, period = np.diff(run.time), run.scenario.record.period
    if (steps <= 0).any():
        raise InvalidInput("time does not increase")
    far = steps > period + _ROUNDING * run.time[-1]
    refuse_where("time", run.time[1:], far, f"rows must be at most {period:g} s apart")
    if run.time[-1] > run.state.time * (1 + _ROUNDING):
        raise InvalidInput(
            f"time ends at {run.time[-1]:g} s, after the state, which is of {run.state.time:g} s"
        )


def _check_events(run: Trajectory) -> None:
    links, pegs = len(run.robot.links), len(run.world.pegs)
    times, kinds, bodies, things = as_numbers(
        "events", run.events, (None, len(EVENT_LOG)), largest=MOST
    ).T
    late = (times < 0) | (times > run.state.time * (1 + _ROUNDING))
    refuse_where("event_time", times, late, "it must be a time of the run")
    check_whole("event_kind", kinds, 1, len(EVENT_KINDS))
    check_whole("event_link", bodies, 0, links - 1)
    # The limits of the joint behind the link are -1 and -2.
    check_whole("event_peg", things, -2, pegs - 1)


def _check_contacts(run: Trajectory) -> None:
    table, count = run.contacts, len(run.contacts)
    links, loads = len(run.robot.links), len(run.world.loads)
    for entry in CONTACT_LOG:
        # Kinds are words in the table, made of numbers that were checked.
        if entry.source != "kind":
            shape = (count, 2)[: len(entry.dims)]
            as_numbers(entry.name, getattr(table, entry.source), shape, entry.dtype, MOST)
    elsewhere = ~np.isin(table.time, run.time) | (np.diff(table.time, prepend=-1.0) < 0)
    refuse_where("contact_time", table.time, elsewhere, "it must be the time of a row, in order")
    check_whole("contact_link", table.link, -1, links - 1)
    check_whole("contact_load", table.load, -1, loads - 1)
    both = (table.link < 0) == (table.load < 0)
    refuse_where("contact_link", table.link, both, "either a link or a load is pushed")
    walls = len(run.world.walls)
    counts = dict(zip(CONTACT_KINDS, (len(run.world.pegs), walls, 1, loads, links), strict=True))
    for kind, there in counts.items():
        check_whole(f"contact_index of a {kind}", table.index[table.kind == kind], 0, there - 1)
