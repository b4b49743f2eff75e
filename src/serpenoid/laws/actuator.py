"""What turns a joint. Positive torque increases the joint angle."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

import numpy as np

from serpenoid.kernels.types import FREE, PRESCRIBED, SERVO, TORQUE, Item
from serpenoid.spec import Family, NonNegative, PositiveOrInfinite, spec, tag


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
