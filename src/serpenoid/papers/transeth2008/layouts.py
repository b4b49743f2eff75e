"""Pegs and starts of Aiko under the readings."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

from serpenoid.control.gaits import Serpenoid
from serpenoid.kernels.layout import Floats
from serpenoid.model.fields import aiko_track, pegs_for_wave, start_on_wave
from serpenoid.model.robots import aiko
from serpenoid.model.world import Peg, World
from serpenoid.papers.readings import Setting
from serpenoid.scenario.scenario import Scenario

# VIII-B prints eight radii for seven pegs; one of them is too many.
PRINTED_RADII = (0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03)
# Number of the middle link, the paper's link 6, and of the pegs.
MIDDLE, COUNT = 5, 7
# Centres of the published pegs: positions along the track, centre line and half distance from side
# to side, m. The first is to the left.
_X = np.array([peg.x for peg in aiko_track()])
_LEFT, _RIGHT = (float(np.mean([peg.y for peg in aiko_track()[side::2]])) for side in (0, 1))
CENTRE_LINE, HALF_WIDTH = (_LEFT + _RIGHT) / 2, (_LEFT - _RIGHT) / 2
_SIDE = (-1.0) ** np.arange(COUNT)
# Two pegs along the track, a whole wave, and where the middle link is before peg 3, m.
WAVE, _BEFORE = 2 * float(np.diff(_X).mean()), 0.2
# Range of offsets from the centre line among which that of the track is looked for, m.
_OFFSETS = (-0.05, 0.07)


def gait(setting: Setting) -> Serpenoid:
    """The wave (71), counted from the tail, where the printed one has a negative amplitude."""
    return Serpenoid(-40.0 if setting["wave"] == "printed" else 40.0, 80.0, -50.0)


def radius(setting: Setting) -> float:
    """Radius of the pegs of VIII-D, m."""
    return float(setting["pegs"])


@functools.cache
def offset(peg_radius: float) -> float:
    """Distance from the centre line of the places that pegs of the published track touch, m.

    Args:
        peg_radius: Radius of the pegs, m.

    Returns:
        The offset, as of `pegs_for_wave`: positive to the side of the peg.
    """
    wave = Serpenoid(40.0, 80.0, -50.0)

    def too_far(at: float) -> float:
        return abs(pegs_for_wave(aiko(), wave, peg_radius, at)[0].y) - HALF_WIDTH

    return float(brentq(too_far, *_OFFSETS))


def _towards_robot(wave: Serpenoid, at: float) -> Floats:
    """Direction from a peg to its left to the robot, at an offset from the centre line, (2,)."""
    thin, thick = (pegs_for_wave(aiko(), wave, r, at)[0] for r in (0.01, 0.02))
    direction = np.array([thin.x - thick.x, -abs(thin.y - thick.y)]) / 0.01
    return direction


def _beside(wave: Serpenoid, peg_radius: float, at: float) -> Floats:
    """Pegs of the steady wave, as far as they match the published ones, (7, 2), m.

    The middle link is at x = 0, the centre line at y = 0.
    """
    pegs = pegs_for_wave(aiko(), wave, peg_radius, at, count=COUNT + 1)
    first = 0 if pegs[0].y > 0 else 1
    return np.array([(peg.x, peg.y) for peg in pegs[first : first + COUNT]])


def _wave_at(setting: Setting) -> float:
    """Where the middle link is in the wave whose pegs are those of VIII-D, m."""
    wave, thick = gait(setting), radius(setting)
    return float(np.mean(_X - _beside(wave, thick, offset(thick))[:, 0]))


def place(setting: Setting) -> float:
    """Position of the middle link at which the robot lies along the wave, its head before peg 3, m.

    A wave further on it lies among three pegs.
    """
    x = _wave_at(setting)
    return x if x < _BEFORE else x - WAVE


def small_pegs(setting: Setting) -> tuple[Peg, ...]:
    """The pegs of VIII-B."""
    radii = PRINTED_RADII[:-1] if setting["radii"] == "first seven" else PRINTED_RADII[1:]
    if setting["layout"] == "centres":
        return aiko_track(radii)
    wave, thick = gait(setting), radius(setting)
    if setting["layout"] == "contact points":
        moved = np.subtract(thick, radii)[:, None] * _towards_robot(wave, offset(thick))
        centres = np.array([(peg.x, peg.y) for peg in aiko_track()])
    else:
        # Laid out for a radius; then each is made smaller or larger about its contact point.
        usual = 0.02
        moved = np.subtract(usual, radii)[:, None] * _towards_robot(wave, 0.0)
        centres = _beside(wave, usual, 0.0) + np.array([_wave_at(setting), CENTRE_LINE])
    moved[:, 1] *= _SIDE
    return tuple(
        Peg(x=x, y=y, radius=r) for (x, y), r in zip((centres + moved).tolist(), radii, strict=True)
    )


def large_pegs(setting: Setting) -> tuple[Peg, ...]:
    """The pegs of VIII-D."""
    return aiko_track(radius(setting))


def without_peg_3(pegs: Sequence[Peg]) -> tuple[Peg, ...]:
    """The track without its third peg [VIII-B1]."""
    return (*pegs[:2], *pegs[3:])


def peg_3_moved(pegs: Sequence[Peg]) -> tuple[Peg, ...]:
    """The track with its third peg one diameter of a link to the left [VIII-B1]."""
    third, width = pegs[2], 2 * aiko().links[0].radius
    return (*pegs[:2], Peg(x=third.x, y=third.y + width, radius=third.radius), *pegs[3:])


def scenario(setting: Setting, pegs: Sequence[Peg], duration: float) -> Scenario:
    """Aiko along the wave, its head before peg 3, where it may touch the pegs.

    Args:
        setting: The readings.
        pegs: The pegs.
        duration: Length of the run, s.

    Returns:
        The scenario, which records contacts.
    """
    wave = gait(setting)
    along = start_on_wave(aiko(), wave)
    return Scenario.load("aiko_pegs").changed(
        {
            "world": World(pegs=tuple(pegs)),
            "controller": wave,
            "start": {
                "link": along.link,
                "x": place(setting),
                "y": CENTRE_LINE + along.y,
                "heading_deg": along.heading_deg,
            },
            "clock.duration": duration,
            "record.contacts": True,
        }
    )
