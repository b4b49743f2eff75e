"""One step of Moreau's midpoint rule, halved until it can be trusted."""

from math import inf

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.accept import accept, accept_impact
from serpenoid.kernels.added import add_commands
from serpenoid.kernels.chain import (
    hinge_gap,
    join_links,
    joint_angles,
    place_links,
    rejoin,
    to_midpoint,
    turns_fast,
)
from serpenoid.kernels.collide import find_contacts, look_ahead, outruns
from serpenoid.kernels.contact_log import end_interval, has_room, note_contacts
from serpenoid.kernels.impact import (
    MOST_REBOUNDS,
    bound_contacts,
    coefficient,
    pass_over_soft,
    rebound,
    slowest_rebound,
    will_rebound,
)
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
    NO_IMPACT,
    NO_LAW,
    NOTHING_STRUCK,
    PENETRATION,
    STRUCK,
    TOO_DEEP,
    TOO_FAST,
    TOO_ROUGH,
    UPDATES,
    Body,
    Floats,
    Ints,
    Loops,
    NewtonOptions,
    PackedGait,
    PackedWorld,
    Records,
    RunRecord,
)
from serpenoid.kernels.ledger import book
from serpenoid.kernels.newton import solve_newton
from serpenoid.kernels.parts import write_parts
from serpenoid.kernels.penetration import deepest, entered, is_gentle, turning
from serpenoid.kernels.prescribed import has_kink, prescribe
from serpenoid.kernels.references import set_lane_references, set_references
from serpenoid.kernels.self_contacts import is_apart, touches_itself
from serpenoid.kernels.spans import Span, impact_span, step_span

# A link that turns farther than this in one step, rad, is beyond what the midpoint can stand for.
LARGEST_TURN = 0.2
# A step in which a link turns farther than this, rad, closes the hinges exactly, so that fast
# chains keep their energy; in how many solutions at most.
FAST, MOST_CLOSINGS = 0.02, 10
# A depth below this share of what is allowed cannot make a step too deep.
HARMLESS = 0.1
# Share of what is allowed that closing the hinges may add in a gentle step.
CLOSING = 0.5


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
    """Move to the midpoint, and compute what is constant during the iterations."""
    robot, blocks, length = body.robot[0], body.blocks, span.length
    to_midpoint(blocks, span.half, length)
    joint_angles(blocks, robot.links)
    if robot.prescribed:
        prescribe(body, gait, span)
    join_links(blocks, robot, body.com, span.half)
    surface.set_bounds(world, body, length, options.stiffness, span.impact)
    ground.begin(blocks, robot, body.supports)
    set_lane_references(gait, body, span.start if span.impact else span.start + span.dt)
    servo.prepare(blocks, robot, length)
    if robot.limited:
        # In an impact, as the limits are met in the first half of the step after it.
        time = 0.5 * span.dt if span.impact else span.dt
        joint_limit.prepare(blocks, body.joints, time, options.stiffness)
    series_elastic.prepare(blocks, body.joints, body.rotors, length)


@jit
def begin_solving(world: PackedWorld, body: Body, span: Span, options: NewtonOptions) -> int:
    """Prepare the contacts found for a step or an impact; DONE if it can be solved.

    STRUCK if an impact must come first, NOTHING_STRUCK if an impact is not needed, TOO_DEEP.
    """
    robot, rows = body.robot[0], body.contacts[: body.counts[0]]
    rebounding = slowest_rebound(world, span.dt, options.tolerance)
    slowest = rebounding if span.bounces else inf
    robot.cut_short = inf if span.bounces or span.kink else rebounding
    if span.impact:
        pass_over_soft(rows)
        e = coefficient(body, span.dt, slowest, options.tolerance)
        if span.kink:
            # What is struck at the same time is stopped: a rebound would carry the joints along.
            e = 0.0
        if e < 0.0:
            return NOTHING_STRUCK
        robot.restitution = e
        bound_contacts(body, e, span.dt, slowest)
    elif robot.bounces and will_rebound(body.blocks, rows, span.dt, slowest):
        return STRUCK
    unclear = not (span.impact or span.kept or world.centre)
    if unclear and entered(rows, True, body.blame) > options.max_penetration:
        return TOO_DEEP
    return DONE


