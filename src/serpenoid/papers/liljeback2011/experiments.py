"""The paper's field, and many others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from serpenoid.papers.liljeback2011.study import (
    LIMIT_DEG,
    RADIUS,
    Case,
    Controller,
    Lack,
    Place,
    Solver,
    pass_through,
    scenario,
    wear,
)
from serpenoid.papers.paper import Each, Experiment
from serpenoid.papers.readings import Setting

# The field drawn in the figures: the first in which it goes as in the paper, that is, without
# adaptation the robot jams on the way to the third waypoint, and with it reaches all of them, by a
# motion that a real robot could make. A slow test looks for it among all fields.
SHOWN = 15
FIELDS, FIELDS_IF_QUICK = 20, 4
# Fields on which the fast solver goes on, for narrower intervals.
MANY = 100
# Fields for the sensitivities, the first of them.
FEWER = 10
CONTROLLERS: tuple[Controller, ...] = ("none", "printed", "limited")
PLACES: tuple[Place, ...] = ("centre", "outline")
SOLVERS: tuple[Solver, ...] = ("hybrid", "newton")
PEGS = (160, 240, 320, 400, 480)
OBSTACLE_FRICTION = (0.0, 0.1, 0.25, 0.5)
GROUND_FRICTION = (0.1, 0.3, 0.5)
GAINS = (0.002, 0.005, 0.01, 0.02, 0.04)
CUTOFFS = (0.75, 2.0, 5.0, 20.0)
# Half widths of the links for adaptive_path_following, m.
RADII = (RADIUS, 0.02)
LACKS: tuple[Lack, ...] = get_args(Lack)
# Whose wear is compared, in the field shown.
WORN = (Case(SHOWN, "adaptive", "outline"), Case(SHOWN, "limited"))
LIMITS_DEG = (10.0, 15.0, LIMIT_DEG, 30.0, 45.0)


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """All runs by name.

    Args:
        setting: Whether to take fewer fields, and no sensitivities.
    """
    quick = setting.quick
    cases = _usual(range(FIELDS_IF_QUICK)) if quick else _all_cases()
    more = [] if quick else _usual(range(FIELDS, MANY))
    return {
        "without": scenario(Case(SHOWN, "none"), duration=150.0, record_period=0.1),
        # The last waypoint is reached at 185 s; beyond it the pegs come to an end.
        "with_adaptation": scenario(Case(SHOWN, "limited"), duration=190.0, record_period=0.1),
        "fields": Each(pass_through, cases),
        "wear": Each(wear, [] if quick else WORN),
        "more_fields": Each(pass_through, more),
    }


def _usual(seeds: range) -> list[Case]:
    return [Case(seed, name) for name in CONTROLLERS for seed in seeds]


def _all_cases() -> list[Case]:
    """Slow ones first, so that no core is idle at the end."""
    kinds = [
        Case(0, controller, place, solver)
        for solver in SOLVERS
        for place in PLACES
        for controller in CONTROLLERS
    ]
    kinds += [
        Case(0, "adaptive", "outline", radius=radius, lacks=lack)
        for radius in RADII
        for lack in LACKS
    ]
    cases = [kind.on(seed) for kind in kinds for seed in range(FIELDS)]
    without_and_with: tuple[Controller, ...] = ("none", "limited")
    adapting: tuple[Controller, ...] = ("printed", "limited")
    sensitivities = [Case(0, name, pegs=pegs) for name in without_and_with for pegs in PEGS]
    sensitivities += [Case(0, "limited", obstacle_friction=mu) for mu in OBSTACLE_FRICTION]
    sensitivities += [Case(0, "limited", ground_friction=mu) for mu in GROUND_FRICTION]
    sensitivities += [Case(0, name, gain=k) for name in adapting for k in GAINS]
    sensitivities += [Case(0, name, cutoff=f) for name in adapting for f in CUTOFFS]
    sensitivities += [Case(0, "limited", limit_deg=limit) for limit in LIMITS_DEG]
    cases += [kind.on(seed) for kind in sensitivities for seed in range(FEWER)]
    # Some are among both.
    return list(dict.fromkeys(cases))
