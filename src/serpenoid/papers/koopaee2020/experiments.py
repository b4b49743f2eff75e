"""Both robots on two plates and over the stair, by gain, and what the best gain depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import numpy as np

from serpenoid.papers.koopaee2020.study import (
    GROUNDS,
    Case,
    Variant,
    Way,
    go,
    on_two_plates,
    scenario,
)
from serpenoid.papers.paper import Each, Experiment, Work
from serpenoid.papers.readings import Setting

VARIANTS: tuple[Variant, ...] = get_args(Variant)
HALF, PRINTED = VARIANTS
# Of Fig. 9, then the coarser ones of all other curves, and the few of a quick reproduction.
GAINS = tuple(np.round(np.arange(0.0, 15.05, 0.1), 1).tolist())
FEWER = tuple(np.arange(0.0, 15.5, 0.5).tolist())
FEW = tuple(np.arange(0.0, 15.5, 1.0).tolist())
# The paper's best gain, and ours, with which the robot is drawn; a slow test finds it again.
PUBLISHED_GAIN, BEST_GAIN = 10.1, 8.5
# Over the stair as in the paper.
STAIR = Case(HALF)
# The same within what is known and what is computed: these make the band around Fig. 9.
BAND: dict[str, Case] = {
    **{f"friction {mu:.2f}": replace(STAIR, friction=mu) for mu in (0.78, 0.80, 0.84, 0.86)},
    "time step 0.05 ms": replace(STAIR, time_step=5e-5),
    "Runge-Kutta": replace(STAIR, way="rk4"),
    "newton, 1 ms": replace(STAIR, way="newton"),
}
# Other springs, other contacts, the other robot.
OTHERS: dict[str, Case] = {
    **{f"springs of {k:g} N m/rad": replace(STAIR, stiffness=k) for k in (3.5, 4.3)},
    "with corners": replace(STAIR, corners=True),
    "with corners, newton, 1 ms": replace(STAIR, corners=True, way="newton"),
    "hard, newton, 1 ms": replace(STAIR, way="hard"),
    "hard, newton, 0.25 ms": replace(STAIR, way="hard", time_step=2.5e-4),
    "as printed": Case(PRINTED),
    "as printed, with corners": Case(PRINTED, corners=True),
    "as printed, hard, newton, 1 ms": Case(PRINTED, way="hard"),
}
# Of the joints, N m/rad, for the flat; the paper does not give it.
SPRINGS = (2.0, 3.2, 3.9, 5.0, 10.0, 30.0, 100.0, 300.0)
WAYS: tuple[Way, ...] = get_args(Way)


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """All runs by name.

    Args:
        setting: Whether to take few gains and vary nothing else.
    """
    quick = setting.quick
    flat = [Case(robot, "flat") for robot in VARIANTS]
    varied = [Case(PRINTED).at(gain) for gain in FEW[::5]]
    if not quick:
        # Other springs, other methods.
        flat += [Case(robot, "flat", stiffness=k) for robot in VARIANTS for k in SPRINGS]
        flat += [Case(HALF, "flat", way=way) for way in WAYS[1:]]
        # Slow ones first, so that no core is idle at the end.
        kinds = sorted(
            [*BAND.values(), *OTHERS.values()],
            key=lambda kind: ("rk4", "euler", "newton", "hard").index(kind.way),
        )
        varied = [kind.at(gain) for kind in kinds for gain in FEWER]
    grounds = [replace(kind, friction=mu) for kind in flat for mu in GROUNDS]
    return {
        "rough": scenario(Case(HALF, "flat"), duration=20.0),
        "plates": Work(on_two_plates, HALF),
        "plates_as_printed": Work(on_two_plates, PRINTED),
        "grounds": Each(go, grounds),
        "stair": scenario(STAIR),
        "stair_best": scenario(STAIR.at(BEST_GAIN)),
        "stair_published": scenario(STAIR.at(PUBLISHED_GAIN)),
        "stair_corners": scenario(replace(STAIR, corners=True, gain=PUBLISHED_GAIN)),
        "sweep": Each(go, [STAIR.at(k) for k in (FEW if quick else GAINS)]),
        "varied": Each(go, varied),
    }
