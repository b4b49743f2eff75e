"""Transeth's modified Newton iteration on proximal points [transeth2008 (54)-(70)].

Maximal coordinates: every link keeps its own velocity, the hinges are equality constraints with
impulses P_J (62). Eliminating u_E and P_J once per step leaves gamma = gamma_0 + G P for the laws,
on which (64)-(69) is iterated until (70). Dense linear algebra on purpose: nothing is shared with
the default solver's sweep. The servo's stiffness stands beside the mass matrix, so that it acts
implicitly; the paper's explicit servo needs steps below 0.3 ms.
"""

from math import cos, sin, sqrt
from typing import Annotated, NamedTuple

from serpenoid.kernels._jit import jit_apart
from serpenoid.kernels.layout import DONE, NO_CONVERGENCE, Body, Floats, Ints, Records
from serpenoid.kernels.projections import project_disc
from serpenoid.methods.linear_algebra import (
    add_scaled,
    copy,
    factorise,
    product,
    solve_factored,
)


class ProxOptions(NamedTuple):
    """How the iteration is carried out."""

    tolerance: float  # on the last change of the impulses, N s
    max_iterations: int
    r_normal: float  # r_H, kg
    r_tangential: float  # r_T, kg


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
def glide(links: Records, dt: float) -> None:
    """Move every link by itself for a time dt [transeth2008 (54)(63)]."""
    for i in range(links.shape[0]):
        link = links[i]
        link.x += dt * link.vx
        link.y += dt * link.vy
        link.theta += dt * link.omega
        link.ex, link.ey = cos(link.theta), sin(link.theta)


@jit_apart
def project_hinges(links: Records, com: Floats) -> None:
    """Close the hinges, all angles and the head link's position kept [transeth2008 VI-C]."""
    n = links.shape[0]
    sx, sy, total = 0.0, 0.0, 0.0
    for i in range(n - 1, -1, -1):
        link = links[i]
        if i < n - 1:
            ahead = links[i + 1]
            link.x = ahead.x - ahead.half * ahead.ex - link.half * link.ex
            link.y = ahead.y - ahead.half * ahead.ey - link.half * link.ey
        sx += link.mass * link.x
        sy += link.mass * link.y
        total += link.mass
    com[0], com[1] = sx / total, sy / total


@jit_apart
def assemble(body: Body, dt: float, dense: Dense) -> None:
    """Mass matrix, servo stiffness and hinge Jacobian (31)(32); right-hand side into row 0."""
    links, joints = body.links, body.joints
    a, b = dense.matrix, dense.solution
    a[:, :], b[0, :] = 0.0, 0.0
    for i in range(links.shape[0]):
        link = links[i]
        a[3 * i, 3 * i] = link.mass
        a[3 * i + 1, 3 * i + 1] = link.mass
        a[3 * i + 2, 3 * i + 2] += link.inertia
        b[0, 3 * i], b[0, 3 * i + 1] = link.hx, link.hy
        b[0, 3 * i + 2] += link.hw
        if i == 0:
            continue
        tail, joint = links[i - 1], joints[i - 1]
        behind, here = 3 * i - 1, 3 * i + 2
        k = dt * joint.s1
        a[here, here] += k
        a[behind, behind] += k
        a[here, behind] -= k
        a[behind, here] -= k
        b[0, here] += dt * joint.s0
        b[0, behind] -= dt * joint.s0
        row = 3 * links.shape[0] + 2 * (i - 1)
        for equation, column, value in (
            (row, 3 * i, 1.0),
            (row, here, link.half * link.ey),
            (row, 3 * i - 3, -1.0),
            (row, behind, tail.half * tail.ey),
            (row + 1, 3 * i + 1, 1.0),
            (row + 1, here, -link.half * link.ex),
            (row + 1, 3 * i - 2, -1.0),
            (row + 1, behind, -tail.half * tail.ex),
        ):
            a[equation, column], a[column, equation] = value, value


