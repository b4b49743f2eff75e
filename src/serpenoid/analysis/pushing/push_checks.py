"""Checks of the arguments of `Pushing`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.pushing.projection import Floats
from serpenoid.analysis.pushing.specs import PushedLoad, PushWheels, Touch
from serpenoid.errors import InvalidInput
from serpenoid.model.robot import Robot


def check_kinds(robot: object, load: object, touch: object, wheels: object) -> None:
    """Check the types of the arguments.

    Args:
        robot: Should be a robot with joints.
        load: Should be a load.
        touch: Should be a contact.
        wheels: Should be wheels or None.

    Raises:
        InvalidInput: One of them is not.
    """
    kinds = {"robot": (robot, Robot), "load": (load, PushedLoad), "touch": (touch, Touch)}
    if wheels is not None:
        kinds["wheels"] = (wheels, PushWheels)
    for name, (value, kind) in kinds.items():
        if not isinstance(value, kind):
            allowed = f"it must be a {kind.__name__}{' or None' if name == 'wheels' else ''}"
            raise InvalidInput(f"{name} = {value!r} is not allowed: {allowed}")
    if isinstance(robot, Robot) and not robot.joints:
        raise InvalidInput(f"robot = {robot.name!r} is not allowed: it has no joint to push with")


def numbers(name: str, given: npt.ArrayLike, count: int, each: str) -> Floats:
    """Check an array.

    Args:
        name: Name for the message.
        given: The array.
        count: Length of the last dimension.
        each: What each entry of it belongs to, for the message.

    Returns:
        Finite numbers, (..., count).

    Raises:
        InvalidInput: The numbers are not finite or do not have this shape.
    """
    try:
        values = np.asarray(given)
    except ValueError:  # lists of unequal length
        values = np.zeros(0)
    right = values.ndim > 0 and values.shape[-1] == count and values.dtype.kind in "iuf"
    if not right or not np.isfinite(values).all():
        raise InvalidInput(
            f"{name} of shape {values.shape} are not allowed: they must be finite numbers, "
            f"{count} in the last dimension, one for each {each}"
        )
    return values.astype(float)
