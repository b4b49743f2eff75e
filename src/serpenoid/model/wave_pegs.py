"""Pegs laid out for a travelling wave, and the start in which a robot lies along it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.checks import plain, real_number, whole_number
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot
from serpenoid.model.start import Start
from serpenoid.model.world import Peg

if TYPE_CHECKING:
    from serpenoid.control.gaits import Serpenoid

# Points of the curve for a quarter of a wave; the trapezoidal rule is then exact to 1e-9 of it.
_POINTS = 5001
# A peg may be as much closer to another part of the wave than to its own, m.
_ROUNDING = 1e-7


def pegs_for_wave(
    robot: Robot,
    gait: Serpenoid,
    radius: float | Sequence[float],
    offset: float = 0.0,
    *,
    count: int = 7,
) -> tuple[Peg, ...]:
    """Pegs beside the steady wave of a gait, one for each half wave, on alternate sides.

    A robot whose every link follows the one ahead lies along a fixed curve about the x axis, and
    pegs behind its steep parts push it on [transeth2008 VII-B, Fig. 8 (b)]. Each peg touches the
    outline of a link that lies along the curve, on the side that drives the robot the way of its
    gait. At t = 0 the middle of link `links // 2` is at x = 0, see `start_on_wave`.

    Args:
        robot: A robot of equal links.
        gait: Its gait.
        radius: Radius of all pegs, or a list with one for each, m.
        offset: Distance of the touched points of the curve from its centre line, positive to the
            side on which the peg is, m; at 0 links are steepest there.
        count: Number of pegs; the robot is among the first that it comes to.

    Returns:
        The pegs, from left to right.

    Raises:
        InvalidInput: The gait has no such wave, or the pegs would stand in it.
    """
    count = whole_number("count", count)
    given = plain(radius)
    radii = given if isinstance(given, list) else [given] * count
    if len(radii) != count:
        raise InvalidInput(f"radius has {len(radii)} entries, but there are {count} pegs")
    wave = _Wave.of(robot, gait)
    high = float(wave.y[-1])
    offset = real_number(
        "offset",
        offset,
        f"a number between -{high:.4g} and {high:.4g}, the amplitude of the wave",
        lambda y: -high < y < high,
    )
    # Part of the curve that is touched, from where it crosses the centre line.
    touched = float(np.interp(wave.forward * offset, wave.y, wave.link))
    along = float(np.interp(touched, wave.link, wave.x))
    steep = wave.steepness * math.cos(wave.phase * touched)
    pegs = []
    for k, each in enumerate(radii, wave.begin(count)):
        peg_radius = real_number("radius", each, "a number greater than 0", lambda r: r > 0)
        distance = peg_radius + wave.outline
        side = wave.forward * wave.side(k)
        x = along - wave.forward * distance * math.sin(steep)
        y = offset + distance * math.cos(steep)
        if wave.nearest(x, wave.forward * y) < distance - _ROUNDING:
            raise InvalidInput(
                f"radius = {peg_radius!r} is not allowed at offset = {offset!r}: the peg would "
                "stand in the wave beside the place it touches; make it smaller, or move the "
                "offset towards 0"
            )
        pegs.append(Peg(x=wave.crossing(k) + x, y=side * y, radius=peg_radius))
    return tuple(pegs)


def start_on_wave(robot: Robot, gait: Serpenoid) -> Start:
    """The start in which a robot lies along the steady wave of its gait, as `pegs_for_wave` has it.

    Args:
        robot: A robot of equal links.
        gait: Its gait.

    Returns:
        The start: link `links // 2` with its middle at x = 0.

    Raises:
        InvalidInput: The gait has no such wave.
    """
    wave = _Wave.of(robot, gait)
    links = np.arange(len(robot.links))
    heading = wave.side(0) * wave.steepness * np.cos(wave.phase * (links - wave.first))
    # Middles of straight links lie inside of the curve, to first order by this factor.
    inside = wave.phase / 2 / math.tan(wave.phase / 2)
    return Start(
        x=0.0,
        y=inside * wave.at(wave.middle)[1],
        link=wave.middle,
        heading_deg=math.degrees(float(heading.mean())),
    )


@dataclass(frozen=True)
class _Wave:
    """The curve along which the links of a robot lie, in a steady wave.

    Place s of the curve, counted in links, has the direction side * steepness * cos(phase * (s -
    first)) from the centre line; link k lies at s = k.

    Attributes:
        steepness: Largest angle between links and the centre line, rad.
        phase: Phase from link to link, without its sign, rad.
        outline: Half the width of the links, m.
        forward: 1 if the wave drives the robot towards its head, else -1.
        first: Place of the first crossing of the centre line from the tail on, links.
        rises: Whether the curve crosses the centre line there to its left.
        links: Number of links n.
        link, x, y: The curve a quarter of a wave to either side of a crossing to the left, links, m
            and m from there.
    """

    steepness: float
    phase: float
    outline: float
    forward: int
    first: float
    rises: bool
    links: int
    link: Floats
    x: Floats
    y: Floats

    @classmethod
    def of(cls, robot: Robot, gait: Serpenoid) -> _Wave:
        """The wave of a robot with a gait, or what is wrong with them."""
        _check(robot, gait)
        length, n = robot.links[0].length, len(robot.links)
        phase = math.radians(gait.phase_deg)
        # Neighbours differ by the joints' amplitude [transeth2008 (71)].
        signed = math.radians(gait.amplitude_deg) / (2 * math.sin(phase / 2))
        link = np.linspace(-1.0, 1.0, 2 * _POINTS - 1) * (math.pi / 2 / abs(phase))
        heading = abs(signed) * np.cos(phase * link)
        x, y = _sums(length * np.cos(heading), link), _sums(length * np.sin(heading), link)
        # Joint j of n - 1 is between links, and phases are counted from the head.
        crest = n - 1.5 + math.radians(gait.start_deg) / phase
        half = math.pi / abs(phase)
        number = math.ceil((-0.5 - crest) / half - 1e-9)
        first = crest + number * half
        return cls(
            steepness=abs(signed),
            phase=abs(phase),
            outline=robot.links[0].radius,
            forward=-1 if phase * gait.frequency_deg > 0 else 1,
            first=first,
            rises=(signed > 0) == (number % 2 == 0),
            links=n,
            link=link,
            x=x,
            y=y,
        )

    @property
    def middle(self) -> int:
        """The link whose middle is at x = 0."""
        return self.links // 2

    @property
    def half_length(self) -> float:
        """Length of half a wave along the centre line, m."""
        return float(self.x[-1] - self.x[0])

    def side(self, k: int) -> int:
        """1 if the curve crosses the centre line to its left at crossing k, else -1."""
        return 1 if self.rises == (k % 2 == 0) else -1

    def at(self, place: float) -> tuple[float, float]:
        """Position on the curve, x from its first crossing on, m."""
        half = math.pi / self.phase
        halves, rest = divmod(place - self.first + half / 2, half)
        x, y = (float(np.interp(rest - half / 2, self.link, each)) for each in (self.x, self.y))
        return halves * self.half_length + x, self.side(int(halves)) * y

    def crossing(self, k: int) -> float:
        """Position of crossing k along the centre line, m."""
        return k * self.half_length - self.at(self.middle)[0]

    def begin(self, count: int) -> int:
        """First of some crossings, of which the robot covers the first that it comes to."""
        if self.forward > 0:
            return 0
        head = self.links - 0.5
        return math.floor((head - self.first) * self.phase / math.pi) - count + 1

    def nearest(self, x: float, y: float) -> float:
        """Distance of a point from the curve around a crossing to the left, m."""
        parts = [
            np.hypot(self.x + k * self.half_length - x, (-1) ** k * self.y - y)
            for k in (-2, -1, 0, 1, 2)
        ]
        return float(np.min(parts))


def _sums(values: Floats, link: Floats) -> Floats:
    """Integral over the places from the middle of them."""
    steps = np.diff(link) * (values[1:] + values[:-1]) / 2
    whole = np.concatenate([[0.0], np.cumsum(steps)])
    sums: Floats = whole - whole[len(whole) // 2]
    return sums


def _check(robot: Robot, gait: Serpenoid) -> None:
    """Refuse robots and gaits that have no steady wave along a straight line."""
    if getattr(gait, "kind", None) != "serpenoid":
        raise InvalidInput(
            f"gait = {type(gait).__name__} is not allowed: it must be a Serpenoid, whose wave is "
            "steady"
        )
    if not robot.joints:
        raise InvalidInput("robot.joints = () is not allowed: a wave needs joints")
    for name in ("length", "radius"):
        values = {getattr(link, name) for link in robot.links}
        if len(values) > 1:
            raise InvalidInput(
                f"robot.links with a {name} of {min(values):g} to {max(values):g} m are not "
                "allowed: a steady wave needs equal links"
            )
    if gait.offset_deg:
        raise InvalidInput(
            f"Serpenoid.offset_deg = {gait.offset_deg:g} is not allowed: it bends the path, and "
            "must be 0 here"
        )
    if not gait.frequency_deg or not gait.amplitude_deg:
        name = "amplitude_deg" if gait.frequency_deg else "frequency_deg"
        raise InvalidInput(f"Serpenoid.{name} = 0 is not allowed: nothing would travel")
    if not 0 < abs(gait.phase_deg) < 180:
        raise InvalidInput(
            f"Serpenoid.phase_deg = {gait.phase_deg:g} is not allowed: a wave travels along the "
            "body for phases between 0 and 180 deg, or between -180 and 0"
        )
    steepness = abs(gait.amplitude_deg / (2 * math.sin(math.radians(gait.phase_deg) / 2)))
    if steepness >= 90:
        raise InvalidInput(
            f"Serpenoid.amplitude_deg = {gait.amplitude_deg:g} is not allowed with phase_deg = "
            f"{gait.phase_deg:g}: links would turn by {steepness:.4g} deg from the centre line, "
            "and must by less than 90"
        )
