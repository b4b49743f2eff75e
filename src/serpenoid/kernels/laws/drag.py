"""Quadratic drag of a fluid on a link, along and across it and against turning.

It acts at the mean w = (u + v) / 2 of the velocities before and after the step, so its work is
never positive: the impulse is -D |w| w, the gradient of a convex potential, its curvature D |w|.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.block_layout import LANES
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import ROUNDING


@jit
def set_coefficients(robot: Item, o: Item, at: int, surface: Item, time: float) -> None:
    """Impulses per squared velocity of a link in a step."""
    o.drag_a[at], o.drag_b[at] = time * surface.drag_along, time * surface.drag_across
    o.drag_w[at] = time * surface.drag_spread * (2.0 * o.half[at]) ** 3
    robot.drag = robot.drag or o.drag_a[at] + o.drag_b[at] + o.drag_w[at] > 0.0


@jit_apart
def terms(blocks: Records) -> None:
    """Impulse and curvature at u, added to the quadratics."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(LANES):
            ex, ey = o.ex[at], o.ey[at]
            mx, my = 0.5 * (o.ux[at] + o.vx[at]), 0.5 * (o.uy[at] + o.vy[at])
            a, across, w = mx * ex + my * ey, my * ex - mx * ey, 0.5 * (o.uw[at] + o.omega[at])
            ca, cb, cw = o.drag_a[at] * abs(a), o.drag_b[at] * abs(across), o.drag_w[at] * abs(w)
            fa, fb, fw = -ca * a, -cb * across, -cw * w
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
    """Impulses that the sweep has balanced; how many links are still off the law."""
    off = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(LANES):
            ex, ey, dx, dy = o.ex[at], o.ey[at], o.dx[at], o.dy[at]
            mx, my = 0.5 * (o.ux[at] + o.vx[at]), 0.5 * (o.uy[at] + o.vy[at])
            a, across, w = mx * ex + my * ey, my * ex - mx * ey, 0.5 * (o.uw[at] + o.omega[at])
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
    """Work at the mean velocity of the step, J; impulses are added to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(LANES):
            ex, ey, qa, qb, qw = o.ex[at], o.ey[at], o.drag_qa[at], o.drag_qb[at], o.drag_qw[at]
            fx, fy = qa * ex - qb * ey, qa * ey + qb * ex
            o.law_x[at] += fx
            o.law_y[at] += fy
            o.law_w[at] += qw
            work = fx * (o.ux[at] + o.vx[at]) + fy * (o.uy[at] + o.vy[at])
            total += 0.5 * (work + qw * (o.uw[at] + o.omega[at]))
    return total
