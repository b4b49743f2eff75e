"""Which laws a robot in its world needs, so that a method can refuse those it does not resolve.

What is not known here, such as a field that was added to a spec, is a law that no method resolves,
until it is listed.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from serpenoid.kernels import layout
from serpenoid.model.contact import Contact
from serpenoid.model.friction import FrictionLaw
from serpenoid.model.robot import Joint, Link, Robot
from serpenoid.model.surfaces import ground_laws, surface_of
from serpenoid.model.world import World


class Law(enum.Enum):
    """Laws that a method may resolve."""

    DRY = enum.auto()
    DIRECTIONAL_DRY = enum.auto()
    DRY_TORQUE = enum.auto()
    VISCOUS = enum.auto()
    OTHER_GROUND = enum.auto()
    PEGS = enum.auto()
    WALLS = enum.auto()
    CONTACT_FRICTION = enum.auto()
    RESTITUTION = enum.auto()
    COMPLIANT_CONTACT = enum.auto()
    CONTACT_AT_CENTRE = enum.auto()
    CONTACT_ON_AXIS = enum.auto()
    VERTICAL_PLANE = enum.auto()
    HARD_TERRAIN = enum.auto()
    COMPLIANT_TERRAIN = enum.auto()
    LOADS = enum.auto()
    SELF_CONTACT = enum.auto()
    WHEELS = enum.auto()
    JOINT_LIMITS = enum.auto()
    SERVO = enum.auto()
    TORQUE = enum.auto()
    PRESCRIBED = enum.auto()
    FREE = enum.auto()
    SERIES_ELASTIC = enum.auto()
    TORQUE_LIMIT = enum.auto()
    GEAR_PLAY = enum.auto()
    UNKNOWN = enum.auto()


_ACTUATORS = {
    layout.SERVO: Law.SERVO,
    layout.TORQUE: Law.TORQUE,
    layout.PRESCRIBED: Law.PRESCRIBED,
    layout.FREE: Law.FREE,
    layout.ELASTIC: Law.SERIES_ELASTIC,
}

# Laws of the ground that several methods know; each of the others only the default method does.
_GROUND = {
    "viscous": Law.VISCOUS,
    "dry_friction": Law.DRY,
    "dry_torque": Law.DRY_TORQUE,
}

# Fields that are no law, or whose laws are told below.
_KNOWN = {
    Robot: "links joints name self_contact",
    Link: "length mass radius inertia straight wheels",
    Joint: "actuator limits_deg",
    World: "friction pegs walls loads patches contact contact_at gravity slope_deg "
    "slope_direction_deg plane terrain",
    Contact: "friction restitution stiffness damping",
}
# What an actuator may write into its record, and terrain into the world.
_OF_JOINTS = ["kp", "kd", "torque_limit", "deadband", "spring", "rotor", "ratio", "actuator"]
_OF_TERRAIN = {"hard", "k", "d", "restitution"}

# A law and the words for it in an error.
Need = tuple[Law, str]


def laws_needed(robot: Robot, world: World) -> Iterator[Need]:
    """Every law of a robot in a world, with the words for it."""
    for part in (robot, *robot.links, *robot.joints, world, *world.laws):
        yield from _unknown(part)
    if world.loads:
        yield Law.LOADS, "loads"
    if any(link.wheels is not None for link in robot.links):
        yield Law.WHEELS, "wheels"
    if world.plane == "vertical":
        yield Law.VERTICAL_PLANE, "a vertical plane"
    if world.pegs:
        yield Law.PEGS, "pegs"
    if world.walls:
        yield Law.WALLS, "walls"
    if world.contact_at == "centre" and world.pegs:
        yield Law.CONTACT_AT_CENTRE, "contact at the links' centres"
    if world.contact_at == "axis":
        yield Law.CONTACT_ON_AXIS, "contact on the links' axes"
    if world.terrain is not None:
        numbers = world.terrain.contact.numbers()
        if not numbers.keys() <= _OF_TERRAIN:
            yield Law.UNKNOWN, f"contact law {world.terrain.contact}"
        hard = numbers["hard"]
        law = Law.HARD_TERRAIN if hard else Law.COMPLIANT_TERRAIN
        yield law, f"{'hard' if hard else 'compliant'} terrain"
    for place, friction in world.frictions.items():
        if friction is not None:
            yield from _ground(friction, robot, place)
    yield from _contacts(world)
    for joint in robot.joints:
        yield from _joint(joint)
    if touches_itself(robot, world):
        yield Law.SELF_CONTACT, "self-contact, which robot.self_contact = false leaves out"


def touches_itself(robot: Robot, world: World) -> bool:
    """Whether links of a robot can touch each other; not where they have no width."""
    return robot.can_touch_itself and world.contact_at != "centre"


def self_contact_law(robot: Robot, world: World) -> Contact | None:
    """The law with which links of a robot touch each other, which is hard; None if they cannot."""
    if not touches_itself(robot, world):
        return None
    return robot.self_contact if isinstance(robot.self_contact, Contact) else world.contact


def _unknown(part: Any) -> Iterator[Need]:
    """Fields of a spec that this version does not know, unless they have no effect."""
    kind = next(known for known in _KNOWN if isinstance(part, known))
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if field.name not in _KNOWN[kind].split() and value != field.default:
            yield Law.UNKNOWN, f"{type(part).__name__}.{field.name} = {value!r}"


def _ground(friction: FrictionLaw, robot: Robot, place: str) -> Iterator[Need]:
    """Find the laws by the coefficients that are set, so that own laws are included."""
    surface = surface_of(friction, robot, place)
    words = f"ground friction {friction}"
    for name in ground_laws(friction):
        yield _GROUND.get(name, Law.OTHER_GROUND), words
    if (surface.forward != surface.backward).any():
        yield Law.DIRECTIONAL_DRY, words


def _contacts(world: World) -> Iterator[Need]:
    for contact in set(world.laws):
        if contact.friction:
            yield Law.CONTACT_FRICTION, f"contact law {contact}"
        if contact.restitution:
            yield Law.RESTITUTION, f"contact law {contact}"
        if contact.is_compliant:
            yield Law.COMPLIANT_CONTACT, f"contact law {contact}"


def _joint(joint: Joint) -> Iterator[Need]:
    if joint.limits_deg is not None:
        yield Law.JOINT_LIMITS, f"joint limits {joint.limits_deg} deg"
    record: Any = np.zeros(1, layout.JOINT).view(np.recarray)[0]
    joint.actuator.pack(record)
    words = f"actuator {joint.actuator}"
    yield _ACTUATORS.get(int(record.actuator), Law.UNKNOWN), words
    if any(record[name] for name in layout.JOINT.names or () if name not in _OF_JOINTS):
        yield Law.UNKNOWN, words
    if record.torque_limit < math.inf:
        yield Law.TORQUE_LIMIT, words
    if record.deadband:
        yield Law.GEAR_PLAY, words
