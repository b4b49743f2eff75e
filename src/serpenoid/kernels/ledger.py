"""Where the energy of a step went.

With the mean velocity u_M = (u_A + u_E)/2 the kinetic energy changes by exactly u_M' M (u_E - u_A),
so the works P gamma(u_M) of all impulses must add up to it. Two entries are honest about the rest:
NUMERICAL is the work of the hinge impulses on the velocity by which u_M opens the hinges at the
midpoint (zero in the continuum), RESIDUAL what remains: rounding and solver tolerance.
"""

from math import isfinite

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import normal_velocity, tangent_velocity
from serpenoid.kernels.joint_laws import elastic_works, servo_torque
from serpenoid.kernels.layout import (
    ACTUATOR,
    CONTACT_DAMPER,
    CONTACT_SPRING,
    DAMPING,
    DONE,
    ELASTIC,
    FRICTION,
    GRAVITY,
    IMPACT,
    KINETIC,
    NOT_FINITE,
    NUMERICAL,
    PRESCRIBED,
    RESIDUAL,
    ROTOR,
    SPRING,
    TOO_ROUGH,
    Body,
    Item,
    PackedWorld,
    RunRecord,
)
from serpenoid.kernels.load_bodies import carried, carried_before

# Share of the energy moved in a step that re-closing the hinges may give or take; of all the energy
# moved in the run so far, this much less.
ROUGH, FINE = 2e-3, 1e-3


@jit_apart
def spring_part(world: PackedWorld, link: Item, contact: Item, dt: float) -> float:
    """Share of the spring in the impulse of compliant terrain; the rest is the damper's."""
    if contact.qn == 0.0:
        return 0.0
    ahead = 0.5 * dt * normal_velocity(contact, link.ux, link.uy, link.uw)
    return -dt * world.k * (contact.gap + ahead) / contact.qn


@jit
def push_back(contact: Item, load: Item) -> tuple[float, float]:
    """Works of the impulses of a contact on the load it is with; they are added to its sum."""
    before, after = carried_before(contact, load), carried(contact, load)
    load.contact_x -= contact.qn * contact.nx - contact.qt * contact.ny
    load.contact_y -= contact.qn * contact.ny + contact.qt * contact.nx
    normal = -0.5 * contact.qn * (before[0] + after[0])
    return normal, -0.5 * contact.qt * (before[1] + after[1])


@jit_apart
def book_loads(world: PackedWorld, body: Body, dt: float) -> tuple[float, float, float, float]:
    """Works of friction, contact normals and gravity on the loads, and their kinetic energy.

    Those of contacts with links are the links' already. Leaves the impulses in the records.
    """
    friction, impact, gravity, kinetic = 0.0, 0.0, 0.0, 0.0
    for k in range(body.loads.shape[0]):
        load = body.loads[k]
        vx, vy = 0.5 * (load.vx + load.ux), 0.5 * (load.vy + load.uy)
        w, m = 0.5 * (load.omega + load.uw), load.mass
        fa, fb = load.qx * load.axis, load.qy * load.side
        load.friction_x = fa * load.ex - fb * load.ey
        load.friction_y = fa * load.ey + fb * load.ex
        friction += load.friction_x * vx + load.friction_y * vy + load.qw * load.spin * w
        gravity += dt * m * (world.pull_x * vx + world.pull_y * vy)
        kinetic += 0.5 * m * (load.ux * load.ux + load.uy * load.uy)
        kinetic += 0.5 * load.inertia * load.uw * load.uw
        for c in range(load.first, load.last):
            contact = body.contacts[c]
            load.contact_x += contact.qn * contact.nx - contact.qt * contact.ny
            load.contact_y += contact.qn * contact.ny + contact.qt * contact.nx
            impact += contact.qn * normal_velocity(contact, vx, vy, w)
            friction += contact.qt * tangent_velocity(contact, vx, vy, w)
            if contact.other >= 0:
                normal, tangent = push_back(contact, body.loads[contact.other])
                impact += normal
                friction += tangent
    return friction, impact, gravity, kinetic


