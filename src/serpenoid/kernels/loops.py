"""Loads in a Newton iteration: what is not a tree.

A load that touches something movable closes a loop, or may. The velocities of such loads are kept
apart: the chain is swept once for its own gradient and once for each velocity of a coupled load,
with the factors of the first sweep; what is left is a small system S d = -s of the coupled loads,
S = H + C' Y, with C the curvature between links and loads and Y the response of the links. Loads
that touch nothing movable have a 3x3 system each.
"""

from math import inf, isfinite, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import normal_velocity, tangent_velocity
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    ELASTIC,
    PRESCRIBED,
    Body,
    Floats,
    Ints,
    Item,
    Records,
)
from serpenoid.kernels.link_laws import link_terms
from serpenoid.kernels.load_bodies import carried
from serpenoid.kernels.sweep import Quadratic, lever_in, lever_out, minimiser


@jit_apart
def carry(body: Body) -> None:
    """Let contacts with loads see the velocity these have now."""
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.other >= 0:
            vn, vt = carried(contact, body.loads[contact.other])
            contact.rate, contact.stick = contact.rate0 + vn, contact.stick0 + vt


@jit
def curvatures(contact: Item, stiffness: float) -> tuple[float, float]:
    """Curvature of a contact along its normal and tangent, on the pieces of the last sweep."""
    r = stiffness * contact.mass
    grips = contact.grips and contact.friction * contact.cap > 0.0
    return r if contact.pushes else 0.0, r if grips else 0.0


@jit
def levers(contact: Item, direction: int) -> tuple[float, float]:
    """What the velocity of a load along x, y or about its centre is along normal and tangent."""
    if direction == 0:
        return contact.nx, -contact.ny
    if direction == 1:
        return contact.ny, contact.nx
    return contact.mn, contact.mt


@jit_apart
def load_terms(body: Body, stiffness: float, predict: bool) -> float:
    """Quadratics of all loads, after those of the links; their slope along the last step."""
    loads, contacts, term = body.loads, body.contacts, body.loops.term
    for k in range(loads.shape[0]):
        own = link_terms(loads[k], contacts, stiffness, predict)
        for e in range(9):
            term[k, e] = own[e]
    for c in range(body.counts[0]):
        contact = contacts[c]
        if contact.other < 0:
            continue
        row, owner = term[contact.other], body.bodies[contact.link]
        kn, kt = curvatures(contact, stiffness)
        nx, ny, mn, mt = contact.nx, contact.ny, contact.mn, contact.mt
        pn, pt = 0.0, 0.0
        if contact.pushes:
            rate = normal_velocity(contact, owner.ux, owner.uy, owner.uw) - contact.rate
            pn = contact.pn - kn * rate
        if contact.friction * contact.cap > 0.0:
            pt = contact.sweep_t
        row[0] += kn * nx * nx + kt * ny * ny
        row[1] += (kn - kt) * nx * ny
        row[2] += kn * ny * ny + kt * nx * nx
        row[3] += kn * nx * mn - kt * ny * mt
        row[4] += kn * ny * mn + kt * nx * mt
        row[5] += kn * mn * mn + kt * mt * mt
        row[6] += pn * nx - pt * ny
        row[7] += pn * ny + pt * nx
        row[8] += pn * mn + pt * mt
    slope = 0.0
    for k in range(loads.shape[0]):
        load = loads[k]
        load.gx, load.gy, load.gw = term[k, 6], term[k, 7], term[k, 8]
        slope += load.gx * load.dx + load.gy * load.dy + load.gw * load.dw
    return slope


@jit
def respond_onto(inner: Item, link: Item, joint: Item, side: float, row: Floats, i: int) -> None:
    """Fold the gradient of link i on its inner neighbour, with the factors of the last sweep.

    The row keeps what turns the link about its inner hinge.
    """
    b, a = lever_in(link, side), lever_out(inner, side)
    gx, gy = row[i, 0], row[i, 1]
    turning = row[i, 2] + b * (link.ex * gy - link.ey * gx)
    passed = turning
    if joint.actuator != PRESCRIBED:
        gx, gy, passed = gx - link.kx * turning, gy - link.ky * turning, link.kk * turning
    row[i, 2] = turning
    j = i - int(side)
    row[j, 0] += gx
    row[j, 1] += gy
    row[j, 2] += passed + a * (inner.ex * gy - inner.ey * gx)


