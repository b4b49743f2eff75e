"""The runs of the paper, and those its text only mentions, under the readings."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any

from serpenoid.analysis.wave_maps import WaveMap, wave_map
from serpenoid.model.world import Peg
from serpenoid.papers.paper import Each, Experiment, Work
from serpenoid.papers.readings import Setting, combinations
from serpenoid.papers.transeth2008 import layouts, other_models, time_stepping
from serpenoid.papers.transeth2008.measures import flat_speed
from serpenoid.papers.transeth2008.mechanism import PushStatics, gray, notch, push_statics
from serpenoid.papers.transeth2008.readings import LAYOUT, PEGS, RADII, WAVE, natural
from serpenoid.papers.transeth2008.real_robot import other_steps, real_robots
from serpenoid.papers.transeth2008.tracks import (
    large_track,
    small_track,
    speeds_by_friction,
    wave_run,
)
from serpenoid.scenario.scenario import Scenario

# Starts before peg 3 that are tried, and length of these runs, s.
STARTS, STARTS_IF_QUICK, LONG = 40, 12, 13.0
FRICTION = (0.05, 0.1, 0.2, 0.4, 0.8)
FREQUENCIES = (40.0, 80.0, 160.0)
AMPLITUDES = (25.0, 30.0, 35.0, 40.0, 45.0)
PHASES = (-30.0, -40.0, -50.0, -60.0, -70.0, -80.0)
# Starts of each gait in these maps, and the radius of their pegs in VIII-B, m.
MAPPED, MAPPED_IF_QUICK, SMALL_RADIUS = 3, 1, 0.02
# Phases on pegs beside the centre line, and those at which three push-points are compared, deg.
PHASES_BESIDE, PHASES_OF_THREE = (-30.0, -50.0, -70.0), (-50.0, -70.0)
ANGLES = (10.0, 25.0, 40.0, 55.0, 70.0)
OFFSETS = (-0.08, -0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06, 0.08)
NOTCHES = (0.01, 0.0125, 0.03, 0.125)
# Of smooth friction, m/s, and of pegs, N/m, with the ratios of damping to the critical one.
SMOOTHINGS = (0.1, 0.01, 0.001, 0.0001)
STIFFNESSES = (0.0, 1e3, 1e4, 1e5, 1e6)
DAMPING_RATIOS = (0.0, 0.1, 0.3, 0.6, 1.0)
# Directions of sliding, and a slope that friction can hold, deg.
DIRECTIONS, SLOPE = (0.0, 20.0, 45.0, 70.0), 5.0
EXPLICIT_STEPS = (1e-4, 2.5e-4, 5e-4)
R_NORMAL = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
R_TANGENTIAL = (0.03, 0.1, 0.3, 1.0, 1.3, 1.5, 2.0)


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """All runs of the paper by name.

    Args:
        setting: The readings, and whether to take fewer starts.
    """
    flat = Scenario.load("aiko_flat", {"clock.duration": 4 * 4.5}).changed(
        {"controller": layouts.gait(setting)}
    )
    usual = Scenario.load("aiko_pegs").changed({"controller": layouts.gait(setting)})
    own, *every = (_track_of(each, quick=setting.quick) for each in (setting, *TRACKS))
    large = _case(own, layouts.large_pegs)
    large_ones = {large_key(each): _case(each, layouts.large_pegs) for each in every}
    return {
        "flat": flat,
        "track": Work(large_track, large),
        "small_pegs": Work(small_track, _case(own, layouts.small_pegs)),
        "every_track": Each(large_track, list(large_ones.values())),
        "every_small_pegs": Each(small_track, [_case(each, layouts.small_pegs) for each in every]),
        "real_robot": Work(real_robots, large),
        "other_steps": Work(other_steps, large),
        "flat_friction": Work(flat_speeds, flat, list(FRICTION)),
        "track_friction": Work(speeds_by_friction, large, list(FRICTION)),
        "phase_30": Work(wave_run, usual, -30.0),
        "phase_70": Work(wave_run, usual, -70.0),
        **_maps(setting, usual),
        **_theory(),
    }


# All natural combinations of what decides where pegs stand and how the robot moves.
TRACKS = combinations((PEGS, WAVE, LAYOUT, RADII), natural, {}, quick=False)


def _track_of(setting: Setting, *, quick: bool) -> Setting:
    """The readings that decide where pegs stand and how the robot moves."""
    names = (reading.name for reading in (PEGS, WAVE, LAYOUT, RADII))
    return Setting({name: setting[name] for name in names}, quick=quick)


def large_key(setting: Setting) -> tuple[str, str]:
    """Radius of the pegs and wave, on which the track of VIII-D depends."""
    return setting["pegs"], setting["wave"]


@functools.cache
def _case(setting: Setting, pegs: Callable[[Setting], tuple[Peg, ...]]) -> tuple[Scenario, int]:
    """A track, and how many starts are tried."""
    count = STARTS_IF_QUICK if setting.quick else STARTS
    return layouts.scenario(setting, pegs(setting), LONG), count


def _maps(setting: Setting, usual: Scenario) -> dict[str, Experiment]:
    """Maps over gaits and friction, on pegs laid out for each wave.

    Those over friction and frequency have the radius and the offset of the pegs of VIII-D, those
    over gaits are on the centre line, and a few beside it, at the offset of VIII-D.
    """
    starts = MAPPED_IF_QUICK if setting.quick else MAPPED
    radius = layouts.radius(setting)
    sign = math.copysign(1.0, layouts.gait(setting).amplitude_deg)
    thick = {"radius": radius, "offset": layouts.offset(radius), "starts": starts}
    gaits = {
        "amplitude_deg": [sign * size for size in AMPLITUDES],
        "phase_deg": list(PHASES),
        "radius": SMALL_RADIUS,
        "starts": starts,
    }
    # Push-points as far from the centre line as those of VIII-D.
    beside = {"radius": SMALL_RADIUS, "offset": layouts.offset(radius), "starts": starts}
    return {
        "beside_phases": Work(mapped, usual, beside | {"phase_deg": list(PHASES_BESIDE)}),
        "beside_amplitudes": Work(
            mapped, usual, beside | {"amplitude_deg": gaits["amplitude_deg"]}
        ),
        "friction_map": Work(mapped, usual, thick | {"mu": list(FRICTION)}),
        "frequency_map": Work(mapped, usual, thick | {"frequency_deg": list(FREQUENCIES)}),
        "gait_map": Work(mapped, usual, gaits),
    }


def _theory() -> dict[str, Experiment]:
    """Mechanisms, other models and the method, which no reading touches."""
    return {
        "gray": Each(gray_pair, [(alpha, beta) for alpha in ANGLES for beta in ANGLES]),
        "push_statics": Each(push_statics, OFFSETS),
        "phase_statics": Each(phase_statics, PHASES_OF_THREE),
        "notch": Each(notch, NOTCHES),
        "friction_laws": Work(friction_laws),
        "spring_pegs": Work(springs),
        "servo_step": Work(time_stepping.servo_step),
        "explicit_track": Each(time_stepping.explicit_track, EXPLICIT_STEPS),
        "r_normal": Each(converge, [(r, 1.3) for r in R_NORMAL]),
        "r_tangential": Each(converge_flat, R_TANGENTIAL),
        "largest_r": Work(largest_r),
    }


def mapped(scenario: Scenario, axes: Mapping[str, Any]) -> WaveMap:
    """A map, see `wave_map`."""
    return wave_map(scenario, **axes)


def gray_pair(angles: tuple[float, float]) -> Any:
    """Gray's three links, see `gray`, with alpha and beta in one argument."""
    return gray(*angles)


