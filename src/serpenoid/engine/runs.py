"""Many whole runs at once."""

from __future__ import annotations

import copy
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from serpenoid.engine import assemble as model
from serpenoid.engine import recording
from serpenoid.engine.checks import as_scenarios, as_threads, check_alike, check_same
from serpenoid.engine.copies import numbers_of, put_numbers
from serpenoid.engine.provenance import attributes, described
from serpenoid.engine.simulate import hold, whole_multiple
from serpenoid.engine.stack import Stack
from serpenoid.engine.starts import Ready, Starts
from serpenoid.engine.threads import shares
from serpenoid.engine.trajectory import Trajectory
from serpenoid.engine.variants import Made, varied
from serpenoid.errors import Interrupted, InvalidInput, SerpenoidError
from serpenoid.progress import bar
from serpenoid.scenario.scenario import Scenario

# Rows times links of all runs that are worth trying to keep: some 100 GB.
_MOST_NUMBERS = 1e9
# Links times steps in a call: a fraction of a second, so that Ctrl-C is soon looked after, but not
# less: a thread that comes back waits for Python's lock while robots are made ready.
_CALL = 1_000_000
# How often the bar is looked after, s.
_PATIENCE = 0.2
# Each thread gets its robots in so many parts, so that all begin soon and end together.
_PARTS = 32

Show = Callable[..., None] | None


def simulate_batch(
    scenarios: Scenario | Sequence[Scenario],
    parameters: Mapping[str, npt.ArrayLike] | None = None,
    *,
    threads: int | None = None,
    progress: bool = False,
) -> Runs:
    """Simulate many robots of one structure on all cores; each run is to the bit that of its own.

    scenarios: one for each run, or a single one with parameters: dotted keys, as in
    `Scenario.changed`, and for each of them the values of all runs. The runs have one clock, record
    period and solver, 'newton', and robots with as many links, loads and kinds of joints. threads:
    all cores if None. progress: show a bar if it takes longer than two seconds. What is wrong with
    one run is its error, see Runs; what is wrong with all of them is raised.
    """
    count = as_threads(threads)
    if not isinstance(progress, bool):
        raise InvalidInput(f"progress = {progress!r} is not allowed: it must be True or False")
    made: list[Made] = list(
        as_scenarios(scenarios) if parameters is None else varied(scenarios, parameters)
    )
    runs = Runs(made)
    runs._go(count, progress)
    return runs


