"""Where loads touch links, pegs, walls and each other.

The outline of a load is a rectangle rounded off by a radius: a disc is one without size, a box one
without radius. Two outlines touch at a corner of either of them, ends of links included. Contacts
of the pair (a, b) are told apart by a code: 0 to 3 for the corners of b, from 4 on for those of a.
"""

from math import cos, inf, sin, sqrt

from serpenoid.kernels._jit import jit, jit_apart, jit_entry
from serpenoid.kernels.layout import Body, Ints, Item, PackedWorld, Records

# Whether there is a contact, its normal from b to a, the gap, the point where they touch.
Touch = tuple[bool, float, float, float, float, float]
# Position and direction of a body.
Pose = tuple[float, float, float, float]

# So near the corner of another outline, m, a corner does not tell which side it is on.
SHARP = 2e-6
ALONG_X, ALONG_Y = 1, 2
NOWHERE = (False, 0.0, 0.0, inf, 0.0, 0.0)
# A contact is known by its obstacle: that many for each load or item.
CODES = 8


@jit
def pose_of(body: Item, ahead: float) -> Pose:
    """Where a link or load gets to in a time (s), at the velocity being solved for."""
    if ahead == 0.0:
        return body.x, body.y, body.ex, body.ey
    c, s = cos(ahead * body.uw), sin(ahead * body.uw)
    ex, ey = body.ex * c - body.ey * s, body.ex * s + body.ey * c
    return body.x + ahead * body.ux, body.y + ahead * body.uy, ex, ey


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


@jit_apart
def corner_on_link(link: Item, pose: Pose, shape: Item, place: Pose, k: int) -> Touch:
    """Corner k of a load, or the middle of a round one, against the outline of a link."""
    x, y = corner(shape, k, place)
    s = min(max(seen_from(pose, x, y)[0], link.rear), link.fore)
    ax, ay = pose[0] + s * pose[2], pose[1] + s * pose[3]
    if not is_disc(shape) and (s == link.rear or s == link.fore):
        # The end of a link feels a corner only where that is what is nearest of the load.
        px, py = seen_from(place, ax, ay)
        beyond = abs(px) > shape.half_width and abs(py) > shape.half_height
        if not beyond or (px > 0.0) != (k == 1 or k == 2) or (py > 0.0) != (k >= 2):
            return NOWHERE
    nx, ny = ax - x, ay - y
    distance = sqrt(nx * nx + ny * ny)
    if distance > 0.0:
        nx, ny = nx / distance, ny / distance
    else:
        nx, ny = -pose[3], pose[2]
    gap = distance - link.radius - shape.radius
    return True, nx, ny, gap, ax - link.radius * nx, ay - link.radius * ny


@jit_apart
def touch_load(body: Body, a: int, pose: Pose, b: int, place: Pose, code: int) -> Touch:
    """Contact of a link or load a (links first) with load b, by its code."""
    n = body.links.shape[0]
    shape = body.shapes[b]
    round_a = a >= n and is_disc(body.shapes[a - n])
    if code < 4:
        if is_disc(shape):
            if code > 0:
                return NOWHERE
        elif round_a:
            return NOWHERE
        if a < n:
            return corner_on_link(body.links[a], pose, shape, place, code)
        x, y = corner(shape, code, place)
        own = body.shapes[a - n]
        facing = 0 if is_disc(shape) else sides_facing(own, pose, shape, place)
        within, nx, ny, distance = from_rectangle(own, pose, x, y, facing)
        there = within >= 0.0 or is_disc(shape)
        gap = distance - own.radius - shape.radius
        return there, -nx, -ny, gap, x - shape.radius * nx, y - shape.radius * ny
    k = code - 4
    if is_disc(shape) or (a < n and k > 1) or (round_a and k > 0):
        return NOWHERE
    if a < n:
        link = body.links[a]
        s = link.rear if k == 0 else link.fore
        x, y, radius = pose[0] + s * pose[2], pose[1] + s * pose[3], link.radius
    else:
        own = body.shapes[a - n]
        x, y = corner(own, k, pose)
        radius = own.radius
    facing = 0
    if a >= n and not round_a:
        facing = sides_facing(shape, place, body.shapes[a - n], pose)
    within, nx, ny, distance = from_rectangle(shape, place, x, y, facing)
    gap = distance - radius - shape.radius
    return within >= 0.0 or round_a, nx, ny, gap, x - radius * nx, y - radius * ny


@jit_apart
def touch_fixed(world: PackedWorld, shape: Item, pose: Pose, item: int, k: int) -> Touch:
    """Contact of a load with a peg or the corner of a wall (k = 0), or of its corner k with a wall.

    Items are those of links; of the two for each wall, loads use the first.
    """
    discs = world.discs.shape[0]
    if item < discs:
        disc = world.discs[item]
        within, nx, ny, distance = from_rectangle(shape, pose, disc.x, disc.y, 0)
        nearest = nx * disc.ax + ny * disc.ay >= 0.0 and nx * disc.bx + ny * disc.by >= 0.0
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
    return edge < foot < size - edge, nx, ny, distance - shape.radius, point_x, point_y


