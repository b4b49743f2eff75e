"""Many whole runs at once."""

from __future__ import annotations

import dataclasses
import functools
import time
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from serpenoid.checks import check_flag
from serpenoid.engine.batch import as_scenarios, check_alike, check_same, prepare_for_batch
from serpenoid.engine.own_ticks import BatchTicks
from serpenoid.engine.prepare import Preparation, PreparedRun, differ, features_of, hold_shape
from serpenoid.engine.recording import blank_rest, columns
from serpenoid.engine.simulate import new_engine, trajectory_of
from serpenoid.engine.threads import as_threads, shares
from serpenoid.engine.trajectory import (
    TOLERABLE,
    Trajectory,
    numerical_share,
    smaller_step_advice,
)
from serpenoid.engine.variables import LEDGER, SUM
from serpenoid.errors import (
    Interrupted,
    InvalidInput,
    RoughRun,
    SerpenoidError,
    SimulationStopped,
)
from serpenoid.kernels import layout
from serpenoid.progress import bar
from serpenoid.scenario.scenario import Scenario

if TYPE_CHECKING:
    from serpenoid.engine.engine import Engine

# Links times steps in a call: a fraction of a second, so that Ctrl-C is soon looked after, but not
# less: a thread that comes back waits for Python's lock while robots are prepared.
_CALL = 1_000_000
# How often the bar is looked after, s.
_PATIENCE = 0.2
# Each thread gets its robots in this many parts, so that all begin soon and end together.
_PARTS = 32

Show = Callable[..., None] | None
# A scenario, or why there is none.
Made = Scenario | InvalidInput


def simulate_batch(
    scenarios: Scenario | Sequence[Scenario],
    parameters: Mapping[str, npt.ArrayLike] | None = None,
    *,
    threads: int | None = None,
    progress: bool = False,
) -> Runs:
    """Simulate many robots of one structure on all cores; each run is to the bit that of its own.

    The runs have one clock, record period and solver, 'newton', and robots with as many links,
    loads and kinds of joints. What is wrong with one run is its error, see `Runs`; what is wrong
    with all of them is raised.

    Args:
        scenarios: One for each run, or a single one with parameters.
        parameters: Dotted keys, as in `Scenario.changed`, and for each the values of all runs.
        threads: All cores if None.
        progress: Show a bar if it takes longer than two seconds.

    Returns:
        The runs, in the order of the scenarios.

    Raises:
        InvalidInput: The scenarios differ in what must be the same, or a value is not allowed.
    """
    count = as_threads(threads)
    progress = check_flag("progress", progress)
    made: list[Made] = list(
        as_scenarios(scenarios) if parameters is None else varied(scenarios, parameters)
    )
    runs = Runs(made)
    runs._go(count, progress)
    return runs


