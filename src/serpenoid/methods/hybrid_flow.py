"""Flow map of the hybrid model: accelerations while the modes of all contacts stay as they are.

Coordinates are the link angles and the centre of mass. Closed contacts are equalities on their
normal acceleration, sticking ones on the tangential one too; friction of sliding ones is in
proportion to their normal force [liljeback2011 (2)].
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.chain import place_links
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
    PackedGait,
    PackedWorld,
    Records,
)
from serpenoid.kernels.references import set_references
from serpenoid.methods.hybrid_layout import OPEN, STICKS, Flow
from serpenoid.methods.linear_algebra import factorise, solve_factored

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
def update_contact_kinematics(world: PackedWorld, link: Item, contact: Item) -> None:
    """Gap, directions and velocities of a contact with a peg, where the link is now."""
    disc = world.discs[contact.obstacle]
    ex, ey, w = link.ex, link.ey, link.omega
    rx, ry = link.x - disc.x, link.y - disc.y
    reach = link.half if world.centre else link.straight
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
    contact.vn = nx * link.vx + ny * link.vy + contact.ln * w
    contact.vt = nx * link.vy - ny * link.vx + contact.lt * w


@jit_apart
def factor_mass(links: Records, flow: Flow) -> None:
    """Cholesky factor U, U'U the mass matrix of the link angles, with 1/U on the diagonal."""
    mass, inertia, axis = flow.mass, flow.inertia, flow.axis
    n = links.shape[0]
    for k in range(n):
        axis[0, k], axis[1, k] = links[k].ex, links[k].ey
    for k in range(n):
        for m in range(k + 1):
            total = inertia[k, m] * (axis[0, k] * axis[0, m] + axis[1, k] * axis[1, m])
            if k == m:
                total += links[k].inertia
            for c in range(m):
                total -= mass[c, k] * mass[c, m]
            mass[m, k] = 1.0 / sqrt(total) if k == m else total * mass[m, m]


@jit
def forward_substitute(mass: Floats, b: Floats) -> None:
    """Solve U'z = b in place: products of such z are products with the inverse of the mass."""
    n = mass.shape[0]
    for c in range(n):
        part = b[c] * mass[c, c]
        b[c] = part
        for k in range(c + 1, n):
            b[k] -= mass[c, k] * part


@jit
def back_substitute(mass: Floats, z: Floats) -> None:
    """Solve U x = z in place, the other half of a division by the mass."""
    n = mass.shape[0]
    for k in range(n - 1, -1, -1):
        total = z[k]
        for c in range(n - 1, k, -1):
            total -= mass[k, c] * z[c]
        z[k] = total * mass[k, k]


@jit
def direct(flow: Flow, row: int, i: int, x: float, y: float, lever: float, root: float) -> None:
    """Direction of a force (x, y) and a torque on link i, as acceleration: half of the way to it.

    Into flow.half[row], such that the product of two rows is the velocity along the one per
    impulse along the other. root: square root of the robot's mass.
    """
    n = flow.mass.shape[0]
    half, axis = flow.half[row], flow.axis
    for k in range(n):
        half[k] = flow.arm[i, k] * (axis[0, k] * y - axis[1, k] * x)
    half[i] += lever
    half[n], half[n + 1] = x / root, y / root
    forward_substitute(flow.mass, half[:n])


@jit
def product(flow: Flow, r: int, s: int) -> float:
    """Velocity along direction r per impulse along direction s, 1/kg."""
    total = 0.0
    for k in range(flow.half.shape[1]):
        total += flow.half[r, k] * flow.half[s, k]
    return total


@jit
def respond(flow: Flow, rates: Floats, root: float) -> None:
    """Add to the rates of theta and of the centre of mass what flow.push, a sum of rows, causes."""
    n = flow.mass.shape[0]
    back_substitute(flow.mass, flow.push[:n])
    for k in range(n):
        rates[k] += flow.push[k]
    rates[n] += flow.push[n] / root
    rates[n + 1] += flow.push[n + 1] / root


@jit
def total_mass(links: Records) -> float:
    """Mass of the robot, kg."""
    total = 0.0
    for i in range(links.shape[0]):
        total += links[i].mass
    return total


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
def push_links(
    world: PackedWorld, body: Body, flow: Flow, stick_speed: float, slope: Floats
) -> None:
    """All forces but those of contacts, into flow.push and the rates of impulses and works."""
    links, joints, push = body.links, body.joints, flow.push
    n = links.shape[0]
    friction, works = 4 * n + 4, 7 * n + 3
    # Forces on the centres, and centrifugal ones, turned into what they do to link k.
    turn_x, turn_y = flow.turn[0], flow.turn[1]
    for k in range(slope.shape[0]):
        slope[k] = 0.0
    for k in range(n):
        push[k], turn_x[k], turn_y[k] = 0.0, 0.0, 0.0
    for i in range(n):
        link = links[i]
        fx, fy, torque, power, damping = ground(link, stick_speed)
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
def acceleration_at(links: Records, flow: Flow, contact: Item, slope: Floats, side: int) -> float:
    """Normal (0) or tangential (1) acceleration of a contact at the rates of y in slope."""
    n = links.shape[0]
    i = contact.link
    x, y, lever, total = contact.nx, contact.ny, contact.ln, contact.bias_n
    if side == 1:
        x, y, lever, total = -contact.ny, contact.nx, contact.lt, contact.bias_t
    total += x * slope[2 * n + 2] + y * slope[2 * n + 3] + lever * slope[n + 2 + i]
    for k in range(n):
        link = links[k]
        across, along = link.ex * y - link.ey * x, link.ex * x + link.ey * y
        turn = slope[n + 2 + k] * across - link.omega * link.omega * along
        total += flow.arm[i, k] * turn
    return total


