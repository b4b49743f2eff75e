"""Points of what is drawn to scale: links, wheels and loads where they are, obstacles, the path."""

from __future__ import annotations

import itertools

import numpy as np

from serpenoid.analysis.following import Path
from serpenoid.engine.contact_table import ContactTable
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.model.loads import Load
from serpenoid.model.robot import Link, Robot
from serpenoid.model.world import World

_CAP_POINTS, _CORNER_POINTS = 32, 12
# Parts of a link's radius: distance of a wheel from the link's axis, half its length and width.
_TRACK, _LENGTH, _WIDTH = 0.75, 0.9, 0.28
# Part of a short link's length that half a wheel takes at most.
_LONGEST = 0.3


def to_plane(own: Floats, x: Floats, y: Floats, theta: Floats) -> Floats:
    """Points of things in their own axes as points of the plane.

    Args:
        own: Points in the axes of each thing, (things, points, 2), m.
        x: Where the things are, (things,), m.
        y: Where the things are, (things,), m.
        theta: Their angles, (things,), rad.

    Returns:
        Points, (things, points, 2), m.
    """
    x, y, theta = (column[:, None] for column in (x, y, theta))
    cos, sin = np.cos(theta), np.sin(theta)
    along, across = own[..., 0], own[..., 1]
    return np.stack([x + cos * along - sin * across, y + sin * along + cos * across], axis=-1)


def points_inside(outlines: Floats) -> Floats:
    """Points all over some shapes, by their outlines (shapes, points, 2), m; (k, 2), m."""
    middles = outlines.mean(axis=1, keepdims=True)
    within = [middles + part * (outlines - middles) for part in (1.0, 0.8, 0.6, 0.4, 0.2)]
    return np.concatenate(within).reshape(-1, 2)


def around(centres: Floats, radius: float, count: int) -> Floats:
    """Points on circles around some centres, (k, 2), m."""
    angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return (centres[:, None] + circle).reshape(-1, 2)


def points_along(corners: Floats, count: int) -> Floats:
    """Points on the straight lines from corner to corner, (k, 2), m."""
    pieces = [np.linspace(a, b, count) for a, b in itertools.pairwise(corners)]
    return np.concatenate(pieces)


def outlines(run: Trajectory, row: int) -> Floats:
    """Capsule outlines of all links in one row, (links, points, 2), m."""
    return to_plane(capsules(run.robot), *_poses(run, row))


def _poses(run: Trajectory, row: int, of: str = "") -> list[Floats]:
    """Columns x, y and theta in one row, of the links or, with 'load_', of the loads."""
    return [run.columns[of + name][row] for name in ("x", "y", "theta")]


def capsules(robot: Robot) -> Floats:
    """Capsule outlines of all links in their own axes, (links, points, 2), m; the front first."""
    half = np.array([[link.straight_length / 2] for link in robot.links])
    radius = np.array([[link.radius] for link in robot.links])
    cap = np.linspace(-np.pi / 2, np.pi / 2, _CAP_POINTS)
    ahead = np.repeat([1.0, -1.0], _CAP_POINTS)
    angle = np.concatenate([cap, cap + np.pi])
    return np.stack([half * ahead + radius * np.cos(angle), radius * np.sin(angle)], axis=-1)


def link_tracks(run: Trajectory) -> Floats:
    """Centres of all links in all rows, (rows, links, 2), m."""
    return np.stack([run.columns["x"], run.columns["y"]], axis=-1)


def backbone(run: Trajectory, row: int) -> Floats:
    """Tail end, hinges and head end in one row, (links + 1, 2), m."""
    half = np.array([link.length / 2 for link in run.robot.links])
    x, y, theta = _poses(run, row)
    reach = half[:, None] * np.stack([np.cos(theta), np.sin(theta)], axis=1)
    centre = np.stack([x, y], axis=1)
    return np.concatenate([centre - reach, centre[-1:] + reach[-1:]])


def wheel_size(link: Link) -> tuple[float, float, float]:
    """Distance of a link's wheels from its axis, half their length, half their width, m."""
    length = min(_LENGTH * link.radius, _LONGEST * link.length)
    return _TRACK * link.radius, length, _WIDTH * link.radius


def wheel_pair(link: Link) -> Floats:
    """Corners of the wheels on the left and the right of a link in its own axes, (8, 2), m."""
    aside, length, width = wheel_size(link)
    corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * [length, width]
    left = np.array([0.0, aside])
    return np.concatenate([corners + left, corners - left])


