"""Robots that live on from step to step, many at once: what learning environments are made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import MOST_STEPS, as_numbers, plain, whole_number
from serpenoid.control.interface import CompiledController, Observation
from serpenoid.engine.prepare import Preparation, PreparedRun, differ, hold_shape
from serpenoid.engine.threads import ThreadTeam, as_threads
from serpenoid.engine.variables import LEDGER
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.model.state import State
from serpenoid.scenario.scenario import Scenario

Ints = npt.NDArray[np.int64]

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

    def __init__(self, scenarios: Sequence[Scenario], *, threads: int | None = None) -> None:
        """Start the robots.

        Args:
            scenarios: One for each robot, with the same number of links and of loads, one time step
                and one solver; masses, actuators, gaits, worlds and starts may differ.
            threads: All cores if None.
        """
        given = as_scenarios(scenarios)
        self._preparation = Preparation(complete=differ(given))
        self._threads = ThreadTeam(as_threads(threads))
        self._scenarios = list(given)
        check_alike(given[0], given[0], 0)
        from serpenoid.engine.engine import Engine

        self._engine = Engine(len(given), prepare_for_batch(self._preparation, given[0]))
        for b, scenario in enumerate(given):
            self._put(b, scenario, "scenario 0")

    def __getstate__(self) -> dict[str, Any]:
        """For copies, also in another process: the robots as they are, without the threads."""
        return {
            "scenarios": self._scenarios,
            "threads": self._threads.threads,
            "engine": self._engine,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._threads = ThreadTeam(state["threads"])
        self._scenarios, self._engine = list(state["scenarios"]), state["engine"]
        self._preparation = Preparation(complete=not self._engine.is_bare)

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
        """The energy ledgers, J: where the work went since the start, (b,) each."""
        return {
            entry.name.removeprefix("energy_"): np.array(self._engine.ledger[:, entry.index])
            for entry in LEDGER
            if not entry.feature or entry.feature in self._engine.features
        }

    def step(self, count: int = 1) -> Ints:
        """Take time steps with all robots.

        A robot whose step failed stays where it is until it is put anew; `reason` says why. After
        Ctrl-C robots may be at different times, from where they can be stepped on.

        Args:
            count: Number of steps.

        Returns:
            The status of each robot, as `status`.
        """
        steps = whole_number("count", count, least=0, most=MOST_STEPS)
        engine = self._engine
        engine.load_code()
        # From where each is: after Ctrl-C robots may be at different steps.
        begin = engine.step.copy()
        parts = _PARTS if len(engine) * steps > _MUCH else 1
        threads = min(self._threads.threads, len(engine))
        stretch = max(1, _CALL * threads // (len(engine) * engine.links))
        for taken in range(stretch, steps + stretch, stretch):
            engine.target[:] = begin + min(taken, steps)
            self._threads.parallel_for(engine.advance, len(engine), parts)
            while engine.grow():
                engine.load_code()
                self._threads.parallel_for(engine.advance, len(engine), parts)
            if (engine.status != layout.DONE).all():
                break
        return self.status

    def reason(self, index: int) -> str:
        """Why the step of a robot failed, in one sentence; empty if it did not."""
        b = self._index(index)
        return "" if self.status[b] == layout.DONE else self._engine.reason(b)

    def observe(self) -> Observation:
        """What the robots' sensors say; the arrays are new ones, with the robot axis in front."""
        return self._engine.observe()

    def command(
        self,
        angle: npt.ArrayLike | None = None,
        rate: npt.ArrayLike | None = None,
        torque: npt.ArrayLike | None = None,
    ) -> None:
        """Command all joints, as the controller of a single run does; what is not given is 0.

        Contact forces are felt anew from here on.

        Args:
            angle: For servos and prescribed joints, rad, (b, n-1); carried on at its rate until the
                next command.
            rate: For the same, rad/s, (b, n-1).
            torque: For torque actuators, and added by a servo, N m, (b, n-1).
        """
        engine = self._engine
        if (engine.gaits.kind != layout.HELD).any() or engine.ticks.any():
            raise InvalidInput(
                "a robot of this batch has a controller of its own; leave controller out of its "
                "scenario to command it"
            )
        shape = (len(engine), engine.links - 1)
        given = {"angle": angle, "rate": rate, "torque": torque}
        engine.command(
            *(
                np.zeros(()) if value is None else as_numbers(name, value, shape)
                for name, value in given.items()
            )
        )

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
            amplitude_deg: (b,); as it is if None.
            frequency_deg: deg/s, (b,).
            phase_deg: (b,).
            offset_deg: (b,).
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
        """
        self._put(self._index(index), scenario, "the batch")

    def state(self, index: int) -> State:
        """All that the next step of a robot depends on, as a single run has it.

        A wave that `set_gait` has changed is not part of it.
        """
        b = self._index(index)
        state, controller = self._engine.state(b), self._scenarios[b].controller
        if not isinstance(controller, CompiledController) or self._engine.ticks[b]:
            return state
        # As at the end of a run, joints without a controller would hold the last shape.
        angle = controller.angles(len(state.limit), state.time)
        return dataclasses.replace(
            state,
            command=np.column_stack([angle, np.zeros((len(angle), 2))]),
            command_time=state.time,
            felt=np.zeros_like(state.felt),
        )

    def _put(self, b: int, scenario: Scenario, others: str) -> None:
        check_alike(scenario, self._scenarios[0], b, others)
        prepared = prepare_for_batch(self._preparation, scenario)
        check_same(prepared.structure, self._engine.structure, b, others)
        self._engine.put(b, prepared)
        self._scenarios[b] = scenario

    def _index(self, index: int) -> int:
        b = plain(index)
        if type(b) is not int or not 0 <= b < len(self):
            raise InvalidInput(
                f"index = {index!r} is not allowed: the batch has robots 0 to {len(self) - 1}"
            )
        return b


def prepare_for_batch(preparation: Preparation, scenario: Scenario) -> PreparedRun:
    """A scenario prepared for a batch: its controller, if it has one, is compiled.

    Raises:
        InvalidInput: The controller is not, or the scenario cannot be run.
    """
    controller: Any = scenario.controller
    if controller is not None and not isinstance(controller, CompiledController):
        raise InvalidInput(
            f"controller = {type(controller).__name__} is not allowed in a batch: it is no "
            "compiled one; simulate each scenario by itself, or command a Batch without one"
        )
    prepared = preparation.prepare(scenario, controller)
    if prepared.drive.control is None or not prepared.drive.control.ticks:
        hold_shape(prepared.body, controller, 0.0)
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
