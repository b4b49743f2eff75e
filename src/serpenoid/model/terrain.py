"""Terrain: the ground of a vertical plane as a line from left to right, solid below it."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from serpenoid.checks import check_distinct
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory
from serpenoid.model.contact import GroundContact, Hard
from serpenoid.model.segments import crosses
from serpenoid.spec import (
    Count,
    Each,
    Family,
    NonNegative,
    Number,
    Point,
    Positive,
    Whole,
    spec,
    tag,
)

# Length of level ground beyond the ends of a terrain, m.
FAR = 1e4
# What a point of a generated terrain takes until a robot runs on it, B.
_POINT = 1000


class Terrain(Family):
    """Base of the terrains.

    Beyond its ends a terrain continues level, with the friction of its last piece.

    Attributes:
        friction: Coulomb coefficient of all pieces, or a list with one for each, from left to
            right.
        contact: Law of contact, `Compliant` or `Hard`.
    """

    friction: Any
    contact: Any

    def __post_init__(self) -> None:
        self.frictions()

    @abstractmethod
    def polyline(self) -> Floats:
        """Points of the ground.

        Returns:
            Points from left to right, (k, 2), m.
        """

    def frictions(self) -> Floats:
        """Coefficient of friction of every piece between two points.

        Returns:
            Coefficients, (k - 1,).

        Raises:
            InvalidInput: A list does not have one entry for each piece.
        """
        pieces = len(self.polyline()) - 1
        if not isinstance(self.friction, tuple):
            return np.full(pieces, float(self.friction))
        if len(self.friction) != pieces:
            raise InvalidInput(
                f"{type(self).__name__}.friction has {len(self.friction)} entries, but this "
                f"terrain has {pieces} pieces"
            )
        return np.array(self.friction, dtype=float)

    def level(self, x: npt.ArrayLike) -> Floats:
        """Height of the ground; at a vertical piece, its upper end.

        Args:
            x: Horizontal positions, m.

        Returns:
            Heights, in the shape of x, m.
        """
        points = self.polyline()
        where = np.asarray(x, dtype=float)
        last = np.clip(np.searchsorted(points[:, 0], where, "right"), 1, len(points) - 1)
        a, b = points[last - 1], points[last]
        run = np.maximum(b[..., 0] - a[..., 0], 1e-300)
        part = np.clip((where - a[..., 0]) / run, 0.0, 1.0)
        height: Floats = a[..., 1] + part * (b[..., 1] - a[..., 1])
        return height


@spec
class Profile(Terrain):
    """Terrain through given points.

    Attributes:
        points: Points from left to right, m; pieces may be vertical.
        friction: Coulomb coefficient of all pieces, or a list with one for each, from left to
            right.
        contact: Law of contact with links.
    """

    points: tuple[Point, ...]
    friction: Each[NonNegative]
    contact: GroundContact = Hard()
    kind: Literal["profile"] = tag(default="profile", kw_only=True)

    def __post_init__(self) -> None:
        if len(self.points) < 2:
            raise InvalidInput(
                f"Profile.points = {self.points} is not allowed: there must be at least two points"
            )
        check_distinct("Profile.points", self.points)
        _check_line(self.points)
        super().__post_init__()

    def polyline(self) -> Floats:
        """The given points.

        Returns:
            Points from left to right, (k, 2), m.
        """
        return np.array(self.points)


@spec
class Flat(Terrain):
    """Level ground at y = 0; use a `Profile` where friction changes.

    Attributes:
        friction: Coulomb coefficient.
        contact: Law of contact with links.
    """

    friction: NonNegative
    contact: GroundContact = Hard()
    kind: Literal["flat"] = tag(default="flat", kw_only=True)

    def polyline(self) -> Floats:
        """Two points of the ground.

        Returns:
            Points from left to right, (2, 2), m.
        """
        return np.array([(-1.0, 0.0), (1.0, 0.0)])


@spec
class Slope(Terrain):
    """Level ground that rises from x on.

    Attributes:
        angle_deg: Angle of the slope, deg.
        friction: Coulomb coefficient of both pieces, or a list with one for each, from left to
            right.
        contact: Law of contact with links.
        x: Where the slope begins, m.
        length: Length along the slope, m.
    """

    angle_deg: Annotated[Number, Field(gt=-90, lt=90)]
    friction: Each[NonNegative]
    contact: GroundContact = Hard()
    x: Number = 0.0
    length: Positive = 10.0
    kind: Literal["slope"] = tag(default="slope", kw_only=True)

    def polyline(self) -> Floats:
        """A level piece and the slope.

        Returns:
            Points from left to right, (3, 2), m.
        """
        angle = math.radians(self.angle_deg)
        top = (self.x + self.length * math.cos(angle), self.length * math.sin(angle))
        return np.array([(self.x - 1.0, 0.0), (self.x, 0.0), top])


@spec
class Stairs(Terrain):
    """Steps up from level ground, and down again if wanted.

    Attributes:
        height: Height of a step, m.
        tread: Length of a step, m.
        friction: Coulomb coefficient of all pieces, or a list with one for each, from left to
            right.
        contact: Law of contact with links.
        x: Where the first step rises, m.
        steps: Number of steps.
        down: Whether as many steps lead down after the last tread; otherwise the ground continues
            at its height.
    """

    height: Positive
    tread: Positive
    friction: Each[NonNegative]
    contact: GroundContact = Hard()
    x: Number = 0.0
    steps: Count = 1
    down: bool = False
    kind: Literal["stairs"] = tag(default="stairs", kw_only=True)

    def __post_init__(self) -> None:
        points = self.steps * (4 if self.down else 2)
        check_memory(points * _POINT, f"Stairs.steps = {self.steps}")
        super().__post_init__()

    def polyline(self) -> Floats:
        """Level ground, risers and treads.

        Returns:
            Points from left to right, (k, 2), m.
        """
        points = [(self.x - 1.0, 0.0)]
        x, levels = self.x, [*range(self.steps + 1)]
        levels += [*range(self.steps - 1, -1, -1)] if self.down else []
        for a, b in itertools.pairwise(levels):
            points += [(x, a * self.height), (x, b * self.height)]
            x += self.tread
        return np.array([*points, (x, points[-1][1])])


@spec
class Rough(Terrain):
    """Random ground between level ground: a new height at every step.

    Attributes:
        height: Largest height above or below 0, m.
        step: Horizontal distance between two heights, m.
        length: Length of the random ground, m, rounded up to whole steps.
        seed: Seed of the heights.
        friction: Coulomb coefficient of all pieces, or a list with one for each, from left to
            right.
        contact: Law of contact with links.
        x: Where the random ground begins, m.
    """

    height: NonNegative
    step: Positive
    length: Positive
    seed: Annotated[Whole, Field(ge=0)]
    friction: Each[NonNegative]
    contact: GroundContact = Hard()
    x: Number = 0.0
    kind: Literal["rough"] = tag(default="rough", kw_only=True)

    def __post_init__(self) -> None:
        # Divided in this order, tiny steps make it infinite.
        what = f"Rough.step = {self.step!r} over a length of {self.length!r} m"
        check_memory(self.length / self.step * _POINT, what)
        super().__post_init__()

    def polyline(self) -> Floats:
        """The points of this seed.

        Returns:
            Points from left to right, (k, 2), m.
        """
        pieces = math.ceil(self.length / self.step - 1e-9)
        y = np.random.default_rng(self.seed).uniform(-self.height, self.height, pieces - 1)
        x = self.x + self.step * np.arange(pieces + 1)
        ends = [(self.x - 1.0, 0.0), (x[-1] + 1.0, 0.0)]
        inner = np.stack([x, np.concatenate([[0.0], y, [0.0]])], axis=1)
        return np.concatenate([ends[:1], inner, ends[1:]])


def _check_crossings(line: Floats) -> None:
    """Refuse a line, (k, 2), that crosses itself."""
    for k in range(2, len(line) - 1):
        a, b = line[k : k + 2]
        if crosses(a, b, line[: k - 1], line[1:k]).any():
            raise InvalidInput(
                f"Profile.points crosses itself between {_at(a)} and {_at(b)}: terrain goes from "
                "left to right"
            )


def _check_line(points: tuple[tuple[float, float], ...]) -> None:
    """Refuse a line that is not the surface of solid ground seen from above."""
    line = np.array(points)
    if (np.diff(line[:, 0]) < 0).any():
        # Only a line that overhangs can cross itself, which is worth a sentence of its own.
        _check_crossings(line)
    for a, b, c in zip(line, line[1:], [*line[2:], None], strict=False):
        if b[0] < a[0]:
            raise InvalidInput(
                f"Profile.points overhangs between {_at(a)} and {_at(b)}: x must not decrease"
            )
        if c is not None and a[0] == b[0] == c[0] and (b[1] - a[1]) * (c[1] - b[1]) < 0:
            raise InvalidInput(
                f"Profile.points turns back on itself at {_at(b)}: a wall must have a width"
            )


def _at(point: Floats) -> str:
    return f"({point[0]:g}, {point[1]:g})"
