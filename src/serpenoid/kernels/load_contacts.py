"""The search for contacts of and with loads."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import bound, normal_velocity, tangent_velocity
from serpenoid.kernels.layout import Body, Item, PackedWorld
from serpenoid.kernels.load_bodies import (
    CODES,
    Touch,
    carried_before,
    first_right_of,
    pose_of,
    touch_fixed,
    touch_load,
)


@jit_apart
def _fill(
    world: PackedWorld, body: Body, contact: Item, a: int, b: int, touch: Touch, dt: float
) -> None:
    """Fill in a contact of link or load a with load b, or with an obstacle if b is -1."""
    owner, n = body.bodies[a], body.links.shape[0]
    _, nx, ny, contact.gap, x, y = touch
    contact.nx, contact.ny, contact.side, contact.other = nx, ny, 0, b
    dx, dy = x - owner.x, y - owner.y
    contact.ln, contact.lt = dx * ny - dy * nx, dx * nx + dy * ny
    contact.friction, contact.restitution = 0.0, 0.0
    approach = normal_velocity(contact, owner.vx, owner.vy, owner.omega)
    slide = tangent_velocity(contact, owner.vx, owner.vy, owner.omega)
    if a >= n:
        _adopt(contact, body.shapes[a - n])
    if b >= 0:
        load = body.loads[b]
        _adopt(contact, body.shapes[b])
        dx, dy = x - load.x, y - load.y
        contact.mn, contact.mt = dx * ny - dy * nx, dx * nx + dy * ny
        vn, vt = carried_before(contact, load)
        approach, slide = approach - vn, slide - vt
    elif contact.obstacle // CODES < world.discs.shape[0]:
        _adopt(contact, world.discs[contact.obstacle // CODES])
    else:
        _adopt(contact, world.segments[(contact.obstacle // CODES - world.discs.shape[0]) // 2])
    bound(contact, approach, slide, owner.radius, dt)
    contact.rate0, contact.stick0 = contact.rate, contact.stick


@jit
def _adopt(contact: Item, law: Item) -> None:
    """Let the larger coefficients hold."""
    contact.friction = max(contact.friction, law.friction)
    contact.restitution = max(contact.restitution, law.restitution)


@jit_apart
def find_fixed(world: PackedWorld, body: Body, a: int, item: int, count: int, dt: float) -> int:
    """List the contacts of load a with an item; how many there are then, -1 if too many."""
    load, contacts = body.bodies[a], body.contacts
    shape = body.shapes[a - body.links.shape[0]]
    pose = pose_of(load, 0.0)
    for k in range(4):
        touch = touch_fixed(world, shape, pose, item, k)
        if touch[0] and touch[3] <= load.margin:
            if count == contacts.shape[0]:
                return -1
            contacts[count].obstacle = CODES * item + k
            _fill(world, body, contacts[count], a, -1, touch, dt)
            count += 1
    return count


@jit_apart
def find_loads(world: PackedWorld, body: Body, a: int, count: int, dt: float) -> int:
    """List the contacts of link or load a with loads after it; how many then, -1 if too many."""
    owner, contacts, loads, order = body.bodies[a], body.contacts, body.loads, body.loops.order
    n = body.links.shape[0]
    around = owner.radius - owner.rear
    reach = around + owner.margin + body.loops.widest[0]
    base = CODES * (world.discs.shape[0] + 2 * world.segments.shape[0])
    for place in range(first_right_of(order, loads, owner.x - reach), order.shape[0]):
        b = order[place]
        load = loads[b]
        if load.x > owner.x + reach:
            break
        margin = owner.margin + load.margin
        near = around + load.radius + margin
        dx, dy = load.x - owner.x, load.y - owner.y
        if b <= a - n or dx * dx + dy * dy > near * near:
            continue
        for code in range(CODES):
            touch = touch_load(body, a, pose_of(owner, 0.0), b, pose_of(load, 0.0), code)
            if touch[0] and touch[3] <= margin:
                if count == contacts.shape[0]:
                    return -1
                contacts[count].obstacle = base + CODES * b + code
                _fill(world, body, contacts[count], a, b, touch, dt)
                count += 1
    return count
