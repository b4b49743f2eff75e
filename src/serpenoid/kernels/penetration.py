"""How deep links and loads are in what they touch, and will be."""

from math import cos, sin, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.collide import nearest_points
from serpenoid.kernels.contact_rates import normal_velocity
from serpenoid.kernels.layout import CONTACT_LAW, Body, PackedWorld
from serpenoid.kernels.load_bodies import carried, gap_ahead
from serpenoid.kernels.terrain_contacts import ground_gap


@jit
def entered(body: Body) -> float:
    """Deepest penetration (m) at the midpoint, of what cannot be entered."""
    worst = 0.0
    for c in range(body.counts[0]):
        if -body.contacts[c].gap > worst and not body.contacts[c].soft:
            worst = -body.contacts[c].gap
            body.blame[0], body.blame[1] = body.contacts[c].link, CONTACT_LAW
    return worst


@jit_apart
def sunk(body: Body) -> float:
    """How deep links have sunk into compliant terrain, m."""
    worst = 0.0
    for c in range(body.counts[0]):
        if body.contacts[c].soft:
            worst = max(worst, -body.contacts[c].gap)
    return worst


@jit
def deepest(world: PackedWorld, body: Body, dt: float) -> float:
    """Deepest new penetration (m) half a step and a whole one on, along the links' true paths."""
    links, contacts, discs, segments = body.bodies, body.contacts, world.discs, world.segments
    n = body.links.shape[0]
    worst = 0.0
    if world.centre:
        return worst
    for c in range(body.counts[0]):
        contact = contacts[c]
        link = links[contact.link]
        moving = contact.other >= 0
        for half in range(1, 3):
            ahead = 0.5 * half * dt
            angle = ahead * link.uw
            # The gap may fall short of the straight line by this much.
            speed = abs(link.ux) + abs(link.uy) + abs(link.uw) * (link.radius - link.rear)
            bend = 2.0 * abs(angle) * ahead * speed
            straight = contact.gap + ahead * normal_velocity(contact, link.ux, link.uy, link.uw)
            if moving:
                load = body.loads[contact.other]
                speed = abs(load.ux) + abs(load.uy) + abs(load.uw) * load.radius + speed
                bend = 2.0 * (abs(angle) + ahead * abs(load.uw)) * ahead * speed
                straight -= ahead * carried(contact, load)[0]
            if straight > bend:
                continue
            if moving or contact.link >= n:
                exists, gap = gap_ahead(world, body, contact, ahead)
                if exists and gap < contact.gap and -gap > worst:
                    worst = -gap
                    body.blame[0], body.blame[1] = contact.link, CONTACT_LAW
                continue
            c1, s1 = cos(angle), sin(angle)
            ex, ey = link.ex * c1 - link.ey * s1, link.ex * s1 + link.ey * c1
            x, y = link.x + ahead * link.ux, link.y + ahead * link.uy
            if contact.ground:
                item = contact.obstacle - discs.shape[0] - 2 * segments.shape[0]
                exists, gap = ground_gap(world, link, item, x, y, ex, ey)
                exists = exists and not contact.soft
            else:
                exists, nx, ny, size, _ = nearest_points(
                    discs, segments, link, contact.obstacle, x, y, ex, ey
                )
                gap = sqrt(nx * nx + ny * ny) - size
            if exists and gap < contact.gap and -gap > worst:
                worst = -gap
                body.blame[0], body.blame[1] = contact.link, CONTACT_LAW
    return worst
