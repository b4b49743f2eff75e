"""How deep outlines overlap, by geometry of the tests' own: NumPy, and nothing of the package.

A shape is a core, one, two or four corners of a convex polygon, (rows, corners, 2) or (corners, 2),
and a radius around it. Cores that are apart have the distance of their nearest corner and side; of
others the depth is the least overlap over the normals of all sides.
"""

from __future__ import annotations

import itertools

import numpy as np

import serpenoid as sp

Shape = tuple[np.ndarray, float]


def to_side(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Distance from points to segments, (..., 2) each."""
    along, size = b - a, ((b - a) ** 2).sum(-1)
    part = ((point - a) * along).sum(-1) / np.where(size > 0, size, 1.0)
    return np.linalg.norm(point - a - np.clip(part, 0, 1)[..., None] * along, axis=-1)


def sides(core: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """From corner to corner, round about; a point is a side without length."""
    count = core.shape[-2]
    return [(core[..., k, :], core[..., (k + 1) % count, :]) for k in range(count)]


def overlap(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Least overlap of two cores over all normals; below 0 if they are apart or points, (rows,)."""
    least = np.inf
    for core in (one, two):
        for a, b in sides(core):
            size = np.linalg.norm(b - a, axis=-1, keepdims=True)
            if not size.any():
                continue
            along = (b - a) / size
            across = np.stack([-along[..., 1], along[..., 0]], axis=-1)
            for axis in (along, across):
                u, v = ((c * axis[..., None, :]).sum(-1) for c in (one, two))
                shared = np.minimum(u.max(-1) - v.min(-1), v.max(-1) - u.min(-1))
                least = np.minimum(least, shared)
    return np.where(np.isinf(least), -1.0, least)


def depth(one: Shape, two: Shape) -> np.ndarray:
    """How deep two shapes are in each other, negative if they are apart, (rows,), m."""
    (p, r), (q, s) = one, two
    distances = [
        to_side(c[..., k, :], a, b)
        for c, d in ((p, q), (q, p))
        for k in range(c.shape[-2])
        for a, b in sides(d)
    ]
    distance = np.minimum.reduce(np.broadcast_arrays(*distances))
    inside = overlap(p, q)
    return r + s + np.where(inside > 0, inside, -distance)


def links(run: sp.Trajectory, axis: bool = False) -> list[Shape]:
    """Outlines of the links in all rows; with axis, lines from hinge to hinge."""
    shapes = []
    for i, link in enumerate(run.robot.links):
        x, y, theta = (run.columns[name][:, i] for name in ("x", "y", "theta"))
        straight = link.straight
        if straight is None:
            straight = max(0.0, link.length - 2 * link.radius)
        half, radius = (link.length / 2, 0.0) if axis else (straight / 2, link.radius)
        centre = np.stack([x, y], axis=-1)
        reach = half * np.stack([np.cos(theta), np.sin(theta)], axis=-1)
        shapes.append((np.stack([centre - reach, centre + reach], axis=1), radius))
    return shapes


def loads(run: sp.Trajectory) -> list[Shape]:
    """Outlines of the loads in all rows."""
    shapes = []
    for k, load in enumerate(run.world.loads):
        x, y, theta = (run.columns[f"load_{name}"][:, k] for name in ("x", "y", "theta"))
        centre, radius = np.stack([x, y], axis=-1), getattr(load, "radius", 0.0)
        if radius:
            shapes.append((centre[:, None], radius))
            continue
        cos, sin = np.cos(theta), np.sin(theta)
        ex, ey = np.stack([cos, sin], axis=-1), np.stack([-sin, cos], axis=-1)
        a, b = load.width / 2 * ex, load.height / 2 * ey
        shapes.append(
            (np.stack([centre - a - b, centre + a - b, centre + a + b, centre - a + b], 1), 0.0)
        )
    return shapes


def obstacles(world: sp.World) -> list[Shape]:
    """Pegs and pieces of walls."""
    pegs = [(np.array([[peg.x, peg.y]]), peg.radius) for peg in world.pegs]
    pieces = [
        (np.array(piece, dtype=float), 0.0)
        for wall in world.walls
        for piece in itertools.pairwise(wall.points)
    ]
    return pegs + pieces


def in_terrain(shape: Shape, terrain: object) -> np.ndarray:
    """How deep a link is in the ground, negative or -inf if it is clear, (rows,), m.

    Of an axis that goes below ground, the deepest of 65 places on it.
    """
    core, radius = shape
    line = terrain.polyline()
    far = np.array([1e4, 0.0])
    line = np.concatenate([line[:1] - far, line, line[-1:] + far])
    part = np.linspace(0, 1, 65)[:, None, None]
    places = (1 - part) * core[:, 0] + part * core[:, 1]
    below = places[..., 1] < terrain.level(places[..., 0])
    if not (places[..., 1] < line[:, 1].max() + radius + 0.01).any():
        return np.full(len(core), -np.inf)
    clear, to_ground = np.full(len(core), np.inf), np.full(below.shape, np.inf)
    low, high = core[..., 0].min() - radius - 0.1, core[..., 0].max() + radius + 0.1
    for p, q in itertools.pairwise(line):
        if p[0] <= high and q[0] >= low:
            clear = np.minimum(clear, -depth((core, 0.0), (np.stack([p, q]), 0.0)))
            if below.any():
                to_ground = np.minimum(to_ground, to_side(places, p, q))
    sunk = np.where(below, to_ground, 0.0).max(axis=0)
    return radius + np.where(sunk > 0, sunk, -np.maximum(clear, 0.0))


def deepest(run: sp.Trajectory) -> np.ndarray:
    """How deep anything is in what it must not enter, in every row, (rows,), m."""
    world, axis = run.world, run.world.contact_at == "axis"
    bodies, boxes, fixed = links(run, axis), loads(run), obstacles(world)
    worst = np.full(len(run.time), -np.inf)
    pairs = [*itertools.product(bodies, fixed + boxes), *itertools.product(boxes, fixed)]
    pairs += itertools.combinations(boxes, 2)
    if run.robot.self_contact:
        outlines = links(run)
        pairs += [(a, b) for i, a in enumerate(outlines) for b in outlines[i + 2 :]]
    for one, two in pairs:
        worst = np.maximum(worst, depth(one, two))
    if world.terrain is not None:
        for body in bodies:
            worst = np.maximum(worst, in_terrain(body, world.terrain))
    return worst
