"""The robot as nested bodies, tail first: links, hinges, and the feet they stand on."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

from serpenoid.export.mjcf_elements import OFF_FOOT, THIN, Frame, Value, add, note
from serpenoid.methods.laws import surface_of
from serpenoid.model.actuator import SeriesElastic, Servo, Torque
from serpenoid.model.robot import Joint, Robot
from serpenoid.model.world import World


def has_feet(world: World) -> bool:
    """Whether the friction of the ground depends on the weight of the links."""
    ground = surface_of(world.friction)
    return world.normal_gravity > 0 and max(ground.forward, ground.side) > 0


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
        carried = OFF_FOOT if feet else 1.0
        centre = (-lumps.middle[i], 0, 0)
        _add_inertia(
            body, centre, carried * lumps.mass[i], lumps.inertia[i] * (1 - feet * OFF_FOOT)
        )
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
    if isinstance(drive, Servo | SeriesElastic) and math.isfinite(drive.torque_limit):
        values["actuatorfrcrange"] = (-drive.torque_limit, drive.torque_limit)
    if isinstance(drive, Torque) and math.isfinite(drive.limit):
        values["actuatorfrcrange"] = (-drive.limit, drive.limit)
    if joint.limits_deg is not None and len(names) == 1:
        lower, upper = joint.limits_deg
        values["range"] = (math.radians(lower), math.radians(upper))
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
    """Add the outline that touches pegs and walls, and one from hinge to hinge for terrain."""
    link = robot.links[i]
    side = link.straight_length / 2
    shape: dict[str, Value] = {"type": "sphere"}
    if side:
        shape = {"type": "capsule", "fromto": (-side, 0, 0, side, 0, 0)}
    add(body, "geom", class_="link", name=f"outline{i}", size=link.radius, **shape)
    if world.terrain is not None:
        half = link.length / 2
        radius = THIN if world.contact_at == "axis" else link.radius
        ends = (-half, 0, 0, half, 0, 0)
        add(body, "geom", class_="sole", name=f"sole{i}", size=radius, fromto=ends)


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
