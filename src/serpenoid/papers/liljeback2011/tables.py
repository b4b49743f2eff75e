"""Tables of the paper's own law: fields, legs, forces, readings, and what an audit said."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from serpenoid.papers.liljeback2011.claims import LENGTH, as_shown, at
from serpenoid.papers.liljeback2011.experiments import ANEW
from serpenoid.papers.liljeback2011.outcome import Outcome
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.runs import force_pairs, outcomes, paper_pairs
from serpenoid.papers.liljeback2011.statistics import median, percent
from serpenoid.papers.liljeback2011.study import WAYPOINTS, Case
from serpenoid.papers.paper import Failed, Results, table

SOLVERS = {"hybrid": "hybrid, the paper's", "newton": "newton"}
_WORDS = {"none": "none", "printed": "as printed", "limited": "limited"}


class Statistic(NamedTuple):
    """A column of a table about the runs of one kind."""

    heading: str
    cell: Callable[[list[Outcome]], str]


STATISTICS = (
    Statistic("fields", lambda runs: f"{len(runs)}"),
    Statistic("passed", lambda runs: f"{passed(runs)}"),
    Statistic("95 % interval (%)", lambda runs: _interval([run.passed for run in runs])),
    Statistic("strictly", lambda runs: f"{strictly(runs)}"),
    Statistic("95 % interval (%)", lambda runs: _interval([run.strictly for run in runs])),
    Statistic("mean waypoints", lambda runs: f"{np.mean([run.reached for run in runs]):.1f}"),
    Statistic(
        "run away (%)", lambda runs: f"{100 * float(np.mean([run.ran_away for run in runs])):.0f}"
    ),
    Statistic("velocity where passed (cm/s)", lambda runs: _velocity(runs)),
)


def passed(runs: list[Outcome]) -> int:
    """Number of fields in which all waypoints were reached."""
    return sum(run.passed for run in runs)


def strictly(runs: list[Outcome]) -> int:
    """Number of them in which the robot did nothing that a real one could not."""
    return sum(run.strictly for run in runs)


def _interval(true: list[bool]) -> str:
    _, low, high = percent(true)
    return f"{low:.0f} to {high:.0f}"


def _velocity(runs: list[Outcome]) -> str:
    found = [100 * run.velocity for run in runs if run.passed]
    return median(found).words() if found else "–"


def tabulate(head: list[str], lines: list[tuple[list[str], list[Outcome]]]) -> list[list[str]]:
    """Statistics of several kinds of runs.

    Args:
        head: Headings of the first cells.
        lines: First cells of each line, and the runs of which the others are statistics.
    """
    rows = [[*head, *(column.heading for column in STATISTICS)]]
    for first, runs in lines:
        rows.append([*first, *(column.cell(runs) for column in STATISTICS)])
    return rows


def found_of(
    results: Results, kinds: list[tuple[list[str], Case]], fields: int | None = None
) -> list[tuple[list[str], list[Outcome]]]:
    """Lines of a table about those kinds that were run."""
    lines = []
    for first, kind in kinds:
        try:
            lines.append((first, outcomes(results, kind, fields)))
        except Failed:
            continue
    return lines


@table("The paper's law in random fields")
def _fields(results: Results) -> list[list[str]]:
    """By the paper's solver, with both readings of rho, and newton beside it."""
    kinds = [
        (["hybrid", "constraint", "none"], paper_case({}, "none")),
        (["hybrid", "constraint", "as printed"], paper_case({}, "printed")),
        (["hybrid", "with impacts", "as printed"], Case(0, "printed", solver="hybrid")),
        (["newton", "with impacts", "none"], Case(0, "none")),
        (["newton", "with impacts", "as printed"], Case(0, "printed")),
    ]
    return tabulate(["solver", "rho", "adaptation"], found_of(results, kinds))


