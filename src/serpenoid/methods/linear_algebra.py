"""Dense linear algebra in place, without allocation."""

from serpenoid.kernels._jit import jit_apart
from serpenoid.kernels.layout import Floats, Ints


@jit_apart
def factorise(a: Floats, pivot: Ints) -> None:
    """L U factorisation with partial pivoting, in place."""
    n = a.shape[0]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        pivot[k] = best
        if best != k:
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
        for i in range(k + 1, n):
            if a[i, k] != 0.0:
                a[i, k] /= a[k, k]
                for j in range(k + 1, n):
                    a[i, j] -= a[i, k] * a[k, j]


@jit_apart
def solve_factored(a: Floats, pivot: Ints, b: Floats) -> None:
    """Solve for the right-hand side b, in place."""
    n = a.shape[0]
    for k in range(n):
        b[k], b[pivot[k]] = b[pivot[k]], b[k]
    for i in range(n):
        for j in range(i):
            b[i] -= a[i, j] * b[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
