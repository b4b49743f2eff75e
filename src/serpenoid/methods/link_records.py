"""Links as records: what the methods that integrate in time do with them.

The default step has the same in blocks of lanes. Here forces take the place of impulses, and of
obstacles there are pegs only.
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.collide import cells_about, insert_item, side_of
from serpenoid.kernels.laws.surface import surface_at
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    Body,
    Item,
    PackedWorld,
    Records,
    RunRecord,
)
from serpenoid.kernels.load_contacts import set_coefficients
from serpenoid.kernels.outlines import Capsule, capsule_of, nearest_points


@jit_apart
def bound_friction(world: PackedWorld, links: Records) -> None:
    """Bounds of dry ground friction, N and N m, and viscous coefficients where the links are."""
    for i in range(links.shape[0]):
        link = links[i]
        surface = world.surfaces[surface_at(world.patches, link.x, link.y), i]
        weight = link.mass * world.normal
        link.forward, link.backward = weight * surface.forward, weight * surface.backward
        link.side, link.spin = weight * surface.side, weight * surface.spin
        link.largest = max(link.forward, link.backward, link.side)
        link.along, link.across = surface.along, surface.across
        link.turn = surface.turn + surface.spread * 4.0 * link.half * link.half


@jit
def reach_of(world: PackedWorld, link: Item) -> float:
    """From the centre of a link to the farthest point of it that can touch, m."""
    reach = link.radius - link.rear
    return max(reach, link.half) if world.centre else reach


@jit
def look_ahead(world: PackedWorld, links: Records, dt: float) -> None:
    """Set the margin of every link to somewhat more than it travels at its velocity."""
    for i in range(links.shape[0]):
        link = links[i]
        reach = reach_of(world, link)
        travel = dt * (sqrt(link.vx * link.vx + link.vy * link.vy) + abs(link.omega) * reach)
        link.margin = 1.5 * travel + 2e-3 * reach


@jit
def gap_to_peg(world: PackedWorld, link: Capsule, item: int) -> tuple[float, int]:
    """Gap of a link and a peg, m; the side of the peg it is on, where contact is at its centre."""
    if world.centre:
        return side_of(link, world.discs[item])
    _, x, y, size, _ = nearest_points(world.discs, world.segments, link, item, 0.0)
    return sqrt(x * x + y * y) - size, 0


@jit_apart
def list_pegs(world: PackedWorld, link: Item, contacts: Records, first: int) -> int:
    """List the pegs within the margin of a link, in order; how many contacts then, -1 if too many.

    first: how many contacts there were.
    """
    grid, count, place = world.grid[0], first, capsule_of(link)
    horizon = 0.3 * (link.radius - link.rear) + 2.0 * link.margin
    left, right, low, high = cells_about(grid, place, horizon)
    for column in range(left, right + 1):
        # The rows of a column lie one after the other.
        cell = column * grid.rows
        for k in range(world.start[cell + low], world.start[cell + high + 1]):
            item = world.items[k]
            if gap_to_peg(world, place, item)[0] <= link.margin:
                if count == contacts.shape[0]:
                    return -1
                count = insert_item(contacts, first, count, item)
    return count


@jit_apart
def find_pegs(world: PackedWorld, body: Body) -> int:
    """List every peg within the margins of the links, with the impulses it had before; status."""
    contacts, count = body.contacts, 0
    body.counts[0] = 0
    for i in range(body.links.shape[0]):
        link, first = body.links[i], count
        count = list_pegs(world, link, contacts, first)
        if count < 0:
            return CONTACTS_FULL
        for c in range(first, count):
            contact = contacts[c]
            contact.link, contact.other, contact.other_lane, contact.ground = i, -1, -1, False
            contact.pn, contact.pt = 0.0, 0.0
            contact.gap, contact.side = gap_to_peg(world, capsule_of(link), contact.obstacle)
            set_coefficients(world.discs, world.segments, contact, contact.obstacle)
            for k in range(body.counts[1]):
                old = body.previous[k]
                if old.link == i and old.obstacle == contact.obstacle:
                    contact.pn, contact.pt = old.qn, old.qt
                    contact.side = old.side if old.side != 0 else contact.side
    body.counts[0] = count
    return DONE


@jit
def note_impulses(body: Body, record: RunRecord) -> None:
    """Add the impulses of a step to those of the row, and of the controller's tick."""
    for i in range(body.bodies.shape[0]):
        link = body.bodies[i]
        record.window_force[i, 0] += link.contact_x
        record.window_force[i, 1] += link.contact_y
        record.window_force[i, 2] += link.friction_x
        record.window_force[i, 3] += link.friction_y
        link.tick_x += link.contact_x
        link.tick_y += link.contact_y
    for j in range(body.joints.shape[0]):
        record.window_torque[j] += body.joints[j].impulse
