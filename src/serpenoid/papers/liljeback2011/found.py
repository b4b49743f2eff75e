"""What was found, in five sentences with the numbers of the outcomes that are kept."""

from __future__ import annotations

import numpy as np

from serpenoid.papers.liljeback2011.claims import AROUND, as_shown, at
from serpenoid.papers.liljeback2011.kept import kept_fields
from serpenoid.papers.liljeback2011.outcome import Outcome
from serpenoid.papers.liljeback2011.readings import paper_case
from serpenoid.papers.liljeback2011.runs import force_pairs, outcomes, paper_pairs
from serpenoid.papers.liljeback2011.statistics import median, percent
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
    gone = [run for run in printed if run.passed]
    speed = 100 * float(np.median([run.velocity for run in gone]))
    away = 100 * float(np.mean([run.ran_away for run in printed]))
    return (
        "By the paper's own solver the printed controller reaches all waypoints in "
        f"{_count(printed)}, and in {_count(impacts)} with impacts in rho; the robot without "
        f"adaptation does in {_count(without)}.",
        f"So by that solver adaptation gets the robot further in {_further(results)}, but what the "
        "paper shows in its one field is not the rule: the robot without adaptation ending halfway "
        "to waypoint 3 and the printed controller passing was seen in "
        f"{_shown(results, strict=False)}; strictly in {_shown(results, strict=True)}.",
        f"The printed adaptation is unstable: in {away:.0f} % of the fields a joint turns past 180 "
        "degrees or the run cannot go on, and no more than "
        f"{strictly(printed)} of {len(printed)} are passed without that or links that cross.",
        f"Where it passes, the robot moves at {speed:.1f} cm/s in the mean and not at 5 to 10, "
        "stands or slips back for moments, and is around its path before every waypoint in no more "
        f"than {_around(gone, 'sideways')}, around the path's direction in "
        f"{_around(gone, 'heading')}.",
        "Contact forces on link 5 are clearly smaller with adaptation by their 95th percentile "
        "under every reading, but under none shown to be by mean or largest value, which hold what "
        "a robot feels that ran away; until then or until links cross, those of all links are "
        f"{_smaller(results, 0)} and {_smaller(results, 1 + at(100))} times smaller.",
    )


def _count(runs: list[Outcome]) -> str:
    """How many were passed, with the interval."""
    _, low, high = percent([run.passed for run in runs])
    return f"{passed(runs)} of {len(runs)} fields ({low:.0f} to {high:.0f} %)"


def _further(results: Results) -> str:
    """In how many fields adaptation gets further, and in how many less far."""
    pairs = paper_pairs(results)
    more = sum(adapting.reached > without.reached for without, adapting in pairs)
    less = sum(adapting.reached < without.reached for without, adapting in pairs)
    return f"{more} of {len(pairs)} fields and less far in {less}"


def _smaller(results: Results, index: int) -> str:
    """By how much forces of links in contact are smaller while nothing impossible has happened."""
    both = [(a.sound_forces[index], b.sound_forces[index]) for a, b in force_pairs(results)]
    return f"{median([a / b for a, b in both if a > 0 and b > 0]).value:.1f}"


def _around(runs: list[Outcome], name: str) -> str:
    """In how many runs an error is around zero over the last swing before every waypoint."""
    count = sum(bool((np.abs(getattr(run, name)) <= AROUND[name]).all()) for run in runs)
    return f"{count} of {len(runs)}"


def _shown(results: Results, strict: bool) -> str:
    """In how many fields it goes as the paper shows, by reading of rho."""
    counts = []
    for rho in ("constraint", "with_impacts"):
        pairs = paper_pairs(Results({"kept": results["kept"]}, Setting({"rho": rho})))
        ends = [adapting for without, adapting in pairs if as_shown(without)]
        count = strictly(ends) if strict else passed(ends)
        counts.append(f"{count} of {len(pairs)}")
    return f"{counts[0]}, and {counts[1]} with impacts in rho"
