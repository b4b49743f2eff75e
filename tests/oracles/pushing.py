"""A robot that pushes a load, in maximal coordinates: links are free bodies, hinges constraints.

Nothing is shared with the package: no joint coordinates, no base link, any pose on the plane.
"""

from __future__ import annotations

import itertools

import numpy as np


def turn(v):
    return np.array([-v[1], v[0]])


def links(robot, angles, pose=(0.0, 0.0, 0.0)):
    """Centres and directions of all links; pose: of the middle of the tail link."""
    theta = pose[2] + np.concatenate([[0.0], np.cumsum(angles)])
    ahead = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    half = np.array([link.length / 2 for link in robot.links])
    centre = [np.array(pose[:2])]
    for i in range(1, len(half)):
        centre.append(centre[-1] + half[i - 1] * ahead[i - 1] + half[i] * ahead[i])
    return np.array(centre), ahead, half


def solve(pushing, angles, torques, *, closed, held, friction, pose=(0.0, 0.0, 0.0), wrench=None):
    """Accelerations (n + 1, 3) of links and load, and forces of contact and wheels.

    closed: whether the contact acts. held: of every wheel. friction: force on those that slide, as
    the package counts it, towards the right of their links.
    """
    robot, load, touch = pushing.robot, pushing.load, pushing.touch
    _, ahead, half = links(robot, angles, pose)
    count = len(half)
    size = 3 * (count + 1)
    inertia = np.zeros(size)
    for i, link in enumerate(robot.links):
        inertia[3 * i : 3 * i + 3] = link.mass, link.mass, link.moment_of_inertia
    inertia[-3:] = load.mass, load.mass, load.moment_of_inertia
    force, rows = np.zeros(size), []
    for j, tau in enumerate(torques):
        force[3 * j + 2] -= tau
        force[3 * j + 5] += tau
    if wrench is not None:
        force[-3:] += wrench
    for i, j in itertools.pairwise(range(count)):
        for axis in np.eye(2):
            row = np.zeros(size)
            row[3 * i : 3 * i + 2] = axis
            row[3 * i + 2] = axis @ turn(half[i] * ahead[i])
            row[3 * j : 3 * j + 2] = -axis
            row[3 * j + 2] = axis @ turn(half[j] * ahead[j])
            rows.append(row)
    hinges = len(rows)
    k, side = touch.link, 1.0 if touch.side == "left" else -1.0
    normal = side * turn(ahead[k])
    contact = np.zeros(size)
    contact[3 * k : 3 * k + 2] = -normal
    contact[3 * k + 2] = -normal @ turn(touch.along * ahead[k])
    contact[-3:] = *normal, side * load.offset
    names = []
    if closed:
        rows.append(contact)
        names.append(0)
    for number, link in enumerate(pushing.wheeled):
        row = np.zeros(size)
        row[3 * link : 3 * link + 2] = -turn(ahead[link])
        if held[number]:
            rows.append(row)
            names.append(number + 1)
        else:
            force = force + friction[number] * row
    A = np.array(rows)
    kkt = np.block([[np.diag(inertia), -A.T], [A, np.zeros((len(A), len(A)))]])
    answer = np.linalg.solve(kkt, np.concatenate([force, np.zeros(len(A))]))
    forces = np.zeros(1 + len(pushing.wheeled))
    forces[names] = answer[size + hinges :]
    acceleration = answer[:size].reshape(-1, 3)
    norms = (acceleration**2 * inertia.reshape(-1, 3)).sum(axis=1)
    return acceleration, forces, float(norms[:-1].sum()), float(norms[-1])
