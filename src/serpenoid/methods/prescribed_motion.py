"""Motion of a free chain whose joints move as told: Dormand and Prince's method of order 5(4).

y holds position (x, y) of the tail end and angle of the tail link, their rates, and the work done
by the joints and lost to the ground; SI units, axes of the ground.
"""

from math import cos, isfinite, sin

from serpenoid.kernels._jit import jit_apart, jit_entry
from serpenoid.kernels.layout import Floats, PackedGait
from serpenoid.methods.dormand_prince import NODE, set_stage, step_error
from serpenoid.methods.linear_algebra import copy
from serpenoid.methods.spatial_recursion import energies, inverse_dynamics
from serpenoid.methods.spatial_vectors import Spatial, Vector

SIZE = 8
# A motion is given up when, at the pace so far, it would take more steps than this, half a minute
# for 8 links; the pace is known after some steps.
MAX_STEPS, FIRST_STEPS = 3_000_000, 10_000


@jit_apart
def set_joints(chain: Spatial, gait: PackedGait, t: float) -> None:
    """Angle, rate and acceleration of every joint of a serpenoid gait, rad and s."""
    joints = chain.angle.shape[0]
    for j in range(joints):
        argument = gait.frequency * t + gait.start + (joints - 1 - j) * gait.phase
        swing = gait.amplitude * sin(argument)
        chain.angle[j] = swing + gait.offset
        chain.rate[j] = gait.amplitude * gait.frequency * cos(argument)
        chain.acceleration[j] = -gait.frequency * gait.frequency * swing


@jit_entry
def base_velocity(angle: float, vx: float, vy: float, omega: float) -> Vector:
    """Velocity of the tail link in its own frame."""
    c, s = cos(angle), sin(angle)
    return 0.0, 0.0, omega, c * vx + s * vy, c * vy - s * vx, 0.0


@jit_entry
def flow(chain: Spatial, gait: PackedGait, t: float, y: Floats, slope: Floats) -> None:
    """Rates of y."""
    set_joints(chain, gait, t)
    A = inverse_dynamics(chain, base_velocity(y[2], y[3], y[4], y[5]))
    c, s = cos(y[2]), sin(y[2])
    slope[0], slope[1], slope[2] = y[3], y[4], y[5]
    slope[3], slope[4], slope[5] = c * A[3] - s * A[4], s * A[3] + c * A[4], A[2]
    power = 0.0
    for j in range(chain.rate.shape[0]):
        power += chain.torque[j] * chain.rate[j]
    slope[6], slope[7] = power, energies(chain)[1]


@jit_entry
def integrate(
    chain: Spatial,
    gait: PackedGait,
    time: Floats,
    tolerance: float,
    rows: Floats,
    slope: Floats,
    trial: Floats,
) -> int:
    """Fill rows (k, SIZE) at the times (k,), the first row given; returns how many rows are done.

    tolerance: on the error of a step, relative to 1 + |y|. slope (7, SIZE) and trial (SIZE,) are
    scratch.
    """
    steps = 0
    flow(chain, gait, time[0], rows[0], slope[0])
    span = time[time.shape[0] - 1] - time[0]
    wish = span
    for k in range(1, time.shape[0]):
        y = rows[k]
        copy(rows[k - 1], y)
        t, end = time[k - 1], time[k]
        while t < end:
            last = t + wish >= end
            h = end - t if last else wish
            for stage in range(1, 7):
                set_stage(stage, h, y, slope, trial)
                flow(chain, gait, t + NODE[stage] * h, trial, slope[stage])
            error = step_error(h, tolerance, y, slope, trial)
            steps += 1
            slow = steps > FIRST_STEPS and steps * span > MAX_STEPS * (t + h - time[0])
            if slow or t + h == t:
                return k
            if error <= 1.0:
                t = end if last else t + h
                copy(trial, y)
                copy(slope[6], slope[0])
            factor = min(5.0, 0.9 * max(error, 1e-10) ** -0.2) if isfinite(error) else 0.2
            # A step cut short by a row says nothing against longer ones.
            if not (last and error <= 1.0 and factor * h < wish):
                wish = max(0.2, factor) * h
    return time.shape[0]
