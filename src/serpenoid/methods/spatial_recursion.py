"""Dynamics of a chain with a free base in three sweeps, O(n) [colorado2010 (3)-(15)].

Two problems: joint torques of prescribed joints, and accelerations of joints that are
driven by torques. In both the tail link is free: its acceleration is what leaves no force on it.
The linear part of an acceleration is that of the link's tail end as seen from the ground, written
in the axes of the link.
"""

from serpenoid.kernels._jit import jit_apart, jit_entry
from serpenoid.methods.spatial_vectors import (
    Spatial,
    Vector,
    add,
    convective,
    dot,
    fold,
    free_base,
    gyroscopic,
    hinge,
    put,
    resistance,
    row,
    scaled,
    set_velocities,
    times,
    to_head,
    to_tail,
)


@jit_apart
def newton_euler(chain: Spatial, base: Vector, acceleration: Vector) -> None:
    """Forces for a given motion of the chain, its tail link included: inverse dynamics.

    Reads angle, rate, acceleration of the joints; leaves F, of which F[0] is the force that the
    tail link has to be given from outside, and the joint torques H' F.
    """
    n = chain.length.shape[0]
    set_velocities(chain, base)
    A = acceleration
    for i in range(n):
        if i > 0:
            A = to_head(A, chain.length[i - 1], chain.cos[i], chain.sin[i])
            A = hinge(add(A, convective(chain, i)), chain.acceleration[i - 1])
        put(chain.A, i, A)
        V, J = row(chain.V, i), chain.J[i]
        F = add(times(J, A), gyroscopic(J, V))
        put(chain.F, i, add(F, resistance(chain, i, V)))
    for i in range(n - 1, 0, -1):
        F = row(chain.F, i)
        chain.torque[i - 1] = F[2]
        F = to_tail(F, chain.length[i - 1], chain.cos[i], chain.sin[i])
        put(chain.F, i - 1, add(row(chain.F, i - 1), F))


@jit_entry
def inverse_dynamics(chain: Spatial, base: Vector) -> Vector:
    """Acceleration of the free tail link, and in chain.torque the torques, for joints that move.

    First as if the tail link had no acceleration; then the whole chain, rigid from each link to the
    head, is given the acceleration that takes the force off the tail link again.
    """
    n = chain.length.shape[0]
    newton_euler(chain, base, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    _set_inertia(chain)
    for i in range(n - 1, 0, -1):
        fold(chain, i)
    acceleration = free_base(chain)
    A = acceleration
    for i in range(1, n):
        A = to_head(A, chain.length[i - 1], chain.cos[i], chain.sin[i])
        chain.torque[i - 1] += dot(row(chain.inertia[i], 2), A)
    return acceleration


@jit_entry
def forward_dynamics(chain: Spatial, base: Vector) -> Vector:
    """Acceleration of the free tail link, and in chain.acceleration the joints', for torques.

    Articulated bodies: from the head on, the force on a link is inertia A + F whatever the link
    does, with all joints ahead of it following their torques.
    """
    n = chain.length.shape[0]
    set_velocities(chain, base)
    for i in range(n):
        V = row(chain.V, i)
        put(chain.F, i, add(gyroscopic(chain.J[i], V), resistance(chain, i, V)))
    _set_inertia(chain)
    for i in range(n - 1, 0, -1):
        inertia, F = chain.inertia[i], row(chain.F, i)
        # The joint yields, and passes on nothing but its torque.
        U = row(inertia, 2)
        K = scaled(U, 1.0 / U[2])
        put(chain.K, i, K)
        for r in range(6):
            put(inertia, r, add(row(inertia, r), scaled(U, -chain.K[i, r])))
        torque = chain.torque[i - 1] - F[2]
        chain.free[i] = torque / U[2]
        C = convective(chain, i)
        put(chain.A, i, C)
        F = add(add(F, times(inertia, C)), scaled(K, torque))
        F = to_tail(F, chain.length[i - 1], chain.cos[i], chain.sin[i])
        put(chain.F, i - 1, add(row(chain.F, i - 1), F))
        fold(chain, i)
    acceleration = free_base(chain)
    A = acceleration
    for i in range(1, n):
        A = to_head(A, chain.length[i - 1], chain.cos[i], chain.sin[i])
        A = add(A, row(chain.A, i))
        joint = chain.free[i] - dot(row(chain.K, i), A)
        chain.acceleration[i - 1] = joint
        A = hinge(A, joint)
        put(chain.A, i, A)
    return acceleration


@jit_entry
def energies(chain: Spatial) -> tuple[float, float]:
    """Kinetic energy, J, and power loss to the ground, W, at the velocities last computed.

    The kinetic energy is that of all links, the moving base included, 1/2 V' J V summed
    [colorado2010 (15)], the loss V' (-F_r) summed (14).
    """
    kinetic, loss = 0.0, 0.0
    for i in range(chain.length.shape[0]):
        V = row(chain.V, i)
        kinetic += 0.5 * dot(V, times(chain.J[i], V))
        loss += dot(V, resistance(chain, i, V))
    return kinetic, loss


@jit_apart
def _set_inertia(chain: Spatial) -> None:
    """Begin a sweep with every link by itself."""
    for i in range(chain.length.shape[0]):
        for r in range(6):
            put(chain.inertia[i], r, row(chain.J[i], r))