@jit
def respond_from(inner: Item, link: Item, joint: Item, side: float, row: Floats, i: int) -> None:
    """Step of link i from that of its inner neighbour."""
    j = i - int(side)
    a, b = lever_out(inner, side), lever_in(link, side)
    hx = row[j, 0] - a * inner.ey * row[j, 2]
    hy = row[j, 1] + a * inner.ex * row[j, 2]
    w = row[j, 2]
    if joint.actuator != PRESCRIBED:
        w = link.kk * w - link.kx * hx - link.ky * hy - link.ki * row[i, 2]
    row[i, 0], row[i, 1], row[i, 2] = hx - b * link.ey * w, hy + b * link.ex * w, w


@jit_apart
def respond(links: Records, joints: Records, root: Quadratic, row: Floats) -> None:
    """Newton step of the links for a gradient (n, 3), in its place."""
    n = links.shape[0]
    middle = n // 2
    for i in range(n - 1, middle, -1):
        respond_onto(links[i - 1], links[i], joints[i - 1], 1.0, row, i)
    for i in range(middle):
        respond_onto(links[i + 1], links[i], joints[i], -1.0, row, i)
    gx, gy, gw = row[middle, 0], row[middle, 1], row[middle, 2]
    xx, xy, yy, xw, yw, ww = root[0], root[1], root[2], root[3], root[4], root[5]
    step = minimiser((xx, xy, yy, xw, yw, ww, gx, gy, gw))
    row[middle, 0], row[middle, 1], row[middle, 2] = step
    for i in range(middle + 1, n):
        respond_from(links[i - 1], links[i], joints[i - 1], 1.0, row, i)
    for i in range(middle - 1, -1, -1):
        respond_from(links[i + 1], links[i], joints[i], -1.0, row, i)


@jit_apart
def find_coupled(body: Body) -> int:
    """Number the loads that touch something movable, from left to right; -1 if there is no room."""
    loops, n = body.loops, body.links.shape[0]
    slot, coupled = loops.slot, loops.coupled
    for k in range(slot.shape[0]):
        slot[k] = -1
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if contact.other >= 0 and (contact.pushes or contact.grips):
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


