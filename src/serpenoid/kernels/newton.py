"""The default solver: semismooth Newton on the augmented Lagrangian, one sweep per iteration."""

from math import isfinite, sqrt

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane, lane_of, width
from serpenoid.kernels.laws import (
    contact_friction,
    contact_normal,
    ground,
    inertia,
    joint_limit,
    series_elastic,
    servo,
)
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    GROUND_LAW,
    NO_CONVERGENCE,
    NOT_FINITE,
    Body,
    Item,
    NewtonOptions,
    Records,
)
from serpenoid.kernels.loops import close_loops, couple
from serpenoid.kernels.self_loops import close_chain, correct_step
from serpenoid.kernels.sweep import fold_chain, minimiser, unfold_chain

# Where the slope of the objective along a Newton step is sought: an interval of fractions of the
# step, the last trial, slopes at the ends of the interval.
Line = tuple[float, float, float, float, float]
# Velocity along x and y that gravity adds in a step, m/s.
Fall = tuple[float, float]


@jit_apart
def assemble(body: Body, fall: Fall, stiffness: float, predict: bool) -> None:
    """Impulse and curvature of every law at u; quadratics of links and joints.

    predict: laws are taken to be on the pieces of the last step: who stuck, pushed or gripped.
    """
    robot, blocks, rows = body.robot[0], body.blocks, body.contacts[: body.counts[0]]
    inertia.terms(blocks, fall[0], fall[1])
    ground.terms(blocks, robot, body.supports, predict)
    contact_normal.terms(blocks, rows, stiffness, predict)
    if robot.rubs:
        contact_friction.terms(blocks, rows, stiffness, predict)
    servo.terms(blocks, robot)
    if robot.limited:
        joint_limit.terms(blocks, body.joints)
    series_elastic.terms(blocks, body.joints, body.rotors)


@jit_apart
def update_multipliers(body: Body, options: NewtonOptions) -> tuple[int, float]:
    """Set the impulses of all laws to those the sweep balanced.

    Returns how many laws are not on the pieces the sweep was made with: if none, its answer is the
    minimum and all impulses balance to rounding. Also the largest residual of contacts and limits.
    """
    robot, blocks, rows = body.robot[0], body.blocks, body.contacts[: body.counts[0]]
    off, worst = contact_normal.update(blocks, rows, options.stiffness, body.blame)
    if robot.rubs:
        more, worst = contact_friction.update(blocks, rows, options.stiffness, worst, body.blame)
        off += more
    off += ground.update(blocks, robot, body.supports, options.force_tolerance)
    off += servo.update(blocks, robot)
    off += series_elastic.update(blocks, body.joints, body.rotors)
    if robot.limited:
        more, worst = joint_limit.update(blocks, body.joints, worst, body.blame)
        off += more
    return off, worst


@jit_apart
def ground_residual(body: Body, worst: float) -> float:
    """Largest residual of the ground's laws and the others', m/s; worst: that of the others."""
    blocks, robot, blame = body.blocks, body.robot[0], body.blame
    if not ground.is_set_valued(robot):
        return worst
    ground.residuals(blocks, robot, body.supports)
    square = worst * worst
    for i in range(robot.bodies):
        o, at = blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
        if o.error[at] > square:
            square = o.error[at]
            blame[0], blame[1] = i, GROUND_LAW
        # For the next time: each law leaves the larger of its own and what is there.
        o.error[at] = 0.0
    return sqrt(square)


@jit_apart
def accept_multipliers(body: Body) -> None:
    """Replace the multipliers by the new impulses."""
    rows = body.contacts[: body.counts[0]]
    ground.accept_multipliers(body.blocks, body.robot[0], body.supports)
    contact_normal.accept_multipliers(rows)
    if body.robot[0].rubs:
        contact_friction.accept_multipliers(rows)
    if body.robot[0].limited:
        joint_limit.accept_multipliers(body.joints)


