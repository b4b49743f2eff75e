"""Hybrid model: flow between located events, jumps at them [liljeback2011 (2)].

Dormand and Prince's method of order 5(4) with error control integrates the flow map. After each
step the contacts are looked at: one that is struck, pulls, slides backwards or no longer sticks is
an event. Its time is found on the continuous extension of the step, which is then taken again up to
there; the jump map acts, and the modes of all contacts are chosen anew.
"""

from math import isfinite, sqrt

from serpenoid.kernels._jit import jit, jit_apart, jit_entry
from serpenoid.kernels.chain import place_links
from serpenoid.kernels.collide import find_contacts, look_ahead
from serpenoid.kernels.layout import (
    CONTACT_LAW,
    CONTACTS_FULL,
    DONE,
    ENERGY_RESIDUAL,
    EVENTS,
    GRAVITY,
    INTEGRATOR_STEPS,
    KINETIC,
    LAW_RESIDUAL,
    NO_CONVERGENCE,
    NO_LAW,
    NOT_FINITE,
    PENETRATION,
    RESIDUAL,
    UNRESOLVED,
    Body,
    Item,
    PackedGait,
    PackedWorld,
    Records,
    RunRecord,
)
from serpenoid.kernels.ledger import note_impulses
from serpenoid.kernels.link_laws import prepare_links
from serpenoid.kernels.run import (
    BatchArrays,
    Timing,
    begin_record,
    record_row,
    robot_of,
    tick_controller,
)
from serpenoid.methods.dormand_prince import try_step
from serpenoid.methods.hybrid_events import first_event, note
from serpenoid.methods.hybrid_flow import place, update_contact_kinematics
from serpenoid.methods.hybrid_jump import arrest_contacts, choose_modes, jump
from serpenoid.methods.hybrid_layout import (
    NO_EVENT,
    OPEN,
    SLIDES,
    SLIDES_BACK,
    STICKS,
    STRUCK,
    Flow,
    HybridOptions,
)

# The shortest step of the integrator, s.
SHORTEST = 1e-12
# Impacts after which contacts are crowded; one is forgotten after each lull, s.
CROWD, LULL = 4.0, 2.5e-4
# How far a link looks for pegs beyond its travel, m.
SPARE = 1e-3
# Events in a step, in units of the allowed ones, and arrests of contacts in one, after which a run
# stops.
MOST_EVENTS, MOST_ARRESTS = 20, 5
# Steps of the integrator in a step after which it counts as too stiff.
MOST_TRIES = 50_000


@jit_apart
def survey(world: PackedWorld, body: Body, dt: float, flow: Flow) -> int:
    """List the contacts the links could reach within dt from y."""
    body.counts[0] = 0
    if world.items.shape[0] == 0:
        return DONE
    place(body.links, flow.y)
    look_ahead(body.links, dt)
    for i in range(body.links.shape[0]):
        body.links[i].margin += SPARE
    status = find_contacts(world, body, dt)
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        # The mode is known from the impulse.
        contact.mode = OPEN
        if contact.pn > 0.0:
            bound = (1.0 - 1e-9) * contact.friction * contact.pn
            sliding = SLIDES if contact.pt <= 0.0 else SLIDES_BACK
            contact.mode = sliding if abs(contact.pt) >= bound else STICKS
    return status


@jit
def remember(body: Body, dt: float) -> None:
    """Keep the contacts, their sides and their impulses in a time dt for the next search."""
    body.counts[1] = body.counts[0]
    for c in range(body.counts[0]):
        new, old = body.contacts[c], body.previous[c]
        old.link, old.obstacle, old.side = new.link, new.obstacle, new.side
        old.qn, old.qt = dt * new.qn, dt * new.qt


@jit
def travel_bound(link: Item, h: float) -> float:
    """Bound on how far any point of a link gets in a time h at its present velocity, m."""
    speed = sqrt(link.vx * link.vx + link.vy * link.vy)
    return 1.2 * h * (speed + abs(link.omega) * (link.straight + link.radius))


@jit
def outruns(world: PackedWorld, body: Body, h: float) -> bool:
    """Whether a link could leave in a time h what was surveyed, or pass through a peg."""
    for i in range(body.links.shape[0]):
        if travel_bound(body.links[i], h) + 0.1 * SPARE > body.links[i].margin:
            return True
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.mode == OPEN:
            link, radius = body.links[contact.link], world.discs[contact.obstacle].radius
            if travel_bound(link, h) > max(contact.gap, 0.0) + 0.5 * (radius + link.radius):
                return True
    return False


