"""Spatial vectors of a chain, and how they pass from link to link [colorado2010 (3)-(6)].

A spatial vector stacks angular over linear part and is written in the frame of a link: origin at
the link's tail end, x axis along the link, z axis out of the plane. P is the step along a link to
its head end, R the turn of the joint there about z. P acts first here, because its lever is
constant in the frame of the link it spans.
"""

from math import cos, sin
from typing import Annotated, NamedTuple

import numpy as np

from serpenoid.kernels._jit import jit
from serpenoid.kernels.layout import Floats
from serpenoid.methods.scratch import new_scratch

Vector = tuple[float, float, float, float, float, float]


class Spatial(NamedTuple):
    """A chain as the spatial recursion takes it, tail first, and the recursion's scratch.

    Spatial vectors stack angular over linear part, in the frame of their link.
    """

    length: Floats  # (n,) m
    J: Annotated[Floats, "n", 6, 6]  # inertia of each link about its tail end
    along: Floats  # (n,) viscous friction, N s/m
    across: Floats  # (n,) N s/m
    turning: Floats  # (n,) about the link's centre, N m s/rad
    angle: Annotated[Floats, "joints"]  # of the joints, rad, rad/s, rad/s2
    rate: Annotated[Floats, "joints"]
    acceleration: Annotated[Floats, "joints"]
    torque: Annotated[Floats, "joints"]  # N m
    cos: Annotated[Floats, "n"]  # of the joint behind each link
    sin: Annotated[Floats, "n"]
    V: Annotated[Floats, "n", 6]  # velocities
    A: Annotated[Floats, "n", 6]  # accelerations
    F: Annotated[Floats, "n", 6]  # forces
    inertia: Annotated[Floats, "n", 6, 6]  # of a link and what is ahead of it, rigid or articulated
    K: Annotated[Floats, "n", 6]  # how a joint yields to the acceleration of its link
    free: Annotated[Floats, "n"]  # acceleration of a joint whose link is held
    half: Annotated[Floats, 6, 6]


def make_chain(
    *,
    length: Floats,
    mass: Floats,
    central: Floats,
    along: Floats,
    across: Floats,
    turning: Floats,
) -> Spatial:
    """A chain with its scratch, of (n,) values; central: moments of inertia about the centres.

    Out of the plane, where a snake does not move, a link is given the same moment of inertia.
    """
    n = length.shape[0]
    friction = {"along": along, "across": across, "turning": turning}
    chain = new_scratch(Spatial, {"n": n, "joints": n - 1}, length=length, **friction)
    for k in range(n):
        arm = length[k] / 2
        lever = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -arm], [0.0, arm, 0.0]])
        chain.J[k, :3, :3] = central[k] * np.eye(3) + mass[k] * lever @ lever.T
        chain.J[k, :3, 3:], chain.J[k, 3:, :3] = mass[k] * lever, mass[k] * lever.T
        chain.J[k, 3:, 3:] = mass[k] * np.eye(3)
    return chain


@jit
def row(rows: Floats, i: int) -> Vector:
    """Row i of an array (n, 6)."""
    return rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5]


@jit
def put(rows: Floats, i: int, vector: Vector) -> None:
    """Set row i of an array (n, 6)."""
    rows[i, 0], rows[i, 1], rows[i, 2] = vector[0], vector[1], vector[2]
    rows[i, 3], rows[i, 4], rows[i, 5] = vector[3], vector[4], vector[5]


@jit
def add(a: Vector, b: Vector) -> Vector:
    """Sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@jit
def scaled(a: Vector, f: float) -> Vector:
    """A vector times a number."""
    return f * a[0], f * a[1], f * a[2], f * a[3], f * a[4], f * a[5]


@jit
def dot(a: Vector, b: Vector) -> float:
    """Power of a force at a velocity, or a row times a vector."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@jit
def times(matrix: Floats, vector: Vector) -> Vector:
    """Matrix (6, 6) times vector."""
    return (
        dot(row(matrix, 0), vector),
        dot(row(matrix, 1), vector),
        dot(row(matrix, 2), vector),
        dot(row(matrix, 3), vector),
        dot(row(matrix, 4), vector),
        dot(row(matrix, 5), vector),
    )


@jit
def hinge(vector: Vector, rate: float) -> Vector:
    """V + H rate, where H is the joint's axis z."""
    return vector[0], vector[1], vector[2] + rate, vector[3], vector[4], vector[5]


@jit
def to_head(V: Vector, length: float, c: float, s: float) -> Vector:
    """R' P' V: motion of a link as the frame of the next one has it, the joint at rest."""
    wx, wy, wz, vx, vy, vz = V
    y, z = vy + length * wz, vz - length * wy
    return c * wx + s * wy, c * wy - s * wx, wz, c * vx + s * y, c * y - s * vx, z


