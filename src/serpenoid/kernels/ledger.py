"""Where the energy of a step went.

With the mean velocity u_M = (u_A + u_E)/2 the kinetic energy changes by exactly u_M' M (u_E - u_A),
so the works P gamma(u_M) of all impulses must add up to it. Each law enters its own; two entries
are honest about the rest: NUMERICAL is the work of the hinge impulses on the velocity by which u_M
opens the hinges at the midpoint, and what passive laws would give at u_M (all zero in the
continuum), RESIDUAL what remains: rounding and solver tolerance.
"""

from math import isfinite

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.laws import (
    contact_friction,
    contact_normal,
    ground,
    joint_limit,
    series_elastic,
    servo,
)
from serpenoid.kernels.layout import (
    ACTUATOR,
    CREATES_ENERGY,
    DAMPING,
    DONE,
    FRICTION,
    GRAVITY,
    IMPACT,
    KINETIC,
    LEDGER_SIZE,
    NO_IMPACT,
    NO_LAW,
    NOT_FINITE,
    NUMERICAL,
    RESIDUAL,
    ROTOR,
    SPRING,
    TOO_ROUGH,
    Body,
    Floats,
    Item,
    PackedWorld,
    Records,
)

# Share of the energy moved in a step that re-closing the hinges may give or take, and that contact
# normals may give while they turn; of all the energy moved in the run so far, this much less.
ROUGH, FINE = 2e-3, 1e-3
# A velocity that means nothing, m/s: contacts of a robot at rest give and take as little.
SLOW = 1e-4


@jit
def enter_laws(body: Body, dt: float) -> None:
    """Works of all laws, each into its entry; impulses into the lanes.

    KINETIC and ROTOR are energies: of what moves with the links and of the rotors.
    """
    robot, works, blocks = body.robot[0], body.works, body.blocks
    e = robot.restitution
    rows = body.contacts[: body.counts[0]]
    for a in range(LEDGER_SIZE):
        works[a] = 0.0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.contact_x[at], o.contact_y[at] = 0.0, 0.0
            o.law_x[at], o.law_y[at], o.law_w[at] = 0.0, 0.0, 0.0
    lost = contact_normal.works(blocks, rows, works, dt, robot.cut_short)
    works[FRICTION] += ground.friction_works(blocks, robot, body.supports)
    # Where something else reverses an overdamped link the mean velocity is not that of the law.
    damping = ground.damping_works(blocks, robot, body.supports)
    works[DAMPING] += min(damping, 0.0)
    works[NUMERICAL] += max(damping, 0.0)
    works[ACTUATOR] += servo.works(blocks, robot)
    if robot.limited:
        works[IMPACT] += joint_limit.works(blocks, body.joints)
    if robot.rubs:
        share = e / (1.0 + e) if e > 0.0 else 0.0
        enter_friction(works, contact_friction.works(blocks, rows, share))
    lost = max(lost, min(works[IMPACT], 0.0))
    works[IMPACT] -= lost
    works[NUMERICAL] += lost
    driven, spring, works[ROTOR] = series_elastic.works(blocks, body.joints, body.rotors)
    works[ACTUATOR] += driven
    works[SPRING] += spring
    works[KINETIC] = ground.kinetic_energies(blocks, robot, body.supports)
    if e > 0.0:
        scale(body, 1.0 + e)


@jit
def enter_friction(works: Floats, friction: tuple[float, float]) -> None:
    """Enter the work of contact friction after those of impacts, so that neither is positive.

    At the mean velocity friction may give where an impact turns sliding round, or take more than
    all is. Then it does what it does to the velocity it acts against, which is not positive; what
    is left counts as that of the impact: the kinetic energy of the velocity that is lost.
    """
    total, own = friction
    rest = works[IMPACT] + total - own
    if (total > 0.0 or works[IMPACT] > 0.0) and rest <= 0.0:
        works[IMPACT], total = rest, own
    works[FRICTION] += total


@jit
def enter_errors(works: Floats) -> None:
    """Enter works that vanish with the time step as errors of the step.

    That is what contacts, limits or friction would give in it. Their impulses act at the velocity
    after it, while normals turn and sliding may be turned round; at the mean velocity they may give
    then.
    """
    for a in (IMPACT, FRICTION):
        error = max(works[a], 0.0)
        works[NUMERICAL] += error
        works[a] -= error


@jit_apart
def scale(body: Body, factor: float) -> None:
    """Scale the impulses and works of an inelastic impact to those with restitution."""
    works, blocks = body.works, body.blocks
    for a in range(LEDGER_SIZE):
        works[a] *= 1.0 if a in (KINETIC, ROTOR) else factor
    for c in range(body.counts[0]):
        contact = body.contacts[c]
        contact.qn, contact.qt = factor * contact.qn, factor * contact.qt
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.contact_x[at], o.contact_y[at] = factor * o.contact_x[at], factor * o.contact_y[at]
            o.law_x[at], o.law_y[at] = factor * o.law_x[at], factor * o.law_y[at]
            o.law_w[at], o.jq[at] = factor * o.law_w[at], factor * o.jq[at]


