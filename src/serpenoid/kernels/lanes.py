"""Blocks of lanes: how links and loads lie in memory while the default step works on them.

A block holds LANES links, and each of its fields one number for each of them, side by side. What
links are, their state and the scratch of a step lie at constant distances from one address, so that
the compiler makes vector code of a loop over the lanes of a block: `o` is a block, `at` a lane of
it, `o.x[at]` a number. Joint j is in the lane of link j. Loads
follow the links and begin with a block of their own. The last lanes of either may be idle: a link
of mass 1 at rest, without laws.

Records (`layout.LINK`, `layout.JOINT`) are the boundary: `load_lanes` fills the blocks from them,
`store_lanes` brings the state back.
"""

from math import cos, inf, sin

from serpenoid.kernels._jit import jit, jit_apart, jit_lines
from serpenoid.kernels.block_layout import LANES, SHIFT
from serpenoid.kernels.laws import GROUND_LAWS
from serpenoid.kernels.layout import (
    ELASTIC,
    NO_IMPACT,
    PRESCRIBED,
    SERPENOID,
    SERVO,
    TORQUE,
    Body,
    Item,
    PackedGait,
    PackedWorld,
    RunRecord,
)
from serpenoid.kernels.trigonometry import sine_cosine

_LAST, _MOST = LANES - 1, 2 * LANES - 1
# Numbers in a vector of the processor.
_VECTOR = 4


@jit
def block(i: int) -> int:
    """Block that holds lane number i."""
    return i >> SHIFT


@jit
def lane(i: int) -> int:
    """Where it is in that block."""
    return i & _LAST


@jit
def width(o: Item) -> int:
    """Lanes of a block that are worked on.

    The compiler must not know how many: it unrolls a short loop of known length, and makes scalar
    code of that (measured on the servos: 45 ns instead of 17). It must know that they are few, or
    it makes vector code for twice as many at once and scalar code for what is left.
    """
    return o.width & _MOST


@jit
def lane_of(robot: Item, i: int) -> int:
    """Number of the lane of link or load i, links first."""
    return i if i < robot.links else robot.load_lane + i - robot.links


@jit
def block_count(count: int) -> int:
    """Blocks that hold a number of links or loads."""
    return (count + _LAST) >> SHIFT


