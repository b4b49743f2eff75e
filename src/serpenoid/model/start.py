"""Start of a run: the pose, the state that follows from it, and checks that it is possible."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.control.interface import CompiledController
from serpenoid.errors import InvalidInput, Overlap
from serpenoid.kernels import layout
from serpenoid.model.actuator import Prescribed, SeriesElastic
from serpenoid.model.robot import Robot
from serpenoid.model.state import State
from serpenoid.model.world import World
from serpenoid.spec import Number, Point, Whole, spec

Floats = npt.NDArray[np.float64]

# Touching is fine; deeper than this, m, a start pose overlaps an obstacle.
_TOUCHING = 1e-6
# The same for a state to continue from, which may have entered an obstacle as far as steps may.
_ENTERED = 1e-4


@spec
class Start:
    """Pose and velocity of the robot at the start.

    Attributes:
        x: Position of the centre of mass, or of the centre of `link` if that is given, m.
        y: Position of the centre of mass, or of the centre of `link` if that is given, m.
        heading_deg: Mean of the link angles, deg.
        link: Link whose centre is put at x, y; 0 is the tail.
        joint_angles_deg: Joint angles, deg, tail first; if not given, those of the gait at t = 0,
            or straight without a gait.
        velocity: Velocity of the centre of mass, m/s.
        spin_deg: Mean of the links' angular velocities, deg/s.
        joint_rates_deg: Joint rates, deg/s; if not given, joints are at rest, except that
            prescribed joints start at the commanded rate.
    """

    x: Number = 0.0
    y: Number = 0.0
    heading_deg: Number = 0.0
    link: Whole | None = None
    joint_angles_deg: tuple[Number, ...] | None = None
    velocity: Point = (0.0, 0.0)
    spin_deg: Number = 0.0
    joint_rates_deg: tuple[Number, ...] | None = None


def first_state(
    robot: Robot, world: World, controller: object, start: Start, time_step: float
) -> State:
    """State of a robot at the start of a run.

    Args:
        robot: The robot.
        world: The world, whose loads are part of the state.
        controller: Controller; a compiled one gives the shape that the start leaves open.
        start: Pose and velocity.
        time_step: Time step of the run, s.

    Returns:
        The state at t = 0.

    Raises:
        InvalidInput: The start does not fit the robot, its joint limits or its prescribed joints.
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
                f"Start.link = {start.link} is not allowed: the robot has links 0 to {n - 1}"
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
    load = np.zeros((len(world.loads), 13))
    for row, one in zip(load, world.loads, strict=True):
        row[:6] = one.x, one.y, np.radians(one.angle_deg), *one.velocity, np.radians(one.spin_deg)
        ledger[layout.KINETIC] += 0.5 * one.mass * (row[3] ** 2 + row[4] ** 2)
        ledger[layout.KINETIC] += 0.5 * one.moment_of_inertia * row[5] ** 2
    return State(
        time_step=time_step,
        step=0,
        last_step=0.0,
        com=com,
        theta=theta,
        velocity=np.column_stack([swing, omega]),
        acceleration=np.zeros((n, 3)),
        dry=np.zeros((n, 3)),
        limit=np.zeros(n - 1),
        drive=drive,
        sticking=np.zeros(n, np.bool_),
        command=np.column_stack([angles, np.zeros((n - 1, 2))]),
        command_time=0.0,
        felt=np.zeros((n, 2)),
        contact=np.zeros((0, 4), np.int64),
        impulse=np.zeros((0, 2)),
        load=load,
        ledger=ledger,
        memory=np.zeros(0),
    )


def _rotor_energy(robot: Robot, omega: Floats, rates: Floats) -> float:
    """Kinetic energy of the rotors' rotation, J."""
    total = 0.0
    for joint, w, rate in zip(robot.joints, omega, rates, strict=False):
        drive = joint.actuator
        if isinstance(drive, SeriesElastic):
            total += 0.5 * drive.rotor_inertia * (w + drive.gear_ratio * rate) ** 2
    return total


def chain_centres(levers: tuple[Floats, Floats], direction: Floats) -> Floats:
    """Positions of the links' centres of mass relative to the tail link's.

    Args:
        levers: Distances from each link's centre of mass to the hinges ahead and behind, (n,) each,
            m.
        direction: Unit vectors along the links, (n, 2).

    Returns:
        Positions, (n, 2), m.
    """
    front, back = (lever[:, None] * direction for lever in levers)
    steps = np.concatenate([np.zeros((1, 2)), front[:-1] + back[1:]])
    centres: Floats = np.cumsum(steps, axis=0)
    return centres


def _per_joint(name: str, values: tuple[float, ...], joints: int) -> Floats:
    if len(values) != joints:
        raise InvalidInput(
            f"Start.{name} has {len(values)} entries, but the robot has {joints} joints"
        )
    return np.radians(values)


