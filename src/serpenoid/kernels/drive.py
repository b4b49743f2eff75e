"""Joint references from feedback: parts that add up, computed at the ticks of a controller.

wave + adaptation + heading [liljeback2011 (3)]. The parts read joint angles, contact forces across
the links, one absolute angle and the position [liljeback2011 assumption 8], an admittance the
torques of the joints' springs. Joint angles have the other sign here than in the paper.
"""

from math import atan2, cos, exp, pi, sin

from serpenoid.kernels._jit import jit, jit_apart, jit_entry
from serpenoid.kernels.added import added_angle, added_torque, keep_felt
from serpenoid.kernels.chain import place_links
from serpenoid.kernels.jams import mark_progress, pause_wave, recover, resolve
from serpenoid.kernels.laws.series_elastic import spring_torque
from serpenoid.kernels.layout import (
    ADAPTATION_PART,
    BACK_UNTIL,
    FOLLOWER,
    GAIT,
    HEADING_PART,
    JAM_SIZE,
    LEADER,
    LEG_X,
    LEG_Y,
    MARK_HEADING,
    MEMORY_HEAD,
    NOISE,
    PATH_ANGLE,
    PAUSED,
    RESOLVE_UNTIL,
    TICKS,
    WAYPOINT,
    Body,
    Control,
    Floats,
    Records,
)
from serpenoid.kernels.parts import add_part, keep_wave
from serpenoid.kernels.references import set_references


@jit_entry
def turned_towards(angle: float, near: float) -> float:
    """The angle plus whole turns that bring it nearest to another one, rad."""
    return angle + 2.0 * pi * round((near - angle) / (2.0 * pi))


@jit
def aim(control: Control, memory: Floats, heading: float) -> None:
    """Direction of the path from the start of the leg to the next waypoint."""
    k = int(memory[WAYPOINT])
    dx = control.path[k, 0] - memory[LEG_X]
    dy = control.path[k, 1] - memory[LEG_Y]
    memory[PATH_ANGLE] = turned_towards(atan2(dy, dx), heading)


@jit
def guide(control: Control, memory: Floats, t: float, x: float, y: float, heading: float) -> None:
    """Switch to the next waypoint once this one is reached [liljeback2011 Algorithm 11].

    Reached is inside the acceptance circle, or beyond the line across the path through it.
    """
    count = control.path.shape[0]
    k = int(memory[WAYPOINT])
    if k >= count:
        return
    dx, dy = x - control.path[k, 0], y - control.path[k, 1]
    beyond = dx * cos(memory[PATH_ANGLE]) + dy * sin(memory[PATH_ANGLE])
    if beyond > 0.0 or dx * dx + dy * dy < control.acceptance * control.acceptance:
        memory[MEMORY_HEAD + k] = t
        memory[WAYPOINT] = k + 1.0
        if k + 1 < count:
            memory[LEG_X], memory[LEG_Y] = control.path[k, 0], control.path[k, 1]
            aim(control, memory, heading)


@jit
def normal_deviate(memory: Floats) -> float:
    """A standard normal number; the seed is a whole number below 2^31 kept in the memory."""
    total = 0.0
    for _ in range(12):
        memory[NOISE] = (memory[NOISE] * 48271.0) % 2147483647.0
        total += memory[NOISE] / 2147483647.0
    return total - 6.0


@jit
def feel(control: Control, memory: Floats, links: Records, felt: Floats, ticks: int) -> int:
    """Contact force across every link, N, > 0 to its left, as the sensor gives it.

    felt: ring of the last readings. Returns the row of the reading that has come through.
    """
    rows = felt.shape[0]
    row = ticks % rows
    for i in range(links.shape[0]):
        link = links[i]
        force = (link.tick_y * link.ex - link.tick_x * link.ey) / control.period
        if control.noise > 0.0:
            force += control.noise * normal_deviate(memory)
        if control.quantum > 0.0:
            force = control.quantum * round(force / control.quantum)
        felt[row, i] = force
        link.tick_x, link.tick_y = 0.0, 0.0
        if ticks == 0:
            for k in range(rows):
                felt[k, i] = force
    return (row + 1) % rows


