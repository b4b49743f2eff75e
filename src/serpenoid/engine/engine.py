"""The engine: robots of one structure, stepped, commanded, observed and recorded together.

It imports Numba, so it is imported by functions that step, not by all who import the package.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from serpenoid.control.interface import Observation
from serpenoid.engine.assemble import with_more_room
from serpenoid.engine.contact_decoding import contacts_of
from serpenoid.engine.contact_table import ContactTable
from serpenoid.engine.prepare import PreparedRun
from serpenoid.engine.recording import (
    Sums,
    clear_sums,
    copy_sums,
    lacks_room,
    new_log,
    new_record,
    put_sums,
)
from serpenoid.engine.states import added_commands, get_state, put_added, put_command, put_state
from serpenoid.engine.stop_reason import PackedPlace, stop_reason
from serpenoid.engine.variables import CONTACTS
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout, run
from serpenoid.kernels._jit import DIGEST, announce_compilation, machine_code
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory
from serpenoid.model.state import State

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# Share of a world's size that is left free, so that most new worlds fit in.
_SPARE = 0.25
# Room of a log of contacts at first, in units of what a step may have at most.
_STEPS_LOGGED = 2
# Without a record: an interval between rows that never ends.
NEVER = 2**62


class Checkpoint(NamedTuple):
    """What the only robot of an engine can go back to.

    Attributes:
        state: All that its next step depends on.
        events: Count of the events that the method had located.
        sums: Sums since the last row of the record.
    """

    state: State
    events: int
    sums: Sums


class Engine:
    """Robots of one structure, one in each row of its arrays; a single run is an engine of one.

    Attributes:
        structure: What its robots have in common.
        time_step: s.
        status: Why each robot stopped, (b,); `layout.DONE` for one that moves on.
        target: Step to take each robot to, (b,).
    """

    def __init__(self, count: int, like: PreparedRun, rows: int = 0, every: int = NEVER) -> None:
        """Make room.

        Args:
            count: Number of robots.
            like: One of them.
            rows: Room for rows of the record of each.
            every: Steps from one row to the next.
        """
        method = like.scenario.solver
        announce_compilation(method.entry(), method.compile_time)

        self._method, self._like = method, like
        self.structure, self.features = like.structure, like.features
        self.is_bare = like.is_bare
        self.links, self.loads = len(like.robot.links), len(like.world.loads)
        self.time_step, self.every = like.scenario.clock.time_step, every
        self._check_memory(count, like, rows)
        self._worlds = [(like.world, like.packed)]
        self._packed = run.WORLDS.room(like.packed, min(count, 2), _SPARE)
        self._place = np.zeros(count, np.int64)
        self._bodies = run.BODIES.room(like.body, count)
        self._drives = run.DRIVES.room(like.drive, count)
        # Of a log there is none for bare robots, and an empty one where nothing is recorded.
        log = None if like.is_bare else 0
        if CONTACTS in self.features and rows > 0:
            log = _STEPS_LOGGED * len(like.body.contacts)
        record = new_record(rows, self.links, self.loads, self.features, log)
        self._records = run.RECORDS.room(record, count)
        self._scratch = method.scratch(like.robot, like.body)
        # Torques of controllers in Python below commands on top, N m.
        self._torque = np.zeros((count, self.links - 1))
        # Rows without a robot are left alone.
        self.status = np.full(count, layout.NOT_FINITE, np.int64)
        self.target, self._origin = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self._entry: Callable[..., None] | None = None
        # What the entry is called with but for the range of robots; whether arrays were replaced
        # since. Threads under way go on with the old ones.
        self._arguments: tuple[Any, ...] = ()
        self._stale = True
        self._observe: Callable[..., None] | None = None
        self._put_world(0)

    def _check_memory(self, count: int, like: PreparedRun, rows: int) -> None:
        """Refuse more robots, or more rows of them, than fit into the budget of memory."""
        robots = f"{self.links} links"
        robots = robots if count == 1 else f"{count} robots of {robots}"
        check_memory(count * run.BODIES.size(like.body), robots)
        row = run.RECORDS.size(new_record(1, self.links, self.loads, self.features))
        period = like.scenario.record.period
        what = f"record.period = {period!r}, which makes {rows} rows of {robots},"
        check_memory(count * rows * row, what)

    def __len__(self) -> int:
        return len(self.status)

    def __getstate__(self) -> dict[str, Any]:
        """Without machine code and method scratch, which are made anew."""
        left_out = ("_entry", "_arguments", "_observe", "_scratch")
        return {"digest": DIGEST} | {k: v for k, v in vars(self).items() if k not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.pop("digest") != DIGEST:
            raise InvalidInput(
                "this copy was made by another version of serpenoid, and cannot be read"
            )
        vars(self).update(state)
        self._entry, self._arguments, self._observe = None, (), None
        self._stale = True
        self._scratch = self._method.scratch(self._like.robot, self.body(0))

    # ------------------------------------------------------------------------------------- robots

    def put(self, b: int, prepared: PreparedRun) -> None:
        """Start a robot of the engine's structure in row b."""
        if not run.BODIES.fits(self._bodies, prepared.body):
            self._stale, self._bodies = True, run.BODIES.grown(self._bodies, prepared.body)
        if not run.DRIVES.fits(self._drives, prepared.drive):
            self._stale, self._drives = True, run.DRIVES.grown(self._drives, prepared.drive)
        run.BODIES.put(self._bodies, b, prepared.body)
        run.DRIVES.put(self._drives, b, prepared.drive)
        self._place[b] = self._world_number(b, (prepared.world, prepared.packed))
        clear_sums(self.record(b))
        self._torque[b] = 0.0
        step = int(prepared.body.step[0])
        self.status[b], self.target[b], self._origin[b] = layout.DONE, step, step

    def has_room(self, prepared: PreparedRun) -> bool:
        """Whether a robot can be put while others are stepped.

        Arrays that steps write to are not replaced then; worlds, which they only read, may be.
        """
        fits = run.BODIES.fits(self._bodies, prepared.body)
        return bool(fits and run.DRIVES.fits(self._drives, prepared.drive))

    def body(self, b: int) -> layout.Body:
        """Robot b as the kernels have it, in the memory of the engine."""
        return run.BODIES.view(self._bodies, b)

    def record(self, b: int) -> layout.RunRecord:
        """What is recorded of robot b, in the memory of the engine."""
        return run.RECORDS.view(self._records, b)

    @property
    def gaits(self) -> Any:
        """Numbers of the robots' gaits, records (b,) of the fields of `layout.PackedGait`."""
        return run.DRIVES.member(self._drives, "gait").numbers

    @property
    def ticks(self) -> Ints:
        """Steps between two ticks of each compiled controller, 0 without one, (b,)."""
        control = run.DRIVES.member(self._drives, "control")
        ticks: Ints = np.zeros(len(self), int) if control is None else control.numbers["ticks"]
        return ticks

    @property
    def takes_added(self) -> Flags:
        """Which robots take commands on top of a compiled controller, (b,)."""
        added: Flags = run.BODIES.lengths(self._bodies, "added") > 0
        return added

    @property
    def records(self) -> layout.RunRecord:
        """What is recorded of all robots; every array has the robot axis in front."""
        return layout.RunRecord(*self._records.arrays)

    @property
    def step(self) -> Ints:
        """Steps done by each robot, (b,)."""
        steps: Ints = run.BODIES.member(self._bodies, "step")[:, 0]
        return steps

    @property
    def time(self) -> Floats:
        """Time of each robot, (b,), s."""
        return self.step.astype(np.float64) * self.time_step

    @property
    def ledger(self) -> Floats:
        """Energy ledgers, (b, LEDGER_SIZE), J."""
        ledger: Floats = run.BODIES.member(self._bodies, "ledger")
        return ledger

    @property
    def events(self) -> Floats:
        """Events that the method has located, (events, 4)."""
        return self._method.events(self._scratch)

    def state(self, b: int) -> State:
        """All that the next step of robot b depends on."""
        return get_state(self.body(b), self.time_step)

    def contacts(self, b: int) -> ContactTable:
        """The contacts recorded of robot b; none if that was not asked for."""
        return contacts_of(self.record(b), *self._worlds[self._place[b]])

    def checkpoint(self) -> Checkpoint:
        """Where the only robot is, for `restore`."""
        return Checkpoint(
            state=self.state(0),
            events=self._method.event_count(self._scratch),
            sums=copy_sums(self.record(0)),
        )

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take back the steps of the only robot since then, halves of a step included."""
        body = self.body(0)
        body.pieces[:] = 0
        put_state(body, checkpoint.state)
        put_sums(self.record(0), checkpoint.sums)
        self._method.forget_events(self._scratch, checkpoint.events)

    # -------------------------------------------------------------------------------------- steps

    def load_code(self) -> None:
        """Compile or load what `advance` calls, once after robots were put."""
        if not self._stale:
            return
        batch = run.BatchArrays(
            worlds=self._packed,
            place=self._place,
            bodies=self._bodies,
            drives=self._drives,
            records=self._records,
            target=self.target,
            status=self.status,
            origin=self._origin,
        )
        scratch = () if self._scratch is None else (self._scratch,)
        timing, options = run.Timing(self.time_step, self.every), self._method.options()
        arguments = (batch, timing, options, *scratch)
        if self._entry is None:
            self._entry = machine_code(self._method.entry(), *arguments, 0, 0)
        self._arguments, self._stale = arguments, False

    def advance(self, first: int, last: int) -> None:
        """Take robots first <= b < last to their targets, as far as they come.

        Other threads go on during the call.
        """
        assert self._entry is not None
        self._entry(*self._arguments, first, last)

    def step_one(self, count: int) -> None:
        """Take steps with the only robot."""
        self.load_code()
        self.target[0], self.status[0] = self.step[0] + count, layout.DONE
        self.advance(0, 1)

    def grow(self) -> bool:
        """Give all robots room for more contacts, if one of them has run out of it."""
        full = self.status == layout.CONTACTS_FULL
        if not full.any():
            return False
        if self._grow_logs(np.flatnonzero(full)):
            self.status[full] = layout.DONE
            return True
        larger = with_more_room(self.body(0))
        what = f"room for {len(larger.contacts)} contacts of {len(self)} robots"
        check_memory(len(self) * run.BODIES.size(larger), what)
        # Told first: after Ctrl-C in between, steps must not go on with the old arrays.
        self._stale, self._bodies = True, run.BODIES.grown(self._bodies, larger)
        self.status[full] = layout.DONE
        self._scratch = self._method.scratch(self._like.robot, self.body(0), self._scratch)
        return True

    def grow_records(self, steps: int) -> None:
        """Give all records room for the rows of more steps than they have room for.

        Args:
            steps: Steps that each robot takes.

        Raises:
            InvalidInput: They do not fit into the budget of memory.
        """
        record = self.record(0)
        needed = int((self.step - self._origin).max() + steps) // self.every + 1
        if needed <= len(record.time):
            return
        rows = max(needed, 2 * len(record.time))
        self._check_memory(len(self), self._like, rows)
        log = None if record.contacts is None else len(record.contacts.touches)
        larger = new_record(rows, self.links, self.loads, self.features, log)
        self._stale, self._records = True, run.RECORDS.grown(self._records, larger)

    def _grow_logs(self, robots: Ints) -> bool:
        """Give all logs of contacts more room, if that is what one of some robots lacks."""
        record, most = self.record(0), len(self.body(0).contacts)
        if not any(lacks_room(self.record(b).contacts, most) for b in robots.tolist()):
            return False
        assert record.contacts is not None
        room = 2 * len(record.contacts.touches) + most
        what = f"record.contacts = True, which makes {room} contacts,"
        check_memory(len(self) * room * layout.TOUCH.itemsize, what)
        larger = record._replace(contacts=new_log(room))
        self._stale, self._records = True, run.RECORDS.grown(self._records, larger)
        return True

    # -------------------------------------------------------------------------- observe, command

    def observe(self, on_top: bool = False) -> Observation:
        """What the controllers of all robots see; every array has the robot axis in front.

        Args:
            on_top: Whether contact forces are those since the last command on top of a compiled
                controller, for robots that take one, and not those since its own last tick.
        """
        b, n = len(self), self.links
        links, joints = np.empty((8, b, n)), np.empty((3, b, n - 1))
        loads = np.empty((6, b, self.loads))
        arguments = (self._bodies, self.time_step, on_top, links, joints, loads)
        if self._observe is None:
            self._observe = machine_code(run.observe_many, *arguments)
        self._observe(*arguments)
        return Observation(
            self.time,
            *(links[0], links[1], links[2], links[3], links[4], links[5]),
            joint_angle=joints[0],
            joint_rate=joints[1],
            contact_force=np.moveaxis(links[6:], 0, -1),
            spring_torque=joints[2],
            load_pose=np.moveaxis(loads[:3], 0, -1),
            load_velocity=np.moveaxis(loads[3:], 0, -1),
        )

    def command(self, angle: Floats, rate: Floats, torque: Floats) -> None:
        """Command all joints from now on, and measure contact forces anew.

        Robots with room for a command on top of their controllers take it there.

        Args:
            angle: rad, (b, n-1) or what broadcasts to it.
            rate: rad/s.
            torque: N m.
        """
        names = ("joints", "bodies", "last", "added")
        joints, bodies, last, added = (run.BODIES.member(self._bodies, name) for name in names)
        command, on_top = (angle, rate, torque), self.takes_added
        if on_top.all():
            put_added(added, bodies, command, self.time)
            joints.view(np.ndarray)["torque"] = self._torque + torque
        elif not on_top.any():
            put_command(joints, bodies, last, command, self.time)
        else:
            shape = (len(self), self.links - 1)
            each = [np.broadcast_to(value, shape) for value in command]
            for b, there in enumerate(on_top.tolist()):
                self.command_one(b, [value[b] for value in each], there)

    def command_one(self, b: int, command: Sequence[Any], on_top: bool) -> None:
        """Command the joints of robot b from now on, and measure contact forces anew.

        Args:
            b: Number of the robot.
            command: Angle, rad, rate, rad/s, and torque, N m, (n-1,) or what broadcasts to it.
            on_top: Whether it is added to what the robot's controller commands.
        """
        body, time, (angle, rate, torque) = self.body(b), float(self.time[b]), command
        if on_top:
            assert body.added is not None
            put_added(body.added, body.bodies, command, time)
            body.joints.view(np.ndarray)["torque"] = self._torque[b] + torque
            return
        if self.takes_added[b]:
            assert body.added is not None
            begin = layout.ADDED_HEAD + 3 * len(body.joints)
            self._torque[b], torque = torque, torque + added_commands(body.added)[:, 2]
            body.added[begin::2] += body.links.view(np.ndarray)["tick_x"]
            body.added[begin + 1 :: 2] += body.links.view(np.ndarray)["tick_y"]
        put_command(body.joints, body.bodies, body.last, (angle, rate, torque), time)

    def reason(self, b: int) -> str:
        """Why the step of robot b failed, in one sentence with time, place, law and remedy."""
        time, place = float(self.time[b]), self._worlds[self._place[b]]
        why, remedy = stop_reason(self.body(b), int(self.status[b]), time, place)
        method = self._method
        return f"{why}{method.tried}; {remedy or method.remedy(self.time_step)}"

    # ------------------------------------------------------------------------------------- worlds

    def _world_number(self, b: int, place: PackedPlace) -> int:
        """The number of a world in the engine; those that nobody needs make room."""
        for number, (_, packed) in enumerate(self._worlds):
            if packed is place[1]:
                return number
        used = set(np.delete(self._place, b).tolist())
        number = next((k for k in range(len(self._worlds)) if k not in used), len(self._worlds))
        self._worlds[number:] = [place, *self._worlds[number + 1 :]]
        self._put_world(number)
        return number

    def _put_world(self, number: int) -> None:
        """Write a world into its row; where it does not fit, into new and larger rows."""
        worlds, (_, world) = run.WORLDS, self._worlds[number]
        if number < len(self._packed.numbers) and worlds.fits(self._packed, world):
            worlds.put(self._packed, number, world)
            return
        count = max(len(self._packed.numbers), 2 * number)
        check_memory(count * worlds.size(world), f"{count} worlds like world {number}")
        packed = worlds.room(world, count, _SPARE)
        for _, other in self._worlds:
            packed = worlds.grown(packed, other)
        for k, (_, other) in enumerate(self._worlds):
            worlds.put(packed, k, other)
        self._stale, self._packed = True, packed
