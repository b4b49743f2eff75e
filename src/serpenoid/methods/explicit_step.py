"""Fixed steps on the Euler-Lagrange equations with compliant terrain [koopaee2020].

Semi-implicit Euler: forces at the beginning of the step, positions with the new velocities. Or the
classical method of Runge and Kutta, order 4. Works are sums over the stages, so that the residual
of the ledger is the error of the integrator.
"""

from math import isfinite, sqrt
from typing import NamedTuple

from serpenoid.kernels._jit import by_reference, jit, jit_apart, jit_entry
from serpenoid.kernels.chain import place_links
from serpenoid.kernels.contact_rates import normal_velocity, tangent_velocity
from serpenoid.kernels.laws.series_elastic import has_spring
from serpenoid.kernels.layout import (
    ACTUATOR,
    CONTACT_DAMPER,
    CONTACT_SPRING,
    CONTACTS_FULL,
    DONE,
    ENERGY_RESIDUAL,
    FRICTION,
    GRAVITY,
    INTEGRATOR_STEPS,
    KINETIC,
    NO_LAW,
    NOT_FINITE,
    PENETRATION,
    RESIDUAL,
    ROTOR,
    SPRING,
    Body,
    Floats,
    Item,
    PackedWorld,
    Records,
)
from serpenoid.kernels.references import set_wanted
from serpenoid.kernels.run import (
    BatchArrays,
    RobotView,
    Timing,
    begin_step,
    end_step,
    robot_of,
    write_start,
)
from serpenoid.kernels.terrain_contacts import touch_ground
from serpenoid.methods.euler_lagrange import (
    Lagrange,
    accelerations,
    add_joint_torques,
    add_link_force,
    direct,
    inertia_forces,
    inertia_matrix,
    kinetic_energy,
    place,
    spring_energy,
)
from serpenoid.methods.linear_algebra import copy
from serpenoid.methods.link_records import note_impulses


class ExplicitOptions(NamedTuple):
    """Options of the integration."""

    order: int  # 1 semi-implicit Euler, 4 Runge and Kutta
    stick_speed: float  # sliding velocity at which friction is at 1/sqrt(2) of its bound, m/s


@jit
def coulomb(speed: float, stick_speed: float) -> float:
    """Minus the sign of a sliding velocity, smoothed below a stick speed [koopaee2020 (30)]."""
    if stick_speed > 0.0:
        return -speed / sqrt(speed * speed + stick_speed * stick_speed)
    return (speed < 0.0) * 1.0 - (speed > 0.0) * 1.0


@jit
def press(world: PackedWorld, link: Item, contact: Item, stick_speed: float) -> None:
    """Normal and friction force of the terrain, N: spring and damper never pull.

    The spring pushes out, [koopaee2020 (29)] with the sign corrected.
    """
    vn = normal_velocity(contact, link.vx, link.vy, link.omega)
    vt = tangent_velocity(contact, link.vx, link.vy, link.omega)
    contact.qn = max(0.0, -world.k * contact.gap - world.d * vn)
    contact.qt = contact.friction * contact.qn * coulomb(vt, stick_speed)


@jit
def find_pushes(world: PackedWorld, body: Body, ground: Records | None) -> int:
    """List the contacts with the terrain, if there is any, where the links are now."""
    body.counts[0] = 0
    if ground is None:
        return DONE
    if ground.shape[0] == 0:
        return DONE
    count = 0
    for i in range(body.links.shape[0]):
        link = body.links[i]
        link.first = count
        count = touch_ground(world, body.links, i, 0.0, body.contacts, count)
        if count < 0:
            return CONTACTS_FULL
        for c in range(link.first, count):
            body.contacts[c].link = i
        link.last = count
    body.counts[0] = count
    return DONE


