"""Outlines of links and loads in a place, and their closest points with all they can touch.

The outline of a link is a capsule: the points within a radius of a straight axis. That of a load is
a rectangle rounded off by a radius: a disc is one without size, a box one without radius. Against a
peg the contact point moves along the whole outline [transeth2008 (8)-(10)]. Against a wall each of
the two round ends of a link may touch the straight part, and the wall's corners are discs of zero
radius, so every place of first contact is covered once. Two outlines of which one is a load's touch
at a corner of either of them, ends of links included. Contacts of such a pair (a, b) are told apart
by a code: 0 to 3 for the corners of b, from 4 on for those of a. Two links touch with an end of
either of them: one that ends before the side of the other does, or two if they are parallel.
"""

from math import cos, inf, sin, sqrt
from typing import NamedTuple

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane, lane_of
from serpenoid.kernels.layout import LINK_CODES, Body, Item, PackedWorld, Records

# Whether there is a contact, its normal from b to a, the gap, the point where they touch.
Touch = tuple[bool, float, float, float, float, float]
# Position and direction of a body.
Pose = tuple[float, float, float, float]

# So near the corner of another outline, m, a corner does not tell which side it is on.
SHARP = 2e-6
# Rounding of an angle that may be a right one, m2.
FLUSH = 1e-12
# Sides of loads that are flush but for this angle, rad, may turn over a corner in a step.
TURN = 0.2
# Deeper than this, m, only that corner of a load is in a wall which goes first.
SHALLOW = 1e-4
ALONG_X, ALONG_Y = 1, 2
NOWHERE = (False, 0.0, 0.0, inf, 0.0, 0.0)


class Capsule(NamedTuple):
    """A link in a place."""

    x: float  # centre of mass
    y: float
    ex: float  # direction
    ey: float
    back: float  # from the centre of mass along the axis: minus the hinge behind,
    front: float  # the hinge ahead,
    rear: float  # the ends of the straight outline,
    fore: float
    middle: float  # and the middle
    radius: float


@jit
def capsule(o: Item, at: int) -> Capsule:
    """The link in a lane, at the midpoint of the step."""
    return capsule_at(o, at, (o.x[at], o.y[at], o.ex[at], o.ey[at]))


@jit
def capsule_at(o: Item, at: int, pose: Pose) -> Capsule:
    """The link in a lane, in another place."""
    x, y, ex, ey = pose
    back, front, rear, fore = o.back[at], o.front[at], o.rear[at], o.fore[at]
    return Capsule(x, y, ex, ey, back, front, rear, fore, o.middle[at], o.radius[at])


@jit
def capsule_of(link: Item) -> Capsule:
    """The link of a record, where it is."""
    x, y, ex, ey = link.x, link.y, link.ex, link.ey
    back, front, rear, fore = link.back, link.front, link.rear, link.fore
    return Capsule(x, y, ex, ey, back, front, rear, fore, link.middle, link.radius)


@jit
def wall_piece(wall: Item) -> Capsule:
    """A straight piece of a wall: a link without width."""
    wx, wy = wall.x2 - wall.x1, wall.y2 - wall.y1
    size = sqrt(wx * wx + wy * wy)
    x, y, half = 0.5 * (wall.x1 + wall.x2), 0.5 * (wall.y1 + wall.y2), 0.5 * size
    return Capsule(x, y, wx / size, wy / size, half, half, -half, half, 0.0, 0.0)


