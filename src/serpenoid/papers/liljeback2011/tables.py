"""Runs by kind: random fields, and what the success depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

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
from serpenoid.papers.paper import Results, require_run, table
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


def _interval(runs: list[Outcome]) -> str:
    low, high = wilson(passed(runs), len(runs))
    return f"{100 * low:.0f} to {100 * high:.0f} %"


class Statistic(NamedTuple):
    """A column of a table about the runs of one kind."""

    heading: str
    cell: Callable[[list[Outcome]], str]


_STATISTICS = {
    "passed": Statistic("fields passed", lambda runs: f"{passed(runs)} of {len(runs)}"),
    "interval": Statistic("95 % interval", _interval),
    "strictly": Statistic("strictly", lambda runs: f"{sum(run.strictly for run in runs)}"),
    "waypoints": Statistic(
        "mean waypoints", lambda runs: f"{np.mean([run.reached for run in runs]):.1f}"
    ),
    "velocity": Statistic(
        "forward velocity where passed (cm/s)",
        lambda runs: f"{velocity(runs):.1f}" if passed(runs) else "–",
    ),
    "force": Statistic(
        "95 % of forces below, median of the fields (N)", lambda runs: f"{high_force(runs):.0f}"
    ),
    "run_away": Statistic("run away", lambda runs: f"{100 * share_run_away(runs):.0f} %"),
}

# Demands on motors and gears, as `measure_wear` finds them.
WEAR = {
    "rate_frequency": "median frequency of the joint rates (Hz)",
    "rate_95": "95 % of the joint rates below (deg/s)",
    "torque_95": "95 % of the torques below (N m)",
    "torque_99_9": "99.9 % of the torques below (N m)",
    "torque_largest": "largest torque (N m)",
    "force_95": "95 % of the forces across links in contact below (N)",
    "work": "work of the motors (J/m)",
}


def _tabulate(
    head: list[str], keys: list[str], lines: list[tuple[list[str], list[Outcome]]]
) -> list[list[str]]:
    """Rows of a table.

    Args:
        head: Headings of the first cells.
        keys: Statistics of the cells after them.
        lines: First cells of each line, and the runs of which the others are statistics.
    """
    columns = [_STATISTICS[key] for key in keys]
    rows = [[*head, *(column.heading for column in columns)]]
    for first, runs in lines:
        rows.append([*first, *(column.cell(runs) for column in columns)])
    return rows


@table("Random fields")
def _statistics_rows(results: Results) -> list[list[str]]:
    head = ["solver", "contact", "adaptation"]
    keys = ["passed", "strictly", "waypoints", "velocity", "force", "run_away"]
    lines = [
        ([kind.solver, kind.place, words_for(kind)], outcomes(results, kind))
        for kind in usual_kinds(results)
    ]
    return _tabulate(head, keys, lines)


@table("Contact at the centre, solver newton, more fields")
def _more_rows(results: Results) -> list[list[str]]:
    """Three kinds on all fields that `newton` went through."""
    lines = []
    for kind in (Case(0, name) for name in CONTROLLERS):
        more = [run for run in results["more_fields"] if run.case.controller == kind.controller]
        lines.append(([words_for(kind)], outcomes(results, kind) + require_run(more)))
    return _tabulate(["adaptation"], ["passed", "interval", "strictly", "run_away"], lines)


@table("What the success depends on")
def _sensitivity_rows(results: Results) -> list[list[str]]:
    head = ["parameter", "value", "adaptation"]
    lines = [
        ([words, f"{getattr(kind, name):g}", words_for(kind)], on_fewer_fields(results, kind))
        for name, words in PARAMETERS.items()
        for kind in sensitivity(results, name)
    ]
    return _tabulate(head, ["passed", "velocity", "run_away"], lines)


@table("Fields passed strictly, by what the controller lacks")
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


@table("Motors and gears in the field shown, means over 10 ms")
def _wear_rows(results: Results) -> list[list[str]]:
    found: list[dict[str, float]] = require_run(results["wear"])
    rows = [["", *(f"{words_for(case)}, {case.place}" for case in WORN)]]
    for key, words in WEAR.items():
        values = [wear[key] for wear in found]
        rows.append([words, *(f"{v:.0f}" if v >= 100 else f"{v:.2g}" for v in values)])
    return rows


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
    differing = [
        kind
        for kind in {run.case.on(0) for run in results["fields"]}
        if kind.controller in CONTROLLERS
        and kind != (usual := Case(0, kind.controller))
        and replace(kind, **{name: getattr(usual, name)}) == usual
    ]
    varied = {kind.controller for kind in require_run(differing)}
    differing += [Case(0, controller) for controller in varied]
    return sorted(differing, key=lambda kind: (kind.controller, getattr(kind, name)))
