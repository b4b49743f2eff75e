"""Table 1: the robot, the load, and the three scenarios; symbols in the figures."""

from __future__ import annotations

from serpenoid.analysis.pushing import PushedLoad, Pushing, PushWheels
from serpenoid.model.actuator import Torque
from serpenoid.model.robot import Joint, Link, Robot

# The load's mass is given in masses of a link.
LINK = Link(length=0.15, mass=1.0, inertia=0.002, radius=0.02)
KAPPA = 100.0
SCENARIOS: tuple[PushWheels | None, ...] = (None, PushWheels(mu=0.1), PushWheels())
# Titles of the scenarios and symbols of the quantities.
TITLES = ("1: no friction", "2: wheels, μ = 0.1", "3: ideal wheels")
LOAD, ROBOT, RATIO = r"$\|a_\mathrm{obj}\|^2$", r"$\|\ddot q_s\|^2$", "$sr$"


def pushing(joints: int, scenario: int, kappa: float = KAPPA) -> Pushing:
    """The paper's robot and load.

    Args:
        joints: Number of joints.
        scenario: Scenario of the paper, 1, 2 or 3.
        kappa: Mass of the load, in masses of a link.
    """
    robot = Robot(links=(LINK,) * (joints + 1), joints=(Joint(actuator=Torque()),) * joints)
    return Pushing(robot, PushedLoad(mass=kappa * LINK.mass), wheels=SCENARIOS[scenario - 1])
