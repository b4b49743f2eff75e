"""One step of Moreau's midpoint rule, halved until it can be trusted."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.block_layout import LANES
from serpenoid.kernels.chain import (
    fastest_turn,
    hinge_gap,
    join_links,
    joint_angles,
    place_links,
    rejoin,
    to_midpoint,
)
from serpenoid.kernels.collide import find_contacts, look_ahead, outruns
from serpenoid.kernels.contact_log import end_interval, has_room, note_contacts
from serpenoid.kernels.contact_rates import normal_row, rate_before
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.laws import (
    ground,
    joint_limit,
    series_elastic,
    servo,
    surface,
)
from serpenoid.kernels.laws.series_elastic import spring_torque
from serpenoid.kernels.layout import (
    CERTIFICATE_SIZE,
    CONTACTS_FULL,
    DONE,
    ENERGY_RESIDUAL,
    HALVINGS,
    HINGE_GAP,
    ITERATIONS,
    LAW_RESIDUAL,
    LEDGER_SIZE,
    NO_LAW,
    NOTHING_STRUCK,
    PENETRATION,
    TOO_DEEP,
    TOO_FAST,
    TOO_ROUGH,
    UPDATES,
    Body,
    Floats,
    Ints,
    Item,
    Loops,
    NewtonOptions,
    PackedGait,
    PackedWorld,
    Records,
    RunRecord,
)
from serpenoid.kernels.ledger import book
from serpenoid.kernels.newton import solve_newton
from serpenoid.kernels.penetration import deepest, entered, turning
from serpenoid.kernels.prescribed import has_kink, prescribe
from serpenoid.kernels.references import set_lane_references, set_references
from serpenoid.kernels.self_contacts import is_apart, touches_itself
from serpenoid.kernels.spans import Span, span_of

# A link that turns farther than this in one step, rad, is beyond what the midpoint can stand for.
LARGEST_TURN = 0.2
# A step in which a link turns farther than this, rad, closes the hinges exactly, so that fast
# chains keep their energy; in how many solutions at most.
FAST, MOST_CLOSINGS = 0.02, 10
# A depth below this share of what is allowed cannot make a step too deep.
HARMLESS = 0.1


@jit
def is_empty(items: Ints, ground: Records | None, loops: Loops | None) -> bool:
    """Whether there is nothing to touch but the robot itself."""
    if ground is None or loops is None:
        return items.shape[0] == 0
    return items.shape[0] + ground.shape[0] + loops.order.shape[0] == 0


@jit_apart
def set_up(
    world: PackedWorld, body: Body, gait: PackedGait, span: Span, options: NewtonOptions
) -> None:
    """Go to the midpoint, and fix what stays the same in all iterations of the step."""
    robot, blocks, length = body.robot[0], body.blocks, span.length
    to_midpoint(blocks, span.half, length)
    joint_angles(blocks, robot.links)
    if robot.prescribed:
        prescribe(blocks, robot, gait, span)
    join_links(blocks, robot, body.com, span.half)
    surface.set_bounds(world, body, length, options.stiffness, span.impact)
    ground.begin(blocks, robot, body.supports)
    set_lane_references(gait, blocks, robot, span.start if span.impact else span.start + span.dt)
    servo.prepare(blocks, robot, length)
    if robot.limited:
        # In an impact, as the limits are met in the first half of the step after it.
        time = 0.5 * span.dt if span.impact else span.dt
        joint_limit.prepare(blocks, body.joints, time, options.stiffness)
    series_elastic.prepare(blocks, body.joints, body.rotors, length)


@jit_apart
def pass_over_soft(rows: Records) -> None:
    """Leave compliant contacts out of an impact: springs and dampers need time to push."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        contact.near = contact.near and not contact.soft


