"""A scenario on this commit and on another one, taking turns, each time in a fresh process.

    python -m benchmarks.against 38d6ba3 --rounds 12
    python -m benchmarks.against 38d6ba3 --scenario stairs

The other commit is checked out into a folder of its own. Processes alternate, because the clock of
a machine drifts by more than what is looked for. Run it alone. Processes use the public API only,
so that the commits may differ in everything else.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parent.parent

Changes = Mapping[str, Any]
"""What is changed in a scenario, by dotted keys."""

Cases = Mapping[str, tuple[str, Changes]]
"""Names of what is timed, each with a scenario and what is changed in it."""

# Microseconds per step, the best of some runs; a case that a checkout cannot run has none.
_TIME = """
import json, sys
import serpenoid as sp
runs, cases = json.loads(sys.argv[1])
best = {}
for name, (scenario, changes) in cases.items():
    try:
        scenario = sp.Scenario.load(scenario, changes)
        done = [scenario.run() for _ in range(runs)]
    except Exception as error:
        print(f"{name}: {error}", file=sys.stderr)
        continue
    best[name] = 1e6 * min(run.stepping_seconds / run.state.step for run in done)
print(json.dumps(best))
"""


def step_times(checkout: Path, cases: Cases, runs: int) -> dict[str, float]:
    """Microseconds per step of each case with the package of a checkout, in a fresh process."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OMP_NUM_THREADS": "1"}
    environment.pop("SERPENOID_CACHE_DIR", None)
    answer = subprocess.run(
        [sys.executable, "-c", _TIME, json.dumps([runs, cases])],
        cwd=checkout,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    times: dict[str, float] = json.loads(answer.stdout)
    return times


@contextlib.contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A folder with another commit, for as long as the `with` block lasts."""
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "-q", str(other), commit], check=True)
        try:
            yield other
        finally:
            subprocess.run([*git, "remove", "--force", str(other)], check=True)


class Comparison:
    """Times per step of one case, us, in pairs of one process of each commit.

    Args:
        before: With the other commit.
        after: With this checkout.
    """

    def __init__(self, before: npt.ArrayLike, after: npt.ArrayLike) -> None:
        self.before, self.after = np.asarray(before), np.asarray(after)
        self.ratios = self.after / self.before
        self.ratio = float(np.median(self.ratios))

    def interval(self, samples: int = 10_000) -> tuple[float, float]:
        """95 % interval of the median ratio, by resampling."""
        random = np.random.default_rng(0)
        medians = np.median(random.choice(self.ratios, (samples, len(self.ratios))), axis=1)
        low, high = np.quantile(medians, [0.025, 0.975])
        return float(low), float(high)


def compare(commit: str, cases: Cases, rounds: int, runs: int = 5) -> dict[str, Comparison]:
    """Time the cases that both commits can run.

    Args:
        commit: The commit to compare with.
        cases: What is timed.
        rounds: Processes of each commit; one more before them compiles and is not counted.
        runs: Runs of each case in a process, of which the best counts.
    """
    before: list[dict[str, float]] = []
    after: list[dict[str, float]] = []
    with checked_out(commit) as other:
        turns = [(other, before), (ROOT, after)]
        for k in range(rounds + 1):
            # Who goes first changes as well, should that matter.
            for checkout, times in turns[:: 1 if k % 2 else -1]:
                times.append(step_times(checkout, cases, runs))
    return {
        name: Comparison(
            [times[name] for times in before[1:]], [times[name] for times in after[1:]]
        )
        for name in cases
        if all(name in times for times in before + after)
    }


def main() -> None:
    """Compare, and print medians, best times and the ratio with its interval."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=12, help="processes of each, default 12")
    parser.add_argument(
        "--scenario", default="aiko_pegs", metavar="NAME", help="of the gallery, default aiko_pegs"
    )
    given = parser.parse_args()
    name = given.scenario
    found = compare(given.commit, {name: (name, {})}, given.rounds)
    if name not in found:
        sys.exit(f"{name} does not run on both commits")
    both = found[name]
    low, high = both.interval()
    for words, times in (("this checkout", both.after), (given.commit, both.before)):
        print(f"{words}: median {np.median(times):.3f}, best {times.min():.3f} us/step")
    print(f"ratio {both.ratio:.3f}, 95 % interval {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
