"""What a controller demands of motors and gears until the last waypoint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from serpenoid.analysis.following import measured_force, waypoint_times
from serpenoid.engine.trajectory import Trajectory
from serpenoid.papers.liljeback2011.study import Case, scenario

# Rates, torques and forces are means over this time, s.
PERIOD = 0.01
# The path length of the centre of mass is summed over points at this interval, s.
_STRIDE = 1.0


@dataclass(frozen=True)
class Wear:
    """Demands on motors and gears until the last waypoint, from means over 10 ms.

    Attributes:
        frequency: Frequency below which half of the power of the joint rates lies, Hz.
        rate_deg: 95th percentile of the joint rates, deg/s.
        torque: 95th percentile of the joint torques, N m.
        high_torque: 99.9th percentile of the joint torques, N m.
        largest_torque: Largest joint torque, N m.
        force: 95th percentile of the forces across links in contact, N.
        work: Work of the motors over the path length of the centre of mass, J/m.
    """

    frequency: float
    rate_deg: float
    torque: float
    high_torque: float
    largest_torque: float
    force: float
    work: float


def wear(case: Case) -> Wear:
    """Run a case and measure it."""
    return measure(scenario(case, record_period=PERIOD).run())


def measure(run: Trajectory) -> Wear:
    """Measure the wear in a run with a row every 10 ms."""
    rows = run.time <= waypoint_times(run)[-1]
    rate = np.diff(run.columns["joint_angle"][rows], axis=0) / PERIOD
    torque = np.abs(run.columns["joint_torque"][rows])
    force = np.abs(measured_force(run)[rows])
    centre = run.centre_of_mass()[rows][:: round(_STRIDE / PERIOD)]
    way = np.hypot(*np.diff(centre, axis=0).T).sum()
    return Wear(
        frequency=_median_frequency(rate),
        rate_deg=float(np.degrees(np.percentile(np.abs(rate), 95))),
        torque=float(np.percentile(torque, 95)),
        high_torque=float(np.percentile(torque, 99.9)),
        largest_torque=float(torque.max()),
        force=float(np.percentile(force[force > 0], 95)),
        work=float(run.columns["energy_actuator"][rows][-1] / way),
    )


def _median_frequency(rate: np.ndarray) -> float:
    """Frequency below which half of the power of signals, (rows, joints), lies, Hz."""
    power = (np.abs(np.fft.rfft(rate - rate.mean(axis=0), axis=0)) ** 2).sum(axis=1)
    below = np.cumsum(power)
    index = np.searchsorted(below, 0.5 * below[-1])
    return float(np.fft.rfftfreq(len(rate), PERIOD)[index])
