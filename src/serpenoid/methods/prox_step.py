"""A time step with the proximal point method, and its loop over robots [transeth2008 VI]."""

from serpenoid.kernels._jit import jit, jit_entry
from serpenoid.kernels.chain import largest_turn, place_links
from serpenoid.kernels.collide import find_contacts, look_ahead, look_farther
from serpenoid.kernels.joint_laws import prepare_joints
from serpenoid.kernels.layout import (
    CONTACTS_FULL,
    DONE,
    ENERGY_RESIDUAL,
    ITERATIONS,
    LAW_RESIDUAL,
    NO_LAW,
    PENETRATION,
    TOO_FAST,
    TOO_ROUGH,
    Body,
    Floats,
    PackedWorld,
)
from serpenoid.kernels.ledger import book
from serpenoid.kernels.link_laws import prepare_links
from serpenoid.kernels.midpoint import LARGEST_TURN, commit
from serpenoid.kernels.penetration import deepest, entered
from serpenoid.kernels.run import (
    BatchArrays,
    RobotView,
    Timing,
    begin_step,
    end_step,
    robot_of,
)
from serpenoid.methods.prox_solver import Dense, ProxOptions, glide, project_hinges, solve_prox

# Multipliers of the augmented Lagrangian, which this method does not have, would be scaled by it.
NO_PENALTY = 1.0


@jit
def solve_with_contacts(
    world: PackedWorld,
    body: Body,
    dt: float,
    options: ProxOptions,
    dense: Dense,
    certificate: Floats,
) -> int:
    """Find the contacts and solve; again with a wider search while a link outruns it."""
    empty = world.items.shape[0] == 0
    if not empty:
        look_ahead(body.bodies, dt)
    status, all_iterations = TOO_FAST, 0
    for _ in range(4):
        if not empty:
            found = find_contacts(world, body, dt)
            # A step that runs out of room is taken again, and counts only then.
            if found != DONE:
                return found
        solved, iterations, residual = solve_prox(body, dt, options, dense)
        all_iterations += iterations
        if solved != DONE:
            status = solved
            break
        if empty or not look_farther(body.bodies, dt):
            certificate[LAW_RESIDUAL] = max(certificate[LAW_RESIDUAL], residual)
            status = DONE
            break
    certificate[ITERATIONS] += all_iterations
    return status


@jit
def step_prox(robot: RobotView, dt: float, options: ProxOptions, dense: Dense) -> int:
    """One step of dt; where it cannot be solved, the state is as before."""
    world, body, record = robot.world, robot.body, robot.record
    links, com, certificate = body.links, body.com, record.window_certificate
    half, end = 0.5 * dt, body.step[0] * dt + dt
    body.blame[0], body.blame[1] = 0, NO_LAW
    com[2], com[3] = com[0], com[1]
    for i in range(links.shape[0]):
        links[i].old_theta = links[i].theta
    place_links(links, com)
    glide(links, half)
    prepare_links(world, links, dt, NO_PENALTY)
    prepare_joints(robot.gait, links, body.joints, end, dt, NO_PENALTY)
    status = solve_with_contacts(world, body, dt, options, dense, certificate)
    depth, residual = 0.0, 0.0
    if status == DONE:
        depth = deepest(world, body, dt)
        if largest_turn(body.bodies, dt) > LARGEST_TURN:
            status = TOO_ROUGH
    if status == DONE:
        status, residual = book(world, body, dt)
    # One that ran out of room for contacts begins again, but has had its tick.
    body.pieces[0] = 1 if status == CONTACTS_FULL else 0
    if status != DONE:
        com[0], com[1] = com[2], com[3]
        for i in range(links.shape[0]):
            links[i].theta = links[i].old_theta
        return status
    certificate[ENERGY_RESIDUAL] = max(certificate[ENERGY_RESIDUAL], abs(residual))
    commit(body, dt, record)
    certificate[PENETRATION] = max(certificate[PENETRATION], depth, entered(body))
    glide(links, half)
    project_hinges(links, com)
    body.last[0] = dt
    body.step[0] += 1
    return DONE


@jit_entry
def run_prox(
    batch: BatchArrays,
    timing: Timing,
    options: ProxOptions,
    dense: Dense,
    first: int,
    last: int,
) -> None:
    """Take robots first <= b < last to their targets."""
    for b in range(first, last):
        robot = robot_of(batch, b, timing)
        while begin_step(batch, b, robot, timing):
            status = step_prox(robot, timing.dt, options, dense)
            end_step(batch, b, robot, timing, status)
