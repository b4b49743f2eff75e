"""The state of a robot: everything its next step depends on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class State:
    """A moment of a run, warm start included, so that a continued run is the same to the bit.

    n links, n - 1 joints, c contacts; SI units.
    """

    time_step: float  # dt of the run it comes from, s
    step: int  # steps done
    last_step: float  # length of the last one, shorter where it had to be halved, s
    com: Floats  # (2,) centre of mass
    theta: Floats  # (n,) link angles, unwrapped
    velocity: Floats  # (n, 3) vx, vy, omega of each link
    acceleration: Floats  # (n, 3) mean over the last step, a guess for the next
    dry: Floats  # (n, 3) scaled ground friction multipliers
    limit: Floats  # (n-1,) joint limit impulses
    drive: Floats  # (n-1, 4) angle and rate of the rotors, spatial frequency of the wave, its rate
    sticking: npt.NDArray[np.bool_]  # (n,)
    command: Floats  # (n-1, 3) angle, rate and torque of the controller's last command
    command_time: float  # when that was, s
    felt: Floats  # (n, 2) contact impulses since then
    contact: Ints  # (c, 4) link, item, side, and 1 where friction held it
    impulse: Floats  # (c, 2) normal and tangential
    load: Floats  # (l, 13) of each load: pose, velocity, acceleration, dry, sticking
    ledger: Floats  # (12,) J
    memory: Floats  # of a compiled controller

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