class Runs(Sequence[Trajectory]):
    """Results of many runs, in the order of their scenarios.

    runs[i] is a Trajectory, put together when it is asked for, or raises what ended run i.

    Attributes:
        errors: What ended runs, by their number; what was computed up to then is in its `run`.
    """

    def __init__(self, made: Sequence[Made]) -> None:
        self.errors: dict[int, SerpenoidError] = {}
        self._made = made
        scenarios = [scenario for scenario in made if isinstance(scenario, Scenario)]
        self._preparation = Preparation(complete=differ(scenarios))
        self._seconds = np.zeros(len(made))
        self._stop = False
        first: Scenario | None = None
        for b, scenario in enumerate(made):
            if isinstance(scenario, Scenario):
                first = first or scenario
                check_alike(scenario, first, b)
                check_same(_clock(scenario), _clock(first), b, "scenario 0")
        self._ticks = BatchTicks(len(made))
        self._engine = self._new_engine()
        # Step that each run ends with, and those for whose contacts there is no memory.
        self._last = np.full(len(made), self._steps)
        self._crowded: dict[int, InvalidInput] = {}

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

    def _trajectory(self, b: int) -> Trajectory:
        """What was recorded of run b."""
        engine, scenario = self._engine, self._made[b]
        assert isinstance(scenario, Scenario)
        if self._ticks.holds(engine, b):
            hold_shape(engine.body(b), scenario.controller, float(engine.time[b]))
        return trajectory_of(engine, b, scenario, float(self._seconds[b]), self._ticks.own[b])

    def __getstate__(self) -> dict[str, Any]:
        """What is prepared is made anew where it is needed."""
        return vars(self) | {"_preparation": None}

    @functools.cached_property
    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The columns of all runs, (runs, rows, ...); NaN in rows that a run did not reach."""
        return columns(self._engine.records, self._engine.features)

    def _go(self, threads: int, progress: bool) -> None:
        """Run all to the end, and those that fail by themselves, which tells why."""
        parts = shares(len(self), threads, _PARTS)
        total = self._steps * len(self) * self._engine.time_step
        with (
            bar("simulating", total) if progress else nullcontext() as show,
            ThreadPoolExecutor(threads) as pool,
        ):
            working: list[Future[None]] = []
            try:
                # While robots are prepared here, others are stepped already.
                for part in parts:
                    self._start(*part, working)
                    if self._ticks.robots:
                        continue
                    working.append(pool.submit(self._work, *part))
                    if threads == 1:
                        self._await(working, show, total)
                self._await(working, show, total)
                self._step_to_ticks(pool, parts, show, total)
                while self._make_room():
                    self._engine.load_code()
                    self._await([pool.submit(self._work, *part) for part in parts], show, total)
            except BaseException:
                self._stop = True
                raise
        for b in np.flatnonzero(self._engine.status).tolist():
            if b not in self.errors:
                self._fail(b)
        for b, error in self._crowded.items():
            words = f"stopped at t = {self._engine.time[b]:g} s: {error}"
            self.errors[b] = SimulationStopped(words, self._trajectory(b))
        for b in self.errors:
            blank_rest(self._engine.record(b))
        self._ticks.forget()
        self._warn_of_rough_runs()

    def _make_room(self) -> bool:
        """Give robots more room for contacts if need be; whether there are steps to take then.

        Where memory is at its end, those that need it begin again, to end with their last whole
        step: a step that ran out of room has had its tick, and maybe some of its halves.
        """
        engine = self._engine
        try:
            return engine.grow()
        except InvalidInput as error:
            for b in np.flatnonzero(engine.status == layout.CONTACTS_FULL).tolist():
                self._crowded[b], self._last[b] = error, engine.step[b]
                self._put(b, self._prepared(b))
            return True

    def _warn_of_rough_runs(self) -> None:
        """One warning for all runs whose time step is too large."""
        ledger = self._engine.records.ledger
        energies = {variable.name: ledger[..., variable.index] for variable in LEDGER}
        whole = [b for b in range(len(self)) if b not in self.errors]
        masses = np.ones(len(self))
        for b in whole:
            masses[b] = self._made[b].built[0].mass  # type: ignore[union-attr]
        share = numerical_share(energies, masses)
        rough = [b for b in whole if share[b] > TOLERABLE]
        if rough:
            where = f" in {len(rough)} of {len(self)} runs, runs[{rough[0]}] the first of them"
            words = smaller_step_advice(self._engine.time_step, where)
            warnings.warn(words, RoughRun, stacklevel=4)

    def _start(self, first: int, last: int, working: list[Future[None]]) -> None:
        """Prepare some robots, and put them into the engine."""
        for b in range(first, last):
            try:
                prepared = self._prepared(b)
            except InvalidInput as error:
                self.errors[b] = error
                continue
            check_same(prepared.structure, self._engine.structure, b, "scenario 0")
            if not self._engine.has_room(prepared):
                wait(working)
            self._put(b, prepared)
        self._engine.load_code()

    def _put(self, b: int, prepared: PreparedRun) -> None:
        self._engine.put(b, prepared)
        self._ticks.put(b, prepared.own)

    def _step_to_ticks(
        self, pool: ThreadPoolExecutor, parts: list[tuple[int, int]], show: Show, total: float
    ) -> None:
        """Step all robots to the end, from tick to tick of their controllers in Python."""
        engine = self._engine
        if self._ticks.robots:
            # No steps, but the first rows.
            engine.advance(0, len(self))
        while self._ticks.robots:
            active = (engine.status == layout.DONE) & (engine.step < self._last)
            if not active.any() and not self._make_room():
                return
            for b, error in self._ticks.ask(engine, active).items():
                error.run = self._trajectory(b)
                self.errors[b], self._last[b] = error, engine.step[b]
            begin = time.perf_counter()
            engine.target[:] = self._ticks.until(engine.step, self._last)
            engine.load_code()
            self._await([pool.submit(engine.advance, *part) for part in parts], show, total)
            self._seconds += (time.perf_counter() - begin) / len(self)

    def _prepared(self, b: int) -> PreparedRun:
        scenario = self._made[b]
        if isinstance(scenario, InvalidInput):
            raise scenario
        return prepare_for_batch(self._preparation, scenario)

    def _work(self, first: int, last: int) -> None:
        """Step some robots to the end, in stretches, so that Ctrl-C is looked for."""
        engine, begin = self._engine, time.perf_counter()
        stretch = max(1, _CALL // ((last - first) * engine.links))
        for end in range(stretch, self._steps + stretch, stretch):
            if self._stop:
                return
            engine.target[first:last] = np.minimum(end, self._last[first:last])
            engine.advance(first, last)
        self._seconds[first:last] += (time.perf_counter() - begin) / (last - first)

    def _await(self, working: list[Future[None]], show: Show, total: float) -> None:
        """Wait for work to be done, and show how far it is."""
        left = set(working)
        while left:
            _, left = wait(left, _PATIENCE)
            if show is not None:
                done = float(self._engine.target.sum()) * self._engine.time_step
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

    def _new_engine(self) -> Engine:
        """Room for all runs, made after the first of them that can start."""
        errors = []
        for b in range(len(self._made)):
            try:
                like = self._prepared(b)
                break
            except InvalidInput as error:
                errors.append(error)
        else:
            raise errors[0]
        self._steps = like.scenario.steps_per_row * (like.scenario.rows - 1)
        scenarios = [each for each in self._made if isinstance(each, Scenario)]
        if any(SUM in features_of(each, each.controller) for each in scenarios):
            # Room for the parts of references, which not all of them may have.
            like = dataclasses.replace(like, features=like.features | {SUM})
        return new_engine(len(self), like)


def _clock(scenario: Scenario) -> dict[str, float | bool]:
    return {
        "clock.duration": scenario.clock.duration,
        "record.period": scenario.record.period,
        "record.contacts": scenario.record.contacts,
    }


def varied(base: Any, parameters: Any) -> list[Made]:
    """The scenario with the values of each run; parameters: dotted keys to these values."""
    if not isinstance(base, Scenario):
        raise InvalidInput(
            f"scenarios = {type(base).__name__} is not allowed beside parameters: it must be one "
            "Scenario"
        )
    if not isinstance(parameters, Mapping) or not parameters:
        raise InvalidInput(
            f"parameters = {parameters!r} is not allowed: it must be a table of keys and values"
        )
    values: dict[str, Sequence[Any]] = {}
    for key, value in parameters.items():
        values[key] = _listed(value)
        if not values[key]:
            raise InvalidInput(
                f"parameters[{key!r}] = {value!r} is not allowed: it must be a list of values, one "
                "for each run"
            )
    sizes = {key: len(entries) for key, entries in values.items()}
    if len(set(sizes.values())) > 1:
        words = ", ".join(f"{key} {size}" for key, size in sizes.items())
        raise InvalidInput(f"parameters have different numbers of values: {words}")
    # Shared by all whose robot and world are as in the base; what is wrong with it, each run tells.
    with suppress(InvalidInput):
        _ = base.built
    return [
        _changed(base, dict(zip(values, row, strict=True)))
        for row in zip(*values.values(), strict=True)
    ]


def _listed(value: Any) -> list[Any]:
    """The entries of anything that has them in an order; none of what has not."""
    if isinstance(value, str | bytes | Mapping | Set):
        return []
    try:
        return list(value)
    except TypeError:
        return []


def _changed(base: Scenario, changes: Mapping[str, Any]) -> Made:
    try:
        return base.changed(changes)
    except InvalidInput as error:
        return error
