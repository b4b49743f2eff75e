"""Viscous friction of the ground on a link, linear in its velocity.

It acts at the mean of the velocities before and after the step, so its work is never positive: the
impulse is -V (u + v) / 2, its curvature V / 2.
"""

from serpenoid.kernels._jit import jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import Item, Records


@jit_apart
def terms(blocks: Records, links: int) -> None:
    """Impulse and curvature at u, added to the quadratics."""
    for i in range(links):
        o, l = blocks[block(i)], lane(i)
        ex, ey, along, across = o.ex[l], o.ey[l], 0.5 * o.along[l], 0.5 * o.across[l]
        xx, xy = along * ex * ex + across * ey * ey, (along - across) * ex * ey
        yy = along * ey * ey + across * ex * ex
        sx, sy = o.ux[l] + o.vx[l], o.uy[l] + o.vy[l]
        o.xx[l] += xx
        o.xy[l] += xy
        o.yy[l] += yy
        o.ww[l] += 0.5 * o.turn[l]
        o.gx[l] += xx * sx + xy * sy
        o.gy[l] += xy * sx + yy * sy
        o.gw[l] += 0.5 * o.turn[l] * (o.uw[l] + o.omega[l])


@jit_apart
def works(blocks: Records, links: int) -> float:
    """Work at the mean velocity of the step, J; impulses are added to those of links."""
    total = 0.0
    for i in range(links):
        o, l = blocks[block(i)], lane(i)
        fx, fy, torque, work = impulse(o, l)
        o.law_x[l] += fx
        o.law_y[l] += fy
        o.law_w[l] += torque
        total += work
    return total


@jit_apart
def impulse(o: Item, l: int) -> tuple[float, float, float, float]:
    """Impulse and angular impulse on a link in the step, N s and N m s, and their work, J."""
    ex, ey = o.ex[l], o.ey[l]
    vx, vy, w = 0.5 * (o.ux[l] + o.vx[l]), 0.5 * (o.uy[l] + o.vy[l]), 0.5 * (o.uw[l] + o.omega[l])
    along, across = vx * ex + vy * ey, vy * ex - vx * ey
    fa, fb, torque = -o.along[l] * along, -o.across[l] * across, -o.turn[l] * w
    return fa * ex - fb * ey, fa * ey + fb * ex, torque, fa * along + fb * across + torque * w
