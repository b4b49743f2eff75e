"""The robots of an environment, one or many: reset, stepped, observed and rewarded together."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.checks import as_table, one_of, plain, real_number, whole_multiple
from serpenoid.control.interface import Observation
from serpenoid.engine.batch import Batch
from serpenoid.envs.actions import MODES
from serpenoid.envs.snapshot import Bools, Snapshot
from serpenoid.envs.tasks import TASKS, Scene, Task
from serpenoid.envs.variation import Draw, ranges
from serpenoid.kernels.layout import Floats
from serpenoid.scenario.scenario import Scenario
from serpenoid.scenario.sections import Clock

# Index of a robot, and the scene in which it begins an episode.
Drawn = tuple[int, Scene]

Singles = npt.NDArray[np.float32]

# Options of an environment besides the number of robots and those that Gymnasium sets.
DEFAULTS: dict[str, Any] = {
    "action": "joint_targets",
    "randomise": None,
    "weights": None,
    "control_period": 0.05,
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

    Raises:
        InvalidInput: The task or an option is not known, or a value is not allowed.
    """

    def __init__(
        self,
        name: str,
        count: int,
        threads: int | None,
        options: Mapping[str, Any],
        also: tuple[str, ...] = ("render_mode",),
    ) -> None:
        self._made_of = copy.deepcopy((name, count, threads, dict(options), also))
        self.task = TASKS[one_of("task", name, TASKS)]
        given = DEFAULTS | dict(
            as_table("options", options, DEFAULTS, "the environment has no", also)
        )
        self.period: float = plain(given["control_period"])
        clock = Clock()
        self.steps = whole_multiple("control_period", self.period, "time_step", clock.time_step)
        self.ranges = ranges(given["randomise"], self.task.varies)
        self.weights = _weights(given["weights"], self.task)
        kind = MODES[one_of("action", given["action"], MODES)]
        self.robot = self.task.robot(kind.torque)
        joints = len(self.robot.joints)
        scale = self.task.joint_torque if kind.torque else math.radians(self.task.joint_deg)
        self.action = kind(count, joints, scale, self.period)
        # Robots need some state before their first episode.
        scenario, goals = self.task.scene(Draw(np.random.default_rng(0), {}), self.robot)
        self.scenarios = [scenario] * count
        self.batch = Batch(self.scenarios, threads=threads)
        places = np.array([goals] * count).reshape(count, -1, 2)
        weight = np.full(count, _weight(scenario))
        self.now = self._snapshot(weight, places, np.zeros(count, np.int64))
        self.terms = (*self.task.observation, *self.action.terms)
        self.sizes = [term.read(self.now).shape[1] for term in self.terms]
        bounds = [term.bound for term in self.terms]
        self.bound: Singles = np.repeat(bounds, self.sizes).astype(np.float32)

    def __getstate__(self) -> dict[str, Any]:
        """For copies, also in other processes: the arguments and the present state."""
        live = ("batch", "scenarios", "now")
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
        draws = [Draw(own, self.ranges) for own in random]
        scenes = [self.task.scene(draw, draw.robot(self.robot)) for draw in draws]
        return list(zip(which, scenes, strict=True))

    def set_out(self, drawn: Sequence[Drawn]) -> None:
        """Begin new episodes; a robot whose start is interrupted must be started again.

        Args:
            drawn: Index and scene of each.
        """
        weight, goals = self.now.weight.copy(), self.now.goals.copy()
        next_goal = self.now.next_goal.copy()
        for b, (scenario, places) in drawn:
            self.batch.put(b, scenario)
            self.scenarios[b] = scenario
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
        )
        failed = self.batch.status != 0
        return _kept(self.now, now, failed) if failed.any() else now


def _weight(scenario: Scenario) -> float:
    """Weight of the robot, N."""
    robot, world = scenario.built
    return robot.mass * world.gravity


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
