"""Hybrid model: flow between located events, jumps at them [liljeback2011 (2)].

Dormand and Prince's method of order 5(4) with error control integrates the flow map. After each
step the contacts are looked at: one that is struck, pulls, slides backwards or no longer sticks is
an event. Its time is found on the continuous extension of the step, which is then taken again up to
there; the jump map acts, and the modes of all contacts are chosen anew.
"""

from math import isfinite, sqrt

from serpenoid.kernels._jit import by_reference, jit, jit_apart, jit_entry
from serpenoid.kernels.chain import place_links
from serpenoid.kernels.laws.joint_limit import has_limit
from serpenoid.kernels.layout import (
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
    Floats,
    Item,
    PackedWorld,
    Records,
    RunRecord,
)
from serpenoid.kernels.run import (
    BatchArrays,
    RobotView,
    Timing,
    begin_step,
    end_step,
    robot_of,
    write_start,
)
from serpenoid.methods.euler_lagrange import kinetic_energy
from serpenoid.methods.hybrid_events import first_event, note
from serpenoid.methods.hybrid_flow import place, try_step, update_contact_kinematics
from serpenoid.methods.hybrid_jump import arrest_contacts, choose_modes, jump
from serpenoid.methods.hybrid_layout import (
    LOWER,
    NO_EVENT,
    OPEN,
    SLIDES,
    SLIDES_BACK,
    STICKS,
    STRUCK,
    UPPER,
    Flow,
    HybridOptions,
    HybridView,
)
from serpenoid.methods.hybrid_rows import blame_row, is_limit
from serpenoid.methods.linear_algebra import copy
from serpenoid.methods.link_records import (
    bound_friction,
    find_pegs,
    look_ahead,
    note_impulses,
    reach_of,
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
def survey(view: HybridView, dt: float) -> int:
    """List the contacts the links could reach within dt from y."""
    world, body, status = view.world, view.body, DONE
    body.counts[0] = 0
    place(body.links, view.flow.y)
    if world.items.shape[0] > 0:
        look_ahead(world, body.links, dt)
        for i in range(body.links.shape[0]):
            body.links[i].margin += SPARE
        status = find_pegs(world, body)
    if status == DONE:
        status = list_limits(body)
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        # The mode is known from the impulse.
        contact.mode = OPEN
        if contact.pn > 0.0:
            bound = (1.0 - 1e-9) * contact.friction * contact.pn
            sliding = SLIDES if contact.pt <= 0.0 else SLIDES_BACK
            contact.mode = sliding if abs(contact.pt) >= bound else STICKS
    return status


@jit_apart
def list_limits(body: Body) -> int:
    """List both limits of every joint that has them, after the pegs; status."""
    for j in range(body.joints.shape[0]):
        joint = body.joints[j]
        if not has_limit(joint):
            continue
        if body.counts[0] + 2 > body.contacts.shape[0]:
            return CONTACTS_FULL
        for obstacle in (LOWER, UPPER):
            contact = body.contacts[body.counts[0]]
            contact.link, contact.obstacle, contact.other, contact.side = j + 1, obstacle, -1, 0
            contact.friction, contact.restitution, contact.pt = 0.0, 0.0, 0.0
            contact.pn = max(0.0, joint.limit if obstacle == LOWER else -joint.limit)
            body.counts[0] += 1
    return DONE


@jit
def remember(body: Body, dt: float) -> None:
    """Keep the contacts, their sides and their impulses in a time dt for the next search."""
    body.counts[1] = 0
    for j in range(body.joints.shape[0]):
        body.joints[j].limit = 0.0
    for c in range(body.counts[0]):
        new, old = body.contacts[c], body.previous[body.counts[1]]
        if is_limit(new):
            # As an angular impulse, > 0 at the lower limit.
            body.joints[new.link - 1].limit += dt * new.qn * new.ln
            continue
        body.counts[1] += 1
        old.link, old.obstacle, old.side = new.link, new.obstacle, new.side
        old.qn, old.qt = dt * new.qn, dt * new.qt


@jit
def travel_bound(world: PackedWorld, link: Item, h: float) -> float:
    """Bound on the travel of any point of a link in a time h at its velocity, m."""
    speed = sqrt(link.vx * link.vx + link.vy * link.vy)
    return 1.2 * h * (speed + abs(link.omega) * reach_of(world, link))


@jit
def outruns(world: PackedWorld, body: Body, h: float) -> bool:
    """Whether a link could leave the region searched in a time h, or pass through a peg."""
    for i in range(body.links.shape[0]):
        if travel_bound(world, body.links[i], h) + 0.1 * SPARE > body.links[i].margin:
            return True
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.mode == OPEN and not is_limit(contact):
            link, radius = body.links[contact.link], world.discs[contact.obstacle].radius
            if travel_bound(world, link, h) > max(contact.gap, 0.0) + 0.5 * (radius + link.radius):
                return True
    return False


@jit
def spend(world: PackedWorld, links: Records, h: float) -> None:
    """Subtract the possible travel of the links from their margins."""
    for i in range(links.shape[0]):
        links[i].margin -= travel_bound(world, links[i], h)


@jit_apart
def load(body: Body, flow: Flow) -> None:
    """Fill in y from the links."""
    links, y = body.links, flow.y
    n = links.shape[0]
    total, px, py = 0.0, 0.0, 0.0
    y[:] = 0.0
    for i in range(n):
        link = links[i]
        y[i], y[n + 2 + i] = link.theta, link.omega
        px, py, total = px + link.mass * link.vx, py + link.mass * link.vy, total + link.mass
    y[n], y[n + 1] = body.com[0], body.com[1]
    y[2 * n + 2], y[2 * n + 3] = px / total, py / total
    copy(y, flow.first)


@jit_apart
def store(view: HybridView, dt: float, record: RunRecord) -> int:
    """Write y into the state, with impulses, works and the certificate of the step."""
    world, body, y = view.world, view.body, view.flow.y
    links, n, slow = body.links, body.links.shape[0], view.options.stick_speed
    certificate, ledger = record.window_certificate, body.ledger
    place(links, y)
    kinetic, _ = kinetic_energy(links, body.joints)
    if not isfinite(kinetic):
        return NOT_FINITE
    body.com[0], body.com[1] = y[n], y[n + 1]
    for i in range(n):
        link = links[i]
        link.contact_x, link.contact_y = y[2 * n + 4 + 2 * i], y[2 * n + 5 + 2 * i]
        link.friction_x, link.friction_y = y[4 * n + 4 + 2 * i], y[4 * n + 5 + 2 * i]
        link.ax, link.ay = 0.0, 0.0
        link.aw = (link.omega - view.flow.first[n + 2 + i]) / dt
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
        update_contact_kinematics(world, body, contact)
        if contact.mode != OPEN:
            certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], abs(contact.vn))
        if contact.mode == STICKS:
            certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], abs(contact.vt))
        if not world.centre and not is_limit(contact):
            certificate[PENETRATION] = max(certificate[PENETRATION], -contact.gap)
    remember(body, dt)
    return DONE


