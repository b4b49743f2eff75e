"""Steady motion of a gait on viscous ground, by shooting instead of a long simulation.

In the axes of the tail link a steady motion has the period of the gait. The velocities at the start
of a period are varied until the period ends with the same ones; each trial integrates one period of
the recursive model.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.energy import ratio
from serpenoid.analysis.recursion import Motion, Recursion, Values
from serpenoid.checks import check_type, real_number
from serpenoid.control.gaits import Serpenoid
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.methods.prescribed_motion import base_velocity
from serpenoid.model.surfaces import surface_of

# Rows of a period; sums over them converge fast, since the motion is smooth and periodic.
_ROWS = 64
# Tolerance of the integrator; largest change of velocities over a period, m/s and rad/s.
_TOLERANCE, _CLOSED = 1e-9, 1e-7
# Longest period, in time constants of the slowing down of a link by the ground.
_LONGEST = 1e5
# Rough steps towards a speed; largest change of the logarithm of the frequency after them.
_ROUGH, _FAR = 12, 2.0


@dataclass(frozen=True, eq=False)
class Steady:
    """One period of a steady motion.

    Attributes:
        model: The model that moves.
        gait: Its gait.
        motion: 65 rows from time 0 on, with the tail end of the robot at the origin and its tail
            link along x at first.
        slopes: Jacobian of the equations that were solved, a first guess for similar motions.
    """

    model: Recursion
    gait: Serpenoid
    motion: Motion
    slopes: Floats | None = None

    @property
    def period(self) -> float:
        """Period of the gait, s."""
        return float(self.motion.time[-1])

    @property
    def speed(self) -> float:
        """Displacement of the centre of mass in a period over its duration, m/s."""
        return _speed(self.motion)

    @property
    def turn(self) -> float:
        """Rotation of the robot in a period, rad."""
        return float(self.motion.position[-1, 2])

    @property
    def power(self) -> float:
        """Mean power lost to the ground, which is what the joints supply, W."""
        return float(self.motion.friction_work[-1]) / self.period

    @property
    def kinetic(self) -> float:
        """Mean kinetic energy, J."""
        return float(self.motion.kinetic[:-1].mean())

    @property
    def specific_power(self) -> float:
        """Mean power over mass and squared speed, P / (M V^2), 1/s."""
        return ratio(self.power, self.model.robot.mass * self.speed**2).item()

    @property
    def efficiency(self) -> float:
        """Power to pull the straight robot along at the same speed over mean power, 0 to 1."""
        along = surface_of(self.model.friction, self.model.robot).along.sum()
        return ratio(along * self.speed**2, self.power).item()

    @property
    def start(self) -> Floats:
        """Velocities of the tail link at the start of a period, (3,), m/s and rad/s."""
        velocity: Floats = self.motion.velocity[0]
        return velocity


def steady(model: Recursion, gait: Serpenoid) -> Steady:
    """Find the steady motion of a gait.

    Args:
        model: Robot and ground, with friction.
        gait: The gait.

    Returns:
        One period of the steady motion.

    Raises:
        InvalidInput: The ground has no friction, the gait is too slow, or no steady motion was
            found.
    """
    _check(model, gait)
    # A first period from rest forgets most of the start.
    guess = _own_velocity(_period(model, gait, (0.0, 0.0, 0.0)))
    start, _ = _root(lambda start: _opening(_period(model, gait, start)), guess, None)
    return _closed(model, gait, start)


def steady_at_speed(
    model: Recursion, gait: Serpenoid, speed: float, near: Steady | None = None
) -> Steady:
    """Find the steady motion at a mean speed, by varying the frequency of a gait.

    Args:
        model: Robot and ground, with friction.
        gait: The gait; its frequency is where the search begins, unless `near` is given.
        speed: Mean speed, m/s.
        near: Motion of a similar gait, found by this function for the same model; it makes the
            search faster.

    Returns:
        One period of the steady motion, with the gait that was found.

    Raises:
        InvalidInput: A value is not allowed, or no frequency gives this speed.
    """
    _check(model, gait)
    speed = real_number("speed", speed, "greater than 0 (m/s)", lambda v: v > 0)
    found = None if near is None else _polished(model, gait, speed, near)
    if found is None and (rough := _roughly(model, gait, speed)) is not None:
        found = _polished(model, gait, speed, rough)
    if found is not None:
        return found
    raise InvalidInput(
        f"speed = {speed:g} is not allowed: no frequency was found with which this gait has it"
    )


def _check(model: Recursion, gait: Serpenoid) -> None:
    check_type("model", model, Recursion)
    check_type("gait", gait, Serpenoid)
    surface = surface_of(model.friction, model.robot)
    resistance = np.maximum(surface.along, surface.across)
    if not resistance.any():
        raise InvalidInput(
            f"friction = {model.friction} is not allowed: without it no motion becomes steady"
        )
    if not gait.frequency_deg:
        raise InvalidInput("gait.frequency_deg = 0 is not allowed: a gait at rest has no period")
    slowing = 1.0 / float((resistance / surface.mass).max())
    # The integrator's steps are about as long as the ground takes to slow a link down.
    if _period_of(gait) > _LONGEST * slowing:
        raise InvalidInput(
            f"gait.frequency_deg = {gait.frequency_deg:g} is not allowed: it must be at least "
            f"{360.0 / (_LONGEST * slowing):g}, so that a period is at most {_LONGEST:g} times the "
            f"{slowing:g} s in which the ground slows a link down"
        )


def _roughly(model: Recursion, gait: Serpenoid, speed: float) -> Steady | None:
    """The motion at a frequency that gives about the speed, to which it is nearly proportional."""
    for _ in range(_ROUGH):
        try:
            found = steady(model, gait)
        except InvalidInput:
            return None
        if abs(found.speed / speed - 1) < 0.1:
            return found
        gait = _times(gait, speed / max(found.speed, 0.1 * speed))
    return None


def _polished(model: Recursion, gait: Serpenoid, speed: float, near: Steady) -> Steady | None:
    """Start and frequency solved together from a similar motion; None if that is too far off."""
    gait = dataclasses.replace(gait, frequency_deg=near.gait.frequency_deg)

    def at(unknown: Floats) -> Serpenoid:
        return _times(gait, math.exp(np.clip(unknown[3], -_FAR, _FAR)))

    def misses(unknown: Floats) -> Floats:
        motion = _period(model, at(unknown), unknown[:3])
        # As a share, so that slow motions are found as precisely as fast ones.
        return np.append(_opening(motion), _speed(motion) / speed - 1)

    try:
        unknown, slopes = _root(misses, np.append(near.start, 0.0), near.slopes)
        done = _closed(model, at(unknown), unknown[:3], slopes)
    except InvalidInput:
        return None
    return done if abs(done.speed / speed - 1) < 1e-6 else None


def _times(gait: Serpenoid, factor: float) -> Serpenoid:
    """The gait with its frequency multiplied by a factor."""
    return dataclasses.replace(gait, frequency_deg=gait.frequency_deg * factor)


def _root(
    misses: Callable[[Floats], Floats], guess: Floats, slopes: Floats | None
) -> tuple[Floats, Floats]:
    """Root of the misses and the Jacobian there; a first guess of that saves many periods."""
    from scipy import optimize

    given = None if slopes is None else lambda _: slopes
    # A small factor keeps the first step short, and so frequencies near where they are known.
    found = optimize.root(misses, guess, jac=given, options={"xtol": 1e-9, "factor": 1.0})
    # Its QR factors, the triangle row by row.
    size = len(guess)
    triangle = np.zeros((size, size))
    triangle[np.triu_indices(size)] = found.r
    return found.x, found.fjac.T @ triangle


def _period_of(gait: Serpenoid) -> float:
    return 360.0 / abs(gait.frequency_deg)


def _period(model: Recursion, gait: Serpenoid, start: Values, rows: int = 1) -> Motion:
    period = _period_of(gait)
    return model.integrate(
        gait, period, velocity=start, record_period=period / rows, tolerance=_TOLERANCE
    )


def _own_velocity(motion: Motion) -> Floats:
    """Velocities of the tail link at the end, in its own axes, (3,), m/s and rad/s."""
    _, _, omega, vx, vy, _ = base_velocity(motion.position[-1, 2], *motion.velocity[-1])
    return np.array([vx, vy, omega])


def _opening(motion: Motion) -> Floats:
    """Change of the velocities of the tail link, in its own axes, over a period, (3,)."""
    change: Floats = _own_velocity(motion) - motion.velocity[0]
    return change


def _closed(
    model: Recursion, gait: Serpenoid, start: Floats, slopes: Floats | None = None
) -> Steady:
    motion = _period(model, gait, start, _ROWS)
    if not np.abs(_opening(motion)).max() < _CLOSED:
        raise InvalidInput(f"gait = {gait} is not allowed: no steady motion of it was found")
    return Steady(model, gait, motion, slopes)


def _speed(motion: Motion) -> float:
    dx, dy = motion.centre[-1] - motion.centre[0]
    return math.hypot(dx, dy) / float(motion.time[-1])
