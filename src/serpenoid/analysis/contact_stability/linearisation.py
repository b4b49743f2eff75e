"""Small departures of a robot from rest: how it moves, and how contact forces change.

A departure is x = (y, y', r, r'): motions that the contacts allow and their rates, departures of
the filtered references and their rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from serpenoid.analysis.contact_stability.chain_at_rest import ChainAtRest
from serpenoid.kernels.layout import Floats

# Motions of unit energy that bend no joint by more than this, relative, are rigid.
_RIGID = 1e-9


class Parts(NamedTuple):
    """What all matrices of a loop are made of."""

    shapes: Floats  # y to q: motions that the contacts allow, (n+2, m)
    moving: Floats  # rates of (y, y') from x, (2m, 2m+2k)
    forces: Floats  # changes of the contact forces from x, (c, 2m+2k)
    adapted: Floats  # references per gain from y and the changes of the contact forces, (k, m+c)


class Affine(NamedTuple):
    """A matrix that depends on the gain."""

    still: Floats  # without adaptation
    per_gain: Floats  # of a gain of 1 rad/N


def linearise(
    chain: ChainAtRest, links: Sequence[int], kp: Floats, kd: Floats, forces: Floats
) -> Parts:
    """Linearise the motion of a robot at rest whose servos follow references.

    Args:
        chain: The robot.
        links: Links in contact.
        kp: Proportional gains, (n-1,), N m/rad.
        kd: Derivative gains, (n-1,), N m s/rad.
        forces: Contact forces at rest, (n,), N.
    """
    held, drive = chain.across[:, list(links)], chain.joints.T
    shapes = _allowed_shapes(chain, held)
    bend = chain.joints @ shapes
    # Generalised forces from x, but those of a change of the contact forces.
    push = np.hstack(
        [
            chain.turning_of(forces) @ shapes - drive @ (kp[:, None] * bend),
            -drive @ (kd[:, None] * bend),
            drive * kp,
            drive * kd,
        ]
    )
    # The contact forces change so that the links in contact have no acceleration across.
    loose = np.linalg.solve(chain.mass, held)
    answer = -np.linalg.solve(held.T @ loose, loose.T @ push).astype(np.float64)
    m = shapes.shape[1]
    moving = np.zeros((2 * m, push.shape[1]))
    moving[:m, m : 2 * m] = np.eye(m)
    moving[m:] = shapes.T @ push
    adapted = [chain.adaptation_of(forces) @ shapes, chain.adaptation()[:, list(links)]]
    return Parts(shapes, moving, answer, np.hstack(adapted))


def without_ticks(parts: Parts, cutoff: float) -> Affine:
    """The matrix A of x' = A x with a controller without ticks; cutoff: rad/s."""
    shapes, moving, forces, adapted = parts
    m, k, square = shapes.shape[1], len(adapted), cutoff * cutoff
    still = np.zeros((2 * m + 2 * k, 2 * m + 2 * k))
    still[: 2 * m] = moving
    still[2 * m : 2 * m + k, 2 * m + k :] = np.eye(k)
    still[2 * m + k :, 2 * m : 2 * m + k] = -square * np.eye(k)
    still[2 * m + k :, 2 * m + k :] = -2 * cutoff * np.eye(k)
    per_gain = np.zeros_like(still)
    per_gain[2 * m + k :] = square * adapted[:, m:] @ forces
    per_gain[2 * m + k :, :m] += square * adapted[:, :m]
    return Affine(still, per_gain)


def _allowed_shapes(chain: ChainAtRest, held: Floats) -> Floats:
    """Motions that contacts allow, orthonormal in the mass matrix, without rigid ones.

    Contacts never constrain the robot twice: seen from its tail, a force on one link turns no link
    ahead of it.
    """
    turns, _, _ = np.linalg.svd(held)
    allowed = turns[:, held.shape[1] :]
    root = np.linalg.cholesky(allowed.T @ chain.mass @ allowed)
    allowed = np.linalg.solve(root, allowed.T).T
    _, bends, directions = np.linalg.svd(chain.joints @ allowed)
    rank = int((bends > _RIGID * max(1.0, float(bends.max(initial=0.0)))).sum())
    shapes: Floats = allowed @ directions[:rank].T
    return shapes
