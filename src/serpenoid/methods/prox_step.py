"""A time step with the proximal point method, and its loop over robots [transeth2008 VI]."""

from serpenoid.kernels._jit import by_reference, jit, jit_apart, jit_entry
from serpenoid.kernels.accept import accept
from serpenoid.kernels.chain import join_links, joint_angles, to_midpoint
from serpenoid.kernels.collide import find_contacts, look_ahead, look_farther
from serpenoid.kernels.contact_log import has_room, note_contacts
from serpenoid.kernels.lanes import block, lane, load_lanes, store_lanes
from serpenoid.kernels.laws import dry_friction, servo, surface
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    ENERGY_RESIDUAL,
    HALVINGS,
    ITERATIONS,
    LAW_RESIDUAL,
    NO_LAW,
    PENETRATION,
    TOO_DEEP,
    TOO_FAST,
    TOO_ROUGH,
    Body,
    Floats,
    Item,
    PackedGait,
    PackedWorld,
    Records,
)
from serpenoid.kernels.ledger import book
from serpenoid.kernels.midpoint import LARGEST_TURN, is_empty
from serpenoid.kernels.penetration import deepest, entered, turning
from serpenoid.kernels.references import set_lane_references
from serpenoid.kernels.run import (
    BatchArrays,
    RobotView,
    Timing,
    begin_lane_step,
    end_lane_step,
    is_under_way,
    robot_of,
    write_start,
)
from serpenoid.kernels.spans import Span, step_span
from serpenoid.methods.prox_solver import Dense, ProxOptions, glide, project_hinges, solve_prox

# Multipliers of the augmented Lagrangian, which this method does not have, would be scaled by it.
NO_PENALTY = 1.0
# Into how many pieces a step may be cut.
MOST_PIECES = 256


@jit
def set_up(
    world: PackedWorld, body: Body, gait: PackedGait, span: Span, explicit_servo: bool
) -> None:
    """Go to the midpoint, every link by itself, and fix the laws of the step."""
    robot, blocks = body.robot[0], body.blocks
    to_midpoint(blocks, 0.0, span.dt)
    join_links(blocks, robot, body.com, 0.0)
    glide(blocks, robot.links, span.half)
    joint_angles(blocks, robot.links)
    surface.set_bounds(world, body, span.dt, NO_PENALTY, False)
    dry_friction.begin(blocks, robot)
    if explicit_servo:
        set_lane_references(gait, body, span.start + span.half)
        prepare_explicit(blocks, robot, span.dt)
    else:
        set_lane_references(gait, body, span.start + span.dt)
        servo.prepare(blocks, robot, span.dt)


@jit_apart
def prepare_explicit(blocks: Records, robot: Item, dt: float) -> None:
    """Impulses of the servos at the angle of the midpoint and the rate before the step (43)."""
    for j in range(robot.links - 1):
        o, at = blocks[block(j)], lane(j)
        force = o.kp[at] * (o.wanted[at] - o.phi[at])
        force += o.kd[at] * (o.wanted_rate[at] - o.rate0[at]) + o.torque[at]
        o.jp[at], o.jk[at] = dt * force, 0.0


@jit
def solve_with_contacts(
    world: PackedWorld,
    body: Body,
    dt: float,
    options: ProxOptions,
    dense: Dense,
    certificate: Floats,
) -> int:
    """Find the contacts and solve; repeat with a wider search while a link leaves it."""
    empty = is_empty(world.items, world.ground, body.loops)
    if not empty:
        look_ahead(body.blocks, dt)
    status, all_iterations = TOO_FAST, 0
    fall = dt * world.pull_x, dt * world.pull_y
    for _ in range(4):
        if not empty:
            found = find_contacts(world, body, dt)
            # A step that runs out of room is taken again, and counts only then.
            if found != DONE:
                return found
        solved, iterations, residual = solve_prox(body, fall, options, dense)
        all_iterations += iterations
        if solved != DONE:
            status = solved
            break
        if empty or not look_farther(body.blocks, dt):
            certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], residual)
            status = DONE
            break
    certificate[ITERATIONS] += all_iterations
    return status


@jit
def attempt_prox(robot: RobotView, span: Span, options: ProxOptions, dense: Dense) -> int:
    """A step, or a part of one; where it cannot be solved, the state is unchanged."""
    world, body, certificate = robot.world, robot.body, robot.record.window_certificate
    n, dt = body.robot[0].links, span.dt
    body.blame[0], body.blame[1], body.counts[0] = 0, NO_LAW, 0
    set_up(world, body, robot.gait, span, options.explicit_servo)
    status = CONTACTS_FULL
    if has_room(body, robot.record.contacts):
        status = solve_with_contacts(world, body, dt, options, dense, certificate)
    depth, residual, rows = 0.0, 0.0, body.contacts[: body.counts[0]]
    if status == DONE:
        depth = max(deepest(world, body, dt, 0.0)[1], entered(rows, False, body.blame))
        if depth > options.max_penetration:
            return TOO_DEEP
        if turning(body.blocks, n, dt, LARGEST_TURN)[0] > 0:
            status = TOO_ROUGH
    if status == DONE:
        status, residual = book(world, body, dt)
    if status != DONE:
        return status
    certificate[ENERGY_RESIDUAL] = max(certificate[ENERGY_RESIDUAL], abs(residual))
    certificate[PENETRATION] = max(certificate[PENETRATION], depth)
    accept(body, dt)
    note_contacts(body, robot.record.contacts)
    project_hinges(body.blocks, n, body.com)
    body.last[0] = dt
    return DONE


@jit
def step_prox(robot: RobotView, dt: float, options: ProxOptions, dense: Dense) -> int:
    """One step of dt, in 2, 4, 8, ... parts where it would enter an obstacle too deeply."""
    body, certificate = robot.body, robot.record.window_certificate
    # A step that ran out of room for contacts goes on where it stopped.
    pieces, done = max(1, body.pieces[0]), body.pieces[1]
    while done < pieces:
        piece = dt / pieces
        span = step_span(body.step[0] * dt + done * piece, piece, True, False)
        status = attempt_prox(robot, span, options, dense)
        if status == DONE:
            done += 1
        elif status == TOO_DEEP and pieces < MOST_PIECES:
            pieces, done = 2 * pieces, 2 * done
            certificate[HALVINGS] += 1.0
        else:
            full = status == CONTACTS_FULL
            body.pieces[0], body.pieces[1] = pieces if full else 0, done if full else 0
            return status
    body.pieces[0], body.pieces[1] = 0, 0
    body.step[0] += 1
    return DONE


@jit_entry
def run_prox(
    batch: BatchArrays,
    timing: Timing,
    options: ProxOptions,
    dense: Dense,
    first: int,
    last: int,
) -> None:
    """Take robots first <= b < last to their targets."""
    robots = by_reference(batch)
    for b in range(first, last):
        robot = by_reference(robot_of(robots, b))
        write_start(robots, b, robot, timing)
        if not is_under_way(robots, b, robot.body):
            continue
        load_lanes(robot.world, robot.body, robot.gait, robot.record)
        while begin_lane_step(robots, b, robot, timing):
            status = step_prox(robot, timing.dt, options, dense)
            end_lane_step(robots, b, robot, timing, status)
        store_lanes(robot.body, robot.record)
