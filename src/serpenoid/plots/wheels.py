"""Drawing wheels to scale: one on each side of a link's middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from serpenoid.engine.trajectory import Floats, Trajectory
from serpenoid.model.robot import Link, Robot
from serpenoid.plots.style import RGB

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Parts of a link's radius: distance of a wheel from the link's axis, half its length and width.
TRACK, LENGTH, WIDTH = 0.75, 0.9, 0.28
# Part of a short link's length that half a wheel takes at most.
LONGEST = 0.3


def wheel_size(link: Link) -> tuple[float, float, float]:
    """Distance of a link's wheels from its axis, half their length, half their width, m."""
    length = min(LENGTH * link.radius, LONGEST * link.length)
    return TRACK * link.radius, length, WIDTH * link.radius


def wheel_pair(link: Link, centre: Floats, theta: float) -> Floats:
    """Corners of the wheels on the left and the right of a link.

    Args:
        link: The link.
        centre: Centre of the link, (2,), m.
        theta: Angle of the link, rad.

    Returns:
        Corners, (2, 4, 2), m.
    """
    aside, length, width = wheel_size(link)
    ahead = np.array([np.cos(theta), np.sin(theta)])
    left = np.array([-ahead[1], ahead[0]])
    corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) @ [length * ahead, width * left]
    return np.array([centre + side * aside * left + corners for side in (1, -1)])


def wheels(run: Trajectory, row: int, *, lifted: bool) -> Floats:
    """Corners of wheels in one row.

    Args:
        run: The run.
        row: Number of the row.
        lifted: Whether to return the wheels that are lifted, or those that are not.

    Returns:
        Corners, (k, 4, 2), m.
    """
    x, y, theta = (run.columns[name][row] for name in ("x", "y", "theta"))
    pairs = [
        wheel_pair(link, np.array([x[i], y[i]]), theta[i])
        for i, link in enumerate(run.robot.links)
        if link.wheels is not None and link.wheels.lifted == lifted
    ]
    return np.concatenate([np.empty((0, 4, 2)), *pairs])


def holding_words(robot: Robot) -> str:
    """Name of the state of a link that the ground holds, by whether the robot has wheels down."""
    rolling = any(link.wheels is not None and not link.wheels.lifted for link in robot.links)
    return "sticks or rolls" if rolling else "sticks"


def draw_wheels(ax: Axes, run: Trajectory, row: int, colour: RGB, zorder: float) -> None:
    """Draw the wheels in one row, without changing the limits of the axes; lifted ones hollow."""
    from matplotlib.collections import PolyCollection

    for lifted in (False, True):
        corners = list(wheels(run, row, lifted=lifted))
        if corners:
            face = "white" if lifted else colour
            look = PolyCollection(corners, facecolors=[face], edgecolors=[colour], lw=0.5)
            look.set_zorder(zorder)
            ax.add_collection(look, autolim=False)
