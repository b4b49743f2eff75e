"""One robot as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box

from serpenoid.checks import as_numbers, as_table, whole_number
from serpenoid.engine.trajectory import Trajectory
from serpenoid.envs.rendering import MODES, WIDTH, Screen, as_mode, as_size
from serpenoid.envs.task_batch import Singles, TaskBatch
from serpenoid.errors import InvalidInput

Actions = npt.NDArray[np.float32]


def spaces(task_batch: TaskBatch) -> tuple[Any, Any]:
    """Observation space and action space of one robot."""
    size = (task_batch.action.size,)
    return Box(-task_batch.bound, task_batch.bound, dtype=np.float32), Box(
        -1.0, 1.0, size, np.float32
    )


def frame_rate(task_batch: TaskBatch) -> int:
    """Pictures per second, one for each control period; at least 1, which players need."""
    return max(1, round(1 / task_batch.period))


def as_seed(name: str, seed: Any) -> int | None:
    """Check a seed of random numbers; None continues with the present ones."""
    return None if seed is None else whole_number(name, seed, least=0)


class SerpenoidEnv(gymnasium.Env[Singles, Actions]):
    """An environment with one robot; `serpenoid.envs` registers it as serpenoid/Crawl-v0 and so on.

    Args:
        task: Name of the task, 'Crawl-v0' and so on.
        render_mode: 'rgb_array' or 'human'; no rendering if not given.
        width: Width of pictures, pixels.
        height: Height of pictures, pixels; 0.6 times the width if None.
        **options: `scenario`, a `Scenario`, a file or a name of the gallery, in place of the task's
            own; `robot`, a `Robot` or a name, and `world`, a `World`, in place of parts of it;
            `action`, one of 'joint_targets', 'joint_torques', 'gait' and 'residual';
            `action_scale`, what 1 in an action stands for, degrees or N m; `randomise`, what varies
            between episodes; `weights` of the parts of the reward; `control_period`, s; `record`,
            whether `trajectory` gives episodes.

    Raises:
        InvalidInput: The task or an option is not known, or a value is not allowed.
    """

    metadata: dict[str, Any] = {"render_modes": MODES, "render_fps": 20}  # noqa: RUF012

    def __init__(
        self,
        task: str,
        *,
        render_mode: str | None = None,
        width: int = WIDTH,
        height: int | None = None,
        **options: Any,
    ) -> None:
        self.render_mode, size = as_mode(render_mode), as_size(width, height)
        self.task_batch = TaskBatch(task, 1, 1, options)
        self.observation_space, self.action_space = spaces(self.task_batch)
        self.metadata = self.metadata | {"render_fps": frame_rate(self.task_batch)}
        self._screen = Screen(self.task_batch, self.render_mode, size)
        self._set_out = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Singles, dict[str, Any]]:
        """Begin an episode; the same seed begins the same one, to the bit.

        Args:
            seed: Seed of the random numbers; None continues with the present ones.
            options: None, since there are no options.

        Returns:
            The observation and an empty info.
        """
        as_table("options", options, (), "reset has no option")
        super().reset(seed=as_seed("seed", seed))
        drawn = self.task_batch.drawn([0], [self.np_random])
        self._set_out = False
        self.task_batch.set_out(drawn)
        self._set_out = True
        self._screen.show()
        return self.task_batch.observation()[0], {}

    def step(self, action: Actions) -> tuple[Singles, float, bool, bool, dict[str, Any]]:
        """Simulate one control period.

        Args:
            action: Numbers from -1 to 1; values beyond are cut off.

        Returns:
            Observation, reward, whether the episode is terminated, whether it is truncated because
            the step failed, and the info.

        Raises:
            InvalidInput: The action has the wrong shape, or the environment was not reset.
        """
        if not self._set_out:
            raise InvalidInput("step is not allowed before reset, nor after a step that failed")
        numbers = as_numbers("action", action, (self.task_batch.action.size,))
        # Not to be stepped on from where Ctrl-C may stop it.
        self._set_out = False
        outcome = self.task_batch.step(numbers[None])
        self._set_out = not outcome.failed
        info: dict[str, Any] = {f"reward_{k}": float(v[0]) for k, v in outcome.terms.items()}
        if outcome.failed:
            info["failed"] = outcome.failed[0]
        self._screen.show()
        ends = bool(outcome.terminated[0]), bool(outcome.failed)
        return self.task_batch.observation()[0], float(outcome.reward[0]), *ends, info

    def trajectory(self) -> Trajectory:
        """The episode so far as a trajectory: columns, ledger, figures and player.

        Returns:
            The trajectory.

        Raises:
            InvalidInput: The environment was made without record=True, or was not reset.
        """
        return self.task_batch.trajectory(0)

    def render(self) -> Any:
        """Draw the present state, with render_mode 'rgb_array'.

        Returns:
            The picture, (height, width, 3), or None with another mode.
        """
        return self._screen.render(0)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()
