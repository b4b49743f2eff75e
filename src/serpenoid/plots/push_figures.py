"""Figures of a robot that pushes a load: shapes, inputs, ellipsoids, polar maps [reyes2017]."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.pushing import Ellipsoids, Pushing
from serpenoid.analysis.pushing.system import place
from serpenoid.checks import one_of
from serpenoid.errors import InvalidInput
from serpenoid.kernels.layout import Floats
from serpenoid.plots.body import draw_links
from serpenoid.plots.shapes import capsules, to_plane, wheel_pair
from serpenoid.plots.style import BLUE, GREY, INK, PALE, VERMILION, axes, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import Normalize
    from matplotlib.image import AxesImage
    from matplotlib.projections.polar import PolarAxes

Quantity = Literal["load_norm", "robot_norm", "force_norm", "slippage_ratio"]

# Cells of a polar map.
_RINGS, _SECTORS = 14, 36


def shape(
    pushing: Pushing,
    angles: npt.ArrayLike,
    ax: Axes | None = None,
    *,
    colour: str = BLUE,
    load: bool = True,
    normals: float = 0.0,
) -> Axes:
    """A shape with its load, wheels and centre of mass, to scale, the pushing link horizontal.

    Args:
        pushing: Robot and load.
        angles: Joint angles, (n-1,), rad.
        ax: Axes to draw on; those of a new figure if not given.
        colour: Colour of the robot.
        load: Whether to draw the load, as a square whose size means nothing.
        normals: Length of the normals of the wheels to either side, m; 0 draws none.

    Returns:
        The Axes drawn on.
    """
    from matplotlib.patches import Polygon, Rectangle

    where = place(pushing.robot, np.asarray(angles, dtype=float))
    touch, robot = pushing.touch, pushing.robot
    # Everything in the axes of the pushing link, from the contact.
    origin = where.centre[touch.link] + touch.along * where.ahead[touch.link]
    frame = np.stack([where.ahead[touch.link], where.left[touch.link]], axis=1)
    centre, hinge = ((points - origin) @ frame for points in (where.centre, where.hinge))
    ahead, left = where.ahead @ frame, where.left @ frame
    x, y = centre.T
    theta = np.arctan2(ahead[:, 1], ahead[:, 0])
    outline = to_plane(capsules(robot), x, y, theta)
    wheels = to_plane(np.array([wheel_pair(link) for link in robot.links]), x, y, theta)
    spine = np.concatenate([[2 * centre[0] - hinge[0]], hinge, [2 * centre[-1] - hinge[-1]]])
    mass = np.array([link.mass for link in robot.links])
    middle = mass @ centre / mass.sum()
    side = 1.0 if touch.side == "left" else -1.0
    box = 0.8 * robot.links[touch.link].length
    edge = side * robot.links[touch.link].radius
    with axes(ax, height=2.4) as ax:
        if load:
            corner = (-pushing.load.offset - box / 2, min(edge, edge + side * box))
            ax.add_patch(Rectangle(corner, box, box, fc=PALE, ec=GREY, lw=0.8, zorder=1))
        for link in pushing.wheeled if normals else ():
            line = centre[link] + normals * np.outer([-1, 1], left[link])
            ax.plot(*line.T, color=VERMILION, lw=0.8, ls="--", zorder=4.5)
        draw_links(ax, robot, outline, spine, tint(colour, 0.0), zorder=3.0)
        for link in pushing.wheeled:
            for corners in wheels[link].reshape(2, 4, 2):
                ax.add_patch(Polygon(corners, closed=True, fc=INK, ec="none", zorder=5))
        ax.plot(*middle, marker="o", ms=4.5, mfc="white", mec=INK, mew=1.0, zorder=6)
        ax.plot(*middle, marker="+", ms=4.5, mec=INK, mew=0.8, zorder=6)
        points = np.concatenate([outline.reshape(-1, 2), [[0.0, edge + side * box]]])
        ax.update_datalim(points)
        ax.autoscale_view()
        ax.set_aspect("equal")
        ax.set_axis_off()
    return ax


def input_map(
    pushing: Pushing,
    angles: npt.ArrayLike,
    quantity: Quantity,
    ax: Axes | None = None,
    *,
    norm: Normalize | None = None,
    points: int = 300,
) -> AxesImage:
    """Response to the inputs in one shape of a robot with two joints, over all allowed torques.

    Lines show where the contact opens (solid) and where wheels begin to slide (dashed); grey is 0.

    Args:
        pushing: Robot, with two joints, and load.
        angles: Joint angles, (2,), rad.
        quantity: Quantity of a `Response` to show as colour.
        ax: Axes to draw on; those of a new figure if not given.
        norm: Scale of the colours; from the least to the largest value if not given.
        points: Cells of the map along each torque.

    Returns:
        The map, for a colour bar.

    Raises:
        InvalidInput: The robot does not have two joints, or there is no such quantity.
    """
    if len(pushing.robot.joints) != 2:
        raise InvalidInput(
            f"robot = {pushing.robot.name!r} is not allowed: inputs are a plane with two joints, "
            f"and it has {len(pushing.robot.joints)}"
        )
    one_of("quantity", quantity, get_args(Quantity))
    bounds: Floats = np.linalg.inv(pushing.system(angles).power).astype(np.float64)
    first, second = np.sqrt(np.diagonal(bounds))
    cells = (np.arange(points) + 0.5) / points * 2 - 1
    x, y = first * cells, second * cells
    found = pushing.respond(angles, np.stack(np.meshgrid(x, y), axis=-1))
    values = np.ma.masked_equal(getattr(found, quantity), 0.0)
    with axes(ax, height=2.6) as ax:
        edge = _draw_ellipse(ax, bounds, INK, lw=0.6)
        (ground,) = ax.fill(*edge, color=PALE, lw=0, zorder=1)
        extent = (-first, first, -second, second)
        look: dict[str, Any] = {"cmap": "viridis", "norm": norm, "zorder": 2}
        image = ax.imshow(values, origin="lower", extent=extent, **look)
        image.set_clip_path(ground)
        lines: dict[str, Any] = {"colors": "white", "linewidths": 0.8, "zorder": 2.5}
        opening = ax.contour(x, y, found.forces[..., 0] > 0, [0.5], **lines)
        opening.set_clip_path(ground)
        slides = (found.sliding != 0).any(axis=-1)
        if (slides & (found.input_norm <= 1)).any():
            sliding = ax.contour(x, y, slides, [0.5], **lines, linestyles="dashed")
            sliding.set_clip_path(ground)
        ax.set(xlim=(-1.03 * first, 1.03 * first), ylim=(-1.03 * second, 1.03 * second))
        ax.set(aspect="equal", xlabel="$\\tau_1$ (N m)", ylabel="$\\tau_2$ (N m)")
        ax.locator_params(nbins=4)
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
    return image


def polar_map(
    distance: npt.ArrayLike,
    angle: npt.ArrayLike,
    values: npt.ArrayLike,
    ax: PolarAxes,
    *,
    norm: Normalize | None = None,
    reach: float | None = None,
) -> QuadMesh:
    """Medians of values over the polar coordinates of the centre of mass, as a map.

    Args:
        distance: Distances of the centre of mass from the contact, any shape, m.
        angle: Its angles, same shape, rad; 0 towards the head of the pushing link.
        values: Values, same shape.
        ax: Polar axes to draw on.
        norm: Scale of the colours; from the least to the largest median if not given.
        reach: Radius of the map, m; the largest distance if not given.

    Returns:
        The map, for a colour bar.
    """
    r, phi, value = (np.asarray(given, dtype=float).ravel() for given in (distance, angle, values))
    reach = float(r.max()) * (1 + 1e-9) if reach is None else reach
    rings, sectors = np.linspace(0, reach, _RINGS + 1), np.linspace(-math.pi, math.pi, _SECTORS + 1)
    ring = np.digitize(r, rings) - 1
    sector = np.clip(np.digitize(phi, sectors) - 1, 0, _SECTORS - 1)
    cells = np.full((_RINGS, _SECTORS), np.nan)
    cell = ring * _SECTORS + sector
    order = np.argsort(cell, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(cell[order])) + 1):
        if ring[group[0]] < _RINGS:
            cells[ring[group[0]], sector[group[0]]] = np.median(value[group])
    mesh = ax.pcolormesh(sectors, rings, cells, cmap="viridis", norm=norm, rasterized=True)
    ax.set_ylim(0, reach)
    ax.set_xticks(np.radians([0, 90, 180, 270]), ["0°", "90°", "180°", "−90°"])
    ax.tick_params(pad=0)
    ax.set_rgrids([0.1, 0.2], ["0.1", "0.2 m"], angle=150, size=6, ha="center", va="center")
    ax.grid(color=GREY, lw=0.3, alpha=0.6)
    ax.spines["polar"].set_linewidth(0.5)
    return mesh


def ellipse(
    found: Ellipsoids, kind: Literal["acceleration", "force"], ax: Axes, scale: float, colour: str
) -> None:
    """Draw an ellipsoid of one shape at the contact, on the axes of its `shape`.

    Args:
        found: The ellipsoids of the shape.
        kind: Which one to draw.
        ax: Axes to draw on.
        scale: Length of one unit of the ellipsoid, m per m/s2 or m/N.
        colour: Colour of the line.
    """
    _draw_ellipse(ax, scale**2 * getattr(found, kind), colour, lw=1.2, zorder=7)


def _draw_ellipse(
    ax: Axes, matrix: Floats, colour: str, *, lw: float, zorder: float = 3.0
) -> Floats:
    """The ellipse x matrix^-1 x = 1, a line if the matrix has no inverse; returns its points."""
    size, ways = np.linalg.eigh(matrix)
    around = np.linspace(0, 2 * math.pi, 181)
    circle = np.stack([np.cos(around), np.sin(around)])
    points: Floats = ways @ (np.sqrt(size.clip(min=0.0))[:, None] * circle)
    ax.plot(*points, color=colour, lw=lw, zorder=zorder)
    return points


def linear(low: float, high: float) -> Normalize:
    """Linear scale of colours from one value to another."""
    from matplotlib.colors import Normalize

    return Normalize(low, high)


def logarithmic(low: float, high: float) -> Normalize:
    """Logarithmic scale of colours from one value to another, both > 0."""
    from matplotlib.colors import LogNorm

    return LogNorm(low, high)
