"""Events of the hybrid model: what they are, and when they happen within a step."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Body, Item, PackedWorld
from serpenoid.methods.dormand_prince import extend, interpolate
from serpenoid.methods.hybrid_flow import flow_map, place, update_contact_kinematics
from serpenoid.methods.hybrid_jump import BACKWARDS, NO_FORCE, reach
from serpenoid.methods.hybrid_layout import (
    DETACHED,
    NO_EVENT,
    OPEN,
    SLIPPED,
    STICKS,
    STOPPED,
    STRUCK,
    Flow,
    HybridView,
)

# Time within which an event is located, s.
RESOLUTION = 1e-8
# A force the wrong way, N, that is an event: more than what counts as none when modes are chosen,
# so that rounding is none.
WRONG_FORCE = 100.0 * NO_FORCE


@jit
def excess(world: PackedWorld, contact: Item, kind: int) -> float:
    """How far a contact is beyond an event of a kind: < 0 before, m/s or N."""
    if kind == STRUCK:
        # Per second, so that a gap compares with a velocity: both have to be there.
        return min(-1000.0 * contact.gap, -contact.vn - BACKWARDS)
    if kind == DETACHED:
        return max(-contact.qn - WRONG_FORCE, 1e6 * (contact.gap - reach(world, contact)))
    if kind == SLIPPED:
        return abs(contact.qt) - contact.friction * contact.qn - WRONG_FORCE
    return -contact.mode * contact.vt - contact.stick


@jit_apart
def event(view: HybridView, latched: bool, besides: int) -> tuple[int, int]:
    """Which event (0: none) the links are past, where they are now, and of which contact.

    latched: closed contacts stay as they are, so only impacts count. besides: a contact not looked
    at, or -1.
    """
    world, body = view.world, view.body
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if c == besides:
            continue
        if contact.mode == OPEN:
            update_contact_kinematics(world, body, contact)
            if excess(world, contact, STRUCK) > 0.0:
                return STRUCK, c
        elif not latched:
            if excess(world, contact, DETACHED) > 0.0:
                return DETACHED, c
            if contact.friction > 0.0:
                kind = SLIPPED if contact.mode == STICKS else STOPPED
                if excess(world, contact, kind) > 0.0:
                    return kind, c
    return NO_EVENT, 0


@jit
def excess_at(view: HybridView, t: float, h: float, part: float, kind: int, c: int) -> float:
    """The excess of one contact after a part of the step from t to t + h."""
    body, flow = view.body, view.flow
    interpolate(part, flow.y, flow.dense, flow.trial)
    contact = body.contacts[c]
    if kind in (DETACHED, SLIPPED):
        flow_map(view, t + part * h, flow.trial, flow.slope[6])
    else:
        place(body.links, flow.trial)
        update_contact_kinematics(view.world, body, contact)
    return excess(view.world, contact, kind)


@jit_apart
def locate(view: HybridView, t: float, h: float, end: float, kind: int, c: int) -> float:
    """Part of the step, at most `end`, just after which an event that is past at `end` happens.

    The Illinois method on the continuous extension; every third trial bisects.
    """
    low, high, near = 0.0, end, RESOLUTION / h
    below = excess_at(view, t, h, low, kind, c)
    above = excess_at(view, t, h, high, kind, c)
    trials, last = 0, 0
    while high - low > near:
        trials += 1
        middle = 0.5 * (low + high)
        if trials % 3 != 0 and below < 0.0 < above:
            middle = low - below * (high - low) / (above - below)
            middle = min(max(middle, low + 0.4 * near), high - 0.4 * near)
        value = excess_at(view, t, h, middle, kind, c)
        if value > 0.0:
            high, above = middle, value
            if last == 1:
                below *= 0.5
            last = 1
        else:
            low, below = middle, value
            if last == -1:
                above *= 0.5
            last = -1
    return high


@jit_apart
def first_event(view: HybridView, t: float, h: float, latched: bool) -> tuple[int, int, float]:
    """The first event (0: none) in the step just tried, its contact, and its time after t, s."""
    kind, c = event(view, latched, -1)
    if kind == NO_EVENT:
        return NO_EVENT, 0, h
    flow = view.flow
    extend(h, flow.y, flow.slope, flow.trial, flow.dense)
    end, first, which = 1.0, kind, c
    # Another contact that is past an event by then had it earlier.
    for _ in range(view.body.counts[0] + 1):
        first, which = kind, c
        end = locate(view, t, h, end, kind, c)
        interpolate(end, flow.y, flow.dense, flow.trial)
        flow_map(view, t + end * h, flow.trial, flow.slope[6])
        kind, c = event(view, latched, which)
        if kind == NO_EVENT:
            break
    return first, which, end * h


@jit
def note(body: Body, flow: Flow, t: float, kind: int, c: int) -> None:
    """Write an event into the log, over the oldest one when it is full."""
    row = flow.log[flow.logged[0] % flow.log.shape[0]]
    contact = body.contacts[c]
    row[0], row[1], row[2], row[3] = t, kind, contact.link, contact.obstacle
    flow.logged[0] += 1