@jit
def carried(contact: Item, load: Item) -> tuple[float, float]:
    """Normal and sliding velocity of a load where it is touched, at the velocity solved for."""
    vn = contact.nx * load.ux + contact.ny * load.uy + contact.mn * load.uw
    vt = contact.nx * load.uy - contact.ny * load.ux + contact.mt * load.uw
    return vn, vt


@jit
def carried_before(contact: Item, load: Item) -> tuple[float, float]:
    """The same at the velocity before the step."""
    vn = contact.nx * load.vx + contact.ny * load.vy + contact.mn * load.omega
    vt = contact.nx * load.vy - contact.ny * load.vx + contact.mt * load.omega
    return vn, vt


@jit_apart
def gap_ahead(world: PackedWorld, body: Body, contact: Item, ahead: float) -> tuple[bool, float]:
    """Gap of a contact of or with a load after a time (s), at the velocity solved for, if any."""
    a, b, n = contact.link, contact.other, body.links.shape[0]
    owner = body.bodies[a]
    pose = pose_of(owner, ahead)
    if b < 0:
        item, k = contact.obstacle // CODES, contact.obstacle % CODES
        touch = touch_fixed(world, body.shapes[a - n], pose, item, k)
    else:
        code = contact.obstacle % CODES
        touch = touch_load(body, a, pose, b, pose_of(body.loads[b], ahead), code)
    return touch[0], touch[3]


@jit
def is_right_of(loads: Records, a: int, b: int) -> bool:
    """Whether load a comes after load b from left to right, an order that no history changes."""
    return loads[a].x > loads[b].x or (loads[a].x == loads[b].x and a > b)


@jit_apart
def sort_loads(body: Body) -> None:
    """Bring the list of loads from left to right up to date, and how far loads reach."""
    order, loads = body.loops.order, body.loads
    widest = 0.0
    for k in range(order.shape[0]):
        widest = max(widest, loads[k].radius + loads[k].margin)
        moved, place = order[k], k
        while place > 0 and is_right_of(loads, order[place - 1], moved):
            order[place] = order[place - 1]
            place -= 1
        order[place] = moved
    body.loops.widest[0] = widest


@jit
def first_right_of(order: Ints, loads: Records, x: float) -> int:
    """Place in the list of the first load that is not left of x."""
    low, high = 0, order.shape[0]
    while low < high:
        middle = (low + high) // 2
        if loads[order[middle]].x < x:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def move_loads(loads: Records, dt: float) -> None:
    """Let the loads go on for a time dt at their velocities."""
    for k in range(loads.shape[0]):
        load = loads[k]
        load.x += dt * load.vx
        load.y += dt * load.vy
        load.theta += dt * load.omega
        load.ex, load.ey = cos(load.theta), sin(load.theta)


@jit
def leave(loads: Records) -> None:
    """Note where the loads are, to come back."""
    for k in range(loads.shape[0]):
        load = loads[k]
        load.old_x, load.old_y, load.old_theta = load.x, load.y, load.theta


@jit
def come_back(loads: Records) -> None:
    """Put the loads back where a step began."""
    for k in range(loads.shape[0]):
        load = loads[k]
        load.x, load.y, load.theta = load.old_x, load.old_y, load.old_theta
        load.ex, load.ey = cos(load.theta), sin(load.theta)


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
    pose, place, shape = pose_of(owner, 0.0), pose_of(load, 0.0), body.shapes[b]
    worst = -1.0
    for code in range(CODES):
        touch = touch_load(body, a, pose, b, place, code)
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
def depth_in_obstacles(world: PackedWorld, body: Body, a: int) -> float:
    """How deep load a (links first) is in a peg or across a wall, m; below 0 if it is clear."""
    shape, pose = body.shapes[a - body.links.shape[0]], pose_of(body.bodies[a], 0.0)
    worst = -1.0
    for k in range(world.discs.shape[0]):
        disc = world.discs[k]
        distance = from_rectangle(shape, pose, disc.x, disc.y, 0)[3]
        worst = max(worst, disc.radius + shape.radius - distance)
    for k in range(world.segments.shape[0]):
        wall = world.segments[k]
        for part in range(65):
            s = part / 64.0
            x, y = wall.x1 + s * (wall.x2 - wall.x1), wall.y1 + s * (wall.y2 - wall.y1)
            worst = max(worst, shape.radius - from_rectangle(shape, pose, x, y, 0)[3])
        for j in range(4):
            touch = touch_fixed(world, shape, pose, world.discs.shape[0] + 2 * k, j)
            # Farther beyond a wall than the load is large, it is not this wall that is crossed.
            if touch[0] and -touch[3] < 2.0 * body.bodies[a].radius:
                worst = max(worst, -touch[3])
    return worst


@jit_entry
def deepest_overlap(world: PackedWorld, body: Body) -> tuple[float, int, int]:
    """How deep two of all bodies overlap, m, and which: the second a load, or -1 for an obstacle.

    Links against obstacles are not looked at.
    """
    n, loads = body.links.shape[0], body.loads.shape[0]
    worst, first, second = 0.0, 0, 0
    for a in range(n + loads):
        for b in range(max(0, a - n + 1), loads):
            depth = depth_in_load(body, a, b)
            if depth > worst:
                worst, first, second = depth, a, b
        if a >= n:
            depth = depth_in_obstacles(world, body, a)
            if depth > worst:
                worst, first, second = depth, a, -1
    return worst, first, second