@jit_apart
def flow_on(view: HybridView, start: float, dt: float, certificate: Floats) -> int:
    """Integrate y over a time dt.

    After `max_events` in it, or where no modes agree with forces and motion, closed contacts are
    brought to rest and kept so until its end; where the flow leads nowhere, they are brought to
    rest. All this is counted in the certificate.
    """
    world, body, links, flow = view.world, view.body, view.body.links, view.flow
    most, empty = view.options.max_events, world.items.shape[0] == 0
    status = survey(view, dt)
    if status != DONE:
        return status
    events, arrests, tries, done, before = 0, 0, 0, 0.0, 1.0
    guess = body.last[0] if 0.0 < body.last[0] <= dt else 0.1 * dt
    status, fresh, crowd, surveyed = jump(view, False), False, 0.0, True
    while status == DONE and dt - done > SHORTEST:
        t = start + done
        latched = events > most
        if not fresh:
            if not choose_modes(view, t, latched):
                certificate[UNRESOLVED] += 1.0
                events, latched = most + 1, True
                arrest_contacts(view)
                choose_modes(view, t, latched)
            fresh = True
        rest = dt - done
        h = rest if guess > 0.99 * rest else guess
        if not empty and outruns(world, body, h):
            if surveyed:
                guess = 0.5 * h
            else:
                remember(body, dt)
                status, fresh, surveyed = survey(view, dt), False, True
            continue
        error = try_step(view, t, h)
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
                    arrest_contacts(view)
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
        kind, contact, h = first_event(view, t, h, latched)
        if kind != NO_EVENT:
            try_step(view, t, h)
            note(body, flow, t + h, kind, contact)
            certificate[EVENTS] += 1.0
            events += 1
        else:
            crowd = max(0.0, crowd - h / LULL)
        spend(view.world, links, h)
        surveyed = False
        done += h
        copy(flow.trial, flow.y)
        copy(flow.slope[6], flow.slope[0])
        if kind != NO_EVENT:
            crowd = max(0.0, crowd - h / LULL) + (1.0 if kind == STRUCK else 0.0)
            status, fresh = jump(view, crowd > CROWD), False
            if events == most + 1:
                certificate[UNRESOLVED] += 1.0
                arrest_contacts(view)
            if events > MOST_EVENTS * most:
                blame_row(body.blame, body.contacts[contact])
                status = NO_CONVERGENCE
    if status == DONE and not fresh:
        latched = events > most
        if not choose_modes(view, start + dt, latched):
            certificate[UNRESOLVED] += 1.0
    body.last[0] = guess
    return status


@jit_apart
def step_hybrid(robot: RobotView, dt: float, options: HybridOptions, flow: Flow) -> int:
    """One step of dt; where it cannot be taken, the state is as before."""
    view = HybridView(robot.world, robot.body, robot.gait, options, flow)
    body, record = robot.body, robot.record
    body.blame[0], body.blame[1] = 0, NO_LAW
    before, logged = body.last[0], flow.logged[0]
    known = body.counts[1]
    for c in range(known):
        flow.known[c] = body.previous[c]
    for j in range(body.joints.shape[0]):
        body.joints[j].p = body.joints[j].limit
    load(body, flow)
    place_links(body.links, body.com)
    bound_friction(robot.world, body.links)
    status = flow_on(view, body.step[0] * dt, dt, record.window_certificate)
    if status == DONE:
        status = store(view, dt, record)
    if status != DONE:
        place(body.links, flow.first)
        for c in range(known):
            body.previous[c] = flow.known[c]
        for j in range(body.joints.shape[0]):
            body.joints[j].limit = body.joints[j].p
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
    robots = by_reference(batch)
    for b in range(first, last):
        robot = by_reference(robot_of(robots, b))
        write_start(robots, b, robot, timing)
        while begin_step(robots, b, robot, timing):
            status = step_hybrid(robot, timing.dt, options, flow)
            end_step(robots, b, robot, timing, status)