@jit
def spend(links: Records, h: float) -> None:
    """Take what the links may have travelled off their margins."""
    for i in range(links.shape[0]):
        links[i].margin -= travel_bound(links[i], h)


@jit_apart
def load(body: Body, flow: Flow) -> None:
    """Fill in y from the links."""
    links, y = body.links, flow.y
    n = links.shape[0]
    total, px, py = 0.0, 0.0, 0.0
    for k in range(y.shape[0]):
        y[k] = 0.0
    for i in range(n):
        link = links[i]
        y[i], y[n + 2 + i] = link.theta, link.omega
        px, py, total = px + link.mass * link.vx, py + link.mass * link.vy, total + link.mass
    y[n], y[n + 1] = body.com[0], body.com[1]
    y[2 * n + 2], y[2 * n + 3] = px / total, py / total
    for k in range(y.shape[0]):
        flow.first[k] = y[k]


@jit_apart
def store(
    world: PackedWorld, body: Body, dt: float, options: HybridOptions, flow: Flow, record: RunRecord
) -> int:
    """Make y the state, and note impulses, works and the certificate of the step."""
    links, y, first = body.links, flow.y, flow.first
    n = links.shape[0]
    certificate, ledger = record.window_certificate, body.ledger
    place(links, y)
    kinetic = 0.0
    for i in range(n):
        link = links[i]
        kinetic += 0.5 * link.mass * (link.vx * link.vx + link.vy * link.vy)
        kinetic += 0.5 * link.inertia * link.omega * link.omega
    if not isfinite(kinetic):
        return NOT_FINITE
    body.com[0], body.com[1] = y[n], y[n + 1]
    for i in range(n):
        link = links[i]
        link.contact_x, link.contact_y = y[2 * n + 4 + 2 * i], y[2 * n + 5 + 2 * i]
        link.friction_x, link.friction_y = y[4 * n + 4 + 2 * i], y[4 * n + 5 + 2 * i]
        link.ax, link.ay = 0.0, 0.0
        link.aw = (link.omega - first[n + 2 + i]) / dt
        slow = options.stick_speed
        link.sticking = link.largest > 0.0 and link.vx**2 + link.vy**2 < slow * slow
    for j in range(n - 1):
        body.joints[j].impulse = y[6 * n + 4 + j]
    note_impulses(body, record)
    works = 0.0
    for a in range(GRAVITY + 1):
        ledger[a] += y[7 * n + 3 + a]
        works += y[7 * n + 3 + a]
    residual = kinetic - ledger[KINETIC] - works
    ledger[RESIDUAL] += residual
    ledger[KINETIC] = kinetic
    certificate[ENERGY_RESIDUAL] = max(certificate[ENERGY_RESIDUAL], abs(residual))
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        update_contact_kinematics(world, links[contact.link], contact)
        if contact.mode != OPEN:
            certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], abs(contact.vn))
        if contact.mode == STICKS:
            certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], abs(contact.vt))
        if not world.centre:
            certificate[PENETRATION] = max(certificate[PENETRATION], -contact.gap)
    remember(body, dt)
    return DONE


