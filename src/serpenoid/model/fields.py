"""Ready obstacle fields, and generators of random ones from a seed."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from serpenoid.checks import plain
from serpenoid.errors import InvalidInput
from serpenoid.memory import check_memory
from serpenoid.model.segments import crosses
from serpenoid.model.wave_pegs import pegs_for_wave as pegs_for_wave
from serpenoid.model.wave_pegs import start_on_wave as start_on_wave
from serpenoid.model.world import Peg, Wall
from serpenoid.spec import (
    Count,
    Each,
    Family,
    NonNegative,
    Number,
    Positive,
    field_values,
    spec,
    tag,
)

_AIKO_TRACK = (
    (0.0507, 0.1761),
    (0.4215, 0.0029),
    (0.8037, 0.1851),
    (1.1532, 0.0031),
    (1.5298, 0.1783),
    (1.8877, 0.0020),
    (2.2588, 0.1745),
)


def aiko_track(radius: float | Sequence[float] = 0.0125) -> tuple[Peg, ...]:
    """The seven pegs of the experiment with Aiko [transeth2008 VIII-D].

    Args:
        radius: Radius of all pegs, or a list with one for each of the seven, m.

    Returns:
        The pegs, from left to right.

    Raises:
        InvalidInput: The list does not have seven entries.
    """
    radius = plain(radius)
    radii = radius if isinstance(radius, list) else [radius] * len(_AIKO_TRACK)
    if len(radii) != len(_AIKO_TRACK):
        raise InvalidInput(f"radius has {len(radii)} entries, but the track has 7 pegs")
    return tuple(Peg(x=x, y=y, radius=r) for (x, y), r in zip(_AIKO_TRACK, radii, strict=True))


# After this many failed tries in a row no place is left.
_MOST_MISSES = 5000
# Places that are drawn at a time.
_DRAWN = 100
# What a peg, and a bend of a corridor, take until a robot runs among them, B.
_PEG, _BEND = 6000, 6000


def random_pegs(
    count: int,
    *,
    region: Sequence[float],
    radius: float | Sequence[float],
    clearance: float,
    seed: int,
    keep_clear: Sequence[Sequence[float]] = (),
) -> tuple[Peg, ...]:
    """Place pegs at random in a region, their surfaces at least `clearance` apart.

    Args:
        count: Number of pegs.
        region: Range (xmin, xmax, ymin, ymax) of the centres, m.
        radius: Radius of all pegs, or the range (least, largest) it is drawn from, m.
        clearance: Least distance between the surfaces of two pegs, m.
        seed: Seed of the random numbers, 0 or more.
        keep_clear: Discs (x, y, radius) that no peg may touch, m, for instance around the start.

    Returns:
        The pegs, in the order in which they were placed.

    Raises:
        InvalidInput: A value is not allowed, or the pegs do not fit into the region.
    """
    count, region, seed = plain(count), plain(region), plain(seed)
    clearance = plain(clearance)
    radii: list[Any] = plain(radius) if _numbers(plain(radius), 2) else [plain(radius)] * 2
    low, high = radii
    _require(_whole(count) and count >= 0, "count", count, "a whole number, zero or more")
    fine = _numbers(region, 4) and region[0] < region[1] and region[2] < region[3]
    _require(fine, "region", tuple(region), "(xmin, xmax, ymin, ymax), in order")
    fine = _number(low) and _number(high) and 0 < low <= high
    _require(fine, "radius", radius, "a number greater than 0, or a range of two, in order")
    _require(_number(clearance) and clearance >= 0, "clearance", clearance, "zero or more")
    _require(_whole(seed) and seed >= 0, "seed", seed, "a whole number, zero or more")
    for k, disc in enumerate(plain(keep_clear)):
        _require(_numbers(disc, 3), f"keep_clear[{k}]", disc, "(x, y, radius)")
    check_memory(count * _PEG, f"count = {count} of random pegs")
    xmin, xmax, ymin, ymax = region
    random = np.random.default_rng(seed)
    # Pegs closer than this may come too near each other; so a peg is noted in its own cell and in
    # the neighbouring ones.
    cell = 2 * high + clearance + 1e-12
    cells: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    pegs: list[Peg] = []
    misses = 0
    while len(pegs) < count and misses < _MOST_MISSES:
        # Drawn many at a time, which is quicker.
        for a, b, c in random.random((_DRAWN, 3)).tolist():
            if len(pegs) == count or misses == _MOST_MISSES:
                break
            misses += 1
            x, y, r = xmin + (xmax - xmin) * a, ymin + (ymax - ymin) * b, low + (high - low) * c
            column, row = math.floor(x / cell), math.floor(y / cell)
            near = cells.get((column, row), ())
            if all(math.hypot(x - px, y - py) >= r + pr + clearance for px, py, pr in near) and all(
                math.hypot(x - kx, y - ky) >= r + kr for kx, ky, kr in keep_clear
            ):
                for i, j in itertools.product((-1, 0, 1), repeat=2):
                    cells.setdefault((column + i, row + j), []).append((x, y, r))
                pegs.append(Peg(x=x, y=y, radius=r))
                misses = 0
    if len(pegs) < count:
        raise InvalidInput(
            f"count = {count} pegs do not fit into region {tuple(region)} with clearance "
            f"{clearance} m: only {len(pegs)} found a place; ask for fewer or give them more room"
        )
    return tuple(pegs)


def random_corridor(
    length: float,
    *,
    clearance: float,
    seed: int,
    step: float = 0.4,
    max_turn_deg: float = 30.0,
    roughness: float = 0.0,
) -> tuple[Wall, Wall]:
    """Build a winding corridor from the origin along +x, at least `clearance` wide everywhere.

    Args:
        length: Length of the centre line, m, rounded up to whole steps.
        clearance: Least width, m.
        seed: Seed of the random numbers, 0 or more.
        step: Distance between bends, m, at least the clearance.
        max_turn_deg: Largest heading to either side, 0 to 45 deg.
        roughness: Largest distance by which the walls stand back at each bend, m.

    Returns:
        The left wall and the right wall.

    Raises:
        InvalidInput: A value is not allowed.
    """
    length, clearance, step = plain(length), plain(clearance), plain(step)
    max_turn_deg, roughness, seed = plain(max_turn_deg), plain(roughness), plain(seed)
    _require(_number(length) and length > 0, "length", length, "greater than 0")
    _require(_number(clearance) and clearance > 0, "clearance", clearance, "greater than 0")
    _require(_whole(seed) and seed >= 0, "seed", seed, "a whole number, zero or more")
    _require(
        _number(step) and step >= clearance, "step", step, f"at least the clearance, {clearance}"
    )
    fine = _number(max_turn_deg) and 0 <= max_turn_deg <= 45
    _require(fine, "max_turn_deg", max_turn_deg, "between 0 and 45")
    _require(_number(roughness) and roughness >= 0, "roughness", roughness, "zero or more")
    what = f"length = {length!r} with a bend every {step!r} m"
    check_memory(length / step * _BEND, what)
    random = np.random.default_rng(seed)
    bends = math.ceil(length / step)
    heading = np.radians(random.uniform(-max_turn_deg, max_turn_deg, bends))
    heading[0] = 0.0
    direction = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    centre = np.concatenate([np.zeros((1, 2)), np.cumsum(step * direction, axis=0)])
    mean = np.concatenate([heading[:1], (heading[1:] + heading[:-1]) / 2, heading[-1:]])
    turn = np.concatenate([[0.0], (heading[1:] - heading[:-1]) / 2, [0.0]])
    normal = np.stack([-np.sin(mean), np.cos(mean)], axis=1)
    # The mitre keeps the full width on both sides of a bend.
    offset = clearance / 2 / np.cos(turn)
    walls = []
    for side in (1.0, -1.0):
        rough = roughness * random.random(len(offset))
        while _crosses_itself(points := centre + side * (offset + rough)[:, None] * normal):
            rough = rough / 2
        walls.append(Wall(points=points))
    return walls[0], walls[1]


class Field(Family):
    """Base of the obstacle fields of scenario files."""

    @abstractmethod
    def obstacles(self, seed: int) -> tuple[Peg | Wall, ...]:
        """Pegs and walls of the field.

        Args:
            seed: Seed of the scenario, from which random fields are drawn.

        Returns:
            The pegs and walls.
        """


@spec
class AikoTrack(Field):
    """The seven pegs of `aiko_track`.

    Attributes:
        radius: Radius of all pegs, or a list with one for each, m.
    """

    radius: Each[Positive] = 0.0125
    kind: Literal["aiko_track"] = tag(default="aiko_track", kw_only=True)

    def obstacles(self, seed: int) -> tuple[Peg, ...]:  # noqa: ARG002
        """The seven pegs, whatever the seed."""
        return aiko_track(self.radius)


@spec
class RandomPegs(Field):
    """Random pegs, placed by `random_pegs`.

    Attributes:
        count: Number of pegs.
        region: Range xmin, xmax, ymin, ymax of the centres, m.
        radius: Radius of all pegs, or the range it is drawn from, m.
        clearance: Least distance between the surfaces of two pegs, m.
        keep_clear: Discs x, y, radius that no peg may touch, m.
    """

    count: Count
    region: tuple[Number, ...]
    radius: Each[Positive]
    clearance: NonNegative
    keep_clear: tuple[tuple[Number, ...], ...] = ()
    kind: Literal["random_pegs"] = tag(default="random_pegs", kw_only=True)

    def obstacles(self, seed: int) -> tuple[Peg, ...]:
        """The pegs of this seed."""
        return random_pegs(seed=seed, **field_values(self))


@spec
class RandomCorridor(Field):
    """A winding corridor from the origin along +x, built by `random_corridor`.

    Attributes:
        length: Length of the centre line, m, rounded up to whole steps.
        clearance: Least width, m.
        step: Distance between bends, m.
        max_turn_deg: Largest heading to either side, 0 to 45 deg.
        roughness: Largest distance by which the walls stand back at each bend, m.
    """

    length: Positive
    clearance: Positive
    step: Positive = 0.4
    max_turn_deg: NonNegative = 30.0
    roughness: NonNegative = 0.0
    kind: Literal["random_corridor"] = tag(default="random_corridor", kw_only=True)

    def obstacles(self, seed: int) -> tuple[Wall, ...]:
        """The two walls of this seed."""
        return random_corridor(seed=seed, **field_values(self))


def _crosses_itself(points: npt.NDArray[np.float64]) -> bool:
    """Whether two pieces of a polyline cross that are not neighbours."""
    a, b = points[:-1], points[1:]
    # Pieces cross only where their x ranges meet, which few do that are far apart in order.
    least, reached = np.minimum(a, b)[:, 0], np.maximum.accumulate(np.maximum(a, b)[:, 0])
    apart = np.arange(len(a)) - np.searchsorted(reached, least)
    return any(crosses(a[:-k], b[:-k], a[k:], b[k:]).any() for k in range(2, apart.max() + 1))


def _number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _numbers(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(map(_number, value))


def _whole(value: Any) -> bool:
    return type(value) is int


def _require(fine: bool, name: str, value: object, allowed: str) -> None:
    if not fine:
        raise InvalidInput(f"{name} = {value!r} is not allowed: it must be {allowed}")
