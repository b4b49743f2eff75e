"""Jump map of the hybrid model, and the modes the contacts go on in after an event."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import (
    DONE,
    FRICTION,
    IMPACT,
    NO_CONVERGENCE,
    Item,
    PackedWorld,
)
from serpenoid.methods.hybrid_flow import (
    SOFTNESS_STUCK,
    departure,
    free_map,
    hold_contacts,
    place,
    update_contact_kinematics,
)
from serpenoid.methods.hybrid_layout import OPEN, SLIDES, SLIDES_BACK, STICKS, HybridView
from serpenoid.methods.hybrid_rows import (
    add_impulse,
    blame_row,
    direction,
    factor_mass,
    respond,
    set_row,
    solve_rows,
)
from serpenoid.methods.linear_algebra import copy, product

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


@jit
def begin_impact(view: HybridView) -> None:
    """Contacts and mass matrix at y, before any impulse."""
    body = view.body
    place(body.links, view.flow.y)
    factor_mass(body.links, view.flow)
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        update_contact_kinematics(view.world, body, contact)
        contact.qn, contact.qt = 0.0, 0.0


@jit
def add_row(view: HybridView, count: int, c: int, side: int) -> int:
    """Add the normal (0) or tangent (1) of contact c to the rows; the new number of rows."""
    contact, rows = view.body.contacts[c], view.flow.rows
    rows[count, 0], rows[count, 1] = c, side
    x, y, lever = direction(contact, side)
    set_row(view.flow, count, contact, x, y, lever)
    return count + 1


@jit
def stop(view: HybridView, count: int, softness: float) -> int:
    """Impulses that bring contacts that push to rest along their rows; how many rows these are.

    softness: what keeps the matrix regular, relative. Contacts that do not push have none.
    """
    contacts, flow, size = view.body.contacts, view.flow, 0
    for r in range(count):
        contact = contacts[flow.rows[r, 0]]
        contact.qn, contact.qt = 0.0, 0.0
        if contact.pushes:
            flow.active[size] = r
            flow.force[size] = -contact.vn if flow.rows[r, 1] == 0 else -contact.vt
            size += 1
    solve_rows(flow, size, 0, softness, softness)
    for a in range(size):
        row = flow.rows[flow.active[a]]
        contact = contacts[row[0]]
        if row[1] == 0:
            contact.qn = flow.force[a]
        else:
            contact.qt = flow.force[a]
    return size


@jit
def end_impact(view: HybridView, size: int) -> None:
    """Let the impulses along the active rows act on y, and book impulses and works."""
    links, contacts, y = view.body.links, view.body.contacts, view.flow.y
    n = links.shape[0]
    works = 7 * n + 3
    respond(view.flow, size, 0, y[n + 2 : 2 * n + 4])
    place(links, y)
    for c in range(view.body.counts[0]):
        contact = contacts[c]
        along, across = contact.vn, contact.vt
        if view.options.measures_impacts:
            add_impulse(contact, n, y)
        update_contact_kinematics(view.world, view.body, contact)
        y[works + IMPACT] += 0.5 * contact.qn * (along + contact.vn)
        y[works + FRICTION] += 0.5 * contact.qt * (across + contact.vt)


@jit_apart
def jump(view: HybridView, crowded: bool) -> int:
    """Inelastic impact at y: no contact without a gap goes on approaching.

    Impulses are >= 0 and vanish where the contact opens; there is no friction in the jump. Where
    impacts to some contacts open others that soon strike again, jumps could follow each other
    without end. So a contact that is closed stays so where it would open slower than SLOW, or,
    crowded, SLOW_IN_CROWD. The impulse that holds it takes energy away, as any projection of
    velocities does, and whether forces open it is then for the flow map to say.
    """
    body, contacts, half, rows = view.body, view.body.contacts, view.flow.half, view.flow.rows
    slow = SLOW_IN_CROWD if crowded else SLOW
    begin_impact(view)
    count, size = 0, 0
    for c in range(body.counts[0]):
        contact = contacts[c]
        if contact.gap <= reach(view.world, contact):
            contact.pushes = contact.vn < (0.0 if contact.mode == OPEN else slow)
            count = add_row(view, count, c, 0)
    for _ in range(4 * count + 20):
        size = stop(view, count, SOFTNESS_OF_JUMP)
        worst, where = 0.0, -1
        for r in range(count):
            contact = contacts[rows[r, 0]]
            if contact.pushes:
                # An impulse as the velocity it takes back, to compare it with velocities.
                pull = contact.qn * product(half[r], half[r])
                if contact.mode != OPEN:
                    pull += slow
                if pull < worst:
                    worst, where = pull, rows[r, 0]
        for r in range(count):
            contact = contacts[rows[r, 0]]
            if not contact.pushes:
                after = contact.vn
                for c in range(count):
                    after += product(half[r], half[c]) * contacts[rows[c, 0]].qn
                if after < min(worst, -1e-12):
                    worst, where = after, rows[r, 0]
        if where < 0:
            break
        contacts[where].pushes = not contacts[where].pushes
    else:
        blame_row(body.blame, contacts[rows[0, 0]])
        return NO_CONVERGENCE
    end_impact(view, size)
    return DONE


@jit_apart
def arrest_contacts(view: HybridView) -> None:
    """Bring closed contacts to rest at y, along the normal, and across it where there is friction.

    For states that no modes lead on from: where contacts wedge a link that slides, the forces of
    the flow map have no bound, and friction stops it at once. A contact that would have to pull is
    left out. As any projection of velocities it takes energy away.
    """
    body, contacts = view.body, view.body.contacts
    begin_impact(view)
    count, size = 0, 0
    for c in range(body.counts[0]):
        contact = contacts[c]
        contact.pushes = contact.mode != OPEN
        if contact.pushes:
            count = add_row(view, count, c, 0)
            if contact.friction > 0.0:
                count = add_row(view, count, c, 1)
    for _ in range(body.counts[0] + 1):
        # Several contacts may hold one link more often than it can move.
        size = stop(view, count, SOFTNESS_STUCK)
        worst, where = 0.0, -1
        for c in range(body.counts[0]):
            if contacts[c].qn < worst:
                worst, where = contacts[c].qn, c
        if where < 0:
            break
        contacts[where].pushes = False
    end_impact(view, size)


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
def choose_modes(view: HybridView, t: float, latched: bool) -> bool:
    """Choose the modes of all contacts so that forces and motion agree with them.

    They depend on y and on the modes before. Forces press, or the contact opens; friction holds, or
    acts against the sliding. The worst offender changes its mode until there is none; False if
    there is one left. latched: closed contacts stay as they are, and those that touch join them,
    sticking. Leaves the rates of y in slope[0].
    """
    body, links, contacts, flow = view.body, view.body.links, view.body.contacts, view.flow
    place(links, flow.y)
    for c in range(body.counts[0]):
        contact = contacts[c]
        update_contact_kinematics(view.world, body, contact)
        # A little less than where it is an event, so that the event opens it.
        contact.pushes = contact.gap <= 0.99 * reach(view.world, contact) and contact.vn <= NO_SPEED
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
    free_map(view, t, flow.y, free)
    agree = latched
    for trial in range(rounds + 1):
        copy(free, rates)
        hold_contacts(view, rates)
        if trial == rounds:
            break
        worst, where, mode = 0.0, -1, OPEN
        for c in range(body.counts[0]):
            contact = contacts[c]
            wrong, better = _offence(view, contact)
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
def _offence(view: HybridView, contact: Item) -> tuple[float, int]:
    """By how much (N) a contact breaks the law in its mode, and the mode it should be in."""
    rates, mu, mass = view.flow.slope[0], contact.friction, view.body.links[contact.link].mass
    if contact.mode == OPEN:
        if contact.pushes:
            opening = departure(view, contact, rates, 0)
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
        onward = contact.mode * departure(view, contact, rates, 1)
        if onward < -NO_ACCELERATION:
            return -mass * onward, STICKS
    return 0.0, contact.mode
