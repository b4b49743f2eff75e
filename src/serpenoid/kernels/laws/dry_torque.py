"""Dry friction torque of the ground about a link's centre: an interval of angular impulses."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import Item, Records
from serpenoid.kernels.projections import EPSILON, project_interval


@jit
def set_coefficients(
    robot: Item, o: Item, at: int, surface: Item, weight: float, stiffness: float
) -> None:
    """Bound of a link in a step; weight: its impulse, N s."""
    bound(robot, o, at, weight * surface.spin, stiffness)


@jit
def bound(robot: Item, o: Item, at: int, spin: float, stiffness: float) -> None:
    """Bound of the angular impulse, N m s, and what follows from it."""
    o.spin[at], o.spin_r[at] = spin, 0.0
    if spin > 0.0:
        o.spin_r[at] = stiffness * o.inertia[at] / spin
    else:
        o.qw[at] = 0.0
    robot.dry_torque = robot.dry_torque or spin > 0.0


@jit
def begin(blocks: Records) -> None:
    """Start from the multipliers of the last step, where the ground has friction."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            w = o.dry_w[at]
            o.old_w[at] = w if o.spin[at] > 0.0 else 0.0


@jit_apart
def terms(blocks: Records) -> None:
    """Add impulse and curvature at u to the quadratics."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            spin, r = o.spin[at], o.spin_r[at]
            z = o.old_w[at] - r * o.uw[at]
            o.fw[at] = spin * project_interval(z, 1.0)
            o.cw[at] = spin * r if abs(z) <= 1.0 else 0.0
            o.gw[at] -= o.fw[at]
            o.ww[at] += o.cw[at]


@jit_apart
def update(blocks: Records, tolerance: float) -> int:
    """Set the impulses that the sweep balanced; count the links that change their piece."""
    off = 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            spin = o.spin[at]
            if spin == 0.0:
                continue
            q = (o.fw[at] - o.cw[at] * o.dw[at]) / spin
            law = project_interval(o.old_w[at] - o.spin_r[at] * o.uw[at], 1.0)
            slack = tolerance + EPSILON * o.spin_r[at] * abs(o.uw[at])
            off += 1 if abs(q - law) > slack else 0
            o.qw[at] = q
    return off


@jit_apart
def residuals(blocks: Records) -> None:
    """Raise the squared residual of each link to that at half its length, m2/s2."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            if o.spin[at] > 0.0:
                unit, q = o.inertia[at] / o.spin[at], o.qw[at]
                error = o.half[at] * (project_interval(q - unit * o.uw[at], 1.0) - q) / unit
                o.error[at] = max(o.error[at], error * error)


@jit
def accept_multipliers(blocks: Records) -> None:
    """Replace the multipliers by the new impulses."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.old_w[at] = o.qw[at]


@jit_apart
def works(blocks: Records) -> float:
    """Work at the mean velocity of the step, J; add the impulses to those of links."""
    total = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            impulse = o.spin[at] * o.qw[at]
            o.law_w[at] += impulse
            total += impulse * 0.5 * (o.uw[at] + o.omega[at])
    return total
