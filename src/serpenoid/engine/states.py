"""The first state of a robot, and states copied to and from the records of the kernels."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from serpenoid.control.interface import CompiledController
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import Prescribed, SeriesElastic
from serpenoid.model.robot import Lumps, Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.surfaces import surface_of
from serpenoid.model.world import World


def first_state(
    robot: Robot,
    world: World,
    controller: object,
    start: Start,
    time_step: float,
    added: tuple[Floats, Floats] | None = None,
) -> State:
    """The state of a robot that starts as told.

    Args:
        robot: The robot.
        world: Where it is; its loads are part of the state.
        controller: Whose shape at t = 0 the robot has if the start has none.
        start: The pose and its rates.
        time_step: s.
        added: Angles, rad, and rates, rad/s, (n-1,) each, that a controller in Python adds to that
            shape.
    """
    n = len(robot.links)
    angles, rates = np.zeros(n - 1), np.zeros(n - 1)
    if isinstance(controller, CompiledController):
        angles, rates = controller.angles(n - 1), controller.rates(n - 1)
    commanded = angles
    if added is not None:
        angles, rates = angles + added[0], rates + added[1]
        # On top of a compiled controller it is no part of what that commands.
        commanded = commanded if isinstance(controller, CompiledController) else angles
    rates = np.where([isinstance(j.actuator, Prescribed) for j in robot.joints], rates, 0.0)
    if start.joint_angles_deg is not None:
        angles = commanded = _per_joint("joint_angles_deg", start.joint_angles_deg, n - 1)
        _check_prescribed(robot, controller, angles)
    if start.joint_rates_deg is not None:
        rates = _per_joint("joint_rates_deg", start.joint_rates_deg, n - 1)
    _check_limits(robot, angles)
    theta = np.concatenate([[0.0], np.cumsum(angles)])
    theta += np.radians(start.heading_deg) - theta.mean()
    omega = np.concatenate([[0.0], np.cumsum(rates)])
    omega += np.radians(start.spin_deg) - omega.mean()
    lumps = robot.lumps()
    mass, inertia = lumps.mass, lumps.inertia
    direction = np.stack([np.cos(theta), np.sin(theta)], axis=1)
    across = np.stack([-direction[:, 1], direction[:, 0]], axis=1)
    swing = _about_centre(lumps, np.array(start.velocity), across, omega)
    com = np.array([start.x, start.y])
    if start.link is not None:
        if not 0 <= start.link < n:
            raise InvalidInput(
                f"start.link = {start.link} is not allowed: the robot has links 0 to {n - 1}"
            )
        centres = _about_centre(lumps, np.zeros(2), direction)
        com = com - centres[start.link] - lumps.middle[start.link] * direction[start.link]
    # Springs start without load.
    drive = np.zeros((n - 1, 4))
    drive[:, 0], drive[:, 1] = angles, rates
    if isinstance(controller, CompiledController):
        drive[:, 2] = controller.phases(n - 1)
    velocity = np.column_stack([swing, omega])
    bare = np.array([0.0 if link.wheels else link.length for link in robot.links])
    ledger = np.zeros(layout.LEDGER_SIZE)
    with np.errstate(over="ignore"):
        ledger[layout.KINETIC] = 0.5 * (mass @ (swing**2).sum(axis=1) + inertia @ omega**2)
        ledger[layout.ROTOR] = _rotor_energy(robot, omega, rates)
        ledger[layout.KINETIC] += ledger[layout.ROTOR]
        ground = surface_of(world.friction, robot)
        ledger[layout.KINETIC] += _fluid_energy(ground, bare, theta, velocity)
    blank = _blank_state(n, len(world.loads), time_step)
    load = np.zeros_like(blank.load)
    for row, one in zip(load, world.loads, strict=True):
        row[:6] = one.x, one.y, np.radians(one.angle_deg), *one.velocity, np.radians(one.spin_deg)
        ledger[layout.KINETIC] += 0.5 * one.mass * (row[3] ** 2 + row[4] ** 2)
        ledger[layout.KINETIC] += 0.5 * one.moment_of_inertia * row[5] ** 2
    return dataclasses.replace(
        blank,
        com=com,
        theta=theta,
        velocity=velocity,
        drive=drive,
        command=np.column_stack([commanded, np.zeros((n - 1, 2))]),
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


def _fluid_energy(surface: Any, bare: Any, theta: Any, velocity: Floats) -> float:
    """Kinetic energy of the fluid that moves with the links, see `kernels.laws.added_mass`, J.

    Args:
        surface: Kernel records of the ground under each link.
        bare: Lengths of the links, 0 of those that wheels carry, (n,), m.
        theta: Link angles, (n,), rad.
        velocity: vx, vy and omega of the links, (n, 3).
    """
    vx, vy, omega = velocity.T
    a, b = vx * np.cos(theta) + vy * np.sin(theta), vy * np.cos(theta) - vx * np.sin(theta)
    linear = surface.mass_along * a**2 + surface.mass_across * b**2
    turning = surface.mass_spread * bare**2 * omega**2
    return 0.5 * float((linear * (bare > 0.0) + turning).sum())


def link_middles(robot: Robot, state: State) -> tuple[Floats, Floats]:
    """Where the middles of the links are in a state, m, and their velocities, m/s; (n, 2) each."""
    lumps, (vx, vy, omega) = robot.lumps(), state.velocity.T
    direction = np.stack([np.cos(state.theta), np.sin(state.theta)], axis=1)
    middles = _about_centre(lumps, state.com, direction) + lumps.middle[:, None] * direction
    vx = vx - lumps.middle * omega * direction[:, 1]
    vy = vy + lumps.middle * omega * direction[:, 0]
    return middles, np.stack([vx, vy], axis=1)


def _about_centre(lumps: Lumps, mean: Floats, axes: Floats, rates: Any = 1.0) -> Floats:
    """Centres of mass of the links, or their velocities, (n, 2).

    Args:
        lumps: Masses of the links, and distances of their hinges.
        mean: The same of the robot, (2,).
        axes: Directions along the links; across them for velocities, (n, 2).
        rates: Angular velocities for velocities, (n,), rad/s.
    """
    front, back = ((rates * reach)[:, None] * axes for reach in (lumps.front, lumps.back))
    steps = np.concatenate([np.zeros((1, 2)), front[:-1] + back[1:]])
    centres: Floats = np.cumsum(steps, axis=0)
    centres += mean - lumps.mass @ centres / lumps.mass.sum()
    return centres


def _per_joint(name: str, values: tuple[float, ...], joints: int) -> Floats:
    if len(values) != joints:
        raise InvalidInput(
            f"start.{name} has {len(values)} entries, but the robot has {joints} joints"
        )
    return np.radians(values)


def _check_prescribed(robot: Robot, controller: object, angles: Floats) -> None:
    # What a controller in Python commands is not known beforehand.
    if not isinstance(controller, CompiledController) or controller.own is not None:
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


def _blank_state(links: int, loads: int, time_step: float) -> State:
    """The state of a robot at rest at the origin, its joints straight.

    Args:
        links: Number of links.
        loads: Number of loads.
        time_step: s.
    """
    rows = {"links": links, "joints": links - 1, "loads": loads, "previous": 0, "memory": 0}
    rows |= {"supports": 0, "added": 0}
    rows |= {"com": 2, "ledger": layout.LEDGER_SIZE}
    values: dict[str, Any] = {"time_step": time_step}
    for name, (place, _) in State.places().items():
        shape = () if isinstance(place.part, int) else (rows[place.member],)
        values[name] = np.zeros((*shape, len(place.names)) if place.names[1:] else shape)
    return State.from_values(values)


def get_state(body: layout.Body, time_step: float) -> State:
    """The state that the records are in, as copies.

    Args:
        body: Robot and loads.
        time_step: s.
    """
    values: dict[str, Any] = {"time_step": time_step}
    for name, (place, _) in State.places().items():
        member = getattr(body, place.member)
        if not place.names:
            values[name] = np.zeros(0) if member is None else np.array(member[place.part])
            continue
        # Plain arrays of records: those with attributes take twenty times as long for each field.
        table = np.zeros(0, layout.SUPPORT) if member is None else member.view(np.ndarray)
        if place.member == "previous":
            table = table[: body.counts[1]]
        columns = [table[column] for column in place.names]
        values[name] = np.stack(columns, axis=1) if columns[1:] else np.array(columns[0])
    return State.from_values(values)


def put_state(body: layout.Body, state: State) -> None:
    """Set the records to a state, one of this robot in its world (see `state_check`)."""
    body.counts[1] = len(state.contact)
    for name, (place, _) in State.places().items():
        member, value = getattr(body, place.member), getattr(state, name)
        if name == "memory":
            # That of another controller means nothing to this one.
            if len(value) == len(member) > 0 and value[layout.OWNER] == member[layout.OWNER]:
                member[:] = value
        elif name == "added":
            # Without it, or in a run that had none, nothing is commanded on top.
            if member is not None:
                member[:] = value if len(value) == len(member) else 0.0
        elif name == "support" and (member is None or len(member) != len(value)):
            # The points of other ground or loads; multipliers are a guess for the next step.
            for column in place.names if member is not None else ():
                member[column] = 0
        elif not place.names:
            member[place.part] = value
        else:
            table = member.view(np.ndarray)[: len(value)]
            for column, numbers in zip(place.names, np.atleast_2d(value.T), strict=True):
                table[column] = numbers
    loads, joints = body.loads.view(np.ndarray), body.joints.view(np.ndarray)
    loads["ex"], loads["ey"] = np.cos(loads["theta"]), np.sin(loads["theta"])
    joints["tick"] = state.command_time
    if body.added is not None and len(body.added):
        joints["torque"] = added_commands(body.added)[:, 2]


def put_command(joints: Any, bodies: Any, last: Any, command: Sequence[Any], time: Any) -> None:
    """Let the joints follow a command, and measure contact forces anew.

    Args:
        joints: Of `layout.Body`; or of many robots, with the robot axis in front.
        bodies: The same.
        last: The same.
        command: Angle, rad, rate, rad/s, and torque, N m, (n-1,) or what broadcasts to it.
        time: Of the command, s.
    """
    joints, bodies = joints.view(np.ndarray), bodies.view(np.ndarray)
    joints["angle"], joints["rate"], joints["torque"] = command
    joints["tick"] = np.asarray(time)[..., None]
    bodies["tick_x"] = bodies["tick_y"] = 0.0
    last[..., 1] = time


def put_added(added: Floats, bodies: Any, command: Sequence[Any], time: Any) -> None:
    """Command joints on top of their controller, and measure contact forces anew.

    The controller itself goes on with the forces since its own last tick. Torques of the joints are
    left to the caller.

    Args:
        added: Of `layout.Body`; or of many robots, with the robot axis in front.
        bodies: The same.
        command: Angle, rad, rate, rad/s, and torque, N m, (n-1,) or what broadcasts to it.
        time: Of the command, s.
    """
    told = added_commands(added)
    added[..., 0] = time
    told[..., 0], told[..., 1], told[..., 2] = command
    joints = told.shape[-2]
    links, begin = bodies.view(np.ndarray)[..., : joints + 1], layout.ADDED_HEAD + 3 * joints
    added[..., begin::2], added[..., begin + 1 :: 2] = -links["tick_x"], -links["tick_y"]


def added_commands(added: Floats) -> Floats:
    """Angle, rate and torque on top of each joint, (..., n-1, 3), in the same memory."""
    # Three numbers for each joint and two for each link.
    joints = (added.shape[-1] - layout.added_size(1)) // 5
    told = added[..., layout.ADDED_HEAD : layout.ADDED_HEAD + 3 * joints]
    return told.reshape(*told.shape[:-1], joints, 3)


def added_angles(body: layout.Body, time: float) -> Any:
    """Angles that are commanded on top at a time, (n-1,), rad; 0 if nothing is."""
    if body.added is None or not len(body.added):
        return 0.0
    told = added_commands(body.added)
    return told[:, 0] + told[:, 1] * (time - body.added[0])


def check_kinetic_energy(body: layout.Body, surface: Any) -> None:
    """Refuse a state whose ledger holds another kinetic energy than this robot has.

    That is the energy of links, loads and rotors, and of the fluid that moves with the links.

    Args:
        body: Robot and loads.
        surface: Kernel records of the ground under each link.
    """
    links, joints, bodies = (
        records.view(np.ndarray) for records in (body.links, body.joints, body.bodies)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        linear = bodies["mass"] * (bodies["vx"] ** 2 + bodies["vy"] ** 2)
        energy = 0.5 * float((linear + bodies["inertia"] * bodies["omega"] ** 2).sum())
        spin = links["omega"][:-1] + joints["ratio"] * joints["psi_rate"]
        energy += 0.5 * float((joints["rotor"] * spin**2).sum())
        bare = np.where(links["wheel"] == layout.NO_WHEELS, 2.0 * links["half"], 0.0)
        velocity = np.stack([links["vx"], links["vy"], links["omega"]], axis=1)
        energy += _fluid_energy(surface, bare, links["theta"], velocity)
    booked = float(body.ledger[layout.KINETIC])
    if not abs(energy - booked) <= 1e-9 * energy:
        raise InvalidInput("the state is that of another robot: its kinetic energy differs")
