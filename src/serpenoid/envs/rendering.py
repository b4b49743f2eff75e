"""Pictures of the robots of an environment."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from serpenoid.checks import one_of, whole_number
from serpenoid.control.feedback import Heading
from serpenoid.control.paths import Waypoints
from serpenoid.engine.trajectory import Trajectory
from serpenoid.envs.task_batch import TaskBatch
from serpenoid.plots.animation import Animation, Pixels
from serpenoid.plots.window import Window
from serpenoid.scenario.scenario import Scenario

MODES = ["rgb_array", "human"]
# Width of pictures, pixels, and its ratio to their height, if not told otherwise.
WIDTH, _HIGH = 600, 0.6
# Least and largest width and height, pixels.
_LEAST, _MOST = 160, 4096


def as_mode(mode: Any) -> str | None:
    """How to render, or None."""
    return None if mode is None else one_of("render_mode", mode, MODES)


def as_size(width: Any, height: Any) -> tuple[int, int]:
    """Width and height of pictures, pixels.

    Raises:
        InvalidInput: One of them is not a whole number within the bounds.
    """
    across = whole_number("width", width, _LEAST, _MOST)
    if height is None:
        return across, max(_LEAST, round(_HIGH * across))
    return across, whole_number("height", height, _LEAST, _MOST)


class Screen:
    """Where the robots of a batch are shown: in arrays, or the first of them in a window.

    Args:
        task_batch: The robots.
        mode: How to render, of MODES, or None.
        size: Width and height of pictures, pixels.
    """

    def __init__(self, task_batch: TaskBatch, mode: str | None, size: tuple[int, int]) -> None:
        self._task_batch, self._mode, self._size = task_batch, mode, size
        self._window = Window("serpenoid", task_batch.period) if mode == "human" else None
        # Robot to its episode and the figure in which it moves.
        self._drawn: dict[int, tuple[Scenario, Animation]] = {}

    def __reduce__(self) -> tuple[type[Screen], tuple[TaskBatch, str | None, tuple[int, int]]]:
        """A copy has a window of its own."""
        return Screen, (self._task_batch, self._mode, self._size)

    def show(self) -> None:
        """Bring the window up to date, if there is one."""
        if self._window is not None:
            self._window.show(self._picture(0))

    def render(self, robot: int) -> Pixels | None:
        """The picture of a robot, with mode 'rgb_array'."""
        return self._picture(robot) if self._mode == "rgb_array" else None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _picture(self, robot: int) -> Pixels:
        """The surroundings of a robot at present, (height, width, 3)."""
        run, episode = _row(self._task_batch, robot), self._task_batch.scenarios[robot]
        if robot not in self._drawn or self._drawn[robot][0] is not episode:
            width, height = self._size
            self._drawn[robot] = episode, Animation(run, width, height, live=True)
        _, animation = self._drawn[robot]
        animation.show(run)
        return animation.picture(0)


def _row(task_batch: TaskBatch, b: int) -> Trajectory:
    """The snapshot as a run of a single row, which is what is drawn."""
    seen, state = task_batch.now.seen, task_batch.batch.state(b)
    columns: dict[str, Any] = {
        name: getattr(seen, name)[b : b + 1] for name in ("x", "y", "theta", "contact_force")
    }
    columns |= {"time": seen.time[b : b + 1], "sticking": state.sticking[None]}
    for k, name in enumerate(("x", "y", "theta")):
        columns[f"load_{name}"] = seen.load_pose[b : b + 1, :, k]
    columns["load_force"] = np.zeros((1, len(state.load), 2))
    acceptance = task_batch.task.goal.acceptance if task_batch.task.goal else 0.0
    goals = tuple((x, y) for x, y in task_batch.now.goals[b].tolist())
    scenario = _with_goals(task_batch.scenarios[b], goals, acceptance)
    begun: Any = scenario.world.loads[0] if scenario.world.loads else scenario.start
    return Trajectory(columns, state, scenario, {}, began_at=np.array([begun.x, begun.y]))


@functools.lru_cache(maxsize=64)
def _with_goals(
    scenario: Scenario, goals: tuple[tuple[float, float], ...], acceptance: float
) -> Scenario:
    """A scenario whose controller leads along the goals, which is how they are drawn."""
    if not goals:
        return scenario
    path = Waypoints(points=goals, acceptance=acceptance)
    return dataclasses.replace(scenario, controller=Heading(0.0, look_ahead=1.0, path=path))