@jit_apart
def stage(robot: RobotView, t: float, stick_speed: float, chain: Lagrange, s: int) -> int:
    """Rate of change of y at time t, the links' directions given, into slope[s].

    Leaves links, contacts, forces and motor torques.
    """
    world, body, slope = robot.world, robot.body, chain.slope[s]
    links, joints, contacts = body.links, body.joints, body.contacts
    n = links.shape[0]
    d = 2 * n + 1
    place(links, joints, chain.y)
    set_wanted(robot.gait, body, t)
    inertia_matrix(links, joints, chain)
    inertia_forces(links, chain, world.pull_x, world.pull_y)
    add_joint_torques(links, joints, chain)
    status = find_pushes(world, body, world.ground)
    if status != DONE:
        return status
    for i in range(n):
        link = links[i]
        fx, fy, torque = 0.0, 0.0, 0.0
        for c in range(link.first, link.last):
            contact = contacts[c]
            press(world, link, contact, stick_speed)
            fx += contact.qn * contact.nx - contact.qt * contact.ny
            fy += contact.qn * contact.ny + contact.qt * contact.nx
            torque += contact.qn * contact.ln + contact.qt * contact.lt
        if link.last > link.first:
            add_link_force(links, chain, i, fx, fy, torque)
    copy(chain.y[d:], slope[:d])
    accelerations(links, joints, chain, slope)
    return DONE


@jit
def note_stage(robot: RobotView, weight: float, chain: Lagrange) -> None:
    """Add the forces of the last stage for a time `weight`, and their works.

    Works are those at the velocities the links have now.
    """
    body, stiffness, certificate = robot.body, robot.world.k, robot.record.window_certificate
    links, joints, ledger = body.links, body.joints, body.ledger
    for i in range(links.shape[0]):
        link = links[i]
        vx, vy, w = link.vx, link.vy, link.omega
        for c in range(link.first, link.last):
            contact = body.contacts[c]
            qn, qt = weight * contact.qn, weight * contact.qt
            link.contact_x += qn * contact.nx
            link.contact_y += qn * contact.ny
            link.friction_x -= qt * contact.ny
            link.friction_y += qt * contact.nx
            spring = -stiffness * contact.gap if contact.qn > 0.0 else 0.0
            vn = normal_velocity(contact, vx, vy, w)
            ledger[CONTACT_SPRING] += weight * spring * vn
            ledger[CONTACT_DAMPER] += weight * (contact.qn - spring) * vn
            ledger[FRICTION] += qt * tangent_velocity(contact, vx, vy, w)
            certificate[PENETRATION] = max(certificate[PENETRATION], -contact.gap)
    for j in range(joints.shape[0]):
        joint = joints[j]
        impulse = weight * chain.torque[j]
        joint.impulse += impulse
        rate = joint.psi_rate if has_spring(joint) else links[j + 1].omega - links[j].omega
        ledger[ACTUATOR] += impulse * rate


@jit
def load(body: Body, chain: Lagrange) -> None:
    """Fill in y from links and joints."""
    links, joints, y = body.links, body.joints, chain.y
    n = links.shape[0]
    d = 2 * n + 1
    px, py, vx, vy = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        link = links[i]
        y[i], y[d + i] = link.theta, link.omega
        px, py = px + link.x + link.middle * link.ex, py + link.y + link.middle * link.ey
        vx += link.vx - link.middle * link.omega * link.ey
        vy += link.vy + link.middle * link.omega * link.ex
    y[n], y[n + 1], y[d + n], y[d + n + 1] = px / n, py / n, vx / n, vy / n
    for j in range(n - 1):
        joint = joints[j]
        y[n + 2 + j], y[d + n + 2 + j] = joint.psi, joint.psi_rate
    copy(y, chain.first)


@jit
def centre_of_mass(links: Records, com: Floats) -> float:
    """Centre of mass of the links where they are, into com; their mass, kg."""
    x, y, total = 0.0, 0.0, 0.0
    for i in range(links.shape[0]):
        link = links[i]
        x, y, total = x + link.mass * link.x, y + link.mass * link.y, total + link.mass
    com[0], com[1] = x / total, y / total
    return total


