"""Transeth's modified Newton iteration on proximal points [transeth2008 (54)-(70)].

Maximal coordinates: every link keeps its own velocity, the hinges are equality constraints with
impulses P_J (62). Eliminating u_E and P_J once per step leaves gamma = gamma_0 + G P for the laws,
on which (64)-(69) is iterated until (70). Dense linear algebra on purpose: nothing is shared with
the default solver's sweep. The servo's stiffness stands beside the mass matrix, so that it acts
implicitly; that of the paper's explicit servo, an option, is zero.
"""

from math import cos, sin, sqrt
from typing import Annotated, NamedTuple

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import DONE, NO_CONVERGENCE, Body, Floats, Ints, Item, Records
from serpenoid.kernels.projections import project_disc
from serpenoid.methods.linear_algebra import (
    add_scaled,
    copy,
    factorise,
    product,
    solve_factored,
)

# Square of a scaled friction force from which on it slides: that on the edge of its disc, and less
# only by rounding.
EDGE = 1.0 - 1e-12

# Time in which a contact that is too deep returns, s.
RETURN_TIME = 0.01


class ProxOptions(NamedTuple):
    """Options of the iteration."""

    tolerance: float  # on the last change of the impulses, N s
    max_iterations: int
    r_normal: float  # r_H, kg
    r_tangential: float  # r_T, kg
    explicit_servo: bool
    max_penetration: float  # m, a step that ends deeper is halved


class Dense(NamedTuple):
    """Scratch of the proximal point method."""

    matrix: Annotated[Floats, "size", "size"]  # masses, servo stiffness and hinges, factorised
    pivot: Annotated[Ints, "size"]  # size = 5n - 2
    solution: Annotated[Floats, "laws + 1", "size"]  # free motion, then the answer to each law
    direction: Annotated[Floats, "laws", "size"]
    delassus: Annotated[Floats, "laws", "laws + 1"]  # free velocity, then response to impulses
    impulse: Annotated[Floats, "laws"]
    gamma: Annotated[Floats, "laws"]


@jit_apart
def glide(blocks: Records, n: int, dt: float) -> None:
    """Move every link by itself for a time dt, to the midpoint [transeth2008 (54)]."""
    for i in range(n):
        o, at = blocks[block(i)], lane(i)
        o.x[at] += dt * o.vx[at]
        o.y[at] += dt * o.vy[at]
        o.mid[at] += dt * o.omega[at]
        o.ex[at], o.ey[at] = cos(o.mid[at]), sin(o.mid[at])


@jit_apart
def project_hinges(blocks: Records, n: int, com: Floats) -> None:
    """Close the hinges; keep all angles and the head link's position [transeth2008 VI-C].

    Links have moved on by themselves to px, py [transeth2008 (63)]; of that only the centre of mass
    is kept.
    """
    o, at = blocks[block(n - 1)], lane(n - 1)
    half, x, y = o.half[at], o.px[at], o.py[at]
    x, y = x + half * cos(o.theta[at]), y + half * sin(o.theta[at])
    sx, sy, total = 0.0, 0.0, 0.0
    for i in range(n - 1, -1, -1):
        o, at = blocks[block(i)], lane(i)
        hx, hy = o.half[at] * cos(o.theta[at]), o.half[at] * sin(o.theta[at])
        sx, sy = sx + o.mass[at] * (x - hx), sy + o.mass[at] * (y - hy)
        x, y, total = x - 2.0 * hx, y - 2.0 * hy, total + o.mass[at]
    com[0], com[1] = sx / total, sy / total


@jit_apart
def assemble(blocks: Records, robot: Item, fall: tuple[float, float], dense: Dense) -> None:
    """Mass matrix, servo stiffness and hinge Jacobian (31)(32); right-hand side into row 0.

    fall: velocity gained by gravity in the step, m/s.
    """
    a, b = dense.matrix, dense.solution
    a[:, :], b[0, :] = 0.0, 0.0
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        x, y, here = 3 * i, 3 * i + 1, 3 * i + 2
        a[x, x], a[y, y] = o.mass[at], o.mass[at]
        a[here, here] += o.inertia[at]
        b[0, x], b[0, y] = o.mass[at] * (o.vx[at] + fall[0]), o.mass[at] * (o.vy[at] + fall[1])
        b[0, here] += o.inertia[at] * o.omega[at]
        if i == 0:
            continue
        p, m = blocks[block(i - 1)], lane(i - 1)
        behind = 3 * i - 1
        a[here, here] += p.jk[m]
        a[behind, behind] += p.jk[m]
        a[here, behind] -= p.jk[m]
        a[behind, here] -= p.jk[m]
        b[0, here] += p.jp[m]
        b[0, behind] -= p.jp[m]
        row = 3 * robot.links + 2 * (i - 1)
        for equation, column, value in (
            (row, x, 1.0),
            (row, here, o.half[at] * o.ey[at]),
            (row, x - 3, -1.0),
            (row, behind, p.half[m] * p.ey[m]),
            (row + 1, y, 1.0),
            (row + 1, here, -o.half[at] * o.ex[at]),
            (row + 1, y - 3, -1.0),
            (row + 1, behind, -p.half[m] * p.ex[m]),
        ):
            a[equation, column], a[column, equation] = value, value


@jit
def is_closed(contact: Item) -> bool:
    """Whether a contact may push in this step."""
    return contact.near and contact.gap <= 0.0


