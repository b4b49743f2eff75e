"""The laws of links and joints inside one step: curvature and gradient of each local term.

A link sees the velocity (ux, uy, uw) at the end of the step, a joint its rate. Set-valued laws
enter through their augmented Lagrangian (see reservoirs); viscous friction acts at the mean of the
velocities before and after the step, so that its work is never positive; the servo acts at the
joint angle after the step, which is stable for any stiffness.
"""

from math import inf, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.gaits import set_references
from serpenoid.kernels.rates import normal_velocity, tangent_velocity
from serpenoid.kernels.reservoirs import dry_argument, project_disc, project_interval
from serpenoid.kernels.sweep import Quadratic
from serpenoid.kernels.types import (
    ELASTIC,
    NO_WHEELS,
    PRESCRIBED,
    SERVO,
    TORQUE,
    WHEELS,
    Body,
    Gait,
    Item,
    Records,
    World,
)

# A change of velocity too small to mean anything, m/s: laws this near a kink are on either side.
ROUNDING = 1e-11

# The bound of contact friction comes from the update before. Being off by a hundred times the
# tolerance it is still far more exact than the step, and each further digit costs an update.
BOUND_WEIGHT = 1e-2

# A change of velocity that no step makes, m/s: ideal wheels bear the impulse of any smaller one.
UNBOUNDED = 1e6

# Pieces of the actuator's torque as a function of the joint rate.
IDLE, DRIVING, SATURATED = 0, 1, 2


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
def prepare_links(world: World, links: Records, dt: float, stiffness: float) -> None:
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
def put_on_wheels(world: World, link: Item, dt: float) -> None:
    """Friction of a link whose wheels are on the ground, or lifted and then none."""
    link.forward, link.backward, link.spin = 0.0, 0.0, 0.0
    link.along, link.across, link.turn = 0.0, 0.0, 0.0
    link.side = 0.0
    if link.wheel == WHEELS:
        ideal = link.grip == inf
        link.side = link.mass * (UNBOUNDED if ideal else dt * world.normal * link.grip)


@jit_apart
def prepare_loads(world: World, body: Body, dt: float, stiffness: float) -> None:
    """The same for the loads."""
    for k in range(body.loads.shape[0]):
        load, shape = body.loads[k], body.shapes[k]
        bound = dt * load.mass * world.normal * shape.mu
        load.forward, load.backward, load.side = bound, bound, bound
        load.spin = bound * shape.arm
        prepare_link(world, load, dt, stiffness)


@jit
def prepare_link(world: World, link: Item, dt: float, stiffness: float) -> None:
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
def has_limit(joint: Item) -> bool:
    """Whether the joint has a limit at all."""
    return joint.lower > -inf or joint.upper < inf


@jit_apart
def prepare_elastic(joint: Item, angle: float, w: float, w_ahead: float, dt: float) -> None:
    """Spring and motor of a series-elastic joint at its midpoint angle (rad).

    w, w_ahead: rates of the links behind and ahead before the step, rad/s. The motor acts at the
    rotor's angle after the step, the spring with the mean of its torques before and after, so that
    its work is the energy it gives off.
    """
    rate = w_ahead - w
    psi = joint.psi + 0.5 * dt * joint.psi_rate
    joint.h, joint.w0, joint.c0, joint.c1 = dt, w, 0.0, 0.0
    if joint.spring < inf:
        strain = angle - psi
        before = strain - 0.5 * dt * (rate - joint.psi_rate)
        joint.c0 = 0.5 * joint.spring * (before + strain)
        joint.c1 = 0.25 * joint.spring * dt
    else:
        psi, joint.psi_rate = angle, rate
    joint.s0 = joint.kp * (joint.wanted - psi) + joint.kd * joint.wanted_rate + joint.torque
    joint.s1 = 0.5 * dt * joint.kp + joint.kd


