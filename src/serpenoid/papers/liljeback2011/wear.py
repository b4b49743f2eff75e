"""What a controller demands of motors and gears until the last waypoint."""

from __future__ import annotations

import numpy as np

from serpenoid.analysis.following import measured_force, waypoint_times
from serpenoid.engine.trajectory import Trajectory
from serpenoid.papers.liljeback2011.study import Case, scenario

# Rates, torques and forces are means over this time, s.
PERIOD = 0.01
# The path length of the centre of mass is summed over points at this interval, s.
_STRIDE = 1.0


def wear(case: Case) -> dict[str, float]:
    """Run a case and measure it."""
    return measure(scenario(case, record_period=PERIOD).run())


def measure(run: Trajectory) -> dict[str, float]:
    """Measure the wear until the last waypoint in a run with a row every 10 ms.

    Returns:
        Demands on motors and gears by what they are, with their unit.
    """
    rows = run.time <= waypoint_times(run)[-1]
    rate = np.diff(run.columns["joint_angle"][rows], axis=0) / PERIOD
    torque = np.abs(run.columns["joint_torque"][rows])
    force = np.abs(measured_force(run)[rows])
    centre = run.centre_of_mass()[rows][:: round(_STRIDE / PERIOD)]
    path_length = np.hypot(*np.diff(centre, axis=0).T).sum()
    wear = {
        "median frequency of the joint rates (Hz)": _median_frequency(rate),
        "95 % of the joint rates below (deg/s)": np.degrees(np.percentile(np.abs(rate), 95)),
        "95 % of the torques below (N m)": np.percentile(torque, 95),
        "99.9 % of the torques below (N m)": np.percentile(torque, 99.9),
        "largest torque (N m)": torque.max(),
        "95 % of the forces across links in contact below (N)": np.percentile(force[force > 0], 95),
        "work of the motors (J/m)": run.columns["energy_actuator"][rows][-1] / path_length,
    }
    return {words: float(value) for words, value in wear.items()}


def _median_frequency(rate: np.ndarray) -> float:
    """Frequency below which half of the power of signals, (rows, joints), lies, Hz."""
    power = (np.abs(np.fft.rfft(rate - rate.mean(axis=0), axis=0)) ** 2).sum(axis=1)
    below = np.cumsum(power)
    index = np.searchsorted(below, 0.5 * below[-1])
    return float(np.fft.rfftfreq(len(rate), PERIOD)[index])
