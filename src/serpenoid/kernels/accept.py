"""What an accepted step or impact leaves in the state."""

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.contact_rates import normal_row, rate_before
from serpenoid.kernels.lanes import width
from serpenoid.kernels.laws import ground, joint_limit, series_elastic
from serpenoid.kernels.layout import Body, Item, Records

# A contact is struck if it was approaching faster than this, m/s. Least share of its impulse that
# is kept: next to nothing, but the next step knows that the contact pushes.
GENTLE, LEAST_SHARE = 5e-3, 1e-3


@jit
def add_impulses(o: Item, at: int) -> None:
    """Add the impulses of a link or load to those since the last row and the last command."""
    cx, cy = o.contact_x[at], o.contact_y[at]
    o.sum_contact_x[at] += cx
    o.sum_contact_y[at] += cy
    o.tick_x[at] += cx
    o.tick_y[at] += cy
    o.sum_friction_x[at] += o.law_x[at]
    o.sum_friction_y[at] += o.law_y[at]
    o.sum_torque[at] += o.jq[at]


@jit_apart
def accept(body: Body, dt: float) -> None:
    """Accept a step dt: write velocities, positions and impulses into the state."""
    robot, half = body.robot[0], 0.5 * dt
    accept_contacts(body.blocks, robot, body.contacts[: body.counts[0]], body.previous)
    accept_motion(body.blocks, half, 1.0 / dt)
    robot.vx, robot.vy = robot.mid_vx, robot.mid_vy
    body.com[0], body.com[1] = robot.mid_x + half * robot.vx, robot.mid_y + half * robot.vy
    series_elastic.accept(body.joints, body.rotors, dt)
    ground.accept(body.blocks, robot, body.supports)
    if robot.limited:
        joint_limit.accept(body.joints)


@jit
def accept_motion(blocks: Records, half: float, inverse: float) -> None:
    """The same of links and loads; inverse: 1 over the length of the step."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ux, uy, uw = o.ux[at], o.uy[at], o.uw[at]
            o.ax[at], o.ay[at] = inverse * (ux - o.vx[at]), inverse * (uy - o.vy[at])
            o.aw[at] = inverse * (uw - o.omega[at])
            o.vx[at], o.vy[at], o.omega[at] = ux, uy, uw
            o.theta[at] = o.mid[at] + half * uw
            o.px[at], o.py[at] = o.x[at] + half * ux, o.y[at] + half * uy
            o.dry_x[at], o.dry_y[at], o.dry_w[at] = o.qa[at], o.qb[at], o.qw[at]
            o.sticking[at] = o.holds[at] if o.largest[at] > 0.0 else 0.0
            add_impulses(o, at)


@jit_apart
def accept_impact(body: Body) -> None:
    """Accept an impact: write its velocities into the state, but keep no multipliers."""
    robot, blocks = body.robot[0], body.blocks
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            o.vx[at], o.vy[at], o.omega[at] = o.ux[at], o.uy[at], o.uw[at]
            o.ax[at], o.ay[at], o.aw[at] = 0.0, 0.0, 0.0
            add_impulses(o, at)
    robot.vx, robot.vy = robot.mid_vx, robot.mid_vy
    series_elastic.accept(body.joints, body.rotors, 0.0)


@jit
def kept_share(blocks: Records, contact: Item) -> float:
    """Fraction of a contact's impulse that the next step starts from.

    After a strike it has only the velocity left to stop that this step has allowed. If it started
    from more, friction with the ground could keep a link pressed against an obstacle.
    """
    if contact.qn == 0.0 or contact.soft:
        return 1.0
    stopped = contact.rate - rate_before(blocks, contact, normal_row(contact))
    if stopped < GENTLE:
        return 1.0
    return min(1.0, max(LEAST_SHARE, -contact.rate / stopped))


@jit
def accept_contacts(blocks: Records, robot: Item, rows: Records, previous: Records) -> None:
    """Keep the impulses of contacts for the next step."""
    for c in range(robot.lasting):
        contact = rows[c]
        share = kept_share(blocks, contact) if contact.near else 0.0
        contact.kept, contact.kept_grips = contact.near, contact.near and contact.grips
        contact.kept_n, contact.kept_t = share * contact.qn, share * contact.qt
    robot.passing = rows.shape[0] - robot.lasting
    for k in range(robot.passing):
        new, old = rows[robot.lasting + k], previous[k]
        share = kept_share(blocks, new)
        old.link, old.obstacle, old.side, old.grips = new.link, new.obstacle, 0, new.grips
        old.qn, old.qt = share * new.qn, share * new.qt
