"""Wheels that slide: constraint forces of a given input, and the best inputs of all.

Everything is written in the space of constraints, the contact first, then the wheels:
a = G p + b with accelerations a, forces p, metric tensor G [reyes2017 (14)]. The contact has
p >= 0, a >= 0, p a = 0; a wheel has |p| <= limit, and p = -limit sign(a) if it slides. So p is the
minimum of p G p / 2 + b p over a box.
"""

from typing import Annotated, NamedTuple

import numpy as np

from serpenoid.kernels._jit import jit, jit_apart, jit_entry
from serpenoid.kernels.layout import Floats, Ints
from serpenoid.methods.barrier import (
    TOLERANCE,
    Cone,
    largest_ratio,
    largest_value,
    make_cone,
    ratio_bound,
    value_bound,
)
from serpenoid.methods.linear_algebra import (
    ROUNDING,
    back_substitute,
    cholesky,
    copy,
    forward_substitute,
)
from serpenoid.methods.scratch import new_scratch

# A set of inputs thinner than this share of all inputs is left out: forces and motion are
# continuous, so its neighbours have the same.
_THIN = 1e-9
# Share of a quadratic form that is added to its diagonal, because it may have no inverse.
_REGULAR = 1e-12


@jit_entry
def box_forces(G: Floats, b: Floats, limit: Floats, p: Floats, tolerance: float, most: int) -> int:
    """Forces in many systems: G (k, c, c), b (k, c), from and to p (k, c); most sweeps taken.

    limit: of each wheel, (c,); limit[0], that of the contact, is not read.
    """
    worst = 0
    count = b.shape[1]
    for k in range(b.shape[0]):
        sweeps = 0
        moved = 1.0
        while moved > tolerance and sweeps < most:
            moved, sweeps = 0.0, sweeps + 1
            for i in range(count):
                a = b[k, i]
                for j in range(count):
                    a += G[k, i, j] * p[k, j]
                new = p[k, i] - a / G[k, i, i]
                new = max(0.0, new) if i == 0 else min(limit[i], max(-limit[i], new))
                moved = max(moved, abs(new - p[k, i]))
                p[k, i] = new
        worst = max(worst, sweeps)
    return worst


class PushSearch(NamedTuple):
    """Scratch of the search for the best input."""

    force: Annotated[Floats, "c", "size"]  # of constraints as a function of x = (z, s)
    acceleration: Annotated[Floats, "c", "size"]
    way: Annotated[Ints, "c"]  # of each wheel: 0 holds, 1 and -1 slides
    held: Annotated[Ints, "c"]  # the contact and the wheels that hold
    S: Annotated[Floats, "c", "c"]
    column: Annotated[Floats, "c"]
    inside: Cone  # inputs of one way to slide
    lifted: Cone  # the same with the distance to its walls as another coordinate


def make_search(constraints: int, inputs: int) -> PushSearch:
    """Scratch for a number of constraints and inputs."""
    return new_scratch(
        PushSearch,
        {"c": constraints, "size": inputs + 1},
        inside=make_cone(2 * constraints, inputs),
        lifted=make_cone(2 * constraints, inputs + 1),
    )


class BestPush(NamedTuple):
    """The best inputs of every shape."""

    force: Floats  # (n,) largest contact force
    force_bound: Floats  # (n,)
    force_input: Floats  # (n, k) input z, |z| <= 1
    ratio: Floats  # (n,) largest square of contact force by square of the robot's acceleration
    ratio_bound: Floats  # (n,)
    ratio_input: Floats  # (n, k)


@jit
def _set_forces(G: Floats, D: Floats, limit: Floats, s: PushSearch) -> bool:
    """Forces and accelerations as functions of x, for one case of holding and sliding wheels."""
    count, k = D.shape
    held = 0
    for i in range(count):
        if s.way[i] == 0:
            s.held[held] = i
            held += 1
    for i in range(held):
        for j in range(i + 1):
            s.S[i, j] = G[s.held[i], s.held[j]]
    if not cholesky(s.S, s.S, held, ROUNDING):
        return False
    for column in range(k + 1):
        for i in range(count):
            s.force[i, column] = -s.way[i] * limit[i] if s.way[i] != 0 and column == k else 0.0
        for i in range(held):
            row = s.held[i]
            total = -D[row, column] if column < k else 0.0
            if column == k:
                for j in range(count):
                    total -= G[row, j] * s.force[j, k]
            s.column[i] = total
        forward_substitute(s.S, s.column, held)
        back_substitute(s.S, s.column, held)
        for i in range(held):
            s.force[s.held[i], column] = s.column[i]
        for i in range(count):
            total = D[i, column] if column < k else 0.0
            for j in range(count):
                total += G[i, j] * s.force[j, column]
            s.acceleration[i, column] = total
    return True


@jit
def _add_row(s: PushSearch, m: int, k: int, i: int, sign: float, wall: float) -> int:
    """Add the row: wall + sign force[i] >= 0, or for a wheel that slides, of its acceleration.

    Returns the new number of rows, or -1 if no input satisfies it.
    """
    size = 0.0
    for j in range(k + 1):
        value = s.acceleration[i, j] if s.way[i] != 0 else s.force[i, j]
        s.inside.rows[m, j] = sign * value
        if j < k:
            size += value * value
    size = np.sqrt(size)
    s.inside.rows[m, k] += wall
    far = s.inside.rows[m, k]
    if size <= 1e-14 * abs(far) or (size == 0.0 and far == 0.0):
        return m if far >= 0.0 else -1
    if far <= -(1.0 - _THIN) * size:
        return -1
    for j in range(k + 1):
        s.inside.rows[m, j] /= size
        s.lifted.rows[m, j if j < k else k + 1] = s.inside.rows[m, j]
    s.lifted.rows[m, k] = -1.0
    return m + 1


