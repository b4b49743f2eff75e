"""Single ticks of compiled controllers, through states that runs begin with and end in."""

import dataclasses
from typing import Any

import numpy as np

import serpenoid as sp
from serpenoid.kernels.layout import BACK_UNTIL

STEP = 1e-3  # s
# Turning and bending of the robot of the paper at its start, deg.
SHAPE = np.array([-30, -10, 30, 60, 40, 0, -40, -60, -30, 0.0])
START = sp.Start(heading_deg=SHAPE.mean(), joint_angles_deg=np.diff(SHAPE))
GROUND = sp.Coulomb(0.3) + sp.SpinCoulomb(0.3, 0.035)
POINTS = ((2.5, 0), (2.5, 1), (0, 1), (1, 2), (3, 2))


def robot(radius: float = 0.02, mass: float = 1.0, **more: Any) -> sp.Robot:
    """The robot of the paper, perhaps too heavy to be moved by its motors."""
    more = {"actuator": sp.Servo(20.0, 5.0)} | more
    return sp.Robot.uniform(
        10, length=0.14, mass=mass, radius=radius, inertia=0.0016 * mass, **more
    )


HEAVY = robot(mass=1e15)


def at_rest(time: float = 0.0) -> sp.State:
    """The state of the heavy robot in its shape at a time, s, before any controller's tick."""
    state = sp.simulate(HEAVY, None, None, STEP, start=START, record_period=STEP).state
    return dataclasses.replace(state, step=round(time / STEP), command_time=0.0)


def commanded(controller: sp.References, state: sp.State, push: Any = 0.0) -> np.ndarray:
    """Joint angles that a controller commands in a state of the heavy robot, rad, (9,).

    Args:
        controller: The controller, which has a tick in this state.
        state: The state.
        push: Force on each link across it since the last tick, N, (10,).
    """
    across = np.stack([-np.sin(state.theta), np.cos(state.theta)], axis=1)
    felt = across * np.broadcast_to(push, 10)[:, None] * controller.period
    begin = dataclasses.replace(state, felt=felt)
    end = sp.simulate(HEAVY, None, controller, STEP, start=begin, record_period=STEP).state
    return end.command[:, 0]


def backs_out(state: sp.State) -> bool:
    """Whether a controller with a `Recovery` backs out of a jam in this state."""
    return bool(state.memory[BACK_UNTIL] > 0)
