"""Actions, and how they drive the joints."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np

from serpenoid.engine.batch import Batch
from serpenoid.envs.snapshot import Bools
from serpenoid.envs.terms import Term
from serpenoid.kernels.layout import Floats
from serpenoid.model.actuator import Actuator, Prescribed, Torque

# Joint references move no faster than this, rad/s: about what servos of such robots can do.
FASTEST = 10.0
# Angle that 1 in a correction of a controller stands for, deg.
RESIDUAL_DEG = 15.0
# Time constant with which the parameters of a gait follow the action, s.
_LAG = 0.2
# Parameters of the gait: values at -1 and 1. Degrees, degrees per second.
GAIT = {
    "amplitude": (0.0, 60.0),
    "frequency": (0.0, 300.0),
    "phase": (-120.0, 120.0),
    "offset": (-30.0, 30.0),
}


class Action(ABC):
    """Numbers from -1 to 1 for b robots, applied to their joints once in a control period.

    Args:
        robots: Number of robots b.
        joints: Number of joints of each.
        scale: What 1 in an action stands for; the unit depends on the kind of action.
        period: Control period, s.
    """

    # Whether the joints are driven by torques.
    torque = False
    # Whether the scenario's own controller stays in charge, and the action is added to it.
    on_top = False
    # What joints need to follow the action, for messages.
    needs = "Prescribed, or a servo or series-elastic motor with kp above 0"

    def __init__(self, robots: int, joints: int, scale: float, period: float) -> None:
        self.joints, self.scale, self.period = joints, scale, period
        # What the next command depends on besides the action; rows are robots.
        first = self.first(np.zeros(joints))
        self.memory = {name: np.array([value] * robots) for name, value in first.items()}
        # The same before the last command.
        self._before = self.memory

    @classmethod
    def drives(cls, actuator: Actuator) -> bool:
        """Whether a joint with an actuator follows the action."""
        return isinstance(actuator, Prescribed) or getattr(actuator, "kp", 0.0) > 0

    @property
    def size(self) -> int:
        """Number of values in an action."""
        return self.joints

    @property
    def terms(self) -> tuple[Term, ...]:
        """Terms of the observation that describe earlier actions."""
        return ()

    def first(self, angle: Floats) -> dict[str, Floats]:  # noqa: ARG002
        """Memory of a robot at the start of an episode.

        Args:
            angle: Joint angles, (n - 1,), rad.

        Returns:
            Arrays by name.
        """
        return {}

    def start(self, robot: int, angle: Floats) -> None:
        """Start an episode of one robot.

        Args:
            robot: Index of the robot.
            angle: Its joint angles, (n - 1,), rad.
        """
        for name, value in self.first(angle).items():
            self.memory[name][robot] = value

    @abstractmethod
    def command(self, batch: Batch, action: Floats) -> None:
        """Command all joints for the next control period.

        Args:
            batch: The robots.
            action: Actions, (b, size).
        """

    def undo(self, which: Bools) -> None:
        """Undo the last command of robots whose step failed.

        Args:
            which: One flag for each robot, (b,).
        """
        for name, before in self._before.items():
            self.memory[name][which] = before[which]

    def _keep(self, **memory: Floats) -> None:
        """Replace the memory after a command."""
        self._before, self.memory = self.memory, memory


class JointTargets(Action):
    """Angles that the joint references reach by the end of the period; the scale is in rad."""

    # Name and meaning of what the next action moves on from.
    present = "reference", "Present reference angles of the servos"

    @property
    def terms(self) -> tuple[Term, ...]:
        """Where the next action continues."""
        return (Term(*self.present, "rad", math.pi, lambda _: self.memory["reference"]),)

    def first(self, angle: Floats) -> dict[str, Floats]:
        """The references are the joint angles."""
        return {"reference": angle}

    def command(self, batch: Batch, action: Floats) -> None:
        """Move the references evenly to the targets."""
        self.move(batch, self.scale * action)

    def move(self, batch: Batch, target: Floats, **memory: Floats) -> None:
        """Move the references towards targets.

        Args:
            batch: The robots.
            target: Joint angles, (b, n - 1), rad.
            **memory: Further arrays to remember.
        """
        reference = self.memory["reference"]
        rate = np.clip((target - reference) / self.period, -FASTEST, FASTEST)
        batch.command(reference, rate)
        self._keep(reference=reference + rate * self.period, **memory)


class JointTorques(Action):
    """Torques that are constant during the period; the scale is in N m."""

    torque = True
    needs = "Torque, or a servo or series-elastic motor with kp = 0"

    @classmethod
    def drives(cls, actuator: Actuator) -> bool:
        """Whether a joint with an actuator follows the action; a servo would hold its angle."""
        return isinstance(actuator, Torque) or getattr(actuator, "kp", None) == 0

    def command(self, batch: Batch, action: Floats) -> None:
        """Apply the torques."""
        batch.command(torque=self.scale * action)


class GaitParameters(JointTargets):
    """Amplitude, frequency, phase and offset of the wave of `Serpenoid`.

    They follow the action with a lag, and the wave continues from its phase, so the references do
    not jump. The scale of the joints has no effect.
    """

    def __init__(self, robots: int, joints: int, scale: float, period: float) -> None:
        super().__init__(robots, joints, scale, period)
        low, high = np.radians(list(GAIT.values())).T
        self._middle, self._half = (low + high) / 2, (high - low) / 2
        self._from_head = np.arange(joints - 1, -1, -1.0)

    @property
    def size(self) -> int:
        """Four, for robots of any length."""
        return len(GAIT)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The references, the phase of the wave and its parameters."""
        return (
            *super().terms,
            Term(
                "gait",
                "Amplitude, frequency, phase and offset of the wave as they are, on the scale of "
                "the action; cosine and sine of the head joint's place in it",
                "1",
                1.0,
                lambda _: self._state(),
            ),
        )

    def _state(self) -> Floats:
        argument = self.memory["argument"]
        place = np.stack([np.cos(argument), np.sin(argument)], axis=1)
        return np.concatenate([self.memory["parameters"], place], axis=1)

    def first(self, angle: Floats) -> dict[str, Floats]:
        """The wave starts without amplitude and frequency."""
        rest = np.array([-1.0, -1.0, 0.0, 0.0])
        return {**super().first(angle), "parameters": rest, "argument": np.zeros(())}

    def command(self, batch: Batch, action: Floats) -> None:
        """Move the references to where the wave is at the end of the period."""
        keep = math.exp(-self.period / _LAG)
        parameters = keep * self.memory["parameters"] + (1.0 - keep) * action
        values = self._middle + self._half * parameters
        amplitude, frequency, phase, offset = (values[:, k, None] for k in range(4))
        argument = (self.memory["argument"] + frequency[:, 0] * self.period) % (2 * math.pi)
        wave = np.sin(argument[:, None] + phase * self._from_head)
        target = amplitude * wave + offset
        self.move(batch, target, parameters=parameters, argument=argument)


class Residual(JointTargets):
    """Angles that are added to the references of the scenario's controller; the scale is in rad.

    They are reached by the end of the period. With all actions 0 the robot moves to the bit as in a
    run of the scenario.
    """

    on_top = True
    present = "correction", "What is added to the reference angles at present"

    def first(self, angle: Floats) -> dict[str, Floats]:
        """Nothing is added at the start."""
        return {"reference": np.zeros_like(angle)}


MODES: dict[str, type[Action]] = {
    "joint_targets": JointTargets,
    "joint_torques": JointTorques,
    "gait": GaitParameters,
    "residual": Residual,
}
