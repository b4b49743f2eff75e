"""Limits of joint angles: one-sided impulses at either end."""

from math import inf

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import LIMIT_LAW, PRESCRIBED, Ints, Item, Records
from serpenoid.kernels.projections import ROUNDING


@jit
def has_limit(joint: Item) -> bool:
    """Whether the joint has a limit at all."""
    return joint.lower > -inf or joint.upper < inf


@jit_apart
def prepare(blocks: Records, joints: Records, dt: float, stiffness: float) -> None:
    """Rates at which the joints meet their limits in a time dt."""
    for j in range(joints.shape[0]):
        joint = joints[j]
        joint.p, joint.f, joint.c, joint.q = joint.limit, 0.0, 0.0, 0.0
        if has_limit(joint):
            tail, k = blocks[block(j)], lane(j)
            head, m = blocks[block(j + 1)], lane(j + 1)
            joint.low = (joint.lower - tail.phi[k]) / dt
            joint.high = (joint.upper - tail.phi[k]) / dt
            behind = tail.inertia[k] + tail.mass[k] * tail.half[k] * tail.half[k]
            ahead = head.inertia[m] + head.mass[m] * head.half[m] * head.half[m]
            joint.r = stiffness * min(behind, ahead)


@jit
def impulse(joint: Item, rate: float) -> float:
    """Impulse at a joint rate, > 0 at the lower limit, < 0 at the upper one."""
    lower = joint.p - joint.r * (rate - joint.low)
    if lower > 0.0:
        return lower
    return min(0.0, joint.p - joint.r * (rate - joint.high))


@jit_apart
def terms(blocks: Records, joints: Records) -> None:
    """Add impulse and curvature at the rates of u to the joints."""
    for j in range(joints.shape[0]):
        joint = joints[j]
        if has_limit(joint):
            o, at = blocks[block(j)], lane(j)
            # What is prescribed cannot be stopped: the step does not converge, and says so.
            joint.f = 0.0 if joint.actuator == PRESCRIBED else impulse(joint, o.rate_u[at])
            joint.c = joint.r if joint.f != 0.0 else 0.0
            o.joint_f[at] += joint.f
            o.joint_c[at] += joint.c


@jit_apart
def update(blocks: Records, joints: Records, worst: float, blame: Ints) -> tuple[int, float]:
    """Count the joints that change their piece; largest residual at half a link, m/s.

    worst: that of other laws.
    """
    off = 0
    for j in range(joints.shape[0]):
        joint = joints[j]
        if not has_limit(joint):
            continue
        o, at = blocks[block(j)], lane(j)
        rate = o.rate_u[at]
        joint.q = joint.f - joint.c * o.drate[at]
        off += 1 if abs(joint.q - impulse(joint, rate)) > ROUNDING * joint.r else 0
        if joint.q > 0.0:
            miss = abs(rate - joint.low)
        elif joint.q < 0.0:
            miss = abs(rate - joint.high)
        else:
            miss = max(0.0, joint.low - rate, rate - joint.high)
        if o.half[at] * miss > worst:
            worst = o.half[at] * miss
            blame[0], blame[1] = j, LIMIT_LAW
    return off, worst


@jit_apart
def accept_multipliers(joints: Records) -> None:
    """Replace the multipliers by the new impulses."""
    for j in range(joints.shape[0]):
        joints[j].p = joints[j].q


@jit_apart
def works(blocks: Records, joints: Records) -> float:
    """Work at the mean rate of the step, J."""
    total = 0.0
    for j in range(joints.shape[0]):
        o, at = blocks[block(j)], lane(j)
        total += joints[j].q * 0.5 * (o.rate0[at] + o.rate_u[at])
    return total


@jit_apart
def accept(joints: Records) -> None:
    """Keep the impulses for the next step."""
    for j in range(joints.shape[0]):
        joints[j].limit = joints[j].q
