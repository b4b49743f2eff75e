"""Adaptation of a pedal wave to the terrain by the torques that its springs measure."""

from __future__ import annotations

from typing import Literal

import numpy as np

from serpenoid.checks import whole_multiple
from serpenoid.control.gaits import PedalWave
from serpenoid.control.interface import CompiledController
from serpenoid.kernels import layout
from serpenoid.kernels.layout import Floats
from serpenoid.spec import NonNegative, Number, Positive, spec, tag


@spec
class Admittance(CompiledController):
    """A pedal wave whose spatial frequencies yield to the spring torques [koopaee2020 (34)(35)].

    The spatial frequency eta of each joint follows inertia eta'' + damping eta' + stiffness (eta -
    nominal) = gain torque, with the nominal spatial frequency of the gait and the torque that the
    joint's spring measures. A joint without a spring keeps its nominal one. The spatial frequencies
    are recorded as `joint_phase`.

    Attributes:
        wave: The nominal gait.
        gain: The paper's k_c, without unit.
        inertia: The paper's M_d, N m s2/rad.
        damping: The paper's D_d, N m s/rad.
        stiffness: The paper's K_d, N m/rad.
        period: Time between updates, s; the time step if not given.
    """

    wave: PedalWave
    gain: Number
    inertia: Positive = 1.0
    damping: NonNegative = 10.0
    stiffness: NonNegative = 17.5
    period: Positive | None = None
    kind: Literal["admittance"] = tag(default="admittance", kw_only=True)

    is_pedal = True

    def control(self, joints: int, time_step: float) -> tuple[layout.Control, Floats]:
        """As the kernels take it, and its memory at the start."""
        period = time_step if self.period is None else self.period
        control = layout.NO_CONTROL._replace(
            ticks=whole_multiple("Admittance.period", period, "time_step", time_step),
            period=period,
            wave=layout.GAIT,
            gait=self.wave.gait(),
            admittance=self.gain / self.inertia,
            admittance_damping=self.damping / self.inertia,
            admittance_stiffness=self.stiffness / self.inertia,
            phases=np.array(self.phases(joints)),
        )
        return control, self.new_memory(control, joints)

    def angles(self, joints: int, time: float = 0.0) -> Floats:
        """Joint angles of the nominal wave.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Angles, (joints,), rad.
        """
        return self.wave.angles(joints, time)

    def rates(self, joints: int, time: float = 0.0) -> Floats:
        """Joint rates of the nominal wave.

        Args:
            joints: Number of joints.
            time: Time, s.

        Returns:
            Rates, (joints,), rad/s.
        """
        return self.wave.rates(joints, time)

    def phases(self, joints: int) -> Floats:
        """Nominal spatial frequency of every joint.

        Args:
            joints: Number of joints.

        Returns:
            Spatial frequencies, (joints,), rad.
        """
        return self.wave.phases(joints)
