"""Forces along joint coordinates: servos, rotors, limits behind springs, friction against turning.

A fixed tendon is MuJoCo's term for a sum of joint angles, such as the angle of a link in the plane.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from serpenoid.export.mjcf_chain import has_spring, joint_names
from serpenoid.export.mjcf_elements import Value, add, note
from serpenoid.methods.laws import surface_of
from serpenoid.model.actuator import SeriesElastic, Servo, Torque
from serpenoid.model.robot import Robot
from serpenoid.model.world import World


def add_tendons(root: ET.Element, robot: Robot, world: World) -> None:
    """Add rotors, limits of joints with springs, and dry and viscous friction against turning."""
    tendons = add(root, "tendon")
    lumps, ground = robot.lumps(), surface_of(world.friction)
    for j, joint in enumerate(robot.joints):
        drive, names = joint.actuator, joint_names(robot, j)
        if isinstance(drive, SeriesElastic):
            behind = _angle_of_link(robot, j)
            coefficients = {**dict.fromkeys(behind, 1.0), names[0]: drive.gear_ratio}
            _add_sum(tendons, f"rotor{j}", coefficients, armature=drive.rotor_inertia)
        if joint.limits_deg is not None and has_spring(joint):
            lower, upper = map(math.radians, joint.limits_deg)
            _add_sum(tendons, f"limit{j}", dict.fromkeys(names, 1.0), range=(lower, upper))
    for i, link in enumerate(robot.links):
        dry = ground.spin * lumps.mass[i] * world.normal_gravity
        viscous = ground.turn + ground.spread * link.length**2
        if dry > 0 or viscous > 0:
            angle = dict.fromkeys(_angle_of_link(robot, i), 1.0)
            _add_sum(tendons, f"turning{i}", angle, frictionloss=dry, damping=viscous)
    if not len(tendons):
        root.remove(tendons)


def _angle_of_link(robot: Robot, i: int) -> list[str]:
    """The joints whose angles add up to the angle of link i in the plane."""
    ahead = (name for j in range(i) for name in joint_names(robot, j))
    return ["root_angle", *ahead]


def _add_sum(
    tendons: ET.Element, name: str, coefficients: dict[str, float], **values: Value
) -> None:
    tendon = add(tendons, "fixed", name=name, **values)
    for joint, coefficient in coefficients.items():
        add(tendon, "joint", joint=joint, coef=coefficient)


def add_actuators(root: ET.Element, robot: Robot, world: World, time_step: float) -> None:
    """Add the angles (rad) of all servos, then their rates (rad/s), then torques (N m).

    Viscous friction of the ground comes last, as actuators without control.

    Args:
        root: Root of the model.
        robot: The robot.
        world: The world.
        time_step: Time step, s.
    """
    actuators = add(root, "actuator")
    servos, motors = [], []
    for j, joint in enumerate(robot.joints):
        if isinstance(joint.actuator, Servo | SeriesElastic):
            servos.append((j, joint.actuator))
        elif isinstance(joint.actuator, Torque):
            motors.append(j)
    if servos:
        note(actuators, "servos: kp on the angle; kv = time step * kp makes that implicit")
    for j, drive in servos:
        values = {"kp": drive.kp, "kv": time_step * drive.kp}
        add(actuators, "position", name=f"angle{j}", joint=joint_names(robot, j)[0], **values)
    if servos:
        note(actuators, "servos: kd on the rate")
    for j, drive in servos:
        joint_name = joint_names(robot, j)[0]
        add(actuators, "velocity", name=f"rate{j}", joint=joint_name, kv=drive.kd)
    for j in motors:
        add(actuators, "motor", name=f"torque{j}", joint=f"hinge{j}")
    ground = surface_of(world.friction)
    if ground.along or ground.across:
        note(actuators, "viscous friction of the ground along and across each link; no controls")
    for direction, coefficient, gear in (
        ("along", ground.along, (1, 0, 0, 0, 0, 0)),
        ("across", ground.across, (0, 1, 0, 0, 0, 0)),
    ):
        for i in range(len(robot.links) if coefficient else 0):
            add(
                actuators,
                "general",
                name=f"{direction}{i}",
                site=f"centre{i}",
                gear=gear,
                gainprm=0.0,
                biastype="affine",
                biasprm=(0, 0, -coefficient),
            )
    if not len(actuators):
        root.remove(actuators)
