"""The loop from tick to tick: references are held and forces averaged in between.

At a tick the adaptation takes the mean of the contact forces since the last one. The servos get
what the filter held so far, at its rate until the next tick, and the filter takes in the new
references.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from serpenoid.kernels.layout import Floats

# Multipliers of less than this are of what a tick forgets, and are no poles.
_FORGOTTEN = 1e-9


def tick_map(
    moving: Floats, forces: Floats, adapted: Floats, cutoff: float, period: float
) -> tuple[Floats, Floats]:
    """How a departure from rest goes on from one tick to the next.

    It is (y, y', r, r', f): motions and their rates, filtered references and their rates, and mean
    forces of the contacts since the last tick.

    Args:
        moving: Rates of (y, y') from (y, y', r, r'), (2m, 2m+2k).
        forces: Changes of the contact forces from these, (c, 2m+2k).
        adapted: References per gain from (y, f), (k, m+c).
        cutoff: Natural frequency of the filter, rad/s.
        period: Time between ticks, s.

    Returns:
        The map without adaptation, and what a gain of 1 rad/N adds to it, (2m+2k+c, 2m+2k+c).
    """
    from scipy.linalg import expm

    k, c = len(adapted), len(forces)
    m, size = len(moving) // 2, moving.shape[1]
    # Between ticks references go on at their rates; forces add up.
    between = np.zeros((size + c, size + c))
    between[: 2 * m, :size] = moving
    between[2 * m : 2 * m + k, 2 * m + k : size] = np.eye(k)
    between[size:, :size] = forces / period
    still = expm(between * period)
    # Forces add up anew.
    still[:, size:] = 0.0
    decay, turned = math.exp(-cutoff * period), cutoff * period
    filtered = decay * np.array([[1 + turned, period], [-cutoff * turned, 1 - turned]])
    still[2 * m : size, 2 * m : size] = np.kron(filtered, np.eye(k))
    per_gain = np.zeros_like(still)
    for row, share in ((2 * m, 1 - decay * (1 + turned)), (2 * m + k, decay * cutoff * turned)):
        per_gain[row : row + k, :m] = share * adapted[:, :m]
        per_gain[row : row + k, size:] = share * adapted[:, m:]
    return still, per_gain


def poles_of(multipliers: npt.NDArray[np.complex128], period: float) -> npt.NDArray[np.complex128]:
    """Poles s of multipliers exp(s period); those of what a tick forgets are far to the left."""
    kept = np.where(np.abs(multipliers) < _FORGOTTEN, _FORGOTTEN, multipliers)
    return np.asarray(np.log(kept) / period, dtype=np.complex128)
