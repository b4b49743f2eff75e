"""Matrices of a chain at rest: inertia, directions of contact forces, and how these turn.

Coordinates are the link angles and the centre of mass, q = (theta (n), p (2)), as in the hybrid
model [liljeback2011 (2)]. They are made from the robot, apart from the kernels, so that each can
check the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.kernels.layout import Floats
from serpenoid.model.robot import Robot


@dataclass(frozen=True, eq=False)
class ChainAtRest:
    """A robot at rest in one shape, its mean direction along x.

    Attributes:
        theta: Link angles, (n,), rad.
        arm: How far the centre of link i moves per turn of link k, (n, n), m.
        mass: Mass matrix of q, (n+2, n+2).
        across: Generalised force of a unit force to the left of each link at its centre, a column
            each, (n+2, n); its transpose gives the velocities there.
        joints: Joint angles from q, (n-1, n+2); its transpose gives the generalised force of the
            joint torques.
    """

    theta: Floats
    arm: Floats
    mass: Floats
    across: Floats
    joints: Floats

    @classmethod
    def of(cls, robot: Robot, joint_angles: Floats) -> ChainAtRest:
        """The chain of a robot; joint_angles: (n-1,), rad."""
        n = len(robot.links)
        theta = np.concatenate([[0.0], np.cumsum(joint_angles)])
        theta -= theta.mean()
        mass = np.array([link.mass for link in robot.links])
        half = np.array([link.length / 2 for link in robot.links])
        arm = np.tril(np.tile(2 * half, (n, 1)), -1) + np.diag(half)
        arm -= mass @ arm / mass.sum()
        turned = np.cos(theta[:, None] - theta)
        inertia = np.zeros((n + 2, n + 2))
        inertia[:n, :n] = arm.T @ (mass[:, None] * arm) * turned
        inertia[:n, :n] += np.diag([link.moment_of_inertia for link in robot.links])
        inertia[n:, n:] = mass.sum() * np.eye(2)
        across = np.concatenate([(arm * turned).T, [-np.sin(theta)], [np.cos(theta)]])
        joints = np.zeros((n - 1, n + 2))
        joints[:, :n] = np.diff(np.eye(n), axis=0)
        return cls(theta, arm, inertia, across, joints)

    def turning_of(self, forces: Floats) -> Floats:
        """How the generalised force of contacts changes with q, as they turn with their links.

        Args:
            forces: Forces to the left of each link, held constant, (n,), N.

        Returns:
            Derivative of `across @ forces`, (n+2, n+2).
        """
        n = len(self.theta)
        # [k, i]: of the force on link i, which turns link k, with theta_i; with theta_k minus that.
        change = self.arm.T * np.sin(self.theta[:, None] - self.theta) * forces
        turning = np.zeros((n + 2, n + 2))
        turning[:n, :n] = change - np.diag(change.sum(axis=1))
        turning[n, :n] = -np.cos(self.theta) * forces
        turning[n + 1, :n] = -np.sin(self.theta) * forces
        return turning

    def balance(self) -> Floats:
        """Resultant (2) and moment about the centre of mass (1) of unit forces, (3, n)."""
        n = len(self.theta)
        return np.concatenate([self.across[n:], [self.across[:n].sum(axis=0)]])

    def adaptation(self) -> Floats:
        """Joint references per rad/N of gain and N of contact force, (n-1, n), (19)-(23)."""
        return -np.diff(np.diag(np.cos(self.theta)), axis=0)

    def adaptation_of(self, forces: Floats) -> Floats:
        """How references per gain change with q while the forces stay, (n-1, n+2)."""
        n = len(self.theta)
        from_heading = np.zeros((n, n + 2))
        from_heading[:, :n] = np.eye(n) - 1 / n
        change = -(forces * np.sin(self.theta))[:, None] * from_heading
        return -np.diff(change, axis=0)
