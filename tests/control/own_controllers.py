"""Controllers of one's own that tests name by this file or module."""

import numpy as np

import serpenoid as sp


class Reflex:
    """A wave that remembers how hard each link was pushed, and bends there."""

    def __init__(self, gain: float, amplitude: float = 0.5, period: float = 0.02) -> None:
        self.gain, self.amplitude, self.period = gain, amplitude, period
        self.pushed = 0.0
        self.asked = 0

    def command(self, seen: sp.Observation) -> sp.Command:
        joints = np.arange(len(seen.joint_angle))
        push = np.hypot(*seen.contact_force.T)
        self.asked += 1
        self.pushed = 0.9 * self.pushed + self.gain * (push[1:] - push[:-1])
        angle = self.amplitude * np.sin(1.4 * seen.time - 0.9 * joints) + 1e-3 * self.asked
        return sp.Command(angle + np.clip(self.pushed, -0.3, 0.3), rate=-0.05 * seen.joint_rate)


class Bend:
    """The same angle at all joints, deg, and the same torque."""

    period = 0.01

    def __init__(self, angle_deg: float = 6.0, torque: float = 0.0) -> None:
        self.angle, self.torque = np.radians(angle_deg), torque

    def command(self, seen: sp.Observation) -> sp.Command:
        ones = np.ones(len(seen.joint_angle))
        return sp.Command(self.angle * ones, torque=self.torque * ones)


class Swing:
    """Without memory: what it commands depends on what it sees."""

    period = 0.03

    def command(self, seen: sp.Observation) -> sp.Command:
        push = np.hypot(*seen.contact_force.T)
        return sp.Command(
            0.1 * np.sin(3 * seen.time) + 1e-3 * push[1:], rate=-0.02 * seen.joint_rate
        )
