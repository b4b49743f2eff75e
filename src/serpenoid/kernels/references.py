"""Joint references in closed form."""

from math import atan2, cos, sin

from serpenoid.kernels._jit import jit
from serpenoid.kernels.added import add_commands, add_lane_commands
from serpenoid.kernels.lanes import width
from serpenoid.kernels.layout import PEDAL, SERPENOID, Body, PackedGait, Records
from serpenoid.kernels.trigonometry import FAR, sine_cosine


@jit
def set_references(gait: PackedGait, joints: Records, t: float) -> None:
    """Reference angle (rad) and rate (rad/s) of every joint at time t.

    SERPENOID: amplitude sin(frequency t + (joints - 1 - j) phase + start) + offset, the wave
    counted from the head [transeth2008 (71)]; from joint to joint sine and cosine are turned by the
    phase. PEDAL: minus amplitude sin(frequency t + j eta_j + start), the wave counted from the
    tail with a spatial frequency for each joint [koopaee2020 (34)], whose joint angles have the
    other sign. HELD: the last command, carried on at its rate.
    """
    if gait.kind == SERPENOID:
        since = max(0.0, t - gait.delay)
        argument = gait.frequency * since + gait.start
        sine, cosine = sin(argument), cos(argument)
        turn_sine, turn_cosine = sin(gait.phase), cos(gait.phase)
        speed = gait.amplitude * gait.frequency if t >= gait.delay else 0.0
        for j in range(joints.shape[0] - 1, -1, -1):
            joint = joints[j]
            joint.wanted = gait.amplitude * sine + gait.offset
            joint.wanted_rate = speed * cosine
            sine, cosine = (
                sine * turn_cosine + cosine * turn_sine,
                cosine * turn_cosine - sine * turn_sine,
            )
    elif gait.kind == PEDAL:
        since = max(0.0, t - gait.delay)
        moving = 1.0 if t >= gait.delay else 0.0
        for j in range(joints.shape[0]):
            joint = joints[j]
            argument = gait.frequency * since + j * joint.eta + gait.start
            joint.wanted = gait.offset - gait.amplitude * sin(argument)
            speed = gait.amplitude * (moving * gait.frequency + j * joint.eta_rate)
            joint.wanted_rate = -speed * cos(argument)
    else:
        for j in range(joints.shape[0]):
            joint = joints[j]
            joint.wanted = joint.angle + joint.rate * (t - joint.tick)
            joint.wanted_rate = joint.rate


@jit
def set_wanted(gait: PackedGait, body: Body, t: float) -> None:
    """The same with what is commanded on top."""
    set_references(gait, body.joints, t)
    add_commands(body.added, body.joints, t)


@jit
def set_lane_references(gait: PackedGait, body: Body, t: float) -> None:
    """The same in lanes; the phases of a serpenoid wave are in a table there."""
    blocks, robot = body.blocks, body.robot[0]
    since = max(0.0, t - gait.delay)
    argument, moving = gait.frequency * since + gait.start, 1.0 if t >= gait.delay else 0.0
    amplitude, offset = gait.amplitude, gait.offset
    speed = moving * gait.frequency
    sine, cosine = sine_cosine(argument)
    if abs(argument) > FAR:
        sine, cosine = sin(argument), cos(argument)
    base = atan2(sine, cosine) if abs(argument) > FAR else argument
    for b in range(robot.link_blocks):
        o = blocks[b]
        if gait.kind == SERPENOID:
            for at in range(width(o)):
                c, s = o.wave_cosine[at], o.wave_sine[at]
                o.wanted[at] = amplitude * (sine * c + cosine * s) + offset
                o.wanted_rate[at] = amplitude * speed * (cosine * c - sine * s)
        elif gait.kind == PEDAL:
            for at in range(width(o)):
                s, c = sine_cosine(base + o.index[at] * o.eta[at])
                o.wanted[at] = offset - amplitude * s
                o.wanted_rate[at] = -amplitude * (speed + o.index[at] * o.eta_rate[at]) * c
        else:
            for at in range(width(o)):
                o.wanted[at] = o.angle[at] + o.rate[at] * (t - o.tick[at])
                o.wanted_rate[at] = o.rate[at]
    add_lane_commands(body.added, blocks, robot, t)
