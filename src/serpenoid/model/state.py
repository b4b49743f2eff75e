"""The state of a robot: everything its next step depends on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class State:
    """Everything the next step depends on, so that a continued run is the same to the bit.

    There are n links, n - 1 joints, c contacts and l loads.

    Attributes:
        time_step: Time step of the run, s.
        step: Number of steps done.
        last_step: Length of the last step, s; shorter than time_step where a step was halved.
        com: Centre of mass, (2,), m.
        theta: Link angles, unwrapped, (n,), rad.
        velocity: Velocities vx, vy, omega of the links, (n, 3), m/s and rad/s.
        acceleration: Mean accelerations over the last step, (n, 3), the first guess of the next.
        dry: Scaled multipliers of ground friction, (n, 3).
        limit: Impulses of the joint limits, (n-1,), N m s.
        drive: Angle and rate of the rotors, spatial frequency of the wave and its rate, (n-1, 4).
        sticking: Whether a link sticks to the ground, (n,).
        command: Angle, rate and torque of the controller's last command, (n-1, 3).
        command_time: Time of that command, s.
        felt: Contact impulses since that command, (n, 2), N s.
        contact: Link, item, side, and 1 where friction held the contact, (c, 4).
        impulse: Normal and tangential impulses, (c, 2), N s.
        load: Pose, velocity, acceleration, friction multipliers and sticking of the loads, (l, 13).
        ledger: Energy ledger, (12,), J.
        memory: Memory of a compiled controller.
    """

    time_step: float
    step: int
    last_step: float
    com: Floats
    theta: Floats
    velocity: Floats
    acceleration: Floats
    dry: Floats
    limit: Floats
    drive: Floats
    sticking: npt.NDArray[np.bool_]
    command: Floats
    command_time: float
    felt: Floats
    contact: Ints
    impulse: Floats
    load: Floats
    ledger: Floats
    memory: Floats

    @property
    def time(self) -> float:
        """Time since the start of the run, s."""
        return self.step * self.time_step

    def __eq__(self, other: object) -> bool:
        """Equal to the bit."""
        if not isinstance(other, State):
            return NotImplemented
        return all(np.array_equal(a, getattr(other, name)) for name, a in vars(self).items())

    __hash__ = None  # type: ignore[assignment]
