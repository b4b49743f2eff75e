"""Table 2 beside ours, why it cannot be, and the first case study."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from serpenoid.papers.paper import Results, table
from serpenoid.papers.reyes2017.claims import PUBLISHED, end_of, ratio_bound, tied_ratio, values_of
from serpenoid.papers.reyes2017.experiments import CaseStudy, EffectiveMass
from serpenoid.papers.reyes2017.in_time import FIRST, GOALS, InTime, Pushed
from serpenoid.papers.reyes2017.setup import KAPPA

WORDS = {"load_norm": "‖a‖² of the load", "slippage_ratio": "slippage ratio"}


def _shape(angles: object) -> str:
    # No zero with a sign.
    return ", ".join(f"{angle:.0f}" for angle in np.degrees(np.asarray(angles)).round(2) + 0.0)


@table("Table 2 beside ours: three joints")
def _table2_rows(results: Results) -> list[list[str]]:
    study: CaseStudy = results["three_joints"]
    head = ["", "scenario", "published", "ours", "off", "bound above ours", "shape (deg)"]
    rows = [[*head, "links cross"]]
    for (quantity, end), published in PUBLISHED.items():
        for scenario, (found, value) in enumerate(zip(study.extremes, published, strict=True), 1):
            index, ours = end_of(found, quantity, end)
            above = float(values_of(found, f"{quantity}_bound")[index])
            rows.append(
                [
                    f"{end} {WORDS[quantity]}",
                    str(scenario),
                    f"{value:.6g}",
                    f"{ours:.6g}",
                    f"{100 * (ours / value - 1):+.2g} %",
                    "exact" if above == ours else f"+{above / ours - 1:.0e}",
                    _shape(study.shapes[index]),
                    "yes" if study.crossed[index] else "no",
                ]
            )
    return rows


@table("Ours over shapes in which no links cross")
def _possible_rows(results: Results) -> list[list[str]]:
    study: CaseStudy = results["three_joints"]
    return _ends_of(study, ~study.crossed)


def _ends_of(study: CaseStudy, among: npt.NDArray[np.bool_] | None = None) -> list[list[str]]:
    """Ends of all quantities over all shapes, or some."""
    rows = [["", "scenario 1", "scenario 2", "scenario 3"]]
    for quantity, end in PUBLISHED:
        found = [end_of(extremes, quantity, end, among) for extremes in study.extremes]
        cells = [f"{value:.4g} at {_shape(study.shapes[k])} deg" for k, value in found]
        rows.append([f"{end} {WORDS[quantity]}", *cells])
    return rows


@table("Why Table 2 cannot come from Table 1")
def _proof_rows(results: Results) -> list[list[str]]:
    mass: EffectiveMass = results["effective_mass"]
    worst = PUBLISHED["load_norm", "worst"][0]
    ratio = PUBLISHED["slippage_ratio", "worst"][0]
    best = PUBLISHED["slippage_ratio", "best"]
    tied = tied_ratio(results, worst)
    return [
        ["quantity", "value"],
        ["least mass at the contact, m_c", f"{mass.least:.6f} m ({_shape(mass.least_shape)} deg)"],
        ["most", f"{mass.most:.6f} m ({_shape(mass.most_shape)} deg)"],
        ["largest sr there can be, κ / (κ + m_c)", f"{ratio_bound(results):.6f}"],
        ["published best sr, scenarios 2 and 3", f"{best[1]:.6f}, {best[2]:.6f}: too large"],
        [f"κ / m_c + 1 for κ = {KAPPA:g} and the least m_c", f"{KAPPA / mass.least + 1:.3f}"],
        ["published worst ‖a‖², scenario 1", f"{worst:.6g}"],
        ["largest sr of that shape", f"{tied:.6g}"],
        ["published worst sr, scenario 1", f"{ratio:.6g}: too large, it is at most that"],
    ]


@table("The first case study: two joints")
def _two_joints_rows(results: Results) -> list[list[str]]:
    return _ends_of(results["two_joints"])


@table("The push in time, no friction under the load")
def _in_time_rows(results: Results) -> list[list[str]]:
    found: InTime = results["in_time"]
    head = ["", "scenario", "shape (deg)", "sr predicted", f"off after {1000 * FIRST:g} ms"]
    later = (0.1, 0.5, 1.0)
    head += ["‖a‖² off", *(f"sr at {time:g} s" for time in later), "contact opens (s)"]
    rows = [[*head, "load moved (mm)"]]
    for best, goal in ((best, goal) for goal in GOALS for best in (False, True)):
        for push in found.free:
            if (push.best, push.goal) == (best, goal):
                cells = [f"{push.predicted:.4g}", _off(push.ratio_at(FIRST), push.predicted)]
                cells.append(_off(push.first_norm, push.predicted_norm))
                cells += [f"{push.ratio_at(time):.4g}" for time in later]
                rows.append([*_named(push), *cells, *_ends(push)])
    return rows


@table("The push in time, half the friction under the load that would hold it")
def _rough_rows(results: Results) -> list[list[str]]:
    found: InTime = results["in_time"]
    head = ["", "scenario", "shape (deg)", "held from μ =", "μ", "sr predicted"]
    head += [f"off after {1000 * FIRST:g} ms", "sr at 0.5 s", "contact opens (s)"]
    rows = [[*head, "load moved (mm)"]]
    for push in found.rough:
        cells = [f"{push.holding:.2g}", f"{push.friction:.2g}", f"{push.predicted:.4g}"]
        cells += [_off(push.ratio_at(FIRST), push.predicted), f"{push.ratio_at(0.5):.4g}"]
        rows.append([*_named(push), *cells, *_ends(push)])
    return rows


def _named(push: Pushed) -> list[str]:
    words = f"{'best' if push.best else 'worst'} {WORDS[push.goal]}"
    return [words, str(push.scenario), _shape(push.shape)]


def _ends(push: Pushed) -> list[str]:
    opens = "no" if push.opens is None else f"{push.opens:.2f}"
    return [opens, f"{1000 * push.moved:.2f}"]


def _off(measured: float, predicted: float) -> str:
    return f"{100 * (measured / predicted - 1) + 0.0:+.2f} %".replace("-0.00", "+0.00")
