"""Drawing to scale: the world, the path to follow, the robot, loads and the forces on them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.analysis.following import Path
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot
from serpenoid.model.world import World
from serpenoid.plots import shapes
from serpenoid.plots.style import BLUE, GREY, INK, ORANGE, PURPLE, RGB, VERMILION, shade, tint

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection

# Forces below this part of the largest one would be arrows without a shaft.
_SHORTEST_ARROW = 0.1
_ARROW: dict[str, Any] = {
    "arrowstyle": "-|>,head_width=0.25,head_length=0.5",
    "shrinkA": 0,
    "shrinkB": 0,
    "color": VERMILION,
    "lw": 0.9,
    "mutation_scale": 8,
}
GROUND: dict[str, Any] = {"facecolor": "#F3EFE4", "edgecolor": "#C9BE9F", "linewidth": 0.5}


def draw_world(ax: Axes, world: World) -> None:
    """Patches, terrain, walls and pegs, to scale, without changing the limits of the axes."""
    from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
    from matplotlib.patches import Circle, Rectangle

    parts: list[Collection] = []
    if world.terrain is not None:
        line = shapes.terrain_line(world)
        deep = line[::-1] * (1, 0) + (0, line[:, 1].min() - 1e3)
        soil = [np.concatenate([line, deep])]
        parts.append(PolyCollection(soil, fc=GROUND["facecolor"], zorder=0.5))
        parts.append(LineCollection([line], colors=INK, lw=1.0, zorder=2))
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
        parts.append(PatchCollection(rectangles, **GROUND, zorder=0.5))
    if world.walls:
        walls = [wall.points for wall in world.walls]
        parts.append(LineCollection(walls, colors=INK, lw=1.2, zorder=2))
    if world.pegs:
        circles = [Circle((peg.x, peg.y), peg.radius) for peg in world.pegs]
        parts.append(PatchCollection(circles, fc=GREY, ec=INK, lw=0.5, zorder=2))
    for part in parts:
        ax.add_collection(part, autolim=False)


def draw_path(ax: Axes, run: Trajectory, path: Path) -> list[Artist]:
    """Draw legs, waypoints and acceptance circles, without changing the limits of the axes.

    Returns:
        Entries for a legend.
    """
    from matplotlib.collections import LineCollection, PatchCollection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Circle

    corners = shapes.path_corners(run, path)
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
    ax: Axes,
    run: Trajectory,
    row: int,
    *,
    pale: float = 0.0,
    zorder: float = 3.0,
    colour: str | RGB = BLUE,
) -> None:
    """Draw the robot in one row: outline, dots for hinges, the head filled, lifted wheels hollow.

    Args:
        ax: Axes to draw on.
        run: The run.
        row: Number of the row.
        pale: Share of white in the colours, 0 to 1.
        zorder: Matplotlib's drawing order.
        colour: Colour of the robot.
    """
    from matplotlib.collections import PolyCollection

    links, spine = shapes.outlines(run, row), shapes.backbone(run, row)
    draw_links(ax, run.robot, links, spine, tint(colour, pale), zorder)
    dark = tint(shade(colour), pale)
    for lifted, face in ((False, dark), (True, "white")):
        look: dict[str, Any] = {"facecolors": [face], "edgecolors": [dark], "lw": 0.5}
        if corners := list(shapes.wheels(run, row, lifted=lifted)):
            ax.add_collection(PolyCollection(corners, zorder=zorder, **look), autolim=False)


def draw_links(
    ax: Axes, robot: Robot, links: Floats, spine: Floats, colour: RGB, zorder: float = 3.0
) -> None:
    """Draw links by their outlines and the hinges between them.

    Args:
        ax: Axes to draw on.
        robot: The robot.
        links: Outlines of the links, (links, points, 2), m.
        spine: Tail end, hinges and head end, (links + 1, 2), m.
        colour: Colour of edges, hinges and head; the other links are filled with a lighter one.
        zorder: Matplotlib's drawing order.
    """
    from matplotlib.collections import PatchCollection, PolyCollection
    from matplotlib.patches import Circle

    shape = list(links)
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


def draw_loads(
    ax: Axes, run: Trajectory, row: int, *, pale: float = 0.0, fill: bool = True, zorder: float
) -> None:
    """Draw the loads in one row, without changing the limits of the axes.

    A dot is the centre of mass; the line from it is the load's own x axis.

    Args:
        ax: Axes to draw on.
        run: The run.
        row: Number of the row.
        pale: Share of white in the colours, 0 to 1.
        fill: Whether to draw faces, dots and lines, or only thin outlines.
        zorder: Matplotlib's drawing order.
    """
    from matplotlib.collections import LineCollection, PolyCollection

    if not run.world.loads:
        return
    edge = tint(shade(ORANGE), pale)
    outline: dict[str, Any] = {"edgecolors": [edge], "lw": 1.0 if fill else 0.5}
    face = [tint(ORANGE, 0.55 + 0.45 * pale)] if fill else "none"
    faces = PolyCollection(
        list(shapes.load_outlines(run, row)), facecolors=face, zorder=zorder, **outline
    )
    ax.add_collection(faces, autolim=False)
    if fill:
        marks = shapes.load_marks(run, row)
        lines = LineCollection(list(marks), colors=[edge], lw=0.8, zorder=zorder)
        ax.add_collection(lines, autolim=False)
        ax.plot(*marks[:, 0].T, ls="", marker="o", ms=2.5, mew=0, color=edge, zorder=zorder)


def draw_load_tracks(ax: Axes, run: Trajectory, zorder: float) -> list[Artist]:
    """Draw the paths of the loads' centres, without changing the limits of the axes.

    Args:
        ax: Axes to draw on.
        run: The run.
        zorder: Matplotlib's drawing order.

    Returns:
        Entries for a legend.
    """
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    if not run.world.loads:
        return []
    colour = shade(ORANGE)
    tracks = list(shapes.load_tracks(run).swapaxes(0, 1))
    lines = LineCollection(tracks, colors=[colour], lw=0.8, ls="--", zorder=zorder)
    ax.add_collection(lines, autolim=False)
    words = "path of load" if len(tracks) == 1 else "paths of loads"
    return [Line2D([], [], color=colour, lw=0.8, ls="--", label=words)]


@dataclass(frozen=True)
class Arrows:
    """Contact forces as arrows from where they act, see `shapes.contact_arrows`.

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
    base, force = shapes.contact_arrows(run, rows)
    size = np.hypot(*force.T)
    largest = float(size.max(initial=0.0))
    shown = size > _SHORTEST_ARROW * largest
    scale = longest / largest if largest > 0 else 0.0
    bases: Floats = base[shown]
    return Arrows(bases, bases + scale * force[shown], scale, largest)


def draw_arrows(ax: Axes, forces: Arrows) -> None:
    """Forces as arrows, with one of round size above the axes as their scale."""
    from matplotlib.offsetbox import AnchoredOffsetbox, AuxTransformBox, HPacker, TextArea
    from matplotlib.patches import FancyArrowPatch

    for base, tip in zip(forces.bases, forces.tips, strict=True):
        ax.annotate(
            "",
            xy=tuple(tip),
            xytext=tuple(base),
            annotation_clip=False,
            arrowprops=_ARROW,
            zorder=8,
        )
    if not len(forces.tips):
        return
    size = round_below(forces.largest)
    sample = FancyArrowPatch((0.0, 0.0), (size * forces.scale, 0.0), **_ARROW)
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


def holding_words(robot: Robot) -> str:
    """Name of the state of a link that the ground holds, by whether the robot has wheels down."""
    rolling = any(link.wheels is not None and not link.wheels.lifted for link in robot.links)
    return "sticks or rolls" if rolling else "sticks"
