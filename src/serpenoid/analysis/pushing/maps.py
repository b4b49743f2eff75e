"""Motion and forces by inputs while contact and wheels hold [reyes2017 (17)-(29)]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.pushing.projection import Floats, inverse
from serpenoid.analysis.pushing.system import System


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
