"""Maps of obstacle-aided locomotion: speed, impact and propulsion over gaits and friction."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from serpenoid.analysis.parameter_map import ParameterMap, different_numbers
from serpenoid.analysis.pushes import propulsive_share
from serpenoid.analysis.starts import StartBox, clear_starts, runs_of
from serpenoid.analysis.windows import between
from serpenoid.checks import whole_number
from serpenoid.control.gaits import Serpenoid
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import InvalidInput, SimulationStopped
from serpenoid.model.fields import pegs_for_wave, start_on_wave
from serpenoid.model.start import Start
from serpenoid.model.world import Peg
from serpenoid.scenario.scenario import Scenario

# Where a key of a map goes in a scenario.
_KEYS = {
    "amplitude_deg": "controller.amplitude_deg",
    "phase_deg": "controller.phase_deg",
    "frequency_deg": "controller.frequency_deg",
    "mu": "friction.mu",
}
_UNITS = {"speed": "m/s", "impact_force": "N", "propulsive_share": "1", "torque": "N m"}
# About the start on the wave, m and deg.
_BESIDE, _TURNED = 0.01, 2.0


@dataclasses.dataclass(frozen=True, eq=False)
class WaveMap(ParameterMap):
    """Measures of runs along pegs laid out for each wave, a row for each run.

    Columns are `amplitude_deg`, `phase_deg`, `frequency_deg` and `mu`, the number of the `start`,
    and the measures, NaN where a wave has no such pegs or no clear start, or a run ended early:

    - `speed`, m/s: of the centre of mass along the centre line, the way of the gait;
    - `impact_force`, N: the largest contact force on a link, mean of a recorded row;
    - `propulsive_share`: see `pushes.propulsive_share`;
    - `torque`, N m: root mean square of the joint torques.

    Attributes:
        columns: The columns by name, (runs,) each.
        reasons: Why waves have no runs, by their amplitude and phase, deg.
    """

    reasons: dict[tuple[float, float], str]

    _units = _UNITS

    def median(self) -> WaveMap:
        """The medians over the starts, those without a number left out.

        Returns:
            A map with one row for each gait and friction.
        """
        starts = len(np.unique(self["start"]))
        first = self._rows(slice(0, None, starts))
        columns = dict(first.columns)
        for name in _UNITS:
            values = self[name].reshape(-1, starts)
            known = np.isfinite(values).any(axis=1)
            columns[name] = np.full(len(values), np.nan)
            columns[name][known] = np.nanmedian(values[known], axis=1)
        return dataclasses.replace(first, columns=columns)


def wave_map(
    scenario: Scenario,
    *,
    amplitude_deg: Sequence[float] | None = None,
    phase_deg: Sequence[float] | None = None,
    frequency_deg: Sequence[float] | None = None,
    mu: Sequence[float] | None = None,
    radius: float = 0.02,
    offset: float = 0.0,
    starts: int = 3,
    seed: int = 0,
    periods: int = 3,
) -> WaveMap:
    """Run a robot with many gaits and frictions along pegs laid out for each wave.

    All combinations are run, each from the same clear starts along its wave, on all cores. The
    first period is left out of the measures.

    Args:
        scenario: The robot with a Serpenoid gait; its world keeps everything but its pegs.
        amplitude_deg: Amplitudes of the joint angles, deg; that of the scenario if not given.
        phase_deg: Phases from joint to joint, deg; that of the scenario if not given.
        frequency_deg: Frequencies, deg/s; that of the scenario if not given.
        mu: Friction of the ground; that of the scenario if not given.
        radius: Radius of the pegs, m.
        offset: Of `pegs_for_wave`, m.
        starts: Number of starts for each wave.
        seed: Seed of the starts.
        periods: Length of the runs in periods of the gait, at least 2.

    Returns:
        The map.

    Raises:
        InvalidInput: A value is not allowed, or no wave has pegs and starts.
    """
    if not isinstance(scenario.controller, Serpenoid):
        raise InvalidInput(
            f"scenario.controller = {type(scenario.controller).__name__} is not allowed: it must "
            "be a Serpenoid, for which pegs can be laid out"
        )
    whole_number("starts", starts)
    whole_number("periods", periods, least=2)
    given = {
        "amplitude_deg": amplitude_deg,
        "phase_deg": phase_deg,
        "frequency_deg": frequency_deg,
        "mu": mu,
    }
    axes = {name: _values(scenario, name, values) for name, values in given.items()}
    if 0.0 in axes["frequency_deg"]:
        raise InvalidInput("frequency_deg = 0 is not allowed: nothing would travel")
    reasons: dict[tuple[float, float], str] = {}
    laid: dict[tuple[float, ...], tuple[tuple[Peg, ...], tuple[Start, ...]]] = {}
    # Pegs are the same for all frequencies of one sign, which tells the way of the wave.
    signs = {math.copysign(1.0, frequency) for frequency in axes["frequency_deg"]}
    for amplitude, phase, sign in itertools.product(
        axes["amplitude_deg"], axes["phase_deg"], sorted(signs)
    ):
        base = _with(scenario, {"amplitude_deg": amplitude, "phase_deg": phase})
        base = _with(base, {"frequency_deg": sign})
        try:
            laid[amplitude, phase, sign] = _lay_out(base, radius, offset, starts, seed, periods)
        except InvalidInput as error:
            reasons[amplitude, phase] = str(error)
    if not laid:
        raise InvalidInput(
            f"no wave of the map has pegs and starts: {next(iter(reasons.values()))}"
        )
    rows = [dict(zip(axes, row, strict=True)) for row in itertools.product(*axes.values())]
    found: list[dict[str, float]] = [{}] * (len(rows) * starts)
    for frequency in dict.fromkeys(axes["frequency_deg"]):
        numbers: list[int] = []
        scenarios: list[Scenario] = []
        for k, row in enumerate(rows):
            wave = row["amplitude_deg"], row["phase_deg"], math.copysign(1.0, frequency)
            if row["frequency_deg"] == frequency and wave in laid:
                base = _timed(_placed(_with(scenario, row), laid[wave][0]), periods)
                numbers += range(k * starts, (k + 1) * starts)
                scenarios += [base.changed({"start": start}) for start in laid[wave][1]]
        for number, run in zip(numbers, runs_of(scenarios), strict=True):
            if not isinstance(run, SimulationStopped):
                found[number] = _measured(run)
    columns = {name: np.repeat([row[name] for row in rows], starts) for name in axes}
    columns["start"] = np.tile(np.arange(float(starts)), len(rows))
    for name in _UNITS:
        columns[name] = np.array([each.get(name, math.nan) for each in found])
    return WaveMap(columns, reasons)


def _values(scenario: Scenario, name: str, values: Sequence[float] | None) -> list[float]:
    """Values of one axis; NaN for a friction that has no mu and is not varied."""
    if values is not None:
        return different_numbers(name, values)
    if name == "mu":
        return [float(getattr(scenario.friction, "mu", math.nan))]
    return [float(getattr(scenario.controller, name))]


def _with(scenario: Scenario, row: Mapping[str, float]) -> Scenario:
    changes = {_KEYS[name]: value for name, value in row.items() if not math.isnan(value)}
    return scenario.changed(changes)


def _placed(scenario: Scenario, pegs: tuple[Peg, ...]) -> Scenario:
    """The scenario with these pegs in place of its own, whether listed or of a field."""
    without = scenario.changed({"world.field": None}) if scenario.world.field else scenario
    return without.changed({"world.pegs": pegs})


def _lay_out(
    scenario: Scenario, radius: float, offset: float, starts: int, seed: int, periods: int
) -> tuple[tuple[Peg, ...], tuple[Start, ...]]:
    """Pegs for a wave as far as the robot comes, and clear starts along it."""
    robot, gait = scenario.built[0], scenario.controller
    assert isinstance(gait, Serpenoid)
    along = start_on_wave(robot, gait)
    covered = math.ceil(len(robot.links) * abs(gait.phase_deg) / 180)
    pegs = pegs_for_wave(robot, gait, radius, offset, count=covered + 2 * periods + 2)
    ahead = _forward(gait) * (pegs[1].x - pegs[0].x) / 2
    box = StartBox(
        x=(min(0.0, ahead), max(0.0, ahead)),
        y=(along.y - _BESIDE, along.y + _BESIDE),
        heading_deg=(along.heading_deg - _TURNED, along.heading_deg + _TURNED),
    )
    begun = _placed(scenario, pegs).changed({"start": along})
    return pegs, clear_starts(begun, box, starts, seed).starts


def _timed(scenario: Scenario, periods: int) -> Scenario:
    """The scenario with a whole number of periods, up to the next row."""
    gait = scenario.controller
    assert isinstance(gait, Serpenoid)
    row = scenario.record.period
    lasts = gait.delay + periods * 360 / abs(gait.frequency_deg)
    return scenario.changed({"clock.duration": row * math.ceil(lasts / row - 1e-9)})


def _forward(gait: Serpenoid) -> int:
    return -1 if gait.phase_deg * gait.frequency_deg > 0 else 1


def _measured(run: Trajectory) -> dict[str, float]:
    """The measures of one run, after its first period."""
    gait: Any = run.scenario.controller
    period, forward = 360 / abs(gait.frequency_deg), _forward(gait)
    whole = math.floor((run.time[-1] - gait.delay) / period + 1e-9) - 1
    centre = run.centre_of_mass()[:, 0]
    gone = centre[-1] - np.interp(run.time[-1] - whole * period, run.time, centre)
    rest = between(run, run.time[run.time >= gait.delay + period - 1e-9][0])
    force = rest.columns["contact_force"][1:]
    measures = {
        "speed": float(forward * gone / (whole * period)),
        "impact_force": float(np.hypot(force[..., 0], force[..., 1]).max()),
        "torque": float(np.sqrt((rest.columns["joint_torque"][1:] ** 2).mean())),
    }
    if force.any():
        direction_deg = 0.0 if forward > 0 else 180.0
        measures["propulsive_share"] = propulsive_share(rest, direction_deg).total
    return measures
