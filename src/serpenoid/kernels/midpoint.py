"""One step of Moreau's midpoint rule, halved until it can be trusted."""

from math import inf

from serpenoid.kernels._jit import jit, jit_apart, jit_within
from serpenoid.kernels.chain import closing_shift, drift, hinge_gap, largest_turn, place_links
from serpenoid.kernels.collide import find_contacts, look_ahead, look_farther
from serpenoid.kernels.contact_rates import normal_velocity
from serpenoid.kernels.joint_laws import prepare_joints, spring_torque
from serpenoid.kernels.layout import (
    CERTIFICATE_SIZE,
    CONTACTS_FULL,
    DONE,
    ELASTIC,
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
    WHEELS,
    Body,
    Floats,
    NewtonOptions,
    PackedGait,
    PackedWorld,
    RunRecord,
)
from serpenoid.kernels.ledger import book, note_impulses
from serpenoid.kernels.link_laws import prepare_links, prepare_loads
from serpenoid.kernels.load_bodies import carried_before, come_back, leave, move_loads
from serpenoid.kernels.newton import solve_newton
from serpenoid.kernels.penetration import deepest, entered, sunk
from serpenoid.kernels.references import set_references

# A link that turns farther than this in one step, rad, is beyond what the midpoint can stand for.
LARGEST_TURN = 0.2
# Duration of an impact, as a share of the step after it.
INSTANT = 1e-9


@jit_within
def solve(
    world: PackedWorld,
    body: Body,
    dt: float,
    impact: bool,
    options: NewtonOptions,
    certificate: Floats,
) -> int:
    """Find the contacts and solve; again with a wider search while a link outruns it.

    An impact finds what would be struck in half a step of dt, if anything.
    """
    length, ahead = (INSTANT * dt, 0.5 * dt) if impact else (dt, dt)
    empty = world.items.shape[0] == 0 and world.ground.shape[0] == 0
    empty = empty and body.loads.shape[0] == 0
    if not empty:
        look_ahead(body.bodies, dt)
    status, all_iterations, all_updates = TOO_FAST, 0, 0
    for _ in range(4):
        if not empty:
            found = find_contacts(world, body, ahead)
            # A step that runs out of room is taken again, and counts only then.
            if found != DONE:
                return found
        if impact and not would_strike(body, dt):
            return NOTHING_STRUCK
        # A step no longer than the last one was kept clear by it.
        unclear = not impact and not empty and not world.centre and dt > body.last[0]
        if unclear and entered(body) > options.max_penetration:
            status = TOO_DEEP
            break
        solved, iterations, updates, residual = solve_newton(body, length, options)
        if solved == CONTACTS_FULL:
            return solved
        all_iterations += iterations
        all_updates += updates
        if solved != DONE:
            status = solved
            break
        if impact or empty or not look_farther(body.bodies, dt):
            certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], residual)
            status = DONE
            break
    certificate[ITERATIONS] += all_iterations
    certificate[UPDATES] += all_updates
    return status


@jit
def commit(body: Body, dt: float, record: RunRecord) -> None:
    """Make the solved velocities and impulses the state's own, and note the impulses."""
    for i in range(body.bodies.shape[0]):
        link = body.bodies[i]
        link.ax, link.ay = (link.ux - link.vx) / dt, (link.uy - link.vy) / dt
        link.aw = (link.uw - link.omega) / dt
        link.vx, link.vy, link.omega = link.ux, link.uy, link.uw
        link.dry_x, link.dry_y, link.dry_w = link.qx, link.qy, link.qw
    for j in range(body.joints.shape[0]):
        joint = body.joints[j]
        joint.limit = joint.q
        if joint.actuator == ELASTIC:
            joint.psi += 0.5 * dt * (joint.psi_rate + joint.v)
            joint.psi_rate = joint.v
    note_impulses(body, record)
    body.counts[1] = body.counts[0]
    for c in range(body.counts[0]):
        new, old = body.contacts[c], body.previous[c]
        old.link, old.obstacle, old.qn, old.qt = new.link, new.obstacle, new.qn, new.qt
        old.side, old.grips = new.side, new.grips


@jit_apart
def would_strike(body: Body, dt: float) -> bool:
    """Whether a contact or joint would pass its limit within half a step, as it moves now."""
    links, joints, contacts = body.links, body.joints, body.contacts
    for c in range(body.counts[0]):
        contact = contacts[c]
        link = body.bodies[contact.link]
        approach = normal_velocity(contact, link.vx, link.vy, link.omega)
        if contact.other >= 0:
            approach -= carried_before(contact, body.loads[contact.other])[0]
        if contact.gap + 0.5 * dt * approach < 0.0 and approach < 0.0 and not contact.soft:
            return True
    for j in range(joints.shape[0]):
        joint, tail, head = joints[j], links[j], links[j + 1]
        rate = head.omega - tail.omega
        angle = head.theta - tail.theta + 0.5 * dt * rate
        if (angle < joint.lower and rate < 0.0) or (angle > joint.upper and rate > 0.0):
            return True
    return False


