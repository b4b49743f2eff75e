"""Open-loop gaits, evaluated inside the compiled step."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Literal

import numpy as np

from serpenoid.control.controller import CompiledController, Floats
from serpenoid.kernels import types as kt
from serpenoid.spec import NonNegative, Number, spec, tag


class Gait(CompiledController):
    """Base of the gaits: joint angles as a function of time alone, and so without ticks."""

    @abstractmethod
    def gait(self) -> kt.Gait:
        """As the kernels take it."""

    def __add__(self, other: CompiledController) -> CompiledController:
        """This wave and feedback."""
        return other.after(self)

    def control(self, joints: int, time_step: float) -> tuple[kt.Control, Floats]:  # noqa: ARG002
        """No feedback, nothing to remember."""
        return kt.NO_CONTROL, np.zeros(0)


@spec
class Serpenoid(Gait):
    """The travelling wave of lateral undulation [transeth2008 (71)].

    Joint j of n - 1 follows amplitude sin(frequency t + (n-2-j) phase + start) + offset: counted
    from the head, so with phase < 0 the wave runs from head to tail and drives the robot forward.
    A negative amplitude mirrors the motion. delay: s at rest before the wave starts.
    """

    amplitude_deg: Number
    frequency_deg: Number  # deg/s
    phase_deg: Number
    offset_deg: Number = 0.0
    start_deg: Number = 0.0
    delay: NonNegative = 0.0
    kind: Literal["serpenoid"] = tag(default="serpenoid", kw_only=True)

    def angles(self, joints: int, time: float = 0.0) -> Floats:
        """Wanted joint angles at a time, rad."""
        wave = np.sin(self._argument(joints, time))
        angles: Floats = np.radians(self.offset_deg) + np.radians(self.amplitude_deg) * wave
        return angles

    def rates(self, joints: int, time: float = 0.0) -> Floats:
        """Wanted joint rates at a time, rad/s."""
        moving = 1.0 if time >= self.delay else 0.0
        speed = moving * np.radians(self.amplitude_deg) * np.radians(self.frequency_deg)
        rates: Floats = speed * np.cos(self._argument(joints, time))
        return rates

    def gait(self) -> kt.Gait:
        """As the kernels take it."""
        return kt.Gait(
            kt.SERPENOID,
            math.radians(self.amplitude_deg),
            math.radians(self.frequency_deg),
            math.radians(self.phase_deg),
            math.radians(self.offset_deg),
            math.radians(self.start_deg),
            float(self.delay),
        )

    def _argument(self, joints: int, time: float) -> Floats:
        since = max(0.0, time - self.delay)
        from_head = np.arange(joints - 1, -1, -1)
        degrees = self.frequency_deg * since + self.phase_deg * from_head + self.start_deg
        argument: Floats = np.radians(degrees)
        return argument
