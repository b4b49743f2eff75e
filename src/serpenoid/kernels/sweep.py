"""The articulated-body sweep: one linear solve on the chain in O(n), no matrix formed.

Minimises  sum_i (1/2 d_i' H_i d_i + g_i' d_i) + sum_j (1/2 c_j s_j^2 - f_j s_j)  over all link
velocities d_i = (vx, vy, omega) that keep the hinges closed, with s_j = omega_{j+1} - ratio_j
omega_j; of prescribed joints s_j = 0. H, g, c, f are what the laws have left in the lanes. Link by
link both halves of the robot are folded onto the middle link, which is left with one 3x3 system;
both go side by side, so that the processor works on two links at once.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.layout import Item, Records

# H = (xx, xy, yy, xw, yw, ww) and g = (x, y, w) of a quadratic.
Quadratic = tuple[float, float, float, float, float, float, float, float, float]
# Joint: curvature, impulse along the link's own rate, factors of its own and the inner rate, 1 if
# it is prescribed.
Joint = tuple[float, float, float, float, float]


@jit
def shift(o: Item, at: int, lever: float, quadratic: Quadratic) -> Quadratic:
    """A quadratic of a link's velocity there, seen from here: v_there = v_here + lever e omega."""
    xx, xy, yy, xw, yw, ww, gx, gy, gw = quadratic
    qx, qy = -lever * o.ey[at], lever * o.ex[at]
    a, b = xw + (xx * qx + xy * qy), yw + (xy * qx + yy * qy)
    return xx, xy, yy, a, b, ww + (qx * (xw + a) + qy * (yw + b)), gx, gy, gw + (qx * gx + qy * gy)


@jit
def to_inner_hinges(blocks: Records, robot: Item) -> None:
    """Quadratics of all links, transformed to the hinges towards the middle link."""
    for b in range(robot.link_blocks):
        o = blocks[b]
        for at in range(width(o)):
            back, front = o.back[at], -o.front[at]
            lever = back if o.ahead[at] > 0.0 else front
            seen = shift(o, at, lever, own_quadratic(o, at))
            o.hinge_xw[at], o.hinge_yw[at] = seen[3], seen[4]
            o.hinge_ww[at], o.hinge_gw[at] = seen[5], seen[8]


@jit
def hinge_quadratic(o: Item, at: int) -> Quadratic:
    """The same of one link."""
    xx, xy, yy, gx, gy = o.xx[at], o.xy[at], o.yy[at], o.gx[at], o.gy[at]
    return xx, xy, yy, o.hinge_xw[at], o.hinge_yw[at], o.hinge_ww[at], gx, gy, o.hinge_gw[at]


@jit
def own_quadratic(o: Item, at: int) -> Quadratic:
    """Quadratic of the laws in a lane."""
    return o.xx[at], o.xy[at], o.yy[at], o.xw[at], o.yw[at], o.ww[at], o.gx[at], o.gy[at], o.gw[at]


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
def fold(o: Item, at: int, lever: float, joint: Joint, outer: Quadratic) -> Quadratic:
    """Fold a link, with the quadratic at its outer hinge, onto its inner hinge.

    lever: from the inner hinge to the outer one. Leaves in the lane what `unfold` needs to find the
    link's rate again.
    """
    c, f, own, inner, locked = joint
    xx, xy, yy, xw, yw, ww, gx, gy, gw = add(hinge_quadratic(o, at), shift(o, at, lever, outer))
    gw = gw - own * f
    # Minimise over the link's rate, unless that is prescribed.
    inverse = (1.0 - locked) / (ww + c * own * own)
    kx, ky, kg = xw * inverse, yw * inverse, gw * inverse
    kk = c * own * inner * inverse + locked
    o.kx[at], o.ky[at], o.kk[at], o.kg[at], o.ki[at] = kx, ky, kk, kg, inverse
    return (
        xx - xw * kx,
        xy - xw * ky,
        yy - yw * ky,
        xw * kk,
        yw * kk,
        ww * (c * inner * inner * inverse + locked),
        gx - xw * kg,
        gy - yw * kg,
        gw * kk + inner * f,
    )


@jit
def fold_head(blocks: Records, i: int, outer: Quadratic, plain: bool) -> Quadratic:
    """Fold link i of the head half, whose joint is in the lane of the link behind."""
    o, at = blocks[block(i)], lane(i)
    q, k = blocks[block(i - 1)], lane(i - 1)
    ratio, locked = (1.0, 0.0) if plain else (q.ratio[k], q.locked[k])
    joint = q.joint_c[k], q.joint_f[k], 1.0, ratio, locked
    return fold(o, at, o.back[at] + o.front[at], joint, outer)


