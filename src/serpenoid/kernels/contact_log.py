"""The log of contacts: what pushed since the last row of the record, where and how much.

Kernels that keep it take a log that is None for bare robots and has no room if nobody asked for it;
either costs nothing. A step asks for room beforehand (`has_room`), so that no contact is lost.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import Body, ContactLog, Item

# Entries of ContactLog.counts.
IN_ROWS, ALL = 0, 1


@jit
def has_room(body: Body, log: ContactLog | None) -> bool:
    """Whether the log has room for all contacts that a step may have."""
    if log is None:
        return True
    size = log.touches.shape[0]
    return size == 0 or log.counts[ALL] + body.contacts.shape[0] <= size


@jit
def note_contacts(body: Body, log: ContactLog | None) -> None:
    """Add the contacts that push in an accepted step to the log."""
    if log is None:
        return
    if log.touches.shape[0] > 0:
        note_all(body, log)


@jit_apart
def note_all(body: Body, log: ContactLog) -> None:
    """Add the impulses of the step to those since the last row; places are those of midpoints."""
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if not contact.near or (contact.qn == 0.0 and contact.qt == 0.0):
            continue
        touch = log.touches[slot(log, contact, other_body(body.robot[0], contact))]
        nx, ny, qn, qt = contact.nx, contact.ny, contact.qn, contact.qt
        o, at = body.blocks[block(contact.lane)], lane(contact.lane)
        # The levers are those of the point: lt along the normal, -ln along the tangent.
        touch.x = o.x[at] + contact.lt * nx + contact.ln * ny
        touch.y = o.y[at] + contact.lt * ny - contact.ln * nx
        touch.nx, touch.ny = nx, ny
        touch.normal_x += qn * nx
        touch.normal_y += qn * ny
        touch.tangent_x -= qt * ny
        touch.tangent_y += qt * nx
        touch.sticks = contact.grips and contact.friction > 0.0


@jit
def other_body(robot: Item, contact: Item) -> int:
    """Number of the link or load that a contact is with, links first; -1: it is with neither."""
    beyond = contact.other_lane - robot.load_lane
    return robot.links + beyond if beyond >= 0 else contact.other_lane


@jit
def slot(log: ContactLog, contact: Item, other: int) -> int:
    """Index of a contact among those since the last row; a new one has no impulses."""
    last = log.counts[ALL]
    for k in range(log.counts[IN_ROWS], last):
        touch = log.touches[k]
        same = touch.link == contact.link and touch.other == other
        if same and touch.obstacle == contact.obstacle:
            return k
    touch = log.touches[last]
    touch.link, touch.obstacle, touch.other = contact.link, contact.obstacle, other
    touch.ground = contact.ground
    touch.normal_x, touch.normal_y, touch.tangent_x, touch.tangent_y = 0.0, 0.0, 0.0, 0.0
    log.counts[ALL] = last + 1
    return last


@jit
def end_interval(log: ContactLog | None, row: int, time: float) -> None:
    """Assign the contacts since the last row to a row: mean forces over a time, s."""
    if log is None:
        return
    for k in range(log.counts[IN_ROWS], log.counts[ALL]):
        touch = log.touches[k]
        touch.row = row
        touch.normal_x, touch.normal_y = touch.normal_x / time, touch.normal_y / time
        touch.tangent_x, touch.tangent_y = touch.tangent_x / time, touch.tangent_y / time
    log.counts[IN_ROWS] = log.counts[ALL]
