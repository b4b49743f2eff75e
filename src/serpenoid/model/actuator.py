"""What turns a joint. Positive torque increases the joint angle."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

import numpy as np

from serpenoid.kernels.layout import ELASTIC, FREE, PRESCRIBED, SERVO, TORQUE, Item
from serpenoid.spec import Family, NonNegative, Positive, PositiveOrInfinite, spec, tag


class Actuator(Family):
    """Base of what turns a joint."""

    @abstractmethod
    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record."""


@spec
class Servo(Actuator):
    """PD servo on the commanded angle and rate [transeth2008 (43)].

    It acts implicitly, so any gain is stable at any step.

    kp: N m/rad. kd: N m s/rad. torque_limit: N m. deadband_deg: full width of the gear play; that
    much of the error, with kd/kp times its rate, does nothing.
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
    """The controller commands the torque itself, cut off at `limit` N m."""

    limit: PositiveOrInfinite = math.inf
    kind: Literal["torque"] = tag(default="torque", kw_only=True)

    def pack(self, joint: Item) -> None:
        """Write this actuator into a kernel joint record."""
        joint.actuator = TORQUE
        joint.torque_limit = self.limit


@spec
class Prescribed(Actuator):
    """The joint follows the commanded angle exactly, whatever torque that takes."""

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

    The rotor sits at the hinge on the link behind, and turns by gear_ratio times its angle psi
    through the gear, against that link. The spring between psi and the joint angle phi turns the
    joint by stiffness (psi - phi), which is what the torque sensor measures. The motor drives psi
    to the commanded angle and rate, and adds the commanded torque.

    stiffness: of the spring, N m/rad; inf for none, a geared motor on a rigid joint. kp: N m/rad.
    kd: N m s/rad. rotor_mass: kg. rotor_inertia: kg m2. torque_limit: of the motor through the
    gear, N m.
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