def wheels(run: Trajectory, row: int, *, lifted: bool) -> Floats:
    """Corners of wheels in one row.

    Args:
        run: The run.
        row: Number of the row.
        lifted: Whether to return the wheels that are lifted, or those that are not.

    Returns:
        Corners, (k, 4, 2), m.
    """
    links = run.robot.links
    wheeled = [i for i, link in enumerate(links) if link.wheels and link.wheels.lifted == lifted]
    own = np.array([wheel_pair(links[i]) for i in wheeled]).reshape(-1, 8, 2)
    return to_plane(own, *(column[wheeled] for column in _poses(run, row))).reshape(-1, 4, 2)


def load_tracks(run: Trajectory) -> Floats:
    """Centres of all loads in all rows, (rows, loads, 2), m."""
    if not run.world.loads:
        return np.empty((len(run.time), 0, 2))
    return np.stack([run.columns["load_x"], run.columns["load_y"]], axis=-1)


def contact_arrows(run: Trajectory, rows: list[int]) -> tuple[Floats, Floats]:
    """Where contact forces on links and loads act in some rows, m, and the forces, N, (k, 2).

    From the centres of links and loads if the run has not recorded its contacts.
    """
    if len(run.contacts):
        return contact_forces(run.contacts.where(np.isin(run.contacts.time, run.time[rows])))
    names = [("x", "y", "contact_force"), ("load_x", "load_y", "load_force")]
    parts = [
        [run.columns[name][rows] for name in group] for group in names if group[0] in run.columns
    ]
    centres = [np.stack([x, y], axis=-1).reshape(-1, 2) for x, y, _ in parts]
    return np.concatenate(centres), np.concatenate([force.reshape(-1, 2) for *_, force in parts])


def contact_forces(touched: ContactTable) -> tuple[Floats, Floats]:
    """Points of contacts, m, and forces there, as `contact_force` has them, N, (k, 2).

    Those on links and loads, then those back on links and loads that they touch.
    """
    terrain = (touched.kind == "terrain")[:, None]
    force = np.where(terrain, touched.normal_force, touched.force)
    back = np.isin(touched.kind, ("load", "link"))
    points = np.concatenate([touched.point, touched.point[back]])
    return points, np.concatenate([force, -force[back]])


def load_outlines(run: Trajectory, row: int) -> Floats:
    """Outlines of all loads in one row, (loads, points, 2), m."""
    return to_plane(
        np.stack([_outline(load) for load in run.world.loads]), *_poses(run, row, "load_")
    )


def load_marks(run: Trajectory, row: int) -> Floats:
    """Lines from each centre along the load's own x axis to its outline, (loads, 2, 2), m."""
    ends = [load.half_sizes[0] + load.rounding for load in run.world.loads]
    own = np.array([[[0.0, 0.0], [end, 0.0]] for end in ends])
    return to_plane(own, *_poses(run, row, "load_"))


def load_points(run: Trajectory, rows: list[int]) -> Floats:
    """Points all over the loads in some rows, (k, 2), m."""
    if not run.world.loads:
        return np.empty((0, 2))
    shapes = np.concatenate([load_outlines(run, row) for row in rows])
    part = np.linspace(0, 1, 10, endpoint=False)[:, None, None, None]
    edges = (1 - part) * shapes + part * np.roll(shapes, -1, axis=1)
    return points_inside(np.concatenate(list(edges), axis=1))


def _outline(load: Load) -> Floats:
    """A rectangle rounded off by a radius, in the load's own axes, (points, 2), m."""
    quarter = np.linspace(0, np.pi / 2, _CORNER_POINTS)
    angle = np.concatenate([quarter + k * np.pi / 2 for k in range(4)])
    signs = np.repeat([[1, 1], [-1, 1], [-1, -1], [1, -1]], _CORNER_POINTS, axis=0)
    round_off = load.rounding * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    outline: Floats = signs * np.array(load.half_sizes) + round_off
    return outline


def obstacle_points(world: World) -> Floats:
    """Points around every peg and along every wall, (k, 2), m."""
    pegs = [around(np.array([[peg.x, peg.y]]), peg.radius, 8) for peg in world.pegs]
    walls = [points_along(np.array(wall.points), 50) for wall in world.walls]
    return np.concatenate([np.empty((0, 2)), *pegs, *walls])


def terrain_line(world: World) -> Floats:
    """Points of the terrain and 1 km beyond both ends, (k, 2), m; none without a terrain."""
    if world.terrain is None:
        return np.empty((0, 2))
    line, beyond = world.terrain.polyline(), np.array([[1e3, 0.0]])
    return np.concatenate([line[:1] - beyond, line, line[-1:] + beyond])


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
    return np.concatenate([points_along(corners, 100), around(corners[1:], path.acceptance, 59)])
