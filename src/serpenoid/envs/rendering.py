"""Pictures of the robots of an environment."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from serpenoid.control.feedback import Heading
from serpenoid.control.paths import Waypoints
from serpenoid.engine.trajectory import Trajectory
from serpenoid.envs.task_batch import Herd
from serpenoid.plots.gif.pen import FINE
from serpenoid.plots.gif.stage import Stage
from serpenoid.plots.window import Window
from serpenoid.scenario.scenario import Scenario
from serpenoid.spec import one_of

Pixels = npt.NDArray[np.uint8]

MODES = ["rgb_array", "human"]
_WIDTH = 600


def as_mode(mode: Any) -> str | None:
    """How to render, or None."""
    return None if mode is None else one_of("render_mode", mode, MODES)


class Screen:
    """Where the robots of a herd are shown: in arrays, or the first of them in a window."""

    def __init__(self, herd: Herd, mode: str | None) -> None:
        self._herd, self._mode = herd, mode
        self._window = Window("serpenoid", herd.period) if mode == "human" else None

    def __reduce__(self) -> tuple[type[Screen], tuple[Herd, str | None]]:
        """A copy has a window of its own."""
        return Screen, (self._herd, self._mode)

    def show(self) -> None:
        """Bring the window up to date, if there is one."""
        if self._window is not None:
            self._window.show(picture(self._herd, 0))

    def render(self, robot: int) -> Pixels | None:
        """The picture of a robot, with mode 'rgb_array'."""
        return picture(self._herd, robot) if self._mode == "rgb_array" else None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


def picture(herd: Herd, robot: int) -> Pixels:
    """The surroundings of a robot at the moment, (height, width, 3)."""
    pixels: Pixels = np.array(Stage(_row(herd, robot), _WIDTH, live=True).draw(0).reduce(FINE))
    return pixels


def _row(herd: Herd, b: int) -> Trajectory:
    """The snapshot as a run of a single row, which is what is drawn."""
    seen, scene, state = herd.now.seen, herd.scenes[b], herd.batch.state(b)
    columns: dict[str, Any] = {
        name: getattr(seen, name)[b : b + 1] for name in ("x", "y", "theta", "contact_force")
    }
    columns |= {"time": seen.time[b : b + 1], "sticking": state.sticking[None]}
    for k, name in enumerate(("x", "y", "theta")):
        columns[f"load_{name}"] = seen.load_pose[b : b + 1, :, k]
    columns["load_force"] = np.zeros((1, len(state.load), 2))
    acceptance = herd.task.goal.acceptance if herd.task.goal else 0.0
    scenario = _with_goals(herd.scenarios[b], scene.goals, acceptance)
    begun: Any = scenario.world.loads[0] if scenario.world.loads else scene.start
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
