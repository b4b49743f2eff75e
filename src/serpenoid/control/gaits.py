"""Open-loop gaits, evaluated inside the compiled step."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from serpenoid.checks import real_number, whole_number
from serpenoid.control.interface import CompiledController
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.spec import Each, NonNegative, Number, spec, tag


class Gait(CompiledController):
    """Base of the gaits, whose joint angles are functions of time alone: a wave in the joints.

    Attributes:
        sign: Of the amplitude.
    """

    sign: ClassVar[float] = 1.0

    amplitude_deg: Any
    frequency_deg: Any
    start_deg: Any
    delay: Any

    @abstractmethod
    def gait(self) -> layout.PackedGait:
        """As the kernels take it."""

    @abstractmethod
    def _argument(self, joints: int, time: float) -> Floats:
        """Argument of every joint's sine, rad."""

    def __add__(self, other: Any) -> CompiledController:
        """This wave and feedback, or a controller of one's own, at once."""
        if isinstance(other, CompiledController):
            return other.after(self)
        return self._with(self, other)

    def __radd__(self, other: Any) -> CompiledController:
        """A controller of one's own and this wave at once."""
        return self._with(other, self)

    @staticmethod
    def _with(*controllers: Any) -> CompiledController:
        # Feedback is made of gaits, among others.
        from serpenoid.control.feedback import add_up

        return add_up(*controllers)

    def control(self, joints: int, time_step: float) -> tuple[layout.Control, Floats]:  # noqa: ARG002
        """No feedback and no memory."""
        return layout.NO_CONTROL, np.zeros(0)

    def angles(self, joints: int, time: float = 0.0) -> Floats:
        """Joint angles at a time.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Angles, (joints,), rad.
        """
        size = self.sign * np.radians(self.amplitude_deg)
        angles: Floats = size * np.sin(self._argument(joints, time))
        return angles

    def rates(self, joints: int, time: float = 0.0) -> Floats:
        """Joint rates at a time.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Rates, (joints,), rad/s.
        """
        moving = 1.0 if time >= self.delay else 0.0
        speed = self.sign * moving * np.radians(self.amplitude_deg) * np.radians(self.frequency_deg)
        rates: Floats = speed * np.cos(self._argument(joints, time))
        return rates

    def _packed(
        self, kind: int, phase_deg: float = 0.0, offset_deg: float = 0.0
    ) -> layout.PackedGait:
        return layout.PackedGait(
            kind=kind,
            amplitude=math.radians(self.amplitude_deg),
            frequency=math.radians(self.frequency_deg),
            phase=math.radians(phase_deg),
            offset=math.radians(offset_deg),
            start=math.radians(self.start_deg),
            delay=float(self.delay),
        )


@spec
class Serpenoid(Gait):
    """The travelling wave of lateral undulation [transeth2008 (71)].

    Joint j of n - 1 follows amplitude sin(frequency t + (n-2-j) phase + start) + offset. Phases are
    counted from the head, so with phase < 0 the wave travels from head to tail and drives the robot
    forward. A negative amplitude mirrors the motion.

    Attributes:
        amplitude_deg: Amplitude of the joint angles, deg.
        frequency_deg: Frequency, deg/s.
        phase_deg: Phase from joint to joint, deg.
        offset_deg: Mean of the joint angles, deg; it bends the path.
        start_deg: Phase at the start of the wave, deg.
        delay: Time at rest before the wave starts, s.
    """

    amplitude_deg: Number
    frequency_deg: Number
    phase_deg: Number
    offset_deg: Number = 0.0
    start_deg: Number = 0.0
    delay: NonNegative = 0.0
    kind: Literal["serpenoid"] = tag(default="serpenoid", kw_only=True)

    @classmethod
    def from_curve(cls, a: float, b: float, c: float, links: int, frequency: float) -> Serpenoid:
        """The gait of a robot along a serpenoid curve of unit length [colorado2010 (1)(2)].

        Joint i = 1 ... n - 1, counted from the tail, follows 2 alpha sin(frequency t + (i-1) beta)
        + gamma with alpha = a abs(sin(beta/2)), beta = b/n, gamma = -c/n. `serpenoid_curve` draws
        the curve.

        Args:
            a: Amplitude of the undulation, rad.
            b: Phase of the wave along the body, rad.
            c: Turn of the body, rad, positive to the right.
            links: Number of links n.
            frequency: Frequency, rad/s.

        Returns:
            The gait.

        Raises:
            InvalidInput: A value is not a finite number, or there are fewer than two links.
        """
        for name, value in {"a": a, "b": b, "c": c, "frequency": frequency}.items():
            real_number(name, value, "a finite number")
        n = whole_number("links", links, least=2)
        beta = b / n
        return cls(
            amplitude_deg=math.degrees(2 * a * abs(math.sin(beta / 2))),
            frequency_deg=math.degrees(frequency),
            phase_deg=-math.degrees(beta),
            offset_deg=-math.degrees(c / n),
            start_deg=(n - 2) * math.degrees(beta),
        )

    def curve(self, links: int) -> tuple[float, float, float]:
        """The serpenoid curve that a robot with this gait follows.

        The inverse of `from_curve`, for phases of less than a turn. A gait whose wave travels from
        tail to head has b < 0 and the other sign of a; its curve is `serpenoid_curve(a, b, c)`.

        Args:
            links: Number of links.

        Returns:
            The parameters (a, b, c) of the curve, rad.

        Raises:
            InvalidInput: All joints swing in phase, which is no serpenoid curve.
        """
        n = whole_number("links", links, least=2)
        beta = -math.radians(self.phase_deg)
        bend = math.sin(beta / 2)
        if abs(bend) < 1e-12:
            raise InvalidInput(
                f"Serpenoid.phase_deg = {self.phase_deg:g} is not allowed: joints that all swing "
                "in step make no serpenoid curve"
            )
        return (
            math.radians(self.amplitude_deg) / (2 * bend),
            n * beta,
            -n * math.radians(self.offset_deg),
        )

    def angles(self, joints: int, time: float = 0.0) -> Floats:
        """Joint angles at a time.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Angles, (joints,), rad.
        """
        angles: Floats = np.radians(self.offset_deg) + super().angles(joints, time)
        return angles

    def gait(self) -> layout.PackedGait:
        """As the kernels take it."""
        return self._packed(layout.SERPENOID, self.phase_deg, self.offset_deg)

    def _argument(self, joints: int, time: float) -> Floats:
        since = max(0.0, time - self.delay)
        from_head = np.arange(joints - 1, -1, -1)
        degrees = self.frequency_deg * since + self.phase_deg * from_head + self.start_deg
        argument: Floats = np.radians(degrees)
        return argument


