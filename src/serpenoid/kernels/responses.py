"""Responses of the chain with the factors of the last sweep, and small matrices, for loops."""

from math import sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import Floats, Ints, Records
from serpenoid.kernels.sweep import Quadratic, minimiser


@jit
def fold_gradient(blocks: Records, i: int, inner: int, row: Floats) -> None:
    """Fold the gradient of link i on its inner neighbour, with the factors of the last sweep.

    The row keeps what turns the link about its inner hinge.
    """
    o, at = blocks[block(i)], lane(i)
    p, k = blocks[block(inner)], lane(inner)
    lever = o.back[at] if inner < i else -o.front[at]
    beyond = p.front[k] if inner < i else -p.back[k]
    gx, gy = row[i, 0], row[i, 1]
    turning = row[i, 2] + lever * (o.ex[at] * gy - o.ey[at] * gx)
    row[i, 2] = turning
    gx, gy = gx - o.kx[at] * turning, gy - o.ky[at] * turning
    row[inner, 0] += gx
    row[inner, 1] += gy
    row[inner, 2] += o.kk[at] * turning + beyond * (p.ex[k] * gy - p.ey[k] * gx)


@jit
def unfold_response(blocks: Records, i: int, inner: int, row: Floats) -> None:
    """Newton step of link i from that of its inner neighbour."""
    o, at = blocks[block(i)], lane(i)
    p, k = blocks[block(inner)], lane(inner)
    lever = o.back[at] if inner < i else -o.front[at]
    beyond = p.front[k] if inner < i else -p.back[k]
    w = row[inner, 2]
    hx, hy = row[inner, 0] - beyond * p.ey[k] * w, row[inner, 1] + beyond * p.ex[k] * w
    w = o.kk[at] * w - o.kx[at] * hx - o.ky[at] * hy - o.ki[at] * row[i, 2]
    row[i, 0], row[i, 1], row[i, 2] = hx - lever * o.ey[at] * w, hy + lever * o.ex[at] * w, w


@jit_apart
def respond(blocks: Records, n: int, root: Quadratic, row: Floats) -> None:
    """Newton step of the links for a gradient (n, 3), in its place."""
    middle = n // 2
    for i in range(n - 1, middle, -1):
        fold_gradient(blocks, i, i - 1, row)
    for i in range(middle):
        fold_gradient(blocks, i, i + 1, row)
    gx, gy, gw = row[middle, 0], row[middle, 1], row[middle, 2]
    xx, xy, yy, xw, yw, ww = root[0], root[1], root[2], root[3], root[4], root[5]
    step = minimiser((xx, xy, yy, xw, yw, ww, gx, gy, gw))
    row[middle, 0], row[middle, 1], row[middle, 2] = step
    for i in range(middle + 1, n):
        unfold_response(blocks, i, i - 1, row)
    for i in range(middle - 1, -1, -1):
        unfold_response(blocks, i, i + 1, row)


@jit_apart
def factorise(matrix: Floats, first: Ints, size: int) -> None:
    """Cholesky factor of a symmetric matrix, lower, each row from its first column on."""
    for a in range(size):
        for b in range(first[a], a + 1):
            value = matrix[a, b]
            for e in range(max(first[a], first[b]), b):
                value -= matrix[a, e] * matrix[b, e]
            matrix[a, b] = sqrt(value) if a == b else value / matrix[b, b]


@jit_apart
def back_substitute(matrix: Floats, first: Ints, size: int, x: Floats) -> None:
    """Solve with the factor, in place."""
    for a in range(size):
        for e in range(first[a], a):
            x[a] -= matrix[a, e] * x[e]
        x[a] /= matrix[a, a]
    for a in range(size - 1, -1, -1):
        x[a] /= matrix[a, a]
        for e in range(first[a], a):
            x[e] -= matrix[a, e] * x[a]
