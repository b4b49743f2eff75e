"""Checks of what a closed loop is made of."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from serpenoid.checks import one_of, real_number, whole_number
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import Servo
from serpenoid.model.robot import Robot

Side = Literal["left", "right"]


def check_gain(name: str, gain: float) -> float:
    """Refuse a gain that is no finite number of at least 0; name: for the message."""
    return real_number(name, gain, "a finite number, at least 0 (rad/N)", lambda each: each >= 0)


def check_cutoff(cutoff: float) -> float:
    """Refuse a cut-off frequency that is not greater than 0."""
    words = "a finite number greater than 0 (Hz)"
    return real_number("cutoff", cutoff, words, lambda each: each > 0)


def check_period(period: float) -> float:
    """Refuse a time between ticks that is not greater than 0."""
    words = "a finite number greater than 0 (s)"
    return real_number("period", period, words, lambda each: each > 0)


def check_contacts(contacts: Any, links: int) -> Mapping[int, Side]:
    """Links in contact in their order, with their sides."""
    if not isinstance(contacts, Mapping) or not contacts:
        raise InvalidInput(
            f"contacts = {contacts!r} is not allowed: it must name at least one link and its "
            "side, as {3: 'left'}"
        )
    sides: dict[int, Any] = {}
    for link, side in contacts.items():
        number = whole_number("contacts: link", link, least=0, most=links - 1)
        sides[number] = one_of(f"contacts[{number}]", side, ("left", "right"))
    return MappingProxyType(dict(sorted(sides.items())))


def servo_gains(robot: Robot) -> tuple[Floats, Floats]:
    """Gains kp and kd of the joints of a robot that has servos and no ideal wheels."""
    for number, link in enumerate(robot.links):
        if link.wheels is not None and link.wheels.is_ideal:
            raise InvalidInput(
                f"robot.links[{number}].wheels is not allowed: ideal wheels hold a link like a "
                "contact whose force is not measured; give them a mu"
            )
    if not robot.joints:
        raise InvalidInput("robot.joints = () is not allowed: there must be a joint to adapt")
    gains = []
    for number, joint in enumerate(robot.joints):
        drive = joint.actuator
        if not isinstance(drive, Servo) or drive.deadband_deg:
            found = type(drive).__name__ if not isinstance(drive, Servo) else "a Servo with play"
            raise InvalidInput(
                f"robot.joints[{number}].actuator = {found} is not allowed: it must be a Servo "
                "without deadband_deg"
            )
        gains.append((drive.kp, drive.kd))
    kp, kd = np.array(gains, dtype=float).T
    return kp, kd
