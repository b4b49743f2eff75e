"""Dry friction of the ground on a link: a disc of impulses in the link's axes.

Impulses are scaled by the half axes D of the reservoir, p = P / D, so that it is the unit disc, and
enter by their augmented Lagrangian: p = proj(old - r D gamma) [transeth2008 (53)]. Inside the disc
the curvature is r D D, on its edge r/|z| across p only. Wheels are a disc without width along the
link. Where friction differs forward and backward the reservoir is two half ellipses, and the half
axis along the link is chosen before the lanes go side by side (`choose_axes`).
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import LANES, block, lane, lane_of
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import half_axis


@jit
def begin(blocks: Records, robot: Item) -> None:
    """Start from the multipliers of the last step, where the ground can bear them."""
    if robot.directional:
        for i in range(robot.bodies):
            o, l = blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
            o.axis[l] = o.backward[l] if o.dry_x[l] > 0.0 else o.forward[l]
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(o.width):
            x, y, w = o.dry_x[l], o.dry_y[l], o.dry_w[l]
            o.old_x[l] = x if o.axis[l] > 0.0 else 0.0
            o.old_y[l] = y if o.side[l] > 0.0 else 0.0
            o.old_w[l] = w if o.spin[l] > 0.0 else 0.0


@jit_apart
def choose_axes(blocks: Records, robot: Item) -> int:
    """Half axis along each link at u, and the multiplier in its units; how many have changed."""
    changed = 0
    for i in range(robot.bodies):
        o, l = blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
        if o.forward[l] != o.backward[l]:
            along = o.ux[l] * o.ex[l] + o.uy[l] * o.ey[l]
            old, axis = half_axis(
                (o.old_x[l], along), o.dry_r[l], (o.forward[l], o.backward[l], o.axis[l])
            )
            changed += 1 if axis != o.axis[l] else 0
            o.old_x[l], o.axis[l] = old, axis
            o.axis_inverse[l] = 1.0 / axis if axis > 0.0 else 0.0
    return changed


@jit
def terms(blocks: Records, predict: bool) -> None:
    """Impulse and curvature at u, added to the quadratics; predict: what stuck sticks again."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(LANES):
            ex, ey, ux, uy = o.ex[l], o.ey[l], o.ux[l], o.uy[l]
            da, db, r = o.axis[l], o.side[l], o.dry_r[l]
            za = o.old_x[l] - r * da * (ux * ex + uy * ey)
            zb = o.old_y[l] - r * db * (uy * ex - ux * ey)
            square = za * za + zb * zb
            holds = (square <= 1.0) | (predict & (o.sticking[l] > 0.0))
            inverse = 1.0 if holds else 1.0 / sqrt(square)
            pa, pb, r = za * inverse, zb * inverse, r * inverse
            ta, tb = (da, 0.0) if holds else (da * pb, -db * pa)
            caa, cab = r * ta * ta, r * ta * tb
            cbb = r * db * db if holds else r * tb * tb
            fa, fb = da * pa, db * pb
            o.fa[l], o.fb[l], o.caa[l], o.cab[l], o.cbb[l] = fa, fb, caa, cab, cbb
            o.holds[l] = 1.0 if holds else 0.0
            aa, ab, bb = ex * ex, ex * ey, ey * ey
            o.xx[l] += caa * aa - 2.0 * cab * ab + cbb * bb
            o.xy[l] += (caa - cbb) * ab + cab * (aa - bb)
            o.yy[l] += caa * bb + 2.0 * cab * ab + cbb * aa
            o.gx[l] += fb * ey - fa * ex
            o.gy[l] -= fa * ey + fb * ex


@jit
def update(blocks: Records, tolerance: float) -> int:
    """Impulses that the sweep has balanced; how many links are on another piece of the law now."""
    off = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(LANES):
            ex, ey, dx, dy, ux, uy = o.ex[l], o.ey[l], o.dx[l], o.dy[l], o.ux[l], o.uy[l]
            da, db, r = o.axis[l], o.side[l], o.dry_r[l]
            va, vb = dx * ex + dy * ey, dy * ex - dx * ey
            qa = (o.fa[l] - o.caa[l] * va - o.cab[l] * vb) * o.axis_inverse[l]
            qb = (o.fb[l] - o.cab[l] * va - o.cbb[l] * vb) * o.side_inverse[l]
            za = o.old_x[l] - r * da * (ux * ex + uy * ey)
            zb = o.old_y[l] - r * db * (uy * ex - ux * ey)
            square = za * za + zb * zb
            inverse = 1.0 if square <= 1.0 else 1.0 / sqrt(square)
            off += 1 if abs(qa - za * inverse) + abs(qb - zb * inverse) > tolerance else 0
            o.qa[l], o.qb[l] = qa, qb
    return off


@jit
def residuals(blocks: Records) -> None:
    """How far each link is from the law, m/s, squared.

    It is what an update with r = mass would still change, divided by the mass: zero exactly where
    minus the velocity lies in the normal cone of the reservoir.
    """
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(o.width):
            ex, ey, ux, uy, unit = o.ex[l], o.ey[l], o.ux[l], o.uy[l], o.dry_unit[l]
            qa, qb, scale = o.qa[l], o.qb[l], o.dry_scale[l]
            za = qa - unit * o.axis[l] * (ux * ex + uy * ey)
            zb = qb - unit * o.side[l] * (uy * ex - ux * ey)
            square = za * za + zb * zb
            inverse = 1.0 if square <= 1.0 else 1.0 / sqrt(square)
            ea, eb = scale * (za * inverse - qa), scale * (zb * inverse - qb)
            o.error[l] = ea * ea + eb * eb


@jit
def accept_multipliers(blocks: Records) -> None:
    """Let the new impulses take the place of the multipliers."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(o.width):
            o.old_x[l], o.old_y[l], o.old_w[l] = o.qa[l], o.qb[l], o.qw[l]


@jit
def works(blocks: Records) -> float:
    """Work of the impulses at the mean velocity of the step, J; they are added to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(o.width):
            ex, ey = o.ex[l], o.ey[l]
            fa, fb = o.axis[l] * o.qa[l], o.side[l] * o.qb[l]
            fx, fy = fa * ex - fb * ey, fa * ey + fb * ex
            o.law_x[l] += fx
            o.law_y[l] += fy
            o.fa[l] = fx * 0.5 * (o.ux[l] + o.vx[l]) + fy * 0.5 * (o.uy[l] + o.vy[l])
        for l in range(o.width):
            total += o.fa[l]
    return total
