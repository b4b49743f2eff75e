"""Critical gains over servos and filters, and a gain that is stable along a whole wave."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.contact_stability.loop import ON_AXIS, ContactLoop, contact_loop
from serpenoid.analysis.contact_stability.loop_inputs import Side, check_gain
from serpenoid.analysis.parameter_map import ParameterMap, different_numbers
from serpenoid.checks import check_type, real_number, whole_number
from serpenoid.control.feedback import Follower
from serpenoid.control.gaits import Serpenoid
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot

# Gains at which groups of links are looked at before one of them is bisected, in units of the
# smallest critical gain so far.
_TRIED = np.geomspace(0.05, 1.0, 8)


@dataclass(frozen=True, eq=False)
class StabilityMap(ParameterMap):
    """Growth rates and critical gains over gain, damping and cut-off frequency, a row for each.

    Columns are `gain` (rad/N), `kd` (N m s/rad), `cutoff` (Hz), `growth_rate` (1/s), the largest
    real part of the poles, and `critical_gain` (rad/N).

    Attributes:
        columns: The columns by name, (rows,) each.
    """

    _units: ClassVar[dict[str, str]] = {
        "gain": "rad/N",
        "kd": "N m s/rad",
        "cutoff": "Hz",
        "growth_rate": "1/s",
        "critical_gain": "rad/N",
    }


def stability_map(
    loop: ContactLoop,
    *,
    gain: npt.ArrayLike,
    kd: npt.ArrayLike | None = None,
    cutoff: npt.ArrayLike | None = None,
) -> StabilityMap:
    """Growth rates and critical gains of a contact set with other servos and filters.

    Args:
        loop: The robot and its contacts.
        gain: Gains of the adaptation, rad/N.
        kd: Derivative gains of the servos, N m s/rad; that of the first joint if not given.
        cutoff: Cut-off frequencies of the reference filter, Hz; that of the loop if not given.

    Returns:
        The map, with all combinations, gains changing fastest.

    Raises:
        InvalidInput: A value is not allowed.
    """
    check_type("loop", loop, ContactLoop)
    gains = different_numbers("gain", gain)
    for each in gains:
        check_gain("gain", each)
    dampings = different_numbers("kd", loop.kd[:1] if kd is None else kd)
    cutoffs = different_numbers("cutoff", [loop.cutoff] if cutoff is None else cutoff)
    rows = []
    for damping, frequency in itertools.product(dampings, cutoffs):
        other = loop.changed(kd=damping, cutoff=frequency)
        critical = other.critical_gain()
        for each, rate in zip(gains, other.growth_rates(gains).tolist(), strict=True):
            rows.append((each, damping, frequency, rate, critical))
    return StabilityMap(dict(zip(StabilityMap._units, np.array(rows).T, strict=True)))


def wave_shapes(wave: Follower | Serpenoid, joints: int, count: int = 24) -> Floats:
    """Shapes that a robot goes through in a period of its wave, without adaptation and heading.

    Args:
        wave: Body wave. Joints behind a `Follower` repeat the head joint's swing, late by its
            delay each, so that the head link swings by its amplitude.
        joints: Number of joints n - 1.
        count: Number of shapes.

    Returns:
        Joint angles, (count, n-1), rad.

    Raises:
        InvalidInput: A value is not allowed.
    """
    joints, count = whole_number("joints", joints), whole_number("count", count)
    turns = 2 * math.pi * np.arange(count) / count
    if isinstance(wave, Serpenoid):
        degrees = wave.phase_deg * np.arange(joints - 1, -1, -1)
        angle = turns[:, None] + np.radians(degrees + wave.start_deg)
        shapes: Floats = np.radians(wave.offset_deg + wave.amplitude_deg * np.sin(angle))
        return shapes
    if not isinstance(wave, Follower):
        raise InvalidInput(f"wave = {wave!r} is not allowed: it must be a Follower or a Serpenoid")
    late = np.exp(-1j * math.radians(wave.frequency_deg) * wave.delay * np.arange(joints)[::-1])
    # The head link is ahead of the mean of all by the sum of (j + 1) / n phi_j, which no delay
    # makes 0.
    head = late @ np.arange(1, joints + 1) / (joints + 1)
    swing = math.radians(wave.amplitude_deg) / head * np.exp(1j * turns)
    return np.asarray((swing[:, None] * late).imag, dtype=float)


def worst_contacts(
    robot: Robot,
    wave: Follower | Serpenoid,
    *,
    cutoff: float = 0.75,
    period: float | None = None,
    shapes: int = 24,
) -> ContactLoop:
    """Neighbouring links in contact, and shape in a wave, with the smallest critical gain.

    All groups of neighbouring links are tried in all shapes, without preload, so that sides have no
    effect.

    Args:
        robot: The robot, with servos; see `contact_loop`.
        wave: Body wave.
        cutoff: Cut-off frequency of the reference filter, Hz.
        period: Time between ticks of the controller, s; none if not given.
        shapes: Number of shapes in a period of the wave.

    Returns:
        The loop with the smallest critical gain; the first one if no gain up to 1 rad/N is
        unstable.

    Raises:
        InvalidInput: A value is not allowed.
    """
    check_type("robot", robot, Robot)
    n = len(robot.links)
    worst: ContactLoop | None = None
    least = math.inf
    for angles in np.degrees(wave_shapes(wave, max(1, n - 1), shapes)).tolist():
        for first, last in itertools.combinations(range(n + 1), 2):
            group: dict[int, Side] = dict.fromkeys(range(first, last), "left")
            loop = contact_loop(robot, angles, group, cutoff=cutoff, period=period)
            if worst is None:
                worst, least = loop, loop.critical_gain()
            elif (loop.growth_rates(least * _TRIED) > ON_AXIS).any():
                worst, least = loop, loop.critical_gain(most=least)
    assert worst is not None
    return worst


def stable_gain(
    robot: Robot,
    wave: Follower | Serpenoid,
    *,
    cutoff: float = 0.75,
    period: float | None = None,
    margin: float = 2.0,
    shapes: int = 24,
) -> float:
    """A gain of the adaptation that is stable whichever neighbouring links are in contact.

    Args:
        robot: The robot, with servos; see `contact_loop`.
        wave: Body wave.
        cutoff: Cut-off frequency of the reference filter, Hz.
        period: Time between ticks of the controller, s; none if not given.
        margin: What the smallest critical gain is divided by, at least 1.
        shapes: Number of shapes in a period of the wave.

    Returns:
        The gain, rad/N; 1 over the margin if no gain up to 1 rad/N is unstable.

    Raises:
        InvalidInput: A value is not allowed.
    """
    real_number("margin", margin, "a finite number, at least 1", lambda each: each >= 1)
    worst = worst_contacts(robot, wave, cutoff=cutoff, period=period, shapes=shapes)
    return worst.critical_gain() / margin
