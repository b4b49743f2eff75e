"""Robots in rows of arrays, as the kernels step them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.engine import assemble as model
from serpenoid.engine import recording
from serpenoid.engine.rows import (
    WORLD_ARRAYS,
    new_drives,
    pack_worlds,
    put_drive,
    python,
    rows,
    widened,
    without_parts,
)
from serpenoid.engine.starts import Ready
from serpenoid.kernels import layout
from serpenoid.methods.method import Method, announce_compilation

Floats = npt.NDArray[np.float64]

# What the state of a robot is made of; the rest of a body is scratch of its steps.
_STATE = (
    "bodies",
    "shapes",
    "joints",
    "counts",
    "step",
    "com",
    "last",
    "pieces",
    "blame",
    "ledger",
)
# Part of the largest world's size that is left free, so that most new worlds fit in.
_SPARE = 0.25
# Without rows: a record interval that never ends.
_NEVER = 2**62


class Stack:
    """Robots of one structure, one in each row.

    like: one of them. record: room for what each records, a row `every` so many steps; none if left
    out.
    """

    def __init__(
        self,
        count: int,
        like: Ready,
        method: Method,
        time_step: float,
        *,
        every: int = _NEVER,
        record: layout.Record | None = None,
    ) -> None:
        announce_compilation(type(method))
        from serpenoid.kernels import run as kernel
        from serpenoid.kernels._jit import load, machine_code

        self.kernel, self._load, self._machine_code = kernel, load, machine_code
        self.time_step, self.every, self.options = time_step, every, method.options()
        self.structure = like.structure
        n, loads = len(like.body.links), len(like.body.loads)
        self.links, self.worlds = n, [like.packed]
        self.bodies = without_parts(rows(like.body, count))
        self.record: layout.Record = rows(record or recording.new_record(0, n, loads), count)
        self.drives = new_drives(count)
        self.place = np.zeros(count, np.int64)
        # Rows without a robot are left alone.
        self.status = np.full(count, layout.NOT_FINITE, np.int64)
        self.target = np.zeros(count, np.int64)
        self._packed: Any = None
        # Numbers of the worlds that are not packed yet.
        self._stale = {0}
        self._run_many: Callable[..., None] = kernel.run_many
        self._observe_many: Callable[..., None] | None = None

    def __len__(self) -> int:
        return len(self.status)

    def put(self, b: int, ready: Ready) -> None:
        """Start a robot in row b, of the stack's structure."""
        for name in _STATE:
            getattr(self.bodies, name)[b] = getattr(ready.body, name)
        # Contacts of another kind of world leave marks that those of this one would not overwrite.
        for contacts in (self.bodies.contacts, self.bodies.previous):
            contacts[b] = np.zeros(1, layout.CONTACT)
        self.bodies.loops.order[b] = ready.body.loops.order
        self.bodies.loops.widest[b] = ready.body.loops.widest
        self._put_drive(b, ready)
        self.place[b] = self._place(b, ready.packed)
        for array in recording.windows(self.record):
            array[b] = 0
        self.status[b], self.target[b] = layout.DONE, 0

    def has_room(self, ready: Ready) -> bool:
        """Whether a robot can be put while others are stepped: no array has to be replaced."""
        control, drives = ready.control, self.drives
        rooms = (
            (ready.body.memory, self.bodies.memory),
            (control.phases, drives.phases),
            (control.path, drives.path),
        )
        return all(len(own) <= rows.shape[1] for own, rows in rooms)

    def body(self, b: int) -> layout.Body:
        """Robot b, in the memory of the stack."""
        return python(self.kernel.body_of)(self.bodies, int(self.drives.counts[b, 2]), b)

    def record_of(self, b: int) -> layout.Record:
        """What is kept of robot b, in the memory of the stack."""
        return python(self.kernel.record_of)(self.record, b)

    @property
    def is_soft(self) -> bool:
        """Whether the robots are on compliant terrain."""
        return bool(self.structure["compliant terrain"])

    def pack(self) -> None:
        """Put together what `advance` needs, once after robots were put."""
        if self._stale:
            if self._packed is None or not all(map(self._repack_world, self._stale)):
                self._packed = pack_worlds(self.worlds, 2 * len(self.worlds), _SPARE)
            self._stale = set()
            arguments = self._arguments(0, 0)
            self._load(self.kernel.run_many, *arguments)
            self._run_many = self._machine_code(self.kernel.run_many, *arguments)

    def advance(self, first: int, last: int) -> None:
        """Take these robots to their targets, as far as they come; other threads go on."""
        self._run_many(*self._arguments(first, last))

    def _arguments(self, first: int, last: int) -> tuple[Any, ...]:
        return (
            self._packed,
            self.place,
            self.bodies,
            self.drives,
            self.time_step,
            first,
            last,
            self.target,
            0,
            self.every,
            self.options,
            None,
            None,
            None,
            self.record,
            self.status,
        )

    def observe(self) -> tuple[Floats, Floats]:
        """What `observe_many` says of links, (8, b, n), and of joints, (3, b, n - 1)."""
        motion = np.empty((8, len(self), self.links))
        felt = np.empty((3, len(self), self.links - 1))
        arguments = (self.bodies, self.drives, self.time_step, motion, felt)
        if self._observe_many is None:
            self._load(self.kernel.observe_many, *arguments)
            self._observe_many = self._machine_code(self.kernel.observe_many, *arguments)
        else:
            self._observe_many(*arguments)
        return motion, felt

    def make_room(self) -> bool:
        """Give all robots room for more contacts, if one of them has run out of it."""
        full = self.status == layout.CONTACTS_FULL
        if not full.any():
            return False
        body, loops = self.bodies, self.bodies.loops
        room, loads = 2 * body.contacts.shape[1], loops.order.shape[1]
        larger = model.new_loops(loads, self.links, min(loads, 2 * (loops.coupled.shape[1] - 1)))
        # As `model.grown` does it: what was found around those that are full is looked for again.
        body.bodies["horizon"][full] = 0.0
        loops.order[full], loops.widest[full] = np.arange(loads), 0.0
        self.status[full] = layout.DONE
        self.bodies = body._replace(
            contacts=widened(body.contacts, room),
            previous=widened(body.previous, room),
            near=widened(body.near, 0, 2 * body.near.shape[2]),
            loops=layout.Loops(
                *(widened(old, *new.shape) for old, new in zip(loops, larger, strict=True))
            ),
        )
        return True

    def _put_drive(self, b: int, ready: Ready) -> None:
        """The gait and the compiled controller of robot b, and what this remembers."""
        memory = ready.body.memory
        self.drives = put_drive(self.drives, b, ready.gait, ready.control, len(memory))
        self.bodies = self.bodies._replace(memory=widened(self.bodies.memory, len(memory)))
        self.bodies.memory[b, : len(memory)] = memory

    def _place(self, b: int, world: layout.World) -> int:
        """The number of a world among those of the stack; those that nobody needs make room."""
        for number, other in enumerate(self.worlds):
            if other is world:
                return number
        used = set(np.delete(self.place, b).tolist())
        number = next((k for k in range(len(self.worlds)) if k not in used), len(self.worlds))
        self.worlds[number:] = [world, *self.worlds[number + 1 :]]
        self._stale.add(number)
        return number

    def _repack_world(self, number: int) -> bool:
        """Pack one world where it was another's turn; False if there is no room for it."""
        world, packed = self.worlds[number], self._packed
        members = {name: getattr(world, name) for name in (*WORLD_ARRAYS, "grid")}
        if number >= len(packed.counts) or any(
            len(member) > getattr(packed, name).shape[1] for name, member in members.items()
        ):
            return False
        for name, member in members.items():
            getattr(packed, name)[number, : len(member)] = member
        packed.numbers[number] = tuple(getattr(world, name) for name in packed.numbers.dtype.names)
        packed.counts[number] = [len(members[name]) for name in WORLD_ARRAYS]
        return True
