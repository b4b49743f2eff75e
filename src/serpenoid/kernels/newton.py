"""The house solver: semismooth Newton on the augmented Lagrangian, one sweep per iteration."""

from math import isfinite

from serpenoid.kernels._jit import jit
from serpenoid.kernels.laws import (
    joint_terms,
    link_terms,
    settle_contact,
    settle_joint,
    settle_link,
)
from serpenoid.kernels.sweep import Quadratic, add, fold, fold_locked, solve_root, unfold
from serpenoid.kernels.types import (
    CONTACT_LAW,
    DONE,
    GROUND_LAW,
    LIMIT_LAW,
    NO_CONVERGENCE,
    NOT_FINITE,
    PRESCRIBED,
    Body,
    Options,
    Records,
)


@jit
def guess(links: Records, joints: Records, dt: float) -> None:
    """A velocity that keeps the hinges closed, from the one before the step.

    Closing the hinges at the next midpoint asks for a relative velocity of -dt/2 omega^2 times the
    levers, the centripetal term. Taken at the old omega it makes free motion second order.
    """
    links[0].ux, links[0].uy, links[0].uw = links[0].vx, links[0].vy, links[0].omega
    for i in range(1, links.shape[0]):
        tail, link, joint = links[i - 1], links[i], joints[i - 1]
        link.uw = tail.uw + joint.target if joint.actuator == PRESCRIBED else link.omega
        a, b = tail.half, link.half
        bend_a, bend_b = 0.5 * dt * a * tail.omega**2, 0.5 * dt * b * link.omega**2
        link.ux = tail.ux - a * tail.uw * tail.ey - b * link.uw * link.ey
        link.ux -= bend_a * tail.ex + bend_b * link.ex
        link.uy = tail.uy + a * tail.uw * tail.ex + b * link.uw * link.ex
        link.uy -= bend_a * tail.ey + bend_b * link.ey


@jit
def fold_chain(body: Body, dt: float, stiffness: float) -> tuple[Quadratic, float]:
    """Fold all links onto the tail link: its quadratic, and the slope along the last step."""
    links, joints, contacts = body.links, body.joints, body.contacts
    slope = 0.0
    last = body.counts[0]
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(links.shape[0] - 1, -1, -1):
        link = links[i]
        own = link_terms(link, contacts, last, stiffness)
        last = link.first
        link.gx, link.gy, link.gw = own[6], own[7], own[8]
        slope += link.gx * link.dx + link.gy * link.dy + link.gw * link.dw
        total = add(total, own)
        if i > 0:
            tail, joint = links[i - 1], joints[i - 1]
            if joint.actuator == PRESCRIBED:
                joint.g = 0.0
                total = fold_locked(tail, link, total)
            else:
                k, t = joint_terms(joint, link.uw - tail.uw, dt)
                joint.g = t
                slope += t * (link.dw - tail.dw)
                total = fold(tail, link, total, k, t)
    return total, slope


@jit
def unfold_chain(links: Records, joints: Records) -> tuple[float, float]:
    """Newton step of all links from that of the tail link: its size (m/s), the slope along it."""
    link = links[0]
    slope = link.gx * link.dx + link.gy * link.dy + link.gw * link.dw
    size = max(abs(link.dx), abs(link.dy), link.half * abs(link.dw))
    for i in range(1, links.shape[0]):
        tail, link, joint = links[i - 1], links[i], joints[i - 1]
        unfold(tail, link, joint.actuator == PRESCRIBED)
        slope += link.gx * link.dx + link.gy * link.dy + link.gw * link.dw
        slope += joint.g * (link.dw - tail.dw)
        size = max(size, abs(link.dx), abs(link.dy), link.half * abs(link.dw))
    return size, slope


@jit
def move(links: Records, fraction: float) -> None:
    """Add a fraction of the Newton step to the velocity."""
    for i in range(links.shape[0]):
        link = links[i]
        link.ux += fraction * link.dx
        link.uy += fraction * link.dy
        link.uw += fraction * link.dw


