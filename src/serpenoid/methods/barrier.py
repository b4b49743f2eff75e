"""Small convex problems on a cone, solved along the central path with a bound from duality.

The cone is the set of x = (z, s) with rows x > 0 and |z| < s. Two problems are solved on it: the
largest c x where s = 1, and the largest (c x)^2 / (x Q x). Each point of the path comes with
multipliers, and these bound the optimum from above.
"""

from math import sqrt
from typing import Annotated, NamedTuple

import numpy as np

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Floats
from serpenoid.methods.linear_algebra import (
    ROUNDING,
    add_scaled,
    back_substitute,
    cholesky,
    copy,
    forward_substitute,
    product,
)
from serpenoid.methods.scratch import new_scratch

# Relative distance of value and bound at which a problem is solved.
TOLERANCE = 1e-9
# By how much the weight of the objective grows from one point of the path to the next.
_GROWTH = 12.0
_MOST_POINTS = 24
_MOST_NEWTON_STEPS = 500
# Length of the last Newton step, in the metric of the barrier.
_CENTRED = 0.1


class Cone(NamedTuple):
    """A cone, an objective, and scratch; last index k is that of s."""

    rows: Annotated[Floats, "rows", "size"]  # at most as many as there can be
    c: Annotated[Floats, "size"]  # size = k + 1
    Q: Annotated[Floats, "size", "size"]
    shift: Annotated[Floats, 1]  # what was added to the diagonal of Q to make it positive definite
    L: Annotated[Floats, "size", "size"]  # Cholesky factor of Q
    x: Annotated[Floats, "size"]
    slack: Annotated[Floats, "rows"]
    dual: Annotated[Floats, "rows"]  # multipliers, times the weight of the objective
    gradient: Annotated[Floats, "size"]
    H: Annotated[Floats, "size", "size"]
    step: Annotated[Floats, "size"]


def make_cone(rows: int, k: int) -> Cone:
    """A cone with a maximal number of rows, and k coordinates beside s."""
    return new_scratch(Cone, {"rows": rows, "size": k + 1})


@jit_apart
def centre(cone: Cone, m: int, k: int, free: int, t: float) -> bool:
    """Newton's method from x to the point of the path where the objective has weight t.

    Returns whether it was reached; only then are there multipliers, and x is a Newton step away
    from the point they belong to. free: how many coordinates move, k if s is fixed. Damped steps
    of a self-concordant function never leave the cone.
    """
    x, g, H, step = cone.x, cone.gradient, cone.H, cone.step
    if not _inside(cone, m, k):
        return False
    for _ in range(_MOST_NEWTON_STEPS):
        u = x[k] * x[k]
        for i in range(k):
            u -= x[i] * x[i]
        for i in range(free):
            slope = -cone.c[i]
            for j in range(k + 1):
                slope += cone.Q[i, j] * x[j]
            outward = -2.0 * x[i] if i < k else 2.0 * x[i]
            g[i] = t * slope - outward / u
            for j in range(i + 1):
                across = -2.0 * x[j] if j < k else 2.0 * x[j]
                H[i, j] = t * cone.Q[i, j] + outward * across / (u * u)
            H[i, i] += 2.0 / u if i < k else -2.0 / u
        for r in range(m):
            slack = cone.slack[r]
            for i in range(free):
                part = cone.rows[r, i] / slack
                g[i] -= part
                for j in range(i + 1):
                    H[i, j] += part * cone.rows[r, j] / slack
        if not cholesky(H, H, free, ROUNDING):
            return False
        copy(g[:free], step[:free])
        decrement = sqrt(forward_substitute(H, step, free))
        back_substitute(H, step, free)
        if not decrement < np.inf:
            return False
        if decrement < _CENTRED:
            _set_dual(cone, m, free)
        size = 1.0 if decrement < 0.25 else 1.0 / (1.0 + decrement)
        add_scaled(x[:free], -size, step)
        whole = _inside(cone, m, k)
        while not _inside(cone, m, k):
            # By rounding alone, at the end of the path.
            size /= 2.0
            if size < 1e-9:
                return False
            add_scaled(x[:free], size, step)
        if decrement < _CENTRED:
            return whole
    return False


