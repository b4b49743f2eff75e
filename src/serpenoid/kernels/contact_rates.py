"""Velocities at a contact, what a step allows them to be, and how a contact begins a step."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import CONTACT_LAW, Ints, Item, Records

# As deep as this in an obstacle counts as touching, m: without it, a link that fits a slot exactly
# would be pushed out from both sides.
SLOP = 1e-6

# Direction of a contact's row: x, y, lever about the link's centre, about that of the other body.
Direction = tuple[float, float, float, float]


@jit
def normal_velocity(contact: Item, vx: float, vy: float, w: float) -> float:
    """Velocity along the normal, > 0 when the contact opens [transeth2008 (14)(16)]."""
    return contact.nx * vx + contact.ny * vy + contact.ln * w


@jit
def tangent_velocity(contact: Item, vx: float, vy: float, w: float) -> float:
    """Sliding velocity along the normal turned by +90 degrees."""
    return contact.nx * vy - contact.ny * vx + contact.lt * w


@jit
def is_own(contact: Item) -> bool:
    """Whether a contact is between two links of the robot."""
    return bool(contact.other_lane >= 0 and contact.other < 0)


@jit
def blame_contact(blame: Ints, contact: Item) -> None:
    """Store the contact with the largest residual, for the error message."""
    blame[0], blame[1], blame[2] = contact.link, CONTACT_LAW, contact.other_lane
    blame[3] = -1 if contact.ground else contact.obstacle


@jit
def normal_row(contact: Item) -> Direction:
    """Direction of the normal impulse."""
    return contact.nx, contact.ny, contact.ln, contact.mn


@jit
def tangent_row(contact: Item) -> Direction:
    """Direction of the friction impulse."""
    return -contact.ny, contact.nx, contact.lt, contact.mt


@jit
def rate_before(blocks: Records, contact: Item, row: Direction) -> float:
    """Relative velocity along a row before the step, m/s."""
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    rate = row[0] * o.vx[at] + row[1] * o.vy[at] + row[2] * o.omega[at]
    if contact.other_lane >= 0:
        o, at = blocks[block(contact.other_lane)], lane(contact.other_lane)
        rate -= row[0] * o.vx[at] + row[1] * o.vy[at] + row[3] * o.omega[at]
    return rate


@jit
def rate_at(blocks: Records, contact: Item, row: Direction) -> float:
    """The same at the velocity being solved for."""
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    rate = row[0] * o.ux[at] + row[1] * o.uy[at] + row[2] * o.uw[at]
    if contact.other_lane >= 0:
        o, at = blocks[block(contact.other_lane)], lane(contact.other_lane)
        rate -= row[0] * o.ux[at] + row[1] * o.uy[at] + row[3] * o.uw[at]
    return rate


@jit
def rate_of_step(blocks: Records, contact: Item, row: Direction) -> float:
    """The same of the Newton step."""
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    rate = row[0] * o.dx[at] + row[1] * o.dy[at] + row[2] * o.dw[at]
    if contact.other_lane >= 0:
        o, at = blocks[block(contact.other_lane)], lane(contact.other_lane)
        rate -= row[0] * o.dx[at] + row[1] * o.dy[at] + row[3] * o.dw[at]
    return rate


@jit
def add_row(blocks: Records, contact: Item, row: Direction, f: float, c: float) -> None:
    """Add impulse and curvature along a row to the quadratics of the two bodies.

    No quadratic of one link can hold the curvature between two: `self_loops` adds it.
    """
    if is_own(contact):
        c = 0.0
    add_to_lane(blocks, contact.lane, (row[0], row[1], row[2]), f, c)
    if contact.other_lane >= 0:
        add_to_lane(blocks, contact.other_lane, (row[0], row[1], row[3]), -f, c)


@jit
def add_to_lane(
    blocks: Records, i: int, row: tuple[float, float, float], f: float, c: float
) -> None:
    """Add impulse and curvature along a row to a quadratic."""
    o, at = blocks[block(i)], lane(i)
    x, y, w = row
    o.gx[at] -= f * x
    o.gy[at] -= f * y
    o.gw[at] -= f * w
    o.xx[at] += c * x * x
    o.xy[at] += c * x * y
    o.yy[at] += c * y * y
    o.xw[at] += c * x * w
    o.yw[at] += c * y * w
    o.ww[at] += c * w * w


@jit
def bound_rate(blocks: Records, contact: Item, radius: float, dt: float) -> None:
    """Least normal velocity with which the gap of a hard contact is not negative after a time dt.

    A gap that is negative already is widened only beyond SLOP, and no faster than it narrows: so
    the contact takes at the mean velocity of the step what it gives.
    """
    gap = contact.gap
    if gap > 0.0:
        contact.rate = -gap / dt
    else:
        out = max(0.0, -gap - min(SLOP, 1e-3 * radius)) / dt
        approach = rate_before(blocks, contact, normal_row(contact)) if out > 0.0 else 0.0
        contact.rate = min(out, max(0.0, -approach))


@jit
def begin_contact(contact: Item, mass: float) -> None:
    """Start a contact from the impulses of the last step."""
    contact.mass = mass
    contact.pn, contact.pt, contact.grips = contact.kept_n, contact.kept_t, contact.kept_grips
    contact.cap, contact.miss, contact.gain = contact.kept_n, 0.0, 1.0
    contact.qn, contact.qt, contact.fn, contact.cn = 0.0, 0.0, 0.0, 0.0
    contact.ft, contact.ct, contact.pushes = 0.0, 0.0, False


@jit_apart
def begin_soft(blocks: Records, contact: Item, dt: float) -> None:
    """Start a compliant contact: what its spring and damper do in a step."""
    contact.rate = 0.0
    contact.r = dt * (0.5 * dt * contact.k + contact.d)
    contact.pn = -dt * contact.k * contact.gap
    if contact.cap == 0.0:
        rate = rate_before(blocks, contact, normal_row(contact))
        contact.cap = max(0.0, contact.pn - contact.r * rate)
