"""How deep links and loads overlap obstacles, terrain and each other, at a start."""

from math import inf, sqrt

from serpenoid.kernels._jit import jit, jit_apart, jit_entry
from serpenoid.kernels.layout import CODES, Body, Item, PackedWorld, Records
from serpenoid.kernels.outlines import (
    Pose,
    capsule_of,
    corner,
    depth_across,
    from_rectangle,
    link_on_load,
    load_on_load,
    nearest_points,
    touch_fixed,
    wall_piece,
)
from serpenoid.kernels.terrain_contacts import depth_in_ground, sole

# How deep two overlap, m, and the numbers of both.
Overlap = tuple[float, int, int]


@jit
def pose_of(body: Item) -> Pose:
    """Where the link or load of a record is."""
    return body.x, body.y, body.ex, body.ey


@jit_apart
def depth_in_load(body: Body, a: int, b: int) -> float:
    """How deep link or load a (links first) is in load b, m; below 0 if they may be apart.

    Beside the contacts, places along the outline of a: it may lie across b.
    """
    n, owner, load = body.links.shape[0], body.bodies[a], body.loads[b]
    dx, dy = load.x - owner.x, load.y - owner.y
    worst = owner.radius - owner.rear + load.radius - sqrt(dx * dx + dy * dy)
    if worst < 0.0:
        return worst
    pose, place, shape = pose_of(owner), pose_of(load), body.shapes[b]
    worst = -1.0
    for code in range(CODES):
        if a < n:
            touch = link_on_load(capsule_of(owner), shape, place, code)
        else:
            touch = load_on_load(body.shapes[a - n], pose, shape, place, code)
        if touch[0]:
            worst = max(worst, -touch[3])
    for k in range(1 if a < n else 4):
        if a < n:
            x1, y1 = pose[0] + owner.rear * pose[2], pose[1] + owner.rear * pose[3]
            x2, y2 = pose[0] + owner.fore * pose[2], pose[1] + owner.fore * pose[3]
            radius = owner.radius
        else:
            x1, y1 = corner(body.shapes[a - n], k, pose)
            x2, y2 = corner(body.shapes[a - n], (k + 1) % 4, pose)
            radius = body.shapes[a - n].radius
        for part in range(65):
            s = part / 64.0
            x, y = x1 + s * (x2 - x1), y1 + s * (y2 - y1)
            worst = max(worst, radius + shape.radius - from_rectangle(shape, place, x, y, 0)[3])
    return worst


@jit_apart
def load_in_obstacles(world: PackedWorld, body: Body, a: int) -> tuple[float, int]:
    """How deep load a (links first) is in a peg or across a wall, m, and which item that is."""
    shape, pose = body.shapes[a - body.links.shape[0]], pose_of(body.bodies[a])
    # A run that goes on may be as deep in what is compliant as it has got.
    goes_on, discs, worst, item = body.step[0] > 0, world.discs.shape[0], 0.0, 0
    for k in range(world.segments.shape[0]):
        wall, depth = world.segments[k], 0.0
        if goes_on and wall.k > 0.0:
            continue
        for part in range(65):
            s = part / 64.0
            x, y = wall.x1 + s * (wall.x2 - wall.x1), wall.y1 + s * (wall.y2 - wall.y1)
            depth = max(depth, shape.radius - from_rectangle(shape, pose, x, y, 0)[3])
        for j in range(4):
            touch = touch_fixed(world, shape, pose, discs + 2 * k, j)
            # Farther beyond a wall than the load is large, it is not this wall that is crossed.
            if touch[0] and -touch[3] < 2.0 * body.bodies[a].radius:
                depth = max(depth, -touch[3])
        if depth > worst:
            worst, item = depth, discs + 2 * k
    for k in range(discs):
        disc = world.discs[k]
        if goes_on and disc.k > 0.0:
            continue
        depth = disc.radius + shape.radius - from_rectangle(shape, pose, disc.x, disc.y, 0)[3]
        if depth > worst:
            worst, item = depth, k
    return worst, item


@jit_entry
def deepest_load(world: PackedWorld, body: Body) -> tuple[float, int, int, int]:
    """How deep a load overlaps anything, m.

    Also which two bodies do, links first, the second a load; or -1 in place of the second, and the
    item of an obstacle, counted as by `outlines.nearest_points`.
    """
    n, loads = body.links.shape[0], body.loads.shape[0]
    worst, first, second, item = 0.0, 0, 0, -1
    for a in range(n + loads):
        for b in range(max(0, a - n + 1), loads):
            depth = depth_in_load(body, a, b)
            if depth > worst:
                worst, first, second, item = depth, a, n + b, -1
        if a >= n:
            depth, obstacle = load_in_obstacles(world, body, a)
            if depth > worst:
                worst, first, second, item = depth, a, -1, obstacle
    return worst, first, second, item


@jit_entry
def deepest_link(discs: Records, segments: Records, links: Records, goes_on: bool) -> Overlap:
    """How deep a link overlaps a peg or a wall, m, which link, and which item it overlaps.

    goes_on: what is compliant does not count.
    """
    worst, first, second = 0.0, 0, 0
    for i in range(links.shape[0]):
        link = capsule_of(links[i])
        for k in range(segments.shape[0]):
            if goes_on and segments[k].k > 0.0:
                continue
            depth = depth_across(link, wall_piece(segments[k]))
            if depth > worst:
                worst, first, second = depth, i, discs.shape[0] + 2 * k
        reach = link.radius - link.rear
        for k in range(discs.shape[0]):
            disc = discs[k]
            # Most pegs are far away, which is quicker to see than how far.
            far = max(abs(disc.x - link.x), abs(disc.y - link.y)) > reach + disc.radius
            if far or (goes_on and disc.k > 0.0):
                continue
            _, dx, dy, size, _ = nearest_points(discs, segments, link, k, inf)
            depth = size - sqrt(dx * dx + dy * dy)
            if depth > worst:
                worst, first, second = depth, i, k
    return worst, first, second


@jit_entry
def deepest_underground(ground: Records, links: Records, thin: bool) -> tuple[float, int]:
    """How deep a link is in the terrain, m, and which; thin: contact is on the axes."""
    worst, first = 0.0, 0
    for i in range(links.shape[0]):
        depth = depth_in_ground(ground, sole(capsule_of(links[i]), thin))
        if depth > worst:
            worst, first = depth, i
    return worst, first


@jit_entry
def deepest_crossing(links: Records) -> Overlap:
    """How deep two links that are not neighbours overlap, m, and which."""
    worst, first, second, pitch, widest = 0.0, 0, 0, 0.0, 0.0
    n = links.shape[0]
    for i in range(n):
        pitch = max(pitch, links[i].front + links[min(i + 1, n - 1)].back)
        widest = max(widest, links[i].radius - links[i].rear)
    for i in range(n):
        j, reach = i + 2, links[i].radius - links[i].rear + widest
        while j < n:
            dx, dy = links[j].x - links[i].x, links[j].y - links[i].y
            apart = sqrt(dx * dx + dy * dy) - reach
            if apart <= 0.0:
                depth = depth_across(capsule_of(links[i]), capsule_of(links[j]))
                if depth > worst:
                    worst, first, second = depth, i, j
            # Links are passed over that cannot reach, because neighbouring centres are so close.
            j += 1 + int(max(0.0, apart) / pitch)
    return worst, first, second