@jit
def book(world: PackedWorld, body: Body, dt: float) -> tuple[int, float]:
    """Enter the works of the step just solved; status and residual, J.

    Leaves the impulses on each link and of each actuator in the records. A step that is not finite,
    or in which the hinges do too large a share of the work, is not entered.
    """
    links, joints, contacts = body.links, body.joints, body.contacts
    friction, impact, damping, gravity = 0.0, 0.0, 0.0, 0.0
    actuator, numerical, kinetic = 0.0, 0.0, 0.0
    spring, rotor, contact_spring, contact_damper = 0.0, 0.0, 0.0, 0.0
    # Impulse all links from i to the head need from the hinge behind link i, and its moment there.
    px, py, moment = 0.0, 0.0, 0.0
    for k in range(body.loads.shape[0]):
        body.loads[k].contact_x, body.loads[k].contact_y = 0.0, 0.0
    for i in range(links.shape[0] - 1, -1, -1):
        link = links[i]
        m, ex, ey = link.mass, link.ex, link.ey
        vx, vy, w = (
            0.5 * (link.vx + link.ux),
            0.5 * (link.vy + link.uy),
            0.5 * (link.omega + link.uw),
        )
        along, across = vx * ex + vy * ey, vy * ex - vx * ey
        viscous_a, viscous_b, viscous_w = -link.along * along, -link.across * across, -link.turn * w
        damping += viscous_a * along + viscous_b * across + viscous_w * w
        dry_a, dry_b, dry_w = link.qx * link.axis, link.qy * link.side, link.qw * link.spin
        friction += dry_a * along + dry_b * across + dry_w * w
        fa, fb = viscous_a + dry_a, viscous_b + dry_b
        link.friction_x, link.friction_y = fa * ex - fb * ey, fa * ey + fb * ex
        cx, cy, cw = 0.0, 0.0, 0.0
        for c in range(link.first, link.last):
            contact = contacts[c]
            cw += contact.qn * contact.ln + contact.qt * contact.lt
            friction += contact.qt * tangent_velocity(contact, vx, vy, w)
            work = contact.qn * normal_velocity(contact, vx, vy, w)
            if contact.other >= 0:
                normal, tangent = push_back(contact, body.loads[contact.other])
                work += normal
                friction += tangent
            if contact.ground:
                # Normal force and friction of terrain are kept apart.
                cx += contact.qn * contact.nx
                cy += contact.qn * contact.ny
                link.friction_x -= contact.qt * contact.ny
                link.friction_y += contact.qt * contact.nx
                if contact.soft:
                    part = spring_part(world, link, contact, dt)
                    contact_spring += part * work
                    contact_damper += work - part * work
                else:
                    impact += work
            else:
                cx += contact.qn * contact.nx - contact.qt * contact.ny
                cy += contact.qn * contact.ny + contact.qt * contact.nx
                impact += work
        link.contact_x, link.contact_y = cx, cy
        gravity += dt * m * (world.pull_x * vx + world.pull_y * vy)
        kinetic += 0.5 * m * (link.ux * link.ux + link.uy * link.uy)
        kinetic += 0.5 * link.inertia * link.uw * link.uw
        # What the link itself needs from its two hinges.
        hx = m * (link.ux - link.vx - dt * world.pull_x) - link.friction_x - cx
        hy = m * (link.uy - link.vy - dt * world.pull_y) - link.friction_y - cy
        hw = link.inertia * (link.uw - link.omega) - viscous_w - dry_w - cw
        moment += hw + link.back * (ex * (hy + link.span * py) - ey * (hx + link.span * px))
        px += hx
        py += hy
        if i > 0:
            tail, joint = links[i - 1], joints[i - 1]
            ux, uy = 0.5 * (tail.vx + tail.ux), 0.5 * (tail.vy + tail.uy)
            uw = 0.5 * (tail.omega + tail.uw)
            if joint.actuator == ELASTIC:
                motor, strain = elastic_works(joint, tail.uw, w - uw, link.uw - tail.uw)
                actuator += motor
                spring += strain
                spin = tail.uw + joint.ratio * joint.v
                rotor += 0.5 * joint.rotor * spin * spin
                moment += joint.rotor * (spin - tail.omega - joint.ratio * joint.psi_rate)
            else:
                if joint.actuator == PRESCRIBED:
                    joint.impulse = moment
                else:
                    joint.impulse = dt * servo_torque(joint, link.uw - tail.uw)[0]
                actuator += joint.impulse * (w - uw)
            impact += joint.q * (w - uw)
            gap_x = vx + link.back * w * ey - ux + tail.front * uw * tail.ey
            gap_y = vy - link.back * w * ex - uy - tail.front * uw * tail.ex
            numerical += px * gap_x + py * gap_y
    kinetic += rotor
    if body.loads.shape[0] > 0:
        works = book_loads(world, body, dt)
        friction, impact = friction + works[0], impact + works[1]
        gravity, kinetic = gravity + works[2], kinetic + works[3]
    ledger = body.ledger
    if not isfinite(kinetic) or not isfinite(numerical):
        return NOT_FINITE, 0.0
    step = kinetic + ledger[KINETIC] + abs(actuator) + abs(friction) + abs(impact)
    step += abs(damping) + abs(gravity)
    step += abs(spring) + abs(contact_spring) + abs(contact_damper)
    run = abs(ledger[ACTUATOR]) + abs(ledger[FRICTION]) + abs(ledger[IMPACT])
    run += abs(ledger[DAMPING]) + abs(ledger[GRAVITY])
    run += abs(ledger[SPRING]) + abs(ledger[CONTACT_SPRING]) + abs(ledger[CONTACT_DAMPER])
    if abs(numerical) > ROUGH * (step + FINE * run):
        return TOO_ROUGH, 0.0
    done = friction + impact + damping + gravity + actuator + numerical
    done += spring + contact_spring + contact_damper
    residual = kinetic - ledger[KINETIC] - done
    ledger[ACTUATOR] += actuator
    ledger[FRICTION] += friction
    ledger[IMPACT] += impact
    ledger[DAMPING] += damping
    ledger[GRAVITY] += gravity
    ledger[NUMERICAL] += numerical
    ledger[RESIDUAL] += residual
    ledger[KINETIC], ledger[ROTOR] = kinetic, rotor
    ledger[SPRING] += spring
    ledger[CONTACT_SPRING] += contact_spring
    ledger[CONTACT_DAMPER] += contact_damper
    return DONE, residual


@jit
def note_impulses(body: Body, record: RunRecord) -> None:
    """Add the impulses of a step to those of the row, and of the controller's tick."""
    for i in range(body.bodies.shape[0]):
        link = body.bodies[i]
        record.window_force[i, 0] += link.contact_x
        record.window_force[i, 1] += link.contact_y
        record.window_force[i, 2] += link.friction_x
        record.window_force[i, 3] += link.friction_y
        link.tick_x += link.contact_x
        link.tick_y += link.contact_y
    for j in range(body.joints.shape[0]):
        record.window_torque[j] += body.joints[j].impulse
