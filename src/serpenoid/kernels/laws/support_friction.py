"""Dry friction of the ground at the points that a link or load stands on: a disc of impulses each.

A point carries its share of the weight at a place (a, b) in the axes of its body, from the centre
of mass, so it slides with

    gamma_a = u_a - b omega,    gamma_b = u_b + a omega,

and its impulse has the lever of that place: what slides and turns at once is held less against
either. Impulses are scaled by the half axes of the point's own reservoir, as in `dry_friction`, and
enter by their augmented Lagrangian. Four points that stick hold three velocities, so their
multipliers are not unique; the motion and the sums of the impulses are.

Points are scalar rows, `layout.SUPPORT`. What a whole body can bear is in its lane.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane, lane_of
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import EPSILON, disc_piece, project_disc


@jit
def set_coefficients(
    robot: Item, o: Item, at: int, surface: Item, weight: float, stiffness: float
) -> None:
    """Bounds of a link in a step; weight: its impulse, N s."""
    bound(
        robot, o, at, (weight * surface.support_along, weight * surface.support_across), stiffness
    )


@jit
def bound(robot: Item, o: Item, at: int, bounds: tuple[float, float], stiffness: float) -> None:
    """Bounds along and across, N s, of all points of a body together, and their stiffness."""
    o.support_a[at], o.support_b[at], o.support_r[at] = bounds[0], bounds[1], 0.0
    largest = max(bounds[0], bounds[1])
    if largest > 0.0:
        o.support_r[at] = stiffness * o.mass[at] / (largest * largest)
    robot.support_friction = robot.support_friction or largest > 0.0


@jit
def rates(row: Item, o: Item, at: int) -> tuple[float, float]:
    """Velocity of a point at u along the axes of its body, m/s."""
    ux, uy, uw = o.ux[at], o.uy[at], o.uw[at]
    along, across = ux * o.ex[at] + uy * o.ey[at], uy * o.ex[at] - ux * o.ey[at]
    return along - row.b * uw, across + row.a * uw


@jit_apart
def begin(blocks: Records, robot: Item, supports: Records) -> None:
    """Bounds of each point, and the multipliers of the last step where it has friction."""
    for s in range(supports.shape[0]):
        row = supports[s]
        row.lane = lane_of(robot, row.body)
        o, at = blocks[block(row.lane)], lane(row.lane)
        row.da, row.db = row.share * o.support_a[at], row.share * o.support_b[at]
        row.r = o.support_r[at] / row.share
        row.old_a = row.pa if row.da > 0.0 else 0.0
        row.old_b = row.pb if row.db > 0.0 else 0.0


@jit_apart
def terms(blocks: Records, supports: Records, predict: bool) -> None:
    """Add impulse and curvature at u to the quadratics; predict: keep what stuck before."""
    for s in range(supports.shape[0]):
        row = supports[s]
        if row.r == 0.0:
            row.fa, row.fb, row.caa, row.cab, row.cbb, row.holds = 0.0, 0.0, 0.0, 0.0, 0.0, False
            continue
        o, at = blocks[block(row.lane)], lane(row.lane)
        da, db, a, b, ex, ey = row.da, row.db, row.a, row.b, o.ex[at], o.ey[at]
        va, vb = rates(row, o, at)
        za, zb = row.old_a - row.r * da * va, row.old_b - row.r * db * vb
        row.holds = za * za + zb * zb <= 1.0 or (predict and row.sticking)
        fa, fb, caa, cab, cbb = disc_piece(za, zb, da, db, row.r, row.holds)
        row.fa, row.fb, row.caa, row.cab, row.cbb = fa, fb, caa, cab, cbb
        caw, cbw = a * cab - b * caa, a * cbb - b * cab
        o.xx[at] += caa * ex * ex - 2.0 * cab * ex * ey + cbb * ey * ey
        o.xy[at] += (caa - cbb) * ex * ey + cab * (ex * ex - ey * ey)
        o.yy[at] += caa * ey * ey + 2.0 * cab * ex * ey + cbb * ex * ex
        o.xw[at] += caw * ex - cbw * ey
        o.yw[at] += caw * ey + cbw * ex
        o.ww[at] += a * cbw - b * caw
        o.gx[at] += fb * ey - fa * ex
        o.gy[at] -= fa * ey + fb * ex
        o.gw[at] -= a * fb - b * fa


@jit_apart
def update(blocks: Records, supports: Records, tolerance: float) -> int:
    """Set the impulses that the sweep balanced; count the points that change their piece."""
    off = 0
    for s in range(supports.shape[0]):
        row = supports[s]
        row.qa, row.qb = 0.0, 0.0
        if row.r == 0.0:
            continue
        o, at = blocks[block(row.lane)], lane(row.lane)
        dx, dy, dw, ex, ey = o.dx[at], o.dy[at], o.dw[at], o.ex[at], o.ey[at]
        sa, sb = dx * ex + dy * ey - row.b * dw, dy * ex - dx * ey + row.a * dw
        if row.da > 0.0:
            row.qa = (row.fa - row.caa * sa - row.cab * sb) / row.da
        if row.db > 0.0:
            row.qb = (row.fb - row.cab * sa - row.cbb * sb) / row.db
        va, vb = rates(row, o, at)
        pa, pb = project_disc(row.old_a - row.r * row.da * va, row.old_b - row.r * row.db * vb)
        # z is known to the rounding of the velocities, no better.
        speed = abs(o.ux[at]) + abs(o.uy[at]) + (abs(row.a) + abs(row.b)) * abs(o.uw[at])
        slack = tolerance + EPSILON * row.r * (row.da + row.db) * speed
        off += 1 if abs(row.qa - pa) + abs(row.qb - pb) > slack else 0
    return off


@jit_apart
def residuals(blocks: Records, supports: Records) -> None:
    """Raise the squared residual of each body to that of its points, m2/s2.

    It is what an update with r = mass would still change, divided by the mass a point carries.
    """
    for s in range(supports.shape[0]):
        row = supports[s]
        if row.r == 0.0:
            continue
        o, at = blocks[block(row.lane)], lane(row.lane)
        largest, mass = max(row.da, row.db), row.share * o.mass[at]
        unit, scale = mass / (largest * largest), largest / mass
        va, vb = rates(row, o, at)
        pa, pb = project_disc(row.qa - unit * row.da * va, row.qb - unit * row.db * vb)
        ea, eb = scale * (pa - row.qa), scale * (pb - row.qb)
        o.error[at] = max(o.error[at], ea * ea + eb * eb)


@jit_apart
def accept_multipliers(supports: Records) -> None:
    """Replace the multipliers by the new impulses."""
    for s in range(supports.shape[0]):
        row = supports[s]
        row.old_a, row.old_b = row.qa, row.qb


@jit_apart
def works(blocks: Records, supports: Records) -> float:
    """Work at the mean velocity of the step, J; add the impulses to those of links."""
    total = 0.0
    for s in range(supports.shape[0]):
        row = supports[s]
        o, at = blocks[block(row.lane)], lane(row.lane)
        ex, ey, fa, fb = o.ex[at], o.ey[at], row.da * row.qa, row.db * row.qb
        fx, fy, turn = fa * ex - fb * ey, fa * ey + fb * ex, row.a * fb - row.b * fa
        o.law_x[at] += fx
        o.law_y[at] += fy
        o.law_w[at] += turn
        work = fx * (o.ux[at] + o.vx[at]) + fy * (o.uy[at] + o.vy[at])
        total += 0.5 * (work + turn * (o.uw[at] + o.omega[at]))
    return total


@jit_apart
def accept(blocks: Records, supports: Records) -> None:
    """Keep the impulses for the next step, and whether all points of a body stick."""
    for s in range(supports.shape[0]):
        row = supports[s]
        o, at = blocks[block(row.lane)], lane(row.lane)
        row.pa, row.pb, row.sticking = row.qa, row.qb, row.holds
        if row.r > 0.0:
            o.sticking[at] = 1.0
    for s in range(supports.shape[0]):
        row = supports[s]
        o, at = blocks[block(row.lane)], lane(row.lane)
        if row.r > 0.0 and not row.holds:
            o.sticking[at] = 0.0
