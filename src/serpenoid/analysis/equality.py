"""Whether two runs of the same scenario agree, number by number."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import CERTIFICATE, VARIABLES, Variable
from serpenoid.errors import InvalidInput
from serpenoid.model.state import State

# Machines may round differently; larger differences are another motion, m and rad.
TOLERANCE = 1e-6
# Forces, torques and works are more sensitive; relative to their largest value.
SHARE = 1e-3


@dataclass(frozen=True)
class Equality:
    """How far two runs agree.

    Attributes:
        bitwise: Whether every recorded number is the same.
        apart: Largest distance between the positions of a link over all rows, m.
        turned: Largest difference between the angles of a link over all rows, rad.
        others: Variables that differ by more than SHARE; also the final state, the events and the
            contacts.
        since: Time of the first row that differs, s; None if there is none.
    """

    bitwise: bool
    apart: float
    turned: float
    others: tuple[str, ...]
    since: float | None

    @property
    def equal(self) -> bool:
        """Whether links agree to TOLERANCE, and everything else to SHARE."""
        return self.apart <= TOLERANCE and self.turned <= TOLERANCE and not self.others

    def __str__(self) -> str:
        if self.bitwise:
            return "bitwise equal"
        words = f"links at most {self.apart:.2g} m and {self.turned:.2g} rad apart"
        if self.others:
            words += f", other values of {', '.join(self.others)}"
        if self.since is not None:
            words += f", different from t = {self.since:g} s"
        verdict = f"equal to {TOLERANCE:g} m and rad" if self.equal else "not equal"
        return f"{verdict}: {words}"


# How a run was solved, which says nothing about the motion.
_SOLVING = {variable.name for variable in CERTIFICATE}
_SOLVING |= {"energy_residual", "energy_numerical", "sticking"}


def check_equality(one: Trajectory, other: Trajectory) -> Equality:
    """Compare two runs row by row, their events, their contacts and their final states.

    Of a run from an older file, what later versions record besides is left out.

    Args:
        one: A run.
        other: Another run with as many rows and links.

    Returns:
        The largest differences, and whether the runs are equal to the bit.

    Raises:
        InvalidInput: The runs have different numbers of rows or links.
    """
    if one.columns["x"].shape != other.columns["x"].shape:
        raise InvalidInput(
            f"runs of {one.columns['x'].shape} and {other.columns['x'].shape} rows and links "
            "cannot be compared"
        )
    rows = len(one.time)
    differs = np.zeros(rows, dtype=bool)
    others = []
    later = _later_variables(one, other)
    for name in ("time", *VARIABLES):
        recorded = [run.columns[name] for run in (one, other) if name in run.columns]
        if len(recorded) == 1:
            if name not in later:
                others.append(name)
        elif recorded:
            a, b = recorded
            differs |= (a != b).reshape(rows, -1).any(axis=1)
            if name not in _SOLVING and a.size and not _close(a, b):
                others.append(name)
    # A run that was stopped may have gone on for part of a row.
    same_end = one.state.step != other.state.step or (
        _comparable_state(one, later) == _comparable_state(other, later)
    )
    motion = ("com", "theta", "velocity")
    if not same_end and not all(
        _close(getattr(one.state, name), getattr(other.state, name)) for name in motion
    ):
        others.append("the state at the end")
    same_events = np.array_equal(one.events, other.events)
    if not same_events and not _same_course(one.events, other.events):
        others.append("events")
    contacts = _contact_columns(one), _contact_columns(other)
    same_contacts = all(map(np.array_equal, *contacts))
    if not same_contacts and not all(map(_alike, *contacts)):
        others.append("contacts")
    dx, dy, turn = (one.columns[name] - other.columns[name] for name in ("x", "y", "theta"))
    return Equality(
        bitwise=not differs.any() and same_end and same_events and same_contacts,
        apart=float(np.hypot(dx, dy).max()),
        turned=float(np.abs(turn).max()),
        others=tuple(others),
        since=float(one.time[differs.argmax()]) if differs.any() else None,
    )


def _contact_columns(run: Trajectory) -> list[npt.NDArray[Any]]:
    """The arrays of its contacts, kinds as numbers."""
    return list(run.contacts.stored().values())


def _alike(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Whether two columns of contacts are as long, and agree to SHARE."""
    same = one.shape == other.shape
    return same and (not one.size or _close(one.astype(float), other.astype(float)))


def _later_variables(one: Trajectory, other: Trajectory) -> dict[str, Variable]:
    """Variables that came after the older of the formats that two runs are of."""
    formats = [run.columns_format for run in (one, other) if run.columns_format is not None]
    return {
        name: variable
        for name, variable in VARIABLES.items()
        if formats and variable.since > min(formats)
    }


def _comparable_state(run: Trajectory, later: dict[str, Variable]) -> State:
    """The final state, with 0 for those entries of the ledger that one of the runs cannot have."""
    ledger = run.state.ledger.copy()
    for variable in later.values():
        if variable.source == "ledger":
            ledger[variable.index] = 0.0
    return dataclasses.replace(run.state, ledger=ledger)


def _close(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Whether two arrays agree to SHARE of the larger value; NaN agrees with nothing."""
    scale = max(float(np.abs(other).max()), 1e-9)
    return bool((np.abs(one - other) <= SHARE * scale).all())


def _same_course(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Whether the same events happened, each within TOLERANCE, s, of the other."""
    if one.shape != other.shape or not np.array_equal(one[:, 1:], other[:, 1:]):
        return False
    return bool((np.abs(one[:, 0] - other[:, 0]) <= TOLERANCE).all())
