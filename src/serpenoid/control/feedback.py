"""Feedback compiled into the step: parts of the joint reference that add up.

    sp.Follower(60, 40, delay=0.7) + sp.Adaptation(0.02, limit_deg=23) + sp.Heading(1.3, path)

Each part is a controller of its own; added up they are one [liljeback2011 (3)].
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from serpenoid.checks import short, whole_multiple
from serpenoid.control.gaits import Serpenoid
from serpenoid.control.interface import REMEMBERED, CompiledController, ControllerSpec
from serpenoid.control.own import as_spec, nearly
from serpenoid.control.paths import Guidance
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory
from serpenoid.spec import NonNegative, Number, Positive, Whole, spec, tag

# Default time between ticks, s.
PERIOD = 0.01
# Fields of References besides their parts.
_SETTINGS = ("period", "cutoff", "sensor")


class Summand(CompiledController):
    """Base of the controllers that add up."""

    def __add__(self, other: Any) -> References:
        """Both controllers at once."""
        return add_up(self, other)

    def __radd__(self, other: Any) -> References:
        """A controller of one's own and this one at once."""
        return add_up(other, self)

    def after(self, gait: CompiledController) -> References:
        """A gait and this controller at once."""
        return add_up(gait, self)


class Part(Summand):
    """Base of the parts, each of which adds a term to the joint references."""

    @abstractmethod
    def fields(self, period: float) -> dict[str, Any]:
        """Fields of the kernel's Control that this part sets.

        Args:
            period: Time between ticks, s.

        Returns:
            Values by name of the field.

        Raises:
            InvalidInput: A delay does not fit the period.
        """

    def control(self, joints: int, time_step: float) -> tuple[layout.Control, Floats]:
        """As the kernels take it."""
        return References(parts=(self,)).control(joints, time_step)


@spec
class Follower(Part):
    """Every joint follows the one ahead of it, and the head link swings [liljeback2011 (13)-(16)].

    Attributes:
        amplitude_deg: Amplitude of the head link about the mean of all link angles, deg.
        frequency_deg: Frequency of the head link, deg/s.
        delay: Delay from joint to joint, s.
    """

    amplitude_deg: Number
    frequency_deg: Number
    delay: Positive
    kind: Literal["follower"] = tag(default="follower", kw_only=True)

    def fields(self, period: float) -> dict[str, Any]:
        """The wave of the kernel's Control."""
        return _following(self, layout.FOLLOWER, period)


@spec
class LeaderFollower(Part):
    """All joints follow the head joint, and the head link swings [liljeback2011 IV-C, of its [10]].

    The angle of the head joint travels along the body at constant speed, whether the robot moves
    with it or not. The shape at the start counts as what the head joint has done before. A
    `Follower` passes on the angles that the joints have, this what the head joint had.

    Attributes:
        amplitude_deg: Amplitude of the head link about the mean of all link angles, deg.
        frequency_deg: Frequency of the head link, deg/s.
        delay: Delay from joint to joint, s.
    """

    amplitude_deg: Number
    frequency_deg: Number
    delay: Positive
    kind: Literal["leader_follower"] = tag(default="leader_follower", kw_only=True)

    def fields(self, period: float) -> dict[str, Any]:
        """The wave of the kernel's Control."""
        return _following(self, layout.LEADER, period)


@spec
class Adaptation(Part):
    """Links in contact turn so that the contact forces push them forward [liljeback2011 (19)-(23)].

    Attributes:
        gain: Gain on the contact forces, rad/N.
        limit_deg: Largest angle added to a joint, deg. Without a limit, as printed, several links
            pushed from alternate sides drive the references beyond all bounds.
    """

    gain: NonNegative
    limit_deg: Positive | None = None
    kind: Literal["adaptation"] = tag(default="adaptation", kw_only=True)

    def fields(self, period: float) -> dict[str, Any]:  # noqa: ARG002
        """The adaptation of the kernel's Control."""
        return _turning(self)


