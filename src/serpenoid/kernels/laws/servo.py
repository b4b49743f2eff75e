"""Servos and torques of joints: an interval of impulses, with gear play.

The servo acts at the joint angle after the step, which is stable for any stiffness: its impulse is
P - K rate, cut off at the torque limit; within the gear play there is none.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import EPSILON, ROUNDING


@jit
def prepare(blocks: Records, robot: Item, dt: float) -> None:
    """P, K, bound and play of the step, from the reference and the angle at the midpoint."""
    half = 0.5 * dt
    for b in range(robot.link_blocks):
        o = blocks[b]
        for at in range(width(o)):
            kp, kd = o.kp[at], o.kd[at]
            force = kp * (o.wanted[at] - o.phi[at]) + kd * o.wanted_rate[at] + o.torque[at]
            o.jp[at], o.jk[at] = dt * force, dt * (half * kp + kd)
            o.bound[at], o.play[at] = dt * o.limit[at], half * kp * o.deadband[at]


@jit
def terms(blocks: Records, robot: Item) -> None:
    """Set impulse and curvature of the joints at the rates of u."""
    for b in range(robot.link_blocks):
        o = blocks[b]
        for at in range(width(o)):
            z, k, bound, play = (
                o.jp[at] - o.jk[at] * o.rate_u[at],
                o.jk[at],
                o.bound[at],
                o.play[at],
            )
            driven = (abs(z) > play) | (play == 0.0)
            z = z - min(max(z, -play), play)
            f = min(max(z, -bound), bound)
            c = k if driven & (abs(z) <= bound) else 0.0
            o.jf[at], o.jc[at], o.joint_f[at], o.joint_c[at] = f, c, f, c


@jit
def update(blocks: Records, robot: Item) -> int:
    """Set the impulses that the sweep balanced; count the joints that change their piece."""
    off = 0
    for b in range(robot.link_blocks):
        o = blocks[b]
        for at in range(width(o)):
            k, bound, play = o.jk[at], o.bound[at], o.play[at]
            q = o.jf[at] - o.jc[at] * o.drate[at]
            z = o.jp[at] - k * o.rate_u[at]
            z = z - min(max(z, -play), play)
            error = abs(q - min(max(z, -bound), bound))
            off += 1 if error > ROUNDING * k + EPSILON * abs(o.jp[at]) else 0
            o.jq[at] = q
    return off


@jit
def works(blocks: Records, robot: Item) -> float:
    """Work at the mean rate of the step, J."""
    total = 0.0
    for b in range(robot.link_blocks):
        o = blocks[b]
        for at in range(width(o)):
            total += 0.5 * o.jq[at] * (o.rate0[at] + o.rate_u[at])
    return total
