"""Mass and gravity: the quadratic that every other law of a link adds to.

M (u - v)^2 / 2 - dt f u has the curvature M and the gradient M (u - v) - dt f.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import Records


@jit
def terms(blocks: Records, fall_x: float, fall_y: float) -> None:
    """Curvature and gradient at u; fall: velocity gained by gravity in the step, m/s."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            m, inertia = o.mass[at], o.inertia[at]
            o.xx[at], o.xy[at], o.yy[at] = m, 0.0, m
            o.xw[at], o.yw[at], o.ww[at] = 0.0, 0.0, inertia
            o.gx[at] = m * (o.ux[at] - o.vx[at] - fall_x)
            o.gy[at] = m * (o.uy[at] - o.vy[at] - fall_y)
            o.gw[at] = inertia * (o.uw[at] - o.omega[at])
