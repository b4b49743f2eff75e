"""Equations of motion of a robot and the load it touches, at rest [reyes2017 (3)-(29)].

Coordinates are position and angle of the tail link's centre, then joint angles; the tail link is
put at the origin, along the x axis. Constraints are the contact with the load, then the wheels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.pushing.projection import inverse
from serpenoid.analysis.pushing.specs import PushedLoad, Touch
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot


@dataclass(frozen=True, eq=False)
class System:
    """Equations of motion of every shape, with s = n + 2 coordinates and c constraints.

    Attributes:
        mass: Mass matrix of the robot, M, (..., s, s) [reyes2017 (4)].
        inertia: Mass matrix of robot and load, I, (..., s + 3, s + 3) [(12)].
        inputs: Map from torques to coordinates, B, (s, n-1) [(5)].
        jacobian: Jacobian of the constraints, J, (..., c, s) [(10)].
        grasp: Grasp matrix, G, (..., 3, c).
        constraints: Constraint matrix A = [-J, G'], (..., c, s + 3) [(9)].
        metric: Metric tensor A I^-1 A', (..., c, c) [(14)].
        free: Accelerations of the constraints by torques while no constraint acts, -J M^-1 B, (...,
            c, n-1).
        power: Matrix B' M^-1 B that bounds the inputs, (..., n-1, n-1) [(31)].
    """

    mass: Floats
    inertia: Floats
    inputs: Floats
    jacobian: Floats
    grasp: Floats
    constraints: Floats
    metric: Floats
    free: Floats
    power: Floats


@dataclass(frozen=True, eq=False)
class Geometry:
    """Positions of the links.

    Attributes:
        ahead: The x axis of each link, (..., n, 2).
        centre: Centres, (..., n, 2), m.
        hinge: Hinges, (..., n-1, 2), m.
    """

    ahead: Floats
    centre: Floats
    hinge: Floats

    @property
    def left(self) -> Floats:
        """The y axis of each link, (..., n, 2)."""
        return turned(self.ahead)


def turned(vectors: Floats) -> Floats:
    """Vectors (..., 2) turned by 90 degrees to the left."""
    return np.stack([-vectors[..., 1], vectors[..., 0]], axis=-1)


def place(robot: Robot, angles: Floats) -> Geometry:
    """Positions of the links.

    Args:
        robot: The robot.
        angles: Joint angles, (..., n-1), rad.

    Returns:
        Axes, centres and hinges.
    """
    half = np.array([link.length / 2 for link in robot.links])
    theta = np.concatenate([np.zeros((*angles.shape[:-1], 1)), np.cumsum(angles, axis=-1)], axis=-1)
    ahead = np.stack([np.cos(theta), np.sin(theta)], axis=-1)
    reach = half[:, None] * ahead
    centre = 2 * np.cumsum(reach, axis=-2) - reach - reach[..., :1, :]
    return Geometry(ahead, centre, (centre + reach)[..., :-1, :])


def jacobians(where: Geometry) -> Floats:
    """Jacobians of every link's centre and angle [reyes2017 (3)].

    Returns:
        Jacobians, (..., n, 3, n + 2).
    """
    *shapes, count, _ = where.centre.shape
    found = np.zeros((*shapes, count, 3, count + 2))
    found[..., 0, 0] = found[..., 1, 1] = found[..., 2, 2] = 1.0
    found[..., :2, 2] = turned(where.centre)
    for joint in range(count - 1):
        beyond = slice(joint + 1, None)
        lever = where.centre[..., beyond, :] - where.hinge[..., joint, None, :]
        found[..., beyond, :2, joint + 3] = turned(lever)
        found[..., beyond, 2, joint + 3] = 1.0
    return found


def equations(
    robot: Robot, load: PushedLoad, touch: Touch, wheeled: tuple[int, ...], angles: Floats
) -> System:
    """Set up the equations of motion.

    Args:
        robot: The robot.
        load: The load.
        touch: The contact.
        wheeled: Links with wheels on the ground.
        angles: Joint angles, (..., n-1), rad.

    Returns:
        The equations of every shape.
    """
    where = place(robot, angles)
    links, left = jacobians(where), where.left
    weight = np.array([[k.mass, k.mass, k.moment_of_inertia] for k in robot.links])
    mass = np.einsum("...iak,ia,...ial->...kl", links, weight, links, optimize=True)
    side = 1.0 if touch.side == "left" else -1.0
    across = np.einsum("...ia,...iak->...ik", left, links[..., :2, :])
    jacobian = across[..., [touch.link, *wheeled], :]
    jacobian[..., 0, :] += touch.along * links[..., touch.link, 2, :]
    jacobian[..., 0, :] *= side
    *shapes, count, size = jacobian.shape
    grasp = np.zeros((*shapes, 3, count))
    grasp[..., :2, 0] = side * left[..., touch.link, :]
    grasp[..., 2, 0] = side * load.offset
    inertia = np.zeros((*shapes, size + 3, size + 3))
    inertia[..., :size, :size] = mass
    inertia[..., size:, size:] = np.diag([load.mass, load.mass, load.moment_of_inertia])
    inputs = np.eye(size)[:, 3:]
    forces = np.zeros((*shapes, size, count + size - 3))
    forces[..., :count] = np.swapaxes(jacobian, -1, -2)
    forces[..., count:] = inputs
    yielding = np.swapaxes(forces, -1, -2) @ np.linalg.solve(mass, forces)
    metric = yielding[..., :count, :count].copy()
    metric[..., 0, 0] += load.compliance
    return System(
        mass=mass,
        inertia=inertia,
        inputs=inputs,
        jacobian=jacobian,
        grasp=grasp,
        constraints=np.concatenate([-jacobian, np.swapaxes(grasp, -1, -2)], axis=-1),
        metric=metric,
        free=-yielding[..., :count, count:],
        power=yielding[..., count:, count:],
    )


@dataclass(frozen=True, eq=False)
class Maps:
    """Linear maps from inputs to accelerations while contact and wheels hold, for every shape.

    Attributes:
        forces_by_torque: Constraint forces by torques, (..., c, n-1) [reyes2017 (17)].
        robot_by_torque: Acceleration of the robot by torques, (..., s, n-1) [(22)].
        robot_by_wrench: Acceleration of the robot by a wrench on the load, (..., s, 3) [(23)].
        load_by_torque: Acceleration of the load by torques, (..., 3, n-1) [(24)].
        load_by_wrench: Acceleration of the load by a wrench on it, (..., 3, 3) [(25)].
        xi: Quadratic form of the torques for the squared acceleration of the robot, (..., n-1, n-1)
            [(28)].
        omega: Quadratic form of the torques for that of the load, (..., n-1, n-1), of rank one
            [(29)].
    """

    forces_by_torque: Floats
    robot_by_torque: Floats
    robot_by_wrench: Floats
    load_by_torque: Floats
    load_by_wrench: Floats
    xi: Floats
    omega: Floats


def maps(system: System) -> Maps:
    """Set up the maps.

    Returns:
        The maps of every shape.
    """
    against, mass = inverse(system.metric), np.linalg.inv(system.mass)
    size = system.mass.shape[-1]
    body = np.diagonal(system.inertia[..., size:, size:], axis1=-2, axis2=-1)
    back = mass @ np.swapaxes(system.jacobian, -1, -2)
    by_torque = -against @ system.free
    by_wrench = -against @ (np.swapaxes(system.grasp, -1, -2) / body[..., None, :])
    robot = mass @ system.inputs - back @ by_torque
    load = system.grasp @ by_torque / body[..., None]
    return Maps(
        forces_by_torque=by_torque,
        robot_by_torque=robot,
        robot_by_wrench=-back @ by_wrench,
        load_by_torque=load,
        load_by_wrench=(np.eye(3) + system.grasp @ by_wrench) / body[..., None],
        xi=np.swapaxes(robot, -1, -2) @ system.mass @ robot,
        omega=np.swapaxes(load, -1, -2) @ (body[..., None] * load),
    )


@dataclass(frozen=True, eq=False)
class Ellipsoids:
    """Ellipses at the contact point that allowed inputs reach without load while wheels hold.

    Both are in the axes of the pushing link.

    Attributes:
        acceleration: W, (..., 2, 2), of the ellipse x' W^-1 x <= 1 of accelerations, m/s2.
        force: The same for forces on a point that is held in place, N.
    """

    acceleration: Floats
    force: Floats


def ellipsoids(system: System, point: Floats) -> Ellipsoids:
    """Manipulability and force ellipsoids.

    Args:
        system: Equations of motion.
        point: Jacobian of the contact point, (..., 2, s).

    Returns:
        The ellipsoids of every shape.
    """
    yielding = np.linalg.inv(system.mass)
    wheels = system.jacobian[..., 1:, :]
    if wheels.shape[-2]:
        held = wheels @ yielding
        yielding = yielding - np.swapaxes(held, -1, -2) @ inverse(system.metric[..., 1:, 1:]) @ held
    moved = point @ yielding @ system.inputs
    acceleration = moved @ np.linalg.solve(system.power, np.swapaxes(moved, -1, -2))
    against = inverse(point @ yielding @ np.swapaxes(point, -1, -2))
    return Ellipsoids(acceleration, against @ acceleration @ np.swapaxes(against, -1, -2))