@jit_apart
def enter_prescribed(blocks: Records, joints: Records) -> float:
    """Impulses that keep prescribed joints at their rates; their work, J. After `motion`.

    That is the angular impulse which all links ahead need about the hinge, less that of rotors.
    """
    px, py, moment, work = 0.0, 0.0, 0.0, 0.0
    for i in range(joints.shape[0], 0, -1):
        o, at = blocks[block(i)], lane(i)
        hx, hy = o.need_x[at], o.need_y[at]
        back, length = o.back[at], o.back[at] + o.front[at]
        moment += o.inertia[at] * (o.uw[at] - o.omega[at]) - o.law_w[at]
        moment += o.ex[at] * (back * hy + length * py) - o.ey[at] * (back * hx + length * px)
        px, py = px + hx, py + hy
        tail, k = blocks[block(i - 1)], lane(i - 1)
        joint = joints[i - 1]
        if tail.locked[k] > 0.0:
            tail.jq[k] = moment
            work += 0.5 * moment * (tail.rate0[k] + tail.rate_u[k])
        elif joint.rotor > 0.0:
            spin = tail.uw[k] + joint.ratio * joint.v - tail.omega[k]
            moment += joint.rotor * (spin - joint.ratio * joint.psi_rate)
    return work


@jit
def motion_of_bodies(blocks: Records, fall: tuple[float, float]) -> None:
    """Of each body: kinetic energy after the step, work of gravity, impulse beside those of laws.

    Also its mean velocity, and that of its hinges relative to it.
    """
    gx, gy = fall
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            m, ux, uy, uw, vx, vy = o.mass[at], o.ux[at], o.uy[at], o.uw[at], o.vx[at], o.vy[at]
            mx, my, mw = 0.5 * (ux + vx), 0.5 * (uy + vy), 0.5 * (uw + o.omega[at])
            ahead_x, ahead_y = -mw * o.ey[at], mw * o.ex[at]
            front, back = o.front[at], o.back[at]
            o.mean_x[at], o.mean_y[at] = mx, my
            o.head_x[at], o.head_y[at] = front * ahead_x, front * ahead_y
            o.tail_x[at], o.tail_y[at] = back * ahead_x, back * ahead_y
            o.need_x[at] = m * (ux - vx - gx) - o.law_x[at] - o.contact_x[at]
            o.need_y[at] = m * (uy - vy - gy) - o.law_y[at] - o.contact_y[at]
            o.kinetic[at] = 0.5 * (m * (ux * ux + uy * uy) + o.inertia[at] * uw * uw)
            o.gravity[at] = m * (gx * mx + gy * my)


@jit
def motion(blocks: Records, robot: Item, fall: tuple[float, float]) -> tuple[float, float, float]:
    """Kinetic energy after the step and works of gravity and of opening hinges, J.

    Leaves the velocity of the centre of mass in the robot.
    """
    motion_of_bodies(blocks, fall)
    kinetic, gravity, numerical, sx, sy = 0.0, 0.0, 0.0, 0.0, 0.0
    # Impulse that all links ahead need from the hinge, and the mean velocity of its other end.
    px, py, end_x, end_y = 0.0, 0.0, 0.0, 0.0
    for i in range(robot.links - 1, -1, -1):
        o, at = blocks[block(i)], lane(i)
        m, mx, my = o.mass[at], o.mean_x[at], o.mean_y[at]
        numerical += px * (end_x - mx - o.head_x[at]) + py * (end_y - my - o.head_y[at])
        end_x, end_y = mx - o.tail_x[at], my - o.tail_y[at]
        px, py = px + o.need_x[at], py + o.need_y[at]
        kinetic, gravity = kinetic + o.kinetic[at], gravity + o.gravity[at]
        sx, sy = sx + m * o.ux[at], sy + m * o.uy[at]
    robot.mid_vx, robot.mid_vy = sx / robot.mass, sy / robot.mass
    for k in range(robot.bodies - robot.links):
        o, at = blocks[block(robot.load_lane + k)], lane(robot.load_lane + k)
        kinetic, gravity = kinetic + o.kinetic[at], gravity + o.gravity[at]
    return kinetic, gravity, numerical


@jit_apart
def book(world: PackedWorld, body: Body, dt: float) -> tuple[int, float]:
    """Enter the works of the step just solved; status and residual, J.

    A step that is not finite, or in which hinges or contacts do too large a share of the work, is
    not entered.
    """
    ledger, works = body.ledger, body.works
    fall = dt * world.pull_x, dt * world.pull_y
    enter_laws(body, dt)
    kinetic, works[GRAVITY], numerical = motion(body.blocks, body.robot[0], fall)
    if body.robot[0].prescribed:
        works[ACTUATOR] += enter_prescribed(body.blocks, body.joints)
    kinetic += works[ROTOR] + works[KINETIC]
    if not isfinite(kinetic) or not isfinite(numerical):
        return NOT_FINITE, 0.0
    step, run, done = kinetic + ledger[KINETIC], 0.0, numerical + works[NUMERICAL]
    for a in range(LEDGER_SIZE):
        if a != NUMERICAL and a != RESIDUAL and a != KINETIC and a != ROTOR:
            step, run, done = step + abs(works[a]), run + abs(ledger[a]), done + works[a]
    most = ROUGH * (step + FINE * run)
    if abs(numerical) > most:
        body.blame[1] = NO_LAW
        return TOO_ROUGH, 0.0
    if works[IMPACT] > most + 0.5 * body.robot[0].mass * SLOW * SLOW:
        return CREATES_ENERGY, 0.0
    residual = kinetic - ledger[KINETIC] - done
    works[NUMERICAL] += numerical
    if body.robot[0].restitution == NO_IMPACT:
        enter_errors(works)
    works[RESIDUAL], works[KINETIC] = residual, 0.0
    for a in range(LEDGER_SIZE):
        ledger[a] += works[a]
    ledger[KINETIC], ledger[ROTOR] = kinetic, works[ROTOR]
    return DONE, residual