@jit
def slope_along(body: Body, dt: float, stiffness: float) -> float:
    """Directional derivative of the objective along the Newton step."""
    links, joints, contacts = body.links, body.joints, body.contacts
    slope = 0.0
    last = body.counts[0]
    for i in range(links.shape[0] - 1, -1, -1):
        link = links[i]
        own = link_terms(link, contacts, last, stiffness)
        last = link.first
        slope += own[6] * link.dx + own[7] * link.dy + own[8] * link.dw
        if i > 0 and joints[i - 1].actuator != PRESCRIBED:
            tail = links[i - 1]
            _, t = joint_terms(joints[i - 1], link.uw - tail.uw, dt)
            slope += t * (link.dw - tail.dw)
    return slope


@jit
def search(body: Body, dt: float, stiffness: float, at_start: float, at_end: float) -> None:
    """Move back along an overshooting step to where the slope is small (Illinois method).

    The objective is convex along the step, so its slope rises from at_start < 0 to at_end > 0.
    """
    low, high, here = 0.0, 1.0, 1.0
    slope_low, slope_high = at_start, at_end
    for _ in range(40):
        trial = low - slope_low * (high - low) / (slope_high - slope_low)
        move(body.links, trial - here)
        here = trial
        slope = slope_along(body, dt, stiffness)
        if abs(slope) <= 0.1 * abs(at_start):
            return
        if slope < 0.0:
            low, slope_low = trial, slope
            slope_high *= 0.5
        else:
            high, slope_high = trial, slope
            slope_low *= 0.5


@jit
def minimise(body: Body, dt: float, options: Options) -> tuple[int, int]:
    """Minimise the objective for fixed multipliers; status and number of iterations."""
    links = body.links
    for i in range(links.shape[0]):
        links[i].dx, links[i].dy, links[i].dw = 0.0, 0.0, 0.0
    descent = 0.0
    for iteration in range(options.max_newton):
        root, slope = fold_chain(body, dt, options.stiffness)
        if slope > -0.5 * descent:
            search(body, dt, options.stiffness, descent, slope)
            root, slope = fold_chain(body, dt, options.stiffness)
        solve_root(links[0], root)
        size, descent = unfold_chain(links, body.joints)
        if not isfinite(size):
            return NOT_FINITE, iteration + 1
        move(links, 1.0)
        if size <= options.newton_tolerance:
            return DONE, iteration + 1
    return NO_CONVERGENCE, options.max_newton


@jit
def settle(body: Body, stiffness: float) -> float:
    """New multipliers of all set-valued laws; the largest law residual, m/s."""
    links, joints, contacts, blame = body.links, body.joints, body.contacts, body.blame
    worst = 0.0
    for i in range(links.shape[0]):
        error = settle_link(links[i], stiffness)
        if error > worst:
            worst, blame[0], blame[1] = error, i, GROUND_LAW
    for c in range(body.counts[0]):
        i = contacts[c].link
        error = settle_contact(contacts[c], links[i], stiffness)
        if error > worst:
            worst, blame[0], blame[1] = error, i, CONTACT_LAW
    for j in range(joints.shape[0]):
        error = settle_joint(joints[j], links[j + 1].uw - links[j].uw, links[j].half)
        if error > worst:
            worst, blame[0], blame[1] = error, j, LIMIT_LAW
    return worst


@jit
def renew(body: Body) -> None:
    """Let the new multipliers take the place of the old ones."""
    for i in range(body.links.shape[0]):
        link = body.links[i]
        link.px, link.py, link.pw = link.qx, link.qy, link.qw
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        contact.pn, contact.pt = contact.qn, contact.qt
    for j in range(body.joints.shape[0]):
        body.joints[j].p = body.joints[j].q


@jit
def solve_newton(body: Body, dt: float, options: Options) -> tuple[int, int, int, float]:
    """Velocity at the end of the step into (ux, uy, uw), impulses into the new multipliers.

    Returns status, Newton iterations, multiplier updates and law residual (m/s).
    """
    guess(body.links, body.joints, dt)
    iterations = 0
    residual = 0.0
    for update in range(options.max_updates):
        status, count = minimise(body, dt, options)
        iterations += count
        if status != DONE:
            return status, iterations, update + 1, residual
        residual = settle(body, options.stiffness)
        if residual <= options.tolerance:
            return DONE, iterations, update + 1, residual
        renew(body)
    return NO_CONVERGENCE, iterations, options.max_updates, residual
