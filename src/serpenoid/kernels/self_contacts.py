"""The search for contacts between links of one robot.

Pairs of links that are not neighbours are surveyed together with obstacles, with room to spare: how
far a link may move until the next survey is at most half of what separates it from any other, so
that a robot that does not touch itself has no pairs to look at. Contacts of the pairs that are
listed are found anew in every step, as those with loads are.
"""

from math import inf, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import bound_rate
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.layout import (
    CODES,
    CONTACTS_FULL,
    DONE,
    LINK_CODES,
    Body,
    Item,
    PackedWorld,
    Records,
    SelfContacts,
)
from serpenoid.kernels.load_contacts import levers
from serpenoid.kernels.outlines import Touch, touch_link

# A link that is near another one may move as far as this before the next survey, beside twice what
# it looks ahead; in units of its reach.
LEAST_ROOM = 0.05


@jit
def touches_itself(own: SelfContacts | None) -> bool:
    """Whether links touch each other."""
    if own is None:
        return False
    return own.active


@jit
def is_apart(robot: Item, own: SelfContacts | None) -> bool:
    """Whether the last survey has found no links near each other."""
    if own is None:
        return False
    return own.active and not robot.stale and own.begin[robot.links] == 0


@jit
def leaves(blocks: Records, dt: float) -> bool:
    """Whether a link may get to another one by the next midpoint, at the solved velocity."""
    left = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            moved = abs(o.x[at] + dt * o.ux[at] - o.seen_x[at])
            moved += abs(o.y[at] + dt * o.uy[at] - o.seen_y[at])
            moved += o.reach[at] * abs(o.mid[at] + dt * o.uw[at] - o.seen_mid[at])
            left += 1 if moved > o.horizon[at] else 0
    return left > 0


@jit_apart
def gap_between(blocks: Records, i: int, j: int) -> float:
    """How far two links are apart, m."""
    gap = inf
    for code in range(LINK_CODES):
        gap = min(gap, touch_link(blocks, i, j, code, 0.0)[3])
    return gap


@jit
def chain_sizes(blocks: Records, n: int) -> tuple[float, float]:
    """Largest distance of neighbouring centres, and of what a link surveys from its centre, m."""
    pitch, widest = 0.0, 0.0
    for i in range(n):
        o, at = blocks[block(i)], lane(i)
        p, k = blocks[block(min(i + 1, n - 1))], lane(min(i + 1, n - 1))
        pitch = max(pitch, o.front[at] + p.back[k])
        widest = max(widest, o.reach[at] + o.horizon[at])
    return pitch, widest


@jit_apart
def list_pairs(blocks: Records, own: SelfContacts, n: int) -> int:
    """List the pairs within the horizons of both links, and how far apart they are; status.

    Links are passed over that cannot be near, because neighbouring centres are so close.
    """
    (pitch, widest), count = chain_sizes(blocks, n), 0
    for i in range(n):
        own.clear[i] = inf
    for i in range(n):
        own.begin[i], j = count, i + 2
        o, at = blocks[block(i)], lane(i)
        within = o.reach[at] + o.horizon[at]
        while j < n:
            p, k = blocks[block(j)], lane(j)
            dx, dy = p.x[k] - o.x[at], p.y[k] - o.y[at]
            distance = sqrt(dx * dx + dy * dy)
            if distance <= within + p.reach[k] + p.horizon[k]:
                if count == own.ahead.shape[0]:
                    return CONTACTS_FULL
                gap = gap_between(blocks, i, j)
                own.ahead[count], own.gaps[count] = j, gap
                own.clear[i], own.clear[j] = min(own.clear[i], gap), min(own.clear[j], gap)
                count += 1
            j += 1 + int(max(0.0, distance - within - widest) / pitch)
    own.begin[n] = count
    return DONE


@jit_apart
def narrow_horizons(blocks: Records, own: SelfContacts, n: int) -> None:
    """Set horizons to half the distances of pairs, and drop the pairs that stay apart."""
    for i in range(n):
        o, at = blocks[block(i)], lane(i)
        room = max(0.5 * own.clear[i], LEAST_ROOM * o.reach[at] + 2.0 * o.margin[at])
        o.horizon[at] = min(o.horizon[at], room)
    kept = 0
    for i in range(n):
        o, at = blocks[block(i)], lane(i)
        first, own.begin[i] = own.begin[i], kept
        for pair in range(first, own.begin[i + 1]):
            p, k = blocks[block(own.ahead[pair])], lane(own.ahead[pair])
            if own.gaps[pair] < o.horizon[at] + p.horizon[k]:
                own.ahead[kept] = own.ahead[pair]
                kept += 1
    own.begin[n] = kept


@jit
def survey_links(body: Body, own: SelfContacts | None) -> int:
    """List the links that may touch before one leaves its horizon; status."""
    if own is None:
        return DONE
    if not own.active:
        return DONE
    n = body.robot[0].links
    if list_pairs(body.blocks, own, n) != DONE:
        return CONTACTS_FULL
    narrow_horizons(body.blocks, own, n)
    return DONE


@jit
def find_links(
    world: PackedWorld, body: Body, own: SelfContacts | None, i: int, count: int, dt: float
) -> int:
    """List the contacts of link i with those ahead of it; how many then, -1 if too many."""
    if own is None:
        return count
    if count < 0 or not own.active or i >= body.robot[0].links:
        return count
    if own.begin[i] == own.begin[i + 1]:
        return count
    return list_links(world, body, own, i, count, dt)


@jit
def piece_count(ground: Records | None) -> int:
    """Pieces of terrain, each of which has no more contacts with a link than CODES."""
    if ground is None:
        return 0
    return int(ground.shape[0])


@jit_apart
def list_links(
    world: PackedWorld, body: Body, own: SelfContacts, i: int, count: int, dt: float
) -> int:
    """The same of a link that has others near it."""
    o, at = body.blocks[block(i)], lane(i)
    # Beyond the numbers of all obstacles, loads and pieces of terrain.
    base = world.discs.shape[0] + 2 * world.segments.shape[0] + body.loads.shape[0]
    base += piece_count(world.ground)
    for pair in range(own.begin[i], own.begin[i + 1]):
        j = own.ahead[pair]
        p, k = body.blocks[block(j)], lane(j)
        margin = o.margin[at] + p.margin[k]
        for code in range(LINK_CODES):
            touch = touch_link(body.blocks, i, j, code, 0.0)
            if touch[0] and touch[3] <= margin:
                if count == body.contacts.shape[0]:
                    return -1
                contact = body.contacts[count]
                contact.obstacle = CODES * (base + j) + code
                fill_own(body.blocks, own, contact, (i, j), touch)
                bound_own(body.blocks, contact, dt)
                count += 1
    return count


@jit_apart
def fill_own(
    blocks: Records, own: SelfContacts, contact: Item, pair: tuple[int, int], touch: Touch
) -> None:
    """Fill in a contact of two links."""
    i, j = pair
    contact.lane, contact.other, contact.other_lane = i, -1, j
    contact.nx, contact.ny, contact.gap, contact.ground = touch[1], touch[2], touch[3], False
    contact.ln, contact.lt = levers(blocks[block(i)], lane(i), touch)
    contact.mn, contact.mt = levers(blocks[block(j)], lane(j), touch)
    contact.friction, contact.restitution = own.friction, own.restitution
    contact.k, contact.d, contact.soft = 0.0, 0.0, False


@jit
def bound_own(blocks: Records, contact: Item, dt: float) -> None:
    """Bounds on the velocities at a contact of two links."""
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    bound_rate(blocks, contact, o.radius[at], dt)
