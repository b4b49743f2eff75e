"""Geometry and momenta of the chain."""

from math import cos, sin, sqrt

from serpenoid.kernels._jit import jit, jit_entry
from serpenoid.kernels.layout import Floats, Records


@jit_entry
def place_links(links: Records, com: Floats) -> None:
    """Direction and centre of every link from the link angles and the centre of mass.

    The hinges close by construction, and closing them never moves the centre of mass.
    """
    x, y, sx, sy, total = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(links.shape[0]):
        link = links[i]
        link.ex = cos(link.theta)
        link.ey = sin(link.theta)
        if i > 0:
            tail = links[i - 1]
            x += tail.front * tail.ex + link.back * link.ex
            y += tail.front * tail.ey + link.back * link.ey
        link.x = x
        link.y = y
        sx += link.mass * x
        sy += link.mass * y
        total += link.mass
    dx = com[0] - sx / total
    dy = com[1] - sy / total
    for i in range(links.shape[0]):
        links[i].x += dx
        links[i].y += dy


@jit
def drift(links: Records, com: Floats, dt: float) -> None:
    """Move the centre of mass and the link angles with the velocities for a time dt."""
    px, py, total = 0.0, 0.0, 0.0
    for i in range(links.shape[0]):
        link = links[i]
        link.theta += dt * link.omega
        px += link.mass * link.vx
        py += link.mass * link.vy
        total += link.mass
    com[0] += dt * px / total
    com[1] += dt * py / total


@jit
def largest_turn(links: Records, dt: float) -> float:
    """Largest angle a link turns by in the step, rad."""
    fastest = 0.0
    for i in range(links.shape[0]):
        fastest = max(fastest, abs(links[i].uw), abs(links[i].omega))
    return dt * fastest


@jit
def closing_shift(links: Records, dt: float) -> float:
    """Bound on how far closing the hinges moves a link at the next midpoint, m.

    The step takes the centripetal term at the old angular velocity; an impact changes that.
    """
    total = 0.0
    for i in range(links.shape[0]):
        link = links[i]
        total += link.back * abs(link.uw * link.uw - link.omega * link.omega)
    return dt * dt * total


@jit
def hinge_gap(links: Records) -> float:
    """Largest distance between the two ends that meet in a hinge, m."""
    worst = 0.0
    for i in range(1, links.shape[0]):
        tail, link = links[i - 1], links[i]
        gx = link.x - link.back * link.ex - tail.x - tail.front * tail.ex
        gy = link.y - link.back * link.ey - tail.y - tail.front * tail.ey
        worst = max(worst, sqrt(gx * gx + gy * gy))
    return worst