@jit_apart
def keep_only_impulsive_laws(body: Body, dt: float) -> None:
    """Take away what needs time to act; dt: of the step after the impact."""
    links, joints = body.links, body.joints
    for i in range(body.bodies.shape[0]):
        # Only ideal wheels take part.
        if body.bodies[i].wheel != WHEELS or body.bodies[i].grip < inf:
            body.bodies[i].largest, body.bodies[i].spin = 0.0, 0.0
    for j in range(joints.shape[0]):
        joint, tail, head = joints[j], links[j], links[j + 1]
        angle = head.theta - tail.theta
        joint.target = head.omega - tail.omega
        joint.low, joint.high = 2.0 * (joint.lower - angle) / dt, 2.0 * (joint.upper - angle) / dt


@jit_within
def attempt(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    dt: float,
    impact: bool,
    options: NewtonOptions,
    record: RunRecord,
) -> int:
    """One step from t to t + dt; where it cannot be solved, the state is as before.

    impact: instead, a step without duration that stops what would be struck in the first half of
    that step. The half step to the midpoint follows the old velocity unchecked. A step keeps that
    of the next one clear, if it is no longer; so an impact is needed at the start and after
    shortened steps.
    """
    half, length = (0.0, INSTANT * dt) if impact else (0.5 * dt, dt)
    links, com, certificate = body.links, body.com, record.window_certificate
    body.blame[0], body.blame[1] = 0, NO_LAW
    com[2], com[3] = com[0], com[1]
    for i in range(links.shape[0]):
        links[i].old_theta = links[i].theta
    loads = body.loads.shape[0]
    if loads > 0:
        leave(body.loads)
        move_loads(body.loads, half)
    drift(links, com, half)
    place_links(links, com)
    prepare_links(world, links, length, options.stiffness)
    if loads > 0:
        prepare_loads(world, body, length, options.stiffness)
    prepare_joints(gait, links, body.joints, t if impact else t + dt, length, options.stiffness)
    if impact:
        keep_only_impulsive_laws(body, dt)
    status = solve(world, body, dt, impact, options, certificate)
    depth = 0.0
    if status == DONE and not impact:
        depth = deepest(world, body, dt)
        bound = body.counts[0] > 0 and not world.centre
        bound = bound and (world.hard or world.items.shape[0] > 0 or loads > 0)
        shift = closing_shift(links, dt) if bound else 0.0
        if depth + shift > options.max_penetration:
            status = TOO_DEEP
        elif largest_turn(body.bodies, dt) > LARGEST_TURN:
            status = TOO_ROUGH
    residual = 0.0
    if status == DONE:
        status, residual = book(world, body, length)
    if status != DONE:
        com[0], com[1] = com[2], com[3]
        for i in range(links.shape[0]):
            links[i].theta = links[i].old_theta
        if loads > 0:
            come_back(body.loads)
        return DONE if status == NOTHING_STRUCK else status
    certificate[ENERGY_RESIDUAL] = max(certificate[ENERGY_RESIDUAL], abs(residual))
    commit(body, length, record)
    if impact:
        for i in range(body.bodies.shape[0]):
            body.bodies[i].ax, body.bodies[i].ay, body.bodies[i].aw = 0.0, 0.0, 0.0
        return DONE
    if not world.centre:
        depth = max(depth, entered(body))
    if not world.hard:
        depth = max(depth, sunk(body))
    certificate[PENETRATION] = max(certificate[PENETRATION], depth)
    if loads > 0:
        move_loads(body.loads, half)
    drift(links, com, half)
    return DONE


@jit_within
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
    struck = False
    while done < pieces:
        piece = dt / pieces
        t = start + done * piece
        impact = not struck and piece > body.last[0]
        status = attempt(world, body, gait, t, piece, impact, options, record)
        struck = impact and status == DONE
        if struck:
            continue
        if status == DONE:
            done += 1
            body.last[0] = piece
        elif status != CONTACTS_FULL:
            if pieces >= 2**options.max_halvings:
                return status
            pieces *= 2
            done *= 2
            record.window_certificate[HALVINGS] += 1.0
        else:
            body.pieces[0], body.pieces[1] = pieces, done
            return status
    body.step[0] += 1
    body.pieces[0], body.pieces[1] = 0, 0
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
