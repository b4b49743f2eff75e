"""Robots that live on from step to step, many at once: what learning environments are made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import MOST_STEPS, as_numbers, check_flag, plain, whole_number
from serpenoid.control.interface import CompiledController, Observation
from serpenoid.control.own import LiveController
from serpenoid.engine.own_ticks import BatchTicks
from serpenoid.engine.prepare import Preparation, PreparedRun, differ, hold_shape
from serpenoid.engine.simulate import new_engine, trajectory_of
from serpenoid.engine.states import added_angles, added_commands
from serpenoid.engine.threads import ThreadTeam, as_threads
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variables import LEDGER
from serpenoid.errors import ControllerError, InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.model.state import State
from serpenoid.scenario.scenario import Scenario

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# Robots times steps from which on a call is shared out in smaller parts, so that all threads end
# together.
_MUCH = 10_000
_PARTS = 4
# Links times steps of a thread between two looks for Ctrl-C: a fraction of a second.
_CALL = 200_000


class Batch:
    """Robots of one structure that are stepped, observed and commanded all at once.

    They move to the bit as in single runs, whatever the number of threads.
    """

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        *,
        threads: int | None = None,
        commanded: bool = False,
        record: bool = False,
    ) -> None:
        """Start the robots.

        Args:
            scenarios: One for each robot, with the same number of links and of loads, one time step
                and one solver; masses, actuators, gaits, worlds and starts may differ.
            threads: All cores if None.
            commanded: Whether `command` may add to what the robots' own controllers command; robots
                without one take it as it is.
            record: Whether to record what `trajectory` gives, in rows of `record.period`, which
                must be the same for all. There is room for `clock.duration` at first.
        """
        given = as_scenarios(scenarios)
        commanded, record = check_flag("commanded", commanded), check_flag("record", record)
        self._preparation = Preparation(complete=differ(given), commanded=commanded)
        self._threads = ThreadTeam(as_threads(threads))
        self._scenarios = list(given)
        check_alike(given[0], given[0], 0)
        like = prepare_for_batch(self._preparation, given[0])
        self._records = record
        if record:
            self._engine = new_engine(len(given), like)
        else:
            from serpenoid.engine.engine import Engine

            self._engine = Engine(len(given), like)
        self._ticks = BatchTicks(len(given))
        # Robots that were commanded, or whose gait was changed, since they were put.
        self._told = np.zeros(len(given), np.bool_)
        for b, scenario in enumerate(given):
            self._put(b, scenario, "scenario 0")

    def __getstate__(self) -> dict[str, Any]:
        """For copies, also in another process: the robots as they are, without the threads."""
        return {
            "scenarios": self._scenarios,
            "threads": self._threads.threads,
            "engine": self._engine,
            "commanded": self._preparation.commanded,
            "records": self._records,
            "told": self._told,
            "ticks": self._ticks,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._threads = ThreadTeam(state["threads"])
        self._scenarios, self._engine = list(state["scenarios"]), state["engine"]
        self._ticks = state["ticks"]
        self._preparation = Preparation(not self._engine.is_bare, state["commanded"])
        self._records, self._told = state["records"], state["told"].copy()

    def __repr__(self) -> str:
        return f"<Batch: {len(self)} robots of {self._engine.links} links>"

    def __len__(self) -> int:
        return len(self._engine)

    @property
    def time(self) -> Floats:
        """Time of every robot, (b,), s."""
        return self._engine.time

    @property
    def status(self) -> Ints:
        """0 for a robot that moves on, another number for one whose step failed, (b,)."""
        status = self._engine.status.copy()
        # One that was interrupted just when it ran out of room goes on with more of it.
        status[status == layout.CONTACTS_FULL] = layout.DONE
        return status

    def energy(self) -> dict[str, Floats]:
        """Energy ledgers: works since the start.

        Returns:
            Name of each entry to the energies of all robots, (b,), J.
        """
        return {
            entry.name.removeprefix("energy_"): np.array(self._engine.ledger[:, entry.index])
            for entry in LEDGER
            if not entry.feature or entry.feature in self._engine.features
        }

    def step(self, count: int = 1) -> Ints:
        """Take time steps with all robots, and ask their controllers in Python at their ticks.

        A robot whose step failed stays where it is until it is put anew; `reason` says why. After
        Ctrl-C robots may be at different times, from where they can be stepped on.

        Args:
            count: Number of steps.

        Returns:
            The status of each robot, (b,), as `status`.

        Raises:
            ControllerError: Controllers in Python fail, or their answers are no commands. It names
                all of their robots, and the next call asks them again.
        """
        steps = whole_number("count", count, least=0, most=MOST_STEPS)
        engine = self._engine
        if self._records:
            engine.grow_records(steps)
        engine.load_code()
        # From where each is: after Ctrl-C robots may be at different steps.
        begin, ends = engine.step.copy(), engine.step + steps
        parts = _PARTS if len(engine) * steps > _MUCH else 1
        threads = min(self._threads.threads, len(engine))
        stretch = max(1, _CALL * threads // (len(engine) * engine.links))
        for taken in range(stretch, steps + stretch, stretch):
            end = np.minimum(begin + taken, ends)
            # Once, or from tick to tick of controllers in Python.
            while (active := self._moves & (engine.step < end)).any():
                self._ask(active)
                engine.target[:] = self._ticks.until(engine.step, end)
                self._threads.parallel_for(engine.advance, len(engine), parts)
                while engine.grow():
                    engine.load_code()
                    self._threads.parallel_for(engine.advance, len(engine), parts)
        return self.status

    @property
    def _moves(self) -> Flags:
        """Which robots move on."""
        moves: Flags = self.status == layout.DONE
        return moves

    def _ask(self, active: Flags) -> None:
        """Ask the controllers in Python of robots that have a step to take."""
        self._write_first_rows()
        if errors := self._ticks.ask(self._engine, active):
            words = "; ".join(f"robot {b}: {error}" for b, error in errors.items())
            raise ControllerError(words) from next(iter(errors.values()))

    def reason(self, index: int) -> str:
        """Say why the step of a robot failed.

        Args:
            index: Number of the robot.

        Returns:
            One sentence; empty if the step did not fail.
        """
        b = self._index(index)
        return "" if self.status[b] == layout.DONE else self._engine.reason(b)

    def observe(self) -> Observation:
        """Observe all robots, as the controller of a single run does.

        Returns:
            New arrays, with the robot axis in front.
        """
        return self._engine.observe(on_top=True)

    def command(
        self,
        angle: npt.ArrayLike | None = None,
        rate: npt.ArrayLike | None = None,
        torque: npt.ArrayLike | None = None,
    ) -> None:
        """Command all joints, as the controller of a single run does; what is not given is 0.

        In a batch made with `commanded`, that is added to what the robots' own controllers command,
        after their filters and limits. Contact forces are felt anew from here on.

        Args:
            angle: For servos and prescribed joints, rad, (b, n-1); carried on at its rate until the
                next command.
            rate: For the same, rad/s, (b, n-1).
            torque: For torque actuators, and added by a servo, N m, (b, n-1).

        Raises:
            InvalidInput: A value has the wrong shape, or the scenarios have a controller.
        """
        engine = self._engine
        driven = (engine.gaits.kind != layout.HELD) | (engine.ticks > 0)
        driven[self._ticks.robots] = True
        if (driven & ~engine.takes_added).any():
            raise InvalidInput(
                "a robot of this batch has a controller of its own; make the batch with "
                "commanded=True to add to its commands, or leave controller out of its scenario"
            )
        shape = (len(engine), engine.links - 1)
        given = {"angle": angle, "rate": rate, "torque": torque}
        numbers = [
            np.zeros(()) if value is None else as_numbers(name, value, shape)
            for name, value in given.items()
        ]
        self._write_first_rows()
        engine.command(*numbers)
        self._told[:] = True

    def set_gait(
        self,
        *,
        amplitude_deg: npt.ArrayLike | None = None,
        frequency_deg: npt.ArrayLike | None = None,
        phase_deg: npt.ArrayLike | None = None,
        offset_deg: npt.ArrayLike | None = None,
    ) -> None:
        """Change the gaits of robots with a `Serpenoid` from now on.

        With another frequency the wave goes on from where it is, without a jump.

        Args:
            amplitude_deg: Amplitudes, (b,), deg; unchanged if None, as the others.
            frequency_deg: Frequencies, (b,), deg/s.
            phase_deg: Phases from joint to joint, (b,), deg.
            offset_deg: Offsets, (b,), deg.

        Raises:
            InvalidInput: A value has the wrong shape, or a robot has no `Serpenoid`.
        """
        gait: Any = self._engine.gaits
        if (gait.kind != layout.SERPENOID).any():
            raise InvalidInput(
                "a robot of this batch has no gait of kind 'serpenoid'; only such gaits are changed"
            )
        given = {
            "amplitude": amplitude_deg,
            "frequency": frequency_deg,
            "phase": phase_deg,
            "offset": offset_deg,
        }
        shape = (len(self),)
        new = {
            name: np.radians(as_numbers(f"{name}_deg", value, shape))
            for name, value in given.items()
            if value is not None
        }
        self._write_first_rows()
        self._told[:] = True
        if "frequency" in new:
            since = np.maximum(0.0, self.time - gait.delay)
            gait.start += (gait.frequency - new["frequency"]) * since
        for name, values in new.items():
            gait[name] = values

    def put(self, index: int, scenario: Scenario) -> None:
        """Start one robot anew, perhaps in another world, with other masses or another gait.

        All checks of a single run are made; where one fails, the robot is left as it was. One with
        terrain, loads, support points, rotors or feedback is refused if the batch began without any
        of them.

        Args:
            index: Number of the robot.
            scenario: Its new scenario, of the same structure.

        Raises:
            InvalidInput: The scenario does not fit the batch, or cannot be simulated.
        """
        self._put(self._index(index), scenario, "the batch")

    def state(self, index: int) -> State:
        """The state of a robot, as a single run has it.

        A wave that `set_gait` has changed is not part of it.

        Args:
            index: Number of the robot.

        Returns:
            All that the next step of the robot depends on.
        """
        b = self._index(index)
        state, controller = self._engine.state(b), self._scenarios[b].controller
        held = self._ticks.holds(self._engine, b)
        if not held or not isinstance(controller, CompiledController):
            return state
        # As `hold_shape` at the end of a run, but the robot itself goes on.
        command = np.zeros_like(state.command)
        command[:, 0] = controller.angles(len(command), state.time)
        command[:, 0] += added_angles(self._engine.body(b), state.time)
        if len(state.added):
            command[:, 2] = added_commands(state.added)[:, 2]
            return dataclasses.replace(state, command=command)
        felt = np.zeros_like(state.felt)
        return dataclasses.replace(state, command=command, command_time=state.time, felt=felt)

    def trajectory(self, index: int, commanded_by: str = "commands given to a Batch") -> Trajectory:
        """What a robot has done since it was put, as the trajectory of a run, with its ledger.

        Args:
            index: Number of the robot.
            commanded_by: Who commanded it, for messages.

        Returns:
            The trajectory up to now. That of a robot that was commanded cannot be repeated from its
            scenario, and says so.

        Raises:
            InvalidInput: There is no such robot, or the batch does not record.
        """
        b = self._index(index)
        if not self._records:
            raise InvalidInput("this batch does not record: make it with record=True")
        self._write_first_rows()
        scenario = self._scenarios[b]
        if self._told[b]:
            stand_in = LiveController(commanded_by)
            scenario = dataclasses.replace(scenario, controller=stand_in)
        own = self._ticks.own[b]
        run = trajectory_of(self._engine, b, self._scenarios[b], own=own, live=True)
        return dataclasses.replace(run, scenario=scenario, state=self.state(b))

    def _write_first_rows(self) -> None:
        """Record the start of robots that were put, as a single run does before its first tick."""
        engine = self._engine
        if not self._records or engine.records.rows.all():
            return
        engine.load_code()
        engine.target[:] = engine.step
        engine.advance(0, len(engine))

    def _put(self, b: int, scenario: Scenario, others: str) -> None:
        check_alike(scenario, self._scenarios[0], b, others)
        if self._records:
            first = self._scenarios[0].record.period
            check_same(
                {"record.period": scenario.record.period}, {"record.period": first}, b, others
            )
        prepared = prepare_for_batch(self._preparation, scenario)
        check_same(prepared.structure, self._engine.structure, b, others)
        self._engine.put(b, prepared)
        self._ticks.put(b, prepared.own)
        self._scenarios[b], self._told[b] = scenario, False

    def _index(self, index: int) -> int:
        b = plain(index)
        if type(b) is not int or not 0 <= b < len(self):
            raise InvalidInput(
                f"index = {index!r} is not allowed: the batch has robots 0 to {len(self) - 1}"
            )
        return b


def prepare_for_batch(preparation: Preparation, scenario: Scenario) -> PreparedRun:
    """A scenario prepared for a batch.

    Raises:
        InvalidInput: The scenario cannot be run.
    """
    prepared = preparation.prepare(scenario, scenario.controller)
    if prepared.holds:
        hold_shape(prepared.body, scenario.controller, 0.0)
    return prepared


def as_scenarios(scenarios: Any) -> list[Scenario]:
    """At least one scenario."""
    given = list(scenarios) if isinstance(scenarios, Sequence) else None
    if not given or not all(isinstance(each, Scenario) for each in given):
        words = "the batch is empty" if given == [] else "it must be a list of Scenario"
        if isinstance(scenarios, Scenario):
            words += "; for one run, [scenario]"
        shown = repr(scenarios) if len(repr(scenarios)) <= 60 else type(scenarios).__name__
        raise InvalidInput(f"scenarios = {shown} is not allowed: {words}")
    return given


def check_alike(scenario: Scenario, first: Scenario, b: int, others: str = "scenario 0") -> None:
    """Refuse scenario b if it cannot be stepped together with the first; others: who that is."""
    if not isinstance(scenario, Scenario):
        raise InvalidInput(f"scenario = {scenario!r} is not allowed: it must be a Scenario")
    if not scenario.solver.takes_batches:
        kind = getattr(scenario.solver, "kind", "")
        raise InvalidInput(
            f"solver {kind!r} is not allowed in a batch, which takes 'newton'; simulate each "
            "scenario by itself"
        )
    mine = {"solver": scenario.solver, "clock.time_step": scenario.clock.time_step}
    its = {"solver": first.solver, "clock.time_step": first.clock.time_step}
    check_same(mine, its, b, others)


def check_same(mine: Mapping[str, Any], its: Mapping[str, Any], b: int, others: str) -> None:
    """Refuse scenario b if one of its values differs from that of the others."""
    for name, value in mine.items():
        if value != its[name]:
            raise InvalidInput(
                f"scenario {b} has {name} = {value!r}, but {others} has {its[name]!r}; robots of "
                "one batch must have the same"
            )
