"""What the hybrid method works on: modes and events of contacts, its options and scratch."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from serpenoid.kernels.layout import GRAVITY, Body, Floats, Ints, PackedGait, PackedWorld, Records
from serpenoid.methods.scratch import check_scratch, new_scratch

# Modes of a contact between two events: without force, sliding either way, sticking.
OPEN, SLIDES, SLIDES_BACK, STICKS = 0, 1, -1, 2
# What ends such a time: an impact, a contact that opens, that slips, whose sliding comes to rest.
NO_EVENT, STRUCK, DETACHED, SLIPPED, STOPPED = range(5)

# Joint limits are contacts with obstacles of these numbers.
LOWER, UPPER = -1, -2


class HybridOptions(NamedTuple):
    """Options of the integration of the flow."""

    tolerance: float  # of the integrator in a step, relative and absolute
    stick_speed: float  # where ground friction is at 1/sqrt(2) of its bound, m/s
    max_events: int  # in a step
    measures_impacts: bool  # whether contact forces hold the impulses of impacts


class Flow(NamedTuple):
    """Scratch of the hybrid method.

    y holds theta (n), centre of mass (2) and their rates, and then what is integrated along with
    them: contact and ground friction impulses (n, 2), joint impulses (n-1), works (as the ledger).
    """

    total_mass: float  # of the robot, kg
    arm: Annotated[Floats, "n", "n"]  # how far the centre of link i moves per turn of link k, m
    inertia: Annotated[Floats, "n", "n"]  # arm' masses arm, kg m2
    axis: Annotated[Floats, 2, "n"]  # directions of the links
    # Cholesky factor of the mass matrix of theta, upper, with 1/ on the diagonal.
    mass: Annotated[Floats, "n", "n"]
    turn: Annotated[Floats, 2, "n"]  # forces that turn the links, at arm's length, N m
    # Forces, then accelerations, of theta and centre of mass.
    push: Annotated[Floats, "coordinates"]
    first: Annotated[Floats, "size"]  # y at the beginning of the step
    y: Annotated[Floats, "size"]
    trial: Annotated[Floats, "size"]
    slope: Annotated[Floats, 7, "size"]  # stages
    dense: Annotated[Floats, 4, "motion"]  # theta, centre of mass and their rates during a step
    rows: Annotated[Ints, "rows", 2]  # contact, and 0 for its normal or 1 for its tangent
    active: Annotated[Ints, "rows"]  # numbers of the rows that are solved for
    # Directions divided by the root of the mass matrix.
    half: Annotated[Floats, "both_rows", "coordinates"]
    matrix: Annotated[Floats, "rows", "rows"]
    pivot: Annotated[Ints, "rows"]
    force: Annotated[Floats, "rows"]  # along the active rows
    known: Records  # CONTACT (c,) those before the step, to return to
    log: Annotated[Floats, "events", 4]  # the last events: time, kind, link, obstacle
    logged: Annotated[Ints, 1]  # events so far


class HybridView(NamedTuple):
    """One robot as the hybrid method takes it."""

    world: PackedWorld
    body: Body
    gait: PackedGait
    options: HybridOptions
    flow: Flow


def new_flow(body: Body, events: int) -> Flow:
    """Scratch for a robot; events: how many to keep in the log."""
    links: Any = body.links
    n, rows = len(links), 2 * len(body.contacts)
    sizes = {"n": n, "coordinates": n + 2, "motion": 2 * n + 4, "size": 7 * n + 4 + GRAVITY}
    sizes |= {"rows": rows, "both_rows": 2 * rows, "events": events}
    check_scratch(Flow, sizes, f"solver = 'hybrid' with {n} links")
    # From the tail end to the centre of link i: every link behind it whole, its own half.
    arm = np.tril(np.tile(2.0 * links.half, (n, 1)), -1) + np.diag(links.half)
    arm -= links.mass @ arm / links.mass.sum()
    return new_scratch(
        Flow,
        sizes,
        # Added up link by link, as kernels do.
        total_mass=float(np.cumsum(links.mass)[-1]),
        arm=arm,
        inertia=np.ascontiguousarray(arm.T @ (links.mass[:, None] * arm)),
        known=np.zeros_like(body.previous),
    )
