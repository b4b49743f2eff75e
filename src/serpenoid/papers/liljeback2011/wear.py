"""What a motion demands of motors and gears."""

from __future__ import annotations

import numpy as np

from serpenoid.analysis.following import measured_force, waypoint_times
from serpenoid.engine.trajectory import Trajectory
from serpenoid.kernels.layout import Floats
from serpenoid.papers.liljeback2011.study import Case, scenario

# Rates, torques and forces that wear motors and gears are means over this time, s.
WEAR_PERIOD = 0.01
# The path length of the centre of mass is summed over points at this interval, s.
_STRIDE = 1.0


def wear(case: Case) -> dict[str, float]:
    """Run a case and measure its wear."""
    return measure_wear(scenario(case, record_period=WEAR_PERIOD).run())


def measure_wear(run: Trajectory) -> dict[str, float]:
    """Measure the wear until the last waypoint in a run with a row every 10 ms.

    Returns:
        Demands on motors and gears by the keys, and in the units, of `extension_tables.WEAR`.
    """
    rows = run.time <= waypoint_times(run)[-1]
    rate = np.diff(run.columns["joint_angle"][rows], axis=0) / WEAR_PERIOD
    torque = np.abs(run.columns["joint_torque"][rows])
    force = np.abs(measured_force(run)[rows])
    centre = run.centre_of_mass()[rows][:: round(_STRIDE / WEAR_PERIOD)]
    path_length = np.hypot(*np.diff(centre, axis=0).T).sum()
    found = {
        "rate_frequency": _median_frequency(rate),
        "rate_95": np.degrees(np.percentile(np.abs(rate), 95)),
        "torque_95": np.percentile(torque, 95),
        "torque_99_9": np.percentile(torque, 99.9),
        "torque_largest": torque.max(),
        "force_95": np.percentile(force[force > 0], 95),
        "work": run.columns["energy_actuator"][rows][-1] / path_length,
    }
    return {key: float(value) for key, value in found.items()}


def _median_frequency(rate: Floats) -> float:
    """Frequency below which half of the power of signals, (rows, joints), lies, Hz."""
    power = (np.abs(np.fft.rfft(rate - rate.mean(axis=0), axis=0)) ** 2).sum(axis=1)
    below = np.cumsum(power)
    index = np.searchsorted(below, 0.5 * below[-1])
    return float(np.fft.rfftfreq(len(rate), WEAR_PERIOD)[index])
