"""Checks of what figures are given: runs, links, joints, lists and numbers."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from serpenoid.checks import plain, short
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots.shapes import link_tracks

# A link by its number, the centre of mass, or None for the middle link.
Tracked = int | Literal["com"] | None

# Largest number of curves that can be distinguished in one figure.
_MOST_JOINTS = 4


def check_run(run: object, name: str = "run") -> None:
    """Check that an argument is a run.

    Args:
        run: The argument.
        name: Its name in the error message.

    Raises:
        InvalidInput: It is no Trajectory.
    """
    if not isinstance(run, Trajectory):
        raise InvalidInput(
            f"{name} is of type {type(run).__name__}, which is not allowed: it must be a Trajectory"
        )


def tracked(run: Trajectory, link: Tracked) -> tuple[Floats, str]:
    """Path of a link's centre or of the centre of mass.

    Args:
        run: The run.
        link: Number of the link, or 'com' for the centre of mass; the middle link for None.

    Returns:
        The path, (rows, 2), m, and its name for labels.

    Raises:
        InvalidInput: The robot has no such link.
    """
    if isinstance(link, str) and link == "com":
        return run.centre_of_mass(), "centre of mass"
    index = link_index(run, link, " or 'com' for the centre of mass")
    return link_tracks(run)[:, index], f"link {index}"


def link_index(run: Trajectory, link: object, also: str = "") -> int:
    """Number of a link.

    Args:
        run: The run.
        link: The number; the middle link for None.
        also: Text of the error message about what else is allowed.

    Raises:
        InvalidInput: The robot has no such link.
    """
    count = len(run.robot.links)
    if link is None:
        return count // 2
    number = plain(link)
    if type(number) is not int or not 0 <= number < count:
        raise InvalidInput(
            f"link = {link!r} is not allowed: this robot has links 0 to {count - 1}{also}"
        )
    return number


def joint_indices(run: Trajectory, joints: object) -> list[int]:
    """Numbers of joints.

    Args:
        run: The run.
        joints: The numbers; a few from tail to head for None.

    Raises:
        InvalidInput: The robot has no joints, or no such joint.
    """
    count = len(run.robot.joints)
    if count == 0:
        raise InvalidInput("this robot has no joints")
    if joints is None:
        return [int(j) for j in np.unique(np.linspace(0, count - 1, _MOST_JOINTS).round())]
    return _numbers("joints", joints, count)


def link_indices(run: Trajectory, links: object) -> list[int]:
    """Numbers of links.

    Args:
        run: The run.
        links: The numbers; all for None.

    Raises:
        InvalidInput: The robot has no such link.
    """
    count = len(run.robot.links)
    return list(range(count)) if links is None else _numbers("links", links, count)


def _numbers(name: str, given: object, count: int) -> list[int]:
    """Numbers below a count, of what is called by a name."""
    numbers = [plain(k) for k in given] if isinstance(given, Iterable) else []
    if not numbers or not all(type(k) is int and 0 <= k < count for k in numbers):
        raise InvalidInput(
            f"{name} = {given!r} is not allowed: it must be a list of {name}, which are 0 to "
            f"{count - 1}"
        )
    if len(set(numbers)) < len(numbers):
        twice = next(k for k in numbers if numbers.count(k) > 1)
        raise InvalidInput(f"{name} = {given!r} is not allowed: {twice} is in it twice")
    return numbers


def entries(name: str, given: object, count: int | None = None) -> list[Any]:
    """Check that something is a list with as many entries as it must have.

    Args:
        name: Name of the argument in the error message.
        given: The argument.
        count: Number of entries; at least one if not given.

    Returns:
        The entries.

    Raises:
        InvalidInput: It is no list, or of another length.
    """
    found = _listed(name, given)
    if count is None:
        allowed, needs = len(found) > 0, "needs at least one"
    else:
        allowed, needs = len(found) == count, f"must have {count}"
    if not allowed:
        raise InvalidInput(f"{name} has {len(found)} entries, which is not allowed: it {needs}")
    return found


def _listed(name: str, given: Any) -> list[Any]:
    if not isinstance(given, str):
        with contextlib.suppress(TypeError):
            return list(given)
    raise InvalidInput(f"{name} = {short(plain(given))} is not allowed: it must be a list")


def counts_up_to(name: str, given: list[Any], word: str, most: int) -> list[list[int]]:
    """Check that entries are lists of whole numbers from 0 to `most`.

    Args:
        name: Name of the argument in the error message.
        given: The lists.
        word: Name of the largest number in the error message.
        most: Largest number allowed.

    Returns:
        The lists, of Python numbers.

    Raises:
        InvalidInput: A list or a number is not allowed.
    """

    def allowed(number: Any) -> bool:
        return type(number) is int and 0 <= number <= most

    words = f"a whole number from 0 to {word}, which is {most}"
    rows = {f"{name}[{k}]": each for k, each in enumerate(given)}
    return [_each(key, _listed(key, row), allowed, words) for key, row in rows.items()]


def finite(name: str, given: object) -> list[float]:
    """Check that something is a list of finite numbers, at least one.

    Args:
        name: Name of the argument in the error message.
        given: The argument.

    Returns:
        The numbers.

    Raises:
        InvalidInput: It is no list, empty, or an entry is no finite number.
    """

    def allowed(number: Any) -> bool:
        return type(number) in (int, float) and math.isfinite(number)

    return _each(name, entries(name, given), allowed, "a finite number")


def _each(name: str, given: list[Any], allowed: Callable[[Any], bool], words: str) -> list[Any]:
    """The entries of a list as Python numbers, each of which must be allowed."""
    found: list[Any] = plain(given)
    for k, number in enumerate(found):
        if not allowed(number):
            raise InvalidInput(f"{name}[{k}] = {short(number)} is not allowed: it must be {words}")
    return found


def numbers(given: npt.ArrayLike) -> Floats | None:
    """Numbers as an array; None if there is anything else, such as text that reads as a number."""
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        return None
    return array.astype(float) if array.dtype.kind in "iuf" else None
