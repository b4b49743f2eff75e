"""Dormand and Prince's method of order 5(4), and its continuous extension of order 4.

Only the motion, the first 2 n + 4 entries of y, has an error control and a continuous extension;
impulses and works follow from it, so they are needed at the end of a step alone.
"""

import numpy as np

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Body, PackedGait, PackedWorld
from serpenoid.methods.hybrid_flow import flow_map
from serpenoid.methods.hybrid_layout import Flow, HybridOptions

# Stages; the last one is at the end of the step. Error weights.
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


@jit_apart
def try_step(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    h: float,
    options: HybridOptions,
    flow: Flow,
) -> float:
    """Step from y, whose rates are in slope[0], to flow.trial; error in units of the tolerance."""
    slope, y, trial = flow.slope, flow.y, flow.trial
    motion = 2 * body.links.shape[0] + 4
    for stage in range(1, 7):
        size = motion if stage < 6 else y.shape[0]
        for k in range(size):
            trial[k] = y[k]
        for s in range(stage):
            weight = h * WEIGHT[stage, s]
            if weight != 0.0:
                for k in range(size):
                    trial[k] += weight * slope[s, k]
        moment = t + NODE[stage] * h
        flow_map(world, body, gait, moment, options.stick_speed, flow, trial, slope[stage])
    off = flow.dense[0]
    for k in range(motion):
        off[k] = 0.0
    for s in range(7):
        weight = h * ERROR[s]
        for k in range(motion):
            off[k] += weight * slope[s, k]
    worst = 0.0
    for k in range(motion):
        error = abs(off[k]) / (options.tolerance * (1.0 + max(abs(y[k]), abs(trial[k]))))
        worst = larger(worst, error)
    return worst


@jit
def larger(worst: float, error: float) -> float:
    """The larger of two errors; one that is no number is worse than any."""
    return error if error > worst or error != error else worst


@jit
def extend(motion: int, h: float, flow: Flow) -> None:
    """Keep what describes the motion throughout the step just tried."""
    slope, y, trial, dense = flow.slope, flow.y, flow.trial, flow.dense
    for k in range(motion):
        way = trial[k] - y[k]
        begin = h * slope[0, k] - way
        bulge = 0.0
        for s in range(7):
            bulge += BULGE[s] * slope[s, k]
        dense[0, k], dense[1, k] = way, begin
        dense[2, k], dense[3, k] = way - h * slope[6, k] - begin, h * bulge


@jit
def interpolate(motion: int, part: float, flow: Flow) -> None:
    """Fill in the motion of flow.trial after a part (0 to 1) of the step described by `extend`."""
    y, trial, dense = flow.y, flow.trial, flow.dense
    rest = 1.0 - part
    for k in range(motion):
        inner = dense[1, k] + part * (dense[2, k] + rest * dense[3, k])
        trial[k] = y[k] + part * (dense[0, k] + rest * inner)
