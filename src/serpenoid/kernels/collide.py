"""Where the outline of a link meets pegs and walls: gaps, directions, and the search for them.

A link's outline is a capsule. Against a disc the contact point moves along the whole outline
[transeth2008 (8)-(10)]. Against a wall each of the two round ends may touch the straight part, and
the wall's corners are discs of zero radius, so every place of first contact is covered once.
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import bound, normal_velocity, tangent_velocity
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    Body,
    Ints,
    Item,
    PackedWorld,
    Records,
)
from serpenoid.kernels.load_bodies import sort_loads
from serpenoid.kernels.load_contacts import find_fixed, find_loads
from serpenoid.kernels.terrain_contacts import touch_ground

# Rounding of an angle that may be a right one, m2.
FLUSH = 1e-12


@jit
def nearest_points(
    discs: Records,
    segments: Records,
    link: Item,
    item: int,
    x: float,
    y: float,
    ex: float,
    ey: float,
) -> tuple[bool, float, float, float, float]:
    """Nearest points of an item and of the axis of a link placed at (x, y), direction (ex, ey).

    Items count the discs first, then two per segment: for the link's tail end and its head end.
    Returns whether they can touch there, the vector from the item to the axis, the sum of the radii
    and the offset along the axis, m.
    """
    if item < discs.shape[0]:
        disc = discs[item]
        dx, dy = x - disc.x, y - disc.y
        s = min(max(-dx * ex - dy * ey, link.rear), link.fore)
        dx, dy = dx + s * ex, dy + s * ey
        # A link that lies flush on a wall has its corner right across.
        nearest = dx * disc.ax + dy * disc.ay <= FLUSH and dx * disc.bx + dy * disc.by <= FLUSH
        return nearest, dx, dy, link.radius + disc.radius, s
    side = item - discs.shape[0]
    wall = segments[side // 2]
    s = link.fore if side % 2 == 1 else link.rear
    px, py = x + s * ex - wall.x1, y + s * ey - wall.y1
    wx, wy = wall.x2 - wall.x1, wall.y2 - wall.y1
    foot = (px * wx + py * wy) / (wx * wx + wy * wy)
    return 0.0 < foot < 1.0, px - foot * wx, py - foot * wy, link.radius, s


@jit
def _describe_centre(discs: Records, link: Item, contact: Item, item: int, dt: float) -> bool:
    """Contact of a link without width with a peg: across it, at its centre [liljeback2011 II].

    There is contact while the axis is nearer to the peg's centre than its radius. The link stays on
    the side it came from, and is not pushed out: only its velocity is constrained, so it may get
    deeper by turning, or pass head-on.
    """
    disc = discs[item]
    dx, dy = link.x - disc.x, link.y - disc.y
    s = min(max(-dx * link.ex - dy * link.ey, -link.half), link.half)
    gap = sqrt((dx + s * link.ex) ** 2 + (dy + s * link.ey) ** 2) - disc.radius
    if gap > link.margin:
        return False
    contact.obstacle = item
    contact.gap = gap
    contact.side = 1 if dy * link.ex - dx * link.ey > 0.0 else -1
    contact.ln, contact.lt = 0.0, 0.0
    contact.friction, contact.restitution = disc.friction, disc.restitution
    contact.rate, contact.stick = -max(gap, 0.0) / dt, 0.0
    contact.other = -1
    return True


@jit
def _face(link: Item, contact: Item) -> None:
    """The normal of a contact at the centre of a link, on its side."""
    contact.nx, contact.ny = -contact.side * link.ey, contact.side * link.ex


@jit
def _bound_rate(link: Item, contact: Item, dt: float) -> None:
    """The least admissible rate of a contact with what does not move."""
    approach = normal_velocity(contact, link.vx, link.vy, link.omega)
    slide = tangent_velocity(contact, link.vx, link.vy, link.omega)
    bound(contact, approach, slide, link.radius, dt)


@jit_apart
def _find_ground(world: PackedWorld, body: Body, i: int, count: int, dt: float) -> int:
    """List the contacts of link i with the terrain; how many there are then, -1 if too many.

    Compliant terrain pushes a link that has entered it, at the end of the step: by
    -dt k (gap + dt/2 gamma) - dt d gamma, as long as that is a push.
    """
    link, contacts = body.links[i], body.contacts
    margin = link.margin if world.hard else 0.0
    found = touch_ground(world, body.links, i, margin, contacts, count)
    base = world.discs.shape[0] + 2 * world.segments.shape[0]
    for c in range(count, found):
        contact = contacts[c]
        contact.obstacle += base
        contact.side, contact.other = 0, -1
        contact.restitution = world.restitution
        contact.r = dt * (0.5 * dt * world.k + world.d)
        if world.hard:
            _bound_rate(link, contact, dt)
        else:
            contact.rate, contact.stick = 0.0, 0.0
    return found


@jit_apart
def _mark_ground(world: PackedWorld, link: Item, contacts: Records, pegs: int, dt: float) -> None:
    """Tell the contacts of a link with the terrain, from `pegs` on, from the others."""
    for c in range(link.first, link.last):
        contact = contacts[c]
        contact.ground = c >= pegs
        contact.soft = contact.ground and not world.hard
        if contact.soft:
            contact.pn = -dt * world.k * contact.gap
            if contact.cap == 0.0:
                rate = normal_velocity(contact, link.vx, link.vy, link.omega)
                contact.cap = max(0.0, contact.pn - contact.r * rate)


@jit
def _describe(
    discs: Records, segments: Records, link: Item, contact: Item, item: int, dt: float
) -> bool:
    """Fill in the contact of a link with an item; whether it is near enough to matter.

    The least admissible normal velocity is -gap/dt, so that the gap at the next midpoint cannot
    become negative; one that is negative already is widened only beyond SLOP. In an impact with
    restitution e the velocity is at least -e times that of the approach, and friction acts against
    the sliding velocity beyond -e times that of before: with one e for both no impact adds energy.
    """
    exists, nx, ny, size, s = nearest_points(
        discs, segments, link, item, link.x, link.y, link.ex, link.ey
    )
    square = nx * nx + ny * ny
    within = size + link.margin
    if not exists or square > within * within:
        return False
    distance = sqrt(square)
    if distance > 0.0:
        nx, ny = nx / distance, ny / distance
    else:
        nx, ny = -link.ey, link.ex
    gap = distance - size
    contact.obstacle, contact.other = item, -1
    contact.gap = gap
    contact.nx = nx
    contact.ny = ny
    contact.ln = s * (link.ex * ny - link.ey * nx)
    contact.lt = s * (link.ex * nx + link.ey * ny) - link.radius
    if item < discs.shape[0]:
        contact.friction = discs[item].friction
        contact.restitution = discs[item].restitution
    else:
        wall = segments[(item - discs.shape[0]) // 2]
        contact.friction = wall.friction
        contact.restitution = wall.restitution
    _bound_rate(link, contact, dt)
    return True


@jit
def _remember(row: Ints, known: int, item: int) -> int:
    """Insert an item into an ascending list unless it is there; the new length, or -1 if full."""
    place = known
    while place > 0 and row[place - 1] >= item:
        place -= 1
    if place < known and row[place] == item:
        return known
    if known == row.shape[0]:
        return -1
    for k in range(known, place, -1):
        row[k] = row[k - 1]
    row[place] = item
    return known + 1


@jit_apart
def _survey(
    discs: int, grid: Item, start: Ints, items: Ints, link: Item, row: Ints, horizon: float
) -> int:
    """List all items within a horizon (m) of a link, cell by cell; how many, or -1 if too many."""
    around = link.radius + horizon
    rx = -link.rear * abs(link.ex) + around
    ry = -link.rear * abs(link.ey) + around
    x0 = (link.x - rx - grid.x) / grid.cell
    x1 = (link.x + rx - grid.x) / grid.cell
    y0 = (link.y - ry - grid.y) / grid.cell
    y1 = (link.y + ry - grid.y) / grid.cell
    if x1 < 0.0 or y1 < 0.0 or x0 >= grid.columns or y0 >= grid.rows:
        return 0
    known = 0
    low, high = int(max(y0, 0.0)), int(min(y1, grid.rows - 1.0))
    for column in range(int(max(x0, 0.0)), int(min(x1, grid.columns - 1.0)) + 1):
        # The rows of a column lie one after the other.
        cell = column * grid.rows
        for k in range(start[cell + low], start[cell + high + 1]):
            item, ends = items[k], 1
            if item >= discs:
                item, ends = 2 * item - discs, 2
            for end in range(ends):
                known = _remember(row, known, item + end)
                if known < 0:
                    return -1
    return known


@jit
def find_contacts(world: PackedWorld, body: Body, dt: float) -> int:
    """List every contact a link or load could reach in this step, with the impulses it had before.

    What is near a link is surveyed with some room to spare, and again when that is used up.
    """
    links, contacts, previous, near = body.bodies, body.contacts, body.previous, body.near
    n, loads = body.links.shape[0], body.loads.shape[0]
    discs, segments, start, items = world.discs, world.segments, world.start, world.items
    grid = world.grid[0]
    body.counts[0] = 0
    # A literal 0 would have all that it is passed to compiled once more for itself.
    count, old, olds = body.counts[0], 0, body.counts[1]
    if loads > 0:
        sort_loads(body)
    for i in range(links.shape[0]):
        link = links[i]
        link.first = count
        reach = link.radius - link.rear
        moved = abs(link.x - link.seen_x) + abs(link.y - link.seen_y)
        moved += reach * abs(link.theta - link.seen_theta)
        if moved + link.margin > link.horizon:
            link.horizon = 0.3 * reach + 2.0 * link.margin
            link.seen_x, link.seen_y, link.seen_theta = link.x, link.y, link.theta
            row = near[i]
            link.near = _survey(discs.shape[0], grid, start, items, link, row, link.horizon)
            if link.near < 0:
                link.horizon = 0.0
                return CONTACTS_FULL
        for k in range(link.near):
            if i >= n:
                count = find_fixed(world, body, i, near[i, k], count, dt)
                if count < 0:
                    return CONTACTS_FULL
                continue
            if count == contacts.shape[0]:
                return CONTACTS_FULL
            if world.centre:
                found = _describe_centre(discs, link, contacts[count], near[i, k], dt)
            else:
                found = _describe(discs, segments, link, contacts[count], near[i, k], dt)
            if found:
                count += 1
        pegs = count
        if world.ground.shape[0] > 0:
            count = _find_ground(world, body, i, count, dt)
            if count < 0:
                return CONTACTS_FULL
        if loads > 0:
            count = find_loads(world, body, i, count, dt)
            if count < 0:
                return CONTACTS_FULL
        link.last = count
        while old < olds and previous[old].link < i:
            old += 1
        for c in range(link.first, count):
            contact = contacts[c]
            contact.link, contact.pn, contact.pt, contact.cap = i, 0.0, 0.0, 0.0
            contact.mass = link.mass
            if contact.other >= 0:
                contact.mass = min(link.mass, body.loads[contact.other].mass)
            contact.grips = False
            for o in range(old, olds):
                if previous[o].link > i:
                    break
                if previous[o].obstacle == contact.obstacle:
                    contact.pn, contact.pt = previous[o].qn, previous[o].qt
                    contact.cap = contact.pn
                    contact.grips = previous[o].grips
                    if previous[o].side != 0:
                        contact.side = previous[o].side
                    break
            contact.miss, contact.gain = 0.0, 1.0
            if world.centre:
                _face(link, contact)
        if world.ground.shape[0] > 0:
            _mark_ground(world, link, contacts, pegs, dt)
    body.counts[0] = count
    return DONE


@jit
def _travel(link: Item, vx: float, vy: float, w: float, dt: float) -> float:
    """Bound on how far any point of the outline gets in a time dt, m."""
    return dt * (sqrt(vx * vx + vy * vy) + abs(w) * (link.radius - link.rear))


@jit
def look_ahead(links: Records, dt: float) -> None:
    """Let every link look somewhat farther than it will travel at its present velocity."""
    for i in range(links.shape[0]):
        link = links[i]
        spare = 2e-3 * (link.radius - link.rear)
        link.margin = 1.5 * _travel(link, link.vx, link.vy, link.omega, dt) + spare


@jit
def look_farther(links: Records, dt: float) -> bool:
    """Whether a link would outrun its margin at the solved velocity; if so, margins are widened."""
    outrun = False
    for i in range(links.shape[0]):
        link = links[i]
        travel = _travel(link, link.ux, link.uy, link.uw, dt)
        if travel > link.margin:
            link.margin = 2.0 * travel
            outrun = True
    return outrun
