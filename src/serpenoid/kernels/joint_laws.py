"""The laws of joints inside one step: curvature and gradient of actuators, springs and limits.

A joint sees its rate at the end of the step, a series-elastic one the rate of the link behind it,
too. Limits enter through their augmented Lagrangian (see `projections`); the servo acts at the
joint angle after the step, which is stable for any stiffness.
"""

from math import inf

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.layout import ELASTIC, PRESCRIBED, SERVO, TORQUE, Item, PackedGait, Records
from serpenoid.kernels.projections import ROUNDING
from serpenoid.kernels.references import set_references

# Pieces of the actuator's torque as a function of the joint rate.
IDLE, DRIVING, SATURATED = 0, 1, 2


@jit
def has_limit(joint: Item) -> bool:
    """Whether the joint has a limit at all."""
    return joint.lower > -inf or joint.upper < inf


@jit
def has_spring(joint: Item) -> bool:
    """Whether the joint has a rotor behind a spring."""
    return joint.actuator == ELASTIC and joint.spring < inf


@jit
def spring_torque(joint: Item, phi: float) -> float:
    """Torque with which its spring turns a joint, N m: what the torque sensor measures."""
    return joint.spring * (joint.psi - phi) if has_spring(joint) else 0.0


@jit_apart
def prepare_elastic(joint: Item, angle: float, w: float, w_ahead: float, dt: float) -> None:
    """Spring and motor of a series-elastic joint at its midpoint angle (rad).

    w, w_ahead: rates of the links behind and ahead before the step, rad/s. The motor acts at the
    rotor's angle after the step, the spring with the mean of its torques before and after, so that
    its work is the energy it gives off.
    """
    rate = w_ahead - w
    psi = joint.psi + 0.5 * dt * joint.psi_rate
    joint.h, joint.w0, joint.c0, joint.c1 = dt, w, 0.0, 0.0
    if joint.spring < inf:
        strain = angle - psi
        before = strain - 0.5 * dt * (rate - joint.psi_rate)
        joint.c0 = 0.5 * joint.spring * (before + strain)
        joint.c1 = 0.25 * joint.spring * dt
    else:
        psi, joint.psi_rate = angle, rate
    joint.s0 = joint.kp * (joint.wanted - psi) + joint.kd * joint.wanted_rate + joint.torque
    joint.s1 = 0.5 * dt * joint.kp + joint.kd


@jit
def prepare_joints(
    gait: PackedGait, links: Records, joints: Records, t: float, dt: float, stiffness: float
) -> None:
    """Actuator and limits of every joint as functions of its rate; t is the end of the step."""
    set_references(gait, joints, t)
    prescribed = False
    for j in range(joints.shape[0]):
        joint, tail, head = joints[j], links[j], links[j + 1]
        angle = head.theta - tail.theta
        joint.s0, joint.s1 = 0.0, 0.0
        if joint.actuator == PRESCRIBED:
            prescribed = True
        elif joint.actuator == SERVO:
            joint.s0 = joint.kp * (joint.wanted - angle) + joint.kd * joint.wanted_rate
            joint.s0 += joint.torque
            joint.s1 = 0.5 * dt * joint.kp + joint.kd
        elif joint.actuator == TORQUE:
            joint.s0 = joint.torque
        elif joint.actuator == ELASTIC:
            prepare_elastic(joint, angle, tail.omega, head.omega, dt)
        joint.p = joint.limit
        if has_limit(joint):
            joint.low = (joint.lower - angle) / dt
            joint.high = (joint.upper - angle) / dt
            behind = tail.inertia + tail.mass * tail.half * tail.half
            ahead = head.inertia + head.mass * head.half * head.half
            joint.r = stiffness * min(behind, ahead)
    if prescribed:
        # Meet the reference at the next midpoint, where positions are staggered.
        set_references(gait, joints, t + 0.5 * dt)
        for j in range(joints.shape[0]):
            joint = joints[j]
            if joint.actuator == PRESCRIBED:
                angle = links[j + 1].theta - links[j].theta
                joint.target = (joint.wanted - angle) / dt


@jit
def servo_torque(joint: Item, rate: float) -> tuple[float, float, int]:
    """Torque of the actuator at a joint rate, minus its slope, and the piece it is on."""
    torque = joint.s0 - joint.s1 * rate
    if joint.deadband > 0.0:
        idle = 0.5 * joint.kp * joint.deadband
        if abs(torque) <= idle:
            return 0.0, 0.0, IDLE
        torque = torque - idle if torque > 0.0 else torque + idle
    if torque > joint.torque_limit:
        return joint.torque_limit, 0.0, SATURATED
    if torque < -joint.torque_limit:
        return -joint.torque_limit, 0.0, -SATURATED
    return torque, joint.s1, DRIVING if torque > 0.0 or joint.deadband == 0.0 else -DRIVING


@jit
def limit_impulse(joint: Item, rate: float) -> float:
    """Impulse of the joint limit, > 0 at the lower one, < 0 at the upper one."""
    lower = joint.p - joint.r * (rate - joint.low)
    if lower > 0.0:
        return lower
    return min(0.0, joint.p - joint.r * (rate - joint.high))


