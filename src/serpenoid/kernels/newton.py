"""The default solver: semismooth Newton on the augmented Lagrangian, one sweep per iteration."""

from math import isfinite

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.joint_laws import elastic_terms, joint_terms, update_joint_multiplier
from serpenoid.kernels.layout import (
    CONTACT_LAW,
    CONTACTS_FULL,
    DONE,
    ELASTIC,
    GROUND_LAW,
    LIMIT_LAW,
    NO_CONVERGENCE,
    NOT_FINITE,
    PRESCRIBED,
    TORQUE,
    Body,
    Item,
    NewtonOptions,
    Records,
)
from serpenoid.kernels.link_laws import (
    accept_contact_multipliers,
    link_terms,
    update_contact_multipliers,
    update_link_multipliers,
)
from serpenoid.kernels.loops import carry, close_loops, couple, load_terms
from serpenoid.kernels.sweep import (
    Quadratic,
    add,
    fold,
    fold_elastic,
    fold_locked,
    lever_in,
    lever_out,
    minimiser,
    unfold,
)


@jit
def guess_from(inner: Item, link: Item, joint: Item, side: float, dt: float) -> None:
    """Velocity of a link that keeps the hinge to its inner neighbour closed.

    Closing the hinge at the next midpoint asks for a relative velocity of -dt/2 omega^2 times the
    levers, the centripetal term. Taken at the old omega it makes free motion second order.
    """
    if joint.actuator == PRESCRIBED:
        link.uw = inner.uw + side * joint.target
    else:
        link.uw = link.omega + dt * link.aw
    a, b = lever_out(inner, side), lever_in(link, side)
    bend_a = 0.5 * dt * a * inner.omega * inner.omega
    bend_b = 0.5 * dt * b * link.omega * link.omega
    link.ux = inner.ux - a * inner.uw * inner.ey - b * link.uw * link.ey
    link.ux -= bend_a * inner.ex + bend_b * link.ex
    link.uy = inner.uy + a * inner.uw * inner.ex + b * link.uw * link.ex
    link.uy -= bend_a * inner.ey + bend_b * link.ey


@jit
def guess(links: Records, joints: Records, dt: float) -> None:
    """A velocity to start from: the old acceleration carried on, the hinges closed."""
    middle = links.shape[0] // 2
    root = links[middle]
    root.ux, root.uy = root.vx + dt * root.ax, root.vy + dt * root.ay
    root.uw = root.omega + dt * root.aw
    for i in range(middle + 1, links.shape[0]):
        guess_from(links[i - 1], links[i], joints[i - 1], 1.0, dt)
    for i in range(middle - 1, -1, -1):
        guess_from(links[i + 1], links[i], joints[i], -1.0, dt)


@jit_apart
def guess_loads(loads: Records, dt: float) -> None:
    """The same for the loads."""
    for k in range(loads.shape[0]):
        load = loads[k]
        load.ux, load.uy = load.vx + dt * load.ax, load.vy + dt * load.ay
        load.uw = load.omega + dt * load.aw
        load.dx, load.dy, load.dw = 0.0, 0.0, 0.0


@jit
def fold_onto(
    inner: Item,
    link: Item,
    joint: Item,
    side: float,
    contacts: Records,
    dt: float,
    stiffness: float,
    predict: bool,
    outer: Quadratic,
) -> tuple[Quadratic, float]:
    """Fold a link, with what is folded onto it, on its inner neighbour.

    Returns what is passed on, and this link's and joint's part of the slope along the last step.
    """
    own = link_terms(link, contacts, stiffness, predict)
    link.gx, link.gy, link.gw = own[6], own[7], own[8]
    slope = link.gx * link.dx + link.gy * link.dy + link.gw * link.dw
    if joint.actuator > TORQUE:
        if joint.actuator == PRESCRIBED:
            joint.g = 0.0
            return fold_locked(inner, link, side, add(own, outer)), slope
        if joint.actuator == ELASTIC:
            back = inner if side > 0.0 else link
            terms = elastic_terms(joint, back.uw, side * (link.uw - inner.uw))
            joint.gw, joint.g = terms[3], terms[4]
            slope += joint.gw * back.dw + joint.g * side * (link.dw - inner.dw)
            return fold_elastic(inner, link, side, add(own, outer), terms), slope
    k, t = joint_terms(joint, side * (link.uw - inner.uw), dt)
    joint.g = t
    slope += t * side * (link.dw - inner.dw)
    return fold(inner, link, side, add(own, outer), k, t), slope


