"""The laws of links inside one step: curvature and gradient of friction and contact.

A link sees the velocity (ux, uy, uw) at the end of the step. Set-valued laws enter through their
augmented Lagrangian (see `projections`); viscous friction acts at the mean of the velocities before
and after the step, so that its work is never positive.
"""

from math import inf, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import normal_velocity, tangent_velocity
from serpenoid.kernels.layout import (
    NO_WHEELS,
    WHEELS,
    Body,
    Item,
    PackedWorld,
    Records,
)
from serpenoid.kernels.projections import ROUNDING, dry_argument, project_disc, project_interval
from serpenoid.kernels.sweep import Quadratic

# The bound of contact friction comes from the update before. Being off by a hundred times the
# tolerance it is still far more exact than the step, and each further digit costs an update.
BOUND_WEIGHT = 1e-2

# A change of velocity that no step makes, m/s: ideal wheels bear the impulse of any smaller one.
UNBOUNDED = 1e6


@jit
def surface_at(patches: Records, x: float, y: float) -> int:
    """Row of the surface under (x, y): that of the last patch that covers it, else 0."""
    for k in range(patches.shape[0] - 1, -1, -1):
        patch = patches[k]
        dx, dy = x - patch.x, y - patch.y
        across = abs(dx * patch.cos + dy * patch.sin)
        if across <= patch.half_width and abs(dy * patch.cos - dx * patch.sin) <= patch.half_height:
            return k + 1
    return 0


@jit
def prepare_links(world: PackedWorld, links: Records, dt: float, stiffness: float) -> None:
    """Everything of the links' laws that stays fixed during the step."""
    surfaces, patches = world.surfaces, world.patches
    for i in range(links.shape[0]):
        link = links[i]
        if link.wheel == NO_WHEELS:
            surface = surfaces[surface_at(patches, link.x, link.y)]
            weight = dt * link.mass * world.normal
            link.forward = weight * surface.forward
            link.backward = weight * surface.backward
            link.side = weight * surface.side
            link.spin = weight * surface.spin
            link.along = dt * surface.along
            link.across = dt * surface.across
            link.turn = dt * (surface.turn + surface.spread * 4.0 * link.half * link.half)
        else:
            put_on_wheels(world, link, dt)
        prepare_link(world, link, dt, stiffness)


@jit_apart
def put_on_wheels(world: PackedWorld, link: Item, dt: float) -> None:
    """Friction of a link whose wheels are on the ground, or lifted and then none."""
    link.forward, link.backward, link.spin = 0.0, 0.0, 0.0
    link.along, link.across, link.turn = 0.0, 0.0, 0.0
    link.side = 0.0
    if link.wheel == WHEELS:
        ideal = link.grip == inf
        link.side = link.mass * (UNBOUNDED if ideal else dt * world.normal * link.grip)


@jit_apart
def prepare_loads(world: PackedWorld, body: Body, dt: float, stiffness: float) -> None:
    """The same for the loads."""
    for k in range(body.loads.shape[0]):
        load, shape = body.loads[k], body.shapes[k]
        bound = dt * load.mass * world.normal * shape.mu
        load.forward, load.backward, load.side = bound, bound, bound
        load.spin = bound * shape.arm
        prepare_link(world, load, dt, stiffness)


@jit
def prepare_link(world: PackedWorld, link: Item, dt: float, stiffness: float) -> None:
    """What follows from the bounds of a link's friction."""
    link.largest = max(link.forward, link.backward, link.side)
    if link.largest > 0.0:
        # The stiffer axis of the scaled law sees stiffness times the link's mass.
        link.dry_r = stiffness * link.mass / (link.largest * link.largest)
    link.px, link.py, link.pw = link.dry_x, link.dry_y, link.dry_w
    m, ex, ey = link.mass, link.ex, link.ey
    xx = 0.5 * (link.along * ex * ex + link.across * ey * ey)
    xy = 0.5 * (link.along - link.across) * ex * ey
    yy = 0.5 * (link.along * ey * ey + link.across * ex * ex)
    link.hxx = m + xx
    link.hxy = xy
    link.hyy = m + yy
    link.hww = link.inertia + 0.5 * link.turn
    link.hx = (m - xx) * link.vx - xy * link.vy + dt * m * world.pull_x
    link.hy = (m - yy) * link.vy - xy * link.vx + dt * m * world.pull_y
    link.hw = (link.inertia - 0.5 * link.turn) * link.omega


