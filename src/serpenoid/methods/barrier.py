"""Small convex problems on a cone, solved along the central path with a bound from duality.

The cone is the set of x = (z, s) with rows x > 0 and |z| < s. Two problems are solved on it: the
largest c x where s = 1, and the largest (c x)^2 / (x Q x). Each point of the path comes with
multipliers, and these bound the optimum from above.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Floats

# Relative distance of value and bound at which a problem is solved.
TOLERANCE = 1e-9
# By how much the weight of the objective grows from one point of the path to the next.
_GROWTH = 12.0
_MOST_POINTS = 24
_MOST_NEWTON_STEPS = 500
_ROUNDING = 1e-15
# Length of the last Newton step, in the metric of the barrier.
_CENTRED = 0.1


class Cone(NamedTuple):
    """A cone, an objective, and scratch; last index k is that of s."""

    rows: Floats  # (at most as many rows as there can be, k + 1)
    c: Floats  # (k + 1,)
    Q: Floats  # (k + 1, k + 1)
    shift: Floats  # (1,) what was added to the diagonal of Q to make it positive definite
    L: Floats  # (k + 1, k + 1), Cholesky factor of Q
    x: Floats  # (k + 1,)
    slack: Floats  # (rows,)
    dual: Floats  # (rows,) multipliers, times the weight of the objective
    gradient: Floats  # (k + 1,)
    H: Floats  # (k + 1, k + 1)
    step: Floats  # (k + 1,)


def make_cone(rows: int, k: int) -> Cone:
    """A cone of at most so many rows, with k coordinates beside s."""
    size = k + 1
    square = (size, size)
    return Cone(
        rows=np.zeros((rows, size)),
        c=np.zeros(size),
        Q=np.zeros(square),
        shift=np.zeros(1),
        L=np.zeros(square),
        x=np.zeros(size),
        slack=np.zeros(rows),
        dual=np.zeros(rows),
        gradient=np.zeros(size),
        H=np.zeros(square),
        step=np.zeros(size),
    )


@jit
def factorise(A: Floats, L: Floats, n: int) -> bool:
    """Cholesky factor of the leading n rows of A; whether there is one.

    What rounding takes from a pivot is put back.
    """
    for i in range(n):
        least = _ROUNDING * A[i, i]
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                if not least > 0.0:
                    return False
                L[i, i] = sqrt(max(total, least))
            else:
                L[i, j] = total / L[j, j]
    return True


@jit
def substitute(L: Floats, b: Floats, n: int) -> float:
    """Replace b by L^-1 b, and return the square of its length."""
    size = 0.0
    for i in range(n):
        total = b[i]
        for k in range(i):
            total -= L[i, k] * b[k]
        b[i] = total / L[i, i]
        size += b[i] * b[i]
    return size


@jit
def back_substitute(L: Floats, b: Floats, n: int) -> None:
    """Replace b by L^-T b."""
    for i in range(n - 1, -1, -1):
        total = b[i]
        for k in range(i + 1, n):
            total -= L[k, i] * b[k]
        b[i] = total / L[i, i]


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
        if not factorise(H, H, free):
            return False
        for i in range(free):
            step[i] = g[i]
        decrement = sqrt(substitute(H, step, free))
        back_substitute(H, step, free)
        if not decrement < np.inf:
            return False
        if decrement < _CENTRED:
            _set_dual(cone, m, free)
        size = 1.0 if decrement < 0.25 else 1.0 / (1.0 + decrement)
        for i in range(free):
            x[i] -= size * step[i]
        whole = _inside(cone, m, k)
        while not _inside(cone, m, k):
            # By rounding alone, at the end of the path.
            size /= 2.0
            if size < 1e-9:
                return False
            for i in range(free):
                x[i] += size * step[i]
        if decrement < _CENTRED:
            return whole
    return False


@jit
def _set_dual(cone: Cone, m: int, free: int) -> None:
    """Multipliers that balance the gradient of the objective after the Newton step.

    They are positive because the step is inside Dikin's ellipsoid.
    """
    for r in range(m):
        change = 0.0
        for i in range(free):
            change += cone.rows[r, i] * cone.step[i]
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
        slack = 0.0
        for i in range(k + 1):
            slack += cone.rows[r, i] * x[i]
        cone.slack[r] = slack
        inside = inside and slack > 0.0
    return inside


@jit
def value_bound(cone: Cone, k: int) -> float:
    """The largest c x where s = 1 without any rows."""
    size = 0.0
    for i in range(k):
        size += cone.c[i] * cone.c[i]
    return cone.c[k] + sqrt(size)


@jit
def ratio_bound(cone: Cone, k: int) -> float:
    """The largest (c x)^2 / (x Q x) of all x; Q is factorised into L for it."""
    if not factorise(cone.Q, cone.L, k + 1):
        return np.inf
    for i in range(k + 1):
        cone.gradient[i] = cone.c[i]
    return substitute(cone.L, cone.gradient, k + 1)


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