@jit
def return_rate(contact: Item, allowed: float) -> float:
    """Least velocity along the normal of a closed contact, m/s: none up to half the depth allowed.

    allowed: that depth, m. What slides along an obstacle, and closing the hinges, would take a
    contact ever deeper otherwise.
    """
    return max(0.0, -contact.gap - 0.5 * allowed) / RETURN_TIME


@jit_apart
def add_directions(body: Body, dense: Dense, allowed: float) -> int:
    """Columns W_T (two per link, scaled by the reservoir) and W_H of closed contacts; how many.

    Direction m goes into row m + 1 of the solution array and into dense.direction. allowed: depth
    of contacts, m.
    """
    n, direction, solution = body.robot[0].links, dense.direction, dense.solution
    direction[: 2 * n + body.counts[0], :] = 0.0
    for i in range(n):
        o, at = body.blocks[block(i)], lane(i)
        direction[2 * i, 3 * i] = o.forward[at] * o.ex[at]
        direction[2 * i, 3 * i + 1] = o.forward[at] * o.ey[at]
        direction[2 * i + 1, 3 * i] = -o.side[at] * o.ey[at]
        direction[2 * i + 1, 3 * i + 1] = o.side[at] * o.ex[at]
        dense.impulse[2 * i], dense.impulse[2 * i + 1] = o.old_x[at], o.old_y[at]
    count = 2 * n
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if is_closed(contact):
            i = contact.link
            direction[count, 3 * i] = contact.nx
            direction[count, 3 * i + 1] = contact.ny
            direction[count, 3 * i + 2] = contact.ln
            dense.impulse[count] = contact.pn
            dense.gamma[count] = return_rate(contact, allowed)
            count += 1
    for m in range(count):
        copy(direction[m], solution[m + 1])
        solve_factored(dense.matrix, dense.pivot, solution[m + 1])
    for m in range(count):
        for k in range(count + 1):
            dense.delassus[m, k] = product(direction[m, : 3 * n], solution[k])
        if m >= 2 * n:
            dense.delassus[m, 0] -= dense.gamma[m]
    return count


@jit_apart
def iterate(body: Body, count: int, options: ProxOptions, dense: Dense) -> tuple[int, int, float]:
    """Proximal point iteration (67)-(70); status, iterations, law residual (m/s)."""
    p, gamma, g, n = dense.impulse, dense.gamma, dense.delassus, body.robot[0].links
    for iteration in range(options.max_iterations):
        for m in range(count):
            gamma[m] = g[m, 0]
            for k in range(count):
                gamma[m] += g[m, k + 1] * p[k]
        change_normal, change_tangential = 0.0, 0.0
        for i in range(n):
            largest = body.blocks[block(i)].largest[lane(i)]
            if largest > 0.0:
                r = options.r_tangential / (largest * largest)
                x, y = p[2 * i], p[2 * i + 1]
                px, py = project_disc(x - r * gamma[2 * i], y - r * gamma[2 * i + 1])
                change_tangential += (largest * (px - x)) ** 2 + (largest * (py - y)) ** 2
                p[2 * i], p[2 * i + 1] = px, py
        for m in range(2 * n, count):
            new = max(0.0, p[m] - options.r_normal * gamma[m])
            change_normal += (new - p[m]) ** 2
            p[m] = new
        if sqrt(change_normal) + sqrt(change_tangential) < options.tolerance:
            residual = max(
                sqrt(change_normal) / options.r_normal,
                sqrt(change_tangential) / options.r_tangential,
            )
            return DONE, iteration + 1, residual
    return NO_CONVERGENCE, options.max_iterations, 0.0


@jit_apart
def solve_prox(
    body: Body, fall: tuple[float, float], options: ProxOptions, dense: Dense
) -> tuple[int, int, float]:
    """Velocities and impulses of a step into the lanes; status, iterations and law residual, m/s.

    fall: velocity gained by gravity in the step, m/s.
    """
    assemble(body.blocks, body.robot[0], fall, dense)
    factorise(dense.matrix, dense.pivot)
    solve_factored(dense.matrix, dense.pivot, dense.solution[0])
    count = add_directions(body, dense, options.max_penetration)
    status, iterations, residual = iterate(body, count, options, dense)
    u = dense.solution[0, : 3 * body.robot[0].links]
    for m in range(count):
        add_scaled(u, dense.impulse[m], dense.solution[m + 1])
    keep_solution(body, u, dense.impulse)
    return status, iterations, residual


@jit_apart
def keep_solution(body: Body, u: Floats, p: Floats) -> None:
    """Write velocities and impulses into lanes and contacts, as the default solver does."""
    n, blocks = body.robot[0].links, body.blocks
    for i in range(n):
        o, at = blocks[block(i)], lane(i)
        o.ux[at], o.uy[at], o.uw[at] = u[3 * i], u[3 * i + 1], u[3 * i + 2]
        o.qa[at], o.qb[at], o.qw[at] = p[2 * i], p[2 * i + 1], 0.0
        o.holds[at] = 1.0 if o.qa[at] ** 2 + o.qb[at] ** 2 < EDGE else 0.0
        if i > 0:
            tail, k = blocks[block(i - 1)], lane(i - 1)
            tail.rate_u[k] = o.uw[at] - tail.uw[k]
            tail.jq[k] = tail.jp[k] - tail.jk[k] * tail.rate_u[k]
    m = 2 * n
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        if is_closed(contact):
            contact.qn = p[m]
            m += 1