@jit
def link_terms(link: Item, contacts: Records, stiffness: float, predict: bool) -> Quadratic:
    """Curvature and gradient of a link's terms at (ux, uy, uw).

    To predict, a link that stuck, and a contact that pushed or gripped, are taken to do so again.
    """
    vx, vy, w = link.ux, link.uy, link.uw
    xx, xy, yy, xw, yw, ww = link.hxx, link.hxy, link.hyy, 0.0, 0.0, link.hww
    gx = xx * vx + xy * vy - link.hx
    gy = xy * vx + yy * vy - link.hy
    gw = ww * w - link.hw
    if link.largest > 0.0:
        ex, ey = link.ex, link.ey
        r = link.dry_r
        za, a = dry_argument(link.px, vx * ex + vy * ey, r, link.forward, link.backward)
        b = link.side
        zb = link.py - r * b * (vy * ex - vx * ey)
        square = za * za + zb * zb
        link.holds = square <= 1.0 or (predict and link.sticking)
        if link.holds:
            pa, pb = za, zb
            aa, bb = r * a * a, r * b * b
            xx += aa * ex * ex + bb * ey * ey
            xy += (aa - bb) * ex * ey
            yy += aa * ey * ey + bb * ex * ex
        else:
            # Outside the disc the curvature is r/|z| across p only, q q' with q = D p turned.
            inverse = 1.0 / sqrt(square)
            pa, pb = za * inverse, zb * inverse
            qa, qb = a * pb, b * pa
            qx, qy = qa * ex + qb * ey, qa * ey - qb * ex
            link.bend = r * inverse
            hx, hy = link.bend * qx, link.bend * qy
            xx, xy, yy = xx + hx * qx, xy + hx * qy, yy + hy * qy
        link.sweep_x, link.sweep_y, link.axis = pa, pb, a
        fa, fb = a * pa, b * pb
        gx -= fa * ex - fb * ey
        gy -= fa * ey + fb * ex
    if link.spin > 0.0:
        r = stiffness * link.inertia / link.spin
        z = link.pw - r * w
        link.sweep_w = project_interval(z, 1.0)
        gw -= link.spin * link.sweep_w
        link.holds_spin = abs(z) <= 1.0
        if link.holds_spin:
            ww += link.spin * r
    for c in range(link.first, link.last):
        contact = contacts[c]
        r = stiffness * contact.mass
        k = contact.r if contact.soft else r
        z = contact.pn - k * (normal_velocity(contact, vx, vy, w) - contact.rate)
        contact.pushes = z > 0.0 or (predict and contact.pn > 0.0 and not contact.soft)
        if contact.pushes:
            nx, ny, lever = contact.nx, contact.ny, contact.ln
            gx, gy, gw = gx - z * nx, gy - z * ny, gw - z * lever
            xx, xy, yy = xx + k * nx * nx, xy + k * nx * ny, yy + k * ny * ny
            xw, yw, ww = xw + k * nx * lever, yw + k * ny * lever, ww + k * lever * lever
        bound = contact.friction * contact.cap
        if bound > 0.0:
            tx, ty, lever = -contact.ny, contact.nx, contact.lt
            z = contact.pt - r * (tangent_velocity(contact, vx, vy, w) - contact.stick)
            contact.grips = contact.grips if predict else abs(z) <= bound
            p = z if contact.grips else project_interval(z, bound)
            contact.sweep_t = p
            gx, gy, gw = gx - p * tx, gy - p * ty, gw - p * lever
            if contact.grips:
                xx, xy, yy = xx + r * tx * tx, xy + r * tx * ty, yy + r * ty * ty
                xw, yw, ww = xw + r * tx * lever, yw + r * ty * lever, ww + r * lever * lever
    return xx, xy, yy, xw, yw, ww, gx, gy, gw


