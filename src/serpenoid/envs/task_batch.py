"""The robots of an environment, one or many: reset, stepped, observed and rewarded together."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import as_table, check_flag, one_of, plain, real_number, whole_multiple
from serpenoid.control.interface import Observation
from serpenoid.engine.batch import Batch
from serpenoid.engine.trajectory import Trajectory
from serpenoid.envs.actions import MODES, RESIDUAL_DEG, Action
from serpenoid.envs.fitting import fitted
from serpenoid.envs.snapshot import Bools, Snapshot
from serpenoid.envs.tasks import TASKS, Points, Task
from serpenoid.envs.variation import Draw, ranges, variable, varied
from serpenoid.errors import InvalidInput, prefixed
from serpenoid.kernels.layout import Floats
from serpenoid.scenario.scenario import Scenario

# Beginning of an episode: the scenario, and the points to be reached in turn.
Scene = tuple[Scenario, Points]
# Index of a robot, and the scene in which it begins an episode.
Drawn = tuple[int, Scene]

Singles = npt.NDArray[np.float32]

# Acceleration of gravity on Earth, m/s2.
_GRAVITY = 9.81

# Options of an environment besides the number of robots and those that Gymnasium sets.
DEFAULTS: dict[str, Any] = {
    "scenario": None,
    "robot": None,
    "world": None,
    "action": "joint_targets",
    "action_scale": None,
    "randomise": None,
    "weights": None,
    "control_period": 0.05,
    "record": False,
}


@dataclass(frozen=True)
class StepOutcome:
    """Result of a control period.

    Attributes:
        reward: Total rewards, (b,).
        terms: Parts of the reward by name, (b,) each.
        terminated: Whether episodes are terminated, (b,).
        failed: Reasons of failed steps by robot.
    """

    reward: Floats
    terms: dict[str, Floats]
    terminated: Bools
    failed: dict[int, str]


class TaskBatch:
    """A batch of robots with one task.

    Args:
        name: Name of the task.
        count: Number of robots b.
        threads: Number of threads; all cores if None.
        options: Options of the environment, those of DEFAULTS.
        also: Further keys that the environment takes, for messages.
        most: Control periods of an episode that there is room to record; those of the task if None.

    Raises:
        InvalidInput: The task or an option is not known, or a value is not allowed.
    """

    def __init__(
        self,
        name: str,
        count: int,
        threads: int | None,
        options: Mapping[str, Any],
        also: tuple[str, ...] = ("render_mode", "width", "height"),
        most: int | None = None,
    ) -> None:
        self.name, self.task = name, TASKS[one_of("task", name, TASKS)]
        given = DEFAULTS | dict(
            as_table("options", options, DEFAULTS, "the environment has no", also)
        )
        kind = MODES[one_of("action", given["action"], MODES)]
        self.records = check_flag("record", given["record"])
        self.fitted = fitted(name, kind, given)
        if isinstance(given["scenario"], str | os.PathLike):
            # A copy must not read a file that may have changed since.
            given["scenario"] = Scenario.load(given["scenario"])
        self._made_of = copy.deepcopy((name, count, threads, given, also, most))
        self.most = most or self.task.steps
        self.period: float = plain(given["control_period"])
        step = self.fitted.scenario.clock.time_step
        self.steps = whole_multiple("control_period", self.period, "clock.time_step", step)
        self.fitted = replace(self.fitted, scenario=self._recorded(self.fitted.scenario))
        self.ranges = ranges(given["randomise"], variable(self.fitted.scenario))
        self.weights = _weights(given["weights"], self.task)
        joints = len(self.fitted.scenario.built[0].joints)
        self.action = kind(
            count, joints, _scale(given["action_scale"], kind, self.task), self.period
        )
        # Robots need some state before their first episode.
        scenario, goals = self._scene(Draw(np.random.default_rng(0), {}))
        self.scenarios = [scenario] * count
        with prefixed(self.fitted.misfit) if self.fitted.given else nullcontext():
            self.batch = Batch(
                self.scenarios, threads=threads, commanded=kind.on_top, record=self.records
            )
        places = np.array([goals] * count).reshape(count, -1, 2)
        weight = np.full(count, _weight(scenario))
        self.now = self._snapshot(weight, places, np.zeros(count, np.int64))
        self._check_begun()
        self._begun: Bools = np.zeros(count, np.bool_)
        self.terms = (*self.task.observation, *self.action.terms)
        self.sizes = [term.read(self.now).shape[1] for term in self.terms]
        bounds = [term.bound for term in self.terms]
        self.bound: Singles = np.repeat(bounds, self.sizes).astype(np.float32)

    def __getstate__(self) -> dict[str, Any]:
        """For copies, also in other processes: the arguments and the present state."""
        live = ("batch", "scenarios", "now", "_begun")
        return {
            "made_of": self._made_of,
            "memory": self.action.memory,
            **{name: getattr(self, name) for name in live},
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the batch anew, and restore the state of its robots."""
        live = dict(state)
        TaskBatch.__init__(self, *live.pop("made_of"))
        self.action.memory = live.pop("memory")
        vars(self).update(live)

    def __len__(self) -> int:
        return len(self.batch)

    def drawn(self, which: Sequence[int], random: Sequence[np.random.Generator]) -> list[Drawn]:
        """Draw robots and scenes for new episodes, each with random numbers of its own.

        Args:
            which: Indices of the robots.
            random: Random numbers of each.

        Returns:
            Index and scene of each.
        """
        scenes = [self._scene(Draw(own, self.ranges)) for own in random]
        return list(zip(which, scenes, strict=True))

    def _scene(self, draw: Draw) -> Scene:
        """The beginning of an episode."""
        scenario = self.fitted.scenario
        if "scenario" not in self.fitted.given:
            scenario = self.fitted.drawn(self.task.draw(draw, scenario))
        elif "pegs" in self.ranges:
            scenario = replace(scenario, seed=draw.seed_of("pegs"))
        return varied(scenario, draw), self.task.goals(draw, self.fitted.scenario)

    def set_out(self, drawn: Sequence[Drawn]) -> None:
        """Begin new episodes; a robot whose start is interrupted must be started again.

        Args:
            drawn: Index and scene of each.
        """
        weight, goals = self.now.weight.copy(), self.now.goals.copy()
        next_goal = self.now.next_goal.copy()
        for b, (scenario, places) in drawn:
            self.batch.put(b, scenario)
            self.scenarios[b], self._begun[b] = scenario, True
            self.action.start(b, self.batch.state(b).command[:, 0])
            weight[b], next_goal[b] = _weight(scenario), 0
            goals[b] = np.reshape(places, (-1, 2))
        self.now = self._snapshot(weight, goals, next_goal)

    def step(self, action: Floats) -> StepOutcome:
        """Simulate one control period of all robots.

        Args:
            action: Finite numbers, (b, size), cut off at -1 and 1.

        Returns:
            Rewards and ends of episodes.
        """
        before = self.now
        self.action.command(self.batch, np.clip(action, -1.0, 1.0))
        failed = self.batch.step(self.steps) != 0
        now = self._snapshot(before.weight, before.goals, before.next_goal)
        self.action.undo(failed)
        goal = self.task.goal
        if goal is not None:
            reached = goal.read(now) & (now.next_goal < goal.count) & ~failed
            now = replace(now, reached=reached)
        terms = {
            reward.name: self.weights[reward.name]
            * np.where(failed, 0.0, reward.read(before, now, self.period))
            for reward in self.task.rewards
        }
        self.now = replace(now, next_goal=now.next_goal + now.reached)
        ends = [end.read(self.now) for end in self.task.ends]
        if goal is not None:
            ends.append(self.now.next_goal == goal.count)
        return StepOutcome(
            reward=sum(terms.values(), np.zeros(len(self))),
            terms=terms,
            terminated=np.logical_or.reduce(ends) & ~failed,
            failed={int(b): self.batch.reason(int(b)) for b in np.flatnonzero(failed)},
        )

    def observation(self) -> Singles:
        """Observations, (b, size), within the bounds."""
        numbers = np.concatenate([term.read(self.now) for term in self.terms], axis=1)
        return np.clip(numbers.astype(np.float32), -self.bound, self.bound)

    def trajectory(self, robot: int) -> Trajectory:
        """The episode of a robot so far, as the trajectory of a run.

        Args:
            robot: Index of the robot.

        Raises:
            InvalidInput: Episodes are not recorded, or there is no such robot, or none of its.
        """
        if not self.records:
            raise InvalidInput("the environment does not record: make it with record=True")
        run = self.batch.trajectory(robot, f"actions in serpenoid/{self.name}")
        if not self._begun[robot]:
            raise InvalidInput("there is no episode before reset")
        return run

    def _recorded(self, scenario: Scenario) -> Scenario:
        """A scenario with what is recorded of it: all of an episode, or nothing."""
        record, clock = scenario.record, scenario.clock
        if not self.records:
            return replace(scenario, record=replace(record, contacts=False))
        rows = self.period / record.period
        if round(rows) < 1 or abs(rows - round(rows)) > 1e-9 * rows:
            whole = math.ceil(rows) * record.period
            raise InvalidInput(
                f"control_period = {self.period:g} is not allowed with record=True: it must be a "
                f"whole multiple of the scenario's record.period, {record.period:g} s; make the "
                f"environment with control_period={whole:g}, or set record.period = "
                f"{self.period:g} in the scenario"
            )
        return replace(scenario, clock=replace(clock, duration=self.most * self.period))

    def _check_begun(self) -> None:
        """Refuse a scenario in which an episode has ended before it begins."""
        ends = [*self.task.ends]
        if self.task.goal is not None and self.task.goal.count == 1:
            ends.append(self.task.goal)
        for end in ends:
            if self.fitted.given and end.read(self.now).any():
                raise self.fitted.refuse(f"an episode would end at its start, where {end.words}")

    def _snapshot(
        self, weight: Floats, goals: Floats, next_goal: npt.NDArray[np.int64]
    ) -> Snapshot:
        """The present state, but that before the last step of robots whose step failed."""
        now = Snapshot(
            seen=self.batch.observe(),
            work=self.batch.energy()["actuator"],
            weight=weight,
            goals=goals,
            next_goal=next_goal,
            reached=np.zeros(len(weight), np.bool_),
            terrain=self.fitted.scenario.world.terrain,
        )
        failed = self.batch.status != 0
        return _kept(self.now, now, failed) if failed.any() else now


