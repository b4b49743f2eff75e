"""Geometry of the chain: midpoints, positions, a velocity to start from."""

from math import cos, sin, sqrt

from serpenoid.kernels._jit import jit, jit_apart, jit_entry
from serpenoid.kernels.lanes import block, lane, width
from serpenoid.kernels.layout import Floats, Item, Records
from serpenoid.kernels.trigonometry import FAR, sine_cosine


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
def to_midpoint(blocks: Records, ahead: float, dt: float) -> None:
    """Angles and directions a time `ahead` on, and the velocity guessed for the end of a step dt.

    The old acceleration is carried on. Closing the hinges at the next midpoint asks for a relative
    velocity of -dt/2 omega^2 times the levers, the centripetal term; taken at the old omega it
    makes free motion second order.
    """
    half, far = 0.5 * dt, 0
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            w = o.omega[at]
            mid = o.theta[at] + ahead * w
            ey, ex = sine_cosine(mid)
            uw, bend = w + dt * o.aw[at], half * w * w
            o.mid[at], o.ex[at], o.ey[at], o.uw[at] = mid, ex, ey, uw
            o.lead_x[at], o.lead_y[at] = -uw * ey - bend * ex, uw * ex - bend * ey
            # Of loads; links are placed by their chain.
            o.x[at], o.y[at] = o.px[at] + ahead * o.vx[at], o.py[at] + ahead * o.vy[at]
            o.ux[at], o.uy[at] = o.vx[at] + dt * o.ax[at], o.vy[at] + dt * o.ay[at]
            far += 1 if abs(mid) > FAR else 0
    if far > 0:
        turn_far(blocks, half)


@jit_apart
def turn_far(blocks: Records, half: float) -> None:
    """Directions of bodies whose angle is too large for `sine_cosine`."""
    for b in range(blocks.shape[0]):
        o = blocks[b]
        for at in range(width(o)):
            ex, ey, bend = cos(o.mid[at]), sin(o.mid[at]), half * o.omega[at] * o.omega[at]
            o.ex[at], o.ey[at] = ex, ey
            o.lead_x[at] = -o.uw[at] * ey - bend * ex
            o.lead_y[at] = o.uw[at] * ex - bend * ey


@jit_apart
def turn_as_prescribed(blocks: Records, n: int, dt: float) -> None:
    """Adapt guessed rates of links to prescribed joints, from the middle outwards."""
    for k in range(1, n):
        # Links middle + 1 to the head, then middle - 1 to the tail.
        ahead = n // 2 + k < n
        i = n // 2 + k if ahead else n - 1 - k
        inner, m = blocks[block(i - 1 if ahead else i + 1)], lane(i - 1 if ahead else i + 1)
        o, at = blocks[block(i)], lane(i)
        joint, j = (inner, m) if ahead else (o, at)
        if joint.locked[j] > 0.0:
            o.uw[at] = inner.uw[m] + (joint.target[j] if ahead else -joint.target[j])
        bend = 0.5 * dt * o.omega[at] * o.omega[at]
        o.lead_x[at] = -o.uw[at] * o.ey[at] - bend * o.ex[at]
        o.lead_y[at] = o.uw[at] * o.ex[at] - bend * o.ey[at]


@jit
def join_links(blocks: Records, robot: Item, com: Floats, ahead: float) -> None:
    """Centres and guessed velocities of the links, hinges closed; angles and rates of the joints.

    ahead: time to the midpoint.
    """
    x, y, ux, uy, sx, sy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    behind, k = blocks[block(0)], lane(0)
    o, at = blocks[block(robot.links // 2)], lane(robot.links // 2)
    root_x, root_y = o.ux[at], o.uy[at]
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        ex, ey, lx, ly, back = o.ex[at], o.ey[at], o.lead_x[at], o.lead_y[at], o.back[at]
        if i > 0:
            behind.rate0[k], behind.rate_u[k] = (
                o.omega[at] - behind.omega[k],
                o.uw[at] - behind.uw[k],
            )
        behind, k = o, at
        x, y, ux, uy = x + back * ex, y + back * ey, ux + back * lx, uy + back * ly
        o.x[at], o.y[at], o.ux[at], o.uy[at] = x, y, ux, uy
        sx, sy = sx + o.mass[at] * x, sy + o.mass[at] * y
        front = o.front[at]
        x, y, ux, uy = x + front * ex, y + front * ey, ux + front * lx, uy + front * ly
    robot.mid_x, robot.mid_y = com[0] + ahead * robot.vx, com[1] + ahead * robot.vy
    x, y = robot.mid_x - sx / robot.mass, robot.mid_y - sy / robot.mass
    o, at = blocks[block(robot.links // 2)], lane(robot.links // 2)
    ux, uy = root_x - o.ux[at], root_y - o.uy[at]
    for b in range(robot.link_blocks):
        o = blocks[b]
        for at in range(width(o)):
            o.x[at] += o.live[at] * x
            o.y[at] += o.live[at] * y
            o.ux[at] += o.live[at] * ux
            o.uy[at] += o.live[at] * uy


@jit
def turns_fast(blocks: Records, robot: Item, most: float) -> bool:
    """Whether a link turns as fast as `most`, rad/s, or faster, at the velocity solved for."""
    fast = 0
    for b in range(robot.link_blocks):
        o = blocks[b]
        for at in range(width(o)):
            # Counted: of the largest the compiler would make scalar code.
            fast += 1 if abs(o.uw[at]) >= most else 0
    return fast > 0


@jit_apart
def rejoin(blocks: Records, robot: Item, dt: float, tolerance: float) -> bool:
    """Correct velocities so that the hinges close exactly at the next midpoint.

    The relative velocity that does so is the chord of the levers' arcs, [R(dt uw) - 1] / dt times
    the levers; the velocity of the middle link is kept. False if none would change by more than the
    tolerance, m/s: then they are as they were, balanced by the impulses.
    """
    ux, uy = 0.0, 0.0
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        turn = dt * o.uw[at]
        swing, bend = sin(turn) / dt, (1.0 - cos(turn)) / dt
        lx, ly = -swing * o.ey[at] - bend * o.ex[at], swing * o.ex[at] - bend * o.ey[at]
        ux, uy = ux + o.back[at] * lx, uy + o.back[at] * ly
        o.lead_x[at], o.lead_y[at] = ux, uy
        ux, uy = ux + o.front[at] * lx, uy + o.front[at] * ly
    o, at = blocks[block(robot.links // 2)], lane(robot.links // 2)
    root_x, root_y = o.ux[at] - o.lead_x[at], o.uy[at] - o.lead_y[at]
    change = 0.0
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        ux, uy = root_x + o.lead_x[at], root_y + o.lead_y[at]
        change = max(change, abs(ux - o.ux[at]), abs(uy - o.uy[at]))
        o.lead_x[at], o.lead_y[at] = ux, uy
    if change <= tolerance:
        return False
    for i in range(robot.links):
        o, at = blocks[block(i)], lane(i)
        o.ux[at], o.uy[at] = o.lead_x[at], o.lead_y[at]
    return True


@jit
def joint_angles(blocks: Records, n: int) -> None:
    """Angles of the joints at the midpoint."""
    for j in range(n - 1):
        o, at = blocks[block(j)], lane(j)
        p, k = blocks[block(j + 1)], lane(j + 1)
        o.phi[at] = p.mid[k] - o.mid[at]


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