@spec
class Heading(Part):
    """The head joint turns the robot towards a point ahead on its path [liljeback2011 (26)-(28)].

    Attributes:
        gain: Gain on the heading error, rad/rad.
        look_ahead: Distance of that point ahead of the robot, m.
        path: Path to follow, a line, a polyline or waypoints.
    """

    gain: NonNegative
    look_ahead: Positive
    path: Guidance
    kind: Literal["heading"] = tag(default="heading", kw_only=True)

    def fields(self, period: float) -> dict[str, Any]:  # noqa: ARG002
        """The heading and the path of the kernel's Control."""
        return {"heading": self.gain, "look_ahead": self.look_ahead} | self.path.fields()


@spec
class Recovery(Part):
    """A robot that is jammed backs out and tries again; for use with a `Follower`.

    While it backs out, every joint follows the one behind it, the tail link swings, links in
    contact turn so that they are pushed backward, and the heading is not controlled.

    Attributes:
        distance: The robot is jammed if its centre of mass advances by less than this within
            `time`, m.
        time: Interval over which the advance is measured, s.
        back: Duration of backing out, s.
    """

    distance: Positive
    time: Positive
    back: Positive
    kind: Literal["recovery"] = tag(default="recovery", kw_only=True)

    def fields(self, period: float) -> dict[str, Any]:  # noqa: ARG002
        """The recovery of the kernel's Control."""
        return {"jam_distance": self.distance, "jam_time": self.time, "back_time": self.back}


@spec
class JamResolution(Part):
    """A robot that is jammed holds its wave and turns links so that they are pushed forward.

    Jam resolution of the paper's reference [10], as far as [liljeback2011 IV-D] describes it: while
    a jam is resolved, links turn as by an `Adaptation`; then the wave goes on from there. The
    heading is controlled all the time.

    Attributes:
        gain: Gain on the contact forces, rad/N.
        distance: A robot is not jammed if its centre of mass advances by more than this within
            `time`, m.
        time: Interval over which advance and turn are measured, s.
        duration: Longest time for which a jam is resolved at a stretch, s. It ends earlier if the
            robot advances or turns.
        turn_deg: A robot is not jammed if its heading turns by more than this within `time`, deg.
            The heading also turns to and fro where a robot swings on the spot.
        limit_deg: Largest angle added to a joint, deg; none for no limit.
    """

    gain: NonNegative
    distance: Positive
    time: Positive
    duration: Positive
    turn_deg: Positive = 45.0
    limit_deg: Positive | None = None
    kind: Literal["jam_resolution"] = tag(default="jam_resolution", kw_only=True)

    def fields(self, period: float) -> dict[str, Any]:  # noqa: ARG002
        """The jams and the adaptation of the kernel's Control."""
        jams = {"jam_distance": self.distance, "jam_time": self.time}
        turn = {"jam_turn": math.radians(self.turn_deg), "resolution": self.duration}
        return jams | turn | _turning(self)


@spec
class SpreadLimit(Part):
    """The references are scaled down until the directions they give the links are within a spread.

    Attributes:
        spread_deg: Largest difference between the directions of any two links, deg. Up to half a
            turn, every link leads on in one common direction, so that the reference shape never
            crosses itself.
    """

    spread_deg: Positive
    kind: Literal["spread_limit"] = tag(default="spread_limit", kw_only=True)

    def fields(self, period: float) -> dict[str, Any]:  # noqa: ARG002
        """The spread of the kernel's Control."""
        return {"spread": math.radians(self.spread_deg)}


@spec
class ContactSensor:
    """Errors in the measurement of contact forces.

    Attributes:
        noise: Standard deviation of the noise, N.
        quantum: Resolution, N.
        delay: Delay, s.
        seed: Seed of the noise.
    """

    noise: NonNegative = 0.0
    quantum: NonNegative = 0.0
    delay: NonNegative = 0.0
    seed: Annotated[Whole, Field(ge=0)] = 1


