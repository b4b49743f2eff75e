"""Drawing to scale: the world, the path to follow, the robot's outline and the forces on it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.following import Path
from serpenoid.engine.trajectory import Trajectory
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.plots.load_figures import load_tracks
from serpenoid.plots.style import BLUE, GREY, INK, PURPLE, RGB, VERMILION, shade, tint
from serpenoid.plots.wheels import draw_wheels

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

# Forces below this part of the largest one would be arrows without a shaft.
_SHORTEST_ARROW = 0.1
_ARROW: dict[str, Any] = {
    "arrowstyle": "-|>,head_width=0.25,head_length=0.5",
    "shrinkA": 0,
    "shrinkB": 0,
}
GROUND: dict[str, Any] = {"facecolor": "#F3EFE4", "edgecolor": "#C9BE9F", "linewidth": 0.5}
_CAP_POINTS = 32


def outlines(run: Trajectory, row: int) -> Floats:
    """Capsule outlines of all links in one row, (links, points, 2), m."""
    return capsules(run.robot, *(run.columns[name][row] for name in ("x", "y", "theta")))


def capsules(robot: Robot, x: Floats, y: Floats, theta: Floats) -> Floats:
    """Capsule outlines of all links by their centres, m, and angles, rad, (links, points, 2), m."""
    half = np.array([[link.straight_length / 2] for link in robot.links])
    radius = np.array([[link.radius] for link in robot.links])
    cap = np.linspace(-np.pi / 2, np.pi / 2, _CAP_POINTS)
    ahead = np.repeat([1.0, -1.0], _CAP_POINTS)
    around = np.concatenate([cap, cap + np.pi])
    along, across = half * ahead + radius * np.cos(around), radius * np.sin(around)
    x, y, theta = (column[:, None] for column in (x, y, theta))
    cos, sin = np.cos(theta), np.sin(theta)
    return np.stack([x + cos * along - sin * across, y + sin * along + cos * across], axis=-1)


def backbone(run: Trajectory, row: int) -> Floats:
    """Tail end, hinges and head end in one row, (links + 1, 2), m."""
    half = np.array([link.length / 2 for link in run.robot.links])
    x, y, theta = (run.columns[name][row] for name in ("x", "y", "theta"))
    reach = half[:, None] * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    centre = np.stack([x, y], axis=1)
    return np.concatenate([centre - reach, centre[-1:] + reach[-1:]])


def obstacle_points(world: World) -> Floats:
    """Points around every peg and along every wall, (k, 2), m."""
    around = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    circle = np.stack([np.cos(around), np.sin(around)], axis=1)
    points = [np.array([[peg.x, peg.y]]) + peg.radius * circle for peg in world.pegs]
    along = np.linspace(0, 1, 50)[:, None]
    points += [
        (1 - along) * np.array(a) + along * np.array(b)
        for wall in world.walls
        for a, b in itertools.pairwise(wall.points)
    ]
    return np.concatenate([np.empty((0, 2)), *points])


def terrain_line(world: World, reach: float = 1e3) -> Floats:
    """Points of the terrain and `reach` m beyond both ends, (k, 2), m; none without a terrain."""
    if world.terrain is None:
        return np.empty((0, 2))
    line, beyond = world.terrain.polyline(), np.array([[reach, 0.0]])
    return np.concatenate([line[:1] - beyond, line, line[-1:] + beyond])


def draw_world(ax: Axes, world: World) -> None:
    """Patches, terrain, walls and pegs, to scale, without changing the limits of the axes."""
    from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
    from matplotlib.patches import Circle, Rectangle

    if world.terrain is not None:
        line = terrain_line(world)
        deep = line[::-1] * (1, 0) + (0, line[:, 1].min() - 1e3)
        soil = PolyCollection([np.concatenate([line, deep])], fc=GROUND["facecolor"], zorder=0.5)
        ax.add_collection(soil, autolim=False)
        surface = LineCollection([line], colors=INK, lw=1.0, zorder=2)
        ax.add_collection(surface, autolim=False)

    if world.patches:
        rectangles = [
            Rectangle(
                (patch.x - patch.width / 2, patch.y - patch.height / 2),
                patch.width,
                patch.height,
                angle=patch.angle_deg,
                rotation_point="center",
            )
            for patch in world.patches
        ]
        ground = PatchCollection(rectangles, **GROUND, zorder=0.5)
        ax.add_collection(ground, autolim=False)
    if world.walls:
        walls = LineCollection([wall.points for wall in world.walls], colors=INK, lw=1.2, zorder=2)
        ax.add_collection(walls, autolim=False)
    if world.pegs:
        circles = [Circle((peg.x, peg.y), peg.radius) for peg in world.pegs]
        pegs = PatchCollection(circles, fc=GREY, ec=INK, lw=0.5, zorder=2)
        ax.add_collection(pegs, autolim=False)


def path_corners(run: Trajectory, path: Path) -> Floats:
    """Ends of the legs of a path, (k, 2), m; an endless path is cut off ahead of the robot."""
    if not path.endless:
        return path.corners
    begin, far = path.corners
    ahead = (far - begin) / np.hypot(*(far - begin))
    reach = float(((run.centre_of_mass() - begin) @ ahead).max()) + run.robot.length
    return np.array([begin, begin + max(reach, run.robot.length) * ahead])


def path_points(run: Trajectory, path: Path) -> Floats:
    """Points along the legs of a path and around its acceptance circles, (k, 2), m."""
    corners = path_corners(run, path)
    along = np.linspace(0, 1, 100)[:, None]
    legs = [(1 - along) * a + along * b for a, b in itertools.pairwise(corners)]
    around = np.linspace(0, 2 * np.pi, 60)
    circle = path.acceptance * np.stack([np.cos(around), np.sin(around)], axis=1)
    return np.concatenate([*legs, *(end + circle for end in corners[1:])])


def draw_path(ax: Axes, run: Trajectory, path: Path) -> list[Artist]:
    """Draw legs, waypoints and acceptance circles, without changing the limits of the axes.

    Returns:
        Entries for a legend.
    """
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle

    corners = path_corners(run, path)
    legs = LineCollection([corners], colors=INK, lw=0.9, ls=":", zorder=5, label="path to follow")
    ax.add_collection(legs, autolim=False)
    handles: list[Artist] = [Line2D([], [], color=INK, lw=0.9, ls=":", label="path to follow")]
    if path.endless:
        return handles
    if path.acceptance > 0:
        circles = [Circle((x, y), path.acceptance) for x, y in corners[1:]]
        edge: dict[str, Any] = {"ec": PURPLE, "lw": 0.7, "ls": "--"}
        ax.add_collection(PatchCollection(circles, fc="none", zorder=5, **edge), autolim=False)
    look: dict[str, Any] = {"ls": "", "marker": "s", "ms": 4, "color": INK, "label": "waypoints"}
    ax.add_line(Line2D(*corners[1:].T, zorder=7, **look))
    handles.append(Line2D([], [], **look))
    return handles


def draw_body(
    ax: Axes, run: Trajectory, row: int, *, pale: float = 0.0, zorder: float = 3.0
) -> None:
    """Draw the robot in one row: outline, dots for hinges, the head filled, wheels if it has any.

    Args:
        ax: Axes to draw on.
        run: The run.
        row: Number of the row.
        pale: Share of white in the colours, 0 to 1.
        zorder: Matplotlib's drawing order.
    """
    shapes, spine = outlines(run, row), backbone(run, row)
    draw_links(ax, run.robot, shapes, spine, tint(BLUE, pale), zorder)
    draw_wheels(ax, run, row, tint(shade(BLUE), pale), zorder)


def draw_links(
    ax: Axes, robot: Robot, shapes: Floats, spine: Floats, colour: RGB, zorder: float = 3.0
) -> None:
    """Draw links by their outlines and the hinges between them.

    Args:
        ax: Axes to draw on.
        robot: The robot.
        shapes: Outlines of the links, (links, points, 2), m.
        spine: Tail end, hinges and head end, (links + 1, 2), m.
        colour: Colour of edges, hinges and head; the other links are filled with a lighter one.
        zorder: Matplotlib's drawing order.
    """
    from matplotlib.collections import PatchCollection, PolyCollection
    from matplotlib.patches import Circle

    shape = list(shapes)
    ax.plot(*spine.T, color=colour, lw=0.8, zorder=zorder)
    # Fills without edges over edges without fills leave of the edges what is outside all links.
    edges = PolyCollection(shape, facecolors="none", edgecolors=colour, lw=1.2, zorder=zorder)
    faces = [tint(colour, 0.8)] * (len(shape) - 1) + [colour]
    fills = PolyCollection(shape, facecolors=faces, edgecolors="none", zorder=zorder)
    radius = 0.15 * min(link.radius for link in robot.links)
    dots = [Circle(tuple(hinge), radius) for hinge in spine[1:-1]]
    hinges = PatchCollection(dots, facecolors=colour, edgecolors="none", zorder=zorder)
    for collection in (edges, fills, hinges):
        ax.add_collection(collection, autolim=False)


@dataclass(frozen=True)
class Arrows:
    """Contact forces as arrows from the centres of links and loads.

    Attributes:
        bases: Where arrows begin, (k, 2), m.
        tips: Where they end, (k, 2), m.
        scale: Length of an arrow by its force, m/N.
        largest: Largest force, N.
    """

    bases: Floats
    tips: Floats
    scale: float
    largest: float

    def points(self) -> Floats:
        """Points along all arrows, (k, 2), m."""
        steps = np.linspace(0, 1, 10)[:, None, None]
        along: Floats = (1 - steps) * self.bases + steps * self.tips
        return along.reshape(-1, 2)


def arrows(run: Trajectory, rows: list[int], longest: float) -> Arrows:
    """Contact forces in some rows, the largest one `longest` m long, without very small ones."""
    force = run.columns["contact_force"][rows].reshape(-1, 2)
    centre = np.stack([run.columns["x"][rows], run.columns["y"][rows]], axis=-1).reshape(-1, 2)
    if run.world.loads:
        force = np.concatenate([force, run.columns["load_force"][rows].reshape(-1, 2)])
        centre = np.concatenate([centre, load_tracks(run)[rows].reshape(-1, 2)])
    size = np.hypot(*force.T)
    largest = float(size.max())
    shown = size > _SHORTEST_ARROW * largest
    scale = longest / largest if largest > 0 else 0.0
    bases: Floats = centre[shown]
    return Arrows(bases, bases + scale * force[shown], scale, largest)


def draw_arrows(ax: Axes, forces: Arrows) -> None:
    """Forces as arrows, with one of round size above the axes as their scale."""
    for base, tip in zip(forces.bases, forces.tips, strict=True):
        ax.annotate(
            "",
            xy=tuple(tip),
            xytext=tuple(base),
            annotation_clip=False,
            arrowprops={**_ARROW, "color": VERMILION, "lw": 0.9, "mutation_scale": 8},
            zorder=8,
        )
    if len(forces.tips):
        _draw_scale(ax, forces)


def _draw_scale(ax: Axes, forces: Arrows) -> None:
    from matplotlib.offsetbox import AnchoredOffsetbox, AuxTransformBox, HPacker, TextArea
    from matplotlib.patches import FancyArrowPatch

    size = round_below(forces.largest)
    sample = FancyArrowPatch(
        (0.0, 0.0), (size * forces.scale, 0.0), **_ARROW, color=VERMILION, lw=0.9, mutation_scale=8
    )
    length = AuxTransformBox(ax.transData)  # so that the sample is as long as the arrows are
    length.add_artist(sample)
    words = TextArea(f"{size:g} N", textprops={"size": "small"})
    entry = HPacker(children=[length, words], align="center", pad=0, sep=3)
    ax.add_artist(
        AnchoredOffsetbox(
            loc="lower right",
            child=entry,
            pad=0.0,
            borderpad=0.4,
            frameon=False,
            bbox_to_anchor=(1.0, 1.0),
            bbox_transform=ax.transAxes,
        )
    )


def round_below(value: float) -> float:
    """The largest of 1, 2, 5, 10, 20, ... that is not above a positive value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-9))
