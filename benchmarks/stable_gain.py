"""Random fields with the gain of `stable_gain`, with that of liljeback2011, and with none.

    python -m benchmarks.stable_gain            50 fields, two minutes of CPU time
    python -m benchmarks.stable_gain 4          the first of them

Prints the table of the page Stability, and writes it to docs/_static/stable_gain.md if it is about
all fields. The margin of the rule was chosen on the fields 1000 to 1039; these are others.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import serpenoid as sp
from serpenoid.analysis.contact_stability import stable_gain
from serpenoid.analysis.following import waypoint_times
from serpenoid.analysis.motion import crossings
from serpenoid.papers.liljeback2011.study import RADIUS, WAYPOINTS, Case, scenario
from serpenoid.papers.paper import run_as_far_as_possible

OUTPUT = Path(__file__).parents[1] / "docs" / "_static" / "stable_gain.md"
FIRST, FIELDS = 3000, 50
PRINTED = 0.02


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


def passage(seed: int, gain: float) -> Passage:
    """Run one field with `newton`, contact at the centre, and links that touch each other."""
    case = Case(seed, "printed", gain=gain) if gain else Case(seed, "none")
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


def table(found: dict[float, list[Passage]], rule_gain: float) -> str:
    """The table, with each gain's fields beside those of the rule; found: runs by gain."""
    words = {0.0: "none", PRINTED: "as printed", rule_gain: "of the rule"}
    count, best = len(found[rule_gain]), found[rule_gain]
    lines = [
        f"| gain (rad/N) | passed, of {count} fields | strictly | mean waypoints | a joint beyond "
        "180 deg | links crossed | could not go on | strictly only with the rule | strictly only "
        "with this |",
        "|---" * 9 + "|",
    ]
    for gain, runs in found.items():
        pairs = list(zip(best, runs, strict=True))
        only_rule = sum(a.strictly and not b.strictly for a, b in pairs)
        only_this = sum(b.strictly and not a.strictly for a, b in pairs)
        cells = [
            f"{gain:.4f}, {words[gain]}" if gain else "none",
            sum(run.passed for run in runs),
            sum(run.strictly for run in runs),
            f"{np.mean([run.reached for run in runs]):.1f}",
            sum(run.largest_deg > 180 for run in runs),
            sum(run.crossed for run in runs),
            sum(run.stopped for run in runs),
            "" if gain == rule_gain else only_rule,
            "" if gain == rule_gain else only_this,
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the fields, print the table, and keep it if it is about all of them."""
    count = int(sys.argv[1]) if sys.argv[1:] else FIELDS
    chosen = rule()
    found = {
        gain: [passage(seed, gain) for seed in range(FIRST, FIRST + count)]
        for gain in (0.0, PRINTED, chosen)
    }
    text = table(found, chosen)
    print(text)
    if count == FIELDS:
        OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