@spec
class References(Summand):
    """Several parts at once, at most one of each kind.

    One part may be a controller of one's own in Python. What it commands is added after the filter
    and the spread limit, and it has a period of its own. With nothing but a Serpenoid and no filter
    beside it, that is evaluated at every step, as it is alone.

    Attributes:
        parts: Parts that add up; a Serpenoid may take the place of the Follower.
        period: Time between ticks, s.
        cutoff: Cut-off frequency of the critically damped filter between references and joints, Hz;
            none for no filter.
        sensor: Errors in the measurement of contact forces.
    """

    parts: tuple[ControllerSpec, ...]
    period: Positive = PERIOD
    cutoff: Positive | None = 0.75
    sensor: ContactSensor = ContactSensor()
    kind: Literal["references"] = tag(default="references", kw_only=True)

    is_sum = True

    def __post_init__(self) -> None:
        if not self.parts:
            raise InvalidInput("References.parts = () is not allowed: there must be at least 1")
        kinds = [_kind(part) for part in self.parts]
        for part, name in zip(self.parts, kinds, strict=True):
            if isinstance(part, References):
                raise InvalidInput(
                    "References.parts holds References, which is not allowed: add up"
                )
            if isinstance(part, CompiledController) and not isinstance(part, Part | Serpenoid):
                allowed = ", ".join(member.__name__ for member in Part.offered().values())
                raise InvalidInput(
                    f"References.parts holds {type(part).__name__}, which is not allowed: parts "
                    f"are Serpenoid, {allowed} and one controller of your own"
                )
            if kinds.count(name) > 1:
                raise InvalidInput(f"References.parts holds more than one {name.lower()}")
            if isinstance(part, Part):
                part.fields(self.period)
            if isinstance(part, Adaptation | Recovery) and "JamResolution" in kinds:
                raise InvalidInput(
                    f"References.parts holds {type(part).__name__} beside JamResolution, which is "
                    "not allowed: JamResolution turns links and resolves jams by itself"
                )
            if isinstance(part, Recovery) and not any(isinstance(p, Follower) for p in self.parts):
                raise InvalidInput(
                    "References.parts holds a Recovery without a Follower to reverse"
                )

    @property
    def own(self) -> Any:
        """The part that is computed in Python; None if there is none."""
        return next((p for p in self.parts if not isinstance(p, CompiledController)), None)

    @property
    def own_key(self) -> str:
        """Where that part stands, as in .parts[1]."""
        return "".join(f".parts[{k}]" for k, part in enumerate(self.parts) if part is self.own)

    def with_own(self, own: ControllerSpec) -> References:
        """Put another controller in Python in place of its own.

        Args:
            own: The other controller.

        Returns:
            The sum with it.
        """
        parts = [p if isinstance(p, CompiledController) else own for p in self.parts]
        return replace(self, parts=tuple(parts))

    @property
    def _wave(self) -> Serpenoid | None:
        """The wave, if there is nothing else to compute at ticks but a controller in Python."""
        compiled = [part for part in self.parts if isinstance(part, CompiledController)]
        if self.own is None or self.cutoff is not None or len(compiled) != 1:
            return None
        return compiled[0] if isinstance(compiled[0], Serpenoid) else None

    def gait(self) -> layout.PackedGait:
        """Joint references in closed form if there is nothing but a wave; else of the last tick."""
        return layout.HELD_GAIT if self._wave is None else self._wave.gait()

    def angles(self, joints: int, time: float = 0.0) -> Floats:
        """Reference angles of a wave that is in closed form; 0 for others.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Angles, (joints,), rad.
        """
        return np.zeros(joints) if self._wave is None else self._wave.angles(joints, time)

    def rates(self, joints: int, time: float = 0.0) -> Floats:
        """Reference rates of a wave that is in closed form; 0 for others.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Rates, (joints,), rad/s.
        """
        return np.zeros(joints) if self._wave is None else self._wave.rates(joints, time)

    def control(self, joints: int, time_step: float) -> tuple[layout.Control, Floats]:
        """As the kernels take it, and its memory at the start."""
        if self._wave is not None:
            return self._wave.control(joints, time_step)
        fields: dict[str, Any] = layout.NO_CONTROL._asdict()
        for part in self.parts:
            if isinstance(part, Serpenoid):
                fields |= {"wave": layout.GAIT, "gait": part.gait()}
            elif isinstance(part, Part):
                fields |= part.fields(self.period)
        fields |= {
            "ticks": whole_multiple("controller.period", self.period, "time_step", time_step),
            "period": self.period,
            "cutoff": 2 * math.pi * self.cutoff if self.cutoff is not None else 0.0,
            "noise": float(self.sensor.noise),
            "quantum": float(self.sensor.quantum),
            "sensor_lag": _ticks("ContactSensor.delay", self.sensor.delay, self.period) + 1,
        }
        leg = fields.pop("leg", (0.0, 0.0))
        control = layout.Control(**fields)
        compiled = tuple(part for part in self.parts if isinstance(part, CompiledController))
        # The mark of this memory leaves out a controller in Python, which has one of its own.
        memory = (replace(self, parts=compiled) if compiled else self).new_memory(control, joints)
        memory[layout.LEG_X], memory[layout.LEG_Y] = leg
        memory[layout.NOISE] = 1 + int(self.sensor.seed) % 2147483646
        memory[layout.MEMORY_HEAD : layout.MEMORY_HEAD + len(control.path)] = math.inf
        return control, memory


