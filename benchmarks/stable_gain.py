"""Random fields with the gain of `stable_gain`, with that of liljeback2011, and with none.

    python -m benchmarks.stable_gain            50 fields, five minutes of CPU time
    python -m benchmarks.stable_gain 4          the first of them

Solver `newton`; contact at the centre of links, as in the paper, and on their outline, where links
touch each other as well. Prints the table of the page Stability, and writes it to
docs/_static/stable_gain.md if it is about all fields. The margin of the rule was chosen on the
fields 1000 to 1039 with contact at the centre; these are others.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

import serpenoid as sp
from serpenoid.analysis.contact_stability import stable_gain
from serpenoid.papers.liljeback2011.outcome import Outcome, measure
from serpenoid.papers.liljeback2011.study import RADIUS, Case, Place, scenario
from serpenoid.papers.paper import run_as_far_as_possible

OUTPUT = Path(__file__).parents[1] / "docs" / "_static" / "stable_gain.md"
FIRST, FIELDS = 3000, 50
PRINTED = 0.02
PLACES: tuple[Place, ...] = ("centre", "outline")


def rule() -> float:
    """The gain that the rule gives for the paper's robot, wave, servos and filter, rad/N."""
    robot = sp.Robot.uniform(10, length=0.14, mass=1.0, inertia=0.0016, radius=RADIUS)
    return stable_gain(robot, sp.Follower(60, 40, delay=0.7), cutoff=0.75)


def passage(seed: int, place: Place, gain: float) -> Outcome:
    """Run one field; links without width, with contact at their centres, pass each other."""
    case = Case(seed, "printed", place, gain=gain) if gain else Case(seed, "none", place)
    tried = scenario(case, record_period=0.05).changed({"robot.self_contact": True})
    run, stopped = run_as_far_as_possible(tried)
    return measure(case, run, stopped)


def table(found: dict[tuple[Place, float], list[Outcome]], rule_gain: float) -> str:
    """The table, with the fields of each gain beside those of the rule.

    Args:
        found: Runs by place of contact and gain.
        rule_gain: Gain of the rule, rad/N.
    """
    words = {0.0: "none", PRINTED: f"{PRINTED}, as printed", rule_gain: f"{rule_gain:.4f}, rule"}
    head = [
        "contact",
        "gain (rad/N)",
        "passed",
        "strictly",
        "mean waypoints",
        "a joint beyond 180 deg",
        "links crossed",
        "could not go on",
        "strictly with the rule alone, with this alone, p of the sign test",
    ]
    rows = [head, ["---"] * len(head)]
    for (place, gain), runs in found.items():
        rows.append(
            [
                place,
                words[gain],
                f"{sum(run.passed for run in runs)} of {len(runs)}",
                f"{sum(run.strictly for run in runs)}",
                f"{np.mean([run.reached for run in runs]):.1f}",
                f"{sum(run.largest_deg > 180 for run in runs)}",
                f"{sum(run.crossed < np.inf for run in runs)}",
                f"{sum(bool(run.stopped) for run in runs)}",
                "" if gain == rule_gain else _paired(found[place, rule_gain], runs),
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _paired(best: list[Outcome], runs: list[Outcome]) -> str:
    """Fields that only one of two gains passes strictly, and how likely chance does as much."""
    pairs = list(zip(best, runs, strict=True))
    here = sum(a.strictly and not b.strictly for a, b in pairs)
    there = sum(b.strictly and not a.strictly for a, b in pairs)
    chance = binomtest(here, here + there).pvalue if here + there else 1.0
    return f"{here}, {there}, {chance:.2g}"


def main() -> None:
    """Run the fields, print the table, and keep it if it is about all of them."""
    count = int(sys.argv[1]) if sys.argv[1:] else FIELDS
    chosen = rule()
    found = {
        (place, gain): [passage(seed, place, gain) for seed in range(FIRST, FIRST + count)]
        for place in PLACES
        for gain in (0.0, PRINTED, chosen)
    }
    text = table(found, chosen)
    print(text)
    if count == FIELDS:
        OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
