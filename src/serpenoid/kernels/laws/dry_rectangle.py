"""Dry friction of the ground on a link: an interval of impulses along it and one across it.

The reservoir is a rectangle, as two sign functions have it [transeth2008 V-B2]. Impulses along each
axis are scaled by their bound D, p = P / D, and enter by their augmented Lagrangian:
p = proj(old - r gamma), with the curvature D r inside of the interval and none outside of it.

At most one dry law acts on a link, so the state keeps its scaled impulses, and whether it sticks,
where it keeps those of `dry_friction`.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import EPSILON, project_interval


@jit
def set_coefficients(
    robot: Item, o: Item, at: int, surface: Item, weight: float, stiffness: float
) -> None:
    """Bounds of a link in a step; weight: its impulse, N s."""
    a, b = weight * surface.rectangle_along, weight * surface.rectangle_across
    o.box_a[at], o.box_b[at] = a, b
    o.box_ra[at] = stiffness * o.mass[at] / a if a > 0.0 else 0.0
    o.box_rb[at] = stiffness * o.mass[at] / b if b > 0.0 else 0.0
    robot.dry_rectangle = robot.dry_rectangle or a + b > 0.0


@jit_apart
def begin(blocks: Records) -> None:
    """Start from the multipliers of the last step, where the ground has friction."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            x, y = o.dry_x[at], o.dry_y[at]
            o.box_pa[at] = project_interval(x, 1.0) if o.box_a[at] > 0.0 else 0.0
            o.box_pb[at] = project_interval(y, 1.0) if o.box_b[at] > 0.0 else 0.0


@jit_apart
def terms(blocks: Records, predict: bool) -> None:
    """Add impulse and curvature at u to the quadratics; predict: keep what stuck before."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, ux, uy = o.ex[at], o.ey[at], o.ux[at], o.uy[at]
            da, db, pa, pb = o.box_a[at], o.box_b[at], o.box_pa[at], o.box_pb[at]
            ra, rb = o.box_ra[at], o.box_rb[at]
            za, zb = pa - ra * (ux * ex + uy * ey), pb - rb * (uy * ex - ux * ey)
            held_a = (abs(za) <= 1.0) | (predict & (abs(pa) < 1.0))
            held_b = (abs(zb) <= 1.0) | (predict & (abs(pb) < 1.0))
            fa = da * (za if held_a else project_interval(za, 1.0))
            fb = db * (zb if held_b else project_interval(zb, 1.0))
            ca, cb = da * ra if held_a else 0.0, db * rb if held_b else 0.0
            o.box_fa[at], o.box_fb[at], o.box_ca[at], o.box_cb[at] = fa, fb, ca, cb
            o.xx[at] += ca * ex * ex + cb * ey * ey
            o.xy[at] += (ca - cb) * ex * ey
            o.yy[at] += ca * ey * ey + cb * ex * ex
            o.gx[at] -= fa * ex - fb * ey
            o.gy[at] -= fa * ey + fb * ex


@jit_apart
def update(blocks: Records, tolerance: float) -> int:
    """Set the impulses that the sweep balanced; count the links that change their piece."""
    off = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            da, db, ra, rb = o.box_a[at], o.box_b[at], o.box_ra[at], o.box_rb[at]
            ex, ey, dx, dy, ux, uy = o.ex[at], o.ey[at], o.dx[at], o.dy[at], o.ux[at], o.uy[at]
            fa = o.box_fa[at] - o.box_ca[at] * (dx * ex + dy * ey)
            fb = o.box_fb[at] - o.box_cb[at] * (dy * ex - dx * ey)
            qa, qb = fa / da if da > 0.0 else 0.0, fb / db if db > 0.0 else 0.0
            za = project_interval(o.box_pa[at] - ra * (ux * ex + uy * ey), 1.0)
            zb = project_interval(o.box_pb[at] - rb * (uy * ex - ux * ey), 1.0)
            # z is known to the rounding of the velocities, no better.
            slack = tolerance + EPSILON * (ra + rb) * (abs(ux) + abs(uy))
            off += 1 if abs(qa - za) + abs(qb - zb) > slack else 0
            o.box_qa[at], o.box_qb[at] = qa, qb
    return off


@jit_apart
def residuals(blocks: Records) -> None:
    """Raise the squared residual of each link to that of this law, m2/s2."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            da, db, mass = o.box_a[at], o.box_b[at], o.mass[at]
            ex, ey, ux, uy = o.ex[at], o.ey[at], o.ux[at], o.uy[at]
            pa, pb = da * o.box_qa[at], db * o.box_qb[at]
            ea = project_interval(pa - mass * (ux * ex + uy * ey), da) - pa
            eb = project_interval(pb - mass * (uy * ex - ux * ey), db) - pb
            o.error[at] = max(o.error[at], (ea * ea + eb * eb) / (mass * mass))


@jit_apart
def accept_multipliers(blocks: Records) -> None:
    """Replace the multipliers by the new impulses."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.box_pa[at], o.box_pb[at] = o.box_qa[at], o.box_qb[at]


@jit_apart
def works(blocks: Records) -> float:
    """Work at the mean velocity of the step, J; add the impulses to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey = o.ex[at], o.ey[at]
            fa, fb = o.box_a[at] * o.box_qa[at], o.box_b[at] * o.box_qb[at]
            fx, fy = fa * ex - fb * ey, fa * ey + fb * ex
            o.law_x[at] += fx
            o.law_y[at] += fy
            total += 0.5 * (fx * (o.ux[at] + o.vx[at]) + fy * (o.uy[at] + o.vy[at]))
    return total


@jit_apart
def accept(blocks: Records) -> None:
    """Keep the impulses for the next step, and whether both of them are inside of the rectangle."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            da, db, ca, cb = o.box_a[at], o.box_b[at], o.box_ca[at], o.box_cb[at]
            if da + db > 0.0:
                o.dry_x[at], o.dry_y[at] = o.box_qa[at], o.box_qb[at]
                holds = (ca > 0.0 or da == 0.0) and (cb > 0.0 or db == 0.0)
                o.sticking[at] = 1.0 if holds else 0.0
