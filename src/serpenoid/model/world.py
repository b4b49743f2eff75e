"""The world: a plane with friction and obstacles, or a vertical plane with terrain."""

from __future__ import annotations

import math
from typing import Literal

from serpenoid.checks import check_distinct
from serpenoid.displays import Displayed
from serpenoid.errors import InvalidInput
from serpenoid.model.contact import Contact
from serpenoid.model.friction import FrictionLaw
from serpenoid.model.loads import Load
from serpenoid.model.terrain import Terrain
from serpenoid.spec import NonNegative, Number, Point, Positive, spec


@spec
class Peg:
    """A fixed vertical cylinder.

    Attributes:
        x: Centre, m.
        y: Centre, m.
        radius: Radius, m.
        contact: Law of contact; the world's if not given.
    """

    x: Number
    y: Number
    radius: Positive
    contact: Contact | None = None


@spec
class Wall:
    """A fixed wall along a polyline, with contact on both sides.

    Attributes:
        points: At least two points, m; repeat the first one at the end for a closed outline.
        contact: Law of contact; the world's if not given.
    """

    points: tuple[Point, ...]
    contact: Contact | None = None

    def __post_init__(self) -> None:
        if len(self.points) < 2:
            raise InvalidInput(
                f"Wall.points = {self.points} is not allowed: a wall needs at least two points"
            )
        check_distinct("Wall.points", self.points)


@spec
class Patch:
    """A rectangle with its own ground friction.

    Attributes:
        x: Centre, m.
        y: Centre, m.
        width: Side along the patch's own x axis, m.
        height: Side along the patch's own y axis, m.
        friction: Friction law; none for perfectly slippery ground.
        angle_deg: Angle of the patch's own x axis, deg.
    """

    x: Number
    y: Number
    width: Positive
    height: Positive
    friction: FrictionLaw | None = None
    angle_deg: Number = 0.0


@spec
class Plane:
    """A plane and what is on it, without the ground friction; the fields are those of `World`."""

    pegs: tuple[Peg, ...] = ()
    walls: tuple[Wall, ...] = ()
    loads: tuple[Load, ...] = ()
    patches: tuple[Patch, ...] = ()
    contact: Contact = Contact()
    contact_at: Literal["outline", "centre", "axis"] = "outline"
    gravity: NonNegative = 9.81
    slope_deg: Number = 0.0
    slope_direction_deg: Number = 0.0
    plane: Literal["horizontal", "vertical"] = "horizontal"
    terrain: Terrain | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.slope_deg < 90:
            raise InvalidInput(
                f"World.slope_deg = {self.slope_deg!r} is not allowed: it must be at least 0 and "
                "less than 90"
            )
        if self.contact_at == "centre" and self.walls:
            raise InvalidInput(
                "World.contact_at = 'centre' is not allowed with walls: it is for pegs only"
            )
        if self.contact_at == "centre" and self.is_compliant:
            raise InvalidInput(
                "World.contact_at = 'centre' is not allowed with compliant pegs: a stiffness needs "
                "'outline'"
            )
        if self.loads and (self.plane == "vertical" or self.contact_at != "outline"):
            given = "plane = 'vertical'" if self.plane == "vertical" else "contact_at"
            raise InvalidInput(
                f"World.loads is not allowed with {given}: loads need plane = 'horizontal' and "
                "contact_at = 'outline'"
            )
        if self.contact_at == "axis" and (self.walls or self.pegs):
            raise InvalidInput(
                "World.contact_at = 'axis' is not allowed with pegs or walls: it is for terrain "
                "only"
            )
        if self.plane == "horizontal":
            if self.terrain is not None:
                raise InvalidInput(
                    "World.terrain is not allowed in a horizontal plane: it needs plane = "
                    "'vertical'"
                )
            return
        if self.contact_at == "centre":
            raise InvalidInput(
                "World.contact_at = 'centre' is not allowed in a vertical plane: it must be "
                "'outline' or 'axis'"
            )
        if self.slope_deg:
            raise InvalidInput(
                f"World.slope_deg = {self.slope_deg!r} is not allowed in a vertical plane: the "
                "slope is the terrain's, terrain = Slope(...)"
            )
        if self.patches:
            raise InvalidInput(
                "World.patches is not allowed in a vertical plane: friction is the terrain's"
            )

    @property
    def laws(self) -> tuple[Contact, ...]:
        """Laws of contact of the pegs, then of the walls."""
        things: tuple[Peg | Wall, ...] = (*self.pegs, *self.walls)
        return tuple(thing.contact or self.contact for thing in things)

    @property
    def is_compliant(self) -> bool:
        """Whether the terrain, a peg or a wall has springs."""
        if self.terrain is not None and not self.terrain.contact.numbers()["hard"]:
            return True
        return any(law.is_compliant for law in self.laws)

    @property
    def pull(self) -> tuple[float, float]:
        """Component of gravity along the plane, m/s2."""
        if self.plane == "vertical":
            return 0.0, -self.gravity
        size = self.gravity * math.sin(math.radians(self.slope_deg))
        direction = math.radians(self.slope_direction_deg)
        return size * math.cos(direction), size * math.sin(direction)

    @property
    def normal_gravity(self) -> float:
        """Component of gravity into the plane, m/s2."""
        if self.plane == "vertical":
            return 0.0
        return self.gravity * math.cos(math.radians(self.slope_deg))


