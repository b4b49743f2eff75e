"""Servos and torques of joints: an interval of impulses, with gear play.

The servo acts at the joint angle after the step, which is stable for any stiffness: its impulse is
P - K rate, cut off at the torque limit; within the gear play there is none.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import ROUNDING


@jit
def prepare(blocks: Records, robot: Item, dt: float) -> None:
    """P, K, bound and play of the step, from the reference and the angle at the midpoint."""
    half = 0.5 * dt
    for b in range(robot.link_blocks):
        o = blocks[b]
        for l in range(o.width):
            kp, kd = o.kp[l], o.kd[l]
            force = kp * (o.wanted[l] - o.phi[l]) + kd * o.wanted_rate[l] + o.torque[l]
            o.jp[l], o.jk[l] = dt * force, dt * (half * kp + kd)
            o.bound[l], o.play[l] = dt * o.limit[l], half * kp * o.deadband[l]


@jit
def terms(blocks: Records, robot: Item) -> None:
    """Impulse and curvature at the rates of u, into the joints."""
    for b in range(robot.link_blocks):
        o = blocks[b]
        for l in range(o.width):
            z, k, bound, play = o.jp[l] - o.jk[l] * o.rate_u[l], o.jk[l], o.bound[l], o.play[l]
            driven = (abs(z) > play) | (play == 0.0)
            z = z - min(max(z, -play), play)
            f = min(max(z, -bound), bound)
            c = k if driven & (abs(z) <= bound) else 0.0
            o.jf[l], o.jc[l], o.joint_f[l], o.joint_c[l] = f, c, f, c


@jit
def update(blocks: Records, robot: Item) -> int:
    """Impulses that the sweep has balanced; how many joints are on another piece of the law now."""
    off = 0
    for b in range(robot.link_blocks):
        o = blocks[b]
        for l in range(o.width):
            k, bound, play = o.jk[l], o.bound[l], o.play[l]
            q = o.jf[l] - o.jc[l] * o.drate[l]
            z = o.jp[l] - k * o.rate_u[l]
            z = z - min(max(z, -play), play)
            off += 1 if abs(q - min(max(z, -bound), bound)) > ROUNDING * k else 0
            o.jq[l] = q
    return off


@jit
def works(blocks: Records, robot: Item) -> float:
    """Work at the mean rate of the step, J."""
    total = 0.0
    for b in range(robot.link_blocks):
        o = blocks[b]
        for l in range(o.width):
            total += 0.5 * o.jq[l] * (o.rate0[l] + o.rate_u[l])
    return total
