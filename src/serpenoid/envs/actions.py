"""What an action does to the joints."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from serpenoid.batch.batch import Batch
from serpenoid.envs.moment import Floats
from serpenoid.envs.terms import Term

# Joint references move no faster than this, rad/s: about what servos of such robots can do.
FASTEST = 10.0
# Time in which a gait's parameters make 63 % of the way to what is asked for, s.
_LAG = 0.2
# Parameters of the gait: values at -1 and 1. Degrees, degrees per second.
GAIT = {
    "amplitude": (0.0, 60.0),
    "frequency": (0.0, 300.0),
    "phase": (-120.0, 120.0),
    "offset": (-30.0, 30.0),
}


class Action(ABC):
    """Numbers from -1 to 1 for b robots, put into their joints once in a control period (s)."""

    # Whether the joints are driven by torques.
    torque = False

    def __init__(self, robots: int, joints: int, scale: float, period: float) -> None:
        self.joints, self.scale, self.period = joints, scale, period
        self.held = np.zeros((robots, joints))

    @property
    def size(self) -> int:
        """How many numbers an action has."""
        return self.joints

    @property
    def terms(self) -> tuple[Term, ...]:
        """What an observation needs to say about the actions before."""
        return ()

    def start(self, robot: int, angle: Floats) -> None:
        """A robot begins with these joint angles, (n - 1,), rad."""
        self.held[robot] = angle

    @abstractmethod
    def command(self, batch: Batch, action: Floats) -> None:
        """Command all joints for the control period to come; action: (b, size)."""


class JointTargets(Action):
    """Angles for the joints' references to reach by the end of the period; scale: rad."""

    def command(self, batch: Batch, action: Floats) -> None:
        """The references move there evenly."""
        self.move(batch, self.scale * action)

    def move(self, batch: Batch, target: Floats) -> None:
        """From where the references are towards the targets, (b, n - 1), rad."""
        rate = np.clip((target - self.held) / self.period, -FASTEST, FASTEST)
        batch.command(self.held, rate)
        self.held = self.held + rate * self.period


class JointTorques(Action):
    """Torques that hold for the period; scale: N m."""

    torque = True

    def command(self, batch: Batch, action: Floats) -> None:
        """The torques, whatever the joints do."""
        batch.command(torque=self.scale * action)


class GaitParameters(JointTargets):
    """Amplitude, frequency, phase and offset of the wave of `Serpenoid`.

    They follow the action with a lag, and the wave goes on from where it is; so the references have
    no jumps. The scale of the joints has no part in it.
    """

    def __init__(self, robots: int, joints: int, scale: float, period: float) -> None:
        super().__init__(robots, joints, scale, period)
        low, high = np.radians(list(GAIT.values())).T
        self._middle, self._half = (low + high) / 2, (high - low) / 2
        # At rest: no amplitude, no frequency.
        self._rest = np.array([-1.0, -1.0, 0.0, 0.0])
        self.parameters = np.tile(self._rest, (robots, 1))
        self.argument = np.zeros(robots)
        self._from_head = np.arange(joints - 1, -1, -1.0)

    @property
    def size(self) -> int:
        """Four, however long the robot is."""
        return len(GAIT)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Where the wave is, and its parameters."""
        return (
            Term(
                "gait",
                "amplitude, frequency, phase and offset of the wave as they are, on the scale of "
                "the action; cosine and sine of the head joint's place in it",
                "1",
                1.0,
                lambda _: 6,
                lambda _: self._state(),
            ),
        )

    def _state(self) -> Floats:
        place = np.stack([np.cos(self.argument), np.sin(self.argument)], axis=1)
        return np.concatenate([self.parameters, place], axis=1)

    def start(self, robot: int, angle: Floats) -> None:
        """The wave begins with no amplitude."""
        super().start(robot, angle)
        self.parameters[robot], self.argument[robot] = self._rest, 0.0

    def command(self, batch: Batch, action: Floats) -> None:
        """The references move to where the wave is at the end of the period."""
        keep = math.exp(-self.period / _LAG)
        self.parameters = keep * self.parameters + (1.0 - keep) * action
        values = self._middle + self._half * self.parameters
        amplitude, frequency, phase, offset = (values[:, k, None] for k in range(4))
        self.argument = (self.argument + frequency[:, 0] * self.period) % (2 * math.pi)
        wave = np.sin(self.argument[:, None] + phase * self._from_head)
        self.move(batch, amplitude * wave + offset)


MODES: dict[str, type[Action]] = {
    "joint_targets": JointTargets,
    "joint_torques": JointTorques,
    "gait": GaitParameters,
}
