"""All shapes of the two case studies in three scenarios, and the push in time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from serpenoid.analysis.motion import count_crossings
from serpenoid.analysis.pushing import Extremes
from serpenoid.analysis.pushing.system import place
from serpenoid.kernels.layout import Floats
from serpenoid.papers.paper import Experiment, Work
from serpenoid.papers.readings import Setting
from serpenoid.papers.reyes2017.in_time import InTime, in_time
from serpenoid.papers.reyes2017.setup import LINK, pushing

ANGLES_DEG = np.arange(-135.0, 136.0, 10.0)
# The shape of Fig. 4.
SHOWN_DEG = (-135.0, -135.0)
# A shape of the grid whose wheel normals meet in a point, as in all with equal last angles.
MEETING_DEG = (-25.0, 45.0, 45.0)


@dataclass(frozen=True, eq=False)
class CaseStudy:
    """A robot in all shapes of the grid.

    Attributes:
        shapes: Joint angles, (k, joints), rad.
        distance: Distance of the centre of mass from the contact, (k,), m.
        angle: Its angle from the x axis of the pushing link, (k,), rad.
        extremes: Largest values in every shape, for each scenario.
        normals_meet: Whether the normals of ideal wheels meet in a point, (k,).
        crossed: Whether links cross each other, (k,), which the paper does not look at.
    """

    shapes: Floats
    distance: Floats
    angle: Floats
    extremes: tuple[Extremes, ...]
    normals_meet: npt.NDArray[np.bool_]
    crossed: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Artefact:
    """Slippage ratio and load norm around a shape whose wheel normals meet in a point.

    Attributes:
        shape: Joint angles, (3,), rad.
        offset: Offset of the last joint angle, without 0, (k,), rad.
        ratio: Largest slippage ratio in scenarios 2 and 3, (k,) each.
        ratio_there: The same in the shape itself.
        load_norm: Load norm in scenario 3, with the torques of the largest slippage ratio and the
            largest possible one, (k,) each.
        load_norm_there: The same in the shape itself.
    """

    shape: Floats
    offset: Floats
    ratio: tuple[Floats, Floats]
    ratio_there: tuple[float, float]
    load_norm: tuple[Floats, Floats]
    load_norm_there: tuple[float, float]


@dataclass(frozen=True, eq=False)
class EffectiveMass:
    """Least and largest effective mass of the robot at the contact, of all shapes.

    Attributes:
        least: Least effective mass, in masses of a link.
        least_shape: Joint angles at which it is reached, (3,), rad.
        most: Largest effective mass, in masses of a link.
        most_shape: Joint angles at which it is reached, (3,), rad.
    """

    least: float
    least_shape: Floats
    most: float
    most_shape: Floats


def experiments(setting: Setting) -> Mapping[str, Experiment]:
    """Both case studies, what Table 2 is judged by, and the push in time, by name.

    Args:
        setting: Whether to compute coarser curves.
    """
    return {
        "two_joints": Work(_case_study, 2),
        "three_joints": Work(_case_study, 3),
        "in_time": Work(_pushed),
        "effective_mass": Work(_effective_mass),
        "artefact": Work(_artefact, 20 if setting.quick else 200),
    }


def _pushed() -> InTime:
    return in_time(_case_study(3))


def _grid(joints: int) -> Floats:
    angles = np.radians(ANGLES_DEG)
    return np.array(list(itertools.product(angles, repeat=joints)))


def _case_study(joints: int) -> CaseStudy:
    shapes = _grid(joints)
    found = [pushing(joints, scenario).extremes(shapes) for scenario in (1, 2, 3)]
    ideal = pushing(joints, 3)
    distance, angle = ideal.centre_of_mass(shapes)
    where = place(ideal.robot, shapes)
    half = LINK.length / 2 * where.ahead
    return CaseStudy(
        shapes=shapes,
        distance=distance,
        angle=angle,
        extremes=tuple(found),
        normals_meet=ideal.normals_meet(shapes),
        crossed=count_crossings(where.centre - half, where.centre + half) > 0,
    )


def _effective_mass() -> EffectiveMass:
    """From the best and worst shapes of the grid downhill and uphill to any shape."""
    free, shapes = pushing(3, 1), _grid(3)
    mass = free.effective_mass(shapes)
    ends = []
    for sign in (1.0, -1.0):

        def height(shape: Floats, sign: float = sign) -> float:
            return float(sign * free.effective_mass(shape) / LINK.mass)

        starts = shapes[np.argsort(sign * mass)[:8]]
        exact = {"xatol": 1e-9, "fatol": 1e-14}
        runs = [minimize(height, start, method="Nelder-Mead", options=exact) for start in starts]
        end = min(runs, key=lambda run: float(run.fun))
        ends.append((sign * float(end.fun), np.asarray(end.x)))
    (least, least_shape), (most, most_shape) = ends
    return EffectiveMass(least, least_shape, most, most_shape)


def _artefact(points: int) -> Artefact:
    """Turn the last joint away from a shape whose wheel normals meet."""
    limited, ideal = pushing(3, 2), pushing(3, 3)
    shape = np.radians(MEETING_DEG)
    offset = np.radians(np.linspace(-20.0, 20.0, 2 * points))
    turned = shape + np.outer(np.append(offset, 0.0), [0.0, 0.0, 1.0])
    found, sliding = ideal.extremes(turned), limited.extremes(turned)
    reached = ideal.respond(turned, found.slippage_torque).load_norm
    ratio, pushed = (sliding.slippage_ratio, found.slippage_ratio), (reached, found.load_norm)
    return Artefact(
        shape=shape,
        offset=offset,
        ratio=(ratio[0][:-1], ratio[1][:-1]),
        ratio_there=(float(ratio[0][-1]), float(ratio[1][-1])),
        load_norm=(pushed[0][:-1], pushed[1][:-1]),
        load_norm_there=(float(pushed[0][-1]), float(pushed[1][-1])),
    )