@table("Both in the same fields")
def _pairs(results: Results) -> list[list[str]]:
    """How the same field goes without and with the printed adaptation."""
    pairs = paper_pairs(results)
    rows = [["without adaptation", "printed adaptation", "fields", "95 % interval (%)"]]
    for a in (True, False):
        for b in (True, False):
            both = [without.passed is a and adapting.passed is b for without, adapting in pairs]
            rows.append([_passes(a), _passes(b), f"{sum(both)}", _interval(both)])
    shown = [as_shown(without) and adapting.passed for without, adapting in pairs]
    rows.append(["stops halfway to waypoint 3", "passes", f"{sum(shown)}", _interval(shown)])
    return rows


def _passes(does: bool) -> str:
    return "passes" if does else "does not"


@table("By leg: how often it is finished, and errors over the last swing before its end")
def _legs(results: Results) -> list[list[str]]:
    """Remark 12: each leg is a start of its own."""
    rows = [["leg", "adaptation", "begun", "finished", "velocity on it (cm/s)"]]
    rows[0] += ["cross-track error (cm)", f"within {100 * LENGTH:.0f} cm (%)", "heading (deg)"]
    for leg in range(WAYPOINTS):
        for which, words in enumerate(("none", "as printed")):
            runs = [pair[which] for pair in paper_pairs(results)]
            begun = [run for run in runs if run.reached >= leg]
            done = [run for run in begun if run.reached > leg]
            cells = [f"{leg + 1}", words, f"{len(begun)}", f"{len(done)}"]
            if done:
                beside = [abs(run.sideways[leg]) for run in done]
                cells.append(median([100 * run.by_leg[leg] for run in done]).words())
                cells.append(median([100 * each for each in beside]).words())
                cells.append(f"{100 * np.mean([each <= LENGTH for each in beside]):.0f}")
                off = [abs(float(np.degrees(run.heading[leg]))) for run in done]
                cells.append(median(off).words())
            else:
                cells += ["–"] * 4
            rows.append(cells)
    return rows


@table("Contact forces, means over 20 ms: medians of the fields (N), and of their ratios")
def _forces(results: Results) -> list[list[str]]:
    """All links in contact; the same before anything impossible; link 5 over all time."""
    pairs = force_pairs(results)
    rows = [["of", "measure", "none", "as printed", "times smaller"]]
    names = {
        "forces": "links in contact",
        "sound_forces": "the same, until a joint is past 180 deg or links cross",
        "middle": "link 5 over all time",
    }
    measures = {"mean": 0, "95 % below": 1 + at(95), "99 % below": 1 + at(99)}
    for name, of in names.items():
        for words, index in (measures | {"largest": 1 + at(100)}).items():
            both = [(getattr(a, name)[index], getattr(b, name)[index]) for a, b in pairs]
            both = [(a, b) for a, b in both if a > 0 and b > 0]
            sizes = [median([pair[k] for pair in both]).words() for k in (0, 1)]
            rows.append([of, words, *sizes, median([a / b for a, b in both]).words()])
    return rows


@table("Forward velocity in fields passed with the printed law (cm/s), medians of the fields")
def _velocities(results: Results) -> list[list[str]]:
    runs = [run for _, run in paper_pairs(results) if run.passed]
    if not runs:
        raise Failed("no field was passed")
    rows = [["", "least", "5 % below", "middle", "95 % below", "largest"]]
    for words, name in (("at an instant", "momentary"), ("mean over a swing", "by_swing")):
        cells = [
            median([100 * getattr(run, name)[at(p)] for run in runs]).words()
            for p in (0, 5, 50, 95, 100)
        ]
        rows.append([words, *cells])
    return rows


@table("Kept outcomes, and the same run anew")
def _anew(results: Results) -> list[list[str]]:
    """Processors round differently and the motion is chaotic: elsewhere they may part."""
    rows = [["solver", "", "waypoints", "times (s)", "largest joint angle (deg)"]]
    for case, run in zip(ANEW, results["anew"], strict=True):
        for words, each in (("kept", outcomes(results, case)[0]), ("anew", run)):
            times = ", ".join(f"{time:.1f}" for time in each.times if np.isfinite(time))
            cells = [f"{each.reached}", times or "–", f"{each.largest_deg:.0f}"]
            rows.append([SOLVERS[case.solver], words, *cells])
    return rows