@jit
def take_step(blocks: Records, fraction: float) -> None:
    """Add a fraction of the Newton step to the velocity."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.ux[at] += fraction * o.dx[at]
            o.uy[at] += fraction * o.dy[at]
            o.uw[at] += fraction * o.dw[at]
            o.rate_u[at] += fraction * o.drate[at]


@jit_apart
def slope_along(blocks: Records, robot: Item) -> float:
    """Directional derivative of the objective along the Newton step, from the terms at u."""
    total = 0.0
    for i in range(robot.bodies):
        o, at = blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
        total += o.gx[at] * o.dx[at] + o.gy[at] * o.dy[at] + o.gw[at] * o.dw[at]
    for j in range(robot.links - 1):
        o, at = blocks[block(j)], lane(j)
        total -= o.joint_f[at] * (o.drate[at] + (1.0 - o.ratio[at]) * o.dw[at])
    return total


@jit
def next_trial(line: Line, slope: float) -> Line:
    """Narrow down where the slope vanishes, by damped regula falsi; slope: at the last trial.

    The objective is convex along the step, so its slope rises.
    """
    low, high, here, slope_low, slope_high = line
    if slope < 0.0:
        low, slope_low, slope_high = here, slope, 0.5 * slope_high
    else:
        high, slope_high, slope_low = here, slope, 0.5 * slope_low
    return (
        low,
        high,
        low - slope_low * (high - low) / (slope_high - slope_low),
        slope_low,
        slope_high,
    )


@jit
def linearise(body: Body, fall: Fall, stiffness: float, predict: bool, descent: float) -> None:
    """Assemble all laws at u, after a line search where the last step overshot.

    descent: slope of the objective at the beginning of the last step, 0 before the first one that
    is held to descend.
    """
    line, tries = (0.0, 1.0, 1.0, 2.0 * descent, 0.0), 0
    while True:
        assemble(body, fall, stiffness, predict)
        if descent == 0.0 or tries == 40:
            return
        slope = slope_along(body.blocks, body.robot[0])
        fine = slope <= -0.5 * descent if tries == 0 else abs(slope) <= -0.1 * descent
        if fine:
            return
        here = line[2]
        line = next_trial(line, slope)
        take_step(body.blocks, line[2] - here)
        tries += 1


@jit_apart
def newton_step(body: Body) -> int:
    """Solve for the Newton step with the quadratics of all laws, and take it."""
    n = body.robot[0].links
    root = fold_chain(body.blocks, body.robot[0])
    if close_chain(body, body.self_contacts, root) != DONE:
        return CONTACTS_FULL
    if couple(body, body.loops, root) != DONE:
        return CONTACTS_FULL
    unfold_chain(body.blocks, n, minimiser(root))
    correct_step(body, body.self_contacts)
    close_loops(body, body.loops)
    take_step(body.blocks, 1.0)
    return DONE


@jit_apart
def solve_newton(body: Body, fall: Fall, options: NewtonOptions) -> tuple[int, int, int, float]:
    """Solve for the velocity at the end of the step, into u, and the impulses of the laws.

    fall: velocity gained by gravity in the step, m/s.

    Returns status, Newton iterations, multiplier updates and law residual (m/s).
    """
    iteration, residual = 0, 0.0
    for update in range(options.max_updates):
        off, descent = 1, 0.0
        for _ in range(options.max_iterations):
            # The first sweep only predicts, so it is not held to descend.
            predict = iteration == 0
            linearise(body, fall, options.stiffness, predict, descent)
            if newton_step(body) != DONE:
                return CONTACTS_FULL, iteration, update + 1, residual
            iteration += 1
            off, residual = update_multipliers(body, options)
            if off == 0:
                break
            descent = 0.0 if predict else min(0.0, slope_along(body.blocks, body.robot[0]))
        residual = ground_residual(body, residual)
        # A NaN passes every comparison above as if it were solved; `book` finds it.
        if not isfinite(residual):
            return NOT_FINITE, iteration, update + 1, residual
        if off > 0:
            return NO_CONVERGENCE, iteration, update + 1, residual
        if residual <= options.tolerance:
            return DONE, iteration, update + 1, residual
        accept_multipliers(body)
    return NO_CONVERGENCE, iteration, options.max_updates, residual
