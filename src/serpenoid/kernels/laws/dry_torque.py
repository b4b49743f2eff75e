"""Dry friction torque of the ground about a link's centre: an interval of angular impulses."""

from serpenoid.kernels._jit import jit_apart
from serpenoid.kernels.lanes import LANES
from serpenoid.kernels.layout import Records
from serpenoid.kernels.projections import project_interval


@jit_apart
def terms(blocks: Records) -> None:
    """Impulse and curvature at u, added to the quadratics."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(LANES):
            spin, r = o.spin[l], o.spin_r[l]
            z = o.old_w[l] - r * o.uw[l]
            o.fw[l] = spin * project_interval(z, 1.0)
            o.cw[l] = spin * r if abs(z) <= 1.0 else 0.0
            o.gw[l] -= o.fw[l]
            o.ww[l] += o.cw[l]


@jit_apart
def update(blocks: Records, tolerance: float) -> int:
    """Impulses that the sweep has balanced; how many links are on another piece of the law now."""
    off = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(LANES):
            spin = o.spin[l]
            if spin == 0.0:
                continue
            q = (o.fw[l] - o.cw[l] * o.dw[l]) / spin
            law = project_interval(o.old_w[l] - o.spin_r[l] * o.uw[l], 1.0)
            off += 1 if abs(q - law) > tolerance else 0
            o.qw[l] = q
    return off


@jit_apart
def residuals(blocks: Records) -> None:
    """How far each link is from the law at half its length, m/s, squared, if that is more."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(LANES):
            if o.spin[l] > 0.0:
                unit, q = o.inertia[l] / o.spin[l], o.qw[l]
                error = o.half[l] * (project_interval(q - unit * o.uw[l], 1.0) - q) / unit
                o.error[l] = max(o.error[l], error * error)


@jit_apart
def works(blocks: Records) -> float:
    """Work at the mean velocity of the step, J; impulses are added to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for l in range(LANES):
            impulse = o.spin[l] * o.qw[l]
            o.law_w[l] += impulse
            total += impulse * 0.5 * (o.uw[l] + o.omega[l])
    return total
