"""One robot under way: a batch of one, so that single runs and batches share machine code."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from serpenoid.engine import assemble as model
from serpenoid.engine.rows import new_drives, only_row, pack_worlds, put_drive, without_parts
from serpenoid.kernels import layout
from serpenoid.methods.method import Method, announce_compilation
from serpenoid.model.robot import Robot

Floats = npt.NDArray[np.float64]


class Single:
    """Takes steps with one robot, and writes a row of its record `every` so many steps.

    body, record: of the robot, in the memory that the kernels write to. flow: scratch and log of
    the hybrid method, or None. seconds: wall time of the steps.
    """

    def __init__(
        self,
        robot: Robot,
        body: layout.Body,
        record: layout.Record,
        world: layout.World,
        drive: tuple[layout.Gait, layout.Control],
        method: Method,
        time_step: float,
        every: int,
    ) -> None:
        announce_compilation(type(method))
        from serpenoid.kernels import run as kernel
        from serpenoid.kernels._jit import load

        self.body, self.record, self.seconds = body, record, 0.0
        self._time_step, self._every, self._options = time_step, every, method.options()
        solver = self._options.solver
        self.flow = model.new_flow(body) if solver == layout.HYBRID else None
        self._chain = model.new_lagrange(body, robot) if solver == layout.EXPLICIT else None
        self._worlds, self._place = pack_worlds([world]), np.zeros(1, np.int64)
        self._drives = put_drive(new_drives(1), 0, *drive, len(body.memory))
        self._origin = int(body.step[0])
        self._target, self._status = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self._arrange()
        self._run, self._observe = kernel.run_many, kernel.observe_many
        # No steps, but the first row.
        load(self._run, *self._arguments)

    @property
    def time(self) -> float:
        """Time reached, s."""
        return float(self.body.step[0]) * self._time_step

    def step(self, count: int) -> int:
        """Take so many steps, or fewer if one fails; why it ended."""
        self._target[0], self._status[0] = self.body.step[0] + count, layout.DONE
        before = time.perf_counter()
        self._run(*self._arguments)
        self.seconds += time.perf_counter() - before
        return int(self._status[0])

    def observe(self) -> tuple[Floats, Floats]:
        """What `observe_many` says of the links, (8, n), and of the joints, (3, n - 1)."""
        n = len(self.body.links)
        motion, felt = np.empty((8, 1, n)), np.empty((3, 1, n - 1))
        self._observe(self._bodies, self._drives, self._time_step, motion, felt)
        return motion[:, 0], felt[:, 0]

    def grow(self) -> None:
        """Make room for more contacts."""
        self.body = model.grown(self.body)
        if self.flow:
            old = self.flow
            self.flow = model.new_flow(self.body)._replace(log=old.log, logged=old.logged)
        self._arrange()

    def _arrange(self) -> None:
        self._bodies = without_parts(only_row(self.body))
        self._arguments = (
            self._worlds,
            self._place,
            self._bodies,
            self._drives,
            self._time_step,
            0,
            1,
            self._target,
            self._origin,
            self._every,
            self._options,
            model.new_dense(self.body) if self._options.solver == layout.PROX else None,
            self.flow,
            self._chain,
            only_row(self.record),
            self._status,
        )