@spec
class Ground:
    """The surface of the plane; its field is that of `World`."""

    friction: FrictionLaw | None = None


# Fields of the last base come first: World(Coulomb(0.2), pegs=...).
@spec
class World(Displayed, Plane, Ground):
    """A plane with friction, perhaps inclined, and what is on it; or a vertical plane with terrain.

    Attributes:
        friction: Law of ground friction; none for perfectly slippery ground.
        pegs: Fixed cylinders.
        walls: Fixed walls.
        loads: Bodies that can be pushed, on a horizontal plane and with contact on outlines only.
        patches: Rectangles of other ground, later ones above earlier ones.
        contact: Law of contact of pegs, walls and loads that have none of their own; its stiffness
            and damping are those of pegs and walls only.
        contact_at: Where links touch obstacles: on their outline; at the middle of links without
            width [liljeback2011 II], with pegs only; or on the axis of links without width
            [koopaee2020], with terrain only.
        gravity: Acceleration of gravity, m/s2.
        slope_deg: Inclination of the plane, at least 0 and less than 90 deg.
        slope_direction_deg: Direction of steepest descent, deg.
        plane: Horizontal, or vertical, where y is up, gravity acts along -y and the only ground is
            terrain.
        terrain: Ground of a vertical plane.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plane == "vertical" and self.friction is not None:
            raise InvalidInput(
                f"World.friction = {self.friction} is not allowed in a vertical plane: friction is "
                "the terrain's"
            )

    @property
    def frictions(self) -> dict[str, FrictionLaw | None]:
        """Laws of ground friction of the plane and of the patches, by their keys in a scenario."""
        patches = {f"world.patches[{k}].friction": p.friction for k, p in enumerate(self.patches)}
        return {"friction": self.friction, **patches}

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        parts = [f"friction {self.friction}" if self.friction else "no friction"]
        if self.plane == "vertical":
            parts = [f"vertical plane, {self.terrain or 'no terrain'}"]
        for things, word in (
            (self.pegs, "peg"),
            (self.walls, "wall"),
            (self.loads, "load"),
            (self.patches, "patch"),
        ):
            if things:
                plural = "es" if word == "patch" else "s"
                parts.append(f"{len(things)} {word}{plural if len(things) > 1 else ''}")
        if self.slope_deg:
            parts.append(f"slope {self.slope_deg:g} deg")
        return "World: " + ", ".join(parts)
