"""The search for contacts: what is near, and where it is touched.

Contacts of links with pegs and walls last as long as the two are near each other and keep their
impulses; they come first in the list. What is near is surveyed with some room to spare, and again
when that is used up. Contacts with terrain, loads and other links are passing: they are listed anew
in every step and take their impulses from those of the last one (`Body.previous`).
"""

from math import hypot, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import begin_contact, begin_soft, bound_rate
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    TOO_FAST,
    Body,
    Item,
    PackedWorld,
    Records,
)
from serpenoid.kernels.load_contacts import margin_of, may_pass, set_coefficients
from serpenoid.kernels.outlines import Capsule, capsule, nearest_points
from serpenoid.kernels.passing_contacts import find_passing
from serpenoid.kernels.self_contacts import leaves, survey_links, touches_itself


@jit
def look_ahead(blocks: Records, dt: float) -> None:
    """Set the margin of every body to somewhat more than it travels at its velocity."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            vx, vy, reach = o.vx[at], o.vy[at], o.reach[at]
            travel = dt * (sqrt(vx * vx + vy * vy) + abs(o.omega[at]) * reach)
            o.margin[at] = margin_of(travel, reach)


@jit
def look_farther(blocks: Records, dt: float) -> bool:
    """Whether a body leaves its margin at the solved velocity; if so, widen the margins."""
    outrun = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ux, uy = dt * o.ux[at], dt * o.uy[at]
            # Squares, because a root would take longer than all else in this loop.
            rest = o.margin[at] - dt * abs(o.uw[at]) * o.reach[at]
            outrun += 1 if (rest < 0.0) | (ux * ux + uy * uy > rest * rest) else 0
    if outrun > 0:
        widen_margins(blocks, dt)
    return outrun > 0


@jit
def outruns(blocks: Records, dt: float, apart: bool) -> bool:
    """Whether a body leaves the region searched; if so, widen the next search.

    apart: there was no search, because the last survey has found nothing near.
    """
    if not apart:
        return look_farther(blocks, dt)
    left = leaves(blocks, dt)
    if left:
        look_ahead(blocks, dt)
    return left


@jit_apart
def widen_margins(blocks: Records, dt: float) -> None:
    """Widen the margins of bodies that leave them to twice their travel."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            travel = dt * (hypot(o.ux[at], o.uy[at]) + abs(o.uw[at]) * o.reach[at])
            if travel > o.margin[at]:
                o.margin[at] = 2.0 * travel


@jit
def has_left(blocks: Records) -> bool:
    """Whether a body may touch something outside the region searched."""
    left = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            moved = abs(o.x[at] - o.seen_x[at]) + abs(o.y[at] - o.seen_y[at])
            moved += o.reach[at] * abs(o.mid[at] - o.seen_mid[at])
            left += 1 if moved + o.margin[at] > o.horizon[at] else 0
    return left > 0


@jit
def cells_about(grid: Item, link: Capsule, horizon: float) -> tuple[int, int, int, int]:
    """Columns and rows of the grid within a horizon (m) of a link: first, last of each."""
    around = link.radius + horizon
    # The axis, which counts where contact is at the centre, may be longer than the outline.
    along = max(-link.rear, link.back - link.radius)
    rx, ry = along * abs(link.ex) + around, along * abs(link.ey) + around
    x0, x1 = (link.x - rx - grid.x) / grid.cell, (link.x + rx - grid.x) / grid.cell
    y0, y1 = (link.y - ry - grid.y) / grid.cell, (link.y + ry - grid.y) / grid.cell
    if x1 < 0.0 or y1 < 0.0 or not (x0 < grid.columns and y0 < grid.rows):
        return 0, -1, 0, -1
    low, high = int(max(x0, 0.0)), int(min(x1, grid.columns - 1.0))
    return low, high, int(max(y0, 0.0)), int(min(y1, grid.rows - 1.0))


@jit
def is_within(world: PackedWorld, link: Capsule, item: int, horizon: float) -> bool:
    """Whether a link that moves by no more than a horizon (m) may get to an item."""
    if world.centre:
        return bool(side_of(link, world.discs[item])[0] <= horizon)
    _, nx, ny, size, _ = nearest_points(world.discs, world.segments, link, item, horizon)
    within = size + horizon
    return bool(nx * nx + ny * ny <= within * within)


