"""The robot: nested bodies, tail first, the feet they stand on, and forces along its joints.

A fixed tendon is MuJoCo's term for a sum of joint angles, such as the angle of a link in the plane.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import numpy as np

from serpenoid.export.mjcf_elements import (
    OBSTACLE_BIT,
    OFF_FOOT,
    SELF_BIT,
    TERRAIN_BIT,
    THIN,
    Frame,
    Value,
    add,
    note,
)
from serpenoid.methods.laws import touches_itself
from serpenoid.model.actuator import SeriesElastic, Servo, Torque
from serpenoid.model.robot import Joint, Robot
from serpenoid.model.surfaces import surface_of
from serpenoid.model.world import World


def has_feet(world: World) -> bool:
    """Whether the friction of the ground depends on the weight of the links."""
    ground = surface_of(world.friction)
    return world.normal_gravity > 0 and bool(np.any([ground.forward, ground.side]))


def has_spring(joint: Joint) -> bool:
    """Whether a motor turns this joint through a spring."""
    drive = joint.actuator
    return isinstance(drive, SeriesElastic) and math.isfinite(drive.stiffness)


def joint_names(robot: Robot, j: int) -> list[str]:
    """Names of MuJoCo's joints whose angles add up to joint angle j; the first one is driven."""
    return [f"motor{j}", f"spring{j}"] if has_spring(robot.joints[j]) else [f"hinge{j}"]


def add_chain(world_body: ET.Element, robot: Robot, world: World, frame: Frame) -> None:
    """Add all links, each inside the one behind it.

    Feet come after the links ahead, so that positions begin with those of the tail and the joints.
    """
    lumps, feet = robot.lumps(), has_feet(world)
    parent, bodies = world_body, []
    for i, link in enumerate(robot.links):
        half = link.length / 2
        at = (robot.links[i - 1].length / 2 + half, 0, 0) if i else frame.place(0, 0)
        body = add(parent, "body", name=f"link{i}", pos=at)
        if i == 0:
            note(body, "planar root: position of the tail link's centre (m), its angle (rad)")
            add(body, "joint", name="root_x", type="slide", axis=(1, 0, 0))
            add(body, "joint", name="root_y", type="slide", axis=frame.up)
            add(body, "joint", name="root_angle", type="hinge", axis=frame.turn)
        else:
            _add_hinge(body, robot, i - 1, half, frame)
        centre = (-lumps.middle[i], 0, 0)
        mass, inertia = (OFF_FOOT, 1 - OFF_FOOT) if feet else (1.0, 1.0)
        _add_inertia(body, centre, mass * lumps.mass[i], inertia * lumps.inertia[i])
        _add_outline(body, robot, world, i)
        add(body, "site", name=f"centre{i}", pos=centre, size=0.001)
        bodies.append(body)
        parent = body
    for i, body in enumerate(bodies if feet else ()):
        _add_foot(body, robot, frame, i)


def _add_hinge(body: ET.Element, robot: Robot, j: int, half: float, frame: Frame) -> None:
    """Add joint j at the rear end of its link; a motor and a spring are two hinges on one axis."""
    joint, names = robot.joints[j], joint_names(robot, j)
    drive = joint.actuator
    values: dict[str, Value] = {}
    limit = math.inf
    if isinstance(drive, Torque):
        limit = drive.limit
    elif isinstance(drive, Servo | SeriesElastic):
        limit = drive.torque_limit
    if math.isfinite(limit):
        values["actuatorfrcrange"] = (-limit, limit)
    if joint.limits_deg is not None and len(names) == 1:
        values["range"] = map(math.radians, joint.limits_deg)
    place: dict[str, Value] = {"pos": (-half, 0, 0), "axis": frame.turn}
    add(body, "joint", name=names[0], type="hinge", **place, **values)
    if isinstance(drive, SeriesElastic) and len(names) == 2:
        add(body, "joint", name=names[1], type="hinge", **place, stiffness=drive.stiffness)


def _add_inertia(
    body: ET.Element, centre: tuple[float, float, float], mass: float, inertia: float
) -> None:
    """Add mass (kg) and inertia (kg m2), of which only that about the hinges' axis matters."""
    add(body, "inertial", pos=centre, mass=mass, diaginertia=(inertia,) * 3)


