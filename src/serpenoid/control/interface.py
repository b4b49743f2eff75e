"""Interface of controllers: what they observe and what they command."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from serpenoid.displays import in_full
from serpenoid.errors import ControllerError, InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory
from serpenoid.spec import Family

# What a number that a controller remembers takes, in the robot and in its states, B.
REMEMBERED = 32


@dataclass(frozen=True)
class Observation:
    """Measurements that a controller receives at a tick, of n links, n - 1 joints and l loads.

    For a batch of b robots every array has one more axis in front, of length b. `Engine.observe`
    makes it, `observe_many` in kernels/run.py fills it, and its values are exact. Compiled
    controllers do not see it: `tick` in kernels/drive.py reads the records of links and joints, and
    contact forces through a `ContactSensor`.

    Attributes:
        time: Time, s; (b,) for a batch.
        x: Link centres, (n,), m.
        y: Link centres, (n,), m.
        theta: Link angles, unwrapped, (n,), rad.
        vx: Velocities of the link centres, (n,), m/s.
        vy: Velocities of the link centres, (n,), m/s.
        omega: Angular velocities of the links, (n,), rad/s.
        joint_angle: Joint angles, (n-1,), rad.
        joint_rate: Joint rates, (n-1,), rad/s.
        contact_force: Forces of pegs, walls and loads, and normal forces of terrain, on the links,
            mean since the last tick, (n, 2), N.
        spring_torque: Torques in the springs of series-elastic joints, (n-1,), N m; 0 for others.
        load_pose: x, y and angle of the loads, (l, 3), m and rad.
        load_velocity: Their velocities, (l, 3), m/s and rad/s.
    """

    time: Any
    x: Floats
    y: Floats
    theta: Floats
    vx: Floats
    vy: Floats
    omega: Floats
    joint_angle: Floats
    joint_rate: Floats
    contact_force: Floats
    spring_torque: Floats
    load_pose: Floats
    load_velocity: Floats


@dataclass(frozen=True)
class Command:
    """A joint reference, extrapolated at its rate until the next tick.

    Attributes:
        angle: Angles for servos and prescribed joints, (n-1,), rad; 0 if not given.
        rate: Rates for servos and prescribed joints, (n-1,), rad/s; 0 if not given.
        torque: Torques for torque actuators, which servos add to their own, before gear play and
            limit, so that a deadband swallows it as well, (n-1,), N m; 0 if not given.
    """

    angle: npt.ArrayLike | None = None
    rate: npt.ArrayLike | None = None
    torque: npt.ArrayLike | None = None


@runtime_checkable
class Controller(Protocol):
    """Any object that answers an observation with a command."""

    @property
    def period(self) -> float:
        """Time from one command to the next, s."""
        ...

    def command(self, observation: Observation) -> Command | npt.ArrayLike:
        """Answer an observation.

        Args:
            observation: Measurements at this tick.

        Returns:
            The command until the next tick; an array of n - 1 numbers is taken as joint angles,
            rad.
        """
        ...


class ControllerSpec(Family):
    """Base of the controllers that are specs, so that scenario files and saved runs can hold them.

    A member is either compiled, or has a period and a command method.
    """


class CompiledController(ControllerSpec):
    """Base of the controllers that are compiled into the step."""

    # Whether each joint has a spatial frequency of its own.
    is_pedal: ClassVar[bool] = False
    # Whether it is a sum of parts, which are recorded.
    is_sum: ClassVar[bool] = False

    @property
    def own(self) -> Any:
        """A part that is computed in Python and added, see `own`; None if there is none."""
        return None

    @property
    def own_key(self) -> str:
        """Where that part stands in this controller, as messages name it."""
        return ""

    def with_own(self, own: ControllerSpec) -> CompiledController:
        """The same with another controller in Python in place of its own."""
        raise NotImplementedError(f"{type(self).__name__} has no part in Python")

    @abstractmethod
    def control(self, joints: int, time_step: float) -> tuple[layout.Control, Floats]:
        """As the kernels take it, and its memory at the start.

        Args:
            joints: Number of joints.
            time_step: Time step, s.

        Returns:
            The kernels' Control, and the memory, one-dimensional.

        Raises:
            InvalidInput: The period is not a whole multiple of the time step.
        """

    def new_memory(self, control: layout.Control, joints: int) -> Floats:
        """An empty memory that is marked as this controller's."""
        size, delays = layout.memory_size(control, joints), control.lag + control.sensor_lag - 2
        what = f"controller.period = {control.period!r} with delays of {delays} periods"
        check_memory(size * REMEMBERED, f"{what} and {joints} joints")
        memory = np.zeros(size)
        memory[layout.OWNER] = zlib.crc32(in_full(self).encode())
        return memory

    def after(self, gait: CompiledController) -> CompiledController:
        """A gait and this controller at once.

        Returns:
            The sum of both.

        Raises:
            InvalidInput: Both are waves.
        """
        raise InvalidInput(
            f"{type(gait).__name__} + {type(self).__name__} is not allowed: two waves"
        )

    def gait(self) -> layout.PackedGait:
        """Joint references in closed form; by default, those of the last tick."""
        return layout.HELD_GAIT

    def angles(self, joints: int, time: float = 0.0) -> Floats:  # noqa: ARG002
        """Reference angles at a time, as far as they do not depend on the robot.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Angles, (joints,), rad.
        """
        return np.zeros(joints)

    def rates(self, joints: int, time: float = 0.0) -> Floats:  # noqa: ARG002
        """Reference rates at a time, as far as they do not depend on the robot.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Rates, (joints,), rad/s.
        """
        return np.zeros(joints)

    def phases(self, joints: int) -> Floats:
        """Spatial frequency of every joint at the start; 0 where there is none.

        Args:
            joints: Number of joints.

        Returns:
            Spatial frequencies, (joints,), rad.
        """
        return np.zeros(joints)


def as_command(answer: Command | npt.ArrayLike | None, joints: int, time: float) -> Command:
    """Check the answer of a controller.

    Args:
        answer: What the controller returned.
        joints: Number of joints.
        time: Time of the tick, s, for the message.

    Returns:
        The command, as three arrays of shape (joints,).

    Raises:
        ControllerError: The answer is not a command for this robot.
    """
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
