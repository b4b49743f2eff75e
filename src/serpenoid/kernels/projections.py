"""Reservoirs: convex sets of admissible impulses, and the projections onto them.

A set-valued law says -gamma in N_C(P): the impulse P lies in the reservoir C, and the relative
velocity gamma points along the inward normal. With a multiplier P kept from the last iteration the
law enters the step through its augmented Lagrangian, whose gradient is -proj_C(P - r gamma)
[transeth2008 (53)]. Dry ground friction uses impulses scaled to the unit disc, p = P / D.
"""

from math import sqrt

from serpenoid.kernels._jit import jit

# A change of velocity too small to mean anything, m/s: laws this near a kink are on either side.
ROUNDING = 1e-11


@jit
def project_interval(z: float, bound: float) -> float:
    """Nearest point of [-bound, bound]."""
    if z > bound:
        return bound
    if z < -bound:
        return -bound
    return z


@jit
def project_disc(x: float, y: float) -> tuple[float, float]:
    """Nearest point of the unit disc."""
    square = x * x + y * y
    if square <= 1.0:
        return x, y
    scale = 1.0 / sqrt(square)
    return x * scale, y * scale


@jit
def dry_argument(
    p: float, gamma: float, r: float, forward: float, backward: float
) -> tuple[float, float]:
    """Longitudinal entry of z = p - r D gamma, and the half axis D that is in force there.

    `forward` resists gamma > 0 (so it bounds p < 0), `backward` resists gamma < 0. The reservoir is
    two half ellipses glued at p = 0. z is piecewise linear and decreasing in gamma, with its kink
    where z = 0; that keeps the augmented Lagrangian convex with a continuous gradient, and no root
    has to be found.
    """
    if forward == backward:
        return p - r * forward * gamma, forward
    if (p < 0.0 and forward == 0.0) or (p > 0.0 and backward == 0.0):
        # A force from another surface, which this one cannot bear.
        p = 0.0
    if p > 0.0 or (p == 0.0 and gamma < 0.0):
        here, beyond, sign = backward, forward, 1.0
    else:
        here, beyond, sign = forward, backward, -1.0
    z = p - r * here * gamma
    if z * sign >= 0.0:
        return z, here
    return z * beyond / here, beyond
