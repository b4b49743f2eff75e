"""Friction at contacts: an interval of impulses, bounded by the contact's own normal impulse.

The bound comes from the update of the multipliers before and follows the normal impulse it leads to
by a damped fixed point.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import (
    add_row,
    blame_contact,
    rate_at,
    rate_before,
    rate_of_step,
    tangent_row,
)
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import Ints, Item, Records
from serpenoid.kernels.projections import ROUNDING, project_interval

# A bound that is off by a hundred times the tolerance is still far more exact than the step, and
# each further digit costs an update.
BOUND_WEIGHT = 1e-2


@jit
def rubs(contact: Item) -> bool:
    """Whether a contact has friction in this step."""
    return contact.near and contact.friction > 0.0


@jit_apart
def terms(blocks: Records, rows: Records, stiffness: float, predict: bool) -> None:
    """Add impulse and curvature at u to the quadratics; predict: keep what stuck before."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        bound = contact.friction * contact.cap
        contact.ft, contact.ct = 0.0, 0.0
        if not rubs(contact) or bound == 0.0:
            continue
        row, r = tangent_row(contact), stiffness * contact.mass
        z = contact.pt - r * rate_at(blocks, contact, row)
        contact.grips = contact.grips if predict else abs(z) <= bound
        contact.ft = z if contact.grips else project_interval(z, bound)
        contact.ct = r if contact.grips else 0.0
        add_row(blocks, contact, row, contact.ft, contact.ct)


@jit_apart
def update(
    blocks: Records, rows: Records, stiffness: float, worst: float, blame: Ints
) -> tuple[int, float]:
    """Count the contacts that change their piece of the law; largest residual, m/s.

    worst: that of other laws.
    """
    off = 0
    for c in range(rows.shape[0]):
        contact = rows[c]
        if not rubs(contact):
            continue
        row, m = tangent_row(contact), contact.mass
        slide = rate_at(blocks, contact, row)
        used, bound = contact.friction * contact.cap, contact.friction * contact.qn
        contact.qt = contact.ft - contact.ct * rate_of_step(blocks, contact, row)
        law = project_interval(contact.pt - stiffness * m * slide, used)
        off += 1 if used > 0.0 and abs(contact.qt - law) > ROUNDING * m else 0
        error = abs(project_interval(contact.qt - m * slide, used) - contact.qt) / m
        # What the bound was off by, as a change of velocity.
        if abs(contact.qt) >= min(used, bound):
            error = max(error, BOUND_WEIGHT * abs(used - bound) / m)
        if error > worst:
            worst = error
            blame_contact(blame, contact)
    return off, worst


@jit_apart
def accept_multipliers(rows: Records) -> None:
    """Replace the multipliers by the new impulses; damp the bounds where they overshoot."""
    for c in range(rows.shape[0]):
        contact = rows[c]
        contact.pt = contact.qt
        miss = contact.qn - contact.cap
        if miss * contact.miss < 0.0:
            contact.gain *= 0.6
        contact.miss = miss
        contact.cap += contact.gain * miss


@jit_apart
def works(blocks: Records, rows: Records, share: float) -> tuple[float, float]:
    """Works at the mean velocity and at that which friction acts against, J, which is not positive.

    Impulses are added to those of links: friction of terrain is kept apart from the normal forces,
    that of obstacles and loads is not.

    share: weight of the velocity before in that which friction acts against.
    """
    total, own = 0.0, 0.0
    for c in range(rows.shape[0]):
        contact = rows[c]
        if not rubs(contact) or contact.qt == 0.0:
            continue
        row, q = tangent_row(contact), contact.qt
        before, after = rate_before(blocks, contact, row), rate_at(blocks, contact, row)
        total += 0.5 * q * (before + after)
        own += q * (share * before + (1.0 - share) * after)
        o, at = blocks[block(contact.lane)], lane(contact.lane)
        if contact.ground:
            o.law_x[at] += q * row[0]
            o.law_y[at] += q * row[1]
        else:
            o.contact_x[at] += q * row[0]
            o.contact_y[at] += q * row[1]
        o.law_w[at] += q * row[2]
        if contact.other_lane >= 0:
            o, at = blocks[block(contact.other_lane)], lane(contact.other_lane)
            o.contact_x[at] -= q * row[0]
            o.contact_y[at] -= q * row[1]
            o.law_w[at] -= q * row[3]
    return total, own
