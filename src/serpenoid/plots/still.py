"""A drawing of what has not run: a robot, a world, or a scenario in its start pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.analysis.following import find_path
from serpenoid.engine.states import first_state, link_middles
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Link, Robot
from serpenoid.model.world import World
from serpenoid.plots.body import draw_body, draw_loads, draw_path, draw_world
from serpenoid.plots.scenes import size
from serpenoid.plots.shapes import load_points, obstacle_points, outlines, path_points
from serpenoid.plots.style import TWO_COLUMNS, canvas
from serpenoid.scenario.scenario import Scenario
from serpenoid.scenario.sections import place_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A world that is larger than so many robots is shown around the robot only.
_WIDEST = 6.0


def standing(scenario: Scenario) -> Trajectory:
    """A run of one row: the robot in its start pose, with no force on anything.

    Nothing is simulated. A controller that the scenario only names is left out, and the joints are
    straight unless the start says otherwise.

    Args:
        scenario: The scenario.

    Raises:
        InvalidInput: The start does not fit the robot.
    """
    robot, world = scenario.built
    step = scenario.clock.time_step
    state = first_state(robot, world, scenario.controller, scenario.start, step)
    loads, (middles, _) = state.load, link_middles(robot, state)
    columns = {
        "time": np.zeros(1),
        "x": middles[None, :, 0],
        "y": middles[None, :, 1],
        "theta": state.theta[None],
        **{f"load_{name}": loads[None, :, k] for k, name in enumerate(("x", "y", "theta"))},
    }
    return Trajectory(columns, state, scenario, {})


def draw_still(shown: Scenario | Robot | World) -> Axes:
    """Draw a scenario in its start pose, a robot, or a world, on new Axes.

    Args:
        shown: What to draw.

    Raises:
        InvalidInput: A scenario's start does not fit its robot.
    """
    if isinstance(shown, World):
        stand_in = Robot(links=(Link(length=0.1, mass=1.0, radius=0.05),), joints=())
        return _draw(standing(_scenario(stand_in, shown)), with_robot=False)
    scenario = _scenario(shown, World()) if isinstance(shown, Robot) else shown
    return _draw(standing(scenario), with_robot=True)


def _scenario(robot: Robot, world: World) -> Scenario:
    return Scenario(robot=robot, world=place_of(world), friction=world.friction)


def _draw(run: Trajectory, with_robot: bool) -> Axes:
    goal = find_path(run) if with_robot else None
    body = [outlines(run, 0).reshape(-1, 2)] if with_robot else []
    body += [path_points(run, goal)] if goal is not None else []
    view = _view(run, np.concatenate([np.empty((0, 2)), *body]))
    with canvas(size(view, TWO_COLUMNS)) as figure:
        ax = figure.subplots()
        (left, bottom), (right, top) = view
        limits: Any = {"xlim": (left, right), "ylim": (bottom, top)}
        ax.set(aspect="equal", xlabel="x (m)", ylabel="y (m)", **limits)
        draw_world(ax, run.world)
        draw_loads(ax, run, 0, zorder=2.5)
        if with_robot:
            draw_body(ax, run, 0)
        if goal is not None:
            draw_path(ax, run, goal)
    return ax


def _view(run: Trajectory, body: Floats) -> Floats:
    """Corners of a rectangle around the robot and what stands near it, (2, 2), m."""
    world = run.world
    line = np.empty((0, 2)) if world.terrain is None else world.terrain.polyline()
    corners = [
        (patch.x + a * patch.width / 2, patch.y + b * patch.height / 2)
        for patch in world.patches
        for a, b in ((-1, -1), (1, 1))
    ]
    patches = np.reshape(corners, (-1, 2))
    things = np.concatenate([obstacle_points(world), load_points(run, [0]), patches, line])
    if len(body):
        reach = _WIDEST / 2 * run.robot.length
        near = (things > body.min(axis=0) - reach) & (things < body.max(axis=0) + reach)
        things = np.concatenate([body, things[near.all(axis=1)]])
    if not len(things):
        things = np.array([[-0.5, -0.3], [0.5, 0.3]])
    low, high = things.min(axis=0), things.max(axis=0)
    span = float((high - low).max())
    # Never so flat that the axes vanish.
    margin = np.maximum(0.05 * span, 0.12 * span - (high - low) / 2)
    return np.array([low - margin, high + margin])