@jit
def prepare_joints(
    gait: Gait, links: Records, joints: Records, t: float, dt: float, stiffness: float
) -> None:
    """Actuator and limits of every joint as functions of its rate; t is the end of the step."""
    set_references(gait, joints, t)
    prescribed = False
    for j in range(joints.shape[0]):
        joint, tail, head = joints[j], links[j], links[j + 1]
        angle = head.theta - tail.theta
        joint.s0, joint.s1 = 0.0, 0.0
        if joint.actuator == PRESCRIBED:
            prescribed = True
        elif joint.actuator == SERVO:
            joint.s0 = joint.kp * (joint.wanted - angle) + joint.kd * joint.wanted_rate
            joint.s0 += joint.torque
            joint.s1 = 0.5 * dt * joint.kp + joint.kd
        elif joint.actuator == TORQUE:
            joint.s0 = joint.torque
        elif joint.actuator == ELASTIC:
            prepare_elastic(joint, angle, tail.omega, head.omega, dt)
        joint.p = joint.limit
        if has_limit(joint):
            joint.low = (joint.lower - angle) / dt
            joint.high = (joint.upper - angle) / dt
            behind = tail.inertia + tail.mass * tail.half * tail.half
            ahead = head.inertia + head.mass * head.half * head.half
            joint.r = stiffness * min(behind, ahead)
    if prescribed:
        # Meet the reference at the next midpoint, where positions are staggered.
        set_references(gait, joints, t + 0.5 * dt)
        for j in range(joints.shape[0]):
            joint = joints[j]
            if joint.actuator == PRESCRIBED:
                angle = links[j + 1].theta - links[j].theta
                joint.target = (joint.wanted - angle) / dt


@jit
def servo_torque(joint: Item, rate: float) -> tuple[float, float, int]:
    """Torque of the actuator at a joint rate, minus its slope, and the piece it is on."""
    torque = joint.s0 - joint.s1 * rate
    if joint.deadband > 0.0:
        idle = 0.5 * joint.kp * joint.deadband
        if abs(torque) <= idle:
            return 0.0, 0.0, IDLE
        torque = torque - idle if torque > 0.0 else torque + idle
    if torque > joint.torque_limit:
        return joint.torque_limit, 0.0, SATURATED
    if torque < -joint.torque_limit:
        return -joint.torque_limit, 0.0, -SATURATED
    return torque, joint.s1, DRIVING if torque > 0.0 or joint.deadband == 0.0 else -DRIVING


@jit
def limit_impulse(joint: Item, rate: float) -> float:
    """Impulse of the joint limit, > 0 at the lower one, < 0 at the upper one."""
    lower = joint.p - joint.r * (rate - joint.low)
    if lower > 0.0:
        return lower
    return min(0.0, joint.p - joint.r * (rate - joint.high))


@jit
def joint_terms(joint: Item, rate: float, dt: float) -> tuple[float, float]:
    """Curvature and gradient of a joint's terms."""
    torque, slope, joint.piece = servo_torque(joint, rate)
    k, t = dt * slope, -dt * torque
    if has_limit(joint):
        impulse = limit_impulse(joint, rate)
        joint.stop = (impulse > 0.0) - (impulse < 0.0)
        if impulse != 0.0:
            k += joint.r
            t -= impulse
    return k, t


