"""Jump map of the hybrid model, and the modes the contacts go on in after an event."""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import (
    CONTACT_LAW,
    DONE,
    FRICTION,
    IMPACT,
    NO_CONVERGENCE,
    Body,
    Item,
    PackedGait,
    PackedWorld,
)
from serpenoid.methods.hybrid_flow import (
    SOFTNESS_STUCK,
    departure,
    direct,
    factor_mass,
    free_map,
    hold_contacts,
    place,
    product,
    respond,
    total_mass,
    update_contact_kinematics,
)
from serpenoid.methods.hybrid_layout import OPEN, SLIDES, SLIDES_BACK, STICKS, Flow
from serpenoid.methods.linear_algebra import factorise, solve_factored

# A gap, m, and a velocity, m/s, that count as none when modes are chosen: above what an event and
# the integrator are off by. How fast, m/s, sliding must go backwards to be an event.
NO_GAP, NO_SPEED, BACKWARDS = 1e-7, 3e-5, 3e-6
# How far beyond a peg's edge a closed contact at a link's centre is left, m. There the force may
# turn the link out of reach of the peg and the lack of it turn it back, at once without this.
LEAVE = 3e-5
# A closed contact that a jump would open more slowly than this, m/s, stays closed; the second one
# is for a jump in a crowd of them.
SLOW, SLOW_IN_CROWD = 1e-3, 0.1
# Keeps the matrix of a jump regular where two contacts are one constraint, relative.
SOFTNESS_OF_JUMP = 1e-12
# Forces, N, and accelerations, m/s2, that count as none when modes are chosen.
NO_FORCE, NO_ACCELERATION = 1e-6, 1e-6


@jit
def reach(world: PackedWorld, contact: Item) -> float:
    """Largest gap at which the contact may carry a force, m."""
    if contact.mode == OPEN:
        return NO_GAP
    return LEAVE if world.centre else 10.0 * NO_GAP


@jit_apart
def jump(world: PackedWorld, body: Body, flow: Flow, crowded: bool) -> int:
    """Inelastic impact at y: no contact without a gap goes on approaching.

    Impulses are >= 0 and vanish where the contact opens; there is no friction in the jump. Where
    impacts to some contacts open others that soon strike again, jumps could follow each other
    without end. So a contact that is closed stays so where it would open slower than SLOW, or,
    crowded, SLOW_IN_CROWD. The impulse that holds it takes energy away, as any projection of
    velocities does, and whether forces open it is then for the flow map to say.
    """
    links, contacts, rows = body.links, body.contacts, flow.rows
    n, y = links.shape[0], flow.y
    slow = SLOW_IN_CROWD if crowded else SLOW
    place(links, y)
    factor_mass(links, flow)
    root = sqrt(total_mass(links))
    count = 0
    for c in range(body.counts[0]):
        contact = contacts[c]
        update_contact_kinematics(world, links[contact.link], contact)
        if contact.gap <= reach(world, contact):
            # rows: contact, and whether it is struck.
            hold = 0.0 if contact.mode == OPEN else slow
            rows[count, 0], rows[count, 1] = c, 1 if contact.vn < hold else 0
            direct(flow, count, contact.link, contact.nx, contact.ny, contact.ln, root)
            contact.qn, contact.qt = 0.0, 0.0
            count += 1
    for _ in range(4 * count + 20):
        worst, place_of_worst = 0.0, -1
        size = 0
        for r in range(count):
            if rows[r, 1] == 1:
                flow.force[0, size] = -contacts[rows[r, 0]].vn
                column = 0
                for c in range(count):
                    if rows[c, 1] == 1:
                        flow.matrix[size, column] = product(flow, r, c)
                        column += 1
                flow.matrix[size, size] *= 1.0 + SOFTNESS_OF_JUMP
                size += 1
        factorise(flow.matrix[:size, :size], flow.pivot[:size])
        solve_factored(flow.matrix[:size, :size], flow.pivot[:size], flow.force[0])
        size = 0
        for r in range(count):
            contact = contacts[rows[r, 0]]
            contact.qn = 0.0
            if rows[r, 1] == 1:
                contact.qn = flow.force[0, size]
                size += 1
                # An impulse as the velocity it takes back, to compare it with velocities.
                pull = contact.qn * product(flow, r, r)
                if contact.mode != OPEN:
                    pull += slow
                if pull < worst:
                    worst, place_of_worst = pull, r
        for r in range(count):
            if rows[r, 1] == 0:
                after = contacts[rows[r, 0]].vn
                for c in range(count):
                    after += product(flow, r, c) * contacts[rows[c, 0]].qn
                if after < min(worst, -1e-12):
                    worst, place_of_worst = after, r
        if place_of_worst < 0:
            break
        rows[place_of_worst, 1] = 1 - rows[place_of_worst, 1]
    else:
        body.blame[0], body.blame[1] = contacts[rows[0, 0]].link, CONTACT_LAW
        return NO_CONVERGENCE
    for k in range(n + 2):
        flow.push[k] = 0.0
    for r in range(count):
        contact = contacts[rows[r, 0]]
        if contact.qn != 0.0:
            for k in range(n + 2):
                flow.push[k] += flow.half[r, k] * contact.qn
            y[2 * n + 4 + 2 * contact.link] += contact.qn * contact.nx
            y[2 * n + 5 + 2 * contact.link] += contact.qn * contact.ny
    respond(flow, y[n + 2 : 2 * n + 4], root)
    place(links, y)
    for r in range(count):
        contact = contacts[rows[r, 0]]
        before = contact.vn
        update_contact_kinematics(world, links[contact.link], contact)
        y[7 * n + 3 + IMPACT] += 0.5 * contact.qn * (before + contact.vn)
    return DONE


