"""Directions of contacts as rows, and what impulses along them do to the motion.

A row of flow.half is a direction divided by the root of the mass matrix of the link angles and the
centre of mass, so that the product of two rows is the velocity along the one per impulse along the
other.
"""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import blame_contact
from serpenoid.kernels.layout import LIMIT_LAW, Floats, Ints, Item, Records
from serpenoid.methods.hybrid_layout import Flow
from serpenoid.methods.linear_algebra import add_scaled, factorise, product, solve_factored


@jit_apart
def factor_mass(links: Records, flow: Flow) -> None:
    """Cholesky factor U, U'U the mass matrix of the link angles, with 1/U on the diagonal."""
    mass, inertia, axis = flow.mass, flow.inertia, flow.axis
    n = links.shape[0]
    for k in range(n):
        axis[0, k], axis[1, k] = links[k].ex, links[k].ey
    for k in range(n):
        for m in range(k + 1):
            total = inertia[k, m] * (axis[0, k] * axis[0, m] + axis[1, k] * axis[1, m])
            if k == m:
                total += links[k].inertia
            for c in range(m):
                total -= mass[c, k] * mass[c, m]
            mass[m, k] = 1.0 / sqrt(total) if k == m else total * mass[m, m]


@jit
def forward_substitute_upper(mass: Floats, b: Floats) -> None:
    """Solve U'z = b in place: products of such z are products with the inverse of the mass."""
    n = mass.shape[0]
    for c in range(n):
        part = b[c] * mass[c, c]
        b[c] = part
        for k in range(c + 1, n):
            b[k] -= mass[c, k] * part


@jit
def back_substitute_upper(mass: Floats, z: Floats) -> None:
    """Solve U x = z in place, the other half of a division by the mass."""
    n = mass.shape[0]
    for k in range(n - 1, -1, -1):
        total = z[k]
        for c in range(n - 1, k, -1):
            total -= mass[k, c] * z[c]
        z[k] = total * mass[k, k]


@jit
def is_limit(contact: Item) -> bool:
    """Whether a contact is the limit of the joint behind its link, LOWER or UPPER."""
    return contact.obstacle < 0


@jit
def blame_row(blame: Ints, contact: Item) -> None:
    """Store the contact or joint limit with the largest residual, for the error message."""
    if is_limit(contact):
        blame[0], blame[1] = contact.link - 1, LIMIT_LAW
    else:
        blame_contact(blame, contact)


@jit
def direction(contact: Item, side: int) -> tuple[float, float, float]:
    """Normal (0) or tangent (1) of a contact, and its lever about the link's mass centre, m."""
    if side == 1:
        return -contact.ny, contact.nx, contact.lt
    return contact.nx, contact.ny, contact.ln


@jit
def set_row(flow: Flow, row: int, contact: Item, x: float, y: float, lever: float) -> None:
    """Row of a force (x, y) on the link of a contact, with a lever about its mass centre.

    That of a joint limit turns the other link of the joint the other way.
    """
    i = contact.link
    n, root = flow.mass.shape[0], sqrt(flow.total_mass)
    half, axis = flow.half[row], flow.axis
    for k in range(n):
        half[k] = flow.arm[i, k] * (axis[0, k] * y - axis[1, k] * x)
    half[i] += lever
    if is_limit(contact):
        half[i - 1] -= lever
    half[n], half[n + 1] = x / root, y / root
    forward_substitute_upper(flow.mass, half[:n])


@jit
def solve_rows(flow: Flow, size: int, offset: int, softness: float, stuck: float) -> None:
    """Impulses along rows offset + active that add flow.force to the velocities along the active.

    They replace flow.force. softness: what is added to the matrix in units of its diagonal; stuck:
    the same along tangents.
    """
    active, half, pivot = flow.active, flow.half, flow.pivot[:size]
    matrix = flow.matrix[:size, :size]
    for a in range(size):
        for b in range(size):
            matrix[a, b] = product(half[active[a]], half[offset + active[b]])
        matrix[a, a] *= 1.0 + (softness if flow.rows[active[a], 1] == 0 else stuck)
    factorise(matrix, pivot)
    solve_factored(matrix, pivot, flow.force)


@jit
def respond(flow: Flow, size: int, offset: int, rates: Floats) -> None:
    """Add to the rates of theta and the centre of mass what flow.force along the rows causes."""
    n, root, push = flow.mass.shape[0], sqrt(flow.total_mass), flow.push
    push[:] = 0.0
    for a in range(size):
        add_scaled(push, flow.force[a], flow.half[offset + flow.active[a]])
    back_substitute_upper(flow.mass, push[:n])
    add_scaled(rates[:n], 1.0, push)
    rates[n] += push[n] / root
    rates[n + 1] += push[n + 1] / root


@jit
def add_impulse(contact: Item, n: int, y: Floats) -> None:
    """Add the force or impulse of a contact to that on its link in y."""
    at = 2 * n + 4 + 2 * contact.link
    y[at] += contact.qn * contact.nx - contact.qt * contact.ny
    y[at + 1] += contact.qn * contact.ny + contact.qt * contact.nx
