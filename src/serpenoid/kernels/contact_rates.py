"""Velocities at a contact, and what a step allows them to be."""

from serpenoid.kernels._jit import jit
from serpenoid.kernels.layout import Item

# As deep as this in an obstacle counts as touching, m: without it, a link that fits a slot exactly
# would be pushed out from both sides.
SLOP = 1e-6


@jit
def normal_velocity(contact: Item, vx: float, vy: float, w: float) -> float:
    """Velocity along the normal, > 0 when the contact opens [transeth2008 (14)(16)]."""
    return contact.nx * vx + contact.ny * vy + contact.ln * w


@jit
def tangent_velocity(contact: Item, vx: float, vy: float, w: float) -> float:
    """Sliding velocity along the normal turned by +90 degrees."""
    return contact.nx * vy - contact.ny * vx + contact.lt * w


@jit
def bound(contact: Item, approach: float, slide: float, radius: float, dt: float) -> None:
    """Least admissible normal velocity of a hard contact, and the sliding velocity that sticks."""
    gap = contact.gap
    slop = min(SLOP, 1e-3 * radius)
    contact.rate = -gap / dt if gap > 0.0 else max(0.0, -gap - slop) / dt
    contact.stick = 0.0
    if approach < contact.rate:
        contact.rate = max(contact.rate, -contact.restitution * approach)
        contact.stick = -contact.restitution * slide