def phase_statics(phase_deg: float) -> PushStatics:
    """Three push-points on the centre line of a wave, see `push_statics`."""
    return push_statics(0.0, phase_deg=phase_deg)


def flat_speeds(flat: Scenario, several: list[float]) -> list[float]:
    """Speeds of the middle link on the flat with some coefficients of friction, m/s."""
    return [flat_speed(flat.changed({"friction.mu": mu}).run()) / 100 for mu in several]


def friction_laws() -> dict[str, list[Any]]:
    """Links that slide, and rest on a slope, and Aiko on the flat, by the name of the law.

    Returns:
        For each law its `Sliding` in some directions, `Resting` and `FlatRun`.
    """
    laws: dict[str, tuple[other_models.Law, float]] = {
        "coulomb": ("coulomb", 0.0),
        "orthotropic": ("orthotropic", 0.0),
        "rectangular": ("rectangular", 0.0),
        **{f"smooth, {s:g} m/s": ("smooth", s) for s in SMOOTHINGS},
    }
    return {
        name: [
            [other_models.sliding(law, angle) for angle in DIRECTIONS],
            other_models.resting(law, SLOPE, smoothing),
            other_models.flat_run(law, smoothing),
        ]
        for name, (law, smoothing) in laws.items()
    }


def springs() -> tuple[list[other_models.SpringPegs], list[float]]:
    """Aiko along pegs of springs, hard ones first, and rebounds by the ratio of damping."""
    runs = [other_models.spring_pegs(stiffness, 1e-3) for stiffness in STIFFNESSES]
    return runs, [other_models.rebound(1e5, ratio) for ratio in DAMPING_RATIOS]


def converge(pair: tuple[float, float]) -> time_stepping.Convergence:
    """A second along the track by the paper's method, with r_H and r_T."""
    return time_stepping.convergence(*pair)


def converge_flat(r_tangential: float) -> time_stepping.Convergence:
    """A second on the flat, where there is friction only, with r_T."""
    published = time_stepping.PUBLISHED_R_NORMAL
    return time_stepping.convergence(published, r_tangential, "aiko_flat")


def largest_r() -> tuple[time_stepping.LargestR, time_stepping.LargestR]:
    """Largest r_H and r_T on a robot that is held."""
    return time_stepping.largest_r_normal(), time_stepping.largest_r_tangential()
