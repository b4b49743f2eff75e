"""Many robots as one Gymnasium vector environment, stepped in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from serpenoid.checks import as_numbers, as_table, plain, whole_number
from serpenoid.engine.trajectory import Trajectory
from serpenoid.envs.environment import Actions, as_seed, frame_rate, spaces
from serpenoid.envs.rendering import MODES, WIDTH, Screen, as_mode, as_size
from serpenoid.envs.snapshot import Bools
from serpenoid.envs.task_batch import Singles, StepOutcome, TaskBatch
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.memory import check_memory

# Random numbers and their seed.
Seeded = tuple[np.random.Generator, int]
# What the smallest robot of a task takes, B.
_ROBOT = 100_000


class SerpenoidVectorEnv(VectorEnv[Singles, Actions, npt.NDArray[Any]]):
    """Many robots with episodes of their own, like `SyncVectorEnv` of `SerpenoidEnv`.

    A robot whose episode has ended starts a new one in the next step, which ignores its action
    (AutoresetMode.NEXT_STEP).

    Args:
        task: Name of the task, 'Crawl-v0' and so on.
        num_envs: Number of robots.
        max_episode_steps: Number of control periods after which an episode is truncated.
        render_mode: 'rgb_array' or 'human'; no rendering if not given.
        width: Width of pictures, pixels.
        height: Height of pictures, pixels; 0.6 times the width if None.
        threads: Number of threads; all cores if None.
        **options: Options of `SerpenoidEnv`.

    Raises:
        InvalidInput: The task or an option is not known, or a value is not allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": MODES,
        "render_fps": 20,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        width: int = WIDTH,
        height: int | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self.num_envs = whole_number("num_envs", num_envs)
        check_memory(self.num_envs * _ROBOT, f"num_envs = {self.num_envs}")
        self._most, most = np.inf, None
        if max_episode_steps is not None:
            self._most = most = whole_number("max_episode_steps", max_episode_steps)
        self.render_mode, size = as_mode(render_mode), as_size(width, height)
        also = ("render_mode", "width", "height", "max_episode_steps", "threads")
        self.task_batch = TaskBatch(task, self.num_envs, threads, options, also, most)
        self.metadata = self.metadata | {"render_fps": frame_rate(self.task_batch)}
        self.single_observation_space, self.single_action_space = spaces(self.task_batch)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._screen = Screen(self.task_batch, self.render_mode, size)
        self._randoms: list[Seeded | None] = [None] * self.num_envs
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._ended: Bools = np.zeros(self.num_envs, np.bool_)
        self._set_out: Bools = np.zeros(self.num_envs, np.bool_)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random numbers of each robot."""
        return tuple(random for random, _ in self._all_random())

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """Seeds of the random numbers of each robot."""
        return tuple(seed for _, seed in self._all_random())

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Singles, dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: Seed of the first robot, where robot i has seed + i, or a list with one for each
                robot; None continues with the present random numbers.
            options: `reset_mask`, (num_envs,), the robots to reset; all if not given.

        Returns:
            The observations and an empty info.

        Raises:
            InvalidInput: A seed or an option is not allowed.
        """
        given = as_table("options", options, ("reset_mask",), "reset has no option")
        mask = self._mask(given.get("reset_mask"))
        self._begin(mask, self._seeds(seed))
        self._screen.show()
        return self.task_batch.observation(), {}

    def step(self, actions: Actions) -> tuple[Singles, Floats, Bools, Bools, dict[str, Any]]:
        """Simulate one control period; robots whose episodes have ended begin new ones instead.

        Args:
            actions: Numbers from -1 to 1, (num_envs, size); values beyond are cut off.

        Returns:
            Observations, (num_envs, size), rewards, whether each episode is terminated, whether it
            is truncated, (num_envs,) each, and infos.

        Raises:
            InvalidInput: The actions have the wrong shape, or a robot was not reset.
        """
        if not self._set_out.all():
            raise InvalidInput(
                "step is not allowed before all robots have been reset, nor after one that was "
                "interrupted"
            )
        numbers = as_numbers("actions", actions, (self.num_envs, self.task_batch.action.size))
        # Not to be stepped on from where Ctrl-C may stop it.
        self._set_out[:] = False
        outcome = self.task_batch.step(numbers)
        live = ~self._ended
        self._elapsed += 1
        failed = np.zeros(self.num_envs, np.bool_)
        failed[list(outcome.failed)] = True
        terminated = outcome.terminated & live
        truncated = ((self._elapsed >= self._most) | failed) & live
        infos = _infos(outcome, live)
        if self._ended.any():
            self._begin(self._ended, [None] * self.num_envs)
        self._ended = terminated | truncated
        self._set_out[:] = True
        self._screen.show()
        reward = np.where(live, outcome.reward, 0.0)
        return self.task_batch.observation(), reward, terminated, truncated, infos

    def trajectory(self, index: int | None = None) -> Trajectory:
        """The episode of a robot so far as a trajectory: columns, ledger, figures and player.

        That of an episode that has ended is there until the next step, which begins another one.

        Args:
            index: Number of the robot; may be left out if there is only one.

        Returns:
            The trajectory.

        Raises:
            InvalidInput: There is no such robot, or the environment was made without record=True.
        """
        if index is None:
            if self.num_envs > 1:
                raise InvalidInput(
                    f"trajectory needs the number of a robot, 0 to {self.num_envs - 1}"
                )
            index = 0
        return self.task_batch.trajectory(index)

    def render(self) -> tuple[Any, ...] | None:
        """Draw the present states, with render_mode 'rgb_array'.

        Returns:
            A picture of each robot, (height, width, 3) each, or None with another mode.
        """
        frames = tuple(self.picture(b) for b in range(self.num_envs))
        return frames if self.render_mode == "rgb_array" else None

    def picture(self, index: int) -> Any:
        """Draw the present state of a robot, with render_mode 'rgb_array'.

        Args:
            index: Number of the robot.

        Returns:
            The picture, (height, width, 3), or None with another mode.
        """
        return self._screen.render(index)

    def close_extras(self, **_: Any) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def _begin(self, mask: Bools, seeds: list[int | None]) -> None:
        """Begin new episodes of some robots, with new random numbers where there is a seed."""
        which = np.flatnonzero(mask).tolist()
        randoms = [self._random(b, seeds[b]) for b in which]
        drawn = self.task_batch.drawn(which, [random for random, _ in randoms])
        self._set_out[which] = False
        self.task_batch.set_out(drawn)
        for b, own in zip(which, randoms, strict=True):
            self._randoms[b] = own
        self._elapsed[which], self._ended[which], self._set_out[which] = 0, False, True

    def _random(self, b: int, seed: int | None = None) -> Seeded:
        """New random numbers for a robot, or those it has if there is no seed."""
        own = self._randoms[b]
        return seeding.np_random(seed) if own is None or seed is not None else own

    def _all_random(self) -> list[Seeded]:
        randoms = [self._random(b) for b in range(self.num_envs)]
        self._randoms = list(randoms)
        return randoms

    def _seeds(self, seed: Any) -> list[int | None]:
        """A seed for each robot."""
        given = list(seed) if isinstance(seed, range | tuple) else plain(seed)
        if not isinstance(given, list):
            first = as_seed("seed", given)
            return [None if first is None else first + b for b in range(self.num_envs)]
        if len(given) != self.num_envs:
            raise InvalidInput(
                f"seed has {len(given)} entries, but there are {self.num_envs} environments"
            )
        return [as_seed(f"seed[{b}]", own) for b, own in enumerate(given)]

    def _mask(self, given: Any) -> Bools:
        if given is None:
            return np.ones(self.num_envs, np.bool_)
        try:
            mask = np.asarray(given)
        except ValueError:  # rows of different lengths
            mask = np.zeros(0)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise InvalidInput(
                f"reset_mask is not allowed: it must be {self.num_envs} booleans, one of them True"
            )
        return mask


def _infos(outcome: StepOutcome, live: Bools) -> dict[str, Any]:
    """Infos as Gymnasium gathers those of single environments: values, and who has them."""
    infos: dict[str, Any] = {}
    if live.any():
        for name, value in outcome.terms.items():
            infos[f"reward_{name}"] = np.where(live, value, 0.0)
            infos[f"_reward_{name}"] = live.copy()
    reasons = {b: why for b, why in outcome.failed.items() if live[b]}
    if reasons:
        infos["failed"] = np.full(len(live), None, object)
        infos["_failed"] = np.zeros(len(live), np.bool_)
        for b, why in reasons.items():
            infos["failed"][b], infos["_failed"][b] = why, True
    return infos