@jit_apart
def arrest_contacts(world: PackedWorld, body: Body, flow: Flow) -> None:
    """Bring closed contacts to rest at y, along the normal, and across it where there is friction.

    For states that no modes lead on from: where contacts wedge a link that slides, the forces of
    the flow map have no bound, and friction stops it at once. A contact that would have to pull is
    left out. As any projection of velocities it takes energy away.
    """
    links, contacts, rows = body.links, body.contacts, flow.rows
    n, y = links.shape[0], flow.y
    place(links, y)
    factor_mass(links, flow)
    root = sqrt(total_mass(links))
    for c in range(body.counts[0]):
        contact = contacts[c]
        update_contact_kinematics(world, links[contact.link], contact)
        contact.qn, contact.qt, contact.pushes = 0.0, 0.0, contact.mode != OPEN
    count = 0
    for _ in range(body.counts[0] + 1):
        count = 0
        for c in range(body.counts[0]):
            contact = contacts[c]
            if contact.pushes:
                nx, ny = contact.nx, contact.ny
                direct(flow, count, contact.link, nx, ny, contact.ln, root)
                flow.force[0, count] = -contact.vn
                rows[count, 0], rows[count, 1] = c, 0
                count += 1
                if contact.friction > 0.0:
                    direct(flow, count, contact.link, -ny, nx, contact.lt, root)
                    flow.force[0, count] = -contact.vt
                    rows[count, 0], rows[count, 1] = c, 1
                    count += 1
        for r in range(count):
            for c in range(count):
                flow.matrix[r, c] = product(flow, r, c)
            # Several contacts may hold one link more often than it can move.
            flow.matrix[r, r] *= 1.0 + SOFTNESS_STUCK
        factorise(flow.matrix[:count, :count], flow.pivot[:count])
        solve_factored(flow.matrix[:count, :count], flow.pivot[:count], flow.force[0])
        worst, where = 0.0, -1
        for r in range(count):
            if rows[r, 1] == 0 and flow.force[0, r] < worst:
                worst, where = flow.force[0, r], rows[r, 0]
        if where < 0:
            break
        contacts[where].pushes = False
    for k in range(n + 2):
        flow.push[k] = 0.0
    for r in range(count):
        contact, impulse = contacts[rows[r, 0]], flow.force[0, r]
        for k in range(n + 2):
            flow.push[k] += flow.half[r, k] * impulse
        if rows[r, 1] == 0:
            contact.qn = impulse
        else:
            contact.qt = impulse
    respond(flow, y[n + 2 : 2 * n + 4], root)
    place(links, y)
    for c in range(body.counts[0]):
        contact = contacts[c]
        if contact.pushes:
            i, along, across = contact.link, contact.vn, contact.vt
            y[2 * n + 4 + 2 * i] += contact.qn * contact.nx - contact.qt * contact.ny
            y[2 * n + 5 + 2 * i] += contact.qn * contact.ny + contact.qt * contact.nx
            update_contact_kinematics(world, links[i], contact)
            y[7 * n + 3 + IMPACT] += 0.5 * contact.qn * (along + contact.vn)
            y[7 * n + 3 + FRICTION] += 0.5 * contact.qt * (across + contact.vt)


