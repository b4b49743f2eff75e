"""Contacts between links of one robot in a Newton iteration.

Such a contact adds c (w'u)^2 / 2 to the objective, a coupling of two links that no sweep can fold.
With H the chain with all other laws and W the m rows that act, the Newton step d of H + W C W' is
that of H less H^-1 W y, where (C^-1 + W' H^-1 W) y = W' d (Woodbury): one response of the links for
each row, with the factors of the sweep, and a small matrix with a Cholesky factor. What loads need
of the chain is corrected in the same way. `Body.self_contacts` is None for robots that cannot touch
themselves, which leaves all this out of their machine code.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import (
    Direction,
    is_own,
    normal_row,
    rate_of_step,
    tangent_row,
)
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import CONTACTS_FULL, DONE, Body, Floats, Item, Records, SelfContacts
from serpenoid.kernels.responses import back_substitute, factorise, respond
from serpenoid.kernels.sweep import Quadratic


@jit
def row_of(contact: Item, row: int) -> Direction:
    """Direction of a row of a contact, by its number."""
    return tangent_row(contact) if row % 2 == 1 else normal_row(contact)


@jit
def add_own_row(own: SelfContacts, number: int) -> bool:
    """Add a row that acts, if there is room."""
    last = own.rows.shape[0] - 1
    count = own.rows[last]
    if count == last:
        return False
    own.rows[count] = number
    own.rows[last] = count + 1
    return True


@jit_apart
def find_rows(body: Body, own: SelfContacts) -> int:
    """List the rows of contacts between links that act in this iteration; -1 without room."""
    last = own.rows.shape[0] - 1
    own.rows[last] = 0
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.near and is_own(contact):
            if contact.cn > 0.0 and not add_own_row(own, 2 * c):
                return -1
            if contact.ct > 0.0 and not add_own_row(own, 2 * c + 1):
                return -1
    return own.rows[last]


@jit
def rate_in(response: Floats, contact: Item, row: Direction) -> float:
    """Relative velocity along a row of two links in a response of all (n, 3)."""
    i, j = contact.lane, contact.other_lane
    rate = row[0] * (response[i, 0] - response[j, 0]) + row[1] * (response[i, 1] - response[j, 1])
    return rate + row[2] * response[i, 2] - row[3] * response[j, 2]


@jit
def close_chain(body: Body, own: SelfContacts | None, root: Quadratic) -> int:
    """Responses of the chain to the contacts between links, and the matrix of these; status.

    root: the quadratic all links were folded into.
    """
    if own is None:
        return DONE
    if not own.active:
        return DONE
    count = find_rows(body, own)
    if count > 0:
        couple_links(body, own, count, root)
    return CONTACTS_FULL if count < 0 else DONE


@jit_apart
def couple_links(body: Body, own: SelfContacts, count: int, root: Quadratic) -> None:
    """The same of a robot that touches itself."""
    n = body.robot[0].links
    for a in range(count):
        contact = body.contacts[own.rows[a] // 2]
        row, response = row_of(contact, own.rows[a]), own.response[a]
        response[:, :] = 0.0
        i, j = contact.lane, contact.other_lane
        response[i, 0], response[i, 1], response[i, 2] = row[0], row[1], row[2]
        response[j, 0], response[j, 1], response[j, 2] = -row[0], -row[1], -row[3]
        respond(body.blocks, n, root, response)
        for b in range(a + 1):
            other = body.contacts[own.rows[b] // 2]
            own.matrix[a, b] = -rate_in(response, other, row_of(other, own.rows[b]))
        own.matrix[a, a] += 1.0 / (contact.ct if own.rows[a] % 2 == 1 else contact.cn)
        own.first[a] = 0
    factorise(own.matrix, own.first, count)


@jit
def correct_step(body: Body, own: SelfContacts | None) -> None:
    """Add to the Newton step of the links what contacts between them change."""
    if own is None:
        return
    if own.active and own.rows[own.rows.shape[0] - 1] > 0:
        correct_lanes(body, own)


@jit_apart
def correct_lanes(body: Body, own: SelfContacts) -> None:
    """The same of a robot that touches itself."""
    blocks, n, count = body.blocks, body.robot[0].links, own.rows[own.rows.shape[0] - 1]
    for a in range(count):
        contact = body.contacts[own.rows[a] // 2]
        own.step[a] = rate_of_step(blocks, contact, row_of(contact, own.rows[a]))
    back_substitute(own.matrix, own.first, count, own.step)
    for i in range(n):
        o, at = blocks[block(i)], lane(i)
        for a in range(count):
            o.dx[at] += own.response[a, i, 0] * own.step[a]
            o.dy[at] += own.response[a, i, 1] * own.step[a]
            o.dw[at] += own.response[a, i, 2] * own.step[a]
    set_joint_steps(blocks, n)


@jit
def set_joint_steps(blocks: Records, n: int) -> None:
    """Newton steps of the joints' rates from those of the links."""
    for j in range(n - 1):
        o, at = blocks[block(j)], lane(j)
        p, k = blocks[block(j + 1)], lane(j + 1)
        o.drate[at] = p.dw[k] - o.dw[at]


@jit
def correct_response(body: Body, own: SelfContacts | None, response: Floats) -> None:
    """Add to a response of all links (n, 3) what contacts between them change."""
    if own is None:
        return
    if own.active and own.rows[own.rows.shape[0] - 1] > 0:
        correct_array(body, own, response)


@jit_apart
def correct_array(body: Body, own: SelfContacts, response: Floats) -> None:
    """The same of a robot that touches itself."""
    n, count = body.robot[0].links, own.rows[own.rows.shape[0] - 1]
    for a in range(count):
        contact = body.contacts[own.rows[a] // 2]
        own.step[a] = rate_in(response, contact, row_of(contact, own.rows[a]))
    back_substitute(own.matrix, own.first, count, own.step)
    for a in range(count):
        for i in range(n):
            for d in range(3):
                response[i, d] += own.response[a, i, d] * own.step[a]
