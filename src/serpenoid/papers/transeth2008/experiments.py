"""The runs of the paper, and those its text only mentions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from serpenoid.control.gaits import Serpenoid
from serpenoid.engine.trajectory import Trajectory
from serpenoid.errors import Overlap
from serpenoid.model.fields import aiko_track
from serpenoid.papers.paper import Experiment, Failed, Work
from serpenoid.papers.readings import Setting
from serpenoid.scenario.scenario import Scenario

# VIII-B prints eight radii for seven pegs; one of them is too many.
PRINTED_RADII = (0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03)
THIN_RADII = (0.0125,) * 7
# Clear starts tried with other phases.
STARTS, STARTS_IF_QUICK = 40, 8


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """All runs of the paper by name.

    Args:
        setting: Whether to take shorter runs and smaller studies.
    """
    quick = setting.quick
    track = Scenario.load("aiko_pegs")
    periods = 2 if quick else 4
    flat = Scenario.load("aiko_flat", {"clock.duration": periods * 360 / 80})
    small = track.changed({"start.y": 0.16, "clock.duration": 12.0})
    first, last = PRINTED_RADII[:-1], PRINTED_RADII[1:]
    left = 2 * track.built[0].links[0].radius
    starts = STARTS_IF_QUICK if quick else STARTS
    return {
        "flat": flat,
        "track": track,
        "small_pegs": small.changed({"world": _pegs(first), "record.period": 0.001}),
        "peg3_removed": small.changed({"world": _pegs(first, removed=True)}),
        "peg3_moved": small.changed({"world": _pegs(first, moved=left)}),
        "peg3_moved_last_radii": Work(
            _run_clear, small.changed({"world": _pegs(last, moved=left)})
        ),
        "peg3_moved_thin": small.changed({"world": _pegs(THIN_RADII, moved=left)}),
        "phase_30": Work(_run_clear, _phase(track, -30.0)),
        "phase_70": Work(_run_clear, _phase(track, -70.0)),
        "phase_30_starts": Work(_from_everywhere, _phase(track, -30.0), starts),
        "phase_70_starts": Work(_from_everywhere, _phase(track, -70.0), starts),
        "causes": Work(_causes, track, quick),
    }


def _pegs(
    radii: tuple[float, ...], *, moved: float = 0.0, removed: bool = False
) -> dict[str, list[dict[str, float]]]:
    """The track as a world section, its third peg moved to the left or left out [VIII-B1]."""
    pegs = [{"x": peg.x, "y": peg.y, "radius": peg.radius} for peg in aiko_track(radii)]
    pegs[2]["y"] += moved
    if removed:
        del pegs[2]
    return {"pegs": pegs}


def _phase(track: Scenario, phase_deg: float) -> Scenario:
    """The robot with another phase shift, on pegs laid out for it [Fig. 12].

    Pegs of the published track are half a wave apart (0.368 m; the wave of -50 deg gives 0.367 m),
    on alternate sides of the centre line; so they are for the other waves.
    """
    published = aiko_track()
    upper, lower = (float(np.mean([peg.y for peg in published[side::2]])) for side in (0, 1))
    assert isinstance(track.controller, Serpenoid)
    amplitude = math.radians(abs(track.controller.amplitude_deg))
    phase = math.radians(abs(phase_deg))
    # Link angles of a serpenoid wave: differences of neighbours have the joints' amplitude.
    link_angle = amplitude / (2 * math.sin(phase / 2))
    links = np.linspace(0.0, math.pi / phase, 1001)
    shortened = float(np.trapezoid(np.cos(link_angle * np.cos(phase * links)), links))
    half_wave = track.built[0].links[0].length * shortened
    pegs = [
        {
            "x": published[0].x + number * half_wave,
            "y": lower if number % 2 else upper,
            "radius": published[0].radius,
        }
        for number in range(len(published) + 2)
    ]
    changes = {"controller.phase_deg": phase_deg, "start.y": (upper + lower) / 2}
    return track.changed(changes | {"world": {"pegs": pegs}})


def _clear(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario from starts at which no link stands in a peg, nearest to its own first."""
    start = scenario.start
    shifts = itertools.product(
        np.arange(-0.2, 0.21, 0.04), np.arange(-0.04, 0.05, 0.02), np.arange(-15.0, 16.0, 5.0)
    )
    # A degree turns the ends of the robot by about a centimetre.
    for x, y, turn in sorted(shifts, key=lambda s: abs(s[0]) + abs(s[1]) + 0.01 * abs(s[2])):
        place = {"start.x": start.x + x, "start.y": start.y + y}
        moved = scenario.changed(place | {"start.heading_deg": start.heading_deg + turn})
        if _run_or_none(moved.changed({"clock.duration": moved.record.period})) is not None:
            yield moved
    raise Failed("no other start pose is clear of the pegs")


def _run_clear(scenario: Scenario) -> Trajectory:
    """The run from the nearest clear start."""
    return next(_clear(scenario)).run()


def _from_everywhere(scenario: Scenario, count: int) -> list[Trajectory]:
    """Runs from many starts."""
    return [started.run() for started in itertools.islice(_clear(scenario), count)]


def _run_or_none(scenario: Scenario) -> Trajectory | None:
    """The run, or None if the robot would stand in a peg."""
    try:
        return scenario.run()
    except Overlap:
        return None


def _causes(track: Scenario, quick: bool) -> dict[tuple[str, str], Trajectory | None]:
    """The four causes of VIII-E, one at a time, and those with known amounts together.

    Returns:
        The run by cause and value, or None if the robot would stand in a peg.
    """
    delay, play, limit = "controller.delay", "actuator.deadband_deg", "actuator.torque_limit"
    cases: list[tuple[str, str, dict[str, Any]]] = [
        *(("start delay", f"{1000 * t:.0f} ms", {delay: t}) for t in (0.05, 0.10, 0.15)),
        *(("torque limit", f"{most:g} N m", {limit: most}) for most in (1.5, 2.0, 3.0, 5.0)),
        *(("gear play", f"{angle:g} deg", {play: angle}) for angle in (2.0, 2.5, 3.0)),
        ("delay and play", "50 ms and 2 deg", {delay: 0.05, play: 2.0}),
        ("delay and play", "150 ms and 3 deg", {delay: 0.15, play: 3.0}),
    ]
    if not quick:
        start = track.start
        cases += [
            ("placement", "x -1 cm", {"start.x": start.x - 0.01}),
            ("placement", "x +2 cm", {"start.x": start.x + 0.02}),
            ("placement", "y -1 cm", {"start.y": start.y - 0.01}),
            ("placement", "y +1 cm", {"start.y": start.y + 0.01}),
            ("placement", "heading -4 deg", {"start.heading_deg": start.heading_deg - 4}),
            ("placement", "heading +4 deg", {"start.heading_deg": start.heading_deg + 4}),
        ]
    return {(cause, value): _run_or_none(track.changed(new)) for cause, value, new in cases}
