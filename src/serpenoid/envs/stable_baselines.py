"""Many robots as a vector environment of stable-baselines3, stepped in one compiled call.

Needs `pip install stable-baselines3`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "serpenoid.envs.stable_baselines needs stable-baselines3: pip install stable-baselines3",
        name="stable_baselines3",
    ) from error

from serpenoid.checks import as_table
from serpenoid.engine.trajectory import Trajectory
from serpenoid.envs.environment import Actions
from serpenoid.envs.snapshot import Bools
from serpenoid.envs.tasks import TASKS
from serpenoid.envs.vector import SerpenoidVectorEnv

Infos = list[dict[str, Any]]


class MemberEnvironment:
    """One robot of a vector environment, with the attributes of a single environment.

    Args:
        vector: The environment of all robots.
        index: Number of the robot.
    """

    def __init__(self, vector: SerpenoidVectorEnv, index: int) -> None:
        self._vector, self._index = vector, index
        self.render_mode, self.metadata = vector.render_mode, vector.metadata
        self.observation_space = vector.single_observation_space
        self.action_space = vector.single_action_space

    @property
    def np_random(self) -> np.random.Generator:
        """Its random numbers."""
        return self._vector.np_random[self._index]

    @property
    def np_random_seed(self) -> int:
        """The seed of its random numbers."""
        return self._vector.np_random_seed[self._index]

    def trajectory(self) -> Trajectory:
        """Its episode so far, as `SerpenoidEnv.trajectory`."""
        return self._vector.trajectory(self._index)

    def render(self) -> Any:
        """Its picture, with render_mode 'rgb_array'."""
        return self._vector.picture(self._index)


class SerpenoidVecEnv(VecEnv):
    """Many robots with episodes of their own, as stable-baselines3 takes them.

    A robot whose episode has ended begins another one in the same step. Its info then has the last
    observation of the old one, `terminal_observation`; `TimeLimit.truncated`, whether it was only
    cut short; and its `trajectory`, if episodes are recorded.

    Args:
        task: Name of the task, 'Crawl-v0' and so on.
        num_envs: Number of robots.
        max_episode_steps: Number of control periods of an episode; those of the task if None.
        **options: Options of `SerpenoidEnv` and `SerpenoidVectorEnv`.

    Raises:
        InvalidInput: The task or an option is not known, or a value is not allowed.
    """

    def __init__(
        self,
        task: str,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> None:
        if max_episode_steps is None and task in list(TASKS):
            max_episode_steps = TASKS[task].steps
        self.vector = SerpenoidVectorEnv(
            task, num_envs, max_episode_steps=max_episode_steps, **options
        )
        self.robots = [MemberEnvironment(self.vector, b) for b in range(self.vector.num_envs)]
        spaces = self.vector.single_observation_space, self.vector.single_action_space
        super().__init__(self.vector.num_envs, *spaces)
        self.metadata = self.vector.metadata
        self._actions: Actions = np.zeros(self.vector.action_space.shape or (), np.float32)

    def reset(self) -> npt.NDArray[np.float32]:
        """Begin an episode with every robot, with the seeds that `seed` has set.

        Returns:
            The observations, (num_envs, size).
        """
        for given in self._options:
            as_table("options", given, (), "reset has no option")
        seen, _ = self.vector.reset(seed=self._seeds)
        self.reset_infos: Infos = [{} for _ in self.robots]
        self._reset_seeds()
        self._reset_options()
        return seen

    def step_async(self, actions: Actions) -> None:
        """Keep actions for `step_wait`.

        Args:
            actions: Numbers from -1 to 1, (num_envs, size).
        """
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], Bools, Infos]:
        """Simulate one control period.

        Returns:
            Observations, (num_envs, size), those of new episodes where one has ended; rewards;
            which episodes have ended; and an info for each robot.

        Raises:
            InvalidInput: The actions have the wrong shape, or `reset` was not called before.
        """
        seen, reward, terminated, truncated, infos = self.vector.step(self._actions)
        done = terminated | truncated
        each = _listed(infos, len(done))
        for info, cut in zip(each, (truncated & ~terminated).tolist(), strict=True):
            info["TimeLimit.truncated"] = cut
        for b in np.flatnonzero(done).tolist():
            each[b]["terminal_observation"] = seen[b]
            self.reset_infos[b] = {}
            if self.vector.task_batch.records:
                each[b]["trajectory"] = self.vector.trajectory(b)
        if done.any():
            seen, _ = self.vector.reset(options={"reset_mask": done})
        return seen, reward.astype(np.float32), done, each

    def close(self) -> None:
        """Close the window, if there is one."""
        self.vector.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """The present pictures, (height, width, 3) each, with render_mode 'rgb_array'."""
        if self.render_mode != "rgb_array":
            warnings.warn("there are no pictures: use render_mode='rgb_array'", stacklevel=2)
        return [robot.render() for robot in self.robots]

    def trajectory(self, index: int | None = None) -> Trajectory:
        """The episode of a robot so far, as `SerpenoidVectorEnv.trajectory`."""
        return self.vector.trajectory(index)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of robots, such as `np_random_seed`."""
        return [getattr(robot, attr_name) for robot in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of robots, which `get_attr` then gives."""
        for robot in self._chosen(indices):
            setattr(robot, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of robots, such as `trajectory`."""
        return [
            getattr(robot, method_name)(*method_args, **method_kwargs)
            for robot in self._chosen(indices)
        ]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002
        """Whether robots are in a wrapper, which none is."""
        return [False for _ in self._chosen(indices)]

    def _chosen(self, indices: Any) -> list[MemberEnvironment]:
        return [self.robots[b] for b in self._get_indices(indices)]


def _listed(infos: dict[str, Any], count: int) -> Infos:
    """Infos of a vector environment as one for each robot."""
    each: Infos = [{} for _ in range(count)]
    for name, values in infos.items():
        if f"_{name}" in infos:
            for info, value, has in zip(
                each, values.tolist(), infos[f"_{name}"].tolist(), strict=True
            ):
                if has:
                    info[name] = value
    return each
