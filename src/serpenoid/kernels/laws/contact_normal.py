"""Contact normals: one-sided impulses that keep gaps open.

A hard contact enters by its augmented Lagrangian, with the least velocity the step allows it. A
compliant one pushes what has entered it by -dt k (gap + dt/2 gamma) - dt d gamma, as long as that
is a push: a one-sided quadratic, so it needs no multiplier.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.contact_rates import (
    add_row,
    blame_contact,
    normal_row,
    rate_at,
    rate_before,
    rate_of_step,
)
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import (
    CONTACT_DAMPER,
    CONTACT_SPRING,
    IMPACT,
    Floats,
    Ints,
    Item,
    Records,
)
from serpenoid.kernels.projections import ROUNDING


@jit
def stiffness_of(contact: Item, stiffness: float) -> float:
    """Curvature of the contact while it pushes."""
    return contact.r if contact.soft else stiffness * contact.mass


@jit
def terms(blocks: Records, rows: Records, stiffness: float, predict: bool) -> None:
    """Add impulse and curvature at u to the quadratics; predict: keep what pushed before."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        if not contact.near:
            continue
        row, k = normal_row(contact), stiffness_of(contact, stiffness)
        z = contact.pn - k * (rate_at(blocks, contact, row) - contact.rate)
        contact.pushes = z > 0.0 or (predict and contact.pn > 0.0 and not contact.soft)
        contact.fn, contact.cn = 0.0, 0.0
        if contact.pushes:
            contact.fn, contact.cn = z, k
            add_row(blocks, contact, row, z, k)


@jit
def update(blocks: Records, rows: Records, stiffness: float, blame: Ints) -> tuple[int, float]:
    """Count the contacts that change their piece of the law; largest residual, m/s."""
    off, worst = 0, 0.0
    for c in range(rows.shape[0]):
        contact = rows[c]
        if not contact.near:
            continue
        row, m = normal_row(contact), contact.mass
        gamma = rate_at(blocks, contact, row) - contact.rate
        z = contact.pn - stiffness_of(contact, stiffness) * gamma
        contact.qn = contact.fn - contact.cn * rate_of_step(blocks, contact, row)
        same = z >= -ROUNDING * m if contact.pushes else z <= ROUNDING * m
        off += 0 if same else 1
        miss = 0.0 if contact.soft else abs(contact.qn - max(0.0, contact.qn - m * gamma))
        # Most are open, and miss nothing: that is seen without a division.
        if miss > 0.0 and miss / m > worst:
            worst = miss / m
            blame_contact(blame, contact)
    return off, worst


@jit
def accept_multipliers(rows: Records) -> None:
    """Replace the multipliers by the new impulses."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        if not contact.soft:
            contact.pn = contact.qn


@jit
def works(blocks: Records, rows: Records, works: Floats, dt: float, cut_short: float) -> float:
    """Enter the works at the mean velocity of the step, J; add the impulses to those of links.

    Returns what contacts take, J, that would rebound faster than cut_short, m/s.
    """
    lost = 0.0
    for c in range(rows.shape[0]):
        contact = rows[c]
        if not contact.near or contact.qn == 0.0:
            continue
        row = normal_row(contact)
        after = rate_at(blocks, contact, row)
        before = rate_before(blocks, contact, row)
        mean = 0.5 * (before + after)
        work = contact.qn * mean
        if contact.soft:
            spring = -dt * contact.k * (contact.gap + 0.5 * dt * after) * mean
            works[CONTACT_SPRING] += spring
            works[CONTACT_DAMPER] += work - spring
        else:
            works[IMPACT] += work
            lost += min(work, 0.0) if -contact.restitution * before > cut_short else 0.0
        note(blocks, contact, contact.qn)
    return lost


@jit
def note(blocks: Records, contact: Item, q: float) -> None:
    """Add a normal impulse to those of the two bodies."""
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    o.contact_x[at] += q * contact.nx
    o.contact_y[at] += q * contact.ny
    o.law_w[at] += q * contact.ln
    if contact.other_lane >= 0:
        o, at = blocks[block(contact.other_lane)], lane(contact.other_lane)
        o.contact_x[at] -= q * contact.nx
        o.contact_y[at] -= q * contact.ny
        o.law_w[at] -= q * contact.mn
