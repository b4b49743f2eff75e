"""The state of a robot that starts as told."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from serpenoid.control.interface import CompiledController
from serpenoid.engine.states import blank_state
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.model.actuator import Prescribed, SeriesElastic
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.world import World

Floats = npt.NDArray[np.float64]


def first_state(
    robot: Robot, world: World, controller: object, start: Start, time_step: float
) -> State:
    """The state of a robot that starts as told.

    Args:
        robot: The robot.
        world: Where it is; its loads are part of the state.
        controller: Whose shape at t = 0 the robot has if the start has none.
        start: The pose and its rates.
        time_step: s.
    """
    n = len(robot.links)
    angles, rates = np.zeros(n - 1), np.zeros(n - 1)
    if isinstance(controller, CompiledController):
        angles = controller.angles(n - 1)
        prescribed = [isinstance(joint.actuator, Prescribed) for joint in robot.joints]
        rates = np.where(prescribed, controller.rates(n - 1), 0.0)
    if start.joint_angles_deg is not None:
        angles = _per_joint("joint_angles_deg", start.joint_angles_deg, n - 1)
        _check_prescribed(robot, controller, angles)
    if start.joint_rates_deg is not None:
        rates = _per_joint("joint_rates_deg", start.joint_rates_deg, n - 1)
    _check_limits(robot, angles)
    theta = np.concatenate([[0.0], np.cumsum(angles)])
    theta += np.radians(start.heading_deg) - theta.mean()
    omega = np.concatenate([[0.0], np.cumsum(rates)])
    omega += np.radians(start.spin_deg) - omega.mean()
    lumps = robot.lumps()
    mass, inertia, levers = lumps.mass, lumps.inertia, (lumps.front, lumps.back)
    direction = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    centres = chain_centres(levers, direction)
    centres -= mass @ centres / mass.sum()
    across = np.stack([-direction[:, 1], direction[:, 0]], axis=1)
    swing = chain_centres((omega * lumps.front, omega * lumps.back), across)
    swing += np.array(start.velocity) - mass @ swing / mass.sum()
    com = np.array([start.x, start.y])
    if start.link is not None:
        if not 0 <= start.link < n:
            raise InvalidInput(
                f"start.link = {start.link} is not allowed: the robot has links 0 to {n - 1}"
            )
        com = com - centres[start.link] - lumps.middle[start.link] * direction[start.link]
    # Springs start without load.
    drive = np.zeros((n - 1, 4))
    drive[:, 0], drive[:, 1] = angles, rates
    if isinstance(controller, CompiledController):
        drive[:, 2] = controller.phases(n - 1)
    ledger = np.zeros(layout.LEDGER_SIZE)
    with np.errstate(over="ignore"):
        ledger[layout.KINETIC] = 0.5 * (mass @ (swing**2).sum(axis=1) + inertia @ omega**2)
        ledger[layout.ROTOR] = _rotor_energy(robot, omega, rates)
        ledger[layout.KINETIC] += ledger[layout.ROTOR]
    blank = blank_state(n, len(world.loads), time_step)
    load = np.zeros_like(blank.load)
    for row, one in zip(load, world.loads, strict=True):
        row[:6] = one.x, one.y, np.radians(one.angle_deg), *one.velocity, np.radians(one.spin_deg)
        ledger[layout.KINETIC] += 0.5 * one.mass * (row[3] ** 2 + row[4] ** 2)
        ledger[layout.KINETIC] += 0.5 * one.moment_of_inertia * row[5] ** 2
    return dataclasses.replace(
        blank,
        com=com,
        theta=theta,
        velocity=np.column_stack([swing, omega]),
        drive=drive,
        command=np.column_stack([angles, np.zeros((n - 1, 2))]),
        load=load,
        ledger=ledger,
    )


def _rotor_energy(robot: Robot, omega: Floats, rates: Floats) -> float:
    """Kinetic energy of the rotors' turning, J."""
    total = 0.0
    for joint, w, rate in zip(robot.joints, omega, rates, strict=False):
        drive = joint.actuator
        if isinstance(drive, SeriesElastic):
            total += 0.5 * drive.rotor_inertia * (w + drive.gear_ratio * rate) ** 2
    return total


def chain_centres(levers: tuple[Floats, Floats], direction: Floats) -> Floats:
    """Sum of the levers from the tail link's centre of mass to every link's, (n, 2)."""
    front, back = (lever[:, None] * direction for lever in levers)
    steps = np.concatenate([np.zeros((1, 2)), front[:-1] + back[1:]])
    centres: Floats = np.cumsum(steps, axis=0)
    return centres


def _per_joint(name: str, values: tuple[float, ...], joints: int) -> Floats:
    if len(values) != joints:
        raise InvalidInput(
            f"start.{name} has {len(values)} entries, but the robot has {joints} joints"
        )
    return np.radians(values)


def _check_prescribed(robot: Robot, controller: object, angles: Floats) -> None:
    if not isinstance(controller, CompiledController):
        return
    wanted = controller.angles(len(angles))
    for j, joint in enumerate(robot.joints):
        if isinstance(joint.actuator, Prescribed) and abs(angles[j] - wanted[j]) > 1e-6:
            raise InvalidInput(
                f"start.joint_angles_deg[{j}] = {np.degrees(angles[j]):g} is not allowed: joint "
                f"{j} is prescribed to start at {np.degrees(wanted[j]):g} deg"
            )


def _check_limits(robot: Robot, angles: Floats) -> None:
    for j, (joint, angle) in enumerate(zip(robot.joints, np.degrees(angles), strict=True)):
        if joint.limits_deg is not None:
            lower, upper = joint.limits_deg
            if not lower - 1e-9 <= angle <= upper + 1e-9:
                raise InvalidInput(
                    f"joint {j} starts at {angle:g} deg, outside its limits_deg = "
                    f"({lower:g}, {upper:g}); change the start shape or the limits"
                )
