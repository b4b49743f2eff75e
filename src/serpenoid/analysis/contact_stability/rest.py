"""A robot at rest among its contacts, as the engine takes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from serpenoid.analysis.contact_stability.loop import ContactLoop
from serpenoid.analysis.contact_stability.loop_inputs import check_gain
from serpenoid.checks import check_type
from serpenoid.control.feedback import Adaptation, References
from serpenoid.engine.simulate import simulate
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.methods.method import Method
from serpenoid.model.actuator import Servo
from serpenoid.model.robot import Joint, Robot
from serpenoid.model.start import Start
from serpenoid.model.state import State
from serpenoid.model.world import Peg, World

# Pegs beside the links, in lengths of the shortest: their radius, and how deep the axis of a link
# lies in its own, so that contact is not lost by small turns.
_RADIUS, _DEPTH = 0.05, 0.01


@dataclass(frozen=True, eq=False)
class AtRest:
    """A robot at rest, with a peg beside the centre of each link in contact; see `at_rest`.

    Attributes:
        robot: The robot, whose links do not touch each other.
        world: The pegs, without friction.
        controller: The adaptation with its filter, and the command that holds the equilibrium.
        state: The equilibrium; its arrays may be changed to disturb it.
    """

    robot: Robot
    world: World
    controller: Any
    state: State

    @property
    def references(self) -> Floats:
        """Filtered references and their rates in the state, (n-1, 2), rad and rad/s."""
        joints = len(self.robot.joints)
        # Without a path and a follower: the head, one row of past joint angles, then these.
        begin = layout.MEMORY_HEAD + joints
        return self.state.memory[begin : begin + 2 * joints].reshape(joints, 2)

    def run(self, duration: float, record_period: float, solver: str | Method) -> Trajectory:
        """Simulate it from its state on.

        Args:
            duration: Duration, s.
            record_period: Time from row to row, s.
            solver: The solver.

        Returns:
            The run.
        """
        return simulate(
            self.robot,
            self.world,
            self.controller,
            duration,
            start=self.state,
            time_step=self.state.time_step,
            record_period=record_period,
            solver=solver,
        )


def at_rest(loop: ContactLoop, gain: float, *, time_step: float, solver: str | Method) -> AtRest:
    """Put a robot at rest among its contacts.

    Args:
        loop: The robot and its contacts, with a preload.
        gain: Gain of the adaptation, rad/N.
        time_step: Time step, and time between ticks of the controller, s.
        solver: A solver with contact at the centre of links.

    Returns:
        The robot, what controls it, and its state.

    Raises:
        InvalidInput: A value is not allowed, or the loop has no preload.
    """
    check_type("loop", loop, ContactLoop)
    if not loop.forces.any():
        raise InvalidInput(
            "loop.forces = 0 is not allowed: pegs that are not pushed against hold no link; give "
            "the loop a preload"
        )
    check_gain("gain", gain)
    robot = replace(loop.robot, self_contact=False, joints=_joints(loop))
    world = World(pegs=_pegs(loop), contact_at="centre")
    feedback = References((Adaptation(gain),), period=time_step, cutoff=loop.cutoff)
    controller = feedback + _Held(loop.command(gain), 1e6 * time_step)
    start = Start(joint_angles_deg=tuple(np.degrees(loop.joint_angles).tolist()))
    # After a step the state lists the contacts.
    first = simulate(
        robot,
        world,
        controller,
        time_step,
        start=start,
        time_step=time_step,
        record_period=time_step,
        solver=solver,
    )
    rest = AtRest(robot, world, controller, _balanced(loop, first.state))
    rest.references[:, 0], rest.references[:, 1] = loop.adapted(gain), 0.0
    return rest


class _Held:
    """Commands the same joint angles at all times."""

    def __init__(self, angles: Floats, period: float) -> None:
        self.angles, self.period = angles, period

    def command(self, observation: Any) -> Floats:  # noqa: ARG002
        return self.angles


def _joints(loop: ContactLoop) -> tuple[Joint, ...]:
    """The joints, with the servos of the loop."""
    gains = zip(loop.kp.tolist(), loop.kd.tolist(), strict=True)
    return tuple(Joint(Servo(kp, kd)) for kp, kd in gains)


def _pegs(loop: ContactLoop) -> tuple[Peg, ...]:
    """A peg beside the centre of each link in contact, which the axis enters a little."""
    theta, shortest = loop.chain.theta, min(link.length for link in loop.robot.links)
    centres = loop.chain.arm @ np.stack([np.cos(theta), np.sin(theta)], axis=1)
    left = np.stack([-np.sin(theta), np.cos(theta)], axis=1)
    pegs = []
    for link, side in loop.contacts.items():
        beside = (_RADIUS - _DEPTH) * shortest * (1.0 if side == "left" else -1.0)
        x, y = (centres[link] + beside * left[link]).tolist()
        pegs.append(Peg(x, y, _RADIUS * shortest))
    return tuple(pegs)


def _balanced(loop: ContactLoop, state: State) -> State:
    """The equilibrium, from a state of the robot among its contacts."""
    theta, impulse = loop.chain.theta, state.time_step * loop.forces
    n = len(theta)
    held = np.abs(impulse[state.contact[:, 0]])
    return replace(
        state,
        com=np.zeros(2),
        theta=theta.copy(),
        velocity=np.zeros((n, 3)),
        acceleration=np.zeros((n, 3)),
        felt=np.stack([-impulse * np.sin(theta), impulse * np.cos(theta)], axis=1),
        impulse=np.stack([held, np.zeros_like(held)], axis=1),
        memory=state.memory.copy(),
        ledger=np.zeros_like(state.ledger),
    )
