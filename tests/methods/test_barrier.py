"""Small convex problems: closed forms, and another optimiser on random ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from serpenoid.methods.barrier import TOLERANCE, largest_ratio, largest_value, make_cone
from tests.calling import called

largest_ratio, largest_value = map(called, (largest_ratio, largest_value))


def cone_of(rows, c, Q=None):
    rows = np.atleast_2d(np.asarray(rows, dtype=float))
    k = len(c) - 1
    cone = make_cone(len(rows), k)
    cone.rows[:], cone.c[:] = rows, c
    if Q is not None:
        cone.Q[:] = Q
    cone.x[:] = 0.0
    cone.x[k] = 1.0
    return cone, len(rows), k


def test_value_in_a_cap():
    """Largest x where x <= 0.6 in the unit disc; then y, which the wall does not touch."""
    wall = [-1.0, 0.0, 0.6]
    for c, most in (([1.0, 0.0, 0.0], 0.6), ([0.0, 1.0, 0.0], 1.0), ([3.0, 4.0, 1.0], 6.0)):
        cone, m, k = cone_of(wall, c)
        value, bound = largest_value(cone, m, k, -np.inf, 1 - TOLERANCE)
        # (0.6, 0.8) is where wall and circle meet, and the best of the circle for the last.
        assert value <= most <= bound * (1 + 1e-15)
        assert bound - value <= 2 * TOLERANCE * bound


def test_ratio_without_walls_is_that_of_the_whole_space():
    Q = np.diag([1.0, 2.0, 5.0])
    cone, m, k = cone_of([0.0, 0.0, 1.0], [0.1, 0.2, 1.0], Q)
    value, bound = largest_ratio(cone, m, k, 0.0)
    assert value == pytest.approx(0.01 + 0.02 + 0.2, rel=1e-8)
    assert value <= bound * (1 + 1e-12)


def test_stops_when_it_cannot_be_better():
    cone, m, k = cone_of([-1.0, 0.0, 0.6], [1.0, 0.0, 0.0])
    _, bound = largest_value(cone, m, k, 0.9, 1 - TOLERANCE)
    assert 0.6 <= bound <= 0.9


@pytest.mark.parametrize("seed", range(6))
def test_random_problems(seed):
    """Never above the bound, and as good as SLSQP from several starts."""
    rng = np.random.default_rng(seed)
    k, m = 3, 5
    normals = rng.normal(size=(m, k))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    rows = np.column_stack([normals, rng.uniform(0.1, 0.7, m)])
    c = rng.normal(size=k + 1)
    root = rng.normal(size=(k + 1, k + 1))
    Q = root @ root.T + 0.01 * np.eye(k + 1)

    walls = [
        {"type": "ineq", "fun": lambda z: rows[:, :k] @ z + rows[:, k]},
        {"type": "ineq", "fun": lambda z: 1 - z @ z},
    ]

    def ratio(z):
        x = np.append(z, 1.0)
        return c @ x / np.sqrt(x @ Q @ x)

    def best_of(objective):
        starts = rng.uniform(-0.1, 0.1, (12, k))
        options = {"ftol": 1e-14, "maxiter": 500}
        runs = [minimize(objective, z, constraints=walls, options=options) for z in starts]
        allowed = [run for run in runs if all((w["fun"](run.x) >= -1e-9).all() for w in walls)]
        return max(-float(run.fun) for run in allowed)

    cone, *size = cone_of(rows, c)
    value, bound = largest_value(cone, *size, -np.inf, 1 - TOLERANCE)
    other = best_of(lambda z: -(c[:k] @ z + c[k]))
    assert bound - value <= 1e-7 * abs(bound)
    assert other == pytest.approx(value, abs=1e-6)
    cone, *size = cone_of(rows, c, Q)
    value, bound = largest_ratio(cone, *size, 0.0)
    other = best_of(lambda z: -ratio(z)) ** 2
    assert other <= bound * (1 + 1e-7)
    assert other == pytest.approx(value, rel=1e-5)
