"""Constant joint torques."""

from __future__ import annotations

from typing import Literal

from serpenoid.control.interface import Command, ControllerSpec, Observation
from serpenoid.errors import ControllerError
from serpenoid.spec import Number, Positive, spec, tag


@spec
class ConstantTorque(ControllerSpec):
    """The same torques at all times, for `Torque` actuators.

    Attributes:
        torques: Torque of each joint, tail first, N m.
        period: Time between commands, s, which makes no difference.
    """

    torques: tuple[Number, ...]
    period: Positive = 0.01
    kind: Literal["constant_torque"] = tag(default="constant_torque", kw_only=True)

    def command(self, observation: Observation) -> Command:
        """The constant torques.

        Args:
            observation: Measurements at this tick.

        Returns:
            The command, with one torque for each joint, N m.

        Raises:
            ControllerError: There is not one torque for each joint.
        """
        if len(self.torques) != len(observation.joint_angle):
            raise ControllerError(
                f"ConstantTorque.torques has {len(self.torques)} entries, but the robot has "
                f"{len(observation.joint_angle)} joints"
            )
        return Command(torque=self.torques)
