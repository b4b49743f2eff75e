"""One robot as a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box

from serpenoid.batch.checks import as_numbers
from serpenoid.envs.herd import Herd, Singles
from serpenoid.envs.pictures import MODES, Screen, as_mode
from serpenoid.errors import InvalidInput
from serpenoid.spec import nearest_word

Actions = npt.NDArray[np.float32]


def spaces(herd: Herd) -> tuple[Any, Any]:
    """The observation and the action space of one robot."""
    size = (herd.action.size,)
    return Box(-herd.bound, herd.bound, dtype=np.float32), Box(-1.0, 1.0, size, np.float32)


def check_options(options: Any, known: tuple[str, ...] = ()) -> None:
    """Refuse options of `reset` that mean nothing."""
    for key in options or ():
        if key not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise InvalidInput(
                f"reset has no option {key!r}{nearest_word(str(key), list(known))}; {takes}"
            )


class SerpenoidEnv(gymnasium.Env[Singles, Actions]):
    """One robot. task: 'Crawl-v0' and so on.

    options: action, 'joint_targets', 'joint_torques' or 'gait'; randomise, what to vary from one
    episode to the next; weights of the parts of the reward; control_period, s. `serpenoid.envs`
    registers it as serpenoid/Crawl-v0 and so on.
    """

    metadata: dict[str, Any] = {"render_modes": MODES, "render_fps": 20}  # noqa: RUF012

    def __init__(self, task: str, *, render_mode: str | None = None, **options: Any) -> None:
        self.render_mode = as_mode(render_mode)
        self.herd = Herd(task, 1, 1, options)
        self.observation_space, self.action_space = spaces(self.herd)
        self.metadata = self.metadata | {"render_fps": round(1 / self.herd.period)}
        self._screen = Screen(self.herd, self.render_mode)
        self._set_out = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Singles, dict[str, Any]]:
        """Begin an episode; the same seed begins the same one, to the bit."""
        super().reset(seed=seed)
        check_options(options)
        self.herd.reset([0], [self.np_random])
        self._set_out = True
        self._screen.show()
        return self.herd.observation()[0], {}

    def step(self, action: Actions) -> tuple[Singles, float, bool, bool, dict[str, Any]]:
        """Go on for a control period."""
        if not self._set_out:
            raise InvalidInput("step is not allowed before reset, nor after a step that failed")
        numbers = as_numbers("action", action, (self.herd.action.size,))
        outcome = self.herd.step(numbers[None])
        info: dict[str, Any] = {f"reward_{k}": float(v[0]) for k, v in outcome.terms.items()}
        if outcome.failed:
            info["failed"] = outcome.failed[0]
            self._set_out = False
        self._screen.show()
        ends = bool(outcome.terminated[0]), bool(outcome.failed)
        return self.herd.observation()[0], float(outcome.reward[0]), *ends, info

    def render(self) -> Any:
        """The picture of now, (height, width, 3), with render_mode 'rgb_array'."""
        return self._screen.render(0)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()
