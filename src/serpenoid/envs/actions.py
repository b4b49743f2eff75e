"""What an action does to the joints."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from serpenoid.engine.batch import Batch
from serpenoid.envs.snapshot import Bools, Floats
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
        # What the next command depends on besides the action; rows are robots.
        first = self.first(np.zeros(joints))
        self.memory = {name: np.array([value] * robots) for name, value in first.items()}
        # The same before the last command.
        self._before = self.memory

    @property
    def size(self) -> int:
        """How many numbers an action has."""
        return self.joints

    @property
    def terms(self) -> tuple[Term, ...]:
        """What an observation needs to say about the actions before."""
        return ()

    def first(self, angle: Floats) -> dict[str, Floats]:  # noqa: ARG002
        """What is remembered of a robot that begins with these joint angles, (n - 1,), rad."""
        return {}

    def start(self, robot: int, angle: Floats) -> None:
        """A robot begins with these joint angles, (n - 1,), rad."""
        for name, value in self.first(angle).items():
            self.memory[name][robot] = value

    @abstractmethod
    def command(self, batch: Batch, action: Floats) -> None:
        """Command all joints for the control period to come; action: (b, size)."""

    def undo(self, which: Bools) -> None:
        """Forget the last command to these robots, whose step failed, (b,)."""
        for name, before in self._before.items():
            self.memory[name][which] = before[which]

    def _keep(self, **memory: Floats) -> None:
        """What to remember, once a command was taken."""
        self._before, self.memory = self.memory, memory


class JointTargets(Action):
    """Angles for the joints' references to reach by the end of the period; scale: rad."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """Where the references are, from where the next action moves them on."""
        return (
            Term(
                "reference",
                "joint angles that the servos are told at the moment",
                "rad",
                math.pi,
                lambda n: n - 1,
                lambda _: self.memory["reference"],
            ),
        )

    def first(self, angle: Floats) -> dict[str, Floats]:
        """The references are where the joints are."""
        return {"reference": angle}

    def command(self, batch: Batch, action: Floats) -> None:
        """The references move there evenly."""
        self.move(batch, self.scale * action)

    def move(self, batch: Batch, target: Floats, **memory: Floats) -> None:
        """From where the references are towards the targets, (b, n - 1), rad."""
        reference = self.memory["reference"]
        rate = np.clip((target - reference) / self.period, -FASTEST, FASTEST)
        batch.command(reference, rate)
        self._keep(reference=reference + rate * self.period, **memory)


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
        self._from_head = np.arange(joints - 1, -1, -1.0)

    @property
    def size(self) -> int:
        """Four, however long the robot is."""
        return len(GAIT)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Also where the wave is, and its parameters."""
        return (
            *super().terms,
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
        argument = self.memory["argument"]
        place = np.stack([np.cos(argument), np.sin(argument)], axis=1)
        return np.concatenate([self.memory["parameters"], place], axis=1)

    def first(self, angle: Floats) -> dict[str, Floats]:
        """The wave begins with no amplitude and no frequency."""
        rest = np.array([-1.0, -1.0, 0.0, 0.0])
        return {**super().first(angle), "parameters": rest, "argument": np.zeros(())}

    def command(self, batch: Batch, action: Floats) -> None:
        """The references move to where the wave is at the end of the period."""
        keep = math.exp(-self.period / _LAG)
        parameters = keep * self.memory["parameters"] + (1.0 - keep) * action
        values = self._middle + self._half * parameters
        amplitude, frequency, phase, offset = (values[:, k, None] for k in range(4))
        argument = (self.memory["argument"] + frequency[:, 0] * self.period) % (2 * math.pi)
        wave = np.sin(argument[:, None] + phase * self._from_head)
        target = amplitude * wave + offset
        self.move(batch, target, parameters=parameters, argument=argument)


MODES: dict[str, type[Action]] = {
    "joint_targets": JointTargets,
    "joint_torques": JointTorques,
    "gait": GaitParameters,
}
