"""Impacts: velocities that jump in no time.

Let v be the velocity before, P that after an inelastic solve over all contacts and limits, and
L = M (P - v) its impulses. The velocity after the impact is v + (1 + e) (P - v), with one e, so the
energy changes by (1 + e) [P' L - (1 - e)/2 (P - v)' M (P - v)]. No impulse of the inelastic solve
does positive work on P, so that is never positive (see docs/architecture.md). e is the smallest
coefficient of the contacts that are struck. What still approaches is struck next, and at last
without rebound.
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import SLOP, normal_row, rate_before
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.layout import NO_IMPACT, Body, Item, PackedWorld, Records

# After this number of rebounds a step is halved, to find out what comes first; where it cannot be
# halved any more, what approaches then is stopped.
MOST_REBOUNDS = 4


@jit
def slowest_rebound(world: PackedWorld, dt: float, tolerance: float) -> float:
    """Velocity of the slowest rebound, m/s: gravity would end a slower one within the step."""
    pull_x, pull_y = world.pull_x, world.pull_y
    return max(tolerance, dt * sqrt(pull_x * pull_x + pull_y * pull_y))


@jit
def rebounds(contact: Item, approach: float, slowest: float) -> bool:
    """Whether a contact rebounds that is struck at a normal velocity (m/s)."""
    return bool(contact.near and -contact.restitution * approach > slowest)


@jit_apart
def will_rebound(blocks: Records, rows: Records, dt: float, slowest: float) -> bool:
    """Whether a contact would pass its limit in a time dt after the midpoint, and rebound."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        if contact.near and contact.restitution > 0.0:
            approach = rate_before(blocks, contact, normal_row(contact))
            if rebounds(contact, approach, slowest) and contact.gap + dt * approach < 0.0:
                return True
    return False


@jit_apart
def pass_over_soft(rows: Records) -> None:
    """Remove compliant contacts from an impact: springs and dampers have no impulse in it."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        contact.near = contact.near and not contact.soft


@jit
def struck(contact: Item, approach: float, dt: float, slowest: float) -> float:
    """Coefficient with which a contact is struck before a step dt, or NO_IMPACT.

    What rebounds is struck if it would pass its limit before the second midpoint, anything else if
    before the first one: that step can stop it at the limit.
    """
    if rebounds(contact, approach, slowest):
        return contact.restitution if contact.gap + 1.5 * dt * approach < 0.0 else NO_IMPACT
    return 0.0 if contact.gap + 0.5 * dt * approach < 0.0 else NO_IMPACT


@jit_apart
def coefficient(body: Body, dt: float, slowest: float, tolerance: float) -> float:
    """Smallest coefficient of what is struck before a step dt, NO_IMPACT if nothing is.

    tolerance: velocity below which nothing is struck, m/s.
    """
    blocks, least = body.blocks, 2.0
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.near:
            approach = rate_before(blocks, contact, normal_row(contact))
            e = struck(contact, approach, dt, slowest) if approach < -tolerance else NO_IMPACT
            least = e if 0.0 <= e < least else least
    for j in range(body.joints.shape[0]):
        joint = body.joints[j]
        o, at = blocks[block(j)], lane(j)
        rate, angle = o.rate0[at], o.phi[at] + 0.5 * dt * o.rate0[at]
        beyond = (angle < joint.lower and rate < 0.0) or (angle > joint.upper and rate > 0.0)
        if beyond and o.half[at] * abs(rate) > tolerance:
            least = 0.0
    return least if least <= 1.0 else NO_IMPACT


@jit_apart
def bound_contacts(body: Body, e: float, dt: float, slowest: float) -> None:
    """Least rates of contacts and limits in an impact, which removes no penetration.

    What rebounds has the rate 0, so that the velocity after it is -e times that of the approach.
    Contacts that are open and not struck take no part in a rebound.
    """
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.near:
            approach = rate_before(body.blocks, contact, normal_row(contact))
            closed = e > 0.0 and struck(contact, approach, dt, slowest) > 0.0
            contact.rate = 0.0 if closed else min(contact.rate, 0.0)
            contact.near = closed or e == 0.0 or contact.gap <= SLOP
    for j in range(body.joints.shape[0]):
        joint = body.joints[j]
        joint.low, joint.high = min(joint.low, 0.0), max(joint.high, 0.0)


@jit_apart
def rebound(blocks: Records, e: float) -> None:
    """Add e times its change to the inelastic velocity u."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.ux[at] += e * (o.ux[at] - o.vx[at])
            o.uy[at] += e * (o.uy[at] - o.vy[at])
            o.uw[at] += e * (o.uw[at] - o.omega[at])
            o.rate_u[at] += e * (o.rate_u[at] - o.rate0[at])
