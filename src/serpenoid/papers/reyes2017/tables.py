"""Table 2 beside ours, why it cannot be, and the first case study."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from serpenoid.papers.paper import Results, Table
from serpenoid.papers.reyes2017.claims import (
    PUBLISHED,
    index_of,
    ratio_bound,
    tied_ratio,
    values_of,
)
from serpenoid.papers.reyes2017.experiments import CaseStudy, EffectiveMass
from serpenoid.papers.reyes2017.setup import KAPPA

WORDS = {"load_norm": "‖a‖² of the load", "slippage_ratio": "slippage ratio"}


def _shape(angles: object) -> str:
    # No zero with a sign.
    return ", ".join(f"{angle:.0f}" for angle in np.degrees(np.asarray(angles)).round(2) + 0.0)


def _table2_rows(results: Results) -> list[list[str]]:
    study: CaseStudy = results["three_joints"]
    rows = [
        [
            "",
            "scenario",
            "published",
            "ours",
            "off",
            "bound above ours",
            "shape (deg)",
            "links cross",
        ]
    ]
    for (quantity, end), published in PUBLISHED.items():
        for scenario, (found, value) in enumerate(zip(study.extremes, published, strict=True), 1):
            index = index_of(found, quantity, end)
            ours = float(values_of(found, quantity)[index])
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


def _two_joints_rows(results: Results) -> list[list[str]]:
    study: CaseStudy = results["two_joints"]
    return _rows(study, np.ones(len(study.shapes), dtype=bool))


def _possible_rows(results: Results) -> list[list[str]]:
    study: CaseStudy = results["three_joints"]
    return _rows(study, ~study.crossed)


def _rows(study: CaseStudy, kept: npt.NDArray[np.bool_]) -> list[list[str]]:
    """Ends of all quantities over some of the shapes."""
    rows = [["", "scenario 1", "scenario 2", "scenario 3"]]
    for quantity, end in PUBLISHED:
        cells = []
        for found in study.extremes:
            values = values_of(found, quantity)[kept]
            index = values.argmax() if end == "best" else values.argmin()
            cells.append(f"{values[index]:.4g} at {_shape(study.shapes[kept][index])} deg")
        rows.append([f"{end} {WORDS[quantity]}", *cells])
    return rows


TABLES = (
    Table("Table 2 beside ours: three joints", _table2_rows),
    Table("Ours over shapes in which no links cross", _possible_rows),
    Table("Why Table 2 cannot come from Table 1", _proof_rows),
    Table("The first case study: two joints", _two_joints_rows),
)
