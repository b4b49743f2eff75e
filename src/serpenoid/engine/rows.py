"""Robots, worlds and drives in rows, as `kernels.batch` takes them: one for each robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from serpenoid.kernels import layout

if TYPE_CHECKING:
    from serpenoid.kernels.run import Drives, Worlds

T = TypeVar("T")

# Arrays of a world whose length is its own; Worlds.counts has them in this order.
WORLD_ARRAYS = ("surfaces", "patches", "discs", "segments", "start", "items", "ground")


def python(function: T) -> T:
    """What a kernel was compiled from: it makes the same views in Python."""
    return getattr(function, "py_func", function)


def rows(example: Any, count: int) -> Any:
    """Room for so many of each array of a named tuple."""
    if isinstance(example, tuple):
        return type(example)(*(rows(each, count) for each in example))
    return np.zeros((count, *example.shape), example.dtype).view(type(example))


def only_row(single: Any) -> Any:
    """Each array of a named tuple as the only row of one, in the same memory."""
    if isinstance(single, tuple):
        return type(single)(*map(only_row, single))
    return single[None]


def without_parts(bodies: layout.Body) -> layout.Body:
    """Bodies without the parts of `bodies`, which the kernels make for each robot themselves."""
    empty: Any = bodies.bodies[:, :0]
    return bodies._replace(links=empty, loads=empty)


def widened(array: Any, *shape: int) -> Any:
    """The same array with at least this room in every row."""
    room = tuple(max(pair) for pair in zip(array.shape[1:], shape, strict=True))
    if room == array.shape[1:]:
        return array
    wider = np.zeros((len(array), *room), array.dtype).view(type(array))
    wider[tuple(slice(size) for size in array.shape)] = array
    return wider


def pack_worlds(worlds: Sequence[layout.World], room: int = 1, spare: float = 0.0) -> Worlds:
    """Worlds in rows that hold the largest of them.

    room: for how many, if there are fewer. spare: part of the largest world's size left free.
    """
    from serpenoid.kernels import run as kernel

    worlds = [*worlds, *[worlds[0]] * (room - len(worlds))]
    names = kernel.WORLD.names or ()
    numbers = [tuple(getattr(world, name) for name in names) for world in worlds]
    members = {
        name: _ragged([getattr(world, name) for world in worlds], spare) for name in WORLD_ARRAYS
    }
    return kernel.Worlds(
        numbers=np.array(numbers, kernel.WORLD).view(np.recarray),
        counts=np.array([[len(getattr(world, name)) for name in WORLD_ARRAYS] for world in worlds]),
        grid=_ragged([world.grid for world in worlds]),
        **members,
    )


def new_drives(count: int) -> Drives:
    """Room for what moves the joints of so many robots."""
    from serpenoid.kernels import run as kernel

    return kernel.Drives(
        gait=np.zeros(count, kernel.GAIT).view(np.recarray),
        control=np.zeros(count, kernel.CONTROL).view(np.recarray),
        wave=np.zeros(count, kernel.GAIT).view(np.recarray),
        counts=np.zeros((count, 3), np.int64),
        phases=np.zeros((count, 0)),
        path=np.zeros((count, 0, 2)),
    )


def put_drive(
    drives: Drives, b: int, gait: layout.Gait, control: layout.Control, memory: int
) -> Drives:
    """Drives with the gait and the compiled controller of robot b; memory: what it remembers."""
    phases, path = control.phases, control.path
    drives = drives._replace(
        phases=widened(drives.phases, len(phases)),
        path=widened(drives.path, len(path), 2),
    )
    drives.gait[b] = tuple(gait)
    drives.wave[b] = tuple(control.gait)
    names = drives.control.dtype.names or ()
    drives.control[b] = tuple(getattr(control, name) for name in names)
    drives.counts[b] = len(phases), len(path), memory
    drives.phases[b, : len(phases)] = phases
    drives.path[b, : len(path)] = path
    return drives


def _ragged(arrays: list[Any], spare: float = 0.0) -> Any:
    """Arrays of different lengths as rows of one; spare: part of the longest left free."""
    longest = max(map(len, arrays))
    room = (len(arrays), longest + int(spare * longest))
    found = np.zeros(room, arrays[0].dtype).view(type(arrays[0]))
    for row, array in zip(found, arrays, strict=True):
        row[: len(array)] = array
    return found