@jit
def solve(
    world: PackedWorld, body: Body, span: Span, options: NewtonOptions, clear: bool
) -> tuple[int, int, int, float]:
    """Find the contacts and solve, unless an impact comes first or changes nothing.

    Returns status, iterations, multiplier updates and law residual, m/s.
    """
    robot, status = body.robot[0], DONE
    robot.restitution, robot.cut_short = NO_IMPACT, inf
    if not clear:
        status = find_contacts(world, body, 0.5 * span.dt if span.impact else span.dt)
    if status == DONE:
        status = begin_solving(world, body, span, options)
    if status != DONE:
        return status, 0, 0, 0.0
    fall = span.length * world.pull_x, span.length * world.pull_y
    status, iterations, updates, residual = solve_newton(body, fall, options)
    if span.impact or not turns_fast(body.blocks, robot, FAST / span.dt):
        return status, iterations, updates, residual
    for _ in range(MOST_CLOSINGS):
        if status != DONE or not rejoin(body.blocks, robot, span.dt, options.tolerance):
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
    """Set up and solve; repeat with a wider search while a link leaves it; status.

    A robot that was found apart from all it can touch needs no search until it leaves that place.
    """
    robot, empty = body.robot[0], is_empty(world.items, world.ground, body.loops)
    apart = empty and not span.impact and is_apart(robot, body.self_contacts)
    empty = empty and not touches_itself(body.self_contacts)
    if not empty and not apart:
        look_ahead(body.blocks, span.dt)
    iterations, updates, residual, status = 0, 0, 0.0, TOO_FAST
    for _ in range(4):
        set_up(world, body, gait, span, options)
        clear = empty or apart
        status, iterations, updates, residual = solve(world, body, span, options, clear)
        # A step that runs out of room is taken again, and counts only then.
        if status == CONTACTS_FULL:
            return status
        if status != DONE or span.impact:
            break
        shift = CLOSING * options.max_penetration / robot.links
        robot.gentle = is_gentle(body.blocks, span.dt, LARGEST_TURN, shift)
        # Where nothing was searched for, margins are old.
        fine = empty or (robot.gentle and not apart)
        if fine or not outruns(body.blocks, span.dt, apart):
            break
        apart, status = False, TOO_FAST
    # Of the last search: whether there was one before depends on when a survey was made.
    certificate[ITERATIONS] += iterations
    certificate[UPDATES] += updates
    if status == DONE:
        certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], residual)
    return status


@jit_apart
def check(
    world: PackedWorld, body: Body, dt: float, options: NewtonOptions, known: float
) -> tuple[int, float]:
    """Check the step: status, and the depth in obstacles, m.

    known: depth that is in the record already; what is not deeper need not be found exactly.
    """
    robot, most, depth = body.robot[0], options.max_penetration, 0.0
    turns, closing = 0, CLOSING * most
    if not robot.gentle:
        turns, closing = turning(body.blocks, robot.links, dt, LARGEST_TURN)
    if body.counts[0] > 0 and not world.centre:
        inside = entered(body.contacts[: body.counts[0]], False, body.blame)
        touches, depth = deepest(world, body, dt, min(max(known, inside), HARMLESS * most))
        if robot.gentle and depth + closing > most:
            turns, closing = turning(body.blocks, robot.links, dt, LARGEST_TURN)
        if depth > most and turns == 0:
            return TOO_DEEP, depth
        if touches and depth + closing > most:
            turns = 1  # it is closing the hinges that enters something
        depth = max(depth, inside)
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
    """Take one step, or an impact; where it cannot be solved, the state is unchanged.

    Returns the status: STRUCK of a step before which contacts rebound, and of an impact in which
    they did.
    """
    certificate = record.window_certificate
    body.blame[0], body.blame[1], body.counts[0] = 0, NO_LAW, 0
    if not has_room(body, record.contacts):
        return CONTACTS_FULL
    depth, residual = 0.0, 0.0
    status = solve_with_margins(world, body, gait, span, options, certificate)
    e = body.robot[0].restitution
    if status == DONE and not span.impact:
        status, depth = check(world, body, span.dt, options, certificate[PENETRATION])
    if status == DONE and e > 0.0:
        rebound(body.blocks, e)
    if status == DONE:
        status, residual = book(world, body, span.length)
    if status == DONE:
        certificate[ENERGY_RESIDUAL] = max(certificate[ENERGY_RESIDUAL], abs(residual))
        certificate[PENETRATION] = max(certificate[PENETRATION], depth)
        if span.impact:
            accept_impact(body)
        else:
            accept(body, span.length)
        note_contacts(body, record.contacts)
    return STRUCK if status == DONE and e > 0.0 else status


