"""Dry friction of the ground on a link: a disc of impulses in the link's axes.

Impulses are scaled by the half axes D of the reservoir, p = P / D, so that it is the unit disc, and
enter by their augmented Lagrangian: p = proj(old - r D gamma) [transeth2008 (53)]. Wheels are a
disc without width along the link. Where friction differs forward and backward the reservoir is two
half ellipses, and the half axis along the link is chosen before the lanes go side by side
(`choose_axes`).
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane, lane_of, width
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import EPSILON, disc_piece, half_axis


@jit
def set_coefficients(
    robot: Item, o: Item, at: int, surface: Item, weight: float, stiffness: float
) -> None:
    """Bounds of a link in a step; weight: its impulse, N s."""
    bounds = weight * surface.forward, weight * surface.backward, weight * surface.side
    bound(robot, o, at, bounds, stiffness)


@jit
def bound(
    robot: Item, o: Item, at: int, bounds: tuple[float, float, float], stiffness: float
) -> None:
    """Bounds forward, backward and sideways, N s, and what follows from them."""
    forward, backward, side = bounds
    largest = max(forward, backward, side)
    o.forward[at], o.backward[at], o.side[at] = forward, backward, side
    o.axis[at], o.largest[at] = forward, largest
    o.axis_inverse[at] = 1.0 / forward if forward > 0.0 else 0.0
    o.side_inverse[at] = 1.0 / side if side > 0.0 else 0.0
    o.dry_r[at], o.dry_unit[at], o.dry_scale[at] = 0.0, 0.0, 0.0
    if largest > 0.0:
        # The stiffer axis of the scaled law sees stiffness times the link's mass.
        o.dry_unit[at] = o.mass[at] / (largest * largest)
        o.dry_r[at], o.dry_scale[at] = stiffness * o.dry_unit[at], largest / o.mass[at]
    else:
        o.qa[at], o.qb[at], o.holds[at] = 0.0, 0.0, 0.0
    robot.dry_friction = robot.dry_friction or largest > 0.0
    robot.directional = robot.directional or forward != backward


@jit
def begin(blocks: Records, robot: Item) -> None:
    """Start from the multipliers of the last step, where the ground has friction."""
    if robot.directional:
        for i in range(robot.bodies):
            o, at = blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
            o.axis[at] = o.backward[at] if o.dry_x[at] > 0.0 else o.forward[at]
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            x, y = o.dry_x[at], o.dry_y[at]
            o.old_x[at] = x if o.axis[at] > 0.0 else 0.0
            o.old_y[at] = y if o.side[at] > 0.0 else 0.0


@jit_apart
def choose_axes(blocks: Records, robot: Item) -> int:
    """Half axis along each link at u, and the multiplier in its units; how many have changed."""
    changed = 0
    for i in range(robot.bodies):
        o, at = blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
        if o.forward[at] != o.backward[at]:
            along = o.ux[at] * o.ex[at] + o.uy[at] * o.ey[at]
            old, axis = half_axis(
                (o.old_x[at], along), o.dry_r[at], (o.forward[at], o.backward[at], o.axis[at])
            )
            changed += 1 if axis != o.axis[at] else 0
            o.old_x[at], o.axis[at] = old, axis
            o.axis_inverse[at] = 1.0 / axis if axis > 0.0 else 0.0
    return changed


@jit
def terms(blocks: Records, robot: Item, predict: bool) -> None:
    """Add impulse and curvature at u to the quadratics; predict: keep what stuck before."""
    if robot.directional:
        choose_axes(blocks, robot)
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, ux, uy = o.ex[at], o.ey[at], o.ux[at], o.uy[at]
            da, db, r = o.axis[at], o.side[at], o.dry_r[at]
            za = o.old_x[at] - r * da * (ux * ex + uy * ey)
            zb = o.old_y[at] - r * db * (uy * ex - ux * ey)
            holds = (za * za + zb * zb <= 1.0) | (predict & (o.sticking[at] > 0.0))
            fa, fb, caa, cab, cbb = disc_piece(za, zb, da, db, r, holds)
            o.fa[at], o.fb[at], o.caa[at], o.cab[at], o.cbb[at] = fa, fb, caa, cab, cbb
            o.holds[at] = 1.0 if holds else 0.0
            aa, ab, bb = ex * ex, ex * ey, ey * ey
            o.xx[at] += caa * aa - 2.0 * cab * ab + cbb * bb
            o.xy[at] += (caa - cbb) * ab + cab * (aa - bb)
            o.yy[at] += caa * bb + 2.0 * cab * ab + cbb * aa
            o.gx[at] += fb * ey - fa * ex
            o.gy[at] -= fa * ey + fb * ex


@jit
def update(blocks: Records, robot: Item, tolerance: float) -> int:
    """Set the impulses that the sweep balanced; count the links that change their piece."""
    off = choose_axes(blocks, robot) if robot.directional else 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, dx, dy, ux, uy = o.ex[at], o.ey[at], o.dx[at], o.dy[at], o.ux[at], o.uy[at]
            da, db, r = o.axis[at], o.side[at], o.dry_r[at]
            va, vb = dx * ex + dy * ey, dy * ex - dx * ey
            qa = (o.fa[at] - o.caa[at] * va - o.cab[at] * vb) * o.axis_inverse[at]
            qb = (o.fb[at] - o.cab[at] * va - o.cbb[at] * vb) * o.side_inverse[at]
            za = o.old_x[at] - r * da * (ux * ex + uy * ey)
            zb = o.old_y[at] - r * db * (uy * ex - ux * ey)
            square = za * za + zb * zb
            inverse = 1.0 if square <= 1.0 else 1.0 / sqrt(square)
            # z is known to the rounding of the velocities, no better.
            slack = tolerance + EPSILON * r * (da + db) * (abs(ux) + abs(uy))
            off += 1 if abs(qa - za * inverse) + abs(qb - zb * inverse) > slack else 0
            o.qa[at], o.qb[at] = qa, qb
    return off


@jit
def residuals(blocks: Records) -> None:
    """Raise the squared residual of each link to that of this law, m2/s2.

    It is what an update with r = mass would still change, divided by the mass: zero exactly where
    minus the velocity lies in the normal cone of the reservoir.
    """
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, ux, uy, unit = o.ex[at], o.ey[at], o.ux[at], o.uy[at], o.dry_unit[at]
            qa, qb, scale = o.qa[at], o.qb[at], o.dry_scale[at]
            za = qa - unit * o.axis[at] * (ux * ex + uy * ey)
            zb = qb - unit * o.side[at] * (uy * ex - ux * ey)
            square = za * za + zb * zb
            inverse = 1.0 if square <= 1.0 else 1.0 / sqrt(square)
            ea, eb = scale * (za * inverse - qa), scale * (zb * inverse - qb)
            o.error[at] = max(o.error[at], ea * ea + eb * eb)


@jit
def accept_multipliers(blocks: Records) -> None:
    """Replace the multipliers by the new impulses."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.old_x[at], o.old_y[at] = o.qa[at], o.qb[at]


@jit
def works(blocks: Records) -> float:
    """Work at the mean velocity of the step, J; add the impulses to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey = o.ex[at], o.ey[at]
            fa, fb = o.axis[at] * o.qa[at], o.side[at] * o.qb[at]
            fx, fy = fa * ex - fb * ey, fa * ey + fb * ex
            o.law_x[at] += fx
            o.law_y[at] += fy
            o.fa[at] = fx * 0.5 * (o.ux[at] + o.vx[at]) + fy * 0.5 * (o.uy[at] + o.vy[at])
        for at in range(width(o)):
            total += o.fa[at]
    return total
