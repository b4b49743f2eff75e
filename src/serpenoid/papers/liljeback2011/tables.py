"""Runs by kind: random fields, and what the success depends on."""

from __future__ import annotations

import numpy as np

from serpenoid.papers.liljeback2011.claims import (
    high_force,
    outcomes,
    passed,
    share_run_away,
    velocity,
)
from serpenoid.papers.liljeback2011.experiments import CONTROLLERS, FEWER, LACKS, RADII, WORN
from serpenoid.papers.liljeback2011.study import Case, Outcome
from serpenoid.papers.liljeback2011.wear import Wear
from serpenoid.papers.paper import Failed, Results, Table
from serpenoid.plots.statistics import wilson

# What the success may depend on: fields of Case, and what they are called.
PARAMETERS = {
    "pegs": "pegs",
    "obstacle_friction": "friction of the pegs",
    "ground_friction": "friction of the ground",
    "gain": "gain of the adaptation (rad/N)",
    "limit_deg": "limit of the adaptation (deg)",
    "cutoff": "cutoff of the reference filter (Hz)",
}

_LACKING = {
    "recovery": "`Recovery`, which backs out of jams",
    "spread_limit": "`SpreadLimit`, which keeps shapes from folding onto themselves",
    "adaptation": "`Adaptation`",
    "fast_filter": "its fast reference filter: 0.75 Hz, as in the paper, instead of 20 Hz",
}

_WORN_BY = {
    "frequency": "median frequency of the joint rates (Hz)",
    "rate_deg": "95 % of the joint rates below (deg/s)",
    "torque": "95 % of the torques below (N m)",
    "high_torque": "99.9 % of the torques below (N m)",
    "largest_torque": "largest torque (N m)",
    "force": "95 % of the forces across links in contact below (N)",
    "work": "work of the motors (J/m)",
}


def usual_kinds(results: Results) -> list[Case]:
    """Kinds of runs that differ by solver, place of contact and controller, newton first."""
    kinds = dict.fromkeys(run.case.on(0) for run in results["fields"])
    usual = [
        kind
        for kind in kinds
        if (kind.controller == "adaptive" and kind.lacks == "nothing")
        or kind == Case(0, kind.controller, kind.place, kind.solver)
    ]
    return sorted(usual, key=lambda kind: kind.solver, reverse=True)


def words_for(kind: Case) -> str:
    """The controller of a kind of runs."""
    if kind.controller == "adaptive":
        return f"adaptive_path_following, links {200 * kind.radius:.0f} cm wide"
    return {"none": "none", "printed": "as printed", "limited": "limited"}[kind.controller]


def _statistics_rows(results: Results) -> list[list[str]]:
    rows = [
        [
            "solver",
            "contact",
            "adaptation",
            "fields passed",
            "strictly",
            "mean waypoints",
            "forward velocity where passed (cm/s)",
            "95 % of forces below, median of the fields (N)",
            "run away",
        ]
    ]
    for kind in usual_kinds(results):
        runs = outcomes(results, kind)
        rows.append(
            [
                kind.solver,
                kind.place,
                words_for(kind),
                f"{passed(runs)} of {len(runs)}",
                f"{sum(run.strictly for run in runs)}",
                f"{np.mean([run.reached for run in runs]):.1f}",
                _speed(runs),
                f"{high_force(runs):.0f}",
                f"{100 * share_run_away(runs):.0f} %",
            ]
        )
    return rows


def _sensitivity_rows(results: Results) -> list[list[str]]:
    head = ["parameter", "value", "adaptation", "fields passed"]
    rows = [[*head, "forward velocity where passed (cm/s)", "run away"]]
    for name, words in PARAMETERS.items():
        for kind in sensitivity(results, name):
            runs = on_fewer_fields(results, kind)
            share = f"{passed(runs)} of {len(runs)}"
            value = f"{getattr(kind, name):g}"
            away = f"{100 * share_run_away(runs):.0f} %"
            rows.append([words, value, words_for(kind), share, _speed(runs), away])
    return rows


