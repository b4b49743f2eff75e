"""Robots that live on from step to step, many at once: what learning environments are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.engine import assemble as model
from serpenoid.engine.checks import as_numbers, as_scenarios, as_threads, check_alike, check_same
from serpenoid.engine.copies import numbers_of, put_numbers
from serpenoid.engine.stack import Stack
from serpenoid.engine.starts import Starts
from serpenoid.engine.threads import Crew
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.methods.method import reason
from serpenoid.model.state import State
from serpenoid.scenario.scenario import Scenario
from serpenoid.spec import plain, whole_number

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Robots times steps from which on a call is shared out in smaller parts, so that all threads end
# together.
_MUCH = 10_000
_PARTS = 4
# Links times steps of a thread until Ctrl-C is looked after: a fraction of a second.
_CALL = 200_000
# More steps than any robot could take.
_MOST_STEPS = 10**12


@dataclass(frozen=True)
class Observations:
    """What the controllers of b robots see. Link arrays are (b, n), joint arrays (b, n - 1)."""

    time: Floats  # (b,) s
    x: Floats  # link centres, m
    y: Floats  # link centres, m
    theta: Floats  # link angles, unwrapped, rad
    vx: Floats  # velocities of the link centres, m/s
    vy: Floats  # velocities of the link centres, m/s
    omega: Floats  # angular velocities of the links, rad/s
    joint_angle: Floats  # rad
    joint_rate: Floats  # rad/s
    contact_force: Floats  # (b, n, 2) N, mean since the last command
    spring_torque: Floats  # measured by the springs of series-elastic joints, N m; else 0


class Batch:
    """Robots of one structure that are stepped, observed and commanded all at once.

    scenarios: one for each robot, with the same number of links and of loads, one time step and one
    solver; masses, actuators, gaits, worlds and starts may differ. threads: all cores if None.
    Robots move to the bit as in single runs, whatever the number of threads.
    """

    def __init__(self, scenarios: Sequence[Scenario], *, threads: int | None = None) -> None:
        given = as_scenarios(scenarios)
        self._starts = Starts()
        self._crew = Crew(as_threads(threads))
        self._scenarios = list(given)
        first = given[0]
        check_alike(first, first, 0)
        like = self._starts.ready(first)
        self._stack = Stack(len(given), like, first.solver, first.clock.time_step)
        for b, scenario in enumerate(given):
            self._put(b, scenario, "scenario 0")

    def __getstate__(self) -> dict[str, Any]:
        """For copies, also in another process: what it was made of, and the robots as they are."""
        return {
            "scenarios": list(self._scenarios),
            "threads": self._crew.threads,
            "numbers": numbers_of(self._stack),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make it anew, with the robots as they were."""
        Batch.__init__(self, state["scenarios"], threads=state["threads"])
        put_numbers(self._stack, state["numbers"])

    def __repr__(self) -> str:
        return f"<Batch: {len(self)} robots of {self._stack.links} links>"

    def __len__(self) -> int:
        return len(self._stack)

    @property
    def time(self) -> Floats:
        """Time of every robot, (b,), s."""
        return self._stack.bodies.step[:, 0].astype(np.float64) * self._stack.time_step

    @property
    def status(self) -> Ints:
        """0 for a robot that moves on, another number for one whose step failed, (b,)."""
        status = self._stack.status.copy()
        # One that was interrupted just when it ran out of room goes on with more of it.
        status[status == layout.CONTACTS_FULL] = layout.DONE
        return status

    @property
    def links(self) -> Any:
        """The links' records, (b, n), live: LINK of `serpenoid.kernels.layout`."""
        return self._stack.bodies.bodies[:, : self._stack.links]

    @property
    def loads(self) -> Any:
        """The loads' records, (b, l), live, as those of the links."""
        return self._stack.bodies.bodies[:, self._stack.links :]

    @property
    def joints(self) -> layout.Records:
        """The joints' records, (b, n - 1), live: JOINT of `serpenoid.kernels.layout`."""
        return self._stack.bodies.joints

    @property
    def ledger(self) -> Floats:
        """The energy ledgers, (b, 12), live, J: entries as in `serpenoid.kernels.layout`."""
        return self._stack.bodies.ledger

    def step(self, count: int = 1) -> Ints:
        """Take so many time steps with all robots; returns the status of each, as `status`.

        A robot whose step failed stays where it is until it is put anew; `reason` says why. After
        Ctrl-C robots may be at different times, from where they can be stepped on.
        """
        steps = whole_number("count", count, least=0, most=_MOST_STEPS)
        stack = self._stack
        stack.pack()
        # From where each is: after Ctrl-C robots may be at different steps.
        begin = stack.bodies.step[:, 0].copy()
        parts = _PARTS if len(stack) * steps > _MUCH else 1
        stretch = max(1, _CALL * min(self._crew.threads, len(stack)) // (len(stack) * stack.links))
        for taken in range(stretch, steps + stretch, stretch):
            stack.target[:] = begin + min(taken, steps)
            self._crew.each(stack.advance, len(stack), parts)
            while stack.make_room():
                self._crew.each(stack.advance, len(stack), parts)
            if (stack.status != layout.DONE).all():
                break
        return self.status

    def reason(self, index: int) -> str:
        """Why the step of a robot failed, in one sentence; empty if it did not."""
        b = self._index(index)
        status = int(self.status[b])
        if status == layout.DONE:
            return ""
        method = self._scenarios[b].solver
        return reason(status, self._stack.body(b), self._stack.time_step, method)

    def observe(self) -> Observations:
        """What the robots' sensors say, all at once; the arrays are new ones."""
        motion, felt = self._stack.observe()
        return Observations(
            self.time,
            *(motion[0], motion[1], motion[2], motion[3], motion[4], motion[5]),
            joint_angle=felt[0],
            joint_rate=felt[1],
            contact_force=np.moveaxis(motion[6:], 0, -1),
            spring_torque=felt[2],
        )

    def command(
        self,
        angle: npt.ArrayLike | None = None,
        rate: npt.ArrayLike | None = None,
        torque: npt.ArrayLike | None = None,
    ) -> None:
        """Command all joints, as the controller of a single run does; what is not given is 0.

        (b, n - 1) each: angle, rad, which is carried on at its rate, rad/s, until the next command,
        for servos and prescribed joints; torque, N m, for torque actuators, and added by a servo.
        Contact forces are felt anew from here on.
        """
        stack = self._stack
        if (stack.drives.gait.kind != layout.HELD).any() or stack.drives.control.ticks.any():
            raise InvalidInput(
                "a robot of this batch has a controller of its own; leave controller out of its "
                "scenario to command it"
            )
        given = {"angle": angle, "rate": rate, "torque": torque}
        shape = (len(stack), stack.links - 1)
        arrays = {
            name: np.zeros(()) if value is None else as_numbers(name, value, shape)
            for name, value in given.items()
        }
        time, joints, bodies = self.time, stack.bodies.joints, stack.bodies.bodies
        for name, array in arrays.items():
            joints[name][...] = array
        joints["tick"][...] = time[:, None]
        stack.bodies.last[:, 1] = time
        bodies["tick_x"][...] = 0.0
        bodies["tick_y"][...] = 0.0

    def set_gait(
        self,
        *,
        amplitude_deg: npt.ArrayLike | None = None,
        frequency_deg: npt.ArrayLike | None = None,
        phase_deg: npt.ArrayLike | None = None,
        offset_deg: npt.ArrayLike | None = None,
    ) -> None:
        """Change the gaits of robots with a `Serpenoid` from now on, (b,) each; None: as it is.

        With another frequency the wave goes on from where it is, without a jump.
        """
        gait: Any = self._stack.drives.gait
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
        shape = (len(self._stack),)
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

        All checks of a single run are made; where one fails, the robot is left as it was.
        """
        self._put(self._index(index), scenario, "the batch")

    def state(self, index: int) -> State:
        """All that the next step of a robot depends on, as a single run has it."""
        return model.get_state(self._stack.body(self._index(index)), self._stack.time_step)

    def _put(self, b: int, scenario: Scenario, others: str) -> None:
        check_alike(scenario, self._scenarios[0], b, others)
        ready = self._starts.ready(scenario)
        check_same(ready.structure, self._stack.structure, b, others)
        self._stack.put(b, ready)
        self._scenarios[b] = scenario

    def _index(self, index: int) -> int:
        b = plain(index)
        if type(b) is not int or not 0 <= b < len(self):
            raise InvalidInput(
                f"index = {index!r} is not allowed: the batch has robots 0 to {len(self) - 1}"
            )
        return b
