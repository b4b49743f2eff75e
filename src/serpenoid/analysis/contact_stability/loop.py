"""The closed loop of contacts, servos, reference filter and adaptation, linearised at rest."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.contact_stability.chain_at_rest import ChainAtRest
from serpenoid.analysis.contact_stability.linearisation import (
    Affine,
    Parts,
    linearise,
    without_ticks,
)
from serpenoid.analysis.contact_stability.loop_inputs import (
    Side,
    check_contacts,
    check_cutoff,
    check_gain,
    check_period,
    servo_gains,
)
from serpenoid.analysis.contact_stability.preload import even_forces
from serpenoid.analysis.contact_stability.ticks import from_tick_to_tick, poles_of
from serpenoid.checks import as_numbers, check_type, real_number
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot

Poles = npt.NDArray[np.complex128]

# Poles that lie this far into the right half plane, 1/s, still count as on the axis.
ON_AXIS = 1e-6
# Gains that are looked at for a crossing: the least, relative to the largest, and how many.
_LEAST, _GAINS = 1e-5, 237


@dataclass(frozen=True, eq=False)
class ContactLoop:
    """A robot at rest with some links in contact, and what controls it; see `contact_loop`.

    Attributes:
        robot: The robot.
        joint_angles: Its shape, (n-1,), rad.
        contacts: Links in contact, and the side of each on which its obstacle is.
        cutoff: Cut-off frequency of the critically damped reference filter, Hz.
        kp: Proportional gains of the servos, (n-1,), N m/rad.
        kd: Derivative gains, (n-1,), N m s/rad.
        forces: Contact forces at rest, > 0 to the left of the link, (n,), N.
        period: Time between ticks of the controller, s; None for one without ticks.
    """

    robot: Robot
    joint_angles: Floats
    contacts: Mapping[int, Side]
    cutoff: float
    kp: Floats
    kd: Floats
    forces: Floats
    period: float | None = None

    @functools.cached_property
    def chain(self) -> ChainAtRest:
        """Its matrices without control."""
        return ChainAtRest.of(self.robot, self.joint_angles)

    @functools.cached_property
    def _parts(self) -> Parts:
        return linearise(self.chain, sorted(self.contacts), self.kp, self.kd, self.forces)

    @functools.cached_property
    def _continuous(self) -> Affine:
        return without_ticks(self._parts, 2 * math.pi * self.cutoff)

    @functools.cached_property
    def _sampled(self) -> Affine:
        assert self.period is not None
        return from_tick_to_tick(self._parts, 2 * math.pi * self.cutoff, self.period)

    def _poles(self, gains: Floats) -> Poles:
        """Poles for each of some gains, (k, poles)."""
        parts = self._continuous if self.period is None else self._sampled
        matrices = parts.still + gains[:, None, None] * parts.per_gain
        values: Poles = np.linalg.eigvals(matrices).astype(np.complex128)
        return values if self.period is None else poles_of(values, self.period)

    def matrix(self, gain: float) -> Floats:
        """Matrix A of x' = A x for small departures x from rest, of a controller without ticks.

        x holds m motions that the contacts allow, their rates, the n - 1 filtered references, rad,
        and their rates. `motions` turns the first m into link angles and centre of mass.

        Args:
            gain: Gain of the adaptation, rad/N.

        Returns:
            The matrix, (2 (m + n - 1), 2 (m + n - 1)), 1/s.

        Raises:
            InvalidInput: The gain is no finite number of at least 0.
        """
        return self._continuous.still + check_gain("gain", gain) * self._continuous.per_gain

    @property
    def motions(self) -> Floats:
        """Motions that the contacts allow, (n+2, m), orthonormal in the mass matrix.

        Rigid motions are left out: nothing resists them, and they leave all else as it is.
        """
        return self._parts.shapes

    def poles(self, gain: float) -> Poles:
        """Poles of the loop, the one with the largest real part first.

        With ticks, a pole s stands for a departure that changes by exp(s period) from one to the
        next, and there is one more for each contact, whose force is remembered.

        Args:
            gain: Gain of the adaptation, rad/N.

        Returns:
            The poles, (2 (m + n - 1),), 1/s.

        Raises:
            InvalidInput: The gain is no finite number of at least 0.
        """
        poles = self._poles(np.array([check_gain("gain", gain)]))[0]
        ordered: Poles = poles[np.lexsort((-poles.imag, -poles.real))]
        return ordered

    def growth_rate(self, gain: float) -> float:
        """Largest real part of the poles: small disturbances grow as exp(rate t).

        Args:
            gain: Gain of the adaptation, rad/N.

        Returns:
            The rate, 1/s.
        """
        return float(self.poles(gain)[0].real)

    def growth_rates(self, gains: npt.ArrayLike) -> Floats:
        """The same for several gains at once.

        Args:
            gains: Gains of the adaptation, (k,), rad/N.

        Returns:
            The rates, (k,), 1/s.
        """
        rates: Floats = self._poles(as_numbers("gains", gains, (None,))).real.max(axis=1)
        return rates

    def critical_gain(self, most: float = 1.0) -> float:
        """Smallest gain at which a pole crosses into the right half plane.

        Gains are searched upwards in steps of 5 %, and the first interval with a crossing is
        bisected. Below it, no pole lies right of the imaginary axis.

        Args:
            most: Largest gain that is of interest, rad/N.

        Returns:
            The gain, rad/N, to six digits; `most` if there is none below it, and 0 if the robot is
            not stable without adaptation.

        Raises:
            InvalidInput: `most` is not greater than 0.
        """
        words = "a finite number greater than 0 (rad/N)"
        largest = real_number("most", most, words, lambda each: each > 0)
        gains = np.concatenate([[0.0], np.geomspace(_LEAST * largest, largest, _GAINS)])
        unstable = self.growth_rates(gains) > ON_AXIS
        if not unstable.any():
            return largest
        first = int(np.argmax(unstable))
        if first == 0:
            return 0.0
        low, high = float(gains[first - 1]), float(gains[first])
        while high - low > 1e-7 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.growth_rate(middle) > ON_AXIS else (middle, high)
        return low

    def command(self, gain: float) -> Floats:
        """Joint angles to command on top of the adaptation for the robot to be at rest.

        The torques that balance the contact forces are kp times what references are ahead of
        joints, so the command is the shape, plus that, minus what the adaptation adds.

        Args:
            gain: Gain of the adaptation, rad/N.

        Returns:
            Angles, (n-1,), rad.
        """
        return self.joint_angles + self._ahead() - self.adapted(gain)

    def adapted(self, gain: float) -> Floats:
        """Joint angles that the adaptation adds at rest.

        Args:
            gain: Gain of the adaptation, rad/N.

        Returns:
            Angles, (n-1,), rad.
        """
        added: Floats = check_gain("gain", gain) * (self.chain.adaptation() @ self.forces)
        return added

    def _ahead(self) -> Floats:
        """References minus joint angles at rest, (n-1,), rad."""
        # Torque in joint j turns all links ahead of it, and no others.
        turning = (self.chain.across @ self.forces)[: len(self.forces)]
        torque = np.cumsum(turning)[:-1]
        needed = np.abs(torque) > 1e-12 * max(1.0, float(np.abs(torque).max(initial=0.0)))
        if (needed & (self.kp == 0.0)).any():
            raise InvalidInput(
                "kp = 0 is not allowed with a preload: without it servos hold no torque at rest"
            )
        return np.where(needed, torque / np.where(self.kp == 0.0, 1.0, self.kp), 0.0)

    def changed(
        self,
        *,
        kp: float | None = None,
        kd: float | None = None,
        cutoff: float | None = None,
        period: float | None = None,
    ) -> ContactLoop:
        """The same with other servos, another filter or ticks.

        Args:
            kp: Proportional gain of all servos, N m/rad; as it is if not given.
            kd: Derivative gain of all servos, N m s/rad; as it is if not given.
            cutoff: Cut-off frequency of the filter, Hz; as it is if not given.
            period: Time between ticks, s; as it is if not given.

        Returns:
            The other loop.

        Raises:
            InvalidInput: A value is not allowed.
        """
        values: dict[str, Any] = {}
        for name, value in {"kp": kp, "kd": kd}.items():
            if value is not None:
                words = "a finite number, at least 0"
                number = real_number(name, value, words, lambda each: each >= 0)
                values[name] = np.full_like(self.kp, number)
        if cutoff is not None:
            values["cutoff"] = check_cutoff(cutoff)
        if period is not None:
            values["period"] = check_period(period)
        return replace(self, **values)


def contact_loop(
    robot: Robot,
    joint_angles_deg: npt.ArrayLike,
    contacts: Mapping[int, Side],
    *,
    cutoff: float = 0.75,
    preload: float = 0.0,
    period: float | None = None,
) -> ContactLoop:
    """Linearise the closed loop of contacts, servos, reference filter and adaptation at rest.

    The robot rests in a shape with some links in contact. Contacts are those of liljeback2011: they
    act at the centre of a link and across it, and as long as they push they keep the link from
    moving across there. Their forces enter the references as (19)-(23) say, through the filter, and
    the servos follow these. The wave and the heading are held as they are.

    At rest the contact forces balance each other, since nothing else acts on the robot from
    outside; the more they are, the larger is `preload`. A command that holds this equilibrium is
    `ContactLoop.command`. Dry friction is left out: that of the ground has a bound and is constant
    once links slide, that of the obstacles depends on which way they slide. Limits of torque and of
    the adaptation are left out, too: poles hold until they are reached.

    Args:
        robot: A robot whose joints are servos without gear play, without ideal wheels.
        joint_angles_deg: Its shape, (n-1,), deg.
        contacts: Number of each link in contact, 0 for the tail, and the side of it on which the
            obstacle is: 'left' or 'right'.
        cutoff: Cut-off frequency of the critically damped reference filter, Hz.
        preload: Mean size of the contact forces at rest, N. They are chosen so that the weakest is
            as strong as possible. Without preload the sides have no effect.
        period: Time between ticks of the controller, s, as of `References`: forces are means over
            it, and references are held. If not given, the controller is that of the paper, without
            ticks.

    Returns:
        The loop, which gives poles and critical gain.

    Raises:
        InvalidInput: A value is not allowed, or forces from these sides do not balance.
    """
    check_type("robot", robot, Robot)
    kp, kd = servo_gains(robot)
    angles = as_numbers("joint_angles_deg", joint_angles_deg, (len(robot.joints),))
    sides = check_contacts(contacts, len(robot.links))
    words = "a finite number, at least 0 (N)"
    size = real_number("preload", preload, words, lambda each: each >= 0)
    forces = np.zeros(len(robot.links))
    ticks = None if period is None else check_period(period)
    loop = ContactLoop(
        robot, np.radians(angles), sides, check_cutoff(cutoff), kp, kd, forces, ticks
    )
    if size == 0.0:
        return loop
    links = np.array(list(sides))
    signs = np.array([1.0 if side == "right" else -1.0 for side in sides.values()])
    forces[links] = size * even_forces(loop.chain.balance()[:, links], signs, dict(sides))
    return replace(loop, forces=forces)
