"""What the hybrid method works on: modes and events of contacts, its options and scratch."""

from typing import Any, NamedTuple

import numpy as np

from serpenoid.kernels.layout import GRAVITY, Body, Floats, Ints, Records

# Modes of a contact between two events: without force, sliding either way, sticking.
OPEN, SLIDES, SLIDES_BACK, STICKS = 0, 1, -1, 2
# What ends such a time: an impact, a contact that opens, that slips, whose sliding comes to rest.
NO_EVENT, STRUCK, DETACHED, SLIPPED, STOPPED = range(5)


class HybridOptions(NamedTuple):
    """How the flow is integrated."""

    tolerance: float  # of the integrator in a step, relative and absolute
    stick_speed: float  # where ground friction is at 1/sqrt(2) of its bound, m/s
    max_events: int  # in a step


class Flow(NamedTuple):
    """Scratch of the hybrid method.

    y holds theta (n), centre of mass (2) and their rates, and then what is integrated along with
    them: contact and ground friction impulses (n, 2), joint impulses (n-1), works (as the ledger).
    """

    arm: Floats  # (n, n) how far the centre of link i moves per turn of link k, m
    inertia: Floats  # (n, n) arm' masses arm, kg m2
    axis: Floats  # (2, n) directions of the links
    mass: Floats  # (n, n) Cholesky factor of the mass matrix of theta, upper, 1/ on the diagonal
    turn: Floats  # (2, n) forces that turn the links, at arm's length from their centres, N m
    push: Floats  # (n + 2,) generalised forces, then accelerations, of theta and the centre of mass
    first: Floats  # (size,) y at the beginning of the step
    y: Floats  # (size,)
    trial: Floats  # (size,)
    slope: Floats  # (7, size) stages
    dense: Floats  # (4, 2 n + 4) the motion throughout a step
    rows: Ints  # (2 c, 2) contact, and 0 for its normal or 1 for its tangent
    half: Floats  # (4 c, n + 2) directions of contacts divided by the root of the mass matrix
    matrix: Floats  # (2 c, 2 c)
    pivot: Ints  # (2 c,)
    force: Floats  # (1, 2 c)
    known: Records  # CONTACT (c,) those before the step, to return to
    log: Floats  # (k, 4) the last k events: time, kind, link, obstacle
    logged: Ints  # (1,) events so far


def new_flow(body: Body, events: int) -> Flow:
    """Scratch for a robot; events: how many to keep in the log."""
    links: Any = body.links
    n, rows = len(links), 2 * len(body.contacts)
    # From the tail end to the centre of link i: every link behind it whole, its own half.
    arm = np.tril(np.tile(2.0 * links.half, (n, 1)), -1) + np.diag(links.half)
    arm -= links.mass @ arm / links.mass.sum()
    size = 7 * n + 4 + GRAVITY
    return Flow(
        arm=arm,
        inertia=np.ascontiguousarray(arm.T @ (links.mass[:, None] * arm)),
        axis=np.zeros((2, n)),
        mass=np.zeros((n, n)),
        turn=np.zeros((2, n)),
        push=np.zeros(n + 2),
        first=np.zeros(size),
        y=np.zeros(size),
        trial=np.zeros(size),
        slope=np.zeros((7, size)),
        dense=np.zeros((4, 2 * n + 4)),
        rows=np.zeros((rows, 2), np.int64),
        half=np.zeros((2 * rows, n + 2)),
        matrix=np.zeros((rows, rows)),
        pivot=np.zeros(rows, np.int64),
        force=np.zeros((1, rows)),
        known=np.zeros_like(body.previous),
        log=np.zeros((events, 4)),
        logged=np.zeros(1, np.int64),
    )
