"""Euler-Lagrange equations of the chain with series-elastic joints [koopaee2020 (31)].

In link angles theta and p, the mean of the links' middles: the paper's joint angles are constant
sums of them. Every mass sits at p + sum_k arm_k e_k, so kinetic energy and forces follow from the
arms alone. The rotors' angles, psi, are eliminated: rotor inertia (omega + ratio psi_rate)' =
(motor - spring) / ratio, which acts back on the link that carries the rotor. Corrected as the
errata of the paper say: velocity terms and gravity are those of the Lagrangian, and without a
spring (psi = phi) the rotor's inertia remains, the projected model E'ME.
"""

from math import cos, inf, nan, sin
from typing import Annotated, NamedTuple

import numpy as np

from serpenoid.kernels._jit import jit, jit_entry
from serpenoid.kernels.laws.series_elastic import has_spring, spring_torque
from serpenoid.kernels.layout import ELASTIC, FREE, SERVO, TORQUE, Floats, Item, Records
from serpenoid.methods.linear_algebra import back_substitute, cholesky, copy, forward_substitute
from serpenoid.methods.scratch import new_scratch
from serpenoid.model.robot import Robot


class Lagrange(NamedTuple):
    """Data of a chain for the Euler-Lagrange equations [koopaee2020 (31)], and their scratch.

    Coordinates are the n link angles and p, the mean of the links' middles; d = 2 n + 1 with the
    angles of the rotors, which are eliminated from the mass matrix.
    """

    arm: Floats  # (n, n) how far the mass centre of link i moves per turn of link k, m
    inertia: Floats  # (n, n) sum of mass times arm times arm over links and rotors, kg m2
    moment: Floats  # (n,) the same with arm once, kg m
    # Mass matrix, then its Cholesky factor, lower.
    mass: Annotated[Floats, "coordinates", "coordinates"]
    push: Annotated[Floats, "coordinates"]  # generalised forces, then accelerations
    torque: Annotated[Floats, "joints"]  # of the motors, N m
    first: Annotated[Floats, "state"]  # angles and p, rotors; their rates; as the step begins
    y: Annotated[Floats, "state"]
    slope: Annotated[Floats, 4, "state"]  # stages


def new_lagrange(links: Records, robot: Robot) -> Lagrange:
    """Data of the chain of a robot for the equations.

    Args:
        links: LINK (n,), of which half and middle are read.
        robot: The robot, whose rotors are masses of their own.
    """
    n = len(links)
    # From the tail end, per link behind: middles of the links, then hinges; seen from the mean of
    # the middles.
    middle = np.tril(np.tile(2.0 * links.half, (n, 1)), -1) + np.diag(links.half)
    hinge = np.tril(np.tile(2.0 * links.half, (n, 1)))[:-1] - middle.mean(axis=0)
    middle = middle - middle.mean(axis=0)
    mass = np.array([link.mass for link in robot.links])
    rotor = np.array(robot.rotor_masses)
    inertia = middle.T @ (mass[:, None] * middle) + hinge.T @ (rotor[:, None] * hinge)
    inertia += np.diag([link.moment_of_inertia for link in robot.links])
    return new_scratch(
        Lagrange,
        {"coordinates": n + 2, "joints": n - 1, "state": 4 * n + 2},
        arm=middle - np.diag(links.middle),
        inertia=np.ascontiguousarray(inertia),
        moment=mass @ middle + rotor @ hinge,
    )


@jit_entry
def direct(links: Records, y: Floats) -> None:
    """Directions of the links from the angles in y."""
    for i in range(links.shape[0]):
        links[i].ex, links[i].ey = cos(y[i]), sin(y[i])


@jit_entry
def place(links: Records, joints: Records, y: Floats) -> None:
    """Set positions and velocities of links and rotors from y; directions are known."""
    n = links.shape[0]
    d = 2 * n + 1
    x, z, vx, vz, sx, sz, svx, svz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        link = links[i]
        link.theta, link.omega = y[i], y[d + i]
    for i in range(n):
        link = links[i]
        half, w = link.half, link.omega
        # Middle to middle.
        x, z = x + half * link.ex, z + half * link.ey
        vx, vz = vx - half * w * link.ey, vz + half * w * link.ex
        sx, sz, svx, svz = sx + x, sz + z, svx + vx, svz + vz
        link.x, link.y = x - link.middle * link.ex, z - link.middle * link.ey
        link.vx, link.vy = vx + link.middle * w * link.ey, vz - link.middle * w * link.ex
        x, z = x + half * link.ex, z + half * link.ey
        vx, vz = vx - half * w * link.ey, vz + half * w * link.ex
    dx, dz = y[n] - sx / n, y[n + 1] - sz / n
    dvx, dvz = y[d + n] - svx / n, y[d + n + 1] - svz / n
    for i in range(n):
        link = links[i]
        link.x, link.y = link.x + dx, link.y + dz
        link.vx, link.vy = link.vx + dvx, link.vy + dvz
    for j in range(n - 1):
        joints[j].psi, joints[j].psi_rate = y[n + 2 + j], y[d + n + 2 + j]


@jit
def motor_torque(joint: Item, phi: float, phi_rate: float) -> float:
    """Torque of the actuator through its gear, N m [koopaee2020 (33)]."""
    angle, rate, torque = phi, phi_rate, joint.torque
    if joint.actuator == FREE:
        return 0.0
    if has_spring(joint):
        angle, rate = joint.psi, joint.psi_rate
    if joint.actuator == SERVO or joint.actuator == ELASTIC:
        torque += joint.kp * (joint.wanted - angle) + joint.kd * (joint.wanted_rate - rate)
    elif joint.actuator != TORQUE:
        torque = 0.0
    return min(max(torque, -joint.torque_limit), joint.torque_limit)