def _check_prescribed(robot: Robot, controller: object, angles: Floats) -> None:
    if not isinstance(controller, CompiledController):
        return
    wanted = controller.angles(len(angles))
    for j, joint in enumerate(robot.joints):
        if isinstance(joint.actuator, Prescribed) and abs(angles[j] - wanted[j]) > 1e-6:
            raise InvalidInput(
                f"Start.joint_angles_deg[{j}] = {np.degrees(angles[j]):g} is not allowed: joint "
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


def check_clear(body: layout.Body, world: World, packed: layout.World) -> None:
    """Refuse a start in which the robot overlaps a peg, a wall, a load or the ground.

    Args:
        body: The robot as the kernels take it; its links are placed.
        world: The world, for the messages.
        packed: The world as the kernels take it.

    Raises:
        Overlap: Something overlaps by more than rounding or, in a continued run, by more than a
            step may end inside.
    """
    if world.contact_at == "centre":
        return  # a link without width may stand in a peg, as the model lets it enter one

    allowed = _ENTERED if body.step[0] > 0 else _TOUCHING
    from serpenoid.kernels.chain import place_links

    links: Any = body.links
    place_links(links, body.com)
    centre = np.stack([links.x, links.y], axis=1)
    axis = np.stack([links.ex, links.ey], axis=1) * links.straight[:, None]
    ends = (centre - axis, centre + axis)
    for k in _pegs_around(packed.discs[: len(world.pegs)], ends, links.radius.max()):
        peg = world.pegs[k]
        at = np.array([peg.x, peg.y])
        depth = links.radius + peg.radius - distance_to_segments(at, *ends)
        _refuse(depth, allowed, f"World.pegs[{k}] at ({peg.x:g}, {peg.y:g}) m")
    for k, wall in enumerate(world.walls):
        for a, b in itertools.pairwise(np.array(wall.points)):
            distance = np.minimum.reduce(
                [distance_to_segments(a, *ends), distance_to_segments(b, *ends)]
                + [distance_to_segments(end, a, b) for end in ends]
            )
            distance = np.where(crosses(*ends, a, b), 0.0, distance)
            _refuse(links.radius - distance, allowed, f"World.walls[{k}] between {a} and {b} m")
    if world.loads:
        _check_loads(body, packed, allowed)
    # A run that goes on may be as deep in soft ground as it has got.
    if world.terrain is not None and (packed.hard or body.step[0] == 0):
        _check_ground(body, packed, allowed)


def _pegs_around(pegs: Any, ends: tuple[Floats, Floats], radius: float) -> list[int]:
    """Indices of the pegs within `radius` of the rectangle around a robot."""
    reach = pegs["radius"] + radius
    near = np.ones(len(pegs), np.bool_)
    for axis, name in enumerate("xy"):
        at = pegs[name]
        low, high = (pick(ends, axis=(0, 1))[axis] for pick in (np.min, np.max))
        near &= (at + reach >= low) & (at - reach <= high)
    return np.flatnonzero(near).tolist()


def _check_loads(body: layout.Body, world: layout.World, allowed: float) -> None:
    """Refuse loads that overlap links, obstacles or each other."""
    from serpenoid.kernels.load_bodies import deepest_overlap

    depth, a, b = deepest_overlap(world, body)
    if depth > allowed:
        n = len(body.links)
        first = f"World.loads[{b if a < n else a - n}]"
        second = "a peg or wall" if b < 0 else f"link {a}" if a < n else f"load {b}"
        raise Overlap(
            f"{first} overlaps {second} by {1e3 * depth:.3g} mm at the start; move the load or the "
            "start pose"
        )


def _check_ground(body: layout.Body, world: layout.World, allowed: float) -> None:
    from serpenoid.kernels.terrain_contacts import touch_ground

    links: Any = body.links
    for i in range(len(links)):
        count = touch_ground(world, links, i, 0.0, body.contacts, 0)
        depth = max((-float(gap) for gap in body.contacts.gap[:count]), default=0.0)
        if depth > allowed:
            raise Overlap(
                f"World.terrain is entered by link {i}, {1e3 * depth:.3g} mm deep at the start; "
                "start higher"
            )


def distance_to_segments(point: Floats, a: Floats, b: Floats) -> Floats:
    """Distance from a point to a segment; arguments broadcast.

    Args:
        point: Points, (..., 2), m.
        a: First ends of the segments, (..., 2), m.
        b: Second ends of the segments, (..., 2), m.

    Returns:
        Distances, (...), m.
    """
    along = b - a
    size = np.maximum((along**2).sum(axis=-1), 1e-300)
    s = np.clip(((point - a) * along).sum(axis=-1) / size, 0.0, 1.0)
    distance: Floats = np.linalg.norm(point - a - s[..., None] * along, axis=-1)
    return distance


def crosses(a: Floats, b: Floats, c: Floats, d: Floats) -> npt.NDArray[np.bool_]:
    """Whether segments a-b cross the segment c-d.

    Args:
        a: First ends, (k, 2), m.
        b: Second ends, (k, 2), m.
        c: First end of the one segment, (2,), m.
        d: Second end of the one segment, (2,), m.

    Returns:
        One flag for each segment a-b, (k,).
    """

    def side(p: Floats, q: Floats, r: Floats) -> Floats:
        first, second = q - p, r - p
        cross: Floats = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
        return cross

    apart = (side(c, d, a) * side(c, d, b) < 0) & (side(a, b, c) * side(a, b, d) < 0)
    return np.asarray(apart)


def _refuse(depth: Floats, allowed: float, what: str) -> None:
    link = int(depth.argmax())
    if depth[link] > allowed:
        raise Overlap(
            f"{what} overlaps link {link} by {1e3 * depth[link]:.3g} mm at the start; move it or "
            "the start pose"
        )
