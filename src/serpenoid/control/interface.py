"""What a controller is given and what it answers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from serpenoid.errors import ControllerError, InvalidInput
from serpenoid.kernels import layout
from serpenoid.spec import Family, spec, tag

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Observation:
    """What a controller sees at a tick.

    Link arrays have n entries, joint arrays n - 1, load arrays l. For a batch of b robots, every
    array has one more axis in front, of length b.
    """

    time: Any  # s; (b,) for a batch
    x: Floats  # link centres, m
    y: Floats  # link centres, m
    theta: Floats  # link angles, unwrapped, rad
    vx: Floats  # velocities of the link centres, m/s
    vy: Floats  # velocities of the link centres, m/s
    omega: Floats  # angular velocities of the links, rad/s
    joint_angle: Floats  # rad
    joint_rate: Floats  # rad/s
    contact_force: Floats  # (n, 2) N, mean since the last tick
    spring_torque: Floats  # measured by the springs of series-elastic joints, N m; else 0
    load_pose: Floats  # (l, 3) x, y in m and angle in rad of the loads
    load_velocity: Floats  # (l, 3) m/s and rad/s


@dataclass(frozen=True)
class Command:
    """A joint reference, carried on at its rate until the next tick.

    angle: for servos and prescribed joints, rad. rate: for the same, rad/s. torque: for torque
    actuators, and added by a servo, N m.
    """

    angle: npt.ArrayLike | None = None
    rate: npt.ArrayLike | None = None
    torque: npt.ArrayLike | None = None


@runtime_checkable
class Controller(Protocol):
    """Anything with a period (s) that answers an observation with a command.

    A bare array of n - 1 numbers is taken as Command(angle=...).
    """

    @property
    def period(self) -> float:
        """From one command to the next, s."""
        ...

    def command(self, observation: Observation) -> Command | npt.ArrayLike:
        """The command from this tick to the next."""
        ...


class ControllerSpec(Family):
    """Base of the controllers that are specs, so that scenario files and saved runs can hold them.

    A member is either compiled, or has a period and a command method.
    """


@spec
class PythonController(ControllerSpec):
    """Stands in the scenario of a run for a controller that only Python code knows.

    Attributes:
        name: Module and class of the controller.
    """

    name: str
    kind: Literal["python"] = tag(default="python", kw_only=True)


class CompiledController(ControllerSpec):
    """Base of the controllers that are compiled into the step."""

    # Whether its joints hold spatial frequencies of their own.
    is_pedal: ClassVar[bool] = False

    @abstractmethod
    def control(self, joints: int, time_step: float) -> tuple[layout.Control, Floats]:
        """As the kernels take it, and what it remembers at first."""

    def after(self, gait: CompiledController) -> CompiledController:
        """A gait and this controller at once."""
        raise InvalidInput(
            f"{type(gait).__name__} + {type(self).__name__} is not allowed: two waves"
        )

    def gait(self) -> layout.PackedGait:
        """Joint references in closed form; by default what its ticks have commanded."""
        return layout.HELD_GAIT

    def angles(self, joints: int, time: float = 0.0) -> Floats:  # noqa: ARG002
        """Joint angles it wants at a time as far as they do not depend on the robot, rad."""
        return np.zeros(joints)

    def rates(self, joints: int, time: float = 0.0) -> Floats:  # noqa: ARG002
        """Joint rates it wants at a time as far as they do not depend on the robot, rad/s."""
        return np.zeros(joints)

    def phases(self, joints: int) -> Floats:
        """Spatial frequency of every joint at first, rad; 0 where there is none."""
        return np.zeros(joints)


def as_command(answer: Command | npt.ArrayLike | None, joints: int, time: float) -> Command:
    """The answer of a controller as three float arrays, or a ControllerError that says why not."""
    if answer is None:
        raise ControllerError(
            f"controller returned None at t = {time:g} s: it must be a Command or {joints} "
            "numbers, one per joint"
        )
    given = answer if isinstance(answer, Command) else Command(angle=answer)
    arrays = {}
    for name in ("angle", "rate", "torque"):
        value = getattr(given, name)
        try:
            array = np.zeros(joints) if value is None else np.array(value)
            if array.dtype.kind not in "iuf":
                raise ValueError
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ControllerError(
                f"controller returned {name} = {value!r} at t = {time:g} s: it must be "
                f"{joints} numbers, one per joint"
            ) from None
        if array.shape != (joints,):
            raise ControllerError(
                f"controller returned {name} of shape {array.shape} at t = {time:g} s: it must be "
                f"({joints},), one per joint"
            )
        if not np.isfinite(array).all():
            joint = int(np.flatnonzero(~np.isfinite(array))[0])
            raise ControllerError(
                f"controller returned {name}[{joint}] = {array[joint]} at t = {time:g} s: it must "
                "be a finite number"
            )
        arrays[name] = array
    return Command(**arrays)
