"""Geared motors behind springs: the rotor turns with the link behind the joint.

The rotor's own rate occurs in one joint only and is eliminated: it minimises the rotor's kinetic
energy plus the potentials of spring and motor. What is left is a quadratic in the rate of the link
behind, w, and the joint's rate; with the square completed it is one in w and one in the rate of the
link ahead minus `ratio` times w, so the sweep takes it like any other joint. `rotors` are the
joints that have one; None where there are none, which leaves all this out of the machine code.
"""

from math import inf

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import ELASTIC, Ints, Item, Records

# Pieces of the motor's torque.
DRIVING, SATURATED = 1, 2


@jit
def has_spring(joint: Item) -> bool:
    """Whether the joint has a rotor behind a spring."""
    return joint.actuator == ELASTIC and joint.spring < inf


@jit
def spring_torque(joint: Item, phi: float) -> float:
    """Torque with which its spring turns a joint, N m: what the torque sensor measures."""
    return joint.spring * (joint.psi - phi) if has_spring(joint) else 0.0


@jit
def prepare(blocks: Records, joints: Records, rotors: Ints | None, dt: float) -> None:
    """Spring and motor of every joint at its midpoint angle.

    The motor acts at the rotor's angle after the step, the spring with the mean of its torques
    before and after, so that its work is the energy it gives off.
    """
    if rotors is None:
        return
    for j in rotors:
        joint = joints[j]
        o, at = blocks[block(j)], lane(j)
        rate, angle = o.rate0[at], o.phi[at]
        psi = joint.psi + 0.5 * dt * joint.psi_rate
        joint.h, joint.w0, joint.c0, joint.c1 = dt, o.omega[at], 0.0, 0.0
        if joint.spring < inf:
            strain = angle - psi
            before = strain - 0.5 * dt * (rate - joint.psi_rate)
            joint.c0 = 0.5 * joint.spring * (before + strain)
            joint.c1 = 0.25 * joint.spring * dt
        else:
            psi, joint.psi_rate = angle, rate
        drive = joint.kp * (o.wanted[at] - psi) + joint.kd * o.wanted_rate[at]
        joint.s0, joint.s1 = drive + joint.torque, 0.5 * dt * joint.kp + joint.kd


@jit
def motor(joint: Item, rate: float) -> tuple[float, float, int]:
    """Torque at the rotor's rate, minus its slope, and the piece it is on."""
    torque = joint.s0 - joint.s1 * rate
    if torque > joint.torque_limit:
        return joint.torque_limit, 0.0, SATURATED
    if torque < -joint.torque_limit:
        return -joint.torque_limit, 0.0, -SATURATED
    return torque, joint.s1, DRIVING


@jit_apart
def quadratic(joint: Item, w: float, rate: float) -> tuple[float, float, float, float, float]:
    """Terms of a joint in the rate w of the link behind and the joint's rate.

    Returns the curvatures (w w, w rate, rate rate) and the gradient (w, rate), and leaves the
    rotor's rate and the piece in the joint.
    """
    J, n, h = joint.rotor, joint.ratio, joint.h
    change = w - joint.w0
    if joint.spring == inf:
        torque, slope, joint.piece = motor(joint, rate)
        joint.v = rate
        spin = J * (change + n * (rate - joint.psi_rate))
        return J, J * n, J * n * n + h * slope, spin, n * spin - h * torque
    give = h * joint.c1
    known = J * n * (n * joint.psi_rate - change) + h * joint.c0 + give * rate
    grip = give + h * joint.s1
    joint.v = (known + h * joint.s0) / (J * n * n + grip)
    torque, _, joint.piece = motor(joint, joint.v)
    if joint.piece != DRIVING:
        grip = give
        joint.v = (known + h * torque) / (J * n * n + grip)
    whole = J * n * n + grip
    a = J * (change + n * (joint.v - joint.psi_rate))
    b = h * (joint.c0 + joint.c1 * (rate - joint.v))
    return J * grip / whole, J * n * give / whole, give * (whole - give) / whole, a, b


@jit
def terms(blocks: Records, joints: Records, rotors: Ints | None) -> None:
    """Impulse and curvature at u, of the joints and of the links that carry rotors.

    After those of the limits, which are part of the quadratic.
    """
    if rotors is None:
        return
    for j in rotors:
        joint = joints[j]
        o, at = blocks[block(j)], lane(j)
        aa, ab, bb, a, b = quadratic(joint, o.uw[at], o.rate_u[at])
        bb, b = bb + o.joint_c[at], b - o.joint_f[at]
        share = ab / bb
        o.ratio[at], o.joint_f[at], o.joint_c[at] = 1.0 - share, -b, bb
        o.ww[at] += aa - ab * share
        o.gw[at] += a - b * share


@jit
def update(blocks: Records, joints: Records, rotors: Ints | None) -> int:
    """Count the motors that change their piece of the law."""
    off = 0
    if rotors is None:
        return off
    for j in rotors:
        joint = joints[j]
        o, at = blocks[block(j)], lane(j)
        piece = joint.piece
        quadratic(joint, o.uw[at], o.rate_u[at])
        off += 1 if joint.piece != piece else 0
        joint.piece = piece
    return off


@jit
def works(blocks: Records, joints: Records, rotors: Ints | None) -> tuple[float, float, float]:
    """Works of motors and springs, and the kinetic energy of the rotors, J.

    Leaves the impulse of each motor in its joint.
    """
    driven, spring, turning = 0.0, 0.0, 0.0
    if rotors is None:
        return driven, spring, turning
    for j in rotors:
        joint = joints[j]
        o, at = blocks[block(j)], lane(j)
        rate, mean = o.rate_u[at], 0.5 * (o.rate0[at] + o.rate_u[at])
        quadratic(joint, o.uw[at], rate)
        o.jq[at] = joint.h * motor(joint, joint.v)[0]
        own = mean
        if joint.spring < inf:
            own = 0.5 * (joint.psi_rate + joint.v)
            spring -= joint.h * (joint.c0 + joint.c1 * (rate - joint.v)) * (mean - own)
        driven += o.jq[at] * own
        spin = o.uw[at] + joint.ratio * joint.v
        turning += 0.5 * joint.rotor * spin * spin
    return driven, spring, turning


@jit
def accept(joints: Records, rotors: Ints | None, dt: float) -> None:
    """Keep the motion of the rotors."""
    if rotors is None:
        return
    for j in rotors:
        joint = joints[j]
        joint.psi += 0.5 * dt * (joint.psi_rate + joint.v)
        joint.psi_rate = joint.v