def _more_rows(results: Results) -> list[list[str]]:
    """Three kinds on all fields that `newton` went through."""
    rows = [["adaptation", "fields passed", "95 % interval", "strictly", "run away"]]
    for name in CONTROLLERS:
        further = [run for run in results["more_fields"] if run.case.controller == name]
        if not further:
            raise Failed("this was not run; leave out --quick")
        runs = outcomes(results, Case(0, name)) + further
        low, high = wilson(passed(runs), len(runs))
        rows.append(
            [
                words_for(Case(0, name)),
                f"{passed(runs)} of {len(runs)}",
                f"{100 * low:.0f} to {100 * high:.0f} %",
                f"{sum(run.strictly for run in runs)}",
                f"{100 * share_run_away(runs):.0f} %",
            ]
        )
    return rows


def _ablation_rows(results: Results) -> list[list[str]]:
    rows = [["adaptive_path_following", *(f"links {200 * r:.0f} cm wide" for r in RADII)]]
    for lack in LACKS:
        cells = []
        for radius in RADII:
            runs = outcomes(results, Case(0, "adaptive", "outline", radius=radius, lacks=lack))
            strict, all_passed = sum(run.strictly for run in runs), passed(runs)
            more = f", and {all_passed - strict} more not strictly" if all_passed > strict else ""
            cells.append(f"{strict} of {len(runs)}{more}")
        rows.append(["as it is" if lack == "nothing" else f"without {_LACKING[lack]}", *cells])
    return rows


def _wear_rows(results: Results) -> list[list[str]]:
    found: list[Wear] = results["wear"]
    if not found:
        raise Failed("this was not run; leave out --quick")
    rows = [["", *(f"{words_for(case)}, {case.place}" for case in WORN)]]
    for name, words in _WORN_BY.items():
        values = [getattr(each, name) for each in found]
        rows.append(
            [words, *(f"{value:.0f}" if value >= 100 else f"{value:.2g}" for value in values)]
        )
    return rows


def _speed(runs: list[Outcome]) -> str:
    return f"{velocity(runs):.1f}" if passed(runs) else "–"


def on_fewer_fields(results: Results, kind: Case) -> list[Outcome]:
    """Runs of one kind on the fields that all sensitivities have in common."""
    return [run for run in outcomes(results, kind) if run.case.seed < FEWER]


def sensitivity(results: Results, name: str) -> list[Case]:
    """The usual cases, and those that differ from them by one parameter.

    Args:
        results: Outcomes of the experiments.
        name: Name of the parameter, an attribute of `Case`.

    Returns:
        The cases by controller, each by increasing parameter.

    Raises:
        Failed: No such case was run.
    """
    usual: dict[str, Case] = {each: Case(0, each) for each in CONTROLLERS}
    kinds = {run.case.on(0) for run in results["fields"]}
    differing = [
        kind
        for kind in kinds
        if kind.controller in usual and _differs_only(kind, usual[kind.controller], name)
    ]
    if not differing:
        raise Failed("this was not run; leave out --quick")
    varied = {kind.controller for kind in differing}
    differing += [usual[each] for each in varied]
    return sorted(differing, key=lambda kind: (kind.controller, getattr(kind, name)))


def _differs_only(kind: Case, usual: Case, name: str) -> bool:
    others = {key: value for key, value in vars(kind).items() if key != name}
    same = {key: value for key, value in vars(usual).items() if key != name}
    return others == same and getattr(kind, name) != getattr(usual, name)


TABLES = (
    Table("Random fields", _statistics_rows),
    Table("Contact at the centre, solver newton, more fields", _more_rows),
    Table("What the success depends on", _sensitivity_rows),
    Table("Fields passed strictly, by what the controller lacks", _ablation_rows),
    Table("Motors and gears in the field shown, means over 10 ms", _wear_rows),
)
