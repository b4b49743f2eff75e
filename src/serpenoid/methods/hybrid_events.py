"""Events of the hybrid model: what they are, and when they happen within a step."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Body, Item, PackedGait, PackedWorld
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
    HybridOptions,
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
def event(world: PackedWorld, body: Body, latched: bool, besides: int) -> tuple[int, int]:
    """Which event (0: none) the links are past, where they are now, and of which contact.

    latched: closed contacts stay as they are, so only impacts count. besides: a contact not looked
    at, or -1.
    """
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if c == besides:
            continue
        if contact.mode == OPEN:
            update_contact_kinematics(world, body.links[contact.link], contact)
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
def excess_at(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    h: float,
    part: float,
    options: HybridOptions,
    flow: Flow,
    kind: int,
    c: int,
) -> float:
    """The excess of one contact after a part of the step from t to t + h."""
    interpolate(2 * body.links.shape[0] + 4, part, flow)
    contact = body.contacts[c]
    if kind in (DETACHED, SLIPPED):
        moment = t + part * h
        flow_map(world, body, gait, moment, options.stick_speed, flow, flow.trial, flow.slope[6])
    else:
        place(body.links, flow.trial)
        update_contact_kinematics(world, body.links[contact.link], contact)
    return excess(world, contact, kind)


@jit_apart
def locate(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    h: float,
    end: float,
    options: HybridOptions,
    flow: Flow,
    kind: int,
    c: int,
) -> float:
    """Part of the step, at most `end`, just after which an event that is past at `end` happens.

    The Illinois method on the continuous extension; every third trial bisects.
    """
    low, high, near = 0.0, end, RESOLUTION / h
    below = excess_at(world, body, gait, t, h, low, options, flow, kind, c)
    above = excess_at(world, body, gait, t, h, high, options, flow, kind, c)
    trials, last = 0, 0
    while high - low > near:
        trials += 1
        middle = 0.5 * (low + high)
        if trials % 3 != 0 and below < 0.0 < above:
            middle = low - below * (high - low) / (above - below)
            middle = min(max(middle, low + 0.4 * near), high - 0.4 * near)
        value = excess_at(world, body, gait, t, h, middle, options, flow, kind, c)
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
def first_event(
    world: PackedWorld,
    body: Body,
    gait: PackedGait,
    t: float,
    h: float,
    options: HybridOptions,
    flow: Flow,
    latched: bool,
) -> tuple[int, int, float]:
    """The first event (0: none) in the step just tried, its contact, and its time after t, s."""
    kind, c = event(world, body, latched, -1)
    if kind == NO_EVENT:
        return NO_EVENT, 0, h
    motion = 2 * body.links.shape[0] + 4
    extend(motion, h, flow)
    end, first, which = 1.0, kind, c
    # Another contact that is past an event by then had it earlier.
    for _ in range(body.counts[0] + 1):
        first, which = kind, c
        end = locate(world, body, gait, t, h, end, options, flow, kind, c)
        interpolate(motion, end, flow)
        flow_map(
            world, body, gait, t + end * h, options.stick_speed, flow, flow.trial, flow.slope[6]
        )
        kind, c = event(world, body, latched, which)
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