@jit
def _first_mode(contact: Item, before: int) -> int:
    """The mode a contact that pushes is tried in; before: its last one.

    Sliding goes on in its direction until it goes backwards by more than an event needs.
    """
    if contact.friction == 0.0:
        return SLIDES
    if before in (SLIDES, SLIDES_BACK) and before * contact.vt > -BACKWARDS:
        return before
    if abs(contact.vt) <= NO_SPEED:
        return STICKS
    return SLIDES if contact.vt > 0.0 else SLIDES_BACK


@jit_apart
def choose_modes(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    stick_speed: float,
    flow: Flow,
    latched: bool,
) -> bool:
    """Choose the modes of all contacts so that forces and motion agree with them.

    They depend on y and on the modes before. Forces press, or the contact opens; friction holds, or
    acts against the sliding. The worst offender changes its mode until there is none; False if
    there is one left. latched: closed contacts stay as they are, and those that touch join them,
    sticking. Leaves the rates of y in slope[0].
    """
    links, contacts = body.links, body.contacts
    place(links, flow.y)
    for c in range(body.counts[0]):
        contact = contacts[c]
        update_contact_kinematics(world, links[contact.link], contact)
        # A little less than where it is an event, so that the event opens it.
        contact.pushes = contact.gap <= 0.99 * reach(world, contact) and contact.vn <= NO_SPEED
        if contact.pushes:
            # What sticks does no work, whatever holds it.
            slick = contact.friction == 0.0
            contact.mode = _first_mode(contact, contact.mode)
            if latched and not slick:
                contact.mode = STICKS
        elif not latched:
            contact.mode = OPEN
    # With trials used up, the rates are those of the last modes.
    rounds = 0 if latched else 4 * body.counts[0] + 20
    rates, free = flow.slope[0], flow.slope[6]
    free_map(world, body, gait, t, stick_speed, flow, flow.y, free)
    agree = latched
    for trial in range(rounds + 1):
        for k in range(free.shape[0]):
            rates[k] = free[k]
        hold_contacts(world, body, flow, rates)
        if trial == rounds:
            break
        worst, where, mode = 0.0, -1, OPEN
        for c in range(body.counts[0]):
            contact = contacts[c]
            wrong, better = _offence(world, body, flow, contact)
            if wrong > worst:
                worst, where, mode = wrong, c, better
                # The lowest offender first cannot go in circles where friction is small.
                if trial > rounds // 2:
                    break
        if where < 0:
            agree = True
            break
        contacts[where].mode = mode
    for c in range(body.counts[0]):
        contact = contacts[c]
        # What slips from rest may do so against what is left of its velocity.
        contact.stick = BACKWARDS + max(0.0, -contact.mode * contact.vt)
    return agree


@jit
def _offence(world: PackedWorld, body: Body, flow: Flow, contact: Item) -> tuple[float, int]:
    """By how much (N) a contact breaks the law in its mode, and the mode it should be in."""
    links, mu = body.links, contact.friction
    mass = links[contact.link].mass
    if contact.mode == OPEN:
        if contact.pushes:
            opening = departure(world, links, flow, contact, flow.slope[0], 0)
            if opening < -NO_ACCELERATION:
                resting = mu > 0.0 and abs(contact.vt) <= NO_SPEED
                sliding = SLIDES if contact.vt >= 0.0 else SLIDES_BACK
                return -mass * opening, STICKS if resting else sliding
    elif contact.mode == STICKS:
        # One that pulls, too, is let slide first: friction may be all that it pulls against.
        excess = abs(contact.qt) - mu * contact.qn
        if excess > NO_FORCE:
            return excess, SLIDES if contact.qt < 0.0 else SLIDES_BACK
    elif contact.qn < -NO_FORCE:
        return -contact.qn, OPEN
    elif mu > 0.0 and abs(contact.vt) <= NO_SPEED:
        onward = contact.mode * departure(world, links, flow, contact, flow.slope[0], 1)
        if onward < -NO_ACCELERATION:
            return -mass * onward, STICKS
    return 0.0, contact.mode