@jit
def fold_chain(
    links: Records,
    joints: Records,
    contacts: Records,
    dt: float,
    stiffness: float,
    predict: bool,
) -> tuple[Quadratic, float]:
    """Fold all links onto the middle one: its quadratic, and the slope along the last step.

    Both halves go side by side, so that the processor works on two links at once.
    """
    n = links.shape[0]
    middle = n // 2
    head = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    tail = head
    slope = 0.0
    if n % 2 == 0:
        tail, slope = fold_onto(
            links[1], links[0], joints[0], -1.0, contacts, dt, stiffness, predict, tail
        )
    for k in range((n - 1) // 2):
        h, t = n - 1 - k, (n + 1) % 2 + k
        head, a = fold_onto(
            links[h - 1], links[h], joints[h - 1], 1.0, contacts, dt, stiffness, predict, head
        )
        tail, b = fold_onto(
            links[t + 1], links[t], joints[t], -1.0, contacts, dt, stiffness, predict, tail
        )
        slope += a + b
    root = links[middle]
    own = link_terms(root, contacts, stiffness, predict)
    root.gx, root.gy, root.gw = own[6], own[7], own[8]
    slope += root.gx * root.dx + root.gy * root.dy + root.gw * root.dw
    return add(add(head, tail), own), slope


@jit
def unfold_onto(inner: Item, link: Item, joint: Item, side: float) -> tuple[float, float]:
    """Take the step of a link, from its inner neighbour's; its size (m/s), part of the slope."""
    unfold(inner, link, side, joint.actuator == PRESCRIBED)
    link.ux += link.dx
    link.uy += link.dy
    link.uw += link.dw
    slope = link.gx * link.dx + link.gy * link.dy + link.gw * link.dw
    slope += joint.g * side * (link.dw - inner.dw)
    if joint.actuator == ELASTIC:
        slope += joint.gw * (inner.dw if side > 0.0 else link.dw)
    return max(abs(link.dx), abs(link.dy), link.half * abs(link.dw)), slope


@jit
def unfold_chain(links: Records, joints: Records) -> tuple[float, float]:
    """Take the Newton step, from the middle link's; its size (m/s) and the slope along it."""
    middle = links.shape[0] // 2
    root = links[middle]
    root.ux += root.dx
    root.uy += root.dy
    root.uw += root.dw
    slope = root.gx * root.dx + root.gy * root.dy + root.gw * root.dw
    size = max(abs(root.dx), abs(root.dy), root.half * abs(root.dw))
    for i in range(middle + 1, links.shape[0]):
        a, b = unfold_onto(links[i - 1], links[i], joints[i - 1], 1.0)
        size, slope = max(size, a), slope + b
    for i in range(middle - 1, -1, -1):
        a, b = unfold_onto(links[i + 1], links[i], joints[i], -1.0)
        size, slope = max(size, a), slope + b
    return size, slope


@jit
def move(links: Records, fraction: float) -> None:
    """Add a fraction of the Newton step to the velocity of links and loads."""
    for i in range(links.shape[0]):
        link = links[i]
        link.ux += fraction * link.dx
        link.uy += fraction * link.dy
        link.uw += fraction * link.dw


@jit_apart
def slope_along(body: Body, dt: float, stiffness: float, predict: bool) -> float:
    """Directional derivative of the objective along the Newton step.

    predict: False here; as a literal it would have all terms compiled once more.
    """
    links, joints, contacts = body.links, body.joints, body.contacts
    slope = 0.0
    if body.loads.shape[0] > 0:
        carry(body)
    for i in range(links.shape[0]):
        link = links[i]
        own = link_terms(link, contacts, stiffness, predict)
        slope += own[6] * link.dx + own[7] * link.dy + own[8] * link.dw
        if i > 0 and joints[i - 1].actuator != PRESCRIBED:
            tail, joint = links[i - 1], joints[i - 1]
            if joint.actuator == ELASTIC:
                _, _, _, s, t = elastic_terms(joint, tail.uw, link.uw - tail.uw)
                slope += s * tail.dw
            else:
                _, t = joint_terms(joint, link.uw - tail.uw, dt)
            slope += t * (link.dw - tail.dw)
    if body.loads.shape[0] > 0:
        slope += load_terms(body, stiffness, predict)
    return slope


@jit_apart
def search(
    body: Body, dt: float, stiffness: float, predict: bool, at_start: float, at_end: float
) -> None:
    """Move back along an overshooting step to where the slope is small, by damped regula falsi.

    The objective is convex along the step, so its slope rises from at_start < 0 to at_end > 0.
    """
    low, high, here = 0.0, 1.0, 1.0
    slope_low, slope_high = at_start, at_end
    for _ in range(40):
        trial = low - slope_low * (high - low) / (slope_high - slope_low)
        move(body.bodies, trial - here)
        here = trial
        slope = slope_along(body, dt, stiffness, predict)
        if abs(slope) <= 0.1 * abs(at_start):
            return
        if slope < 0.0:
            low, slope_low = trial, slope
            slope_high *= 0.5
        else:
            high, slope_high = trial, slope
            slope_low *= 0.5


@jit
def update_multipliers(body: Body, options: NewtonOptions) -> tuple[float, bool]:
    """New multipliers of all set-valued laws; the largest law residual, m/s.

    Also whether all laws are still on the pieces the last sweep was made with: then, and only
    then, its answer is the minimum and all impulses balance to rounding.
    """
    stiffness = options.stiffness
    links, joints, contacts, blame = body.bodies, body.joints, body.contacts, body.blame
    worst, same_pieces = 0.0, True
    if body.loads.shape[0] > 0:
        carry(body)
    for i in range(links.shape[0]):
        error, same = update_link_multipliers(links[i], stiffness, options.force_tolerance)
        same_pieces = same_pieces and same
        if error > worst:
            worst, blame[0], blame[1] = error, i, GROUND_LAW
    for c in range(body.counts[0]):
        i = contacts[c].link
        error, same = update_contact_multipliers(contacts[c], links[i], stiffness)
        same_pieces = same_pieces and same
        if error > worst:
            worst, blame[0], blame[1] = error, i, CONTACT_LAW
    for j in range(joints.shape[0]):
        rate = links[j + 1].uw - links[j].uw
        error, same = update_joint_multiplier(joints[j], links[j].uw, rate, links[j].half)
        same_pieces = same_pieces and same
        if error > worst:
            worst, blame[0], blame[1] = error, j, LIMIT_LAW
    return worst, same_pieces


@jit
def accept_multipliers(body: Body) -> None:
    """Let the new multipliers take the place of the old ones."""
    for i in range(body.bodies.shape[0]):
        link = body.bodies[i]
        link.px, link.py, link.pw = link.qx, link.qy, link.qw
    for c in range(body.counts[0]):
        accept_contact_multipliers(body.contacts[c])
    for j in range(body.joints.shape[0]):
        body.joints[j].p = body.joints[j].q


@jit
def solve_newton(body: Body, dt: float, options: NewtonOptions) -> tuple[int, int, int, float]:
    """Velocity at the end of the step into (ux, uy, uw), impulses into the new multipliers.

    Returns status, Newton iterations, multiplier updates and law residual (m/s).
    """
    links, joints, contacts = body.links, body.joints, body.contacts
    stiffness = options.stiffness
    moving = body.loads.shape[0] > 0
    guess(links, joints, dt)
    if moving:
        guess_loads(body.loads, dt)
    iteration, descent, residual = 0, 0.0, 0.0
    for update in range(options.max_updates):
        same_pieces = False
        descent = 0.0
        for _ in range(options.max_iterations):
            # The first sweep only predicts, so it is not held to descend.
            predict = iteration == 0
            # A loop, so that the fold stands in the code once.
            overshot = False
            while True:
                if moving:
                    carry(body)
                root, slope = fold_chain(links, joints, contacts, dt, stiffness, predict)
                if moving:
                    slope += load_terms(body, stiffness, predict)
                if overshot or not (descent < 0.0 and slope > -0.5 * descent):
                    break
                search(body, dt, stiffness, predict, descent, slope)
                overshot = True
            if moving and couple(body, root, stiffness) != DONE:
                return CONTACTS_FULL, iteration, update + 1, residual
            middle = links[links.shape[0] // 2]
            middle.dx, middle.dy, middle.dw = minimiser(root)
            size, descent = unfold_chain(links, joints)
            if moving:
                size, descent = close_loops(body, stiffness)
            descent = 0.0 if predict else descent
            iteration += 1
            if not isfinite(size):
                return NOT_FINITE, iteration, update + 1, residual
            residual, same_pieces = update_multipliers(body, options)
            if same_pieces:
                break
        if not same_pieces:
            return NO_CONVERGENCE, iteration, update + 1, residual
        if residual <= options.tolerance:
            return DONE, iteration, update + 1, residual
        accept_multipliers(body)
    return NO_CONVERGENCE, iteration, options.max_updates, residual
