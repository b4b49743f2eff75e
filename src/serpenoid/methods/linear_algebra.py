"""Dense linear algebra in place, without allocation."""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Floats, Ints

# What rounding may take from a pivot of `cholesky`, in units of the diagonal.
ROUNDING = 1e-15


@jit
def copy(source: Floats, target: Floats) -> None:
    """Fill an array (n,) with another."""
    for k in range(target.shape[0]):
        target[k] = source[k]


@jit
def add_scaled(target: Floats, factor: float, source: Floats) -> None:
    """Add a multiple of one array (n,) to another."""
    for k in range(target.shape[0]):
        target[k] += factor * source[k]


@jit
def product(a: Floats, b: Floats) -> float:
    """Scalar product of two arrays (n,)."""
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


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


@jit
def cholesky(A: Floats, L: Floats, n: int, floor: float) -> bool:
    """Cholesky factor L of the leading n rows of A, which may be the same; whether there is one.

    Only the lower half is read and written. A pivot is at least floor times the diagonal of A: with
    ROUNDING a semidefinite matrix has a factor, with 0 only a positive definite one has.
    """
    for i in range(n):
        least = floor * A[i, i]
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                pivot = max(total, least)
                if not pivot > 0.0:
                    return False
                L[i, i] = sqrt(pivot)
            else:
                L[i, j] = total / L[j, j]
    return True


@jit
def forward_substitute(L: Floats, b: Floats, n: int) -> float:
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
