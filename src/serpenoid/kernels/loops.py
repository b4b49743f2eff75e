"""Loads in a Newton iteration: what is not a tree.

A load that touches something movable closes a loop, or may. The velocities of such loads are kept
apart: the chain is swept once for its own gradient and once for each velocity of a coupled load,
with the factors of the first sweep; what is left is a small system S d = -s of the coupled loads,
S = H + C' Y, with C the curvature between links and loads and Y the response of the links. Loads
that touch nothing movable have a 3x3 system each. `Body.loops` is None for bare
robots, which leaves all this out of their machine code.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import Direction, normal_row, tangent_row
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import CONTACTS_FULL, DONE, Body, Floats, Ints, Item, Loops, Records
from serpenoid.kernels.responses import back_substitute, factorise, respond
from serpenoid.kernels.self_loops import correct_response, set_joint_steps
from serpenoid.kernels.sweep import Quadratic, minimiser, own_quadratic


@jit
def couples(contact: Item) -> bool:
    """Whether a contact with a load acts in this iteration."""
    return contact.near and contact.other >= 0 and contact.cn + contact.ct > 0.0


@jit
def of_load(row: Direction, axis: int) -> float:
    """Component along a row of the velocity of a load along x, y or about its centre."""
    return row[0] if axis == 0 else (row[1] if axis == 1 else row[3])


@jit_apart
def find_coupled(body: Body, loops: Loops) -> int:
    """Number the loads that touch something movable, from left to right; -1 if there is no room."""
    n = body.robot[0].links
    slot, coupled = loops.slot, loops.coupled
    for k in range(slot.shape[0]):
        slot[k] = -1
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.near and contact.other >= 0 and (contact.pushes or contact.grips):
            slot[contact.other] = 0
            if contact.link >= n:
                slot[contact.link - n] = 0
    count = 0
    for place in range(slot.shape[0]):
        k = loops.order[place]
        if slot[k] == 0:
            if count == coupled.shape[0] - 1:
                return -1
            slot[k], coupled[count] = count, k
            count += 1
    coupled[coupled.shape[0] - 1] = count
    return count


@jit
def couple(body: Body, loops: Loops | None, root: Quadratic) -> int:
    """Matrix of the coupled loads, factorised, and the responses of the links; status.

    root: the quadratic all links were folded into.
    """
    if loops is None:
        return DONE
    if loops.order.shape[0] == 0:
        return DONE
    return couple_loads(body, loops, root)


@jit_apart
def couple_loads(body: Body, loops: Loops, root: Quadratic) -> int:
    """The same, apart from the code of robots without loads."""
    count = find_coupled(body, loops)
    if count < 0:
        return CONTACTS_FULL
    n, base = body.robot[0].links, body.robot[0].load_lane
    for s in range(count):
        begin_block(body.blocks, base, loops, s)
    leftmost = count
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if couples(contact):
            if contact.link < n:
                leftmost = min(leftmost, loops.slot[contact.other])
            add_coupling(loops, n, contact, contact.cn, normal_row(contact))
            add_coupling(loops, n, contact, contact.ct, tangent_row(contact))
    for s in range(leftmost, count):
        if loops.touched[s]:
            for d in range(3):
                respond(body.blocks, n, root, loops.response[3 * s + d])
                correct_response(body, body.self_contacts, loops.response[3 * s + d])
                extend(loops.matrix, loops.first, 3 * s + d, 3 * leftmost)
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if couples(contact) and contact.link < n:
            subtract_response(loops, contact, contact.cn, normal_row(contact), leftmost)
            subtract_response(loops, contact, contact.ct, tangent_row(contact), leftmost)
    factorise(loops.matrix, loops.first, 3 * count)
    return DONE


@jit
def begin_block(blocks: Records, base: int, loops: Loops, s: int) -> None:
    """Set the diagonal block of coupled load s, and its response to zero.

    base: lane of load 0.
    """
    a, matrix, first = 3 * s, loops.matrix, loops.first
    i = base + loops.coupled[s]
    o, at = blocks[block(i)], lane(i)
    first[a], first[a + 1], first[a + 2], loops.touched[s] = a, a, a, False
    matrix[a, a], matrix[a + 1, a], matrix[a + 1, a + 1] = o.xx[at], o.xy[at], o.yy[at]
    matrix[a + 2, a], matrix[a + 2, a + 1], matrix[a + 2, a + 2] = o.xw[at], o.yw[at], o.ww[at]


@jit_apart
def add_coupling(loops: Loops, n: int, contact: Item, c: float, row: Direction) -> None:
    """Curvature between a load and the other one of a pair: a load, or a link as its gradient."""
    s = loops.slot[contact.other]
    if contact.link < n and not loops.touched[s]:
        loops.touched[s] = True
        loops.response[3 * s : 3 * s + 3, :, :] = 0.0
    for d in range(3):
        k = -c * of_load(row, d)
        if contact.link < n:
            answer = loops.response[3 * s + d, contact.link]
            answer[0] += k * row[0]
            answer[1] += k * row[1]
            answer[2] += k * row[2]
        else:
            other = 3 * loops.slot[contact.link - n]
            block = (k * row[0], k * row[1], k * row[2])
            add_block(loops.matrix, loops.first, 3 * s + d, other, block)


@jit_apart
def subtract_response(loops: Loops, contact: Item, c: float, row: Direction, leftmost: int) -> None:
    """Subtract the response of the links to all coupled loads from the curvature."""
    s = loops.slot[contact.other]
    for e in range(3 * leftmost, 3 * s + 3):
        if not loops.touched[e // 3]:
            continue
        step = loops.response[e, contact.link]
        rate = c * (row[0] * step[0] + row[1] * step[1] + row[2] * step[2])
        for d in range(3):
            if e <= 3 * s + d:
                loops.matrix[3 * s + d, e] -= of_load(row, d) * rate


@jit
def extend(matrix: Floats, first: Ints, row: int, column: int) -> None:
    """Extend the profile of a row to a column."""
    for e in range(column, first[row]):
        matrix[row, e] = 0.0
    first[row] = min(first[row], column)


@jit
def add_block(
    matrix: Floats, first: Ints, row: int, column: int, block: tuple[float, float, float]
) -> None:
    """Add the curvature between a velocity of one load and the three of another."""
    for e in range(3):
        a, b = max(row, column + e), min(row, column + e)
        extend(matrix, first, a, b - b % 3)
        matrix[a, b] += block[e]


@jit
def add_right_side(blocks: Records, loops: Loops, contact: Item, c: float, row: Direction) -> None:
    """Contribution of the step of a link without loads to the right-hand side of a load."""
    o, at = blocks[block(contact.lane)], lane(contact.lane)
    rate = c * (row[0] * o.dx[at] + row[1] * o.dy[at] + row[2] * o.dw[at])
    for d in range(3):
        loops.step[3 * loops.slot[contact.other] + d] += of_load(row, d) * rate


@jit
def close_loops(body: Body, loops: Loops | None) -> None:
    """Newton steps of the loads, and what they change in those of the links."""
    if loops is None:
        return
    if loops.order.shape[0] > 0:
        step_loads(body, loops)


@jit_apart
def step_loads(body: Body, loops: Loops) -> None:
    """The same, apart from the code of robots without loads."""
    blocks, n = body.blocks, body.robot[0].links
    step, base = loops.step, body.robot[0].load_lane
    count = loops.coupled[loops.coupled.shape[0] - 1]
    for s in range(count):
        o, at = blocks[block(base + loops.coupled[s])], lane(base + loops.coupled[s])
        step[3 * s], step[3 * s + 1], step[3 * s + 2] = -o.gx[at], -o.gy[at], -o.gw[at]
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if couples(contact) and contact.link < n:
            add_right_side(blocks, loops, contact, contact.cn, normal_row(contact))
            add_right_side(blocks, loops, contact, contact.ct, tangent_row(contact))
    back_substitute(loops.matrix, loops.first, 3 * count, step)
    for k in range(body.loads.shape[0]):
        o, at = blocks[block(base + k)], lane(base + k)
        s = 3 * loops.slot[k]
        if s >= 0:
            o.dx[at], o.dy[at], o.dw[at] = step[s], step[s + 1], step[s + 2]
        else:
            o.dx[at], o.dy[at], o.dw[at] = minimiser(own_quadratic(o, at))
    for i in range(n):
        o, at = blocks[block(i)], lane(i)
        for e in range(3 * count):
            if loops.touched[e // 3]:
                o.dx[at] += loops.response[e, i, 0] * step[e]
                o.dy[at] += loops.response[e, i, 1] * step[e]
                o.dw[at] += loops.response[e, i, 2] * step[e]
    set_joint_steps(blocks, n)
