"""Where links meet terrain: gaps, directions, levers.

The terrain is a line from left to right, solid below. It is touched by the outlines of links: by
the circles about both ends of the straight part, and by the straight part where it passes over a
corner. Compliant terrain also pushes the circle about the middle, as in [koopaee2020]. Ends of two
links that are one circle count once. Where contact is on the axis, the outline is the line from
hinge to hinge, and these are the paper's 2 n + 1 points. A circle outside touches every piece on
which it has a foot, and corners; one whose centre has come inside by more than the margin of the
search, the nearest piece, or both pieces of the nearest hollow.
"""

from math import inf, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Item, PackedWorld, Records
from serpenoid.kernels.outlines import Capsule, capsule_of, point_at, seen_from

# An axis as little as this below a corner, in lengths of it, has just come from above.
SHALLOW = 5e-3
# Ends of outlines as near to each other as this are at the same place, m.
SAME = 1e-9

# A link and the one behind it; whether its tail end and the head end of that are one circle, and
# its head end and the tail end of the link ahead.
Pair = tuple[Capsule, Capsule, bool, bool]

# What touches: a circle about the tail end, middle or head end of the outline, or its axis.
TAIL, MIDDLE, HEAD, AXIS = range(4)


@jit
def sole(link: Capsule, thin: bool) -> Capsule:
    """Outline of a link that touches terrain; if thin, its axis from hinge to hinge."""
    x, y, ex, ey, back, front = link.x, link.y, link.ex, link.ey, link.back, link.front
    rear, fore, radius = link.rear, link.fore, link.radius
    if thin:
        rear, fore, radius = -back, front, 0.0
    return Capsule(x, y, ex, ey, back, front, rear, fore, link.middle, radius)


@jit
def is_one_end(behind: Capsule, ahead: Capsule) -> bool:
    """Whether the outlines of neighbours end in one circle about the hinge between them."""
    apart = abs(behind.front - behind.fore) + abs(ahead.back + ahead.rear)
    return apart <= SAME and behind.radius == ahead.radius


@jit
def pair_of(
    thin: bool, link: Capsule, behind: Capsule, ahead: Capsule, first: bool, last: bool
) -> Pair:
    """A link between its neighbours, unless it is the first or the last, as terrain sees it."""
    own, tail = sole(link, thin), sole(behind, thin)
    one_tail = not first and is_one_end(tail, own)
    return own, tail, one_tail, not last and is_one_end(own, sole(ahead, thin))


@jit
def piece_under(ground: Records, x: float) -> int:
    """The piece of terrain below x."""
    low, high = 0, ground.shape[0] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if ground[middle].x1 <= x:
            low = middle
        else:
            high = middle - 1
    return low


@jit
def along(piece: Item, x: float, y: float) -> float:
    """How far along a piece its point next to (x, y) is, m."""
    return (x - piece.x1) * piece.tx + (y - piece.y1) * piece.ty


@jit
def above(piece: Item, x: float, y: float) -> float:
    """Distance of (x, y) from the line through a piece, > 0 in the air, m."""
    return (y - piece.y1) * piece.tx - (x - piece.x1) * piece.ty


@jit
def depth_under(piece: Item, x: float, y: float) -> float:
    """How far straight down (x, y) is below the piece over it, < 0 in the air, m."""
    return piece.y1 + (x - piece.x1) * piece.slope - y


@jit
def square_from(piece: Item, x: float, y: float) -> float:
    """Square of the distance of (x, y) from a piece, m2."""
    a, h = along(piece, x, y), above(piece, x, y)
    beyond = -a if a < 0.0 else max(0.0, a - piece.length)
    return h * h + beyond * beyond


@jit
def _faces(ground: Records, k: int, a: float, h: float, margin: float) -> bool:
    """Whether a point is in front of piece k, a along and h above it, or may be in this step.

    Below a hollow, inside, it is in front of both pieces that meet there.
    """
    if a < 0.0:
        return ground[k].hollow and (h < 0.0 or a >= -margin)
    if a < ground[k].length:
        return True
    if k + 1 == ground.shape[0] or not ground[k + 1].hollow:
        return False
    return h < 0.0 or a <= ground[k].length + margin


@jit
def _fill(contact: Item, link: Capsule, s: float, nx: float, ny: float) -> None:
    """Normal and levers of a contact at a distance s along the link's axis."""
    contact.nx, contact.ny = nx, ny
    contact.ln = s * (link.ex * ny - link.ey * nx)
    contact.lt = s * (link.ex * nx + link.ey * ny) - link.radius


@jit
def _place(link: Capsule, point: int) -> float:
    """Where TAIL, MIDDLE or HEAD is along the axis of a link, m."""
    return link.fore if point == HEAD else (link.middle if point == MIDDLE else link.rear)


@jit
def _on_piece(
    ground: Records, link: Capsule, contact: Item, k: int, point: int, distance: float
) -> None:
    """Contact of the circle about a point with piece k, a distance above its line."""
    piece = ground[k]
    contact.obstacle = 4 * k + point
    contact.gap = distance - link.radius
    contact.friction = piece.friction
    _fill(contact, link, _place(link, point), -piece.ty, piece.tx)


