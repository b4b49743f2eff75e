"""Table 1: the robot, the load, and the three scenarios."""

from __future__ import annotations

from serpenoid.analysis.pushing import PushedLoad, Pushing, PushWheels
from serpenoid.model.actuator import Torque
from serpenoid.model.robot import Joint, Link, Robot

# The load's mass is given in masses of a link.
LINK = Link(length=0.15, mass=1.0, inertia=0.002, radius=0.02)
KAPPA = 100.0
SCENARIOS: tuple[PushWheels | None, ...] = (None, PushWheels(mu=0.1), PushWheels())


def pushing(joints: int, scenario: int, kappa: float = KAPPA) -> Pushing:
    """The paper's robot and load.

    Args:
        joints: Number of joints.
        scenario: Scenario of the paper, 1, 2 or 3.
        kappa: Mass of the load, in masses of a link.
    """
    robot = Robot(links=(LINK,) * (joints + 1), joints=(Joint(actuator=Torque()),) * joints)
    return Pushing(robot, PushedLoad(mass=kappa * LINK.mass), wheels=SCENARIOS[scenario - 1])
