"""The robots of an environment, one or many: reset, stepped, observed and rewarded together."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.control.interface import Observation
from serpenoid.engine.batch import Batch
from serpenoid.envs.actions import MODES
from serpenoid.envs.snapshot import Bools, Floats, Snapshot
from serpenoid.envs.tasks import TASKS, Scene, Task
from serpenoid.envs.variation import Draw, ranges
from serpenoid.errors import InvalidInput
from serpenoid.model.robot import Robot
from serpenoid.scenario.scenario import Scenario
from serpenoid.scenario.sections import Clock
from serpenoid.spec import nearest_word, one_of, plain, whole_multiple

# Beginning of an episode: index of the robot, itself, the scene, and both as a scenario.
Drawn = tuple[int, Robot, Scene, Scenario]

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
        given = _options(options, also)
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
        self.terms = (*self.task.observation, *self.action.terms)
        sizes = [term.size(joints + 1) for term in self.terms]
        bounds = [term.bound for term in self.terms]
        self.bound: Singles = np.repeat(bounds, sizes).astype(np.float32)
        # Robots need some state before their first episode.
        self.scenes = [self._scene(Draw(np.random.default_rng(0), {}))] * count
        self.scenarios = [_scenario(self.robot, self.scenes[0])] * count
        self.batch = Batch(self.scenarios, threads=threads)
        goals = np.array([scene.goals for scene in self.scenes]).reshape(count, -1, 2)
        weight = np.full(count, _weight(self.robot, self.scenes[0]))
        self.now = self._snapshot(weight, goals, np.zeros(count, np.int64))

    def __getstate__(self) -> dict[str, Any]:
        """For copies, also in other processes: the arguments and the present state."""
        live = ("batch", "scenes", "scenarios", "now")
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
            Index, robot, scene and scenario of each.
        """
        made = []
        for b, own in zip(which, random, strict=True):
            draw = Draw(own, self.ranges)
            robot, scene = draw.robot(self.robot), self._scene(draw)
            made.append((b, robot, scene, _scenario(robot, scene)))
        return made

    def set_out(self, drawn: Sequence[Drawn]) -> None:
        """Begin new episodes; a robot whose start is interrupted must be started again.

        Args:
            drawn: Index, robot, scene and scenario of each.
        """
        weight, goals = self.now.weight.copy(), self.now.goals.copy()
        next_goal = self.now.next_goal.copy()
        for b, robot, scene, scenario in drawn:
            self.batch.put(b, scenario)
            self.scenes[b], self.scenarios[b] = scene, scenario
            self.action.start(b, self.batch.state(b).command[:, 0])
            weight[b], next_goal[b] = _weight(robot, scene), 0
            if scene.goals:
                goals[b] = scene.goals
        now = self._snapshot(weight, goals, next_goal)
        # Others may have failed in the step before.
        failed = self.batch.status != 0
        self.now = _kept(self.now, now, failed) if failed.any() else now

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
        if failed.any():
            now = _kept(before, now, failed)
            self.action.undo(failed)
        goal = self.task.goal
        ends: list[Bools] = [np.zeros(len(self), np.bool_)]
        if goal is not None:
            reached = goal.read(now) & (now.next_goal < goal.count) & ~failed
            now = replace(now, reached=reached)
        terms = {
            reward.name: self.weights[reward.name]
            * np.where(failed, 0.0, reward.read(before, now, self.period))
            for reward in self.task.rewards
        }
        self.now = replace(now, next_goal=now.next_goal + now.reached)
        if goal is not None:
            ends.append(self.now.next_goal == goal.count)
        ends += [end.read(self.now) for end in self.task.ends]
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

    def _scene(self, draw: Draw) -> Scene:
        return self.task.scene(draw, len(self.robot.joints))

    def _snapshot(
        self, weight: Floats, goals: Floats, next_goal: npt.NDArray[np.int64]
    ) -> Snapshot:
        return Snapshot(
            seen=self.batch.observe(),
            work=self.batch.energy()["actuator"],
            weight=weight,
            goals=goals,
            next_goal=next_goal,
            reached=np.zeros(len(weight), np.bool_),
        )


def _scenario(robot: Robot, scene: Scene) -> Scenario:
    return Scenario(robot=robot, world=scene.world, friction=scene.friction, start=scene.start)


def _weight(robot: Robot, scene: Scene) -> float:
    """Weight of a robot in its scene, N."""
    return robot.mass * scene.world.gravity


def _options(given: Mapping[str, Any], also: tuple[str, ...]) -> dict[str, Any]:
    known = [*DEFAULTS, *also]
    for key in given:
        if key not in DEFAULTS:
            raise InvalidInput(
                f"the environment has no {key!r}{nearest_word(key, known)}; it takes "
                + ", ".join(known)
            )
    return DEFAULTS | dict(given)


def _weights(given: Any, task: Task) -> dict[str, float]:
    """Weight of each part of the reward."""
    weights = {reward.name: reward.weight for reward in task.rewards}
    if given is None:
        return weights
    if not isinstance(given, Mapping):
        raise InvalidInput(f"weights = {given!r} is not allowed: it must be a table")
    for key, value in given.items():
        if key not in weights:
            raise InvalidInput(
                f"weights has no {key!r}{nearest_word(str(key), list(weights))}; it takes "
                + ", ".join(weights)
            )
        number = plain(value)
        if type(number) not in (int, float) or not abs(number) <= 1e15:
            raise InvalidInput(
                f"weights[{key!r}] = {value!r} is not allowed: it must be a number of at most 1e15 "
                "in size"
            )
        weights[key] = float(number)
    return weights


def _kept(before: Snapshot, now: Snapshot, failed: Bools) -> Snapshot:
    """The state now, with the robots whose step failed as they were before."""

    def kept(old: Floats, new: Floats) -> Floats:
        return np.where(failed.reshape(-1, *[1] * (new.ndim - 1)), old, new)

    seen = {name: kept(old, getattr(now.seen, name)) for name, old in vars(before.seen).items()}
    return replace(
        now,
        seen=Observation(**seen),
        work=kept(before.work, now.work),
    )