def _add_outline(body: ET.Element, robot: Robot, world: World, i: int) -> None:
    """Add the outline, and a thin one from hinge to hinge where terrain touches the axis."""
    link = robot.links[i]
    side = link.straight_length / 2
    shape: dict[str, Value] = {"type": "sphere"}
    if side:
        shape = {"type": "capsule", "fromto": (-side, 0, 0, side, 0, 0)}
    if world.terrain is not None and world.contact_at == "outline":
        own = SELF_BIT if touches_itself(robot, world) else 0
        shape["contype"] = OBSTACLE_BIT | TERRAIN_BIT | own
    add(body, "geom", class_="link", name=f"outline{i}", size=link.radius, **shape)
    if world.terrain is not None and world.contact_at == "axis":
        half = link.length / 2
        ends = (-half, 0, 0, half, 0, 0)
        add(body, "geom", class_="sole", name=f"sole{i}", size=THIN, fromto=ends)


def _add_foot(body: ET.Element, robot: Robot, frame: Frame, i: int) -> None:
    """Add the mass of a link on a slide of its own, so that the ground carries the link's weight.

    The foot is a capsule with its front raised: it touches at one point, below the link's centre of
    mass, and MuJoCo takes its axis for the first direction of friction.
    """
    lumps = robot.lumps()
    radius = frame.height / 4
    centre = (-lumps.middle[i], 0, 0)
    foot = add(body, "body", name=f"foot{i}", pos=centre)
    add(foot, "joint", name=f"lift{i}", type="slide", axis=(0, 0, 1))
    _add_inertia(foot, (0, 0, 0), (1 - OFF_FOOT) * lumps.mass[i], OFF_FOOT * lumps.inertia[i])
    low = radius - frame.height
    ends = (0, 0, low, radius, 0, low + radius)
    add(foot, "geom", class_="foot", name=f"foot{i}", size=radius, fromto=ends)


def add_tendons(root: ET.Element, robot: Robot, world: World) -> None:
    """Add rotors, limits of joints with springs, and dry and viscous friction against turning."""
    tendons = add(root, "tendon")
    lumps = robot.lumps()
    for j, joint in enumerate(robot.joints):
        drive, names = joint.actuator, joint_names(robot, j)
        if isinstance(drive, SeriesElastic):
            behind = _angle_of_link(robot, j)
            coefficients = {**dict.fromkeys(behind, 1.0), names[0]: drive.gear_ratio}
            _add_sum(tendons, f"rotor{j}", coefficients, armature=drive.rotor_inertia)
        if joint.limits_deg is not None and has_spring(joint):
            bounds = map(math.radians, joint.limits_deg)
            _add_sum(tendons, f"limit{j}", dict.fromkeys(names, 1.0), range=bounds)
    grounds = surface_of(world.friction, robot)
    for i, (link, ground) in enumerate(zip(robot.links, grounds, strict=True)):
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
    servos = [
        (joint.actuator, j, joint_names(robot, j)[0])
        for j, joint in enumerate(robot.joints)
        if isinstance(joint.actuator, Servo | SeriesElastic)
    ]
    if servos:
        note(actuators, "servos: kp on the angle; kv = time step * kp makes that implicit")
    for drive, j, driven in servos:
        values = {"kp": drive.kp, "kv": time_step * drive.kp}
        add(actuators, "position", name=f"angle{j}", joint=driven, **values)
    if servos:
        note(actuators, "servos: kd on the rate")
    for drive, j, driven in servos:
        add(actuators, "velocity", name=f"rate{j}", joint=driven, kv=drive.kd)
    for j, joint in enumerate(robot.joints):
        if isinstance(joint.actuator, Torque):
            add(actuators, "motor", name=f"torque{j}", joint=f"hinge{j}")
    grounds = surface_of(world.friction, robot)
    if np.any([grounds.along, grounds.across]):
        note(actuators, "viscous friction of the ground along and across each link; no controls")
    for direction, gear in (("along", (1, 0, 0, 0, 0, 0)), ("across", (0, 1, 0, 0, 0, 0))):
        for i in np.flatnonzero(grounds[direction]):
            add(
                actuators,
                "general",
                name=f"{direction}{i}",
                site=f"centre{i}",
                gear=gear,
                gainprm=0.0,
                biastype="affine",
                biasprm=(0, 0, -grounds[direction][i]),
            )
    if not len(actuators):
        root.remove(actuators)