@jit_apart
def add_directions(body: Body, dense: Dense) -> int:
    """Columns W_T (two per link, scaled by the reservoir) and W_H of closed contacts; how many.

    Direction m goes into row m + 1 of the solution array and into dense.direction.
    """
    links, direction, solution = body.links, dense.direction, dense.solution
    direction[: 2 * links.shape[0] + body.counts[0], :] = 0.0
    for i in range(links.shape[0]):
        link = links[i]
        direction[2 * i, 3 * i] = link.forward * link.ex
        direction[2 * i, 3 * i + 1] = link.forward * link.ey
        direction[2 * i + 1, 3 * i] = -link.side * link.ey
        direction[2 * i + 1, 3 * i + 1] = link.side * link.ex
        dense.impulse[2 * i], dense.impulse[2 * i + 1] = link.px, link.py
    count = 2 * links.shape[0]
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        contact.rate, contact.qn, contact.qt = 0.0, 0.0, 0.0
        if contact.gap <= 0.0:
            i = contact.link
            direction[count, 3 * i] = contact.nx
            direction[count, 3 * i + 1] = contact.ny
            direction[count, 3 * i + 2] = contact.ln
            dense.impulse[count] = contact.pn
            count += 1
    for m in range(count):
        copy(direction[m], solution[m + 1])
        solve_factored(dense.matrix, dense.pivot, solution[m + 1])
    for m in range(count):
        for k in range(count + 1):
            dense.delassus[m, k] = product(direction[m, : 3 * links.shape[0]], solution[k])
    return count


@jit_apart
def iterate(
    links: Records, count: int, options: ProxOptions, dense: Dense
) -> tuple[int, int, float]:
    """Proximal point iteration (67)-(70); status, iterations, law residual (m/s)."""
    p, gamma, g = dense.impulse, dense.gamma, dense.delassus
    friction = 2 * links.shape[0]
    for iteration in range(options.max_iterations):
        for m in range(count):
            gamma[m] = g[m, 0]
            for k in range(count):
                gamma[m] += g[m, k + 1] * p[k]
        change_normal, change_tangential = 0.0, 0.0
        for i in range(links.shape[0]):
            largest = links[i].largest
            if largest > 0.0:
                r = options.r_tangential / (largest * largest)
                x, y = p[2 * i], p[2 * i + 1]
                px, py = project_disc(x - r * gamma[2 * i], y - r * gamma[2 * i + 1])
                change_tangential += (largest * (px - x)) ** 2 + (largest * (py - y)) ** 2
                p[2 * i], p[2 * i + 1] = px, py
        for m in range(friction, count):
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
def solve_prox(body: Body, dt: float, options: ProxOptions, dense: Dense) -> tuple[int, int, float]:
    """Velocities and impulses of a step; status, iterations and law residual, m/s."""
    links = body.links
    assemble(body, dt, dense)
    factorise(dense.matrix, dense.pivot)
    solve_factored(dense.matrix, dense.pivot, dense.solution[0])
    count = add_directions(body, dense)
    status, iterations, residual = iterate(links, count, options, dense)
    solution, p = dense.solution, dense.impulse
    u = solution[0, : 3 * links.shape[0]]
    for m in range(count):
        add_scaled(u, p[m], solution[m + 1])
    for i in range(links.shape[0]):
        link = links[i]
        link.ux, link.uy, link.uw = u[3 * i], u[3 * i + 1], u[3 * i + 2]
        link.qx, link.qy, link.qw, link.axis = p[2 * i], p[2 * i + 1], 0.0, link.forward
        link.sticking = link.largest > 0.0 and link.qx**2 + link.qy**2 < 1.0
    m = 2 * links.shape[0]
    for c in range(body.counts[0]):
        if body.contacts[c].gap <= 0.0:
            body.contacts[c].qn = p[m]
            m += 1
    for j in range(body.joints.shape[0]):
        body.joints[j].q = 0.0
    return status, iterations, residual
