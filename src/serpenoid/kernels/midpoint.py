"""One step of Moreau's midpoint rule, halved until it can be trusted."""

from math import inf
from typing import NamedTuple

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.accept import accept, accept_impact
from serpenoid.kernels.chain import (
    hinge_gap,
    join_links,
    joint_angles,
    place_links,
    to_midpoint,
    turn_as_prescribed,
)
from serpenoid.kernels.collide import find_contacts, look_ahead, look_farther
from serpenoid.kernels.impact import (
    INSTANT,
    MOST_PIECES,
    MOST_REBOUNDS,
    bound_contacts,
    coefficient,
    pass_over_soft,
    rebound,
    slowest_rebound,
    will_rebound,
)
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
from serpenoid.kernels.references import set_lane_references, set_references

# A link that turns farther than this in one step, rad, is beyond what the midpoint can stand for.
LARGEST_TURN = 0.2
# A depth below this share of what is allowed cannot make a step too deep.
HARMLESS = 0.1


class Span(NamedTuple):
    """The time of a step, s.

    An impact is a step without duration. It comes before a step in which a contact would rebound,
    and stops what would be struck in the first half of the step: a step keeps the midpoint of the
    next one clear, if that is no longer, but not at the start, after shortened steps, and after
    rebounds.
    """

    start: float
    dt: float  # of the step, or of the one after the impact
    impact: bool
    kept: bool  # whether the step before has kept the midpoint clear
    bounces: bool  # whether contacts may rebound in the impact, or before the step
    half: float  # to the midpoint
    length: float  # in which laws act


@jit
def span_of(start: float, dt: float, impact: bool, kept: bool, bounces: bool) -> Span:
    """A step, or the impact before it."""
    if impact:
        return Span(start, dt, impact, kept, bounces, 0.0, INSTANT * dt)
    return Span(start, dt, impact, kept, bounces, 0.5 * dt, dt)


@jit
def is_empty(items: Ints, ground: Records | None, loops: Loops | None) -> bool:
    """Whether there is nothing to touch."""
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
    ground.begin(blocks, robot)
    set_lane_references(gait, blocks, robot, span.start if span.impact else span.start + span.dt)
    servo.prepare(blocks, robot, length)
    if robot.limited:
        # In an impact, as the limits are met in the first half of the step after it.
        time = 0.5 * span.dt if span.impact else span.dt
        joint_limit.prepare(blocks, body.joints, time, options.stiffness)
    series_elastic.prepare(blocks, body.joints, body.rotors, length)


@jit_apart
def prescribe(blocks: Records, robot: Item, gait: PackedGait, span: Span) -> None:
    """Rates of prescribed joints: they meet the reference at the next midpoint."""
    set_lane_references(gait, blocks, robot, span.start + 1.5 * span.dt)
    for j in range(robot.links - 1):
        o, at = blocks[block(j)], lane(j)
        o.target[at] = (o.wanted[at] - o.phi[at]) / span.dt
        if span.impact:
            p, k = blocks[block(j + 1)], lane(j + 1)
            o.target[at] = p.omega[k] - o.omega[at]
    turn_as_prescribed(blocks, robot.links, span.length)


@jit
def is_deep(rows: Records, options: NewtonOptions, blame: Ints) -> bool:
    """Whether the midpoint is too deep in something hard."""
    return entered(rows, True, blame) > options.max_penetration


@jit
def solve(
    world: PackedWorld, body: Body, span: Span, options: NewtonOptions
) -> tuple[int, int, int, float]:
    """Find the contacts and solve, unless an impact must come first, or is not needed.

    Returns status, iterations, multiplier updates and law residual, m/s.
    """
    robot = body.robot[0]
    robot.restitution = NO_IMPACT
    if not is_empty(world.items, world.ground, body.loops):
        status = find_contacts(world, body, 0.5 * span.dt if span.impact else span.dt)
        if status != DONE:
            return status, 0, 0, 0.0
    rows = body.contacts[: body.counts[0]]
    slowest = slowest_rebound(world, span.dt, options.tolerance) if span.bounces else inf
    if span.impact:
        pass_over_soft(rows)
        robot.restitution = coefficient(body, span.dt, slowest, options.tolerance)
        if robot.restitution < 0.0:
            return NOTHING_STRUCK, 0, 0, 0.0
        bound_contacts(body, robot.restitution, span.dt, slowest)
    elif robot.bounces and will_rebound(body.blocks, rows, span.dt, slowest):
        return STRUCK, 0, 0, 0.0
    elif not (span.kept or world.centre) and is_deep(rows, options, body.blame):
        return TOO_DEEP, 0, 0, 0.0
    fall = span.length * world.pull_x, span.length * world.pull_y
    return solve_newton(body, fall, options)


@jit
def solve_with_margins(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    span: Span,
    options: NewtonOptions,
    certificate: Floats,
) -> int:
    """Set up and solve; again with a wider search while a link outruns it; status."""
    empty = is_empty(world.items, world.ground, body.loops)
    if not empty:
        look_ahead(body.blocks, span.dt)
    all_iterations, all_updates, residual, status = 0, 0, 0.0, TOO_FAST
    for _ in range(4):
        set_up(world, body, gait, span, options)
        status, iterations, updates, residual = solve(world, body, span, options)
        # A step that runs out of room is taken again, and counts only then.
        if status == CONTACTS_FULL:
            return status
        all_iterations, all_updates = all_iterations + iterations, all_updates + updates
        if status != DONE or span.impact or empty or not look_farther(body.blocks, span.dt):
            break
        status = TOO_FAST
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
    """Take one step, or an impact; where it cannot be solved, the state is as before.

    Returns the status: STRUCK of a step before which contacts rebound, and of an impact in which
    they did.
    """
    certificate = record.window_certificate
    body.blame[0], body.blame[1], body.counts[0] = 0, NO_LAW, 0
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
    return STRUCK if status == DONE and e > 0.0 else status


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
    impacts, clear = body.pieces[2], body.pieces[3] > 0
    while done < pieces:
        piece = dt / pieces
        kept = impacts == 0 and piece <= body.last[0]
        impact = not (kept or clear)
        span = span_of(start + done * piece, piece, impact, kept, impacts < MOST_REBOUNDS)
        status = attempt(world, body, gait, span, options, record)
        if status == CONTACTS_FULL:
            body.pieces[0], body.pieces[1] = pieces, done
            body.pieces[2], body.pieces[3] = impacts, 1 if clear else 0
            return status
        halved = False
        if status == STRUCK:
            impacts, clear = impacts + 1, False
            halved = impacts == MOST_REBOUNDS and pieces < MOST_PIECES
        elif status == NOTHING_STRUCK:
            # What the step would strike all the same is for it to stop, and rebounds afterwards.
            impacts, clear = MOST_REBOUNDS, True
        elif status != DONE:
            halved = True
            if pieces >= 1 << options.max_halvings:
                return status
        elif impact:
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
    record.rows[0] = k + 1
