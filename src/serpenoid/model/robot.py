"""The robot: a planar chain of links with actuated joints between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BeforeValidator, Discriminator, Strict, Tag

from serpenoid.checks import plain, whole_number
from serpenoid.displays import Displayed
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import LIFTED, WHEELS, Floats, Item
from serpenoid.memory import check_memory
from serpenoid.model.actuator import Actuator, Prescribed, SeriesElastic, Servo
from serpenoid.model.contact import Contact
from serpenoid.spec import Label, NonNegative, Point, Positive, spec

_SERVO = Servo(kp=20.0, kd=5.0)
# What a link with its joint takes until the robot runs, B.
_LINK = 20_000


@spec
class Wheels:
    """Passive wheels at the centre of a link, free to roll along it and held across it.

    Attributes:
        mu: Largest sideways friction over the weight of the link; if not given, the wheels are
            ideal and never slide.
        lifted: Whether the link touches no ground at all; its weight is not put on other links.
    """

    mu: NonNegative | None = None
    lifted: bool = False

    @property
    def is_ideal(self) -> bool:
        """Whether the wheels are on the ground and never slide."""
        return self.mu is None and not self.lifted

    def pack(self, link: Item) -> None:
        """Write these wheels into a kernel link record.

        Args:
            link: Record to write to, changed in place.
        """
        link.wheel = LIFTED if self.lifted else WHEELS
        link.grip = np.inf if self.mu is None else self.mu


@spec
class Link:
    """A rigid link with a capsule outline, symmetric about its centre of mass.

    Attributes:
        length: Distance from hinge to hinge, m.
        mass: Mass, kg.
        radius: Half the width of the outline, m.
        inertia: Moment of inertia about the centre, kg m2; that of a uniform rod, mass length^2 /
            12, if not given.
        straight: Length of the straight sides of the outline, m; if not given, it makes the outline
            as long as the link.
        wheels: Wheels that carry the link, in place of the ground's friction.
    """

    length: Positive
    mass: Positive
    radius: Positive
    inertia: Positive | None = None
    straight: NonNegative | None = None
    wheels: Wheels | None = None

    @property
    def moment_of_inertia(self) -> float:
        """Moment of inertia about the centre, kg m2."""
        return self.mass * self.length**2 / 12 if self.inertia is None else self.inertia

    @property
    def straight_length(self) -> float:
        """Length of the straight sides of the outline, m."""
        if self.straight is None:
            return max(0.0, self.length - 2 * self.radius)
        return self.straight


@spec
class Joint:
    """A hinge between two links.

    Attributes:
        actuator: Actuator that turns the joint.
        limits_deg: Lower and upper limit of the joint angle, deg; none if not given.
    """

    actuator: Actuator
    limits_deg: Point | None = None

    def __post_init__(self) -> None:
        if self.limits_deg is None:
            return
        if not self.limits_deg[0] < self.limits_deg[1]:
            raise InvalidInput(
                f"Joint.limits_deg = {self.limits_deg} is not allowed: the lower limit must be "
                "less than the upper one"
            )
        if isinstance(self.actuator, Prescribed):
            raise InvalidInput(
                f"Joint.limits_deg = {self.limits_deg} is not allowed with a Prescribed actuator, "
                "which overrides any limit; use a Servo or leave the limits out"
            )


class Lumps(NamedTuple):
    """Links together with the rotors at their head ends, (n,) each.

    Attributes:
        mass: Mass, kg.
        inertia: Moment of inertia about the common centre of mass, kg m2.
        back: Distance from there to the hinge behind, m.
        front: Distance from there to the hinge ahead, m.
        middle: Position of the link's middle relative to it, towards the head, m; 0 or less.
    """

    mass: Floats
    inertia: Floats
    back: Floats
    front: Floats
    middle: Floats


def _flag_or_law(value: Any) -> str:
    """Tells a flag from a law by its type, so that only one of the two is reported."""
    return "(law)" if isinstance(value, dict | Contact) else "(flag)"


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise ValueError("it must be true, false or a contact law")
    return value


# Whether links touch each other; or the law of contact with which they do.
SelfContact = Annotated[
    Annotated[bool, Strict(), BeforeValidator(_flag), Tag("(flag)")]
    | Annotated[Contact, Tag("(law)")],
    Discriminator(_flag_or_law),
]


def check_self_contact(owner: str, law: SelfContact) -> None:
    """Refuse compliant contact between links; owner: class of the spec that has it."""
    if isinstance(law, Contact) and law.is_compliant:
        raise InvalidInput(
            f"{owner}.self_contact.stiffness = {law.stiffness!r} is not allowed: links are hard; "
            "leave it out"
        )


def check_links(owner: str, links: int) -> None:
    """Refuse a chain that does not fit into the budget of memory; owner: class of its spec."""
    check_memory(links * _LINK, f"{owner}.links = {links}")


@spec
class Robot(Displayed):
    """A chain of links with one joint between neighbours.

    Attributes:
        links: Links, tail first.
        joints: Joints, one fewer than links, tail first.
        name: Name of the robot.
        self_contact: Whether links that are not neighbours touch each other, hard, with friction
            and restitution of the world's contact law, or of one given in its place.
    """

    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    name: Label = "robot"
    self_contact: SelfContact = True

    def __post_init__(self) -> None:
        if not self.links:
            raise InvalidInput("Robot.links = () is not allowed: a robot has at least one link")
        if len(self.joints) != len(self.links) - 1:
            raise InvalidInput(
                f"Robot.joints has {len(self.joints)} entries, but {len(self.links)} links need "
                f"{len(self.links) - 1}"
            )
        check_self_contact("Robot", self.self_contact)
        ideal = sum(link.wheels is not None and link.wheels.is_ideal for link in self.links)
        prescribed = sum(isinstance(joint.actuator, Prescribed) for joint in self.joints)
        if prescribed and ideal > 3 + len(self.joints) - prescribed:
            raise InvalidInput(
                f"Link.wheels is not allowed on {ideal} links with {prescribed} joints that are "
                "Prescribed: ideal wheels would leave the robot no way to move; give them a mu, "
                "lift some, or use a Servo"
            )

    @classmethod
    def uniform(
        cls,
        links: int,
        *,
        length: float | Sequence[float],
        mass: float | Sequence[float],
        radius: float | Sequence[float],
        inertia: float | Sequence[float] | None = None,
        straight: float | Sequence[float] | None = None,
        wheels: Wheels | Sequence[Wheels | None] | None = None,
        actuator: Actuator | Sequence[Actuator] = _SERVO,
        limits_deg: tuple[float, float] | None = None,
        name: str = "robot",
        self_contact: SelfContact = True,
    ) -> Robot:
        """Make a robot of equal or similar links.

        Values are one for all or a list with one for each link (actuators: for each joint), tail
        first.

        Args:
            links: Number of links.
            length: Distance from hinge to hinge, m.
            mass: Mass of a link, kg.
            radius: Half the width of the outline, m.
            inertia: Moment of inertia about the link's centre, kg m2; that of a uniform rod if not
                given.
            straight: Length of the straight sides of the outline, m; if not given, it makes the
                outline as long as the link.
            wheels: Wheels that carry the links.
            actuator: Actuator of the joints; servos with kp 20 N m/rad and kd 5 N m s/rad if not
                given.
            limits_deg: Lower and upper limit of every joint, deg.
            name: Name of the robot.
            self_contact: Whether links that are not neighbours touch each other, or the contact law
                with which they do.

        Returns:
            The robot.

        Raises:
            InvalidInput: A list has the wrong number of entries, or a value is not allowed.
        """
        links = whole_number("links", links)
        check_links("Robot", links)

        def each(name: str, value: Any, count: int) -> list[Any]:
            value = plain(value)
            if isinstance(value, list):
                if len(value) != count:
                    raise InvalidInput(
                        f"Robot.{name} has {len(value)} entries, but this robot needs {count}"
                    )
                return value
            return [value] * count

        def link(index: int, row: dict[str, Any]) -> Link:
            try:
                return Link(**row)
            except InvalidInput as error:
                told = (words.replace(" =", f"[{index}] =", 1) for words in error.mistakes)
                raise InvalidInput(*told) from None

        values: dict[str, Any] = {"length": length, "mass": mass, "radius": radius}
        values |= {"inertia": inertia, "straight": straight, "wheels": wheels}
        columns = {name: each(name, value, links) for name, value in values.items()}
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        drives = each("actuator", actuator, links - 1)
        return cls(
            links=tuple(link(index, row) for index, row in enumerate(rows)),
            joints=tuple(Joint(actuator=drive, limits_deg=limits_deg) for drive in drives),
            name=name,
            self_contact=self_contact,
        )

    @property
    def mass(self) -> float:
        """Total mass with the rotors, kg."""
        return sum(link.mass for link in self.links) + sum(self.rotor_masses)

    @property
    def rotor_masses(self) -> tuple[float, ...]:
        """Mass of the rotor in each joint, kg."""
        drives = (joint.actuator for joint in self.joints)
        return tuple(d.rotor_mass if isinstance(d, SeriesElastic) else 0.0 for d in drives)

    @property
    def is_elastic(self) -> bool:
        """Whether a joint is series-elastic."""
        return any(isinstance(joint.actuator, SeriesElastic) for joint in self.joints)

    def lumps(self) -> Lumps:
        """Combine each link with the rotor at its head end.

        Returns:
            Mass, inertia and geometry of each link with its rotor.
        """
        link = np.array([link.mass for link in self.links])
        rotor = np.array([*self.rotor_masses, 0.0])
        half = np.array([link.length / 2 for link in self.links])
        inertia = np.array([link.moment_of_inertia for link in self.links])
        mass = link + rotor
        ahead = rotor * half / mass
        inertia = inertia + link * ahead**2 + rotor * (half - ahead) ** 2
        return Lumps(mass, inertia, half + ahead, half - ahead, -ahead)

    @property
    def can_touch_itself(self) -> bool:
        """Whether two links may touch that are not neighbours.

        Not if joint limits keep all links within such an angle T of each other that the link
        between two keeps these apart: along the mean direction it is cos(T / 2) of its length.
        """
        if self.self_contact is False or len(self.links) < 3:
            return False
        limits = [joint.limits_deg or (-180.0, 180.0) for joint in self.joints]
        bend = math.radians(sum(max(map(abs, limit)) for limit in limits))
        if bend >= math.pi:
            return True
        # What an outline needs of the link beside it, at either end.
        over = [max(0.0, (k.straight_length - k.length) / 2) + k.radius for k in self.links]
        between = [link.length * math.cos(bend / 2) for link in self.links[1:-1]]
        return any(a + b >= c for a, b, c in zip(over[:-2], over[2:], between, strict=True))

    @property
    def length(self) -> float:
        """Sum of the link lengths, m."""
        return sum(link.length for link in self.links)

    def __repr__(self) -> str:
        return f"<Robot {self}>"

    def __str__(self) -> str:
        drives = {type(joint.actuator).__name__ for joint in self.joints}
        driven = f", {' and '.join(sorted(drives))} joints" if drives else ""
        count = f"{len(self.links)} link{'s' if len(self.links) > 1 else ''}"
        return f"{self.name}: {count}, {self.length:.3g} m, {self.mass:.3g} kg{driven}"