@jit
def update_link_multipliers(
    link: Item, stiffness: float, force_tolerance: float
) -> tuple[float, bool]:
    """New ground friction multipliers of a link; the residual of its laws, m/s.

    The residual of a law is what an update with r = mass would still change, divided by the mass:
    zero exactly where minus the velocity lies in the normal cone of the reservoir. Also whether the
    laws are still on the pieces the last sweep was made with, so that the impulses balance.
    """
    error = 0.0
    same = True
    link.sticking = False
    link.qx, link.qy, link.qw = 0.0, 0.0, 0.0
    if link.largest > 0.0:
        r, b = link.dry_r, link.side
        along = link.ux * link.ex + link.uy * link.ey
        across = link.uy * link.ex - link.ux * link.ey
        za, a = dry_argument(link.px, along, r, link.forward, link.backward)
        zb = link.py - r * b * across
        pa, pb = project_disc(za, zb)
        link.sticking = link.holds
        # Keep the impulse the sweep has balanced: z itself, or straight on from p where the law
        # turns. It is right as far as it agrees with the law.
        ka, kb = za, zb
        if not link.holds:
            da = link.dx * link.ex + link.dy * link.ey
            db = link.dy * link.ex - link.dx * link.ey
            turn = link.bend * (link.sweep_x * b * db - link.sweep_y * a * da)
            ka, kb = link.sweep_x + turn * link.sweep_y, link.sweep_y - turn * link.sweep_x
        same = a == link.axis and abs(ka - pa) + abs(kb - pb) <= force_tolerance
        pa, pb = ka, kb
        link.qx, link.qy = pa, pb
        unit = link.mass / (link.largest * link.largest)
        za, _ = dry_argument(pa, along, unit, link.forward, link.backward)
        qa, qb = project_disc(za, pb - unit * b * across)
        error = sqrt((qa - pa) ** 2 + (qb - pb) ** 2) / (unit * link.largest)
    if link.spin > 0.0:
        r = stiffness * link.inertia / link.spin
        z = link.pw - r * link.uw
        law = project_interval(z, 1.0)
        link.qw = z if link.holds_spin else link.sweep_w
        same = same and abs(link.qw - law) <= force_tolerance
        unit = link.inertia / link.spin
        change = project_interval(link.qw - unit * link.uw, 1.0) - link.qw
        error = max(error, link.half * abs(change) / unit)
    return error, same


@jit
def update_contact_multipliers(contact: Item, link: Item, stiffness: float) -> tuple[float, bool]:
    """The same for a contact's impulses."""
    m = contact.mass
    r, slack = stiffness * m, ROUNDING * m
    gamma = normal_velocity(contact, link.ux, link.uy, link.uw) - contact.rate
    z = contact.pn - (contact.r if contact.soft else r) * gamma
    contact.qn = z if contact.pushes else 0.0
    contact.qt = 0.0
    same = z >= -slack if contact.pushes else z <= slack
    error = 0.0
    if not contact.soft:
        error = abs(contact.qn - max(0.0, contact.qn - m * gamma)) / m
    if contact.friction > 0.0:
        slide = tangent_velocity(contact, link.ux, link.uy, link.uw) - contact.stick
        used, bound = contact.friction * contact.cap, contact.friction * contact.qn
        z = contact.pt - r * slide
        if used > 0.0:
            contact.qt = z if contact.grips else contact.sweep_t
            same = same and abs(contact.qt - project_interval(z, used)) <= slack
        change = project_interval(contact.qt - m * slide, used) - contact.qt
        error = max(error, abs(change) / m)
        # The bound came from the last update: what it was off by, as a change of velocity.
        if abs(contact.qt) >= min(used, bound):
            error = max(error, BOUND_WEIGHT * abs(used - bound) / m)
    return error, same


@jit
def accept_contact_multipliers(contact: Item) -> None:
    """Let a contact's new impulses take the place of the old ones.

    The bound of friction follows the normal impulse it leads to by a damped fixed point, damped
    more at each change of sign.
    """
    contact.pt = contact.qt
    if not contact.soft:
        contact.pn = contact.qn
    miss = contact.qn - contact.cap
    if miss * contact.miss < 0.0:
        contact.gain *= 0.6
    contact.miss = miss
    contact.cap += contact.gain * miss
