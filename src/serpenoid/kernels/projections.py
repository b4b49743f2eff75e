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
# Relative rounding of a short sum.
EPSILON = 1e-15


@jit
def project_interval(z: float, bound: float) -> float:
    """Nearest point of [-bound, bound]."""
    return min(max(z, -bound), bound)


@jit
def project_disc(x: float, y: float) -> tuple[float, float]:
    """Nearest point of the unit disc."""
    square = x * x + y * y
    if square <= 1.0:
        return x, y
    scale = 1.0 / sqrt(square)
    return x * scale, y * scale


@jit
def disc_piece(
    za: float, zb: float, da: float, db: float, r: float, holds: bool
) -> tuple[float, float, float, float, float]:
    """Impulse and curvature of dry friction on the piece it is on.

    Inside of the unit disc the curvature is r D D, on its edge r/|z| across p only.

    Args:
        za: Scaled impulse before its projection, along the body.
        zb: The same across it.
        da: Half axis of the reservoir along the body, N s.
        db: The same across it.
        r: Stiffness of the scaled law.
        holds: Whether it is on the piece of stick, wherever z is.

    Returns:
        Impulse along and across, N s, and its curvature aa, ab, bb, kg.
    """
    inverse = 1.0 if holds else 1.0 / sqrt(za * za + zb * zb)
    pa, pb, r = za * inverse, zb * inverse, r * inverse
    ta, tb = (da, 0.0) if holds else (da * pb, -db * pa)
    caa, cab = r * ta * ta, r * ta * tb
    return da * pa, db * pb, caa, cab, r * db * db if holds else r * tb * tb


@jit
def half_axis(
    at: tuple[float, float], r: float, bounds: tuple[float, float, float]
) -> tuple[float, float]:
    """Half axis in force along a link whose friction differs forward and backward.

    The reservoir is two half ellipses glued at p = 0. z = p - r D gamma is piecewise linear and
    decreasing in gamma, with its kink where z = 0; that keeps the augmented Lagrangian convex with
    a continuous gradient, and no root has to be found.

    Args:
        at: Multiplier p in units of the half axis it was found with, and velocity gamma, m/s.
        r: Stiffness of the scaled law.
        bounds: Half axes against gamma > 0 (it bounds p < 0) and gamma < 0, and the one p is in
            units of.

    Returns:
        The multiplier in units of the half axis in force, so that z = p - r D gamma, and D.
    """
    p, gamma = at
    forward, backward, used = bounds
    if (p < 0.0 and forward == 0.0) or (p > 0.0 and backward == 0.0):
        # A force from another surface, which this one cannot bear.
        p = 0.0
    if p > 0.0 or (p == 0.0 and gamma < 0.0):
        here, beyond, sign = backward, forward, 1.0
    else:
        here, beyond, sign = forward, backward, -1.0
    if used != here and p != 0.0:
        p = p * here / used
    if (p - r * here * gamma) * sign >= 0.0:
        return p, here
    return p * beyond / here, beyond