@jit
def insert_item(contacts: Records, first: int, count: int, item: int) -> int:
    """Insert an item into the ascending list of a link's contacts unless it is there; how many."""
    place = count
    while place > first and contacts[place - 1].obstacle >= item:
        place -= 1
    if place < count and contacts[place].obstacle == item:
        return count
    for k in range(count, place, -1):
        contacts[k].obstacle = contacts[k - 1].obstacle
    contacts[place].obstacle = item
    return count + 1


@jit
def _survey_link(world: PackedWorld, body: Body, i: int, count: int) -> int:
    """List what is near link i, cell by cell; how many contacts there are then, -1 if too many."""
    o, at = body.blocks[block(i)], lane(i)
    grid, discs, first = world.grid[0], world.discs.shape[0], count
    link, horizon = capsule(o, at), o.horizon[at]
    left, right, low, high = cells_about(grid, link, horizon)
    for column in range(left, right + 1):
        # The rows of a column lie one after the other.
        cell = column * grid.rows
        for k in range(world.start[cell + low], world.start[cell + high + 1]):
            item, ends = world.items[k], 1
            if item >= discs:
                item, ends = 2 * item - discs, 2
            for end in range(ends):
                if not is_within(world, link, item + end, horizon):
                    continue
                if count == body.contacts.shape[0]:
                    return -1
                count = insert_item(body.contacts, first, count, item + end)
    return count


@jit_apart
def survey(world: PackedWorld, body: Body) -> int:
    """Search the surroundings of all bodies, with a margin; status."""
    robot = body.robot[0]
    for i in range(robot.links):
        o, at = body.blocks[block(i)], lane(i)
        o.horizon[at] = 0.3 * o.reach[at] + 2.0 * o.margin[at]
        o.seen_x[at], o.seen_y[at], o.seen_mid[at] = o.x[at], o.y[at], o.mid[at]
    # Of all or nothing: to be surveyed again with more room.
    robot.stale, robot.rubs, robot.bounces = True, False, False
    if survey_links(body, body.self_contacts) != DONE:
        return CONTACTS_FULL
    if world.items.shape[0] > 0 and survey_obstacles(world, body) != DONE:
        return CONTACTS_FULL
    robot.stale = False
    return DONE


@jit_apart
def survey_obstacles(world: PackedWorld, body: Body) -> int:
    """List the obstacles near links, with the impulses of the last step; status."""
    robot, contacts, spare = body.robot[0], body.contacts, body.spare
    olds, count, old = robot.lasting, 0, 0
    for c in range(olds):
        spare[c] = contacts[c]
    for i in range(robot.links):
        first = count
        count = _survey_link(world, body, i, first)
        if count < 0:
            for c in range(olds):
                contacts[c] = spare[c]
            return CONTACTS_FULL
        while old < olds and spare[old].link < i:
            old += 1
        for c in range(first, count):
            contact = contacts[c]
            contact.link, contact.lane, contact.other, contact.other_lane = i, i, -1, -1
            contact.kept_n, contact.kept_t, contact.kept_grips = 0.0, 0.0, False
            contact.kept, contact.side, contact.near = False, 0, False
            contact.ground, contact.mn, contact.mt = False, 0.0, 0.0
            set_coefficients(world.discs, world.segments, contact, contact.obstacle)
            robot.rubs = robot.rubs or contact.friction > 0.0
            robot.bounces = robot.bounces or contact.restitution > 0.0
            for k in range(old, olds):
                if spare[k].link > i:
                    break
                if spare[k].obstacle == contact.obstacle:
                    take_over(contact, spare[k])
    robot.lasting = count
    return DONE


@jit
def take_over(contact: Item, old: Item) -> None:
    """Start a contact from the impulses kept for it."""
    contact.kept_n, contact.kept_t, contact.kept_grips = old.kept_n, old.kept_t, old.kept_grips
    contact.kept, contact.side = old.kept, old.side


