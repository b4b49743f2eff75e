"""The loop from tick to tick: references are held and forces averaged in between.

At a tick the adaptation takes the mean of the contact forces since the last one. The servos get
what the filter held so far, at its rate until the next tick, and the filter takes in the new
references.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.contact_stability.linearisation import Affine, Parts

# Multipliers of less than this are of what a tick forgets, and are no poles.
_FORGOTTEN = 1e-9


def from_tick_to_tick(parts: Parts, cutoff: float, period: float) -> Affine:
    """The map of a departure from one tick to the next.

    It is x, and with it the departures of the mean contact forces since the last tick.

    Args:
        parts: The loop.
        cutoff: Natural frequency of the filter, rad/s.
        period: Time between ticks, s.

    Returns:
        The map, (2m+2k+c, 2m+2k+c).
    """
    from scipy.linalg import expm

    _, moving, forces, adapted = parts
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
    return Affine(still, per_gain)


def poles_of(multipliers: npt.NDArray[np.complex128], period: float) -> npt.NDArray[np.complex128]:
    """Poles s of multipliers exp(s period); those of what a tick forgets are far to the left."""
    kept = np.where(np.abs(multipliers) < _FORGOTTEN, _FORGOTTEN, multipliers)
    return np.asarray(np.log(kept) / period, dtype=np.complex128)
