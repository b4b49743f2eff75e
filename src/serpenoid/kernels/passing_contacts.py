"""Contacts with terrain, loads and other links: listed anew in every step, with their impulses."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import begin_contact, begin_soft, bound_rate
from serpenoid.kernels.lanes import block, lane, lane_of
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    Body,
    Item,
    Loops,
    PackedWorld,
    Records,
    SelfContacts,
)
from serpenoid.kernels.load_contacts import find_fixed, find_loads, sort_loads
from serpenoid.kernels.outlines import capsule
from serpenoid.kernels.self_contacts import find_links
from serpenoid.kernels.terrain_contacts import pair_of, touch_terrain


@jit
def find_passing(
    world: PackedWorld,
    body: Body,
    ground: Records | None,
    loops: Loops | None,
    own: SelfContacts | None,
    dt: float,
) -> int:
    """List the contacts with terrain, loads and other links, with the impulses they had; status.

    What a robot does not have is None, which leaves it out of its machine code.
    """
    if own is None and (ground is None or loops is None):
        return DONE
    if not is_passed(ground, loops, own, body.robot[0].links):
        return DONE
    return list_passing(world, body, ground, loops, own, dt)


@jit
def is_passed(
    ground: Records | None, loops: Loops | None, own: SelfContacts | None, links: int
) -> bool:
    """Whether there are terrain, loads or links near each other."""
    if own is not None and own.active and own.begin[links] > 0:
        return True
    if ground is None or loops is None:
        return False
    return ground.shape[0] + loops.order.shape[0] > 0


@jit_apart
def list_passing(
    world: PackedWorld,
    body: Body,
    ground: Records | None,
    loops: Loops | None,
    own: SelfContacts | None,
    dt: float,
) -> int:
    """The same, apart from the code of robots that touch none of them."""
    robot = body.robot[0]
    count, old = robot.lasting, 0
    begin_loads(body.blocks, robot, loops)
    for i in range(robot.bodies):
        first = count
        count = find_terrain(world, body, ground, i, count, dt)
        count = find_with_loads(world, body, loops, i, count, dt)
        count = find_links(world, body, own, i, count, dt)
        if count < 0:
            return CONTACTS_FULL
        while old < robot.passing and body.previous[old].link < i:
            old += 1
        for c in range(first, count):
            begin_passing(body, c, i, old, dt)
    body.counts[0] = count
    return DONE


@jit_apart
def begin_passing(body: Body, c: int, i: int, old: int, dt: float) -> None:
    """Start contact c of link or load i from its last impulses; old: where to search."""
    robot, previous, contact = body.robot[0], body.previous, body.contacts[c]
    contact.link, contact.lane, contact.near, contact.side = i, lane_of(robot, i), True, 0
    contact.kept_n, contact.kept_t, contact.kept_grips, contact.kept = 0.0, 0.0, False, False
    for k in range(old, robot.passing):
        if previous[k].link > i:
            break
        if previous[k].obstacle == contact.obstacle:
            contact.kept_n, contact.kept_t = previous[k].qn, previous[k].qt
            contact.kept_grips = previous[k].grips
            break
    o, at = body.blocks[block(contact.lane)], lane(contact.lane)
    mass = o.mass[at]
    if contact.other_lane >= 0:
        p, k = body.blocks[block(contact.other_lane)], lane(contact.other_lane)
        mass = min(mass, p.mass[k])
    begin_contact(contact, mass)
    robot.rubs = robot.rubs or contact.friction > 0.0
    robot.bounces = robot.bounces or contact.restitution > 0.0
    if contact.soft:
        begin_soft(body.blocks, contact, dt)


@jit
def begin_loads(blocks: Records, robot: Item, loops: Loops | None) -> None:
    """Sort the loads from left to right."""
    if loops is not None:
        sort_loads(blocks, robot, loops)


@jit
def find_terrain(
    world: PackedWorld, body: Body, ground: Records | None, i: int, count: int, dt: float
) -> int:
    """List the contacts of a link with the terrain, if there is one; how many then, or -1."""
    if ground is None:
        return count
    if i < body.robot[0].links and ground.shape[0] > 0:
        return find_ground(world, body, i, count, dt)
    return count


@jit
def find_with_loads(
    world: PackedWorld, body: Body, loops: Loops | None, i: int, count: int, dt: float
) -> int:
    """List the contacts of a load with obstacles and of any body with loads after it."""
    if loops is None:
        return count
    if i >= body.robot[0].links:
        count = find_fixed(world, body, i, count, dt)
    if count >= 0 and loops.order.shape[0] > 0:
        count = find_loads(world, body, loops, i, count, dt)
    return count


@jit_apart
def find_ground(world: PackedWorld, body: Body, i: int, count: int, dt: float) -> int:
    """List the contacts of link i with the terrain; how many there are then, -1 if too many."""
    before, after = max(i - 1, 0), min(i + 1, body.robot[0].links - 1)
    o, at = body.blocks[block(i)], lane(i)
    p, k = body.blocks[block(before)], lane(before)
    q, m = body.blocks[block(after)], lane(after)
    link, behind, ahead = capsule(o, at), capsule(p, k), capsule(q, m)
    pair = pair_of(world.thin, link, behind, ahead, before == i, after == i)
    margin = o.margin[at] if world.hard else 0.0
    found = touch_terrain(world, pair, margin, body.contacts, count)
    base = world.discs.shape[0] + 2 * world.segments.shape[0]
    for c in range(count, found):
        contact = body.contacts[c]
        contact.obstacle += base
        contact.lane, contact.other, contact.other_lane = i, -1, -1
        contact.ground, contact.soft = True, not world.hard
        contact.mn, contact.mt, contact.restitution = 0.0, 0.0, world.restitution
        contact.k, contact.d = world.k, world.d
        if world.hard:
            bound_rate(body.blocks, contact, o.radius[at], dt)
    return found
