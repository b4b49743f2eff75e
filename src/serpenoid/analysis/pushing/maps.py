"""How motion and forces follow from inputs while contact and wheels hold [reyes2017 (17)-(29)]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.pushing.projection import Floats, inverse
from serpenoid.analysis.pushing.system import System


@dataclass(frozen=True, eq=False)
class Maps:
    """How accelerations follow from inputs while contact and wheels hold, for every shape.

    forces_by_torque: (..., c, n-1) [reyes2017 (17)]. robot_by_torque: (..., s, n-1) [(22)].
    robot_by_wrench: (..., s, 3) [(23)]. load_by_torque: (..., 3, n-1) [(24)]. load_by_wrench:
    (..., 3, 3) [(25)]. xi: torques to the square of the robot's acceleration, (..., n-1, n-1)
    [(28)]. omega: torques to that of the load, (..., n-1, n-1), of rank one [(29)].
    """

    forces_by_torque: Floats
    robot_by_torque: Floats
    robot_by_wrench: Floats
    load_by_torque: Floats
    load_by_wrench: Floats
    xi: Floats
    omega: Floats


def maps(system: System) -> Maps:
    """Set them up for every shape."""
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
    """What allowed inputs do at the contact point of a robot without load, in every shape.

    acceleration: W, (..., 2, 2), of the ellipse x W^-1 x <= 1 of accelerations, m/s2. force: that
    of forces on a point that is held fast, N. Both in the axes of the pushing link; wheels hold.
    """

    acceleration: Floats
    force: Floats


def ellipsoids(system: System, point: Floats) -> Ellipsoids:
    """Manipulability and force ellipsoids; point: Jacobian of the contact point, (..., 2, s)."""
    yielding = np.linalg.inv(system.mass)
    wheels = system.jacobian[..., 1:, :]
    if wheels.shape[-2]:
        held = wheels @ yielding
        yielding = yielding - np.swapaxes(held, -1, -2) @ inverse(system.metric[..., 1:, 1:]) @ held
    moved = point @ yielding @ system.inputs
    acceleration = moved @ np.linalg.solve(system.power, np.swapaxes(moved, -1, -2))
    against = inverse(point @ yielding @ np.swapaxes(point, -1, -2))
    return Ellipsoids(acceleration, against @ acceleration @ np.swapaxes(against, -1, -2))