@jit
def next_span(
    body: Body, gait: PackedGait, start: float, dt: float, impacts: int, clear: bool
) -> Span:
    """A step, or the impact that must come before it.

    impacts: how many there were already; clear: the step needs no other one.
    """
    robot, bounces = body.robot[0], impacts < MOST_REBOUNDS
    # An impact has changed the velocities with which the last step kept the midpoint clear.
    kept = impacts == 0 and not clear and dt <= body.last[0]
    kink = not clear and robot.prescribed and has_kink(body, gait, start, dt)
    if kink or not (kept or clear):
        return impact_span(start, dt, bounces, kink)
    return step_span(start, dt, kept, bounces)


@jit_apart
def advance(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    dt: float,
    options: NewtonOptions,
    record: RunRecord,
) -> int:
    """One full step of dt, in 2, 4, 8, ... parts where the whole step cannot be solved."""
    start = body.step[0] * dt
    # A step that ran out of room for contacts goes on where it stopped.
    pieces, done = max(1, body.pieces[0]), body.pieces[1]
    impacts, clear, most = body.pieces[2], body.pieces[3] > 0, 1 << options.max_halvings
    while done < pieces:
        piece = dt / pieces
        span = next_span(body, gait, start + done * piece, piece, impacts, clear)
        status = attempt(world, body, gait, span, options, record)
        if status == CONTACTS_FULL:
            body.pieces[0], body.pieces[1] = pieces, done
            body.pieces[2], body.pieces[3] = impacts, 1 if clear else 0
            return status
        halved = False
        if status == STRUCK:
            impacts, clear = impacts + 1, False
            halved = impacts == MOST_REBOUNDS and pieces < most
        elif status == NOTHING_STRUCK:
            # What the step would strike all the same is for it to stop, and rebounds afterwards.
            impacts, clear = MOST_REBOUNDS, True
        elif status != DONE:
            halved = True
            if pieces >= most:
                return status
        elif span.impact:
            clear = True
        else:
            done, impacts, clear = done + 1, 0, False
            body.last[0] = piece
        if halved:
            pieces, done, impacts = 2 * pieces, 2 * done, min(impacts, 1)
            record.window_certificate[HALVINGS] += 1.0
    body.step[0] += 1
    body.pieces[:] = 0
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
    pose, velocity, force = record.pose[k], record.velocity[k], record.force[k]
    for i in range(body.bodies.shape[0]):
        link = body.bodies[i]
        # Of the link's middle, where rotors move the centre of mass from it.
        pose[i, 0] = link.x + link.middle * link.ex
        pose[i, 1] = link.y + link.middle * link.ey
        pose[i, 2] = link.theta
        velocity[i, 0] = link.vx - link.middle * link.omega * link.ey
        velocity[i, 1] = link.vy + link.middle * link.omega * link.ex
        velocity[i, 2] = link.omega
        for a in range(4):
            force[i, a] = record.window_force[i, a] / (every * dt)
            record.window_force[i, a] = 0.0
        record.sticking[k, i] = link.sticking
    set_references(gait, joints, t)
    write_parts(record.parts, k, body, gait, t)
    add_commands(body.added, joints, t)
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
