"""Copies states to and from the records of the kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.model.state import State


def blank_state(links: int, loads: int, time_step: float) -> State:
    """The state of a robot at rest at the origin, its joints straight.

    Args:
        links: Number of links.
        loads: Number of loads.
        time_step: s.
    """
    rows = {"links": links, "joints": links - 1, "loads": loads, "previous": 0, "memory": 0}
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
            values[name] = np.array(member[place.part])
            continue
        # Plain arrays of records: those with attributes take twenty times as long for each field.
        table = member.view(np.ndarray)
        if place.member == "previous":
            table = table[: body.counts[1]]
        columns = [table[column] for column in place.names]
        values[name] = np.stack(columns, axis=1) if columns[1:] else np.array(columns[0])
    return State.from_values(values)


def put_state(body: layout.Body, state: State) -> None:
    """Set the records to a state.

    Raises:
        InvalidInput: The state is that of another robot.
    """
    for what, owner, mine, its in (
        ("links", "robot", len(body.links), len(state.theta)),
        ("loads", "world", len(body.loads), len(state.load)),
    ):
        if mine != its:
            raise InvalidInput(f"the state has {its} {what}, but the {owner} has {mine}")
    body.counts[1] = len(state.contact)
    for name, (place, _) in State.places().items():
        member, value = getattr(body, place.member), getattr(state, name)
        if name == "memory":
            _put_memory(member, value)
        elif not place.names:
            member[place.part] = value
        else:
            table = member.view(np.ndarray)[: len(value)]
            for column, numbers in zip(place.names, np.atleast_2d(value.T), strict=True):
                table[column] = numbers
    loads, joints = body.loads.view(np.ndarray), body.joints.view(np.ndarray)
    loads["ex"], loads["ey"] = np.cos(loads["theta"]), np.sin(loads["theta"])
    joints["tick"] = state.command_time


def put_command(body: layout.Body, angle: Any, rate: Any, torque: Any, time: float) -> None:
    """Let the joints follow a command, and measure contact forces anew.

    Args:
        body: The robot.
        angle: rad, (n-1,) or one number.
        rate: rad/s.
        torque: N m.
        time: Of the command, s.
    """
    joints, links = body.joints.view(np.ndarray), body.links.view(np.ndarray)
    joints["angle"], joints["rate"], joints["torque"], joints["tick"] = angle, rate, torque, time
    links["tick_x"] = links["tick_y"] = 0.0
    body.last[1] = time


def kinetic_energy(body: layout.Body) -> float:
    """Kinetic energy of links, loads and rotors, J."""
    links, joints, bodies = (
        records.view(np.ndarray) for records in (body.links, body.joints, body.bodies)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        linear = bodies["mass"] * (bodies["vx"] ** 2 + bodies["vy"] ** 2)
        energy = 0.5 * float((linear + bodies["inertia"] * bodies["omega"] ** 2).sum())
        spin = links["omega"][:-1] + joints["ratio"] * joints["psi_rate"]
        return energy + 0.5 * float((joints["rotor"] * spin**2).sum())


def check_kinetic_energy(body: layout.Body) -> None:
    """Refuse a state whose ledger holds another kinetic energy than this robot has."""
    energy, booked = kinetic_energy(body), float(body.ledger[layout.KINETIC])
    if math.isfinite(energy) and abs(energy - booked) > 1e-9 * energy:
        raise InvalidInput("the state is that of another robot: its kinetic energy differs")


def _put_memory(mine: layout.Floats, kept: layout.Floats) -> None:
    """That of another controller means nothing to this one."""
    if len(kept) == len(mine) > 0 and kept[layout.OWNER] == mine[layout.OWNER]:
        mine[:] = kept