@jit
def to_tail(F: Vector, length: float, c: float, s: float) -> Vector:
    """P R F: force on a link as the frame of the link behind has it; transpose of `to_head`."""
    nx, ny, nz, fx, fy, fz = F
    y = s * fx + c * fy
    return c * nx - s * ny, s * nx + c * ny - length * fz, nz + length * y, c * fx - s * fy, y, fz


@jit
def set_velocities(chain: Spatial, base: Vector) -> None:
    """Velocity of every link from that of the tail link, tail to head [colorado2010 (3)]."""
    V = base
    put(chain.V, 0, V)
    for i in range(1, chain.length.shape[0]):
        c, s = cos(chain.angle[i - 1]), sin(chain.angle[i - 1])
        chain.cos[i], chain.sin[i] = c, s
        V = hinge(to_head(V, chain.length[i - 1], c, s), chain.rate[i - 1])
        put(chain.V, i, V)


@jit
def convective(chain: Spatial, i: int) -> Vector:
    """P_dot' V + H_dot rate: what the acceleration of link i > 0 has from the velocities alone.

    The head end of the link behind is drawn to its tail end, w x (w x p), and the axis of the joint
    turns with the links.
    """
    wx, wy, wz = chain.V[i - 1, 0], chain.V[i - 1, 1], chain.V[i - 1, 2]
    length, rate, c, s = chain.length[i - 1], chain.rate[i - 1], chain.cos[i], chain.sin[i]
    x, y, z = -length * (wy * wy + wz * wz), length * wx * wy, length * wx * wz
    turn_x, turn_y = rate * chain.V[i, 1], -rate * chain.V[i, 0]
    return turn_x, turn_y, 0.0, c * x + s * y, c * y - s * x, z


@jit
def gyroscopic(J: Floats, V: Vector) -> Vector:
    """Force a link needs to turn at a constant rate: w x J (w, 0), for both parts.

    With the acceleration of the link's tail end, as seen from the ground, for a linear part, this
    is what (6) has beside J V_dot.
    """
    wx, wy, wz = V[0], V[1], V[2]
    nx, ny, nz, fx, fy, fz = times(J, (wx, wy, wz, 0.0, 0.0, 0.0))
    return (
        wy * nz - wz * ny,
        wz * nx - wx * nz,
        wx * ny - wy * nx,
        wy * fz - wz * fy,
        wz * fx - wx * fz,
        wx * fy - wy * fx,
    )


@jit
def resistance(chain: Spatial, i: int, V: Vector) -> Vector:
    """Force that overcomes the ground's friction on link i: minus S F_r of (6).

    In the axes of the link (11) is diagonal, and (13) is about the link's centre:
    across length^2 / 12 if the law is spread along the link.
    """
    half = 0.5 * chain.length[i]
    along = chain.along[i] * V[3]
    across = chain.across[i] * (V[4] + half * V[2])
    return 0.0, 0.0, chain.turning[i] * V[2] + half * across, along, across, 0.0


@jit
def fold(chain: Spatial, i: int) -> None:
    """Add the inertia of link i, and of all folded onto it, to that of the link behind.

    inertia[i-1] += P R inertia[i] R' P'. It is symmetric, so a row may stand for a column.
    """
    length, c, s, half = chain.length[i - 1], chain.cos[i], chain.sin[i], chain.half
    inertia, behind = chain.inertia[i], chain.inertia[i - 1]
    for k in range(6):
        put(half, k, to_tail(row(inertia, k), length, c, s))
    for k in range(6):
        column = half[0, k], half[1, k], half[2, k], half[3, k], half[4, k], half[5, k]
        put(behind, k, add(row(behind, k), to_tail(column, length, c, s)))


@jit
def free_base(chain: Spatial) -> Vector:
    """Acceleration of the tail link that leaves no force on it: inertia[0] A = -F[0]."""
    M, A = chain.half, chain.A
    for r in range(6):
        A[0, r] = -chain.F[0, r]
        for k in range(6):
            M[r, k] = chain.inertia[0, r, k]
    # Elimination needs no pivots, the inertia is positive definite.
    for k in range(6):
        for r in range(k + 1, 6):
            factor = M[r, k] / M[k, k]
            for q in range(k + 1, 6):
                M[r, q] -= factor * M[k, q]
            A[0, r] -= factor * A[0, k]
    for r in range(5, -1, -1):
        for q in range(r + 1, 6):
            A[0, r] -= M[r, q] * A[0, q]
        A[0, r] /= M[r, r]
    return row(A, 0)
