"""The runs of the paper, and those its text only mentions, under the readings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from serpenoid.analysis.wave_maps import WaveMap, wave_map
from serpenoid.papers.paper import Each, Experiment, Work
from serpenoid.papers.readings import Setting
from serpenoid.papers.transeth2008 import layouts
from serpenoid.papers.transeth2008.mechanism import gray, notch, push_statics
from serpenoid.papers.transeth2008.real_robot import real_robots
from serpenoid.papers.transeth2008.tracks import large_track, small_track, wave_run
from serpenoid.scenario.scenario import Scenario

# Starts before peg 3 that are tried, and length of these runs, s.
STARTS, STARTS_IF_QUICK, LONG = 40, 12, 13.0
FRICTION = (0.05, 0.1, 0.2, 0.4, 0.8)
FREQUENCIES = (40.0, 80.0, 160.0)
AMPLITUDES = (25.0, 30.0, 35.0, 40.0, 45.0)
PHASES = (-30.0, -40.0, -50.0, -60.0, -70.0, -80.0)
# Starts of each gait in these maps, and the radius of their pegs in VIII-B, m.
MAPPED, MAPPED_IF_QUICK, SMALL_RADIUS = 3, 1, 0.02
ANGLES = (10.0, 25.0, 40.0, 55.0, 70.0)
OFFSETS = (-0.08, -0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06, 0.08)


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """All runs of the paper by name.

    Args:
        setting: The readings, and whether to take fewer starts.
    """
    count = STARTS_IF_QUICK if setting.quick else STARTS
    flat = Scenario.load("aiko_flat", {"clock.duration": 4 * 4.5}).changed(
        {"controller": layouts.gait(setting)}
    )
    usual = Scenario.load("aiko_pegs").changed({"controller": layouts.gait(setting)})
    large = layouts.scenario(setting, layouts.large_pegs(setting), LONG)
    small = layouts.scenario(setting, layouts.small_pegs(setting), LONG)
    return {
        "flat": flat,
        "track": Work(large_track, large, count),
        "small_pegs": Work(small_track, small, count),
        "real_robot": Work(real_robots, large, count),
        "flat_friction": Work(flat_speeds, flat, list(FRICTION)),
        "phase_30": Work(wave_run, usual, -30.0),
        "phase_70": Work(wave_run, usual, -70.0),
        **_maps(setting, usual),
        **_mechanism(),
    }


def _maps(setting: Setting, usual: Scenario) -> dict[str, Experiment]:
    """Maps over gaits and friction; on the pegs of VIII-D, and of VIII-B on the centre line."""
    starts = MAPPED_IF_QUICK if setting.quick else MAPPED
    radius = layouts.radius(setting)
    sign = 1.0 if layouts.gait(setting).amplitude_deg > 0 else -1.0
    thick = {"radius": radius, "offset": layouts.offset(radius), "starts": starts}
    gaits = {
        "amplitude_deg": [sign * size for size in AMPLITUDES],
        "phase_deg": list(PHASES),
        "radius": SMALL_RADIUS,
        "starts": starts,
    }
    return {
        "friction_map": Work(mapped, usual, thick | {"mu": list(FRICTION)}),
        "frequency_map": Work(mapped, usual, thick | {"frequency_deg": list(FREQUENCIES)}),
        "gait_map": Work(mapped, usual, gaits),
    }


def _mechanism() -> dict[str, Experiment]:
    """Statics and mechanisms, which no reading touches."""
    return {
        "gray": Each(gray_pair, [(alpha, beta) for alpha in ANGLES for beta in ANGLES]),
        "push_statics": Each(push_statics, OFFSETS),
        "notch": Each(notch, (0.01, 0.0125, 0.03, 0.125)),
    }


def mapped(scenario: Scenario, axes: Mapping[str, Any]) -> WaveMap:
    """A map, see `wave_map`."""
    return wave_map(scenario, **axes)


def gray_pair(angles: tuple[float, float]) -> Any:
    """Gray's three links, see `gray`, with alpha and beta in one argument."""
    return gray(*angles)


def flat_speeds(flat: Scenario, several: list[float]) -> list[float]:
    """Speeds of the middle link on the flat with some coefficients of friction, m/s."""
    speeds = []
    for mu in several:
        run = flat.changed({"friction.mu": mu}).run()
        x = run.columns["x"][:, layouts.MIDDLE]
        speeds.append(float((x[-1] - x[0]) / run.time[-1]))
    return speeds