def _following(part: Follower | LeaderFollower, wave: int, period: float) -> dict[str, Any]:
    """The kernel's Control of a wave that is passed on from joint to joint."""
    name = f"{type(part).__name__}.delay"
    if part.delay < period * (1 - 1e-9):
        raise InvalidInput(
            f"{name} = {part.delay!r} is not allowed: it must be at least the control period, "
            f"{period!r} s"
        )
    return {
        "wave": wave,
        "amplitude": math.radians(part.amplitude_deg),
        "frequency": math.radians(part.frequency_deg),
        "lag": _ticks(name, part.delay, period) + 1,
    }


def _turning(part: Adaptation | JamResolution) -> dict[str, Any]:
    """The kernel's Control of links that turn when they are pushed."""
    limit = math.inf if part.limit_deg is None else math.radians(part.limit_deg)
    return {"adaptation": part.gain, "adaptation_limit": limit}


def _kind(part: ControllerSpec) -> str:
    """Kind of a part; a sum has at most one part of each."""
    if isinstance(part, Follower | LeaderFollower | Serpenoid):
        return "wave"
    return type(part).__name__ if isinstance(part, CompiledController) else "own controller"


def add_up(*controllers: Any) -> References:
    """Several controllers as one.

    Args:
        *controllers: Gaits, feedback, one controller in Python or its spec.

    Returns:
        Parts of all of them, with the period, filter and sensor of those that have their own; a
        wave with nothing but a controller in Python has no filter.

    Raises:
        InvalidInput: They do not add up.
    """
    for each in controllers:
        if hint := nearly(each):
            raise InvalidInput(f"{short(each)} is no controller{hint}")
    parts: list[Any] = []
    chosen: References | None = None
    for each in map(as_spec, controllers):
        if not isinstance(each, References):
            parts.append(each)
            continue
        parts += each.parts
        if each.own is not None and each == _unfiltered(*each.parts) and not _feedback(each.parts):
            continue
        if chosen and any(getattr(chosen, key) != getattr(each, key) for key in _SETTINGS):
            raise InvalidInput(
                "References with different period, cutoff or sensor do not add up: give them the "
                "same, or put all parts into one"
            )
        chosen = each
    if chosen is None and not _feedback(parts):
        return _unfiltered(*parts)
    settings = {key: getattr(chosen, key) for key in _SETTINGS} if chosen else {}
    return References(parts=tuple(parts), **settings)


def _feedback(parts: Iterable[Any]) -> bool:
    return any(isinstance(part, Part) for part in parts)


def _unfiltered(*parts: Any) -> References:
    return References(parts=parts, cutoff=None)


def _ticks(name: str, delay: float, period: float) -> int:
    """A delay in ticks."""
    check_memory(delay / period * REMEMBERED, f"{name} = {delay!r} in periods of {period!r} s")
    ticks = round(delay / period)
    if abs(ticks * period - delay) > 1e-9 * max(period, delay):
        raise InvalidInput(
            f"{name} = {delay!r} is not allowed: it must be a whole multiple of the control "
            f"period, {period!r} s"
        )
    return ticks