def _weight(scenario: Scenario) -> float:
    """Weight of the robot, N; that on Earth where there is no gravity."""
    robot, world = scenario.built
    return robot.mass * (world.gravity or _GRAVITY)


def _scale(given: Any, kind: type[Action], task: Task) -> float:
    """What 1 in an action stands for, rad or N m."""
    own = RESIDUAL_DEG if kind.on_top else task.joint_torque if kind.torque else task.joint_deg
    words = "a number above 0 and at most 1e6, degrees or N m"
    number = (
        own
        if given is None
        else real_number("action_scale", given, words, lambda size: 0 < size <= 1e6)
    )
    return number if kind.torque else math.radians(number)


def _weights(given: Any, task: Task) -> dict[str, float]:
    """Weight of each part of the reward."""
    weights = {reward.name: reward.weight for reward in task.rewards}
    words = "a number of at most 1e15 in size"
    return weights | {
        key: real_number(f"weights[{key!r}]", value, words, lambda number: abs(number) <= 1e15)
        for key, value in as_table("weights", given, weights).items()
    }


def _kept(before: Snapshot, now: Snapshot, failed: Bools) -> Snapshot:
    """The state now, with the robots whose step failed as they were before."""

    def kept(old: Floats, new: Floats) -> Floats:
        return np.where(failed.reshape(-1, *[1] * (new.ndim - 1)), old, new)

    seen = {name: kept(old, getattr(now.seen, name)) for name, old in vars(before.seen).items()}
    return replace(now, seen=Observation(**seen), work=kept(before.work, now.work))