@jit_apart
def would_strike(blocks: Records, rows: Records, joints: Records, dt: float) -> bool:
    """Whether a contact or joint would pass its limit within half a step, as it moves now."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        if contact.near:
            approach = rate_before(blocks, contact, normal_row(contact))
            if contact.gap + 0.5 * dt * approach < 0.0 and approach < 0.0:
                return True
    for j in range(joints.shape[0]):
        joint = joints[j]
        o, at = blocks[block(j)], lane(j)
        rate = o.rate0[at]
        angle = o.phi[at] + 0.5 * dt * rate
        if (angle < joint.lower and rate < 0.0) or (angle > joint.upper and rate > 0.0):
            return True
    return False


@jit
def solve(
    world: PackedWorld, body: Body, span: Span, options: NewtonOptions, clear: bool
) -> tuple[int, int, int, float]:
    """Find the contacts, if there may be any, and solve, unless nothing is struck in an impact.

    Returns status, iterations, multiplier updates and law residual, m/s.
    """
    if not clear:
        status = find_contacts(world, body, 0.5 * span.dt if span.impact else span.dt)
        if status != DONE:
            return status, 0, 0, 0.0
    rows = body.contacts[: body.counts[0]]
    if span.impact:
        pass_over_soft(rows)
    if span.impact and not span.kink and not would_strike(body.blocks, rows, body.joints, span.dt):
        return NOTHING_STRUCK, 0, 0, 0.0
    # A step no longer than the last one was kept clear by it.
    unclear = not span.impact and not world.centre and span.dt > body.last[0]
    if unclear and entered(rows, True, body.blame) > options.max_penetration:
        return TOO_DEEP, 0, 0, 0.0
    fall = span.length * world.pull_x, span.length * world.pull_y
    status, iterations, updates, residual = solve_newton(body, fall, options)
    if span.impact or span.dt * fastest_turn(body.blocks) < FAST:
        return status, iterations, updates, residual
    for _ in range(MOST_CLOSINGS):
        if status != DONE:
            break
        if not rejoin(body.blocks, body.robot[0], span.dt, options.tolerance):
            break
        status, more, again, residual = solve_newton(body, fall, options)
        iterations, updates = iterations + more, updates + again
    return status, iterations, updates, residual


@jit
def solve_with_margins(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    span: Span,
    options: NewtonOptions,
    certificate: Floats,
) -> int:
    """Set up and solve; again with a wider search while a link outruns it; status.

    A robot that was found apart from all it can touch needs no search until it leaves that place.
    """
    empty = is_empty(world.items, world.ground, body.loops)
    apart = empty and not span.impact and is_apart(body.robot[0], body.self_contacts)
    empty = empty and not touches_itself(body.self_contacts)
    if not empty and not apart:
        look_ahead(body.blocks, span.dt)
    all_iterations, all_updates, residual, status = 0, 0, 0.0, TOO_FAST
    for _ in range(4):
        set_up(world, body, gait, span, options)
        clear = empty or apart
        status, iterations, updates, residual = solve(world, body, span, options, clear)
        # A step that runs out of room is taken again, and counts only then.
        if status == CONTACTS_FULL:
            return status
        all_iterations, all_updates = all_iterations + iterations, all_updates + updates
        if status != DONE or span.impact or empty or not outruns(body.blocks, span.dt, apart):
            break
        apart, status = False, TOO_FAST
    certificate[ITERATIONS] += all_iterations
    certificate[UPDATES] += all_updates
    if status == DONE:
        certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], residual)
    return status


@jit_apart
def check(
    world: PackedWorld, body: Body, dt: float, options: NewtonOptions, known: float
) -> tuple[int, float]:
    """Whether the step can be trusted: status, and how deep obstacles are entered, m.

    known: depth that is in the record already; what is not deeper need not be found exactly.
    """
    turns, closing = turning(body.blocks, body.robot[0].links, dt, LARGEST_TURN)
    depth, rows = 0.0, body.contacts[: body.counts[0]]
    if body.counts[0] > 0 and not world.centre:
        enough = min(known, HARMLESS * options.max_penetration)
        touches, depth = deepest(world, body, dt, enough)
        if depth + (closing if touches else 0.0) > options.max_penetration:
            return TOO_DEEP, depth
        depth = max(depth, entered(rows, False, body.blame))
    if turns > 0:
        body.blame[1] = NO_LAW
        return TOO_ROUGH, depth
    return DONE, depth


@jit_apart
def attempt(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    span: Span,
    options: NewtonOptions,
    record: RunRecord,
) -> int:
    """Take one step, or an impact; where it cannot be solved, the state is as before."""
    certificate = record.window_certificate
    body.blame[0], body.blame[1], body.counts[0] = 0, NO_LAW, 0
    if not has_room(body, record.contacts):
        return CONTACTS_FULL
    depth, residual = 0.0, 0.0
    status = solve_with_margins(world, body, gait, span, options, certificate)
    if status == DONE and not span.impact:
        status, depth = check(world, body, span.dt, options, certificate[PENETRATION])
    if status == DONE:
        status, residual = book(world, body, span.length)
    if status == DONE:
        certificate[ENERGY_RESIDUAL] = max(certificate[ENERGY_RESIDUAL], abs(residual))
        certificate[PENETRATION] = max(certificate[PENETRATION], depth)
        accept(body, span)
        note_contacts(body, record.contacts)
    return DONE if status == NOTHING_STRUCK else status


@jit_apart
def accept(body: Body, span: Span) -> None:
    """Make the solved velocities, positions and impulses the state's own."""
    robot, half = body.robot[0], span.half
    accept_motion(body.blocks, half, 0.0 if span.impact else 1.0 / span.length)
    ground.accept(body.blocks, robot, body.supports)
    robot.vx, robot.vy = robot.mid_vx, robot.mid_vy
    body.com[0], body.com[1] = robot.mid_x + half * robot.vx, robot.mid_y + half * robot.vy
    if robot.limited:
        joint_limit.accept(body.joints)
    series_elastic.accept(body.joints, body.rotors, span.length)
    accept_contacts(robot, body.contacts[: body.counts[0]], body.previous)


