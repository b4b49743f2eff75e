"""The state of a robot: everything its next step depends on."""

from __future__ import annotations

import functools
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from serpenoid.checks import MOST_STEPS
from serpenoid.kernels.layout import Floats

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class Kept(NamedTuple):
    """Where the kernels keep a field of a state.

    Attributes:
        member: Of `layout.Body`.
        names: Fields of its records, one for each column; none if it is an array of numbers.
        part: Part of that array.
    """

    member: str
    names: tuple[str, ...] = ()
    part: int | slice = slice(None)


_POSE, _RATE, _CHANGE = ("x", "y", "theta"), ("vx", "vy", "omega"), ("ax", "ay", "aw")
_DRY = ("dry_x", "dry_y", "dry_w")
# Numbers of a state are at most this large, so that squares and products of them are finite.
MOST = 1e100
# Least and largest number of those fields and columns that do not take any number up to MOST.
RANGES: dict[str, tuple[float, float]] = {
    "step": (0, MOST_STEPS),
    "last_step": (0, MOST),
    "command_time": (0, MOST),
    "obstacle": (0, 2**62),
    "side": (-1, 1),
    "grips": (0, 1),
    "sticking": (0, 1),
}
_DTYPES = {Floats: np.float64, Ints: np.int64, Flags: np.bool_, float: np.float64, int: np.int64}


@dataclass(frozen=True, eq=False)
class State:
    """State at the end of a run, warm start included: a continued run is a whole run to the bit.

    The fields are the only list of what a state contains. Each says where the kernels keep it;
    saving, loading, checking, starting and continuing use this list. Shapes are for n links, n - 1
    joints, l loads, c contacts and s support points; units are SI.

    Attributes:
        time_step: Time step of the run it comes from, s.
        step: Steps done.
        last_step: Duration of the last step, shorter where it was halved, s.
        com: Centre of mass, (2,).
        theta: Link angles, unwrapped, (n,).
        velocity: vx, vy, omega of each link, (n, 3).
        acceleration: Mean over the last step, a guess for the next, (n, 3).
        dry: Scaled multipliers of ground friction, (n, 3).
        limit: Impulses of the joint limits, (n-1,).
        drive: Angle and rate of the rotors, spatial frequency of the wave and its rate, (n-1, 4).
        sticking: Whether ground friction holds a link, (n,).
        command: Angle, rate and torque of the controller's last command, (n-1, 3).
        command_time: Time of that command, s.
        felt: Contact impulses on each link since that command, (n, 2).
        contact: Link, obstacle, side, and 1 where friction held it, (c, 4).
        impulse: Normal and tangential impulse, (c, 2).
        load: Pose, velocity, acceleration and sticking, (l, 10).
        support: Scaled multipliers of the points that links and loads stand on, and 1 where one
            sticks, (s, 3).
        ledger: Entries of the energy ledger, J.
        memory: What a compiled controller remembers.
        added: What is commanded on top of a compiled controller: time of the command, s, angle,
            rate and torque of each joint, then contact impulses on each link since then, as far as
            `felt` does not have them; empty if nothing is.
    """

    VERSION: ClassVar[int] = 4

    time_step: float
    step: Annotated[int, Kept("step", part=0)]
    last_step: Annotated[float, Kept("last", part=0)]
    com: Annotated[Floats, Kept("com", part=slice(2))]
    theta: Annotated[Floats, Kept("links", ("theta",))]
    velocity: Annotated[Floats, Kept("links", _RATE)]
    acceleration: Annotated[Floats, Kept("links", _CHANGE)]
    dry: Annotated[Floats, Kept("links", _DRY)]
    limit: Annotated[Floats, Kept("joints", ("limit",))]
    drive: Annotated[Floats, Kept("joints", ("psi", "psi_rate", "eta", "eta_rate"))]
    sticking: Annotated[Flags, Kept("links", ("sticking",))]
    command: Annotated[Floats, Kept("joints", ("angle", "rate", "torque"))]
    command_time: Annotated[float, Kept("last", part=1)]
    felt: Annotated[Floats, Kept("links", ("tick_x", "tick_y"))]
    contact: Annotated[Ints, Kept("previous", ("link", "obstacle", "side", "grips"))]
    impulse: Annotated[Floats, Kept("previous", ("qn", "qt"))]
    load: Annotated[Floats, Kept("loads", (*_POSE, *_RATE, *_CHANGE, "sticking"))]
    support: Annotated[Floats, Kept("supports", ("pa", "pb", "sticking"))]
    ledger: Annotated[Floats, Kept("ledger")]
    memory: Annotated[Floats, Kept("memory")]
    added: Annotated[Floats, Kept("added")]

    @classmethod
    @functools.cache
    def places(cls) -> dict[str, tuple[Kept, type]]:
        """Where each field is kept, and the type of its numbers; not the time step, the run's."""
        hints = typing.get_type_hints(cls, include_extras=True)
        kept = {name: typing.get_args(hint) for name, hint in hints.items()}
        return {name: (args[1], _DTYPES[args[0]]) for name, args in kept.items() if args[1:]}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> State:
        """A state from values by name, each brought to the type of its field.

        Raises:
            KeyError: A field is missing.
        """
        found: dict[str, Any] = {"time_step": float(values["time_step"])}
        for name, (place, dtype) in cls.places().items():
            array: Any = np.asarray(values[name], dtype)
            found[name] = array.item() if isinstance(place.part, int) else array
        return cls(**found)

    @property
    def time(self) -> float:
        """Time since the start of the run, s."""
        return self.step * self.time_step

    def __repr__(self) -> str:
        return f"<State of {len(self.theta)} links at {self.time:g} s>"

    def __eq__(self, other: object) -> bool:
        """Equal to the bit."""
        if not isinstance(other, State):
            return NotImplemented
        return all(np.array_equal(a, getattr(other, name)) for name, a in vars(self).items())

    __hash__ = None  # type: ignore[assignment]