@jit_apart
def integrate(
    robot: RobotView, t: float, dt: float, options: ExplicitOptions, chain: Lagrange
) -> int:
    """Advance y by a step, with the works and impulses of its stages."""
    body, first, y, slope = robot.body, chain.first, chain.y, chain.slope
    d = y.shape[0] // 2
    status = stage(robot, t, options.stick_speed, chain, 0)
    if status != DONE:
        return status
    if options.order == 1:
        # Works at the mean velocity, which is what the kinetic energy changes by.
        for k in range(d):
            y[d + k] = first[d + k] + 0.5 * dt * slope[0, d + k]
        place(body.links, body.joints, y)
        note_stage(robot, dt, chain)
        for k in range(d):
            y[d + k] = first[d + k] + dt * slope[0, d + k]
            y[k] = first[k] + dt * y[d + k]
        return DONE
    note_stage(robot, dt / 6.0, chain)
    for s in range(1, 4):
        part = dt if s == 3 else 0.5 * dt
        for k in range(2 * d):
            y[k] = first[k] + part * slope[s - 1, k]
        direct(body.links, y)
        status = stage(robot, t + part, options.stick_speed, chain, s)
        if status != DONE:
            return status
        note_stage(robot, dt / 6.0 if s == 3 else dt / 3.0, chain)
    for k in range(2 * d):
        rise = slope[0, k] + 2.0 * (slope[1, k] + slope[2, k]) + slope[3, k]
        y[k] = first[k] + dt / 6.0 * rise
    return DONE


@jit_apart
def step_explicit(robot: RobotView, dt: float, options: ExplicitOptions, chain: Lagrange) -> int:
    """One step of dt; where it fails, the motion is unchanged."""
    world, body, record = robot.world, robot.body, robot.record
    start = body.step[0] * dt
    links, joints, com, ledger = body.links, body.joints, body.com, body.ledger
    certificate = record.window_certificate
    body.blame[0], body.blame[1] = 0, NO_LAW
    place_links(links, com)
    for i in range(links.shape[0]):
        link = links[i]
        link.contact_x, link.contact_y, link.friction_x, link.friction_y = 0.0, 0.0, 0.0, 0.0
        link.first, link.last = 0, 0
    for j in range(joints.shape[0]):
        joints[j].impulse = 0.0
    works = ledger[ACTUATOR] + ledger[FRICTION]
    works += ledger[CONTACT_SPRING] + ledger[CONTACT_DAMPER]
    stored = spring_energy(links, joints)
    load(body, chain)
    com[2], com[3] = com[0], com[1]
    status = integrate(robot, start, dt, options, chain)
    if status == DONE:
        direct(links, chain.y)
        place(links, joints, chain.y)
        kinetic, turning = kinetic_energy(links, joints)
        if not isfinite(kinetic):
            status = NOT_FINITE
    if status != DONE:
        direct(links, chain.first)
        place(links, joints, chain.first)
        # One that ran out of room for contacts begins again, but has had its tick.
        body.pieces[0] = 1 if status == CONTACTS_FULL else 0
        return status
    total = centre_of_mass(links, com)
    gravity = total * (world.pull_x * (com[0] - com[2]) + world.pull_y * (com[1] - com[3]))
    spring = stored - spring_energy(links, joints)
    works = ledger[ACTUATOR] + ledger[FRICTION] - works
    works += ledger[CONTACT_SPRING] + ledger[CONTACT_DAMPER] + gravity + spring
    residual = kinetic - ledger[KINETIC] - works
    ledger[GRAVITY] += gravity
    ledger[SPRING] += spring
    ledger[RESIDUAL] += residual
    ledger[KINETIC], ledger[ROTOR] = kinetic, turning
    note_impulses(body, record)
    certificate[INTEGRATOR_STEPS] += 1.0
    certificate[ENERGY_RESIDUAL] = max(certificate[ENERGY_RESIDUAL], abs(residual))
    body.counts[1], body.pieces[0] = 0, 0
    body.step[0] += 1
    return DONE


@jit_entry
def run_explicit(
    batch: BatchArrays,
    timing: Timing,
    options: ExplicitOptions,
    chain: Lagrange,
    first: int,
    last: int,
) -> None:
    """Take robots first <= b < last to their targets."""
    robots = by_reference(batch)
    for b in range(first, last):
        robot = by_reference(robot_of(robots, b))
        write_start(robots, b, robot, timing)
        while begin_step(robots, b, robot, timing):
            status = step_explicit(robot, timing.dt, options, chain)
            end_step(robots, b, robot, timing, status)
