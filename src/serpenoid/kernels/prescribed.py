"""Prescribed joints: the rates with which they are where they are told at the end of every step.

A step goes from midpoint to midpoint, and ends half way between two of them. So midpoints are where
the mean of two of them is the reference: for a wave, that is a slightly larger one. Where the
reference bends or jumps, an impact lets the joints change their rates at once, without which the
mean would be off, and the midpoints would alternate from then on if it were to be met nonetheless.
"""

from math import cos, inf

from serpenoid.kernels._jit import jit, jit_apart
from serpenoid.kernels.chain import turn_as_prescribed
from serpenoid.kernels.lanes import block, lane
from serpenoid.kernels.layout import Body, PackedGait
from serpenoid.kernels.references import set_lane_references
from serpenoid.kernels.spans import Span

# Angles by which a prescribed joint may miss its midpoint without an impact, rad: rounding, and so
# far that it takes a whole step to be there.
SMOOTH, FARTHEST_KINK = 1e-10, 0.05
# Times that are the same, as a share of the step; a wave so coarse that steps cannot follow it.
SAME_TIME, COARSEST = 1e-6, 0.5


@jit_apart
def prescribe(body: Body, gait: PackedGait, span: Span) -> None:
    """Rates of prescribed joints: they meet at the next midpoint what lets them end as told.

    An impact at a kink lets them meet the midpoint of the step after it, unless they are too far
    off; any other leaves their rates as they are.
    """
    blocks, robot = body.blocks, body.robot[0]
    ahead = 0.5 * span.dt if span.impact else span.dt
    later = 0.5 * span.dt if span.impact else 1.5 * span.dt
    set_midpoint_references(gait, body, (span.start, span.dt), later)
    for j in range(robot.links - 1):
        o, at = blocks[block(j)], lane(j)
        miss = o.wanted[at] - o.phi[at]
        o.target[at] = miss / ahead
        if span.impact:
            p, k = blocks[block(j + 1)], lane(j + 1)
            rate = p.omega[k] - o.omega[at]
            if not span.kink or abs(miss - ahead * rate) > FARTHEST_KINK:
                o.target[at] = rate
    turn_as_prescribed(blocks, robot.links, span.length)


@jit
def set_midpoint_references(
    gait: PackedGait, body: Body, step: tuple[float, float], later: float
) -> None:
    """Wanted angles at a midpoint, a time `later` than the start of the step.

    step: its start and length, s.

    A joint ends a step at the mean of two midpoints. That is the reference if its wave is larger by
    1 / cos(frequency dt / 2) there, and carried on beyond the ends of the step, where it may begin.
    """
    (begin, dt), f = step, gait.frequency
    delay, start, amplitude = gait.delay, gait.start, gait.amplitude
    if begin + dt > delay + SAME_TIME * dt:
        # So that the wave is there before the delay.
        delay, start = delay - 2.0 * dt, start - 2.0 * f * dt
        amplitude /= max(cos(0.5 * f * dt), COARSEST)
    else:
        delay = inf
    wave = PackedGait(gait.kind, amplitude, f, gait.phase, gait.offset, start, delay)
    set_lane_references(wave, body, begin + later)


@jit_apart
def has_kink(body: Body, gait: PackedGait, begin: float, dt: float) -> bool:
    """Whether prescribed joints must change their rates at once to end a step as told."""
    blocks, robot = body.blocks, body.robot[0]
    set_midpoint_references(gait, body, (begin, dt), 0.5 * dt)
    for j in range(robot.links - 1):
        o, at = blocks[block(j)], lane(j)
        p, k = blocks[block(j + 1)], lane(j + 1)
        angle, rate = p.theta[k] - o.theta[at], p.omega[k] - o.omega[at]
        miss = abs(o.wanted[at] - angle - 0.5 * dt * rate)
        if o.locked[at] > 0.0 and SMOOTH < miss < FARTHEST_KINK:
            return True
    return False