@jit
def nearest_points(
    discs: Records, segments: Records, link: Capsule, item: int, room: float
) -> tuple[bool, float, float, float, float]:
    """Nearest points of an item and of the axis of a link.

    Items count the discs first, then two per segment: for the link's tail end and its head end.
    Returns whether they can touch there, or when the link has moved by up to `room` (m) at its
    surface, the vector from the item to the axis, the sum of the radii and the offset along the
    axis, m.
    """
    x, y, ex, ey = link.x, link.y, link.ex, link.ey
    if item < discs.shape[0]:
        disc = discs[item]
        dx, dy = x - disc.x, y - disc.y
        s = min(max(-dx * ex - dy * ey, link.rear), link.fore)
        dx, dy = dx + s * ex, dy + s * ey
        # A straight side that lies flush on a wall has its corner right across, and may turn over
        # it; a round end would be pushed back by a corner that it only slides over.
        edge = FLUSH + room if link.rear < s < link.fore else FLUSH
        nearest = dx * disc.ax + dy * disc.ay <= edge and dx * disc.bx + dy * disc.by <= edge
        return nearest, dx, dy, link.radius + disc.radius, s
    side = item - discs.shape[0]
    wall = segments[side // 2]
    s = link.fore if side % 2 == 1 else link.rear
    px, py = x + s * ex - wall.x1, y + s * ey - wall.y1
    wx, wy = wall.x2 - wall.x1, wall.y2 - wall.y1
    foot = (px * wx + py * wy) / (wx * wx + wy * wy)
    return 0.0 < foot < 1.0, px - foot * wx, py - foot * wy, link.radius, s


@jit
def pose_ahead(o: Item, at: int, ahead: float) -> Pose:
    """Pose of a link or load after a time (s), at the velocity being solved for."""
    if ahead == 0.0:
        return o.x[at], o.y[at], o.ex[at], o.ey[at]
    c, s = cos(ahead * o.uw[at]), sin(ahead * o.uw[at])
    ex, ey = o.ex[at] * c - o.ey[at] * s, o.ex[at] * s + o.ey[at] * c
    return o.x[at] + ahead * o.ux[at], o.y[at] + ahead * o.uy[at], ex, ey


@jit
def seen_from(pose: Pose, x: float, y: float) -> tuple[float, float]:
    """A point in the frame of a pose."""
    dx, dy = x - pose[0], y - pose[1]
    return dx * pose[2] + dy * pose[3], dy * pose[2] - dx * pose[3]


@jit
def is_disc(shape: Item) -> bool:
    """Whether a load is round."""
    return shape.half_width == 0.0


@jit
def corner(shape: Item, k: int, pose: Pose) -> tuple[float, float]:
    """Corner k of the rectangle of a load, counter-clockwise."""
    a = shape.half_width if k == 1 or k == 2 else -shape.half_width
    b = shape.half_height if k >= 2 else -shape.half_height
    return pose[0] + a * pose[2] - b * pose[3], pose[1] + a * pose[3] + b * pose[2]


@jit_apart
def from_rectangle(
    shape: Item, pose: Pose, x: float, y: float, facing: int
) -> tuple[float, float, float, float]:
    """A point as seen from the rectangle of a load.

    facing: the sides it is taken to be before at a corner, see `sides_facing`, or 0. Returns how
    far within the ends of a side it is before it, negative before a corner; direction and distance,
    negative inside.
    """
    px, py = seen_from(pose, x, y)
    sx, sy = 1.0 if px >= 0.0 else -1.0, 1.0 if py >= 0.0 else -1.0
    qx, qy = abs(px) - shape.half_width, abs(py) - shape.half_height
    within = -min(qx, qy)
    if facing > 0 and max(abs(qx), abs(qy)) < SHARP:
        within = SHARP
        if facing == ALONG_X:
            distance, nx, ny = qx, sx, 0.0
        else:
            distance, nx, ny = qy, 0.0, sy
    elif within < 0.0:
        distance = sqrt(qx * qx + qy * qy)
        nx, ny = sx * qx / distance, sy * qy / distance
    elif qx > qy:
        distance, nx, ny = qx, sx, 0.0
    else:
        distance, nx, ny = qy, 0.0, sy
    return within, nx * pose[2] - ny * pose[3], nx * pose[3] + ny * pose[2], distance


@jit_apart
def sides_facing(shape: Item, pose: Pose, other: Item, place: Pose) -> int:
    """Along which of its axes a load is farther apart from another one."""
    x, y = seen_from(pose, place[0], place[1])
    c = abs(pose[2] * place[2] + pose[3] * place[3])
    s = abs(pose[2] * place[3] - pose[3] * place[2])
    apart_x = abs(x) - shape.half_width - c * other.half_width - s * other.half_height
    apart_y = abs(y) - shape.half_height - s * other.half_width - c * other.half_height
    return ALONG_X if apart_x > apart_y else ALONG_Y


@jit
def from_axis(
    link: Capsule, on_axis: tuple[float, float], point: tuple[float, float], radius: float
) -> Touch:
    """Contact of a link with a circle about a point, seen from a place on its axis."""
    nx, ny = on_axis[0] - point[0], on_axis[1] - point[1]
    distance = sqrt(nx * nx + ny * ny)
    if distance > 0.0:
        nx, ny = nx / distance, ny / distance
    else:
        nx, ny = -link.ey, link.ex
    gap = distance - link.radius - radius
    return True, nx, ny, gap, on_axis[0] - link.radius * nx, on_axis[1] - link.radius * ny


@jit
def point_at(link: Capsule, s: float) -> tuple[float, float]:
    """The point of a link's axis so far ahead of its centre of mass (m)."""
    return link.x + s * link.ex, link.y + s * link.ey


@jit_apart
def link_on_link(link: Capsule, other: Capsule, code: int) -> Touch:
    """Contact of a link with another one, by its code.

    0 and 1: rear and fore end of the other; 2 and 3: its own ends, on the side of the other. So
    every place of contact is met once, ends that meet included.
    """
    if code < 2:
        x, y = point_at(other, other.rear if code == 0 else other.fore)
        s = seen_from((link.x, link.y, link.ex, link.ey), x, y)[0]
        s = min(max(s, link.rear), link.fore)
        return from_axis(link, point_at(link, s), (x, y), other.radius)
    end = point_at(link, link.rear if code == 2 else link.fore)
    s = seen_from((other.x, other.y, other.ex, other.ey), end[0], end[1])[0]
    if not other.rear < s < other.fore:
        return NOWHERE
    return from_axis(link, end, point_at(other, s), other.radius)


@jit_apart
def depth_across(link: Capsule, other: Capsule) -> float:
    """How deep two links, or a link and a piece of a wall, overlap, m; below 0 if they are apart.

    Axes that cross have no distance: by the sum of the radii, and what the nearest end is beyond.
    """
    nearest = inf
    for code in range(LINK_CODES):
        nearest = min(nearest, link_on_link(link, other, code)[3])
    sine = link.ex * other.ey - link.ey * other.ex
    if sine != 0.0:
        dx, dy = other.x - link.x, other.y - link.y
        s = (dx * other.ey - dy * other.ex) / sine
        t = (dx * link.ey - dy * link.ex) / sine
        if link.rear < s < link.fore and other.rear < t < other.fore:
            return nearest + 2.0 * (link.radius + other.radius)
    return -nearest


@jit_apart
def touch_link(blocks: Records, i: int, j: int, code: int, ahead: float) -> Touch:
    """Contact of link i with link j, by its code, a time (s) ahead."""
    o, at = blocks[block(i)], lane(i)
    p, k = blocks[block(j)], lane(j)
    link = capsule_at(o, at, pose_ahead(o, at, ahead))
    return link_on_link(link, capsule_at(p, k, pose_ahead(p, k, ahead)), code)


@jit_apart
def corner_on_link(link: Capsule, shape: Item, place: Pose, k: int) -> Touch:
    """Corner k of a load, or the middle of a round one, against the outline of a link."""
    x, y = corner(shape, k, place)
    pose = (link.x, link.y, link.ex, link.ey)
    s = min(max(seen_from(pose, x, y)[0], link.rear), link.fore)
    ax, ay = link.x + s * link.ex, link.y + s * link.ey
    if not is_disc(shape) and (s == link.rear or s == link.fore):
        # The end of a link feels a corner only where that is what is nearest of the load.
        px, py = seen_from(place, ax, ay)
        beyond = abs(px) > shape.half_width and abs(py) > shape.half_height
        if not beyond or (px > 0.0) != (k == 1 or k == 2) or (py > 0.0) != (k >= 2):
            return NOWHERE
    return from_axis(link, (ax, ay), (x, y), shape.radius)


@jit_apart
def link_on_load(link: Capsule, shape: Item, place: Pose, code: int) -> Touch:
    """Contact of a link with a load, by its code."""
    if is_disc(shape):
        return corner_on_link(link, shape, place, 0) if code == 0 else NOWHERE
    if code < 4:
        return corner_on_link(link, shape, place, code)
    if code > 5:
        return NOWHERE
    s = link.rear if code == 4 else link.fore
    x, y = link.x + s * link.ex, link.y + s * link.ey
    within, nx, ny, distance = from_rectangle(shape, place, x, y, 0)
    gap = distance - link.radius - shape.radius
    return within >= 0.0, nx, ny, gap, x - link.radius * nx, y - link.radius * ny


@jit_apart
def load_on_load(own: Item, pose: Pose, shape: Item, place: Pose, code: int) -> Touch:
    """Contact of a load with another one, by its code."""
    if code < 4:
        if (code > 0) if is_disc(shape) else is_disc(own):
            return NOWHERE
        x, y = corner(shape, code, place)
        facing = 0 if is_disc(shape) else sides_facing(own, pose, shape, place)
        within, nx, ny, distance = from_rectangle(own, pose, x, y, facing)
        there = within >= 0.0 or is_disc(shape)
        gap = distance - own.radius - shape.radius
        return there, -nx, -ny, gap, x - shape.radius * nx, y - shape.radius * ny
    if is_disc(shape) or (is_disc(own) and code > 4):
        return NOWHERE
    x, y = corner(own, code - 4, pose)
    facing = 0 if is_disc(own) else sides_facing(shape, place, own, pose)
    within, nx, ny, distance = from_rectangle(shape, place, x, y, facing)
    gap = distance - own.radius - shape.radius
    return within >= 0.0 or is_disc(own), nx, ny, gap, x - own.radius * nx, y - own.radius * ny


@jit_apart
def touch_load(body: Body, a: int, b: int, code: int, ahead: float) -> Touch:
    """Contact of a link or load a (links first) with load b, by its code, a time (s) ahead."""
    n = body.robot[0].links
    o, at = body.blocks[block(lane_of(body.robot[0], a))], lane(lane_of(body.robot[0], a))
    p, k = body.blocks[block(body.robot[0].load_lane + b)], lane(body.robot[0].load_lane + b)
    pose, place = pose_ahead(o, at, ahead), pose_ahead(p, k, ahead)
    if a < n:
        return link_on_load(capsule_at(o, at, pose), body.shapes[b], place, code)
    return load_on_load(body.shapes[a - n], pose, body.shapes[b], place, code)


@jit
def leaning(k: int, pose: Pose, nx: float, ny: float) -> float:
    """Sine of the angle by which a side of a box leaves its corner k against a direction."""
    along, across = pose[2] * nx + pose[3] * ny, pose[2] * ny - pose[3] * nx
    a = along if k == 1 or k == 2 else -along
    return max(a, across if k >= 2 else -across)


@jit_apart
def touch_fixed(world: PackedWorld, shape: Item, pose: Pose, item: int, k: int) -> Touch:
    """Contact of a load with a peg or the corner of a wall (k = 0), or of its corner k with a wall.

    Items are those of links; of the two for each wall, loads use the first.
    """
    discs = world.discs.shape[0]
    if item < discs:
        disc = world.discs[item]
        within, nx, ny, distance = from_rectangle(shape, pose, disc.x, disc.y, 0)
        turn = -TURN if disc.k == 0.0 else 0.0
        nearest = nx * disc.ax + ny * disc.ay >= turn and nx * disc.bx + ny * disc.by >= turn
        there = k == 0 and nearest and (within > SHARP or disc.radius + shape.radius > 0.0)
        gap = distance - disc.radius - shape.radius
        return there, -nx, -ny, gap, disc.x - disc.radius * nx, disc.y - disc.radius * ny
    if (item - discs) % 2 == 1 or (k > 0 and is_disc(shape)):
        return NOWHERE
    wall = world.segments[(item - discs) // 2]
    x, y = corner(shape, k, pose)
    wx, wy = wall.x2 - wall.x1, wall.y2 - wall.y1
    size = sqrt(wx * wx + wy * wy)
    foot = ((x - wall.x1) * wx + (y - wall.y1) * wy) / size
    # Where walls meet, a sharp corner belongs to both.
    edge = -SHARP if shape.radius == 0.0 else 0.0
    nx, ny = -wy / size, wx / size
    if (pose[0] - wall.x1) * nx + (pose[1] - wall.y1) * ny < 0.0:
        nx, ny = -nx, -ny
    distance = (x - wall.x1) * nx + (y - wall.y1) * ny
    point_x, point_y = x - shape.radius * nx, y - shape.radius * ny
    there = edge < foot < size - edge
    if there and wall.k == 0.0 and not is_disc(shape):
        # A box that hangs over the end of a wall has corners on either side of it.
        there = leaning(k, pose, nx, ny) <= (TURN if distance >= -SHALLOW else 0.0)
    return there, nx, ny, distance - shape.radius, point_x, point_y
