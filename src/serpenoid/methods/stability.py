"""The largest step at which an explicit integrator is stable."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import SeriesElastic, Servo
from serpenoid.model.contact import Compliant
from serpenoid.model.robot import Robot
from serpenoid.model.world import World

# Bent robots have faster modes than straight ones, and corners press too: part of the bound that is
# left to them.
_SAFETY = 0.7
# Growth per step that is rounding.
_ROUNDING = 1e-6


def stable_step(robot: Robot, world: World, order: int, wanted: float) -> float:
    """The wanted time step, s, if it is stable, else the largest that is.

    Of the robot lying straight on level ground with all its points of contact pressed, with some
    room to spare. order: 1 semi-implicit Euler, 4 Runge and Kutta.
    """
    mass, stiffness, damping = _linear(robot, world)
    solved = np.linalg.solve(mass, np.hstack([stiffness, damping]))
    k, d = np.hsplit(solved, 2)

    def stable(dt: float) -> bool:
        return _growth(k, d, dt, order) <= 1 + _ROUNDING

    if stable(wanted / _SAFETY):
        return wanted
    low, high = 0.0, wanted / _SAFETY
    # To two digits, from wherever it is.
    while high - low > 1e-2 * high:
        middle = (low + high) / 2 if low > 0 else high / 8
        low, high = (middle, high) if stable(middle) else (low, middle)
    return _SAFETY * low


def _growth(k: Floats, d: Floats, dt: float, order: int) -> float:
    """Largest factor by which a mode of q'' = -k q - d q' grows in a step."""
    one, zero = np.eye(len(k)), np.zeros_like(k)
    if order == 1:
        after = one - dt * d
        step = np.block([[after, -dt * k], [dt * after, one - dt * dt * k]])
    else:
        z = dt * np.block([[-d, -k], [one, zero]])
        step = np.eye(2 * len(k))
        for part in (4, 3, 2, 1):
            step = np.eye(2 * len(k)) + z @ step / part
    return float(np.abs(np.linalg.eigvals(step)).max())


def _linear(robot: Robot, world: World) -> tuple[Floats, Floats, Floats]:
    """Mass, stiffness and damping in heights and angles of a straight robot, rotors last."""
    n = len(robot.links)
    size = 2 * n
    half = np.array([link.length / 2 for link in robot.links])
    middle = np.tril(np.tile(2 * half, (n, 1)), -1) + np.diag(half)
    ends = np.vstack([np.zeros(n), np.tril(np.tile(2 * half, (n, 1)))])
    mass, stiffness, damping = (np.zeros((size, size)) for _ in range(3))

    def add(matrix: Floats, row: Any, value: float) -> None:
        matrix += value * np.outer(row, row)

    def height(lever: Floats) -> Floats:
        return np.concatenate([lever, [1.0], np.zeros(n - 1)])

    for i, link in enumerate(robot.links):
        add(mass, height(middle[i]), link.mass)
        add(mass, np.eye(size)[i], link.moment_of_inertia)
    for j, joint in enumerate(robot.joints):
        drive, psi = joint.actuator, np.eye(size)[n + 1 + j]
        phi = np.eye(size)[j + 1] - np.eye(size)[j]
        turns = phi
        if isinstance(drive, SeriesElastic):
            add(mass, height(ends[j + 1]), drive.rotor_mass)
            if math.isfinite(drive.stiffness):
                turns = psi
                add(stiffness, phi - psi, drive.stiffness)
            add(mass, np.eye(size)[j] + drive.gear_ratio * turns, drive.rotor_inertia)
        if isinstance(drive, SeriesElastic | Servo):
            add(stiffness, turns, drive.kp)
            add(damping, turns, drive.kd)
        if turns is not psi:
            add(mass, psi, 1.0)
    if world.terrain is not None and isinstance(world.terrain.contact, Compliant):
        law = world.terrain.contact
        for i, ahead in _points_of_contact(robot, thin=world.contact_at == "axis"):
            lever = middle[i] + ahead * np.eye(n)[i]
            add(stiffness, height(lever), law.stiffness)
            add(damping, height(lever), law.damping)
    return mass, stiffness, damping


def _points_of_contact(robot: Robot, *, thin: bool) -> Iterator[tuple[int, float]]:
    """Where terrain pushes: links, and distances ahead of their middles, m.

    Middles and both ends of the outline or, if thin, of the axis; ends that are one circle once.
    """
    links = robot.links
    for i, link in enumerate(links):
        half = (link.length if thin else link.straight_length) / 2
        yield i, 0.0
        if half == 0.0:
            continue
        yield i, -half
        one_end = thin
        if i + 1 < len(links) and not thin:
            ahead = links[i + 1]
            reaches = link.straight_length == link.length and ahead.straight_length == ahead.length
            one_end = reaches and link.radius == ahead.radius
        if i + 1 == len(links) or not one_end:
            yield i, half