@jit
def _nearest(ground: Records, first: int, x: float, y: float, reach: float) -> tuple[int, int]:
    """The piece nearest to a point within a reach (m), or the first; -1 or 1 if that is its end."""
    nearest, end, least = first, 0, inf
    for way in range(2):
        k = first if way == 0 else first + 1
        while 0 <= k < ground.shape[0]:
            piece = ground[k]
            if (piece.x2 < x - reach) if way == 0 else (piece.x1 > x + reach):
                break
            a, square = along(piece, x, y), square_from(piece, x, y)
            if square < least:
                nearest, least = k, square
                end = -1 if a < 0.0 else (1 if a > piece.length else 0)
                reach = min(reach, sqrt(square))
            k += 1 if way == 1 else -1
    return nearest, end


@jit
def _passes_corner(pair: Pair, point: int, x: float, y: float) -> bool:
    """Whether the round end of a link, not a straight side, is what is nearest to (x, y)."""
    link, tail, one_tail, _ = pair
    s = (x - link.x) * link.ex + (y - link.y) * link.ey
    if point == HEAD:
        return s >= link.fore
    if s > link.rear and not is_round(link):
        return False
    return not one_tail or (x - tail.x) * tail.ex + (y - tail.y) * tail.ey >= tail.fore


@jit
def is_round(link: Capsule) -> bool:
    """Whether the outline of a link is a circle, without a straight part."""
    return link.fore - link.rear <= SAME


@jit_apart
def _touch_inside(
    ground: Records, link: Capsule, point: int, depth: float, contacts: Records, count: int
) -> int:
    """Add the contacts of a circle whose centre is inside; how many there are then.

    depth: how far the centre is below the piece under it, m.
    """
    s = _place(link, point)
    x, y = link.x + s * link.ex, link.y + s * link.ey
    k, end = _nearest(ground, piece_under(ground, x), x, y, depth)
    if end > 0:
        k += 1
    hollow = end != 0 and ground[k].hollow
    for b in range(k - 1 if hollow else k, k + 1):
        if count < contacts.shape[0] - 4:
            _on_piece(ground, link, contacts[count], b, point, above(ground[b], x, y))
            count += 1
    return count


@jit_apart
def _touch(
    ground: Records, pair: Pair, point: int, margin: float, contacts: Records, count: int
) -> int:
    """Add the contacts of the circle about a point of a link; how many there are then."""
    link, s = pair[0], _place(pair[0], point)
    x, y = link.x + s * link.ex, link.y + s * link.ey
    k = piece_under(ground, x)
    depth = depth_under(ground[k], x, y)
    if depth > margin:
        return _touch_inside(ground, link, point, depth, contacts, count)
    reach = link.radius + margin
    while k > 0 and ground[k - 1].x2 >= x - reach:
        k -= 1
    while k < ground.shape[0] and ground[k].x1 <= x + reach and count < contacts.shape[0] - 4:
        piece = ground[k]
        a, h = along(piece, x, y), above(piece, x, y)
        if -margin <= h <= reach and _faces(ground, k, a, h, margin):
            _on_piece(ground, link, contacts[count], k, point, h)
            count += 1
        elif a < 0.0 and piece.corner and point != MIDDLE:
            dx, dy = x - piece.x1, y - piece.y1
            distance = sqrt(dx * dx + dy * dy)
            before = ground[k - 1]
            outside = 0.0 < distance <= reach and along(before, x, y) >= before.length
            if outside and _passes_corner(pair, point, piece.x1, piece.y1):
                contact = contacts[count]
                contact.obstacle = 4 * (ground.shape[0] + k) + point
                contact.gap, contact.friction = distance - link.radius, piece.friction
                _fill(contact, link, s, dx / distance, dy / distance)
                count += 1
        k += 1
    return count


@jit
def corner_gap(
    ground: Records, k: int, link: Capsule, turn: float
) -> tuple[bool, float, float, float, float]:
    """Whether the axis of a link passes over the corner before piece k, turned by up to `turn`.

    One that is below the corner does if its ends are on either side of the corner's bisector: a
    link that runs its head into a riser is not held up by the edge. Also its distance from the
    corner, < 0 if it passes below, its normal and the place along it.
    """
    piece, before = ground[k], ground[k - 1]
    x, y, ex, ey = link.x, link.y, link.ex, link.ey
    tail_x, tail_y = x + link.rear * ex, y + link.rear * ey
    head_x, head_y = x + link.fore * ex, y + link.fore * ey
    tail = above(before, tail_x, tail_y) - above(piece, tail_x, tail_y)
    head = above(before, head_x, head_y) - above(piece, head_x, head_y)
    rx, ry = piece.x1 - x, piece.y1 - y
    s = rx * ex + ry * ey
    nx, ny = -ey, ex
    if nx * (piece.ty + before.ty) - ny * (piece.tx + before.tx) > 0.0:
        nx, ny = -nx, -ny
    over = nx * piece.tx + ny * piece.ty <= turn and -turn <= nx * before.tx + ny * before.ty
    distance = -rx * nx - ry * ny
    over = over and (tail * head < 0.0 or distance > -SHALLOW * (link.fore - link.rear))
    return over and link.rear < s < link.fore, distance, nx, ny, s


