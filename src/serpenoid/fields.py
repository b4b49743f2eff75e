"""Ready obstacle fields and seeded generators of random ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.spec import plain
from serpenoid.world import Peg, Wall

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
    """The seven pegs of the experiment with Aiko, m [transeth2008 VIII-D]."""
    radii = plain(radius) if isinstance(radius, Iterable) else [radius] * len(_AIKO_TRACK)
    if len(radii) != len(_AIKO_TRACK):
        raise InvalidInput(f"radius has {len(radii)} entries, but the track has 7 pegs")
    return tuple(Peg(x=x, y=y, radius=r) for (x, y), r in zip(_AIKO_TRACK, radii, strict=True))


def random_pegs(
    count: int,
    *,
    region: tuple[float, float, float, float],
    radius: float | tuple[float, float],
    clearance: float,
    seed: int,
    keep_clear: Sequence[tuple[float, float, float]] = (),
) -> tuple[Peg, ...]:
    """Pegs at random in a region, their surfaces at least `clearance` apart.

    region: (xmin, xmax, ymin, ymax) for the centres, m. radius: one, or a range to draw from.
    keep_clear: discs (x, y, radius) no peg may touch, for instance around the start.
    """
    xmin, xmax, ymin, ymax = region
    low, high = (radius, radius) if isinstance(radius, int | float) else radius
    _require(count >= 0, "count", count, "zero or more")
    _require(xmin < xmax and ymin < ymax, "region", region, "(xmin, xmax, ymin, ymax), in order")
    _require(0 < low <= high, "radius", radius, "greater than 0, a range in order")
    _require(clearance >= 0, "clearance", clearance, "zero or more")
    random = np.random.default_rng(seed)
    # Pegs closer than this may come too near each other; so only neighbouring cells are looked at.
    cell = 2 * high + clearance + 1e-12
    cells: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    pegs: list[Peg] = []
    for _ in range(2000 * max(count, 1)):
        if len(pegs) == count:
            break
        x, y, r = random.uniform(xmin, xmax), random.uniform(ymin, ymax), random.uniform(low, high)
        column, row = math.floor(x / cell), math.floor(y / cell)
        near = [
            peg
            for i in (column - 1, column, column + 1)
            for j in (row - 1, row, row + 1)
            for peg in cells.get((i, j), ())
        ]
        if all(math.hypot(x - px, y - py) >= r + pr + clearance for px, py, pr in near) and all(
            math.hypot(x - kx, y - ky) >= r + kr for kx, ky, kr in keep_clear
        ):
            cells.setdefault((column, row), []).append((x, y, r))
            pegs.append(Peg(x=x, y=y, radius=r))
    if len(pegs) < count:
        raise InvalidInput(
            f"count = {count} pegs do not fit into region {region} with clearance {clearance} m: "
            f"only {len(pegs)} found a place; ask for fewer or give them more room"
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
    """A winding corridor from the origin along +x, everywhere at least `clearance` m wide.

    length: of the centre line, m. step: between bends. max_turn_deg: largest heading to either
    side. roughness: how far the walls may stand back at each bend, m.
    """
    _require(length > 0, "length", length, "greater than 0")
    _require(clearance > 0, "clearance", clearance, "greater than 0")
    _require(step >= clearance, "step", step, f"at least the clearance, {clearance}")
    _require(0 <= max_turn_deg <= 45, "max_turn_deg", max_turn_deg, "between 0 and 45")
    _require(roughness >= 0, "roughness", roughness, "zero or more")
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
        back = offset + roughness * random.random(len(offset))
        walls.append(Wall(points=tuple(map(tuple, centre + side * back[:, None] * normal))))
    return walls[0], walls[1]


def _require(fine: bool, name: str, value: object, allowed: str) -> None:
    if not fine:
        raise InvalidInput(f"{name} = {value!r} is not allowed: it must be {allowed}")
