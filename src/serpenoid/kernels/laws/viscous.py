"""Viscous friction of the ground on a link, linear in its velocity.

It acts at the mean of the velocities before and after the step, so its work is never positive: the
impulse is -V (u + v) / 2, its curvature V / 2.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.block_layout import LANES
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import Item, Records


@jit
def set_coefficients(robot: Item, o: Item, at: int, surface: Item, time: float) -> None:
    """Impulses per velocity of a link in a step."""
    o.along[at], o.across[at] = time * surface.along, time * surface.across
    o.turn[at] = time * (surface.turn + surface.spread * 4.0 * o.half[at] * o.half[at])
    robot.viscous = robot.viscous or o.along[at] + o.across[at] + o.turn[at] > 0.0


@jit
def terms(blocks: Records) -> None:
    """Impulse and curvature at u, added to the quadratics."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(LANES):
            ex, ey, along, across = o.ex[at], o.ey[at], 0.5 * o.along[at], 0.5 * o.across[at]
            xx, xy = along * ex * ex + across * ey * ey, (along - across) * ex * ey
            yy = along * ey * ey + across * ex * ex
            sx, sy = o.ux[at] + o.vx[at], o.uy[at] + o.vy[at]
            o.xx[at] += xx
            o.xy[at] += xy
            o.yy[at] += yy
            o.ww[at] += 0.5 * o.turn[at]
            o.gx[at] += xx * sx + xy * sy
            o.gy[at] += xy * sx + yy * sy
            o.gw[at] += 0.5 * o.turn[at] * (o.uw[at] + o.omega[at])


@jit_apart
def works(blocks: Records, robot: Item) -> float:
    """Work at the mean velocity of the step, J; impulses are added to those of links."""
    total = 0.0
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        fx, fy, torque, work = impulse(o, at)
        o.law_x[at] += fx
        o.law_y[at] += fy
        o.law_w[at] += torque
        total += work
    return total


@jit_apart
def impulse(o: Item, at: int) -> tuple[float, float, float, float]:
    """Impulse and angular impulse on a link in the step, N s and N m s, and their work, J."""
    ex, ey = o.ex[at], o.ey[at]
    vx, vy, w = (
        0.5 * (o.ux[at] + o.vx[at]),
        0.5 * (o.uy[at] + o.vy[at]),
        0.5 * (o.uw[at] + o.omega[at]),
    )
    along, across = vx * ex + vy * ey, vy * ex - vx * ey
    fa, fb, torque = -o.along[at] * along, -o.across[at] * across, -o.turn[at] * w
    return fa * ex - fb * ey, fa * ey + fb * ex, torque, fa * along + fb * across + torque * w