@jit_entry
def inertia_matrix(links: Records, joints: Records, chain: Lagrange) -> None:
    """Mass matrix of link angles and p, lower half; rotors behind springs add nothing."""
    n, mass, moment = links.shape[0], chain.mass, chain.moment
    total = 0.0
    for k in range(n):
        a = links[k]
        total += a.mass
        for m in range(k + 1):
            b = links[m]
            mass[k, m] = chain.inertia[k, m] * (a.ex * b.ex + a.ey * b.ey)
        mass[n, k] = -moment[k] * a.ey
        mass[n + 1, k] = moment[k] * a.ex
    mass[n, n], mass[n + 1, n + 1], mass[n + 1, n] = total, total, 0.0
    for j in range(n - 1):
        joint = joints[j]
        if joint.actuator == ELASTIC and joint.spring == inf:
            # The rotor turns with (1 - ratio) omega_j + ratio omega_j+1.
            u, v = 1.0 - joint.ratio, joint.ratio
            mass[j, j] += joint.rotor * u * u
            mass[j + 1, j] += joint.rotor * u * v
            mass[j + 1, j + 1] += joint.rotor * v * v


@jit_entry
def inertia_forces(links: Records, chain: Lagrange, pull_x: float, pull_y: float) -> None:
    """Centrifugal and gravity forces on link angles and p, into push."""
    n, push, moment = links.shape[0], chain.push, chain.moment
    px, py, total = 0.0, 0.0, 0.0
    for k in range(n):
        a = links[k]
        force = moment[k] * (a.ex * pull_y - a.ey * pull_x)
        for m in range(n):
            b = links[m]
            force -= chain.inertia[k, m] * b.omega * b.omega * (a.ey * b.ex - a.ex * b.ey)
        push[k] = force
        spin = moment[k] * a.omega * a.omega
        px, py, total = px + spin * a.ex, py + spin * a.ey, total + a.mass
    push[n], push[n + 1] = px + total * pull_x, py + total * pull_y


@jit
def add_link_force(
    links: Records, chain: Lagrange, i: int, fx: float, fy: float, torque: float
) -> None:
    """Add a force on the mass centre of link i and a torque to the generalised forces."""
    n, push = links.shape[0], chain.push
    for k in range(n):
        push[k] += chain.arm[i, k] * (links[k].ex * fy - links[k].ey * fx)
    push[i] += torque
    push[n] += fx
    push[n + 1] += fy


@jit
def add_joint_torques(links: Records, joints: Records, chain: Lagrange) -> None:
    """Add springs, motors and the rotors' reaction on the links that carry them."""
    push = chain.push
    for j in range(joints.shape[0]):
        joint, tail, head = joints[j], links[j], links[j + 1]
        phi, rate = head.theta - tail.theta, head.omega - tail.omega
        motor = motor_torque(joint, phi, rate)
        chain.torque[j] = motor
        turning = motor
        if has_spring(joint):
            turning = spring_torque(joint, phi)
            push[j] -= (motor - turning) / joint.ratio
        push[j] -= turning
        push[j + 1] += turning


@jit
def accelerations(links: Records, joints: Records, chain: Lagrange, slope: Floats) -> None:
    """Rates of change of the velocities of y, from the generalised forces in push."""
    n = links.shape[0]
    d = 2 * n + 1
    if not cholesky(chain.mass, chain.mass, n + 2, 0.0):
        # No mass matrix is indefinite: the step that led here must not count.
        slope[:] = nan
        return
    forward_substitute(chain.mass, chain.push, n + 2)
    back_substitute(chain.mass, chain.push, n + 2)
    copy(chain.push, slope[d : d + n + 2])
    for j in range(n - 1):
        joint = joints[j]
        rate = chain.push[j + 1] - chain.push[j]
        if has_spring(joint):
            spring = spring_torque(joint, links[j + 1].theta - links[j].theta)
            through = (chain.torque[j] - spring) / (joint.rotor * joint.ratio)
            rate = (through - chain.push[j]) / joint.ratio
        slope[d + n + 2 + j] = rate


@jit
def kinetic_energy(links: Records, joints: Records) -> tuple[float, float]:
    """Kinetic energy of links and rotors, and that of the rotors' turning alone, J."""
    total, turning = 0.0, 0.0
    for i in range(links.shape[0]):
        link = links[i]
        total += 0.5 * link.mass * (link.vx * link.vx + link.vy * link.vy)
        total += 0.5 * link.inertia * link.omega * link.omega
    for j in range(joints.shape[0]):
        joint = joints[j]
        if joint.actuator == ELASTIC:
            rate = joint.psi_rate
            if joint.spring == inf:
                rate = links[j + 1].omega - links[j].omega
            spin = links[j].omega + joint.ratio * rate
            turning += 0.5 * joint.rotor * spin * spin
    return total + turning, turning


@jit
def spring_energy(links: Records, joints: Records) -> float:
    """Energy stored in the joints' springs, J."""
    total = 0.0
    for j in range(joints.shape[0]):
        joint = joints[j]
        if has_spring(joint):
            strain = joint.psi - links[j + 1].theta + links[j].theta
            total += 0.5 * joint.spring * strain * strain
    return total