@jit
def departure(
    world: PackedWorld, links: Records, flow: Flow, contact: Item, slope: Floats, side: int
) -> float:
    """Acceleration of a contact beyond the one that lets its constraint hold, m/s2.

    That is zero but for the return of what rounding and integration error have let go.
    """
    beyond = acceleration_at(links, flow, contact, slope, side)
    if side == 1:
        return beyond + 2.0 * RETURN_RATE * contact.vt
    if not world.centre:
        beyond += RETURN_RATE * RETURN_RATE * contact.gap
    return beyond + 2.0 * RETURN_RATE * contact.vn


@jit_apart
def hold_contacts(world: PackedWorld, body: Body, flow: Flow, slope: Floats) -> None:
    """Forces of the closed contacts, and what they do to the rates in slope."""
    links, contacts, rows = body.links, body.contacts, flow.rows
    n, root = links.shape[0], sqrt(total_mass(links))
    # Rows of flow.half: where a contact is held, and, from `offset` on, where its force acts.
    count, offset = 0, rows.shape[0]
    for c in range(body.counts[0]):
        contact = contacts[c]
        contact.qn, contact.qt = 0.0, 0.0
        if contact.mode == OPEN:
            continue
        update_contact_kinematics(world, links[contact.link], contact)
        for side in range(2 if contact.mode == STICKS else 1):
            rows[count, 0], rows[count, 1] = c, side
            i = contact.link
            nx, ny, ln = contact.nx, contact.ny, contact.ln
            if side == 1:
                nx, ny, ln = -contact.ny, contact.nx, contact.lt
            direct(flow, count, i, nx, ny, ln, root)
            flow.force[0, count] = -departure(world, links, flow, contact, slope, side)
            if contact.mode == STICKS or contact.friction == 0.0:
                for k in range(n + 2):
                    flow.half[offset + count, k] = flow.half[count, k]
            else:
                bound = -contact.friction * contact.mode
                nx, ny = nx - bound * contact.ny, ny + bound * contact.nx
                direct(flow, offset + count, i, nx, ny, ln + bound * contact.lt, root)
            count += 1
    if count == 0:
        return
    for r in range(count):
        for c in range(count):
            flow.matrix[r, c] = product(flow, r, offset + c)
        flow.matrix[r, r] *= 1.0 + (SOFTNESS if rows[r, 1] == 0 else SOFTNESS_STUCK)
    matrix, pivot = flow.matrix[:count, :count], flow.pivot[:count]
    factorise(matrix, pivot)
    solve_factored(matrix, pivot, flow.force[0])
    impulses, works = 2 * n + 4, 7 * n + 3
    for k in range(n + 2):
        flow.push[k] = 0.0
    for r in range(count):
        contact, force = contacts[rows[r, 0]], flow.force[0, r]
        for k in range(n + 2):
            flow.push[k] += flow.half[offset + r, k] * force
        if rows[r, 1] == 1:
            contact.qt = force
        else:
            contact.qn = force
            if contact.mode != STICKS:
                contact.qt = -contact.friction * contact.mode * force
    respond(flow, slope[n + 2 : 2 * n + 4], root)
    for c in range(body.counts[0]):
        contact = contacts[c]
        if contact.mode != OPEN:
            i = contact.link
            slope[impulses + 2 * i] += contact.qn * contact.nx - contact.qt * contact.ny
            slope[impulses + 2 * i + 1] += contact.qn * contact.ny + contact.qt * contact.nx
            slope[works + IMPACT] += contact.qn * contact.vn
            slope[works + FRICTION] += contact.qt * contact.vt


@jit_apart
def free_map(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    stick_speed: float,
    flow: Flow,
    y: Floats,
    slope: Floats,
) -> None:
    """Rates of y at time t without contact forces; leaves the links as of then."""
    links = body.links
    n = links.shape[0]
    place(links, y)
    set_references(gait, body.joints, t)
    factor_mass(links, flow)
    push_links(world, body, flow, stick_speed, slope)
    forward_substitute(flow.mass, flow.push[:n])
    back_substitute(flow.mass, flow.push[:n])
    total = total_mass(links)
    for k in range(n + 2):
        slope[k] = y[n + 2 + k]
    for k in range(n):
        slope[n + 2 + k] = flow.push[k]
    slope[2 * n + 2] /= total
    slope[2 * n + 3] /= total


@jit
def flow_map(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    stick_speed: float,
    flow: Flow,
    y: Floats,
    slope: Floats,
) -> None:
    """Rates of y at time t; leaves the links and the closed contacts' forces (N) as of then."""
    free_map(world, body, gait, t, stick_speed, flow, y, slope)
    hold_contacts(world, body, flow, slope)