@jit_apart
def couple(body: Body, root: Quadratic, stiffness: float) -> int:
    """Matrix of the coupled loads, factorised, and the responses of the links; status.

    root: the quadratic all links were folded into.
    """
    loops, n = body.loops, body.links.shape[0]
    count = find_coupled(body)
    if count < 0:
        return CONTACTS_FULL
    matrix, response, first, slot = loops.matrix, loops.response, loops.first, loops.slot
    for s in range(count):
        t, a = loops.term[loops.coupled[s]], 3 * s
        first[a], first[a + 1], first[a + 2], loops.touched[s] = a, a, a, False
        matrix[a, a], matrix[a + 1, a], matrix[a + 1, a + 1] = t[0], t[1], t[2]
        matrix[a + 2, a], matrix[a + 2, a + 1], matrix[a + 2, a + 2] = t[3], t[4], t[5]
    leftmost = count
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        kn, kt = curvatures(contact, stiffness)
        if contact.other < 0 or kn + kt == 0.0:
            continue
        s = slot[contact.other]
        if contact.link < n and not loops.touched[s]:
            leftmost = min(leftmost, s)
            loops.touched[s] = True
            for d in range(3):
                for i in range(n):
                    for e in range(3):
                        response[3 * s + d, i, e] = 0.0
        for d in range(3):
            ln, lt = levers(contact, d)
            ln, lt = -kn * ln, -kt * lt
            # Along x, y and about the centre of the other one of the pair.
            px, py = ln * contact.nx - lt * contact.ny, ln * contact.ny + lt * contact.nx
            pw = ln * contact.ln + lt * contact.lt
            if contact.link < n:
                row = response[3 * s + d, contact.link]
                row[0] += px
                row[1] += py
                row[2] += pw
            else:
                r = slot[contact.link - n]
                add_block(matrix, first, 3 * s + d, 3 * r, (px, py, pw))
    for s in range(leftmost, count):
        if loops.touched[s]:
            for d in range(3):
                respond(body.links, body.joints, root, response[3 * s + d])
                extend(matrix, first, 3 * s + d, 3 * leftmost)
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        kn, kt = curvatures(contact, stiffness)
        if contact.other < 0 or contact.link >= n or kn + kt == 0.0:
            continue
        s = slot[contact.other]
        for e in range(3 * leftmost, 3 * s + 3):
            if not loops.touched[e // 3]:
                continue
            step = response[e, contact.link]
            vn = kn * normal_velocity(contact, step[0], step[1], step[2])
            vt = kt * tangent_velocity(contact, step[0], step[1], step[2])
            for d in range(3):
                if e <= 3 * s + d:
                    ln, lt = levers(contact, d)
                    matrix[3 * s + d, e] -= ln * vn + lt * vt
    factorise(matrix, first, 3 * count)
    return DONE


@jit
def extend(matrix: Floats, first: Ints, row: int, column: int) -> None:
    """Let a row begin with a column."""
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


@jit_apart
def factorise(matrix: Floats, first: Ints, size: int) -> None:
    """Cholesky factor of a symmetric matrix, lower, each row from its first column on."""
    for a in range(size):
        for b in range(first[a], a + 1):
            value = matrix[a, b]
            for e in range(max(first[a], first[b]), b):
                value -= matrix[a, e] * matrix[b, e]
            matrix[a, b] = sqrt(value) if a == b else value / matrix[b, b]


@jit_apart
def back_substitute(matrix: Floats, first: Ints, size: int, x: Floats) -> None:
    """Solve with the factor, in place."""
    for a in range(size):
        for e in range(first[a], a):
            x[a] -= matrix[a, e] * x[e]
        x[a] /= matrix[a, a]
    for a in range(size - 1, -1, -1):
        x[a] /= matrix[a, a]
        for e in range(first[a], a):
            x[e] -= matrix[a, e] * x[a]


@jit_apart
def close_loops(body: Body, stiffness: float) -> tuple[float, float]:
    """Steps of the loads, and what they change in that of the links; size (m/s) and slope."""
    loops, links, joints, loads = body.loops, body.links, body.joints, body.loads
    n, step, slot = links.shape[0], loops.step, loops.slot
    count = loops.coupled[loops.coupled.shape[0] - 1]
    for s in range(count):
        load = loads[loops.coupled[s]]
        step[3 * s], step[3 * s + 1], step[3 * s + 2] = -load.gx, -load.gy, -load.gw
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        kn, kt = curvatures(contact, stiffness)
        if contact.other < 0 or contact.link >= n or kn + kt == 0.0:
            continue
        link = links[contact.link]
        vn = kn * normal_velocity(contact, link.dx, link.dy, link.dw)
        vt = kt * tangent_velocity(contact, link.dx, link.dy, link.dw)
        for d in range(3):
            ln, lt = levers(contact, d)
            step[3 * slot[contact.other] + d] += ln * vn + lt * vt
    back_substitute(loops.matrix, loops.first, 3 * count, step)
    size, slope = 0.0, 0.0
    for k in range(loads.shape[0]):
        load, s = loads[k], 3 * slot[k]
        if slot[k] >= 0:
            load.dx, load.dy, load.dw = step[s], step[s + 1], step[s + 2]
        else:
            t = loops.term[k]
            load.dx, load.dy, load.dw = minimiser(
                (t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8])
            )
        load.ux += load.dx
        load.uy += load.dy
        load.uw += load.dw
        size = max(size, abs(load.dx), abs(load.dy), load.radius * abs(load.dw))
        slope += load.gx * load.dx + load.gy * load.dy + load.gw * load.dw
    for i in range(n):
        link = links[i]
        dx, dy, dw = 0.0, 0.0, 0.0
        for e in range(3 * count):
            if loops.touched[e // 3]:
                dx += loops.response[e, i, 0] * step[e]
                dy += loops.response[e, i, 1] * step[e]
                dw += loops.response[e, i, 2] * step[e]
        link.dx, link.dy, link.dw = link.dx + dx, link.dy + dy, link.dw + dw
        link.ux, link.uy, link.uw = link.ux + dx, link.uy + dy, link.uw + dw
        size = max(size, abs(link.dx), abs(link.dy), link.half * abs(link.dw))
        slope += link.gx * link.dx + link.gy * link.dy + link.gw * link.dw
    for j in range(joints.shape[0]):
        slope += joints[j].g * (links[j + 1].dw - links[j].dw)
        if joints[j].actuator == ELASTIC:
            slope += joints[j].gw * links[j].dw
    return size if isfinite(slope) else inf, slope
