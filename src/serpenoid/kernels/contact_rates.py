"""Velocities at a contact, and what a step allows them to be."""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import Item, Records

# As deep as this in an obstacle counts as touching, m: without it, a link that fits a slot exactly
# would be pushed out from both sides.
SLOP = 1e-6

# Direction of a contact's row: x, y, lever about the link's centre, lever about that of the load.
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
    """Add impulse and curvature along a row to the quadratics of the link and the load."""
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
