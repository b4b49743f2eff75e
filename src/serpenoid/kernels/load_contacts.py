"""The search for contacts of and with loads."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import bound_rate
from serpenoid.kernels.lanes import block, lane, lane_of
from serpenoid.kernels.layout import CODES, Body, Ints, Item, Loops, PackedWorld, Records
from serpenoid.kernels.outlines import Touch, pose_ahead, touch_fixed, touch_load


@jit
def is_right_of(blocks: Records, base: int, a: int, b: int) -> bool:
    """Whether load a comes after load b from left to right, an order that no history changes.

    base: lane of load 0.
    """
    o, at = blocks[block(base + a)], lane(base + a)
    p, k = blocks[block(base + b)], lane(base + b)
    return o.x[at] > p.x[k] or (o.x[at] == p.x[k] and a > b)


@jit_apart
def sort_loads(blocks: Records, robot: Item, loops: Loops) -> None:
    """Sort the list of loads from left to right, and update their reach."""
    order, base, widest = loops.order, robot.load_lane, 0.0
    for k in range(order.shape[0]):
        o, at = blocks[block(base + k)], lane(base + k)
        widest = max(widest, o.reach[at] + o.margin[at])
        moved, place = order[k], k
        while place > 0 and is_right_of(blocks, base, order[place - 1], moved):
            order[place] = order[place - 1]
            place -= 1
        order[place] = moved
    loops.widest[0] = widest


@jit
def first_right_of(blocks: Records, base: int, order: Ints, x: float) -> int:
    """Place in the list of the first load that is not left of x; base: lane of load 0."""
    low, high = 0, order.shape[0]
    while low < high:
        middle = (low + high) // 2
        o, at = blocks[block(base + order[middle])], lane(base + order[middle])
        if o.x[at] < x:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def law_of(discs: Records, segments: Records, item: int) -> tuple[float, float, float, float]:
    """Friction, restitution, spring (N/m) and damper (N s/m) of a peg or wall; no spring: hard."""
    if item < discs.shape[0]:
        disc = discs[item]
        return disc.friction, disc.restitution, disc.k, disc.d
    wall = segments[(item - discs.shape[0]) // 2]
    return wall.friction, wall.restitution, wall.k, wall.d


@jit
def set_coefficients(discs: Records, segments: Records, contact: Item, item: int) -> None:
    """Friction, restitution, spring and damper of a contact with a peg or wall."""
    contact.friction, contact.restitution, contact.k, contact.d = law_of(discs, segments, item)
    contact.soft = contact.k > 0.0


@jit
def margin_of(travel: float, reach: float) -> float:
    """Search radius of a body from its travel in a step and its reach, m."""
    return 1.5 * travel + 2e-3 * reach


@jit
def may_pass(o: Item, at: int, size: float) -> bool:
    """Whether a body is fast enough to pass through something compliant in a step.

    size: from the middle of the one to that of the other as they touch, m. What travels a quarter
    of it in a step is felt at several midpoints before it is through.
    """
    return bool(o.margin[at] > margin_of(0.25 * size, o.reach[at]))


@jit
def thickness(discs: Records, shape: Item, item: int) -> float:
    """How far the middle of a load is at least from that of an obstacle that it touches, m."""
    size = min(shape.half_width, shape.half_height) + shape.radius
    if item < discs.shape[0]:
        size += discs[item].radius
    return size


@jit
def _adopt(contact: Item, law: Item) -> None:
    """Take the larger of the coefficients."""
    contact.friction = max(contact.friction, law.friction)
    contact.restitution = max(contact.restitution, law.restitution)


@jit
def levers(o: Item, at: int, touch: Touch) -> tuple[float, float]:
    """Levers of normal and tangent of a contact about the centre of a body, m."""
    _, nx, ny, _, x, y = touch
    dx, dy = x - o.x[at], y - o.y[at]
    return dx * ny - dy * nx, dx * nx + dy * ny


@jit_apart
def _fill(
    world: PackedWorld, body: Body, contact: Item, pair: tuple[int, int], touch: Touch, dt: float
) -> None:
    """Fill in a contact of link or load a with load b, or with an obstacle if b is -1."""
    a, b = pair
    robot, (_, contact.nx, contact.ny, contact.gap, _, _) = body.robot[0], touch
    contact.lane, contact.other, contact.other_lane = lane_of(body.robot[0], a), b, -1
    o, at = body.blocks[block(contact.lane)], lane(contact.lane)
    contact.ground = False
    contact.ln, contact.lt = levers(o, at, touch)
    contact.mn, contact.mt, contact.friction, contact.restitution = 0.0, 0.0, 0.0, 0.0
    # Loads are hard.
    contact.k, contact.d, contact.soft = 0.0, 0.0, False
    if b < 0:
        set_coefficients(world.discs, world.segments, contact, contact.obstacle // CODES)
    if a >= robot.links:
        _adopt(contact, body.shapes[a - robot.links])
    if b >= 0:
        contact.other_lane = robot.load_lane + b
        p, k = body.blocks[block(contact.other_lane)], lane(contact.other_lane)
        _adopt(contact, body.shapes[b])
        contact.mn, contact.mt = levers(p, k, touch)
    bound_rate(body.blocks, contact, o.radius[at], dt)


@jit_apart
def find_fixed(world: PackedWorld, body: Body, a: int, count: int, dt: float) -> int:
    """List the contacts of load a with pegs and walls; how many there are then, -1 if too many."""
    o, at = body.blocks[block(lane_of(body.robot[0], a))], lane(lane_of(body.robot[0], a))
    contacts, shape = body.contacts, body.shapes[a - body.robot[0].links]
    pose, grid = pose_ahead(o, at, 0.0), world.grid[0]
    reach, discs, first = o.reach[at] + o.margin[at], world.discs.shape[0], count
    x0, x1 = (o.x[at] - reach - grid.x) / grid.cell, (o.x[at] + reach - grid.x) / grid.cell
    y0, y1 = (o.y[at] - reach - grid.y) / grid.cell, (o.y[at] + reach - grid.y) / grid.cell
    if world.items.shape[0] == 0 or x1 < 0.0 or y1 < 0.0:
        return count
    if not (x0 < grid.columns and y0 < grid.rows):
        return count
    low, high = int(max(y0, 0.0)), int(min(y1, grid.rows - 1.0))
    for column in range(int(max(x0, 0.0)), int(min(x1, grid.columns - 1.0)) + 1):
        cell = column * grid.rows
        for k in range(world.start[cell + low], world.start[cell + high + 1]):
            item = world.items[k] if world.items[k] < discs else 2 * world.items[k] - discs
            # What is compliant pushes only what has entered it.
            soft = law_of(world.discs, world.segments, item)[2] > 0.0
            margin = 0.0 if soft else o.margin[at]
            if soft and may_pass(o, at, thickness(world.discs, shape, item)):
                body.robot[0].rushes = True
            for code in range(4):
                touch = touch_fixed(world, shape, pose, item, code)
                listed = _is_listed(contacts, first, count, CODES * item + code)
                if touch[0] and touch[3] <= margin and not listed:
                    if count == contacts.shape[0]:
                        return -1
                    contacts[count].obstacle = CODES * item + code
                    _fill(world, body, contacts[count], (a, -1), touch, dt)
                    count += 1
    return count


@jit
def _is_listed(contacts: Records, first: int, count: int, obstacle: int) -> bool:
    """Whether a contact is in the list already: what reaches into several cells is met again."""
    listed = False
    for c in range(first, count):
        listed = listed or contacts[c].obstacle == obstacle
    return listed


@jit_apart
def find_loads(world: PackedWorld, body: Body, loops: Loops, a: int, count: int, dt: float) -> int:
    """List the contacts of link or load a with loads after it; how many then, -1 if too many."""
    robot, contacts, order = body.robot[0], body.contacts, loops.order
    o, at = body.blocks[block(lane_of(body.robot[0], a))], lane(lane_of(body.robot[0], a))
    reach = o.reach[at] + o.margin[at] + loops.widest[0]
    base = CODES * (world.discs.shape[0] + 2 * world.segments.shape[0])
    start = first_right_of(body.blocks, robot.load_lane, order, o.x[at] - reach)
    for place in range(start, order.shape[0]):
        b = order[place]
        p, k = body.blocks[block(robot.load_lane + b)], lane(robot.load_lane + b)
        if p.x[k] > o.x[at] + reach:
            break
        margin = o.margin[at] + p.margin[k]
        near = o.reach[at] + p.reach[k] + margin
        dx, dy = p.x[k] - o.x[at], p.y[k] - o.y[at]
        if b <= a - robot.links or dx * dx + dy * dy > near * near:
            continue
        for code in range(CODES):
            touch = touch_load(body, a, b, code, 0.0)
            if touch[0] and touch[3] <= margin:
                if count == contacts.shape[0]:
                    return -1
                contacts[count].obstacle = base + CODES * b + code
                _fill(world, body, contacts[count], (a, b), touch, dt)
                count += 1
    return count
