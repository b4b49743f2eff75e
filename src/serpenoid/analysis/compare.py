"""How far two runs of the same scenario agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.trajectory import VARIABLES, Trajectory

# Machines may round differently; what grows beyond this is another motion, m and rad.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison.

    bitwise: every recorded number is the same. apart: largest distance of a link, m, and turned:
    largest difference of a link angle, rad, over all rows. since: first time, s, at which anything
    differs.
    """

    bitwise: bool
    apart: float
    turned: float
    since: float | None

    @property
    def equal(self) -> bool:
        """Whether link positions and angles agree to TOLERANCE."""
        return self.apart <= TOLERANCE and self.turned <= TOLERANCE

    def __str__(self) -> str:
        if self.bitwise:
            return "bitwise equal"
        words = f"links at most {self.apart:.2g} m and {self.turned:.2g} rad apart"
        verdict = f"equal to {TOLERANCE:g} m and rad" if self.equal else "not equal"
        return f"{verdict}: {words}, different from t = {self.since:g} s"


def compare(one: Trajectory, other: Trajectory) -> Comparison:
    """Compare two runs row by row."""
    if one.columns["x"].shape != other.columns["x"].shape:
        raise InvalidInput(
            f"runs of {one.columns['x'].shape} and {other.columns['x'].shape} rows and links "
            "cannot be compared"
        )
    rows = len(one.time)
    differs = np.zeros(rows, dtype=bool)
    for name in ("time", *VARIABLES):
        same = one.columns[name] == other.columns[name]
        differs |= ~same.reshape(rows, -1).all(axis=1)
    dx, dy, turn = (one.columns[name] - other.columns[name] for name in ("x", "y", "theta"))
    return Comparison(
        bitwise=not differs.any(),
        apart=float(np.hypot(dx, dy).max()),
        turned=float(np.abs(turn).max()),
        since=float(one.time[differs.argmax()]) if differs.any() else None,
    )
