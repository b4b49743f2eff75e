"""Viscous friction of the ground on a link, linear in its velocity.

It acts at a mean of the velocities v before and u after the step: the impulse is
-V (theta u + (1 - theta) v) with the weight theta = max(1/2, 1 - m/V) on each axis, where V is the
impulse per velocity and m the mass or moment of inertia of the link. So u has the sign of v for any
V, where the plain mean would reverse it beyond V = 2 m. In a chain, (M + theta V) u =
(M - (1 - theta) V) v has on both sides matrices that are symmetric and not negative, the second
less than the first: every mode decays without a change of sign, and the kinetic energy with them.

With W = 2 theta V, `along`, `across`, `turn` in the lanes, this is -W (u + v) / 2 + (W - V) v.
W - V, `excess_a`, `excess_b`, `excess_w`, is 0 up to V = 2 m. The curvature is W / 2.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.layout import Item, Records


@jit
def weighted(impulse: float, mass: float) -> tuple[float, float]:
    """W and W - V of an axis, from V and m."""
    excess = max(0.0, impulse - 2.0 * mass)
    return impulse + excess, excess


@jit
def set_coefficients(robot: Item, o: Item, at: int, surface: Item, time: float) -> None:
    """Impulses per velocity of a link in a step; the mass includes added mass."""
    turn = time * (surface.turn + surface.spread * 4.0 * o.half[at] * o.half[at])
    mass, inertia = o.mass[at], o.inertia[at] + o.added_w[at]
    o.along[at], o.excess_a[at] = weighted(time * surface.along, mass + o.added_a[at])
    o.across[at], o.excess_b[at] = weighted(time * surface.across, mass + o.added_b[at])
    o.turn[at], o.excess_w[at] = weighted(turn, inertia)
    robot.viscous = robot.viscous or o.along[at] + o.across[at] + o.turn[at] > 0.0
    excess = o.excess_a[at] + o.excess_b[at] + o.excess_w[at]
    robot.overdamped = robot.overdamped or excess > 0.0


@jit
def terms(blocks: Records, robot: Item) -> None:
    """Add impulse and curvature at u to the quadratics."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
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
    if robot.overdamped:
        add_excess(blocks)


@jit
def excess(o: Item, at: int) -> tuple[float, float, float]:
    """(W - V) v, N s and N m s."""
    ex, ey, vx, vy = o.ex[at], o.ey[at], o.vx[at], o.vy[at]
    fa, fb = o.excess_a[at] * (vx * ex + vy * ey), o.excess_b[at] * (vy * ex - vx * ey)
    return fa * ex - fb * ey, fa * ey + fb * ex, o.excess_w[at] * o.omega[at]


@jit_apart
def add_excess(blocks: Records) -> None:
    """Add it to the gradients."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            fx, fy, fw = excess(o, at)
            o.gx[at] -= fx
            o.gy[at] -= fy
            o.gw[at] -= fw


@jit_apart
def works(blocks: Records, robot: Item) -> float:
    """Work at the mean velocity of the step, J; add the impulses to those of links."""
    total = 0.0
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        fx, fy, torque, work = impulse(o, at)
        if robot.overdamped:
            px, py, pw = excess(o, at)
            fx, fy, torque = fx + px, fy + py, torque + pw
            work += 0.5 * (px * (o.ux[at] + o.vx[at]) + py * (o.uy[at] + o.vy[at]))
            work += 0.5 * pw * (o.uw[at] + o.omega[at])
        o.law_x[at] += fx
        o.law_y[at] += fy
        o.law_w[at] += torque
        total += work
    return total


@jit_apart
def impulse(o: Item, at: int) -> tuple[float, float, float, float]:
    """-W (u + v) / 2 of a link, N s and N m s, and its work, J."""
    ex, ey = o.ex[at], o.ey[at]
    vx, vy, w = (
        0.5 * (o.ux[at] + o.vx[at]),
        0.5 * (o.uy[at] + o.vy[at]),
        0.5 * (o.uw[at] + o.omega[at]),
    )
    along, across = vx * ex + vy * ey, vy * ex - vx * ey
    fa, fb, torque = -o.along[at] * along, -o.across[at] * across, -o.turn[at] * w
    return fa * ex - fb * ey, fa * ey + fb * ex, torque, fa * along + fb * across + torque * w
