"""The runs of the paper, and those its text only mentions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from serpenoid.errors import InvalidInput
from serpenoid.fields import aiko_track
from serpenoid.scenario.scenario import Scenario
from serpenoid.trajectory import Trajectory

if TYPE_CHECKING:
    from serpenoid.papers.paper import Experiment

# Radii in VIII-B, where eight are printed for seven pegs; the last is dropped.
SMALL_RADII = (0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02)
LINK_DIAMETER = 2 * 0.0525
SERVO = {"kind": "servo", "kp": 800.0, "kd": 2.0}


def experiments(quick: bool) -> Mapping[str, Experiment]:
    """Every run of the paper; quick: shorter runs and smaller studies."""
    track = Scenario.load("aiko_pegs")
    small = track.changed(
        {"world.field.radius": list(SMALL_RADII), "start.y": 0.16, "clock.duration": 12.0}
    )
    finely = {"record.period": 0.001}
    return {
        "flat": Scenario.load("aiko_flat", {"clock.duration": 10.0 if quick else 20.0}),
        "track": track,
        "small_pegs": small.changed(finely),
        "peg3_removed": small.changed({"world": _pegs(SMALL_RADII, removed=True)}),
        "peg3_moved": small.changed({"world": _pegs(SMALL_RADII, moved=LINK_DIAMETER)}),
        "peg3_moved_thin": track.changed(
            {"world": _pegs((0.0125,) * 7, moved=LINK_DIAMETER), "clock.duration": 12.0}
        ),
        "phase_30": _phase(track, -30.0),
        "phase_70": _phase(track, -70.0),
        "causes": lambda: _causes(track, quick),
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

    Pegs of the published track are half a wave apart (0.368 m, the wave of -50 deg gives 0.367 m),
    on alternate sides of the centre line; so they are for the other waves.
    """
    published = aiko_track()
    middle = float(np.mean([peg.y for peg in published]))
    offset = float(np.mean([abs(peg.y - middle) for peg in published]))
    amplitude = math.radians(40.0)
    phase = math.radians(abs(phase_deg))
    link_angle = amplitude / (2 * math.sin(phase / 2))
    links = np.linspace(0.0, math.pi / phase, 1001)
    half_wave = 0.122 * float(np.trapezoid(np.cos(link_angle * np.cos(phase * links)), links))
    pegs = [
        {
            "x": published[0].x + number * half_wave,
            "y": middle + offset * (-1) ** number,
            "radius": published[0].radius,
        }
        for number in range(len(published) + 2)
    ]
    changes = {"world": {"pegs": pegs}, "controller.phase_deg": phase_deg, "start.y": middle}
    return _clear(track.changed(changes))


def _clear(scenario: Scenario) -> Scenario:
    """The scenario with the start nearest to its own at which no link stands in a peg."""
    shifts = sorted(np.arange(-0.3, 0.31, 0.02), key=abs)
    for heading_deg in (0.0, 5.0, -5.0, 10.0, -10.0, 15.0, -15.0):
        for shift in shifts:
            moved = scenario.changed(
                {"start.x": scenario.start.x + float(shift), "start.heading_deg": heading_deg}
            )
            if _runs(moved.changed({"clock.duration": moved.record.period})) is not None:
                return moved
    raise InvalidInput("no start pose is clear of the pegs")


def _runs(scenario: Scenario) -> Trajectory | None:
    """The run, or None if the robot would stand in a peg."""
    try:
        return scenario.run()
    except InvalidInput:
        return None


def _causes(track: Scenario, quick: bool) -> list[tuple[str, str, Trajectory | None]]:
    """The four causes of VIII-E, one at a time and together: cause, value, run or None."""
    cases: list[tuple[str, str, dict[str, Any]]] = [
        *(
            ("start delay", f"{1000 * delay:.0f} ms", {"controller.delay": delay})
            for delay in (0.05, 0.10, 0.15)
        ),
        *(
            ("torque limit", f"{limit:g} N m", {"actuator": SERVO | {"torque_limit": limit}})
            for limit in (2.0, 3.0, 5.0, 8.0)
        ),
        *(
            ("gear play", f"{play:g} deg", {"actuator": SERVO | {"deadband_deg": play}})
            for play in (2.0, 2.5, 3.0)
        ),
    ]
    for key, unit, shifts in (
        ("x", "cm", (-0.01, 0.02)),
        ("y", "cm", (-0.01, 0.01)),
        ("heading_deg", "deg", (-4.0, 4.0)),
    ):
        for shift in shifts:
            value = getattr(track.start, key) + shift
            shown = shift if unit == "deg" else 100 * shift
            words = f"{key.removesuffix('_deg')} {shown:+g} {unit}"
            cases.append(("placement", words, {f"start.{key}": value}))
    for delay, play in ((0.05, 2.0), (0.15, 3.0)):
        both = {"actuator": SERVO | {"deadband_deg": play}, "controller.delay": delay}
        cases.append(("delay and play", f"{1000 * delay:.0f} ms and {play:g} deg", both))
    if quick:
        cases = [case for case in cases if case[0] != "placement"]

    return [(cause, value, _runs(track.changed(changes))) for cause, value, changes in cases]
