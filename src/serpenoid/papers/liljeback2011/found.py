"""What was found, in five sentences with the numbers of the outcomes that are kept."""

from __future__ import annotations

import numpy as np

from serpenoid.papers.liljeback2011.claims import as_shown
from serpenoid.papers.liljeback2011.kept import kept_fields
from serpenoid.papers.liljeback2011.outcome import Outcome
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.runs import outcomes, paper_pairs
from serpenoid.papers.liljeback2011.statistics import percent
from serpenoid.papers.liljeback2011.tables import passed, strictly
from serpenoid.papers.paper import Results
from serpenoid.papers.readings import Setting

_IMPACTS = {"rho": "with_impacts"}


def found() -> tuple[str, ...]:
    """Five plain sentences."""
    results = Results({"kept": kept_fields()})
    without = outcomes(results, paper_case({}, "none"))
    printed = outcomes(results, paper_case({}, "printed"))
    impacts = outcomes(results, paper_case(_IMPACTS, "printed"))
    away = 100 * float(np.mean([run.ran_away for run in printed]))
    return (
        "By the paper's own solver the printed controller reaches all waypoints in "
        f"{_count(printed)}, and in {_count(impacts)} with impacts in rho; the robot without "
        f"adaptation does in {_count(without)}.",
        "So by that solver adaptation gets the robot further, but what the paper shows in its one "
        f"field is not the rule: the robot without adaptation stopping halfway to waypoint 3 and "
        f"the printed controller passing was seen in {_shown(results)}.",
        f"The printed adaptation is unstable: in {away:.0f} % of the fields a joint turns past 180 "
        "degrees or the run cannot go on, and no more than "
        f"{strictly(printed)} of {len(printed)} are passed without that or links that cross.",
        "Where it passes, the robot moves at about 4 cm/s and not at 5 to 10, now and then stands, "
        "and is not yet around its path and heading when it reaches each waypoint.",
        "Contact forces are much smaller with adaptation by their 95th percentile under every "
        "reading, but not by mean or largest value, because a robot that runs away is wedged.",
    )


def _count(runs: list[Outcome]) -> str:
    """How many were passed, with the interval."""
    _, low, high = percent([run.passed for run in runs])
    return f"{passed(runs)} of {len(runs)} fields ({low:.0f} to {high:.0f} %)"


def _shown(results: Results) -> str:
    """In how many fields it goes as the paper shows, by reading of rho."""
    counts = []
    for rho in ("constraint", "with_impacts"):
        pairs = paper_pairs(Results({"kept": results["kept"]}, Setting({"rho": rho})))
        count = sum(as_shown(without) and adapting.passed for without, adapting in pairs)
        counts.append(f"{count} of {len(pairs)} fields")
    return f"{counts[0]}, and {counts[1]} with impacts in rho"
