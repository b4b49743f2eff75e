"""Actuators of the joints. Positive torque increases the joint angle."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

import numpy as np

from serpenoid.kernels.layout import ELASTIC, FREE, PRESCRIBED, SERVO, TORQUE, Item
from serpenoid.spec import Family, NonNegative, Positive, PositiveOrInfinite, spec, tag


class Actuator(Family):
    """Base of the actuators."""

    @abstractmethod
    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record.

        Args:
            joint: Record to write to, changed in place.
        """


@spec
class Servo(Actuator):
    """PD servo on the commanded angle and rate [transeth2008 (43)].

    With the solvers 'newton' and 'prox' it acts implicitly, at the angle after the step, so any
    gain is stable at any time step. With 'hybrid' and 'explicit' it is explicit: high gains make
    the steps of the one short, and the other refuses a time step that is too long for them. The
    law is in kernels/laws/servo.py.

    Attributes:
        kp: Proportional gain, N m/rad.
        kd: Derivative gain, N m s/rad.
        torque_limit: Largest torque, N m.
        deadband_deg: Full width of the gear play, deg. The error, together with kd/kp times its
            rate and 1/kp times the commanded torque, causes a torque only where it leaves this
            band; so a commanded torque of up to kp times half the band has no effect by itself.
    """

    kp: NonNegative
    kd: NonNegative
    torque_limit: PositiveOrInfinite = math.inf
    deadband_deg: NonNegative = 0.0
    kind: Literal["servo"] = tag(default="servo", kw_only=True)

    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record."""
        joint.actuator = SERVO
        joint.kp, joint.kd = self.kp, self.kd
        joint.torque_limit, joint.deadband = self.torque_limit, np.radians(self.deadband_deg)


@spec
class Torque(Actuator):
    """The controller commands the torque.

    Attributes:
        limit: Largest torque, N m; larger commands are cut off.
    """

    limit: PositiveOrInfinite = math.inf
    kind: Literal["torque"] = tag(default="torque", kw_only=True)

    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record."""
        joint.actuator = TORQUE
        joint.torque_limit = self.limit


@spec
class Prescribed(Actuator):
    """The joint follows the commanded angle exactly, with whatever torque that needs."""

    kind: Literal["prescribed"] = tag(default="prescribed", kw_only=True)

    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record."""
        joint.actuator = PRESCRIBED
        joint.torque_limit = math.inf


@spec
class Free(Actuator):
    """No actuator: the joint turns freely."""

    kind: Literal["free"] = tag(default="free", kw_only=True)

    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record."""
        joint.actuator = FREE
        joint.torque_limit = math.inf


@spec
class SeriesElastic(Actuator):
    """A geared motor behind a spring, with a PD servo on the rotor [koopaee2020 (21)(33)].

    The rotor sits at the hinge on the link behind. Through the gear it has the angle psi, and turns
    by gear_ratio times psi against that link. The spring between psi and the joint angle phi exerts
    the torque stiffness (psi - phi) on the joint, which is what the torque sensor measures. The
    motor drives psi to the commanded angle and rate, and adds the commanded torque.

    Attributes:
        stiffness: Stiffness of the spring, N m/rad; inf for a geared motor on a rigid joint.
        kp: Proportional gain, N m/rad.
        kd: Derivative gain, N m s/rad.
        gear_ratio: Angle of the rotor over its angle behind the gear.
        rotor_inertia: Moment of inertia of the rotor, kg m2.
        rotor_mass: Mass of the rotor, kg.
        torque_limit: Largest torque of the motor behind the gear, N m.
    """

    stiffness: PositiveOrInfinite
    kp: NonNegative
    kd: NonNegative
    gear_ratio: Positive
    rotor_inertia: Positive
    rotor_mass: NonNegative = 0.0
    torque_limit: PositiveOrInfinite = math.inf
    kind: Literal["series_elastic"] = tag(default="series_elastic", kw_only=True)

    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record."""
        joint.actuator = ELASTIC
        joint.kp, joint.kd, joint.torque_limit = self.kp, self.kd, self.torque_limit
        joint.spring, joint.rotor, joint.ratio = self.stiffness, self.rotor_inertia, self.gear_ratio
