"""Flow map of the hybrid model: accelerations while the modes of all contacts stay as they are.

Coordinates are the link angles and the centre of mass. Closed contacts are equalities on their
normal acceleration, sticking ones on the tangential one too; friction of sliding ones is in
proportion to their normal force [liljeback2011 (2)].
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.chain import place_links
from serpenoid.kernels.contact_rates import normal_velocity, tangent_velocity
from serpenoid.kernels.layout import (
    ACTUATOR,
    DAMPING,
    FREE,
    FRICTION,
    GRAVITY,
    IMPACT,
    SERVO,
    Body,
    Floats,
    Item,
    PackedWorld,
    Records,
)
from serpenoid.kernels.references import set_wanted
from serpenoid.methods.dormand_prince import NODE, set_stage, step_error
from serpenoid.methods.hybrid_layout import LOWER, OPEN, STICKS, HybridView
from serpenoid.methods.hybrid_rows import (
    add_impulse,
    back_substitute_upper,
    direction,
    factor_mass,
    forward_substitute_upper,
    is_limit,
    respond,
    set_row,
    solve_rows,
)
from serpenoid.methods.linear_algebra import copy

# How fast a contact that is off its obstacle by rounding and integration error returns to it, 1/s.
RETURN_RATE = 1000.0
# Keeps the contacts' matrix regular where contacts constrain a link more often than it can move,
# relative: they share the load. Against RETURN_RATE, it lets a contact of 100 N creep by some 1e-6
# m/s along the normal and 1e-5 m/s where it sticks.
SOFTNESS, SOFTNESS_STUCK = 1e-5, 1e-4


@jit
def place(links: Records, y: Floats) -> None:
    """Put the links where y says, with their velocities."""
    n = links.shape[0]
    for i in range(n):
        links[i].theta, links[i].omega = y[i], y[n + 2 + i]
    place_links(links, y[n : n + 2])
    vx, vy, sx, sy, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        link = links[i]
        if i > 0:
            tail = links[i - 1]
            vx -= tail.half * tail.omega * tail.ey + link.half * link.omega * link.ey
            vy += tail.half * tail.omega * tail.ex + link.half * link.omega * link.ex
        link.vx, link.vy = vx, vy
        sx += link.mass * vx
        sy += link.mass * vy
        total += link.mass
    dx, dy = y[2 * n + 2] - sx / total, y[2 * n + 3] - sy / total
    for i in range(n):
        links[i].vx += dx
        links[i].vy += dy


@jit
def update_contact_kinematics(world: PackedWorld, body: Body, contact: Item) -> None:
    """Gap, directions and velocities of a contact, where the links are now."""
    if is_limit(contact):
        update_limit_kinematics(body, contact)
    else:
        update_peg_kinematics(world, body.links[contact.link], contact)


@jit
def update_limit_kinematics(body: Body, contact: Item) -> None:
    """The same of a joint limit: angles and rates times a lever, m and m/s."""
    tail, head = body.links[contact.link - 1], body.links[contact.link]
    joint, arm = body.joints[contact.link - 1], min(tail.half, head.half)
    angle, rate = head.theta - tail.theta, head.omega - tail.omega
    if contact.obstacle == LOWER:
        contact.gap, contact.ln = arm * (angle - joint.lower), arm
    else:
        contact.gap, contact.ln = arm * (joint.upper - angle), -arm
    contact.nx, contact.ny, contact.lt, contact.vn, contact.vt = 0.0, 0.0, 0.0, 0.0, 0.0
    contact.bias_n, contact.bias_t, contact.vn = 0.0, 0.0, contact.ln * rate


@jit
def update_peg_kinematics(world: PackedWorld, link: Item, contact: Item) -> None:
    """The same of a contact with a peg."""
    disc = world.discs[contact.obstacle]
    ex, ey, w = link.ex, link.ey, link.omega
    rx, ry = link.x - disc.x, link.y - disc.y
    reach = link.half if world.centre else link.fore
    s = min(max(-rx * ex - ry * ey, -reach), reach)
    dx, dy = rx + s * ex, ry + s * ey
    distance = sqrt(dx * dx + dy * dy)
    if world.centre:
        contact.gap = distance - disc.radius
        if contact.mode == OPEN and contact.gap > 0.0:
            # Where it will come from.
            contact.side = 1 if ry * ex - rx * ey > 0.0 else -1
        nx, ny = -contact.side * ey, contact.side * ex
        contact.ln, contact.lt = 0.0, 0.0
        contact.bias_n = w * (nx * link.vy - ny * link.vx)
        contact.bias_t = -w * (nx * link.vx + ny * link.vy)
    else:
        contact.gap = distance - disc.radius - link.radius
        nx, ny = dx / distance, dy / distance
        contact.ln = s * (ex * ny - ey * nx)
        contact.lt = s * (ex * nx + ey * ny) - link.radius
        if abs(s) < reach:
            # The straight part: the normal turns with the link, the point travels along it.
            contact.bias_n = 2.0 * w * (nx * link.vy - ny * link.vx) - w * w * distance
            contact.bias_t = -w * (nx * link.vx + ny * link.vy)
        else:
            # A round end: the normal turns as the end travels round the peg.
            px, py = link.vx - s * w * ey, link.vy + s * w * ex
            around = nx * py - ny * px
            turn = around / distance
            bend = s * (nx * ey - ny * ex) * (turn - w) * w
            contact.bias_n = around * turn - s * w * w * (nx * ex + ny * ey)
            contact.bias_t = bend - turn * (nx * link.vx + ny * link.vy)
    contact.nx, contact.ny = nx, ny
    contact.vn = normal_velocity(contact, link.vx, link.vy, w)
    contact.vt = tangent_velocity(contact, link.vx, link.vy, w)


@jit
def ground(link: Item, stick_speed: float) -> tuple[float, float, float, float, float]:
    """Force (N) and torque (N m) of the ground on a link; power of its dry and viscous part."""
    ex, ey, w = link.ex, link.ey, link.omega
    va, vb = link.vx * ex + link.vy * ey, link.vy * ex - link.vx * ey
    a, b, dry = link.forward, link.side, link.largest * stick_speed
    fa, fb, torque, power = 0.0, 0.0, 0.0, 0.0
    if dry > 0.0:
        size = sqrt((a * va) ** 2 + (b * vb) ** 2 + dry * dry)
        fa, fb = -a * a * va / size, -b * b * vb / size
    if link.spin > 0.0:
        torque = -link.spin * w / sqrt(w * w + (stick_speed / link.half) ** 2)
    power = fa * va + fb * vb + torque * w
    ga, gb, turning = -link.along * va, -link.across * vb, -link.turn * w
    damping = ga * va + gb * vb + turning * w
    fa, fb = fa + ga, fb + gb
    return fa * ex - fb * ey, fa * ey + fb * ex, torque + turning, power, damping


@jit_apart
def push_links(view: HybridView, slope: Floats) -> None:
    """All forces but those of contacts, into flow.push and the rates of impulses and works."""
    world, flow, links, joints = view.world, view.flow, view.body.links, view.body.joints
    n, push = links.shape[0], flow.push
    friction, works = 4 * n + 4, 7 * n + 3
    # Forces on the centres, and centrifugal ones, turned into what they do to link k.
    turn_x, turn_y = flow.turn[0], flow.turn[1]
    slope[:], push[:], turn_x[:], turn_y[:] = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        link = links[i]
        fx, fy, torque, power, damping = ground(link, view.options.stick_speed)
        slope[friction + 2 * i], slope[friction + 2 * i + 1] = fx, fy
        slope[works + FRICTION] += power
        slope[works + DAMPING] += damping
        pull_x, pull_y = link.mass * world.pull_x, link.mass * world.pull_y
        slope[works + GRAVITY] += pull_x * link.vx + pull_y * link.vy
        fx, fy = fx + pull_x, fy + pull_y
        push[i] += torque
        slope[2 * n + 2] += fx
        slope[2 * n + 3] += fy
        square = link.omega * link.omega
        cx, cy = square * link.ex, square * link.ey
        for k in range(n):
            turn_x[k] += flow.arm[i, k] * fx + flow.inertia[i, k] * cx
            turn_y[k] += flow.arm[i, k] * fy + flow.inertia[i, k] * cy
    for j in range(n - 1):
        joint, tail, head = joints[j], links[j], links[j + 1]
        rate = head.omega - tail.omega
        torque = 0.0 if joint.actuator == FREE else joint.torque
        if joint.actuator == SERVO:
            torque += joint.kp * (joint.wanted - head.theta + tail.theta)
            torque += joint.kd * (joint.wanted_rate - rate)
        torque = min(max(torque, -joint.torque_limit), joint.torque_limit)
        push[j] -= torque
        push[j + 1] += torque
        slope[6 * n + 4 + j] = torque
        slope[works + ACTUATOR] += torque * rate
    for k in range(n):
        push[k] += links[k].ex * turn_y[k] - links[k].ey * turn_x[k]


@jit
def departure(view: HybridView, contact: Item, slope: Floats, side: int) -> float:
    """Acceleration of a contact beyond the one that lets its constraint hold, m/s2.

    Along its normal (0) or tangent (1), at the rates of y in slope. The acceleration that holds is
    zero but for the return of what rounding and integration error have let go.
    """
    links, arm = view.body.links, view.flow.arm
    n, i = links.shape[0], contact.link
    x, y, lever = direction(contact, side)
    total = contact.bias_t if side == 1 else contact.bias_n
    total += x * slope[2 * n + 2] + y * slope[2 * n + 3] + lever * slope[n + 2 + i]
    for k in range(n):
        link = links[k]
        across, along = link.ex * y - link.ey * x, link.ex * x + link.ey * y
        turn = slope[n + 2 + k] * across - link.omega * link.omega * along
        total += arm[i, k] * turn
    if side == 1:
        return total + 2.0 * RETURN_RATE * contact.vt
    if is_limit(contact):
        total -= lever * slope[n + 1 + i]
    if is_limit(contact) or not view.world.centre:
        total += RETURN_RATE * RETURN_RATE * contact.gap
    return total + 2.0 * RETURN_RATE * contact.vn


@jit_apart
def hold_contacts(view: HybridView, slope: Floats) -> None:
    """Forces of the closed contacts, and what they do to the rates in slope."""
    links, contacts, flow = view.body.links, view.body.contacts, view.flow
    rows, n, found = flow.rows, links.shape[0], view.body.counts[0]
    # Rows of flow.half: where a contact is held, and, from `offset` on, where its force acts.
    count, offset = 0, rows.shape[0]
    for c in range(found):
        contact = contacts[c]
        contact.qn, contact.qt = 0.0, 0.0
        if contact.mode == OPEN:
            continue
        update_contact_kinematics(view.world, view.body, contact)
        for side in range(2 if contact.mode == STICKS else 1):
            rows[count, 0], rows[count, 1], flow.active[count] = c, side, count
            x, y, lever = direction(contact, side)
            set_row(flow, count, contact, x, y, lever)
            flow.force[count] = -departure(view, contact, slope, side)
            if contact.mode == STICKS or contact.friction == 0.0:
                copy(flow.half[count], flow.half[offset + count])
            else:
                bound = -contact.friction * contact.mode
                x, y = x - bound * contact.ny, y + bound * contact.nx
                set_row(flow, offset + count, contact, x, y, lever + bound * contact.lt)
            count += 1
    if count == 0:
        return
    solve_rows(flow, count, offset, SOFTNESS, SOFTNESS_STUCK)
    for r in range(count):
        contact = contacts[rows[r, 0]]
        if rows[r, 1] == 1:
            contact.qt = flow.force[r]
        else:
            contact.qn = flow.force[r]
            if contact.mode != STICKS:
                contact.qt = -contact.friction * contact.mode * flow.force[r]
    respond(flow, count, offset, slope[n + 2 : 2 * n + 4])
    works = 7 * n + 3
    for c in range(found):
        contact = contacts[c]
        if contact.mode != OPEN:
            add_impulse(contact, n, slope)
            slope[works + IMPACT] += contact.qn * contact.vn
            slope[works + FRICTION] += contact.qt * contact.vt


@jit_apart
def free_map(view: HybridView, t: float, y: Floats, slope: Floats) -> None:
    """Rates of y at time t without contact forces; leaves the links as of then."""
    links, flow = view.body.links, view.flow
    n = links.shape[0]
    place(links, y)
    set_wanted(view.gait, view.body, t)
    factor_mass(links, flow)
    push_links(view, slope)
    forward_substitute_upper(flow.mass, flow.push[:n])
    back_substitute_upper(flow.mass, flow.push[:n])
    copy(y[n + 2 :], slope[: n + 2])
    copy(flow.push, slope[n + 2 : 2 * n + 2])
    slope[2 * n + 2] /= flow.total_mass
    slope[2 * n + 3] /= flow.total_mass


@jit
def flow_map(view: HybridView, t: float, y: Floats, slope: Floats) -> None:
    """Rates of y at time t; leaves the links and the closed contacts' forces (N) as of then."""
    free_map(view, t, y, slope)
    hold_contacts(view, slope)


@jit_apart
def try_step(view: HybridView, t: float, h: float) -> float:
    """Step from y, whose rates are in slope[0], to flow.trial; error in units of the tolerance.

    Only the motion, the first 2 n + 4 entries of y, has an error control; impulses and works follow
    from it, so they are needed at the end of the step alone.
    """
    y, slope, trial = view.flow.y, view.flow.slope, view.flow.trial
    motion = view.flow.dense.shape[1]
    for stage in range(1, 7):
        size = motion if stage < 6 else y.shape[0]
        set_stage(stage, h, y, slope, trial[:size])
        flow_map(view, t + NODE[stage] * h, trial, slope[stage])
    return step_error(h, view.options.tolerance, y[:motion], slope, trial)