@jit
def _set_dual(cone: Cone, m: int, free: int) -> None:
    """Multipliers that balance the gradient of the objective after the Newton step.

    They are positive because the step is inside Dikin's ellipsoid.
    """
    for r in range(m):
        change = product(cone.step[:free], cone.rows[r])
        cone.dual[r] = (1.0 + change / cone.slack[r]) / cone.slack[r]


@jit
def _inside(cone: Cone, m: int, k: int) -> bool:
    """Whether x is inside the cone; sets the slacks of the rows."""
    x = cone.x
    u = x[k] * x[k]
    for i in range(k):
        u -= x[i] * x[i]
    inside = u > 0.0
    for r in range(m):
        cone.slack[r] = product(cone.rows[r], x)
        inside = inside and cone.slack[r] > 0.0
    return inside


@jit
def value_bound(cone: Cone, k: int) -> float:
    """The largest c x where s = 1 without any rows."""
    return cone.c[k] + sqrt(product(cone.c[:k], cone.c))


@jit
def ratio_bound(cone: Cone, k: int) -> float:
    """The largest (c x)^2 / (x Q x) of all x; Q is factorised into L for it."""
    if not cholesky(cone.Q, cone.L, k + 1, ROUNDING):
        return np.inf
    copy(cone.c, cone.gradient)
    return forward_substitute(cone.L, cone.gradient, k + 1)


@jit_apart
def largest_value(cone: Cone, m: int, k: int, best: float, enough: float) -> tuple[float, float]:
    """The largest c x where s = 1, from a point x of the cone: a value reached, and a bound.

    Stops once the bound is not above `best`, or the value is this share of the bound.
    """
    value, bound = -np.inf, value_bound(cone, k)
    if not bound > best:
        return value, bound
    t = 1.0 / max(bound - cone.c[k], 1e-300)
    for _ in range(_MOST_POINTS):
        if not centre(cone, m, k, k, t):
            break
        value = cone.c[k]
        for i in range(k):
            value += cone.c[i] * cone.x[i]
        size, level = 0.0, 0.0
        for i in range(k + 1):
            pull = cone.c[i]
            for r in range(m):
                pull += cone.dual[r] * cone.rows[r, i] / t
            if i < k:
                size += pull * pull
            else:
                level = pull
        bound = min(bound, level + sqrt(size))
        if not bound > best or value >= enough * bound:
            break
        t *= _GROWTH
    return value, bound


@jit_apart
def largest_ratio(cone: Cone, m: int, k: int, best: float) -> tuple[float, float]:
    """The largest (c x)^2 / (x Q x), from a point x of the cone: a value reached, and a bound.

    Q must be positive definite. Stops once the bound is not above `best`.
    """
    n = k + 1
    value, bound = -np.inf, ratio_bound(cone, k)
    if not bound > best or bound == np.inf:
        return value, bound
    # The best x may be large, so the objective is not light at first.
    t = 100.0 / bound
    for _ in range(_MOST_POINTS):
        if not centre(cone, m, k, n, t):
            break
        along, across, shift = 0.0, 0.0, 0.0
        for i in range(n):
            along += cone.c[i] * cone.x[i]
            shift += cone.shift[0] * cone.x[i] * cone.x[i]
            for j in range(n):
                across += cone.x[i] * cone.Q[i, j] * cone.x[j]
        # Without the shift both are a little larger.
        more = across / max(across - shift, 1e-300)
        if along > 0.0:
            value = more * along * along / across
        # After a Newton step the multipliers add up to Q x - c, and they bound the ratio by x Q x.
        bound = min(bound, more * across)
        if not bound > best or value >= (1.0 - TOLERANCE) * bound:
            break
        t *= _GROWTH
    return value, bound