@jit
def fold_tail(blocks: Records, i: int, outer: Quadratic, plain: bool) -> Quadratic:
    """Fold link i of the tail half, whose joint is in its own lane."""
    o, at = blocks[block(i)], lane(i)
    ratio, locked = (1.0, 0.0) if plain else (o.ratio[at], o.locked[at])
    joint = o.joint_c[at], -o.joint_f[at], ratio, 1.0, locked
    return fold(o, at, -o.back[at] - o.front[at], joint, outer)


@jit
def fold_chain(blocks: Records, robot: Item) -> Quadratic:
    """Fold all links onto the middle one: its quadratic."""
    to_inner_hinges(blocks, robot)
    # Written twice, so that of plain joints the compiler leaves out factors of 1 and terms of 0.
    if robot.plain:
        return fold_links(blocks, robot.links, True)
    return fold_links(blocks, robot.links, False)


@jit
def fold_links(blocks: Records, n: int, plain: bool) -> Quadratic:
    """The same, seen from the hinges; plain: no joint is prescribed or has a rotor."""
    head = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    tail = head
    if n % 2 == 0:
        tail = fold_tail(blocks, 0, tail, plain)
    for s in range((n - 1) // 2):
        head = fold_head(blocks, n - 1 - s, head, plain)
        tail = fold_tail(blocks, (n + 1) % 2 + s, tail, plain)
    o, at = blocks[block(n // 2)], lane(n // 2)
    both = add(shift(o, at, o.front[at], head), shift(o, at, -o.back[at], tail))
    return add(own_quadratic(o, at), both)


@jit
def minimiser(quadratic: Quadratic) -> tuple[float, float, float]:
    """Where a quadratic is least, -H^-1 g by an L D L' factorisation."""
    xx, xy, yy, xw, yw, ww, gx, gy, gw = quadratic
    ix = 1.0 / xx
    a, b = xy * ix, xw * ix
    d = yw - a * xw
    iy = 1.0 / (yy - a * xy)
    c, y2 = d * iy, gy - a * gx
    w = -(gw - b * gx - c * y2) / (ww - b * xw - c * d)
    vy = -y2 * iy - c * w
    return -gx * ix - a * vy - b * w, vy, w


@jit
def unfold(
    o: Item, at: int, levers: tuple[float, float], hinge: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The step of a link from that of its inner hinge and inner link's rate; of its outer hinge."""
    hx, hy, inner = hinge
    w = ((o.kk[at] * inner - o.kg[at]) - o.kx[at] * hx) - o.ky[at] * hy
    ex, ey = w * o.ex[at], w * o.ey[at]
    o.dx[at], o.dy[at], o.dw[at] = hx - levers[0] * ey, hy + levers[0] * ex, w
    return hx - levers[1] * ey, hy + levers[1] * ex, w


@jit
def unfold_head(
    blocks: Records, i: int, hinge: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The step of link i of the head half, and of the joint behind it."""
    o, at = blocks[block(i)], lane(i)
    q, k = blocks[block(i - 1)], lane(i - 1)
    outer = unfold(o, at, (o.back[at], o.back[at] + o.front[at]), hinge)
    q.drate[k] = outer[2] - hinge[2]
    return outer


@jit
def unfold_tail(
    blocks: Records, i: int, hinge: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The step of link i of the tail half, and of the joint ahead of it."""
    o, at = blocks[block(i)], lane(i)
    outer = unfold(o, at, (-o.front[at], -o.back[at] - o.front[at]), hinge)
    o.drate[at] = hinge[2] - outer[2]
    return outer


@jit
def unfold_chain(blocks: Records, n: int, root: tuple[float, float, float]) -> None:
    """The steps of all links, from that of the middle one."""
    dx, dy, w = root
    o, at = blocks[block(n // 2)], lane(n // 2)
    o.dx[at], o.dy[at], o.dw[at] = dx, dy, w
    ex, ey, front, back = o.ex[at], o.ey[at], o.front[at], o.back[at]
    head = dx - front * ey * w, dy + front * ex * w, w
    tail = dx + back * ey * w, dy - back * ex * w, w
    for s in range(1, (n - 1) // 2 + 1):
        head = unfold_head(blocks, n // 2 + s, head)
        tail = unfold_tail(blocks, n // 2 - s, tail)
    if n % 2 == 0:
        unfold_tail(blocks, 0, tail)