@jit
def _set_rows(limit: Floats, s: PushSearch, k: int) -> int:
    """Rows of the inputs of one case of holding and sliding wheels; -1 if it has none."""
    m = _add_row(s, 0, k, 0, 1.0, 0.0)
    for i in range(1, s.way.shape[0]):
        if m < 0:
            return m
        if s.way[i] == 0:
            m = _add_row(s, m, k, i, 1.0, limit[i])
            if m >= 0:
                m = _add_row(s, m, k, i, -1.0, limit[i])
        else:
            m = _add_row(s, m, k, i, float(s.way[i]), 0.0)
    return m


@jit
def _enter(s: PushSearch, m: int, k: int) -> int:
    """Find an input well inside all rows: 1 if found, 0 if there is none, -1 if that is unknown."""
    cone = s.lifted
    nearest = 1.0
    for r in range(m):
        nearest = min(nearest, cone.rows[r, k + 1])
    cone.x[:], cone.c[:] = 0.0, 0.0
    cone.c[k] = 1.0
    cone.x[k] = (nearest - 1.0) / 2.0
    cone.x[k + 1] = 1.0
    value, bound = largest_value(cone, m, k + 1, _THIN, 0.3)
    if not value > 0.0:
        return 0 if bound <= _THIN else -1
    copy(cone.x, s.inside.x[:k])
    s.inside.x[k] = 1.0
    return 1


@jit
def _set_objective(D: Floats, compliance: float, s: PushSearch, k: int) -> None:
    """Contact force c x, and square of the robot's acceleration x Q x."""
    Q, count = s.inside.Q, D.shape[0]
    total = 0.0
    for i in range(k + 1):
        s.inside.c[i] = s.force[0, i]
        for j in range(i + 1):
            value = 1.0 if i == j and i < k else 0.0
            for p in range(count):
                # With p = force: z z + 2 p D z + p (G - load) p, and a = G p + D z.
                own_i = s.acceleration[p, i] + (D[p, i] if i < k else 0.0)
                own_j = s.acceleration[p, j] + (D[p, j] if j < k else 0.0)
                if p == 0:
                    own_i -= compliance * s.force[0, i]
                    own_j -= compliance * s.force[0, j]
                value += (own_i * s.force[p, j] + own_j * s.force[p, i]) / 2.0
            Q[i, j] = value
            Q[j, i] = value
        total += Q[i, i]
    s.inside.shift[0] = _REGULAR * total
    for i in range(k + 1):
        Q[i, i] += s.inside.shift[0]


@jit_entry
def best_inputs(
    G: Floats, D: Floats, compliance: float, limit: Floats, s: PushSearch, best: BestPush
) -> None:
    """Search all cases of sliding, 3 for each wheel, in every shape.

    G: (n, c, c). D: (n, c, k), b = D z with |z| <= 1. compliance: of the load at the contact, 1/kg.
    best: its ratios are those of wheels that hold, and its forces nothing.
    """
    shapes, count, k = D.shape
    ways = 3 ** (count - 1)
    for shape in range(shapes):
        for number in range(ways):
            rest = number
            for i in range(1, count):
                s.way[i] = (0, 1, -1)[rest % 3]
                rest //= 3
            if not _set_forces(G[shape], D[shape], limit, s):
                continue
            m = _set_rows(limit, s, k)
            if m < 0:
                continue
            _set_objective(D[shape], compliance, s, k)
            _improve(s, m, k, shape, number > 0, best)


@jit_apart
def _improve(s: PushSearch, m: int, k: int, shape: int, slides: bool, best: BestPush) -> None:
    """Compare the best input of one case of sliding with the best so far."""
    cone = s.inside
    slides = slides and ratio_bound(cone, k) > best.ratio[shape]
    if not slides and not value_bound(cone, k) > best.force[shape]:
        return
    entered = _enter(s, m, k)
    if entered < 0:
        best.force_bound[shape] = max(best.force_bound[shape], value_bound(cone, k))
        best.ratio_bound[shape] = max(best.ratio_bound[shape], ratio_bound(cone, k))
    if entered <= 0:
        return
    if slides:
        value, bound = largest_ratio(cone, m, k, best.ratio[shape])
        best.ratio_bound[shape] = max(best.ratio_bound[shape], bound)
        if value > best.ratio[shape]:
            best.ratio[shape] = value
            for i in range(k):
                best.ratio_input[shape, i] = cone.x[i] / cone.x[k]
    # The force is looked for where s = 1, and does not depend on Q.
    copy(s.lifted.x, cone.x[:k])
    cone.x[k] = 1.0
    cone.Q[:, :] = 0.0
    value, bound = largest_value(cone, m, k, best.force[shape], 1.0 - TOLERANCE)
    best.force_bound[shape] = max(best.force_bound[shape], bound)
    if value > best.force[shape]:
        best.force[shape] = value
        copy(cone.x, best.force_input[shape])
