"""Choice of the links and joints that a figure shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
import numpy.typing as npt

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.spec import plain

Floats = npt.NDArray[np.float64]

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
    track = np.stack([run.columns["x"][:, index], run.columns["y"][:, index]], axis=1)
    return track, f"link {index}"


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
    numbers = [plain(j) for j in joints] if isinstance(joints, Iterable) else []
    if not numbers or not all(type(j) is int and 0 <= j < count for j in numbers):
        raise InvalidInput(
            f"joints = {joints!r} is not allowed: it must be a list of joints, which are 0 to "
            f"{count - 1}"
        )
    return numbers