@spec
class PedalWave(Gait):
    """The wave of a robot that lifts its links and sets them down ahead [koopaee2020 (1)].

    Joint j = 0 ... n - 2, counted from the tail, follows -amplitude sin(frequency t + j phase +
    start); the paper's angles have the opposite sign. With phase < 0 the robot moves forward.

    Attributes:
        amplitude_deg: Amplitude of the joint angles, deg.
        frequency_deg: Frequency, deg/s.
        phase_deg: Spatial frequency of the wave, deg, or a list with one for each joint
            [koopaee2020 (34)].
        start_deg: Phase at the start of the wave, deg.
        delay: Time at rest before the wave starts, s.
    """

    amplitude_deg: Number
    frequency_deg: Number
    phase_deg: Each[Number]
    start_deg: Number = 0.0
    delay: NonNegative = 0.0
    kind: Literal["pedal_wave"] = tag(default="pedal_wave", kw_only=True)

    is_pedal = True
    sign = -1.0

    def phases(self, joints: int) -> Floats:
        """Spatial frequency of every joint.

        Args:
            joints: Number of joints.

        Returns:
            Spatial frequencies, (joints,), rad.

        Raises:
            InvalidInput: A list does not have one entry for each joint.
        """
        if isinstance(self.phase_deg, tuple) and len(self.phase_deg) != joints:
            raise InvalidInput(
                f"PedalWave.phase_deg has {len(self.phase_deg)} entries, but the robot has "
                f"{joints} joints"
            )
        phases: Floats = np.radians(np.broadcast_to(self.phase_deg, joints))
        return phases

    def gait(self) -> layout.PackedGait:
        """As the kernels take it; the joints hold the spatial frequencies."""
        return self._packed(layout.PEDAL)

    def _argument(self, joints: int, time: float) -> Floats:
        since = max(0.0, time - self.delay)
        wave = np.arange(joints) * self.phases(joints)
        argument: Floats = np.radians(self.frequency_deg * since + self.start_deg) + wave
        return argument


def serpenoid_curve(
    a: float, b: float, c: float, *, start: float = 0.0, points: int = 401
) -> tuple[Floats, Floats]:
    """Points of the serpenoid curve of length 1 [colorado2010 Fig. 2].

    Its direction at arc length s is -a cos(b s + start) - c s, rad. Since joint angles are positive
    to the left here, this is the mirror image of the curve as Hirose wrote it. A robot of n links
    of length 1/n with the gait `from_curve(a, b, c, n, frequency)`, 0 < b < 2 pi n, lies along it
    with start = frequency t - b/n: each link has the direction of the curve at the link's middle.

    Args:
        a: Amplitude of the undulation, rad.
        b: Phase of the wave along the body, rad.
        c: Turn of the body, rad, positive to the right.
        start: Phase at the tail, rad.
        points: Number of points k, at least 2.

    Returns:
        Arc lengths, (k,), and points, (k, 2).

    Raises:
        InvalidInput: A value is not a finite number, or there are fewer than two points.
    """
    for name, value in {"a": a, "b": b, "c": c, "start": start}.items():
        real_number(name, value, "a finite number")
    points = whole_number("points", points, least=2)
    # Gauss's rule of 8 nodes, exact to rounding on panels that turn by less than a radian.
    panels = math.ceil((abs(a * b) + abs(b) + abs(c)) / (points - 1)) or 1
    edges = np.linspace(0.0, 1.0, panels * (points - 1) + 1)
    nodes, weights = np.polynomial.legendre.leggauss(8)
    width = np.diff(edges)[:, None]
    s = edges[:-1, None] + width * (nodes + 1) / 2
    direction = -a * np.cos(b * s + start) - c * s
    steps = np.stack([np.cos(direction), np.sin(direction)], axis=2)
    steps = np.einsum("pkd,k,po->pd", steps, weights / 2, width)
    curve = np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
    return edges[::panels], curve[::panels]
