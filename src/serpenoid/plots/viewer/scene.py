"""What the viewer and the GIF share: the extent of a run, its waypoints, the length of arrows."""

from __future__ import annotations

from typing import Any

import numpy as np

from serpenoid.analysis.following import find_path
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot
from serpenoid.plots.shapes import link_tracks, load_tracks, path_corners


def waypoints(run: Trajectory) -> list[tuple[float, float]]:
    """The points the controller steers to, m; none if it has none.

    They are those of its path, or the attribute `waypoints` of a user's own controller.
    """
    path = find_path(run)
    if path is not None:
        points: Any = () if path.endless else path.corners[1:]
    else:
        points = getattr(run.scenario.controller, "waypoints", None)
    return [(float(x), float(y)) for x, y in (() if points is None else points)]


def guidance(run: Trajectory) -> dict[str, Any]:
    """Waypoints, the circles around them and the legs between them, in plain numbers, m."""
    path = find_path(run)
    return {
        "waypoints": waypoints(run),
        "acceptance": path.acceptance if path else 0.0,
        "legs": path_corners(run, path).tolist() if path else [],
    }


def extent(run: Trajectory) -> tuple[float, float, float, float]:
    """Box (xmin, ymin, xmax, ymax) around the paths of robot and loads, and the waypoints, m.

    It leaves room for the robot's own width on all sides, where the next obstacles may be.
    """
    path = find_path(run)
    parts = [
        (
            link_tracks(run),
            [link.straight_length / 2 + 3 * link.radius for link in run.robot.links],
        ),
        (load_tracks(run), [load.reach for load in run.world.loads]),
        (np.reshape(waypoints(run), (1, -1, 2)), [path.acceptance if path else 0.0]),
    ]
    low, high = (
        np.concatenate([(at + side * np.array(room)[:, None]).reshape(-1, 2) for at, room in parts])
        for side in (-1, 1)
    )
    (left, bottom), (right, top) = low.min(axis=0), high.max(axis=0)
    return float(left), float(bottom), float(right), float(top)


def contact_reach(run: Trajectory) -> float:
    """Length of a contact arrow, m/N: a large force reaches well out of the body."""
    robot = run.robot
    width = 2 * max(link.radius for link in robot.links)
    large = max(2.5 * width, min(0.2 * robot.length, 3 * _mean_length(robot)))
    return large / _large_force(run, "contact_force", "load_force")


def friction_reach(run: Trajectory) -> float:
    """Length of a friction arrow, m/N: a large force is about as long as a link.

    Friction of terrain belongs to its normal force, and is drawn to the same scale.
    """
    if run.world.terrain is not None:
        return contact_reach(run)
    return _mean_length(run.robot) / _large_force(run, "friction_force", "load_friction")


def _mean_length(robot: Robot) -> float:
    return robot.length / len(robot.links)


def _large_force(run: Trajectory, *names: str) -> float:
    """95th percentile of the forces that act, N; impacts, which are far larger, are above it."""
    forces = [run.columns[name].reshape(-1, 2) for name in names if name in run.columns]
    size: Floats = np.hypot(*np.concatenate(forces).T)
    acting = size[size > 1e-9]
    return float(np.quantile(acting, 0.95)) if len(acting) else 1.0
