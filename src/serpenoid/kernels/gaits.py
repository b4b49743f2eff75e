"""Joint references in closed form."""

from math import cos, sin

from serpenoid.kernels._jit import jit
from serpenoid.kernels.types import SERPENOID, Gait, Records


@jit
def reference(gait: Gait, joints: Records, j: int, t: float) -> tuple[float, float]:
    """Wanted angle (rad) and rate (rad/s) of joint j at time t.

    SERPENOID: amplitude sin(frequency t + (joints - 1 - j) phase + start) + offset, the wave
    counted from the head [transeth2008 (71)]. HELD: the last command, carried on at its rate.
    """
    if gait.kind == SERPENOID:
        since = t - gait.delay
        moving = 1.0 if since >= 0.0 else 0.0
        argument = gait.frequency * since * moving + gait.start
        argument += (joints.shape[0] - 1 - j) * gait.phase
        rate = moving * gait.amplitude * gait.frequency * cos(argument)
        return gait.amplitude * sin(argument) + gait.offset, rate
    joint = joints[j]
    return joint.angle + joint.rate * (t - gait.tick), joint.rate
