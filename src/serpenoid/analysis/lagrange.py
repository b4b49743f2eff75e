"""Euler-Lagrange equations of a robot with series-elastic joints, as [koopaee2020] writes them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import plain
from serpenoid.engine.assemble import pack_robot
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import SeriesElastic
from serpenoid.model.robot import Robot


@dataclass(frozen=True)
class EquationsOfMotion:
    """M q'' + bias = motors + contacts [koopaee2020 (31)], in the paper's coordinates.

    The coordinates q = (alpha_1 ... alpha_N-1, theta_N, p_x, p_z, beta_1 ... beta_N-1) are the
    joint angles theta_i - theta_i+1, the angle of the head link, the mean of the links' middles,
    and the rotors behind the gear.

    Attributes:
        mass: Mass matrix M, (2N+1, 2N+1).
        bias: Velocity terms, gravity and springs, (2N+1,).
        energy: Kinetic and potential energy, J, with height 0 at p_z = 0.
    """

    mass: Floats
    bias: Floats
    energy: float


def equations_of_motion(
    robot: Robot, q: npt.ArrayLike, rates: npt.ArrayLike, gravity: float = 9.81
) -> EquationsOfMotion:
    """The equations of motion of a robot in a vertical plane that solver 'explicit' integrates.

    Errata of the paper are corrected.

    Args:
        robot: A robot whose joints are all series-elastic with a spring.
        q: Coordinates of `EquationsOfMotion`, (2N+1,), m and rad.
        rates: Rates of the coordinates, (2N+1,), m/s and rad/s.
        gravity: Acceleration of gravity, m/s2; 0 in a horizontal plane.

    Returns:
        The equations at these coordinates and rates.

    Raises:
        InvalidInput: A joint has no spring, or the coordinates do not fit the robot.
    """
    from serpenoid.methods import euler_lagrange as lagrange

    n = len(robot.links)
    place, speed = _coordinates("q", q, n), _coordinates("rates", rates, n)
    drives = [joint.actuator for joint in robot.joints]
    springs = [d for d in drives if isinstance(d, SeriesElastic) and math.isfinite(d.stiffness)]
    if len(springs) < n - 1:
        raise InvalidInput(
            "equations_of_motion: every joint of the robot must be SeriesElastic with a spring"
        )
    body = pack_robot(robot)
    chain = lagrange.new_lagrange(body.links, robot)
    # Link angles and p from the paper's coordinates, [koopaee2020 (10)].
    turn = np.eye(n + 2)
    turn[:n, :n] = np.triu(np.ones((n, n)))
    y = np.concatenate([turn @ place[: n + 2], -place[n + 2 :]])
    y = np.concatenate([y, turn @ speed[: n + 2], -speed[n + 2 :]])
    links: Any = body.links
    lagrange.direct(body.links, y)
    lagrange.place(body.links, body.joints, y)
    lagrange.inertia_matrix(body.links, body.joints, chain)
    lagrange.inertia_forces(body.links, chain, 0.0, -float(gravity))
    lower = np.tril(chain.mass)
    half = lower + np.tril(lower, -1).T
    # Angular velocity of the rotors [koopaee2020 (17)].
    rotor = np.hstack([turn[: n - 1], -np.diag([d.gear_ratio for d in springs])])
    mass = np.zeros((2 * n + 1, 2 * n + 1))
    mass[: n + 2, : n + 2] = turn.T @ half @ turn
    mass += rotor.T @ np.diag([d.rotor_inertia for d in springs]) @ rotor
    strain = place[: n - 1] - place[n + 2 :]
    torque = np.array([d.stiffness for d in springs]) * strain
    bias = np.concatenate([-turn.T @ chain.push, -torque])
    bias[: n - 1] += torque
    height = float(links.mass @ links.y)
    energy = 0.5 * speed @ mass @ speed + 0.5 * torque @ strain + gravity * height
    return EquationsOfMotion(mass, bias, float(energy))


def _coordinates(name: str, values: Any, links: int) -> Floats:
    array = np.array(plain(values), dtype=float)
    if array.shape != (2 * links + 1,) or not np.isfinite(array).all():
        raise InvalidInput(
            f"{name} has the shape {array.shape}, but {links} links need {2 * links + 1} finite "
            "numbers"
        )
    return array
