"""Smoothed dry friction of the ground on a link: a function of its velocity, which creeps.

The impulse is -B u / s with s = sqrt(|u|^2 + e^2), the gradient of the convex potential B s, at the
velocity after the step; its curvature is B / s (1 - u u' / s^2). It takes the place of a sign
function as the arctangent of transeth2008 V-B2 does, but is isotropic.
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import ROUNDING


@jit
def set_coefficients(robot: Item, o: Item, at: int, surface: Item, weight: float) -> None:
    """Bound of a link in a step, and the speed; weight: its impulse, N s."""
    o.smooth_b[at], o.smooth_e[at] = weight * surface.smooth, surface.smooth_speed
    robot.smooth_friction = robot.smooth_friction or o.smooth_b[at] > 0.0


@jit
def impulse(o: Item, at: int) -> tuple[float, float, float]:
    """Impulse at u, N s, and 1 / s."""
    ux, uy, e = o.ux[at], o.uy[at], o.smooth_e[at]
    s = sqrt(ux * ux + uy * uy + e * e)
    inverse = 1.0 / s if s > 0.0 else 0.0
    force = -o.smooth_b[at] * inverse
    return force * ux, force * uy, inverse


@jit_apart
def terms(blocks: Records) -> None:
    """Add impulse and curvature at u to the quadratics."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            fx, fy, inverse = impulse(o, at)
            c, nx, ny = o.smooth_b[at] * inverse, o.ux[at] * inverse, o.uy[at] * inverse
            xx, xy, yy = c * (1.0 - nx * nx), -c * nx * ny, c * (1.0 - ny * ny)
            o.smooth_fx[at], o.smooth_fy[at] = fx, fy
            o.smooth_xx[at], o.smooth_xy[at], o.smooth_yy[at] = xx, xy, yy
            o.xx[at] += xx
            o.xy[at] += xy
            o.yy[at] += yy
            o.gx[at] -= fx
            o.gy[at] -= fy


@jit_apart
def update(blocks: Records) -> int:
    """Set the impulses that the sweep balanced; count the links that violate the law."""
    off = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            dx, dy, xy = o.dx[at], o.dy[at], o.smooth_xy[at]
            qx = o.smooth_fx[at] - o.smooth_xx[at] * dx - xy * dy
            qy = o.smooth_fy[at] - xy * dx - o.smooth_yy[at] * dy
            fx, fy, _ = impulse(o, at)
            off += 1 if abs(qx - fx) + abs(qy - fy) > ROUNDING * o.mass[at] else 0
            o.smooth_qx[at], o.smooth_qy[at] = qx, qy
    return off


@jit_apart
def works(blocks: Records) -> float:
    """Work at the mean velocity of the step, J; add the impulses to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            qx, qy = o.smooth_qx[at], o.smooth_qy[at]
            o.law_x[at] += qx
            o.law_y[at] += qy
            total += 0.5 * (qx * (o.ux[at] + o.vx[at]) + qy * (o.uy[at] + o.vy[at]))
    return total