@jit
def keep_angles(control: Control, body: Body, past: Floats, ticks: int) -> None:
    """Keep the joint angles that are followed later.

    FOLLOWER: those measured. LEADER: that measured at the head joint, and of every other one what
    it is to follow itself, so that the angle of the head joint travels along the body.
    """
    links, last = body.links, past.shape[1] - 1
    now, delayed = ticks % past.shape[0], (ticks + 1) % past.shape[0]
    for j in range(last + 1):
        if control.wave == LEADER and j < last:
            past[now, j] = past[delayed, j + 1]
        else:
            past[now, j] = links[j + 1].theta - links[j].theta


@jit
def add_wave(
    control: Control, body: Body, past: Floats, ticks: int, t: float, heading: float
) -> None:
    """Set the joint references to the body wave.

    FOLLOWER, LEADER: each joint follows the one ahead of it with a delay, see `keep_angles`, and
    the head link swings [liljeback2011 (13)-(16)]. Backing out it is the other way round: each
    joint follows the one behind it, and the tail link swings.
    """
    links, joints, memory = body.links, body.joints, body.memory
    last = joints.shape[0] - 1
    if control.wave == GAIT:
        set_references(control.gait, joints, t)
    else:
        for j in range(last + 1):
            joints[j].wanted, joints[j].wanted_rate = 0.0, 0.0
    if control.wave in (FOLLOWER, LEADER) and last >= 0:
        delayed = (ticks + 1) % past.shape[0]
        swing = control.amplitude * sin(control.frequency * t)
        if memory[BACK_UNTIL] > 0.0:
            for j in range(1, last + 1):
                joints[j].wanted = past[delayed, j - 1]
            joints[0].wanted = links[1].theta - heading - swing
        else:
            for j in range(last):
                joints[j].wanted = past[delayed, j + 1]
            joints[last].wanted = swing - (links[last].theta - heading)
    keep_wave(joints, memory)


@jit
def admit(control: Control, links: Records, joints: Records, ticks: int) -> None:
    """Adapt the spatial frequencies to the measured spring torques [koopaee2020 (35)].

    M_d eta'' + D_d eta' + K_d (eta - nominal) = k_c torque, divided by M_d. The paper's torque,
    K (alpha - beta), is ours with our signs.
    """
    h = control.period
    for j in range(joints.shape[0]):
        joint = joints[j]
        if ticks == 0:
            joint.eta, joint.eta_rate = control.phases[j], 0.0
        torque = spring_torque(joint, links[j + 1].theta - links[j].theta)
        drive = control.admittance * torque
        drive -= control.admittance_damping * joint.eta_rate
        drive -= control.admittance_stiffness * (joint.eta - control.phases[j])
        joint.eta_rate += h * drive
        joint.eta += h * joint.eta_rate


@jit
def add_adaptation(control: Control, body: Body, force: Floats, heading: float) -> None:
    """Turn links that are pushed so that they are pushed forward [liljeback2011 (19)-(23)].

    Backing out, so that they are pushed backward.
    """
    links, joints = body.links, body.joints
    gain = -control.adaptation if body.memory[BACK_UNTIL] > 0.0 else control.adaptation
    for j in range(joints.shape[0]):
        behind = force[j] * cos(links[j].theta - heading)
        ahead = force[j + 1] * cos(links[j + 1].theta - heading)
        change = gain * (behind - ahead)
        limit = control.adaptation_limit
        turn = min(max(change, -limit), limit)
        add_part(joints, body.memory, j, ADAPTATION_PART, turn)


@jit
def add_heading(control: Control, body: Body, memory: Floats, heading: float) -> None:
    """Turn the head towards a point ahead on the path [liljeback2011 (26)-(28)].

    Backing out, nothing is added: the robot shall leave the way it came. A single link has no joint
    to turn its head.
    """
    last = body.joints.shape[0] - 1
    if memory[BACK_UNTIL] > 0.0 or last < 0:
        return
    angle = memory[PATH_ANGLE]
    dx, dy = body.com[0] - memory[LEG_X], body.com[1] - memory[LEG_Y]
    beside = dy * cos(angle) - dx * sin(angle)
    wanted = angle - atan2(beside, control.look_ahead)
    turn = -control.heading * (heading - wanted)
    add_part(body.joints, memory, last, HEADING_PART, turn)


