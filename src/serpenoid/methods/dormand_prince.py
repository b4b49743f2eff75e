"""Dormand and Prince's method of order 5(4), and its continuous extension of order 4.

Stage s of a step is at part NODE[s] of it, its rates of change in slope[s]; the last one is at the
end of the step.
"""

import numpy as np

from serpenoid.kernels._jit import jit
from serpenoid.kernels.layout import Floats
from serpenoid.methods.linear_algebra import add_scaled, copy

NODE = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
WEIGHT = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERROR = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])
# What the continuous extension has beyond a cubic through both ends and their slopes.
BULGE = np.array(
    [
        -12715105075 / 11282082432,
        0.0,
        87487479700 / 32700410799,
        -10690763975 / 1880347072,
        701980252875 / 199316789632,
        -1453857185 / 822651844,
        69997945 / 29380423,
    ]
)


@jit
def set_stage(stage: int, h: float, y: Floats, slope: Floats, trial: Floats) -> None:
    """Fill in trial, y at a stage > 0 of a step h, from the rates of the stages before."""
    copy(y, trial)
    for s in range(stage):
        if WEIGHT[stage, s] != 0.0:
            add_scaled(trial, h * WEIGHT[stage, s], slope[s])


@jit
def step_error(h: float, tolerance: float, y: Floats, slope: Floats, trial: Floats) -> float:
    """Largest error of a step h from y to trial, in units of tolerance (1 + |y|)."""
    worst = 0.0
    for k in range(y.shape[0]):
        off = 0.0
        for s in range(7):
            off += h * ERROR[s] * slope[s, k]
        error = abs(off) / (tolerance * (1.0 + max(abs(y[k]), abs(trial[k]))))
        worst = larger(worst, error)
    return worst


@jit
def larger(worst: float, error: float) -> float:
    """The larger of two errors; one that is no number is worse than any."""
    return error if error > worst or error != error else worst


@jit
def extend(h: float, y: Floats, slope: Floats, trial: Floats, dense: Floats) -> None:
    """Describe the motion throughout a step h from y to trial by dense, (4, n)."""
    for k in range(dense.shape[1]):
        way = trial[k] - y[k]
        begin = h * slope[0, k] - way
        bulge = 0.0
        for s in range(7):
            bulge += BULGE[s] * slope[s, k]
        dense[0, k], dense[1, k] = way, begin
        dense[2, k], dense[3, k] = way - h * slope[6, k] - begin, h * bulge


@jit
def interpolate(part: float, y: Floats, dense: Floats, trial: Floats) -> None:
    """Fill in trial after a part (0 to 1) of the step from y described by `extend`."""
    rest = 1.0 - part
    for k in range(dense.shape[1]):
        inner = dense[1, k] + part * (dense[2, k] + rest * dense[3, k])
        trial[k] = y[k] + part * (dense[0, k] + rest * inner)
