"""From specs to numbers: a robot, its loads and its drive as the kernels take them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from serpenoid.control.interface import CompiledController
from serpenoid.kernels import layout
from serpenoid.model.loads import Load
from serpenoid.model.robot import Robot
from serpenoid.model.world import World


def records(count: int, dtype: np.dtype[np.void]) -> Any:
    """Empty records."""
    return np.zeros(count, dtype).view(np.recarray)


def pack_robot(
    robot: Robot, world: World | None = None, memory: int = 0, contacts: int = 0
) -> layout.Body:
    """A robot and the loads about it as the kernels take them, at rest.

    Args:
        robot: Put at the origin.
        world: Whose loads are about it; the state says where they are.
        memory: Numbers that the robot's controller has to remember.
        contacts: How many there must be room for.
    """
    n = len(robot.links)
    loads = world.loads if world else ()
    bodies, joints = records(n + len(loads), layout.LINK), records(n - 1, layout.JOINT)
    links = bodies[:n]
    lumps = robot.lumps()
    links.mass, links.inertia = lumps.mass, lumps.inertia
    links.back, links.front, links.middle = lumps.back, lumps.front, lumps.middle
    links.half = [link.length / 2 for link in robot.links]
    links.span = 2 * links.half / links.back
    links.straight = [link.straight_length / 2 for link in robot.links]
    links.rear, links.fore = links.middle - links.straight, links.middle + links.straight
    links.radius = [link.radius for link in robot.links]
    for record, link in zip(links, robot.links, strict=True):
        if link.wheels is not None:
            link.wheels.pack(record)
    for record, joint in zip(joints, robot.joints, strict=True):
        joint.actuator.pack(record)
        lower, upper = joint.limits_deg or (-math.inf, math.inf)
        record.lower, record.upper = math.radians(lower), math.radians(upper)
    room = max(8 * n + 64, 2 * contacts)
    return layout.Body(
        bodies=bodies,
        links=links,
        loads=bodies[n:],
        shapes=_pack_loads(loads, world, bodies[n:]),
        loops=new_loops(len(loads), n, min(len(loads), 4)),
        joints=joints,
        contacts=records(room, layout.CONTACT),
        previous=records(room, layout.CONTACT),
        counts=np.zeros(2, np.int64),
        near=np.zeros((len(bodies), 16), np.int64),
        step=np.zeros(1, np.int64),
        com=np.zeros(4),
        last=np.zeros(2),
        pieces=np.zeros(2, np.int64),
        blame=np.zeros(2, np.int64),
        ledger=np.zeros(layout.LEDGER_SIZE),
        memory=np.zeros(memory),
    )


def _pack_loads(loads: tuple[Load, ...], world: World | None, bodies: Any) -> Any:
    """The outlines of the loads; what they are goes into their records."""
    shapes = records(len(loads), layout.LOAD)
    for load, body, shape in zip(loads, bodies, shapes, strict=True):
        body.mass, body.inertia, body.radius = load.mass, load.moment_of_inertia, load.reach
        body.half = load.reach
        shape.half_width, shape.half_height = load.half_sizes
        shape.radius, shape.mu, shape.arm = load.rounding, load.friction, load.friction_arm
        assert world is not None
        law = load.contact or world.contact
        shape.friction, shape.restitution = law.friction, law.restitution
    return shapes


def new_loops(loads: int, links: int, room: int) -> layout.Loops:
    """Scratch of loads that are coupled to others; room: how many at once."""
    return layout.Loops(
        order=np.arange(loads),
        widest=np.zeros(1),
        slot=np.zeros(loads, np.int64),
        coupled=np.zeros(room + 1, np.int64),
        term=np.zeros((loads, 9)),
        touched=np.zeros(room, np.bool_),
        response=np.zeros((3 * room, links, 3)),
        matrix=np.zeros((3 * room, 3 * room)),
        first=np.zeros(3 * room, np.int64),
        step=np.zeros(3 * room),
    )


def pack_drive(
    controller: object, joints: int, time_step: float
) -> tuple[layout.Drive, layout.Floats]:
    """What moves the joints, and what a compiled controller remembers at first.

    Args:
        controller: A compiled controller; with any other the joints hold what they are commanded.
        joints: Number of joints.
        time_step: s.
    """
    if not isinstance(controller, CompiledController):
        return layout.Drive(layout.HELD_GAIT, layout.NO_CONTROL), np.zeros(0)
    control, memory = controller.control(joints, time_step)
    return layout.Drive(controller.gait(), control), memory


def with_more_room(body: layout.Body) -> layout.Body:
    """An empty body like another one, with room for twice as many contacts and neighbours."""
    loads, room = len(body.loads), 2 * len(body.contacts)
    coupled = min(loads, 2 * (len(body.loops.coupled) - 1))
    return body._replace(
        contacts=records(room, layout.CONTACT),
        previous=records(room, layout.CONTACT),
        near=np.zeros((len(body.bodies), 2 * body.near.shape[1]), np.int64),
        loops=new_loops(loads, len(body.links), coupled),
    )
