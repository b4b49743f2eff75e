"""Mass and gravity: the quadratic that every other law of a link adds to.

M (u - v)^2 / 2 - dt f u has the curvature M and the gradient M (u - v) - dt f.
"""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.layout import Records


@jit
def terms(blocks: Records, fall_x: float, fall_y: float) -> None:
    """Curvature and gradient at u; fall: velocity gained by gravity in the step, m/s."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(o.width):
            m, inertia = o.mass[l], o.inertia[l]
            o.xx[l], o.xy[l], o.yy[l] = m, 0.0, m
            o.xw[l], o.yw[l], o.ww[l] = 0.0, 0.0, inertia
            o.gx[l] = m * (o.ux[l] - o.vx[l] - fall_x)
            o.gy[l] = m * (o.uy[l] - o.vy[l] - fall_y)
            o.gw[l] = inertia * (o.uw[l] - o.omega[l])