@jit_apart
def elastic_terms(joint: Item, w: float, rate: float) -> tuple[float, float, float, float, float]:
    """Terms of a series-elastic joint in the rate w of the link behind and the joint's rate.

    The rotor's own rate is eliminated: it minimises rotor/2 (change of w + ratio times its own)^2
    plus the potentials of spring and motor. Returns the curvatures (w w, w rate, rate rate) and the
    gradient (w, rate), and leaves the rotor's rate in the joint.
    """
    J, n, h = joint.rotor, joint.ratio, joint.h
    change = w - joint.w0
    if joint.spring == inf:
        torque, slope, joint.piece = servo_torque(joint, rate)
        joint.v = rate
        spin = J * (change + n * (rate - joint.psi_rate))
        aa, ab, bb, a, b = J, J * n, J * n * n + h * slope, spin, n * spin - h * torque
    else:
        give = h * joint.c1
        known = J * n * (n * joint.psi_rate - change) + h * joint.c0 + give * rate
        grip = give + h * joint.s1
        joint.v = (known + h * joint.s0) / (J * n * n + grip)
        torque = joint.s0 - joint.s1 * joint.v
        joint.piece = DRIVING
        if abs(torque) > joint.torque_limit:
            torque = joint.torque_limit if torque > 0.0 else -joint.torque_limit
            joint.piece = SATURATED if torque > 0.0 else -SATURATED
            grip = give
            joint.v = (known + h * torque) / (J * n * n + grip)
        whole = J * n * n + grip
        aa, ab, bb = J * grip / whole, J * n * give / whole, give * (whole - give) / whole
        a = J * (change + n * (joint.v - joint.psi_rate))
        b = h * (joint.c0 + joint.c1 * (rate - joint.v))
    if has_limit(joint):
        impulse = limit_impulse(joint, rate)
        joint.stop = (impulse > 0.0) - (impulse < 0.0)
        if impulse != 0.0:
            bb += joint.r
            b -= impulse
    return aa, ab, bb, a, b


@jit_apart
def same_elastic(joint: Item, w: float, rate: float) -> bool:
    """Whether the motor is still on the piece the last sweep was made with."""
    piece, stop = joint.piece, joint.stop
    elastic_terms(joint, w, rate)
    same = joint.piece == piece
    joint.piece, joint.stop = piece, stop
    return same


@jit_apart
def elastic_works(joint: Item, w: float, mean: float, rate: float) -> tuple[float, float]:
    """Works of motor and spring in the step, J; mean, rate: of the joint, in and after the step.

    w: rate of the link behind after the step. Leaves the motor's impulse in the joint.
    """
    if joint.spring == inf:
        joint.impulse = joint.h * servo_torque(joint, rate)[0]
        return joint.impulse * mean, 0.0
    elastic_terms(joint, w, rate)
    torque = joint.s0 - joint.s1 * joint.v
    joint.impulse = joint.h * min(max(torque, -joint.torque_limit), joint.torque_limit)
    own = 0.5 * (joint.psi_rate + joint.v)
    spring = joint.h * (joint.c0 + joint.c1 * (rate - joint.v))
    return joint.impulse * own, -spring * (mean - own)


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
def settle_link(link: Item, stiffness: float, force_tolerance: float) -> tuple[float, bool]:
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
def settle_contact(contact: Item, link: Item, stiffness: float) -> tuple[float, bool]:
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
def renew_contact(contact: Item) -> None:
    """Let a contact's new impulses take the place of the old ones.

    The friction's bound follows the normal impulse it leads to, with less zeal each time it has
    gone too far.
    """
    contact.pt = contact.qt
    if not contact.soft:
        contact.pn = contact.qn
    miss = contact.qn - contact.cap
    if miss * contact.miss < 0.0:
        contact.gain *= 0.6
    contact.miss = miss
    contact.cap += contact.gain * miss


@jit
def settle_joint(joint: Item, w: float, rate: float, arm: float) -> tuple[float, bool]:
    """The same for a joint, the residual of its limit as a velocity at an arm.

    w: rate of the link behind.
    """
    joint.q = 0.0
    if joint.actuator > TORQUE:
        same = joint.actuator != ELASTIC or same_elastic(joint, w, rate)
    else:
        same = servo_torque(joint, rate)[2] == joint.piece
    if not has_limit(joint):
        return 0.0, same
    # As for contacts: the impulse the sweep has balanced, right as far as it agrees with the law.
    law = limit_impulse(joint, rate)
    if joint.stop > 0:
        joint.q = joint.p - joint.r * (rate - joint.low)
    elif joint.stop < 0:
        joint.q = joint.p - joint.r * (rate - joint.high)
    same = same and abs(joint.q - law) <= ROUNDING * joint.r
    if joint.q > 0.0:
        return arm * abs(rate - joint.low), same
    if joint.q < 0.0:
        return arm * abs(rate - joint.high), same
    return arm * max(0.0, joint.low - rate, rate - joint.high), same