@jit
def limit_terms(joint: Item, rate: float) -> tuple[float, float]:
    """Curvature and gradient of a joint's limit; leaves the side it is on in the joint."""
    if not has_limit(joint):
        return 0.0, 0.0
    impulse = limit_impulse(joint, rate)
    joint.stop = int(impulse > 0.0) - int(impulse < 0.0)
    return joint.r if impulse != 0.0 else 0.0, -impulse


@jit
def joint_terms(joint: Item, rate: float, dt: float) -> tuple[float, float]:
    """Curvature and gradient of a joint's terms."""
    torque, slope, joint.piece = servo_torque(joint, rate)
    k, t = limit_terms(joint, rate)
    return dt * slope + k, t - dt * torque


@jit_apart
def elastic_terms(joint: Item, w: float, rate: float) -> tuple[float, float, float, float, float]:
    """Terms of a series-elastic joint in the rate w of the link behind and the joint's rate.

    The rotor's own rate is eliminated: it minimises rotor/2 (change of w + ratio times its own)^2
    plus the potentials of spring and motor. Returns the curvatures (w w, w rate, rate rate) and the
    gradient (w, rate), and leaves the rotor's rate in the joint.
    """
    J, n, h = joint.rotor, joint.ratio, joint.h
    change = w - joint.w0
    if joint.spring == inf:
        torque, slope, joint.piece = servo_torque(joint, rate)
        joint.v = rate
        spin = J * (change + n * (rate - joint.psi_rate))
        aa, ab, bb, a, b = J, J * n, J * n * n + h * slope, spin, n * spin - h * torque
    else:
        give = h * joint.c1
        known = J * n * (n * joint.psi_rate - change) + h * joint.c0 + give * rate
        grip = give + h * joint.s1
        joint.v = (known + h * joint.s0) / (J * n * n + grip)
        torque = joint.s0 - joint.s1 * joint.v
        joint.piece = DRIVING
        if abs(torque) > joint.torque_limit:
            torque = joint.torque_limit if torque > 0.0 else -joint.torque_limit
            joint.piece = SATURATED if torque > 0.0 else -SATURATED
            grip = give
            joint.v = (known + h * torque) / (J * n * n + grip)
        whole = J * n * n + grip
        aa, ab, bb = J * grip / whole, J * n * give / whole, give * (whole - give) / whole
        a = J * (change + n * (joint.v - joint.psi_rate))
        b = h * (joint.c0 + joint.c1 * (rate - joint.v))
    k, t = limit_terms(joint, rate)
    return aa, ab, bb + k, a, b + t


@jit_apart
def same_elastic(joint: Item, w: float, rate: float) -> bool:
    """Whether the motor is still on the piece the last sweep was made with."""
    piece, stop = joint.piece, joint.stop
    elastic_terms(joint, w, rate)
    same = joint.piece == piece
    joint.piece, joint.stop = piece, stop
    return same


@jit_apart
def elastic_works(joint: Item, w: float, mean: float, rate: float) -> tuple[float, float]:
    """Works of motor and spring in the step, J; mean, rate: of the joint, in and after the step.

    w: rate of the link behind after the step. Leaves the motor's impulse in the joint.
    """
    if joint.spring == inf:
        joint.impulse = joint.h * servo_torque(joint, rate)[0]
        return joint.impulse * mean, 0.0
    elastic_terms(joint, w, rate)
    torque = joint.s0 - joint.s1 * joint.v
    joint.impulse = joint.h * min(max(torque, -joint.torque_limit), joint.torque_limit)
    own = 0.5 * (joint.psi_rate + joint.v)
    spring = joint.h * (joint.c0 + joint.c1 * (rate - joint.v))
    return joint.impulse * own, -spring * (mean - own)


@jit
def update_joint_multiplier(joint: Item, w: float, rate: float, arm: float) -> tuple[float, bool]:
    """New multiplier of a joint's limit; its residual as a velocity at an arm (m), m/s.

    Also whether actuator and limit are still on the pieces of the last sweep. w: rate of the link
    behind.
    """
    joint.q = 0.0
    if joint.actuator > TORQUE:
        same = joint.actuator != ELASTIC or same_elastic(joint, w, rate)
    else:
        same = servo_torque(joint, rate)[2] == joint.piece
    if not has_limit(joint):
        return 0.0, same
    # The impulse the sweep has balanced, right as far as it agrees with the law.
    law = limit_impulse(joint, rate)
    if joint.stop > 0:
        joint.q = joint.p - joint.r * (rate - joint.low)
    elif joint.stop < 0:
        joint.q = joint.p - joint.r * (rate - joint.high)
    same = same and abs(joint.q - law) <= ROUNDING * joint.r
    if joint.q > 0.0:
        return arm * abs(rate - joint.low), same
    if joint.q < 0.0:
        return arm * abs(rate - joint.high), same
    return arm * max(0.0, joint.low - rate, rate - joint.high), same
