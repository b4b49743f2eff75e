"""The articulated-body sweep: one linear solve on the chain in O(n), no matrix formed.

Minimises  sum_i (1/2 d_i' H_i d_i + g_i' d_i) + sum_j (1/2 k_j s_j^2 + t_j s_j)  over all link
velocities d_i = (vx, vy, omega) that keep the hinges closed, with s_j = omega_{j+1} - omega_j. Link
by link both halves of the robot are folded onto the middle link, which is left with one 3x3 system.
A quadratic is passed on as H = (xx, xy, yy, xw, yw, ww) and g = (x, y, w). `side` is +1 on the head
half, where the link lies in front of the one it is folded onto, and -1 on the tail half.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import Item

Quadratic = tuple[float, float, float, float, float, float, float, float, float]


@jit
def lever_in(link: Item, side: float) -> float:
    """From the inner hinge of a link to its centre of mass, along its axis, m."""
    return link.back if side > 0.0 else -link.front


@jit
def lever_out(link: Item, side: float) -> float:
    """From the centre of mass of a link to its outer hinge, along its axis, m."""
    return link.front if side > 0.0 else -link.back


@jit
def shift(link: Item, lever: float, quadratic: Quadratic) -> Quadratic:
    """A quadratic of a link's velocity there, seen from here: v_there = v_here + lever e omega."""
    xx, xy, yy, xw, yw, ww, gx, gy, gw = quadratic
    qx, qy = -lever * link.ey, lever * link.ex
    xw1 = xw + xx * qx + xy * qy
    yw1 = yw + xy * qx + yy * qy
    ww1 = ww + qx * (xw + xw1) + qy * (yw + yw1)
    return xx, xy, yy, xw1, yw1, ww1, gx, gy, gw + qx * gx + qy * gy


@jit
def fold(
    inner: Item, link: Item, side: float, quadratic: Quadratic, k: float, t: float
) -> Quadratic:
    """What a link, with all links folded onto it, adds to the link nearer the middle.

    k and t are the curvature and gradient of the joint between them. Leaves in the link what
    `unfold` needs to find its rate again.
    """
    xx, xy, yy, xw, yw, ww, gx, gy, gw = shift(link, lever_in(link, side), quadratic)
    t = side * t
    # Minimise over the link's rate.
    inverse = 1.0 / (ww + k)
    kx, ky, kk, kg = xw * inverse, yw * inverse, k * inverse, (gw + t) * inverse
    link.kx, link.ky, link.kk, link.kg, link.ki = kx, ky, kk, kg, inverse
    return shift(
        inner,
        lever_out(inner, side),
        (
            xx - xw * kx,
            xy - xw * ky,
            yy - yw * ky,
            xw * kk,
            yw * kk,
            ww * kk,
            gx - xw * kg,
            gy - yw * kg,
            k * kg - t,
        ),
    )


@jit_apart
def fold_elastic(
    inner: Item,
    link: Item,
    side: float,
    quadratic: Quadratic,
    terms: tuple[float, float, float, float, float],
) -> Quadratic:
    """The same across a series-elastic joint, whose rotor turns with the link behind it.

    terms: curvatures and gradient in the rate of the link behind and the joint's rate.
    """
    xx, xy, yy, xw, yw, ww, gx, gy, gw = shift(link, lever_in(link, side), quadratic)
    aa, ab, bb, a, b = terms
    # In the rates of the link (w) and of the inner one (v).
    cross = ab - bb
    own, other, t, s = bb, aa - 2.0 * ab + bb, b, a - b
    if side < 0.0:
        own, other, t, s = other, own, s, t
    inverse = 1.0 / (ww + own)
    kx, ky, kk, kg = xw * inverse, yw * inverse, -cross * inverse, (gw + t) * inverse
    link.kx, link.ky, link.kk, link.kg, link.ki = kx, ky, kk, kg, inverse
    return shift(
        inner,
        lever_out(inner, side),
        (
            xx - xw * kx,
            xy - xw * ky,
            yy - yw * ky,
            xw * kk,
            yw * kk,
            other + cross * kk,
            gx - xw * kg,
            gy - yw * kg,
            s - cross * kg,
        ),
    )


@jit
def fold_locked(inner: Item, link: Item, side: float, quadratic: Quadratic) -> Quadratic:
    """The same across a joint whose rate is prescribed: everything is passed on."""
    inside = shift(link, lever_in(link, side), quadratic)
    return shift(inner, lever_out(inner, side), inside)


@jit
def add(a: Quadratic, b: Quadratic) -> Quadratic:
    """Sum of two quadratics."""
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@jit
def minimiser(quadratic: Quadratic) -> tuple[float, float, float]:
    """Where a quadratic is least, -H^-1 g by an L D L' factorisation."""
    xx, xy, yy, xw, yw, ww, gx, gy, gw = quadratic
    a = xy / xx
    b = xw / xx
    d2 = yy - a * xy
    c = (yw - a * xw) / d2
    d3 = ww - b * xw - c * c * d2
    y2 = gy - a * gx
    y3 = gw - b * gx - c * y2
    w = -y3 / d3
    vy = -y2 / d2 - c * w
    return -gx / xx - a * vy - b * w, vy, w


@jit
def unfold(inner: Item, link: Item, side: float, locked: bool) -> None:
    """Step of a link from that of the link nearer the middle."""
    a, b = lever_out(inner, side), lever_in(link, side)
    hx = inner.dx - a * inner.ey * inner.dw
    hy = inner.dy + a * inner.ex * inner.dw
    w = inner.dw if locked else link.kk * inner.dw - link.kx * hx - link.ky * hy - link.kg
    link.dx = hx - b * link.ey * w
    link.dy = hy + b * link.ex * w
    link.dw = w