@jit
def lanes_used(count: int, b: int) -> int:
    """Lanes of block b of a number of links or loads that are worked on: whole vectors."""
    left = count - (b << SHIFT)
    return min(LANES, (left + _VECTOR - 1) // _VECTOR * _VECTOR)


@jit_apart
def load_lanes(world: PackedWorld, body: Body, gait: PackedGait, record: RunRecord) -> None:
    """Fill the blocks from the records of links, loads and joints."""
    robot, blocks = body.robot[0], body.blocks
    n, loads = body.links.shape[0], body.loads.shape[0]
    robot.links, robot.bodies = n, n + loads
    robot.link_blocks = block_count(n)
    robot.load_lane = robot.link_blocks << SHIFT
    robot.bound_time, robot.restitution, robot.cut_short = 0.0, NO_IMPACT, inf
    robot.stale, robot.rubs, robot.bounces = True, False, False
    for b in range(blocks.shape[0]):
        of_links = b < robot.link_blocks
        blocks[b].width = lanes_used(n, b) if of_links else lanes_used(loads, b - robot.link_blocks)
        clear_laws(blocks[b])
    for i in range(blocks.shape[0] << SHIFT):
        o, at = blocks[block(i)], lane(i)
        clear_lane(o, at)
    mass, px, py = 0.0, 0.0, 0.0
    for i in range(n + loads):
        o, at = blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
        load_link(o, at, body.bodies[i])
        if world.centre or world.thin:
            # The axis is what touches, and it may be longer than the outline.
            o.reach[at] = max(o.reach[at], o.back[at])
        o.sum_contact_x[at], o.sum_contact_y[at] = (
            record.window_force[i, 0],
            record.window_force[i, 1],
        )
        o.sum_friction_x[at] = record.window_force[i, 2]
        o.sum_friction_y[at] = record.window_force[i, 3]
    for i in range(n - 1, -1, -1):
        # In the order of the ledger, so that a run in parts is that in one piece to the bit.
        o, at = blocks[block(i)], lane(i)
        mass, px, py = mass + o.mass[at], px + o.mass[at] * o.vx[at], py + o.mass[at] * o.vy[at]
        o.ahead[at] = 1.0 if i > n // 2 else 0.0
    robot.mass, robot.vx, robot.vy = mass, px / mass, py / mass
    for k in range(loads):
        o, at = blocks[block(robot.load_lane + k)], lane(robot.load_lane + k)
        o.px[at], o.py[at], o.reach[at] = body.loads[k].x, body.loads[k].y, body.loads[k].radius
        o.horizon[at] = inf
    load_joints(body, gait, record)
    load_contacts(world, body)


# No law of the ground acts on what is idle, and some of them never on loads.
clear_laws = jit_lines(
    "o",
    [
        "for at in range(LANES):",
        *(f"    o.{name}[at] = 0.0" for law in GROUND_LAWS for name in law.lanes.split()),
    ],
    LANES=LANES,
)


@jit
def clear_lane(o: Item, at: int) -> None:
    """Make a lane idle; laws that a robot does not have leave what this sets."""
    o.live[at], o.ahead[at], o.mass[at], o.inertia[at] = 0.0, 0.0, 1.0, 1.0
    o.back[at], o.front[at], o.reach[at], o.margin[at], o.horizon[at] = 0.0, 0.0, 0.0, inf, inf
    o.theta[at], o.vx[at], o.vy[at], o.omega[at], o.px[at], o.py[at] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    o.ax[at], o.ay[at], o.aw[at] = 0.0, 0.0, 0.0
    o.dx[at], o.dy[at], o.dw[at], o.drate[at], o.rate_u[at], o.rate0[at] = (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )
    o.dry_x[at], o.dry_y[at], o.dry_w[at], o.sticking[at] = 0.0, 0.0, 0.0, 0.0
    o.error[at], o.kp[at], o.kd[at], o.limit[at] = 0.0, 0.0, 0.0, inf
    o.deadband[at], o.torque[at] = 0.0, 0.0
    o.jf[at], o.jc[at], o.jq[at], o.joint_f[at], o.joint_c[at] = 0.0, 0.0, 0.0, 0.0, 0.0
    o.locked[at], o.ratio[at], o.target[at], o.phi[at] = 0.0, 1.0, 0.0, 0.0
    o.wave_cosine[at], o.wave_sine[at], o.eta[at], o.eta_rate[at], o.index[at] = (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    )
    o.angle[at], o.rate[at], o.tick[at] = 0.0, 0.0, 0.0
    o.sum_contact_x[at], o.sum_contact_y[at], o.sum_torque[at] = 0.0, 0.0, 0.0
    o.sum_friction_x[at], o.sum_friction_y[at], o.tick_x[at], o.tick_y[at] = 0.0, 0.0, 0.0, 0.0


@jit
def load_link(o: Item, at: int, link: Item) -> None:
    """Fill a lane from the record of a link or load."""
    o.live[at], o.mass[at], o.inertia[at] = 1.0, link.mass, link.inertia
    o.back[at], o.front[at] = link.back, link.front
    o.rear[at], o.fore[at], o.middle[at] = link.rear, link.fore, link.middle
    o.radius[at], o.half[at], o.reach[at] = link.radius, link.half, link.radius - link.rear
    o.wheel[at], o.grip[at], o.horizon[at] = link.wheel, link.grip, 0.0
    o.theta[at], o.vx[at], o.vy[at], o.omega[at] = link.theta, link.vx, link.vy, link.omega
    o.ax[at], o.ay[at], o.aw[at] = link.ax, link.ay, link.aw
    o.dry_x[at], o.dry_y[at], o.dry_w[at] = link.dry_x, link.dry_y, link.dry_w
    o.sticking[at] = 1.0 if link.sticking else 0.0
    o.tick_x[at], o.tick_y[at] = link.tick_x, link.tick_y


@jit
def load_joints(body: Body, gait: PackedGait, record: RunRecord) -> None:
    """Fill the lanes of joints, and say which kinds there are."""
    robot, last = body.robot[0], body.joints.shape[0] - 1
    robot.prescribed, robot.limited, robot.plain = False, False, True
    for j in range(last + 1):
        joint = body.joints[j]
        o, at = body.blocks[block(j)], lane(j)
        if joint.actuator == SERVO:
            o.kp[at], o.kd[at], o.deadband[at] = joint.kp, joint.kd, joint.deadband
        if joint.actuator != ELASTIC:
            o.limit[at] = joint.torque_limit
        o.locked[at] = 1.0 if joint.actuator == PRESCRIBED else 0.0
        robot.prescribed = robot.prescribed or joint.actuator == PRESCRIBED
        robot.plain = robot.plain and joint.actuator != PRESCRIBED and joint.actuator != ELASTIC
        robot.limited = robot.limited or joint.lower > -inf or joint.upper < inf
        if gait.kind == SERPENOID:
            o.wave_sine[at], o.wave_cosine[at] = sine_cosine((last - j) * gait.phase)
        o.index[at], o.sum_torque[at] = j, record.window_torque[j]
    load_commands(body)


@jit
def load_commands(body: Body) -> None:
    """Copy commands of the joints, and contact impulses since the last tick."""
    for j in range(body.joints.shape[0]):
        joint = body.joints[j]
        o, at = body.blocks[block(j)], lane(j)
        o.angle[at], o.rate[at], o.tick[at] = joint.angle, joint.rate, joint.tick
        o.eta[at], o.eta_rate[at] = joint.eta, joint.eta_rate
        driven = joint.actuator == SERVO or joint.actuator == TORQUE
        o.torque[at] = joint.torque if driven else 0.0
    for i in range(body.links.shape[0]):
        o, at = body.blocks[block(i)], lane(i)
        o.tick_x[at], o.tick_y[at] = body.links[i].tick_x, body.links[i].tick_y


@jit
def load_contacts(world: PackedWorld, body: Body) -> None:
    """Split the contacts of the state into lasting ones, as yet unplaced, and passing ones."""
    robot, pegs = body.robot[0], world.discs.shape[0] + 2 * world.segments.shape[0]
    robot.lasting, robot.passing = 0, 0
    for c in range(body.counts[1]):
        old = body.previous[c]
        if old.link >= robot.links or old.obstacle >= pegs:
            body.previous[robot.passing] = old
            robot.passing += 1
            continue
        row = body.contacts[robot.lasting]
        row.link, row.obstacle, row.side, row.kept = old.link, old.obstacle, old.side, True
        row.kept_n, row.kept_t, row.kept_grips = old.qn, old.qt, old.grips
        robot.lasting += 1


@jit_apart
def store_lanes(body: Body, record: RunRecord) -> None:
    """Copy the state in the blocks to the records."""
    robot = body.robot[0]
    for i in range(robot.bodies):
        o, at = body.blocks[block(lane_of(robot, i))], lane(lane_of(robot, i))
        link = body.bodies[i]
        link.theta, link.vx, link.vy, link.omega = o.theta[at], o.vx[at], o.vy[at], o.omega[at]
        link.ax, link.ay, link.aw = o.ax[at], o.ay[at], o.aw[at]
        link.dry_x, link.dry_y, link.dry_w = o.dry_x[at], o.dry_y[at], o.dry_w[at]
        link.sticking, link.tick_x, link.tick_y = o.sticking[at] > 0.0, o.tick_x[at], o.tick_y[at]
        record.window_force[i, 0], record.window_force[i, 1] = (
            o.sum_contact_x[at],
            o.sum_contact_y[at],
        )
        record.window_force[i, 2] = o.sum_friction_x[at]
        record.window_force[i, 3] = o.sum_friction_y[at]
    for k in range(body.loads.shape[0]):
        o, at = body.blocks[block(robot.load_lane + k)], lane(robot.load_lane + k)
        load = body.loads[k]
        load.x, load.y = o.px[at], o.py[at]
        load.ex, load.ey = cos(load.theta), sin(load.theta)
    for j in range(body.joints.shape[0]):
        o, at = body.blocks[block(j)], lane(j)
        record.window_torque[j] = o.sum_torque[at]
    store_contacts(body)


@jit
def begin_row(body: Body) -> None:
    """Begin the sums of the next row of the record."""
    for b in range(body.blocks.shape[0]):
        o = body.blocks[b]
        for at in range(LANES):
            o.sum_contact_x[at], o.sum_contact_y[at], o.sum_torque[at] = 0.0, 0.0, 0.0
            o.sum_friction_x[at], o.sum_friction_y[at] = 0.0, 0.0


@jit
def store_contacts(body: Body) -> None:
    """List the contacts of the state: the lasting ones after the passing ones, which are there."""
    count = body.robot[0].passing
    for c in range(body.robot[0].lasting):
        row = body.contacts[c]
        if row.kept:
            old = body.previous[count]
            old.link, old.obstacle, old.side = row.link, row.obstacle, row.side
            old.qn, old.qt, old.grips = row.kept_n, row.kept_t, row.kept_grips
            count += 1
    body.counts[1] = count
