"""Text on and beside the robot, placed where it covers little of the figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots.shapes import backbone, obstacle_points, outlines, points_inside
from serpenoid.plots.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIRECTIONS = 16
_STRIDES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def write_times(ax: Axes, run: Trajectory, rows: list[int], drawn: Sequence[Floats]) -> None:
    """Write the time of each row's snapshot beside its head or tail, where least is covered.

    Args:
        ax: Axes to write on, with their final limits.
        run: The run.
        rows: Numbers of the rows.
        drawn: Points of what is drawn besides robot and obstacles, (k, 2) each, m.
    """
    # Some points of everything stand for all of it.
    bodies = np.concatenate([outlines(run, row)[:, ::8] for row in rows])
    sparse = [points[:: 1 + len(points) // 2000] for points in drawn]
    letter = _letter(ax, "small")
    texts = [f"t = {run.time[row]:.6g} s" for row in rows]
    centres = place(
        sizes=[(0.62 * letter * len(text), 1.3 * letter) for text in texts],
        anchors=np.array([backbone(run, row)[[-1, 0]] for row in rows]),
        gap=max(link.radius for link in run.robot.links) + 0.3 * letter,
        taken=np.concatenate([points_inside(bodies), *sparse, obstacle_points(run.world)]),
        view=np.transpose([ax.get_xlim(), ax.get_ylim()]),
    )
    for text, (x, y) in zip(texts, centres, strict=True):
        # Where pegs are dense, no place is free.
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        ax.text(x, y, text, ha="center", va="center", size="small", bbox=paper, zorder=9)


def link_words(run: Trajectory, number: object) -> list[str]:
    """Text to write on each link.

    Args:
        run: The run.
        number: True for the link's number, False for no text, or a list with a label for each link.

    Raises:
        InvalidInput: `number` is none of these.
    """
    count = len(run.robot.links)
    if isinstance(number, bool):
        return [str(i) if number else "" for i in range(count)]
    if isinstance(number, list | tuple | np.ndarray) and len(number) == count:
        return [str(word) for word in number]
    raise InvalidInput(
        f"number = {number!r} is not allowed: it must be True, False or a list of {count} labels"
    )


def write_on_links(ax: Axes, run: Trajectory, row: int, words: list[str], every: int) -> None:
    """Write text on links, or beside them if they are too thin.

    Args:
        ax: Axes to write on, with their final limits.
        run: The run.
        row: Number of the row.
        words: Text of each link.
        every: Stride from one link with text to the next.
    """
    links, letter = run.robot.links, _letter(ax, "x-small")
    for i in range(0, len(links), every):
        x, y, theta = (run.columns[name][row, i] for name in ("x", "y", "theta"))
        force, radius = run.columns["contact_force"][row, i], links[i].radius
        inside = letter < 1.6 * radius
        if inside:  # and not under the shaft of an arrow
            aside = -0.5 * radius * force / max(float(np.hypot(*force)), 1e-300)
        else:
            aside = (radius + 0.7 * letter) * np.array([-np.sin(theta), np.cos(theta)])
        colour = "white" if inside and i == len(links) - 1 else INK
        x, y = x + aside[0], y + aside[1]
        ax.text(x, y, words[i], ha="center", va="center", size="x-small", color=colour, zorder=9)


def room_for_words(ax: Axes, run: Trajectory) -> int:
    """Least stride between numbered links that leaves room for the numbers."""
    room = 1.6 * _letter(ax, "x-small") * len(run.robot.links) / run.robot.length
    return next((stride for stride in _STRIDES if stride >= room), len(run.robot.links))


def place(
    sizes: Sequence[tuple[float, float]], anchors: Floats, gap: float, taken: Floats, view: Floats
) -> list[Floats]:
    """Place texts one after the other where each covers least.

    Args:
        sizes: Width and height of each text, m.
        anchors: Points each text may stand beside, the best one first, (texts, choices, 2), m.
        gap: Distance from the anchor to the text, m.
        taken: Points not to cover, (k, 2), m.
        view: Lower left and upper right corner of the visible region, (2, 2), m.

    Returns:
        Centre of each text, (2,) each, m.
    """
    angles = np.pi / 2 + 2 * np.pi * np.arange(_DIRECTIONS) / _DIRECTIONS
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    placed: list[Floats] = []
    for k, size in enumerate(sizes):
        half = np.array(size) / 2
        steps = (gap + np.abs(directions) @ half)[:, None] * directions
        centres = (anchors[k][:, None] + steps).reshape(-1, 2)
        # Order breaks ties: beside the first anchor, and above it, is best.
        cost = 1e-3 * np.arange(len(centres))
        cost += (np.abs(taken - centres[:, None]) < half).all(axis=2).sum(axis=1)
        cost += 1e3 * ((centres - half < view[0]) | (centres + half > view[1])).any(axis=1)
        for other, centre in enumerate(placed):
            apart = half + np.array(sizes[other]) / 2
            cost += 1e3 * (np.abs(centres - centre) < apart).all(axis=1)
        if len(anchors) > 1:
            # Not clearly nearer to its own anchors, it would be read as another's.
            rest = np.delete(anchors, k, axis=0).reshape(-1, 2)
            cost += 10 * (_distance(centres, rest) < 1.5 * _distance(centres, anchors[k]))
        placed.append(centres[int(cost.argmin())])
    return placed


def _distance(centres: Floats, points: Floats) -> Floats:
    """Distance from each centre to the nearest of some points, m."""
    nearest: Floats = np.linalg.norm(centres[:, None] - points, axis=2).min(axis=1)
    return nearest


def _letter(ax: Axes, size: str) -> float:
    """Height of a letter in the plane, m; roughly, for the axes are not laid out yet."""
    from matplotlib.font_manager import FontProperties

    box, dpi = ax.get_window_extent(), ax.figure.dpi
    inches = np.array([box.width, box.height]) / dpi
    metres = np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1)
    height: float = FontProperties(size=size).get_size_in_points() / 72 * max(metres / inches)
    return height
