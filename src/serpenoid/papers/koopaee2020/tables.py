"""Tables of the report: both robots, what the best gain depends on, springs, methods."""

from __future__ import annotations

from serpenoid.papers.koopaee2020.claims import (
    CLAIMS,
    PUBLISHED,
    adaptive_gain,
    curve,
    ends,
    flat_speeds,
)
from serpenoid.papers.koopaee2020.experiments import BAND, HALF, OTHERS, SPRINGS, STAIR, VARIANTS
from serpenoid.papers.koopaee2020.study import Case, Way
from serpenoid.papers.paper import Results, table
from serpenoid.papers.report import shown

# What the paper measured of its real robot, in the unit of the claim.
REAL = {
    "flat_speed": 2.40,
    "friction_effect": 20.3,
    "torque_peak_effect": 4.3,
    "stair_best_speed": 1.3,
}
WORDS_FOR_WAYS: dict[Way, str] = {
    "euler": "semi-implicit Euler, 0.1 ms",
    "rk4": "Runge-Kutta, 0.1 ms",
    "newton": "newton, 1 ms",
    "hard": "newton, 1 ms, hard ground",
}
_NEARLY = 0.99


@table("Both robots beside the paper")
def _both_rows(results: Results) -> list[list[str]]:
    rows = [["", "published", "links of 14 cm", "links of 7 cm", "real robot, published"]]
    for name, (words, published, _) in PUBLISHED.items():
        claims = [claim for claim in CLAIMS if claim.id in (name, f"{name}_as_printed")]
        values = [claim.check(results).measured for claim in claims]
        cells = (shown(value, claims[0].unit) for value in (published, *values, REAL.get(name)))
        rows.append([words, *cells])
    return rows


@table("Over the stair: what the best gain depends on")
def _gain_rows(results: Results) -> list[list[str]]:
    head = ["", "speed at k_c 0 (cm/s)", "best speed (cm/s)", "best k_c", "at least 99 % of it"]
    rows = [[*head, "faster by", "gains with which it is over"]]
    for name, kind in {"as in Fig. 9": STAIR, **BAND, **OTHERS}.items():
        runs = curve(results, kind)
        without, best = ends(runs)
        nearly = [run.case.gain for run in runs if run.speed >= _NEARLY * best.speed]
        rows.append(
            [
                name,
                f"{without:.2f}",
                f"{100 * best.speed:.2f}",
                f"{best.case.gain:g}",
                f"{len(nearly)} of {len(runs)}, k_c {nearly[0]:g} to {nearly[-1]:g}",
                f"{adaptive_gain(runs):+.0f} %",
                f"{sum(run.over for run in runs)} of {len(runs)}",
            ]
        )
    return rows


@table("On the flat: springs of the joints")
def _spring_rows(results: Results) -> list[list[str]]:
    rows = [["links", "spring (N m/rad)", "rough (cm/s)", "smooth (cm/s)", "rough by smooth"]]
    for variant in VARIANTS:
        for stiffness in SPRINGS:
            kind = Case(variant, "flat", stiffness=stiffness)
            length = "14 cm" if variant == HALF else "7 cm"
            rows.append([length, f"{stiffness:g}", *_flat_cells(results, kind)])
    return rows


@table("On the flat: methods")
def _way_rows(results: Results) -> list[list[str]]:
    rows = [["method, links of 14 cm", "rough (cm/s)", "smooth (cm/s)", "rough by smooth"]]
    for way, words in WORDS_FOR_WAYS.items():
        rows.append([words, *_flat_cells(results, Case(HALF, "flat", way=way))])
    return rows


def _flat_cells(results: Results, kind: Case) -> list[str]:
    rough, smooth = flat_speeds(results, kind)
    return [f"{rough:.2f}", f"{smooth:.2f}", f"{100 * (rough / smooth - 1):+.1f} %"]