@jit_apart
def touch_terrain(
    world: PackedWorld, pair: Pair, margin: float, contacts: Records, count: int
) -> int:
    """Add the contacts of a link with the terrain, gaps up to a margin; how many there are then.

    Gaps, directions, levers and friction only. -1 if there is no room for more.
    """
    ground: Records = world.ground
    link, reach = pair[0], pair[0].radius + margin
    tail_x, tail_y = link.x + link.rear * link.ex, link.y + link.rear * link.ey
    head_x, head_y = link.x + link.fore * link.ex, link.y + link.fore * link.ey
    if min(tail_y, head_y) - reach > world.top:
        return count
    for point in range(3):
        # The middle of a straight link cannot be the first to touch hard ground.
        if point == MIDDLE and world.hard:
            continue
        # Circles that are there already.
        if (point == HEAD and pair[3]) or (point > TAIL and is_round(link)):
            continue
        count = _touch(ground, pair, point, margin, contacts, count)
    # One that lies flush before a corner may turn over it in the step.
    turn = margin / (link.radius - link.rear)
    k = piece_under(ground, min(tail_x, head_x) - reach)
    last = max(tail_x, head_x) + reach
    while k < ground.shape[0] and ground[k].x1 <= last:
        if ground[k].corner and count < contacts.shape[0] - 4:
            over, distance, nx, ny, s = corner_gap(ground, k, link, turn)
            if over and distance <= reach:
                contact = contacts[count]
                contact.obstacle = 4 * (ground.shape[0] + k) + AXIS
                contact.gap, contact.friction = distance - link.radius, ground[k].friction
                _fill(contact, link, s, nx, ny)
                count += 1
        k += 1
    return -1 if count >= contacts.shape[0] - 4 else count


@jit_apart
def touch_ground(
    world: PackedWorld, links: Records, i: int, margin: float, contacts: Records, count: int
) -> int:
    """The same for link i of records."""
    n = links.shape[0]
    behind, ahead = capsule_of(links[max(i - 1, 0)]), capsule_of(links[min(i + 1, n - 1)])
    pair = pair_of(world.thin, capsule_of(links[i]), behind, ahead, i == 0, i == n - 1)
    return touch_terrain(world, pair, margin, contacts, count)


@jit_apart
def ground_gap(ground: Records | None, link: Capsule, item: int) -> tuple[bool, float]:
    """Whether a link still touches an item of `touch_terrain`, and the gap, m."""
    if ground is None:
        return False, 0.0
    point, k = item % 4, item // 4
    if k >= ground.shape[0]:
        corner = ground[k - ground.shape[0]]
        over, distance, _, _, s = corner_gap(ground, k - ground.shape[0], link, 0.0)
        if not over:
            s = min(max(s, link.rear), link.fore)
            px, py = link.x + s * link.ex - corner.x1, link.y + s * link.ey - corner.y1
            distance = sqrt(px * px + py * py)
        return True, distance - link.radius
    s = _place(link, point)
    px, py = link.x + s * link.ex, link.y + s * link.ey
    a, h = along(ground[k], px, py), above(ground[k], px, py)
    if _faces(ground, k, a, h, 0.0):
        return True, h - link.radius
    # Past its end: what is nearest of it is that.
    return h > 0.0, sqrt(square_from(ground[k], px, py)) - link.radius


@jit_apart
def depth_in_ground(ground: Records, link: Capsule) -> float:
    """How deep a link is in the terrain wherever it is, m; below 0 if it is clear.

    The deepest of both ends and of the points of the terrain about it: those above the axis, which
    it pierces, are as much deeper than its radius as they are above it.
    """
    left, right, worst = inf, -inf, -inf
    for end in range(2):
        x, y = point_at(link, link.rear if end == 0 else link.fore)
        left, right, k = min(left, x), max(right, x), piece_under(ground, x)
        depth = depth_under(ground[k], x, y)
        k = _nearest(ground, k, x, y, max(depth, link.radius))[0]
        distance = sqrt(square_from(ground[k], x, y))
        worst = max(worst, link.radius + (distance if depth > 0.0 else -distance))
    k = piece_under(ground, left - link.radius) + 1
    while k < ground.shape[0] and ground[k].x1 <= right + link.radius:
        x, y = ground[k].x1, ground[k].y1
        s, across = seen_from((link.x, link.y, link.ex, link.ey), x, y)
        over = across if link.ex > 0.0 else -across
        if not (left < x < right and over > 0.0):
            beyond = s - min(max(s, link.rear), link.fore)
            over = -sqrt(across * across + beyond * beyond)
        worst = max(worst, link.radius + over)
        k += 1
    return worst