class Runs(Sequence[Trajectory]):
    """What came of many runs, in the order of their scenarios.

    runs[i] is a Trajectory, put together when it is asked for, or raises what ended run i. errors:
    that, by number of the run; a run that stopped on its way is in the error's `run`.
    """

    def __init__(self, made: Sequence[Made]) -> None:
        self.errors: dict[int, SerpenoidError] = {}
        self._made, self._starts = made, Starts()
        self._seconds = np.zeros(len(made))
        self._stop = False
        first: Scenario | None = None
        for b, scenario in enumerate(made):
            if isinstance(scenario, Scenario):
                first = first or scenario
                check_alike(scenario, first, b)
                check_same(_clock(scenario), _clock(first), b, "scenario 0")
        self._stack = self._new_stack()

    def __repr__(self) -> str:
        return f"<Runs: {len(self)}, {len(self.errors)} of them with errors>"

    def __len__(self) -> int:
        return len(self._made)

    @overload
    def __getitem__(self, index: int) -> Trajectory: ...
    @overload
    def __getitem__(self, index: slice) -> list[Trajectory]: ...
    def __getitem__(self, index: int | slice) -> Trajectory | list[Trajectory]:
        if isinstance(index, slice):
            return [self[b] for b in range(*index.indices(len(self)))]
        b = range(len(self))[index]
        if b in self.errors:
            raise self.errors[b]
        return self._trajectory(b)

    def __reduce__(self) -> tuple[Any, ...]:
        return _copy, (self._made, self.errors, self._seconds, numbers_of(self._stack))

    @functools.cached_property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The columns of all runs, (runs, rows, ...); NaN in rows that a run did not reach."""
        return recording.columns(self._stack.record, self._stack.is_soft)

    def _go(self, threads: int, progress: bool) -> None:
        """Run all to the end, and those that fail by themselves, which tells why."""
        parts = shares(len(self), threads, _PARTS)
        total = self._steps * len(self) * self._stack.time_step
        with (
            bar("simulating", total) if progress else nullcontext() as show,
            ThreadPoolExecutor(threads) as pool,
        ):
            working: list[Future[None]] = []
            try:
                # While robots are made ready here, others are stepped already.
                for part in parts:
                    self._start(*part, working)
                    working.append(pool.submit(self._work, *part))
                    if threads == 1:
                        self._await(working, show, total)
                self._await(working, show, total)
                while self._stack.make_room():
                    self._await([pool.submit(self._work, *part) for part in parts], show, total)
            except BaseException:
                self._stop = True
                raise
        for b in np.flatnonzero(self._stack.status).tolist():
            if b not in self.errors:
                self._fail(b)
        for b in self.errors:
            rows = int(self._stack.record.rows[b, 0])
            for array in self._stack.record[1:-3]:
                if array.dtype.kind == "f":
                    array[b, rows:] = np.nan

    def _start(self, first: int, last: int, working: list[Future[None]]) -> None:
        """Make some robots ready to start, and put them into the stack."""
        for b in range(first, last):
            try:
                ready = self._ready(b)
            except InvalidInput as error:
                self.errors[b] = error
                continue
            check_same(ready.structure, self._stack.structure, b, "scenario 0")
            if not self._stack.has_room(ready):
                wait(working)
            self._stack.put(b, ready)
        self._stack.pack()

    def _ready(self, b: int) -> Ready:
        scenario = self._made[b]
        if isinstance(scenario, InvalidInput):
            raise scenario
        return self._starts.ready(scenario)

    def _work(self, first: int, last: int) -> None:
        """Step some robots to the end, in stretches between which others may have their way."""
        stack, begin = self._stack, time.perf_counter()
        stretch = max(1, _CALL // ((last - first) * stack.links))
        for end in range(stretch, self._steps + stretch, stretch):
            if self._stop:
                return
            stack.target[first:last] = min(end, self._steps)
            stack.advance(first, last)
        self._seconds[first:last] += (time.perf_counter() - begin) / (last - first)

    def _await(self, working: list[Future[None]], show: Show, total: float) -> None:
        """Wait for work to be done, and show how far it is."""
        left = set(working)
        while left:
            _, left = wait(left, _PATIENCE)
            if show is not None:
                done = float(self._stack.target.sum()) * self._stack.time_step
                show(done, f"{done:.4g} of {total:.4g} robot seconds")
        for each in working:
            each.result()

    def _fail(self, b: int) -> None:
        """Run one that failed by itself, so that its error is that of a single run."""
        scenario = self._made[b]
        assert isinstance(scenario, Scenario)
        try:
            scenario.run()
        except Interrupted:
            raise
        except SerpenoidError as error:
            self.errors[b] = error
        else:
            words = f"run {b} failed in a batch but not by itself, which is a fault of serpenoid"
            self.errors[b] = SerpenoidError(words)

    def _new_stack(self) -> Stack:
        """Room for all runs, made after the first of them that can start."""
        errors = []
        for b, scenario in enumerate(self._made):
            try:
                like = self._ready(b)
            except InvalidInput as error:
                errors.append(error)
                continue
            assert isinstance(scenario, Scenario)
            break
        else:
            raise errors[0]
        clock, period = scenario.clock, scenario.record.period
        every = whole_multiple("record.period", period, "clock.time_step", clock.time_step)
        rows = whole_multiple("clock.duration", clock.duration, "record.period", period) + 1
        self._steps = every * (rows - 1)
        links, loads = len(like.robot.links), len(like.world.loads)
        try:
            if len(self) * rows * links > _MOST_NUMBERS:
                raise MemoryError
            record = recording.new_record(rows, links, loads, like.robot.is_elastic, like.is_pedal)
            return Stack(
                len(self), like, scenario.solver, clock.time_step, every=every, record=record
            )
        except MemoryError:
            raise InvalidInput(
                f"record.period = {period!r} is not allowed: {rows} rows of {len(self)} runs do "
                "not fit into memory; it must be longer, clock.duration shorter, or there must be "
                "fewer runs"
            ) from None

    def _trajectory(self, b: int) -> Trajectory:
        stack, scenario = self._stack, self._made[b]
        assert isinstance(scenario, Scenario)
        robot, world = self._starts.built(scenario)
        body, controller = stack.body(b), scenario.controller
        time_step, duration = scenario.clock.time_step, scenario.clock.duration
        if not stack.drives.control.ticks[b]:
            hold(body, controller, float(body.step[0]) * time_step)  # type: ignore[arg-type]
        plainly = described(robot, world, controller, scenario.solver, scenario.start, time_step)  # type: ignore[arg-type]
        plainly |= {"record_period": scenario.record.period, "duration": duration}
        plainly |= {"seed": scenario.seed, "title": scenario.title}
        # The arrays are copied, not the columns: these lie in them as in a single run, so that sums
        # of them are the same to the bit.
        record = copy.deepcopy(stack.record_of(b))
        return Trajectory(
            columns=recording.columns(record, stack.is_soft),
            state=model.get_state(body, time_step),
            scenario=plainly,
            attributes=attributes(),
            stepping_seconds=float(self._seconds[b]),
        )


def _copy(made: Any, errors: Any, seconds: Any, numbers: dict[str, Any]) -> Runs:
    runs = Runs(made)
    runs.errors, runs._seconds = errors, seconds
    put_numbers(runs._stack, numbers)
    return runs


def _clock(scenario: Scenario) -> dict[str, float]:
    return {
        "clock.duration": scenario.clock.duration,
        "record.period": scenario.record.period,
    }
