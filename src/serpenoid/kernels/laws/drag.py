"""Quadratic drag of a fluid on a link, along and across it and against turning.

It acts at a mean w = theta u + (1 - theta) v of the velocities before and after the step, on each
axis with the weight theta = max(1/2, 1 - sqrt(m / (D |v|))): the impulse is -D |w| w, the gradient
of a convex potential, its curvature 2 theta D |w|. Of the mass or moment of inertia m counts what
viscous friction leaves, see `viscous`. A link that nothing else moves keeps the sign of its
velocity that way, where the plain mean would reverse it beyond D |v| = 4 m: at theta > 1/2 it comes
to rest. `lag` in the lanes is 2 theta - 1.
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import ROUNDING


@jit
def set_coefficients(robot: Item, o: Item, at: int, surface: Item, time: float) -> None:
    """Impulses per squared velocity of a link in a step."""
    o.drag_a[at], o.drag_b[at] = time * surface.drag_along, time * surface.drag_across
    o.drag_w[at] = time * surface.drag_spread * (2.0 * o.half[at]) ** 3
    robot.drag = robot.drag or o.drag_a[at] + o.drag_b[at] + o.drag_w[at] > 0.0


@jit
def lag(impulse: float, mass: float, viscous: float) -> float:
    """2 theta - 1 of an axis; impulse: D |v|; viscous: its share of the mass."""
    mass = max(0.0, mass - viscous)
    return 1.0 - 2.0 * sqrt(mass / impulse) if impulse > 4.0 * mass else 0.0


@jit_apart
def begin(blocks: Records) -> None:
    """Weights of the velocity after the step; the mass includes added mass."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, vx, vy, m = o.ex[at], o.ey[at], o.vx[at], o.vy[at], o.mass[at]
            da, db = abs(vx * ex + vy * ey) * o.drag_a[at], abs(vy * ex - vx * ey) * o.drag_b[at]
            dw, inertia = abs(o.omega[at]) * o.drag_w[at], o.inertia[at] + o.added_w[at]
            o.lag_a[at] = lag(da, m + o.added_a[at], 0.5 * o.along[at] - o.excess_a[at])
            o.lag_b[at] = lag(db, m + o.added_b[at], 0.5 * o.across[at] - o.excess_b[at])
            o.lag_w[at] = lag(dw, inertia, 0.5 * o.turn[at] - o.excess_w[at])


@jit
def velocities(o: Item, at: int) -> tuple[float, float, float]:
    """The mean w, along and across the link and of turning."""
    ex, ey = o.ex[at], o.ey[at]
    ux, uy, uw, vx, vy, vw = o.ux[at], o.uy[at], o.uw[at], o.vx[at], o.vy[at], o.omega[at]
    mx, my, gx, gy = 0.5 * (ux + vx), 0.5 * (uy + vy), 0.5 * (ux - vx), 0.5 * (uy - vy)
    a, across, w = mx * ex + my * ey, my * ex - mx * ey, 0.5 * (uw + vw)
    a += o.lag_a[at] * (gx * ex + gy * ey)
    across += o.lag_b[at] * (gy * ex - gx * ey)
    return a, across, w + o.lag_w[at] * 0.5 * (uw - vw)


@jit_apart
def terms(blocks: Records) -> None:
    """Add impulse and curvature at u to the quadratics."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey = o.ex[at], o.ey[at]
            a, across, w = velocities(o, at)
            ca, cb, cw = o.drag_a[at] * abs(a), o.drag_b[at] * abs(across), o.drag_w[at] * abs(w)
            fa, fb, fw = -ca * a, -cb * across, -cw * w
            ca, cb, cw = ca + o.lag_a[at] * ca, cb + o.lag_b[at] * cb, cw + o.lag_w[at] * cw
            o.drag_fa[at], o.drag_fb[at], o.drag_fw[at] = fa, fb, fw
            o.drag_ca[at], o.drag_cb[at], o.drag_cw[at] = ca, cb, cw
            o.xx[at] += ca * ex * ex + cb * ey * ey
            o.xy[at] += (ca - cb) * ex * ey
            o.yy[at] += ca * ey * ey + cb * ex * ex
            o.ww[at] += cw
            o.gx[at] -= fa * ex - fb * ey
            o.gy[at] -= fa * ey + fb * ex
            o.gw[at] -= fw


@jit_apart
def update(blocks: Records) -> int:
    """Set the impulses that the sweep balanced; count the links that violate the law."""
    off = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, dx, dy = o.ex[at], o.ey[at], o.dx[at], o.dy[at]
            a, across, w = velocities(o, at)
            qa = o.drag_fa[at] - o.drag_ca[at] * (dx * ex + dy * ey)
            qb = o.drag_fb[at] - o.drag_cb[at] * (dy * ex - dx * ey)
            qw = o.drag_fw[at] - o.drag_cw[at] * o.dw[at]
            linear = abs(qa + o.drag_a[at] * abs(a) * a)
            linear += abs(qb + o.drag_b[at] * abs(across) * across)
            angular = abs(qw + o.drag_w[at] * abs(w) * w)
            off += 1 if linear > ROUNDING * o.mass[at] else 0
            off += 1 if angular * o.half[at] > ROUNDING * o.inertia[at] else 0
            o.drag_qa[at], o.drag_qb[at], o.drag_qw[at] = qa, qb, qw
    return off


@jit_apart
def works(blocks: Records) -> float:
    """Work at the mean velocity of the step, J; add the impulses to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, qa, qb, qw = o.ex[at], o.ey[at], o.drag_qa[at], o.drag_qb[at], o.drag_qw[at]
            fx, fy = qa * ex - qb * ey, qa * ey + qb * ex
            o.law_x[at] += fx
            o.law_y[at] += fy
            o.law_w[at] += qw
            work = fx * (o.ux[at] + o.vx[at]) + fy * (o.uy[at] + o.vy[at])
            total += 0.5 * (work + qw * (o.uw[at] + o.omega[at]))
    return total