@jit
def accept_motion(blocks: Records, half: float, inverse: float) -> None:
    """The same of links and loads; inverse: 1 over the length of the step, 0 of an impact."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(LANES):
            ux, uy, uw = o.ux[at], o.uy[at], o.uw[at]
            o.ax[at], o.ay[at] = inverse * (ux - o.vx[at]), inverse * (uy - o.vy[at])
            o.aw[at] = inverse * (uw - o.omega[at])
            o.vx[at], o.vy[at], o.omega[at] = ux, uy, uw
            o.theta[at] = o.mid[at] + half * uw
            o.px[at], o.py[at] = o.x[at] + half * ux, o.y[at] + half * uy
            o.dry_x[at], o.dry_y[at], o.dry_w[at] = o.qa[at], o.qb[at], o.qw[at]
            o.sticking[at] = o.holds[at] if o.largest[at] > 0.0 else 0.0
            cx, cy = o.contact_x[at], o.contact_y[at]
            o.sum_contact_x[at] += cx
            o.sum_contact_y[at] += cy
            o.tick_x[at] += cx
            o.tick_y[at] += cy
            o.sum_friction_x[at] += o.law_x[at]
            o.sum_friction_y[at] += o.law_y[at]
            o.sum_torque[at] += o.jq[at]


@jit
def accept_contacts(robot: Item, rows: Records, previous: Records) -> None:
    """Keep the impulses of contacts for the next step."""
    for c in range(robot.lasting):
        contact = rows[c]
        contact.kept, contact.kept_grips = contact.near, contact.near and contact.grips
        contact.kept_n = contact.qn if contact.near else 0.0
        contact.kept_t = contact.qt if contact.near else 0.0
    robot.passing = rows.shape[0] - robot.lasting
    for k in range(robot.passing):
        new, old = rows[robot.lasting + k], previous[k]
        old.link, old.obstacle, old.side, old.grips = new.link, new.obstacle, 0, new.grips
        old.qn, old.qt = new.qn, new.qt


@jit_apart
def advance(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    dt: float,
    options: NewtonOptions,
    record: RunRecord,
) -> int:
    """One full step of dt, in halves, quarters, ... where the whole step cannot be solved."""
    start = body.step[0] * dt
    # A step that ran out of room for contacts goes on where it stopped.
    pieces, done = max(1, body.pieces[0]), body.pieces[1]
    struck = body.pieces[2] > 0
    while done < pieces:
        piece = dt / pieces
        begin = start + done * piece
        may_jump = not struck and body.robot[0].prescribed
        kink = may_jump and has_kink(body.blocks, body.robot[0], gait, begin, piece)
        impact = kink or (not struck and piece > body.last[0])
        span = span_of(begin, piece, impact, kink)
        status = attempt(world, body, gait, span, options, record)
        if status == CONTACTS_FULL:
            body.pieces[0], body.pieces[1], body.pieces[2] = pieces, done, 1 if struck else 0
            return status
        struck = impact and status == DONE
        if struck:
            continue
        if status == DONE:
            done += 1
            body.last[0] = piece
        else:
            if pieces >= 1 << options.max_halvings:
                return status
            pieces *= 2
            done *= 2
            record.window_certificate[HALVINGS] += 1.0
    body.step[0] += 1
    body.pieces[0], body.pieces[1], body.pieces[2] = 0, 0, 0
    return DONE


@jit_apart
def write_row(body: Body, gait: PackedGait, dt: float, every: int, record: RunRecord) -> None:
    """Write the state and the means over the last record interval into the next free row."""
    k = record.rows[0]
    links, joints = body.links, body.joints
    t = body.step[0] * dt
    place_links(links, body.com)
    record.window_certificate[HINGE_GAP] = hinge_gap(links)
    record.time[k] = t
    for i in range(body.bodies.shape[0]):
        link = body.bodies[i]
        # Of the link's middle, where rotors move the centre of mass from it.
        record.pose[k, i, 0] = link.x + link.middle * link.ex
        record.pose[k, i, 1] = link.y + link.middle * link.ey
        record.pose[k, i, 2] = link.theta
        record.velocity[k, i, 0] = link.vx - link.middle * link.omega * link.ey
        record.velocity[k, i, 1] = link.vy + link.middle * link.omega * link.ex
        record.velocity[k, i, 2] = link.omega
        for a in range(4):
            record.force[k, i, a] = record.window_force[i, a] / (every * dt)
            record.window_force[i, a] = 0.0
        record.sticking[k, i] = link.sticking
    set_references(gait, joints, t)
    for j in range(joints.shape[0]):
        record.torque[k, j] = record.window_torque[j] / (every * dt)
        record.window_torque[j] = 0.0
        record.reference[k, j] = joints[j].wanted
    for j in range(record.spring.shape[1]):
        joint = joints[j]
        record.rotor[k, j, 0], record.rotor[k, j, 1] = joint.psi, joint.psi_rate
        record.spring[k, j] = spring_torque(joint, links[j + 1].theta - links[j].theta)
    for j in range(record.spatial.shape[1]):
        record.spatial[k, j] = joints[j].eta
    for a in range(LEDGER_SIZE):
        record.ledger[k, a] = body.ledger[a]
    for a in range(CERTIFICATE_SIZE):
        record.certificate[k, a] = record.window_certificate[a]
        record.window_certificate[a] = 0.0
    end_interval(record.contacts, k, every * dt)
    record.rows[0] = k + 1