@jit_apart
def flow_on(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    start: float,
    dt: float,
    options: HybridOptions,
    flow: Flow,
    record: RunRecord,
) -> int:
    """Carry y on for a time dt.

    After `max_events` in it, or where no modes agree with forces and motion, closed contacts are
    brought to rest and kept so until its end; where the flow leads nowhere, they are brought to
    rest. All this is counted in the certificate.
    """
    links, certificate = body.links, record.window_certificate
    empty = world.items.shape[0] == 0
    status = survey(world, body, dt, flow)
    if status != DONE:
        return status
    events, arrests, tries, done, before = 0, 0, 0, 0.0, 1.0
    guess = body.last[0] if 0.0 < body.last[0] <= dt else 0.1 * dt
    status, fresh, crowd, surveyed = jump(world, body, flow, False), False, 0.0, True
    while status == DONE and dt - done > SHORTEST:
        t = start + done
        latched = events > options.max_events
        if not fresh:
            if not choose_modes(world, body, gait, t, options.stick_speed, flow, latched):
                certificate[UNRESOLVED] += 1.0
                events, latched = options.max_events + 1, True
                arrest_contacts(world, body, flow)
                choose_modes(world, body, gait, t, options.stick_speed, flow, latched)
            fresh = True
        rest = dt - done
        h = rest if guess > 0.99 * rest else guess
        if not empty and outruns(world, body, h):
            if surveyed:
                guess = 0.5 * h
            else:
                remember(body, dt)
                status, fresh, surveyed = survey(world, body, dt, flow), False, True
            continue
        error = try_step(world, body, gait, t, h, options, flow)
        certificate[INTEGRATOR_STEPS] += 1.0
        tries += 1
        if tries > MOST_TRIES:
            status = NO_CONVERGENCE
            continue
        if not error <= 1.0:
            guess = h * max(0.2, 0.9 * error**-0.2) if isfinite(error) else 0.1 * h
            place(links, flow.y)
            if guess < SHORTEST:
                arrests += 1
                certificate[UNRESOLVED] += 1.0
                guess, fresh = 1e-3 * dt, False
                if arrests > MOST_ARRESTS or body.counts[0] == 0:
                    status = NO_CONVERGENCE if isfinite(error) else NOT_FINITE
                else:
                    arrest_contacts(world, body, flow)
            continue
        if not empty and outruns(world, body, h):
            # It has gained speed.
            guess = 0.5 * h
            place(links, flow.y)
            continue
        # The error before has a say, which calms the steps where stability bounds them.
        error = max(error, 1e-6)
        larger = h * min(5.0, 0.9 * error**-0.17 * before**0.04)
        before = error
        guess = min(dt, larger if h == guess else max(guess, larger))
        kind, contact, h = first_event(world, body, gait, t, h, options, flow, latched)
        if kind != NO_EVENT:
            try_step(world, body, gait, t, h, options, flow)
            note(body, flow, t + h, kind, contact)
            certificate[EVENTS] += 1.0
            events += 1
        else:
            crowd = max(0.0, crowd - h / LULL)
        spend(links, h)
        surveyed = False
        done += h
        for k in range(flow.y.shape[0]):
            flow.y[k] = flow.trial[k]
            flow.slope[0, k] = flow.slope[6, k]
        if kind != NO_EVENT:
            crowd = max(0.0, crowd - h / LULL) + (1.0 if kind == STRUCK else 0.0)
            status, fresh = jump(world, body, flow, crowd > CROWD), False
            if events == options.max_events + 1:
                certificate[UNRESOLVED] += 1.0
                arrest_contacts(world, body, flow)
            if events > MOST_EVENTS * options.max_events:
                body.blame[0], body.blame[1] = 0, CONTACT_LAW
                status = NO_CONVERGENCE
    if status == DONE and not fresh:
        latched = events > options.max_events
        if not choose_modes(world, body, gait, start + dt, options.stick_speed, flow, latched):
            certificate[UNRESOLVED] += 1.0
    body.last[0] = guess
    return status


@jit_apart
def step_hybrid(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    dt: float,
    options: HybridOptions,
    flow: Flow,
    record: RunRecord,
) -> int:
    """One step of dt; where it cannot be taken, the state is as before."""
    start = body.step[0] * dt
    body.blame[0], body.blame[1] = 0, NO_LAW
    before, logged = body.last[0], flow.logged[0]
    known = body.counts[1]
    for c in range(known):
        old, kept = body.previous[c], flow.known[c]
        kept.link, kept.obstacle, kept.side = old.link, old.obstacle, old.side
        kept.qn, kept.qt = old.qn, old.qt
    load(body, flow)
    place_links(body.links, body.com)
    prepare_links(world, body.links, 1.0, 1.0)
    status = flow_on(world, body, gait, start, dt, options, flow, record)
    if status == DONE:
        status = store(world, body, dt, options, flow, record)
    if status != DONE:
        place(body.links, flow.first)
        for c in range(known):
            old, kept = body.previous[c], flow.known[c]
            old.link, old.obstacle, old.side = kept.link, kept.obstacle, kept.side
            old.qn, old.qt = kept.qn, kept.qt
        body.last[0], body.counts[1], flow.logged[0] = before, known, logged
    # One that ran out of room for contacts begins again, but has had its tick.
    body.pieces[0] = 1 if status == CONTACTS_FULL else 0
    body.step[0] += 1 if status == DONE else 0
    return status


@jit_entry
def run_hybrid(
    batch: BatchArrays,
    timing: Timing,
    options: HybridOptions,
    flow: Flow,
    first: int,
    last: int,
) -> None:
    """Take robots first <= b < last to their targets."""
    for b in range(first, last):
        if batch.status[b] != DONE:
            continue
        robot = robot_of(batch, b)
        begin_record(robot, timing)
        status = DONE
        for _ in range(batch.target[b] - robot.body.step[0]):
            tick_controller(robot, timing)
            status = step_hybrid(
                robot.world, robot.body, robot.gait, timing.dt, options, flow, robot.record
            )
            if status != DONE:
                break
            record_row(robot, timing, batch.origin[b])
        batch.status[b] = status