@jit
def limit_spread(control: Control, joints: Records) -> None:
    """Scale the references down until the directions they give the links differ by the spread."""
    direction, least, most = 0.0, 0.0, 0.0
    for j in range(joints.shape[0]):
        direction += joints[j].wanted
        least, most = min(least, direction), max(most, direction)
    if most - least > control.spread:
        part = control.spread / (most - least)
        for j in range(joints.shape[0]):
            joints[j].wanted *= part
            joints[j].wanted_rate *= part


@jit
def smooth(control: Control, joints: Records, state: Floats) -> None:
    """Filter the references with critical damping, and command the result.

    Exact for references that are held between ticks: the error e decays as
    (e + (v + cutoff e) t) exp(-cutoff t).
    """
    w, h = control.cutoff, control.period
    for j in range(joints.shape[0]):
        joint = joints[j]
        angle, rate = state[2 * j], state[2 * j + 1]
        joint.angle, joint.rate = angle, rate
        error = angle - joint.wanted
        drive = rate + w * error
        decay = exp(-w * h)
        state[2 * j] = joint.wanted + (error + drive * h) * decay
        state[2 * j + 1] = (rate - w * drive * h) * decay


@jit_apart
def tick(control: Control, body: Body, t: float) -> None:
    """Read the sensors, and command the joints until the next tick."""
    links, joints, memory = body.links, body.joints, body.memory
    n, m = links.shape[0], joints.shape[0]
    place_links(links, body.com)
    heading = 0.0
    for i in range(n):
        heading += links[i].theta / n
    ticks = int(memory[TICKS])
    memory[TICKS] = ticks + 1.0
    begin = MEMORY_HEAD + control.path.shape[0]
    jam = memory[begin : begin + JAM_SIZE]
    begin += JAM_SIZE if control.resolution > 0.0 else 0
    past = memory[begin : begin + control.lag * m].reshape(control.lag, m)
    begin += control.lag * m
    filtered = memory[begin : begin + 2 * m]
    begin += 2 * m
    felt = memory[begin : begin + control.sensor_lag * n].reshape(control.sensor_lag, n)
    if ticks == 0:
        mark_progress(memory, t, body.com[0], body.com[1])
        if control.resolution > 0.0:
            jam[MARK_HEADING] = heading
        if control.from_start:
            memory[LEG_X], memory[LEG_Y] = body.com[0], body.com[1]
        if control.path.shape[0] > 0:
            aim(control, memory, heading)
        for j in range(m):
            angle = links[j + 1].theta - links[j].theta
            # The filter begins where its joint is, without what is commanded on top.
            filtered[2 * j] = angle - added_angle(body.added, j, t)
            filtered[2 * j + 1] = 0.0
            for k in range(control.lag):
                past[k, j] = angle
    keep_felt(body.added, links)
    row = feel(control, memory, links, felt, ticks)
    if control.path.shape[0] > 0:
        guide(control, memory, t, body.com[0], body.com[1], heading)
    if control.back_time > 0.0:
        recover(control, memory, t, body.com[0], body.com[1])
    if control.resolution > 0.0:
        resolve(control, memory, jam, t, body.com[0], body.com[1], heading)
    if control.phases.shape[0] > 0:
        admit(control, links, joints, ticks)
    jammed = control.resolution > 0.0 and jam[RESOLVE_UNTIL] > 0.0
    if jammed:
        pause_wave(joints, memory, jam)
    else:
        paused = int(jam[PAUSED]) if control.resolution > 0.0 else 0
        keep_angles(control, body, past, ticks - paused)
        add_wave(control, body, past, ticks - paused, t - paused * control.period, heading)
    if control.adaptation != 0.0 and (jammed or control.resolution == 0.0):
        add_adaptation(control, body, felt[row], heading)
    if control.heading != 0.0:
        add_heading(control, body, memory, heading)
    limit_spread(control, joints)
    if control.cutoff > 0.0:
        smooth(control, joints, filtered)
    else:
        for j in range(m):
            joints[j].angle, joints[j].rate = joints[j].wanted, joints[j].wanted_rate
    for j in range(m):
        joints[j].torque, joints[j].tick = added_torque(body.added, j), t
    body.last[1] = t
