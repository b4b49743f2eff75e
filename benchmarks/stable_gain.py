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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

import serpenoid as sp
from serpenoid.analysis.contact_stability import stable_gain
from serpenoid.analysis.following import waypoint_times
from serpenoid.analysis.motion import crossings
from serpenoid.papers.liljeback2011.study import RADIUS, WAYPOINTS, Case, Place, scenario
from serpenoid.papers.paper import run_as_far_as_possible

OUTPUT = Path(__file__).parents[1] / "docs" / "_static" / "stable_gain.md"
FIRST, FIELDS = 3000, 50
PRINTED = 0.02
PLACES: tuple[Place, ...] = ("centre", "outline")


@dataclass(frozen=True)
class Passage:
    """What became of a run through a field.

    Attributes:
        reached: Waypoints reached.
        largest_deg: Largest joint angle until the last of them, deg.
        crossed: Whether links lay across each other in any row until then.
        stopped: Whether a step could not be solved.
    """

    reached: int
    largest_deg: float
    crossed: bool
    stopped: bool

    @property
    def passed(self) -> bool:
        """Whether all waypoints were reached."""
        return self.reached == WAYPOINTS

    @property
    def strictly(self) -> bool:
        """Whether they were reached by a motion that a real robot could make."""
        return self.passed and self.largest_deg <= 180 and not self.crossed and not self.stopped


def rule() -> float:
    """The gain that the rule gives for the paper's robot, wave, servos and filter, rad/N."""
    robot = sp.Robot.uniform(10, length=0.14, mass=1.0, inertia=0.0016, radius=RADIUS)
    return stable_gain(robot, sp.Follower(60, 40, delay=0.7), cutoff=0.75)


def passage(seed: int, place: Place, gain: float) -> Passage:
    """Run one field; links without width, with contact at their centres, pass each other."""
    case = Case(seed, "printed", place, gain=gain) if gain else Case(seed, "none", place)
    tried = scenario(case, record_period=0.05).changed({"robot.self_contact": True})
    run, stopped = run_as_far_as_possible(tried)
    times = waypoint_times(run)
    rows = run.time <= times[-1]
    return Passage(
        reached=int(np.isfinite(times).sum()),
        largest_deg=float(np.degrees(np.abs(run.columns["joint_angle"][rows]).max())),
        crossed=bool(crossings(run)[rows].any()),
        stopped=bool(stopped),
    )


def table(found: dict[tuple[Place, float], list[Passage]], rule_gain: float) -> str:
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
                f"{sum(run.crossed for run in runs)}",
                f"{sum(run.stopped for run in runs)}",
                "" if gain == rule_gain else _paired(found[place, rule_gain], runs),
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _paired(best: list[Passage], runs: list[Passage]) -> str:
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
