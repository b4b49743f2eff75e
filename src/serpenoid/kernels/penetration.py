"""How deep links and loads are in what they touch, and will be."""

from math import inf, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import blame_contact, is_own, normal_row, rate_at
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.layout import (
    CODES,
    Body,
    Ints,
    Item,
    Loops,
    PackedWorld,
    Records,
    SelfContacts,
)
from serpenoid.kernels.outlines import (
    capsule_at,
    nearest_points,
    pose_ahead,
    touch_fixed,
    touch_link,
    touch_load,
)
from serpenoid.kernels.terrain_contacts import ground_gap, sole

# A share of a margin that no rounding can make more than the whole.
SURE = 0.999


@jit
def entered(rows: Records, hard: bool, blame: Ints) -> float:
    """Deepest penetration (m) at the midpoint, of hard contacts only or of all."""
    worst = 0.0
    for c in range(rows.shape[0]):
        contact = rows[c]
        if contact.near and -contact.gap > worst and not (hard and contact.soft):
            worst = -contact.gap
            blame_contact(blame, contact)
    return worst


@jit
def bend_bound(world: PackedWorld, body: Body, contact: Item, dt: float) -> float:
    """Bound on how much smaller a gap gets than on a straight line, m/s2, times t^2.

    Seen from a link, a fixed point at d from its centre accelerates by at most 2 |w| |u| + w^2 |d|,
    and its distance to the axis is convex; the end of a link comes nearer to a wall by less.
    """
    blocks, links = body.blocks, body.robot[0].links
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    speed, turn, reach = abs(o.ux[at]) + abs(o.uy[at]), abs(o.uw[at]), o.reach[at]
    if contact.link < links and contact.other_lane < 0 and not contact.ground:
        distance = reach + max(contact.gap, 0.0) + dt * speed
        if contact.obstacle < world.discs.shape[0]:
            distance += world.discs[contact.obstacle].radius
        return turn * (speed + 0.5 * turn * distance)
    speed += turn * reach
    if contact.other_lane >= 0:
        p, k = blocks[block(contact.other_lane)], lane(contact.other_lane)
        speed += abs(p.ux[k]) + abs(p.uy[k]) + abs(p.uw[k]) * p.reach[k]
        turn += abs(p.uw[k])
    return 2.0 * turn * speed


@jit_apart
def gap_ahead(world: PackedWorld, body: Body, contact: Item, ahead: float) -> tuple[bool, float]:
    """Gap of a contact after a time (s) along the true paths of its bodies, if there is one."""
    if is_own(contact):
        return own_gap_ahead(body.blocks, body.self_contacts, contact, ahead)
    if contact.other >= 0 or contact.link >= body.robot[0].links:
        return load_gap_ahead(world, body, body.loops, contact, ahead)
    o, at = body.blocks[block(contact.lane)], lane(contact.lane)
    link = capsule_at(o, at, pose_ahead(o, at, ahead))
    if contact.ground:
        item = contact.obstacle - world.discs.shape[0] - 2 * world.segments.shape[0]
        return ground_gap(world.ground, sole(link, world.thin), item)
    # Straight sides must not enter a corner of a wall, whether it is what is nearest or not.
    nearest = nearest_points(world.discs, world.segments, link, contact.obstacle, inf)
    exists, nx, ny, size, _ = nearest
    return exists, sqrt(nx * nx + ny * ny) - size


@jit_apart
def own_gap_ahead(
    blocks: Records, own: SelfContacts | None, contact: Item, ahead: float
) -> tuple[bool, float]:
    """The same of a contact between links."""
    if own is None:
        return False, 0.0
    code = contact.obstacle % CODES
    touch = touch_link(blocks, contact.lane, contact.other_lane, code, ahead)
    return touch[0], touch[3]


@jit_apart
def load_gap_ahead(
    world: PackedWorld, body: Body, loops: Loops | None, contact: Item, ahead: float
) -> tuple[bool, float]:
    """The same of a contact of or with a load."""
    if loops is None:
        return False, 0.0
    code, n = contact.obstacle % CODES, body.robot[0].links
    if contact.other >= 0:
        touch = touch_load(body, contact.link, contact.other, code, ahead)
    else:
        o, at = body.blocks[block(contact.lane)], lane(contact.lane)
        shape, item = body.shapes[contact.link - n], contact.obstacle // CODES
        touch = touch_fixed(world, shape, pose_ahead(o, at, ahead), item, code)
    return touch[0], touch[3]


@jit
def deepest(world: PackedWorld, body: Body, dt: float, enough: float) -> tuple[bool, float]:
    """Whether there is a hard contact; deepest penetration after half a step and a step.

    New penetration is meant, m. Where a bound says that it is below `enough` the bound is taken.
    """
    touches, worst = False, 0.0
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if not contact.near or contact.soft:
            continue
        touches = True
        rate = rate_at(body.blocks, contact, normal_row(contact))
        bend = bend_bound(world, body, contact, dt)
        for half in range(1, 3):
            ahead = 0.5 * half * dt
            depth = bend * ahead * ahead - contact.gap - ahead * rate
            if depth > max(enough, worst):
                exists, gap = gap_ahead(world, body, contact, ahead)
                depth = -gap if exists and gap < contact.gap else 0.0
            if depth > worst:
                worst = depth
                blame_contact(body.blame, contact)
    return touches, worst


@jit
def is_gentle(blocks: Records, dt: float, turn: float, shift: float) -> bool:
    """Whether all bodies stay within their margins and turn by at most `turn`, rad.

    shift: the most that closing its hinge may move them, m, see `turning`. Nearly all steps are
    gentle, which one look finds; of others `look_farther` and `turning` find what is not.
    """
    rough, inverse, most = 0, 1.0 / dt, shift / (dt * dt)
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ux, uy, uw, w = o.ux[at], o.uy[at], abs(o.uw[at]), abs(o.omega[at])
            rest = SURE * (inverse * o.margin[at]) - uw * o.reach[at]
            near = (rest >= 0.0) & (ux * ux + uy * uy <= rest * rest)
            fine = near & (dt * max(uw, w) <= turn) & (o.back[at] * abs(uw * uw - w * w) <= most)
            rough += 0 if fine else 1
    return rough == 0


@jit
def turning(blocks: Records, links: int, dt: float, most: float) -> tuple[int, float]:
    """Count bodies that turn by more than `most` (rad); bound on the shift of the hinges, m.

    The step takes the centripetal term at the old angular velocity; an impact changes that, and
    closing the hinges at the next midpoint moves the links.
    """
    turns, total = 0, 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            uw, w = abs(o.uw[at]), abs(o.omega[at])
            turns += 1 if dt * max(uw, w) > most else 0
            o.lead_x[at] = o.back[at] * abs(uw * uw - w * w)
    for i in range(links):
        o, at = blocks[block(i)], lane(i)
        total += o.lead_x[at]
    return turns, dt * dt * total
