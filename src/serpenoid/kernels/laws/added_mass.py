"""Added mass: the fluid that a link takes along, more of it across the link than along it.

Its impulse A(theta) u, with A of the masses along and across, turns with the link, so besides
resisting acceleration the fluid turns the link broadside on (Kirchhoff's equations, the moment of
Munk). In a step from angle and velocity theta_A, v to theta_E, u the fluid gives the link

    -(A(theta_E) u - A(theta_A) v)      and the torque      -i (u_w - omega) + N,
    N = dt/2 v' (A(theta_E) - A(theta_A)) u / (theta_E - theta_A).

What the link gains the fluid loses, so the impulse of both is kept, and so is their energy: with
this quotient of differences instead of the derivative of A the work at the mean velocity is what
u' A u / 2 + i u_w^2 / 2 loses, to rounding. What couples u to u_w is skew, so no potential has it:
the quadratics hold A(theta_E) and i, and further sweeps find the rest.
"""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import EPSILON, ROUNDING
from serpenoid.kernels.trigonometry import sine_cosine

# xx, xy, yy of a symmetric matrix.
Matrix = tuple[float, float, float]
# What a link may be off the law in velocity, m/s, and as a share of its speed. Sweeps close in by a
# constant factor, so that little is left to chance: all of it is energy in the residual.
CLOSE, SHARE = 1e-2 * ROUNDING, 10.0 * EPSILON
# No step that turns a link as far as this in its second half is accepted, rad; iterates that do are
# taken to turn no farther, so that they stay finite until the step is halved.
FARTHEST = 0.2


@jit
def time_to_midpoint(robot: Item) -> float:
    """Time to the midpoint of the step, s: none in an impact."""
    return 0.5 * max(robot.bound_time, 0.0)


@jit
def added(o: Item, at: int, ahead: float) -> Matrix:
    """Added mass A of a link that has turned by an angle since the midpoint, kg."""
    s, c = sine_cosine(ahead)
    ex, ey = o.ex[at] * c - o.ey[at] * s, o.ey[at] * c + o.ex[at] * s
    a, b = o.added_a[at], o.added_b[at]
    return a * ex * ex + b * ey * ey, (a - b) * ex * ey, a * ey * ey + b * ex * ex


@jit
def turned(o: Item, at: int, half: float) -> float:
    """Angle of a link in the second half of the step, rad."""
    return min(max(half * o.uw[at], -FARTHEST), FARTHEST)


@jit
def quotient(o: Item, at: int, half: float) -> float:
    """Torque N of the turning impulse of the fluid in the step, N m s."""
    vx, vy, ux, uy = o.vx[at], o.vy[at], o.ux[at], o.uy[at]
    before, after = half * o.omega[at], turned(o, at, half)
    # A(E) - A(A) is sin(E - A) (a - b) times the derivative of e e', taken between E and A.
    s, c = sine_cosine(0.5 * (after - before))
    ex, ey = o.ex[at] * c - o.ey[at] * s, o.ey[at] * c + o.ex[at] * s
    turn = before + after
    z = turn * turn
    # sin(turn) / turn, to rounding for any turn that a step may make.
    sinc = 1.0 - z / 72.0 * (1.0 - z / 110.0)
    sinc = 1.0 - z / 6.0 * (1.0 - z / 20.0 * (1.0 - z / 42.0 * sinc))
    shear = (vx * ex + vy * ey) * (uy * ex - ux * ey) + (vy * ex - vx * ey) * (ux * ex + uy * ey)
    return half * (o.added_a[at] - o.added_b[at]) * sinc * shear


@jit
def reaction(o: Item, at: int, half: float, mass: Matrix) -> tuple[float, float, float]:
    """Impulse and angular impulse of the fluid on a link at u; mass: A at the end of the step."""
    xx, xy, yy = mass
    fx = o.fluid_x[at] - xx * o.ux[at] - xy * o.uy[at]
    fy = o.fluid_y[at] - xy * o.ux[at] - yy * o.uy[at]
    return fx, fy, quotient(o, at, half) - o.added_w[at] * (o.uw[at] - o.omega[at])


@jit
def set_coefficients(robot: Item, o: Item, at: int, surface: Item, time: float) -> None:
    """Added masses of a link, kg and kg m2: the same in every step, and in an impact."""
    wet = 1.0 if time > 0.0 else 0.0
    o.added_a[at], o.added_b[at] = wet * surface.mass_along, wet * surface.mass_across
    o.added_w[at] = wet * surface.mass_spread * 4.0 * o.half[at] * o.half[at]
    robot.added_mass = robot.added_mass or o.added_a[at] + o.added_b[at] + o.added_w[at] > 0.0


@jit_apart
def begin(blocks: Records, robot: Item) -> None:
    """Impulse of the fluid before the step."""
    half = time_to_midpoint(robot)
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            vx, vy = o.vx[at], o.vy[at]
            xx, xy, yy = added(o, at, -half * o.omega[at])
            o.fluid_x[at], o.fluid_y[at] = xx * vx + xy * vy, xy * vx + yy * vy


@jit_apart
def terms(blocks: Records, robot: Item) -> None:
    """Add impulse and curvature at u to the quadratics."""
    half = time_to_midpoint(robot)
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            mass = added(o, at, turned(o, at, half))
            fx, fy, fw = reaction(o, at, half, mass)
            o.added_fx[at], o.added_fy[at], o.added_fw[at] = fx, fy, fw
            o.added_xx[at], o.added_xy[at], o.added_yy[at] = mass
            o.xx[at] += mass[0]
            o.xy[at] += mass[1]
            o.yy[at] += mass[2]
            o.ww[at] += o.added_w[at]
            o.gx[at] -= fx
            o.gy[at] -= fy
            o.gw[at] -= fw


@jit_apart
def update(blocks: Records, robot: Item) -> int:
    """Set the impulses that the sweep balanced; count the links that violate the law."""
    half, off = time_to_midpoint(robot), 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            dx, dy = o.dx[at], o.dy[at]
            fx, fy, fw = reaction(o, at, half, added(o, at, turned(o, at, half)))
            qx = o.added_fx[at] - o.added_xx[at] * dx - o.added_xy[at] * dy
            qy = o.added_fy[at] - o.added_xy[at] * dx - o.added_yy[at] * dy
            qw = o.added_fw[at] - o.added_w[at] * o.dw[at]
            mass, inertia = o.mass[at] + o.added_b[at], o.inertia[at] + o.added_w[at]
            speed = abs(o.ux[at]) + abs(o.uy[at]) + abs(o.uw[at]) * o.half[at]
            close = CLOSE + SHARE * speed
            off += 1 if abs(qx - fx) + abs(qy - fy) > close * mass else 0
            off += 1 if abs(qw - fw) * o.half[at] > close * inertia else 0
            o.added_qx[at], o.added_qy[at], o.added_qw[at] = qx, qy, qw
    return off


@jit_apart
def works(blocks: Records, robot: Item) -> float:
    """Kinetic energy of the fluid after the step, J; add the impulses to those of links.

    Their work is what that energy has lost, so no entry of its own is needed for it.
    """
    half, total = time_to_midpoint(robot), 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ux, uy, uw = o.ux[at], o.uy[at], o.uw[at]
            xx, xy, yy = added(o, at, turned(o, at, half))
            o.law_x[at] += o.added_qx[at]
            o.law_y[at] += o.added_qy[at]
            o.law_w[at] += o.added_qw[at]
            linear = xx * ux * ux + 2.0 * xy * ux * uy + yy * uy * uy
            total += 0.5 * (linear + o.added_w[at] * uw * uw)
    return total
