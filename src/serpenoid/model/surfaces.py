"""What the laws of ground friction come to: coefficients of the ground under each link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.kernels.laws import GROUND_LAWS
from serpenoid.kernels.layout import SURFACE, Records
from serpenoid.model.robot import Robot
from serpenoid.spec import each_names

if TYPE_CHECKING:
    from serpenoid.model.friction import FrictionLaw

# What a sum takes once, by the kernel's laws that it is made of.
_KINDS = {
    "dry_friction": "dry law",
    "dry_rectangle": "dry law",
    "smooth_friction": "dry law",
    "support_friction": "dry law",
    "dry_torque": "dry torque",
    "viscous": "viscous law",
    "drag": "viscous law",
    "added_mass": "viscous law",
}

_COEFFICIENTS = [name for law in GROUND_LAWS for name in law.coefficients.split()]


def coefficients_set(friction: FrictionLaw) -> set[str]:
    """Coefficients of the ground that a law sets, be it to 0."""
    names: set[str] = set()
    for value in (0.0, 1.0):
        surface = _blank_surface(friction)
        for name in _COEFFICIENTS:
            surface[name] = value
        friction.pack(surface)
        names |= {name for name in _COEFFICIENTS if (surface[name] != value).any()}
    return names


def kinds_of(laws: Iterable[str]) -> set[str]:
    """Words for what a sum takes once, of the names of kernel laws."""
    return {_KINDS.get(name, f"law of {name}") for name in laws}


def surface_of(
    friction: FrictionLaw | None, robot: Robot | None = None, place: str = "friction"
) -> Records:
    """Coefficients of the ground under each link, as the kernels take them.

    Args:
        friction: Law of ground friction, or None.
        robot: Whose links are on it. If not given, links of mass 1, as many as the lists of the law
            are long, or one.
        place: Key of the law, for errors.

    Returns:
        Kernel surface records, one for each link.

    Raises:
        InvalidInput: A list has another length, or coefficients of two dry laws are set.
    """
    surface = _blank_surface(friction, robot, place)
    if friction is not None:
        friction.pack(surface)
        dry = [name for name in _laws_of(surface) if _KINDS.get(name) == "dry law"]
        if len(dry) > 1:
            raise InvalidInput(
                f"friction = {friction} is not allowed: it sets coefficients of {dry[0]} and of "
                f"{dry[1]}, and the ground takes at most one dry law"
            )
    return surface


def _blank_surface(
    friction: FrictionLaw | None, robot: Robot | None = None, place: str = "friction"
) -> Records:
    """Surface records without coefficients, one for each link, as in `surface_of`."""
    lists = dict(_lists(friction, place))
    count, whose = 1, "the robot has 1 link"
    if robot is not None:
        count = len(robot.links)
        whose = f"the robot has {count} links" if count > 1 else whose
    elif lists:
        key, count = next(iter(lists.items()))
        whose = f"{key.removeprefix(f'{place}.')} has {count}"
    for key, length in lists.items():
        if length != count:
            raise InvalidInput(f"{key} has {length} entries, but {whose}")
    surface = np.zeros(count, SURFACE).view(np.recarray)
    surface.mass = 1.0 if robot is None else robot.lumps().mass
    return surface


def _lists(friction: FrictionLaw | None, place: str) -> Iterator[tuple[str, int]]:
    """Keys of the coefficients that are given for each link, and how many there are."""
    # Those of a sum belong to its laws.
    for k, law in enumerate(getattr(friction, "laws", ())):
        yield from _lists(law, f"{place}.laws[{k}]")
    for name in each_names(type(friction)):
        value = getattr(friction, name)
        if isinstance(value, tuple):
            yield f"{place}.{name}", len(value)


def ground_laws(friction: FrictionLaw | None) -> list[str]:
    """Names of the kernel's laws that a law of ground friction is made of.

    By the coefficients it sets, so that those of a law of a user's own are known, too.

    Args:
        friction: Law of ground friction, or None.
    """
    return _laws_of(surface_of(friction))


def _laws_of(surface: Records) -> list[str]:
    """Names of the kernel's laws that surface records need."""
    return [
        law.name
        for law in GROUND_LAWS
        if any(surface[n].any() for n in law.coefficients.split() if n not in law.shape.split())
    ]