@jit
def place_contact(
    contact: Item, link: Capsule, nearest: tuple[bool, float, float, float, float]
) -> None:
    """Gap, normal and levers of a contact from its nearest points."""
    _, nx, ny, size, s = nearest
    distance = sqrt(nx * nx + ny * ny)
    if distance > 0.0:
        nx, ny = nx / distance, ny / distance
    else:
        nx, ny = -link.ey, link.ex
    contact.gap, contact.nx, contact.ny = distance - size, nx, ny
    contact.ln = s * (link.ex * ny - link.ey * nx)
    contact.lt = s * (link.ex * nx + link.ey * ny) - link.radius


@jit
def describe(world: PackedWorld, blocks: Records, robot: Item, contact: Item, dt: float) -> None:
    """Fill in a lasting contact, if it is near enough to matter in this step."""
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    link = capsule(o, at)
    # What is compliant pushes only what has entered it.
    margin = 0.0 if contact.soft else o.margin[at]
    nearest = nearest_points(world.discs, world.segments, link, contact.obstacle, margin)
    exists, nx, ny, size, _ = nearest
    within = size + margin
    contact.near = exists and nx * nx + ny * ny <= within * within
    robot.rushes = robot.rushes or (contact.soft and may_pass(o, at, size))
    if contact.near:
        place_contact(contact, link, nearest)
        bound_rate(blocks, contact, link.radius, dt)
        begin_contact(contact, o.mass[at])
        if contact.soft:
            begin_soft(blocks, contact, dt)


@jit
def side_of(link: Capsule, disc: Item) -> tuple[float, int]:
    """Gap of a link without width and a peg, m, and the side of the peg it is on."""
    dx, dy = link.x - disc.x, link.y - disc.y
    s = min(max(-dx * link.ex - dy * link.ey, -link.back), link.front)
    gap = sqrt((dx + s * link.ex) ** 2 + (dy + s * link.ey) ** 2) - disc.radius
    return gap, 1 if dy * link.ex - dx * link.ey > 0.0 else -1


@jit_apart
def describe_centre(discs: Records, blocks: Records, contact: Item, dt: float) -> None:
    """Contact of a link without width with a peg: across it, at its middle [liljeback2011 II].

    There is contact while the axis is nearer to the peg's centre than its radius. The link stays on
    the side it came from, and is not pushed out: only its velocity is constrained, so it may get
    deeper by turning, or pass head-on.
    """
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    link, disc = capsule(o, at), discs[contact.obstacle]
    dx, dy, within = link.x - disc.x, link.y - disc.y, link.back + disc.radius + o.margin[at]
    # Most are farther than that, which is quicker to see than how far.
    contact.near = dx * dx + dy * dy <= within * within
    if not contact.near:
        return
    gap, side = side_of(link, disc)
    contact.near = gap <= o.margin[at]
    if contact.near:
        known = contact.kept and contact.side != 0
        contact.gap, contact.side = gap, contact.side if known else side
        contact.nx, contact.ny = -contact.side * o.ey[at], contact.side * o.ex[at]
        contact.ln, contact.lt = contact.side * link.middle, 0.0
        contact.rate = -max(gap, 0.0) / dt
        begin_contact(contact, o.mass[at])


@jit_apart
def find_contacts(world: PackedWorld, body: Body, dt: float) -> int:
    """Describe every contact that could be reached in this step; status."""
    robot = body.robot[0]
    robot.rushes = False
    surveys = world.items.shape[0] > 0 or touches_itself(body.self_contacts)
    if surveys and (robot.stale or has_left(body.blocks)) and survey(world, body) != DONE:
        return CONTACTS_FULL
    if world.items.shape[0] > 0:
        for c in range(robot.lasting):
            if world.centre:
                describe_centre(world.discs, body.blocks, body.contacts[c], dt)
            else:
                describe(world, body.blocks, robot, body.contacts[c], dt)
    else:
        robot.lasting = 0
    body.counts[0] = robot.lasting
    status = find_passing(world, body, world.ground, body.loops, body.self_contacts, dt)
    return TOO_FAST if status == DONE and robot.rushes else status
