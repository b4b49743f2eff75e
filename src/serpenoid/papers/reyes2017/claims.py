"""What the paper says, computed exactly."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from serpenoid.analysis.pushing import Extremes
from serpenoid.kernels.layout import Floats
from serpenoid.papers.paper import Results, claim
from serpenoid.papers.reyes2017.experiments import CaseStudy, EffectiveMass
from serpenoid.papers.reyes2017.setup import KAPPA
from serpenoid.papers.verdicts import Finding

End = Literal["worst", "best"]

# Table 2 by quantity and end; scenarios 1, 2, 3.
PUBLISHED: dict[tuple[str, End], tuple[float, float, float]] = {
    ("load_norm", "worst"): (0.000763215, 0.00107454, 0.00107454),
    ("load_norm", "best"): (0.00785302, 0.00861168, 0.00861168),
    ("slippage_ratio", "worst"): (0.00138484, 0.00185713, 0.00185098),
    ("slippage_ratio", "best"): (0.0267348, 0.988638, 0.988643),
}
# The best hundredth of all shapes.
_BEST_PART = 0.01


def values_of(extremes: Extremes, quantity: str) -> Floats:
    """A quantity of `Extremes` in every shape, (k,)."""
    values: Floats = getattr(extremes, quantity)
    return values


def end_of(
    extremes: Extremes, quantity: str, end: End, among: npt.NDArray[np.bool_] | None = None
) -> tuple[int, float]:
    """The best or worst shape.

    Args:
        extremes: Largest values in every shape of one scenario.
        quantity: The quantity compared.
        end: Best, the largest value, or worst, the least.
        among: Shapes to choose from, (k,); all if not given.

    Returns:
        Its index, and the value of the quantity.
    """
    values = values_of(extremes, quantity)
    worth = values if end == "best" else -values
    index = int((worth if among is None else np.where(among, worth, -np.inf)).argmax())
    return index, float(values[index])


def table2(results: Results, quantity: str, end: End) -> tuple[float, ...]:
    """One line of Table 2, measured: best or worst values in scenarios 1, 2 and 3."""
    study: CaseStudy = results["three_joints"]
    return tuple(end_of(found, quantity, end)[1] for found in study.extremes)


def ratio_bound(results: Results) -> float:
    """Upper bound of the slippage ratio for all shapes, wheels and torques."""
    mass: EffectiveMass = results["effective_mass"]
    return KAPPA / (KAPPA + mass.least)


def tied_ratio(results: Results, load_norm: float) -> float:
    """Largest slippage ratio in scenario 1 of a shape whose largest load norm is this.

    With an input at its bound, 1 = |qdd|^2 + (kappa / m_c + 2) |a|^2, so that
    sr = |a|^2 / (1 - (kappa / m_c + 1) |a|^2), which grows as m_c falls.
    """
    mass: EffectiveMass = results["effective_mass"]
    return load_norm / (1 - (KAPPA / mass.least + 1) * load_norm)


def _joined(values: tuple[float, ...]) -> str:
    return " / ".join(f"{value:.4g}" for value in values)


def _cells(results: Results, quantity: str, end: End) -> tuple[str, list[float], str]:
    """A line as text, how far it is off, and that in words."""
    measured, published = table2(results, quantity, end), PUBLISHED[quantity, end]
    off = [round(abs(a - b) / b, 9) for a, b in zip(measured, published, strict=True)]
    *most, last = [f"{100 * part:.2g}" for part in off]
    return _joined(measured), off, f"{', '.join(most)} and {last} % off"


def _near(off: list[float]) -> bool:
    return max(off) <= 0.10


@claim("worst ‖a‖² of the load, scenarios 1 / 2 / 3", _joined(PUBLISHED["load_norm", "worst"]))
def _worst_object_acceleration(results: Results) -> Finding:
    measured, off, words = _cells(results, "load_norm", "worst")
    published = PUBLISHED["load_norm", "worst"][0], PUBLISHED["slippage_ratio", "worst"][0]
    tied = tied_ratio(results, published[0])
    note = (
        f"{words}; in scenario 1 the shape with ‖a‖² = {published[0]:.4g} has sr <= {tied:.4g}, "
        f"less than the published {published[1]:.4g}, with our inertia of a link"
    )
    return Finding(measured, _near(off), note)


@claim("best ‖a‖² of the load, scenarios 1 / 2 / 3", _joined(PUBLISHED["load_norm", "best"]))
def _best_object_acceleration(results: Results) -> Finding:
    measured, off, words = _cells(results, "load_norm", "best")
    return Finding(measured, _near(off), f"{words}; ours are exact maxima over all allowed inputs")


@claim("worst slippage ratio, scenarios 1 / 2 / 3", _joined(PUBLISHED["slippage_ratio", "worst"]))
def _worst_slippage_ratio(results: Results) -> Finding:
    measured, off, words = _cells(results, "slippage_ratio", "worst")
    study: CaseStudy = results["three_joints"]
    ratio = study.extremes[2].slippage_ratio
    note = (
        f"{words}; in scenario 3 only where the wheel normals meet in a point, "
        f"{int(study.normals_meet.sum())} of {len(ratio)} shapes of the grid; in all others it is "
        f"at least {ratio[~study.normals_meet].min():.4g}"
    )
    return Finding(measured, _near(off), note)


@claim("best slippage ratio, scenarios 1 / 2 / 3", _joined(PUBLISHED["slippage_ratio", "best"]))
def _best_slippage_ratio(results: Results) -> Finding:
    measured, off, words = _cells(results, "slippage_ratio", "best")
    published, bound = PUBLISHED["slippage_ratio", "best"], ratio_bound(results)
    mass: EffectiveMass = results["effective_mass"]
    note = (
        f"{words}; at least {mass.least:.4g} link masses go along with the contact, so no shape "
        f"exceeds {bound:.5f}, as {published[1]:.5f} and {published[2]:.5f} do"
    )
    return Finding(measured, _near(off), note)


@claim("best slippage ratio without and with wheels", "from 0.03 to 0.99")
def _wheels_cut_slippage(results: Results) -> Finding:
    without, limited, ideal = table2(results, "slippage_ratio", "best")
    right = without < 0.05 and min(limited, ideal) > 0.95
    note = f"ideal wheels; {limited:.4g} with wheels that hold 0.1 of a link's weight"
    return Finding(f"from {without:.2g} to {ideal:.2g}", right, note)


@claim("angle of the centre of mass that pushes best without friction", "about ±90 deg", "deg")
def _com_at_right_angle_pushes_best(results: Results) -> Finding:
    study: CaseStudy = results["three_joints"]
    pushes, angle = study.extremes[0].load_norm, np.degrees(study.angle)
    order = np.argsort(-pushes)
    top = order[: round(_BEST_PART * len(order))]
    away = np.abs(np.abs(angle[top]) - 90)
    best = float(abs(angle[order[0]]))
    related = float(np.corrcoef(np.abs(np.sin(study.angle)), pushes)[0, 1])
    note = (
        f"the best shape of scenario 1; the best 1 % are within {away.max():.1f} deg of it, and "
        f"‖a‖² goes with the sine of the angle (correlation {related:.2f})"
    )
    return Finding(best, bool(away.max() <= 10.0), note)
