"""The peg track on this commit and on another one, taking turns, each time in a fresh process.

    python -m benchmarks.against 38d6ba3 --rounds 12

The other commit is checked out into a folder of its own. Processes alternate, because the clock of
a machine drifts by more than what is looked for. Run it alone.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent

# Microseconds per step of Aiko on its peg track, 10 s at 1 ms: the best of five runs.
_TRACK = """
import serpenoid as sp
scenario = sp.Scenario.load("aiko_pegs")
scenario.run(duration=0.1)
print(min(scenario.run().stepping_seconds for _ in range(5)) * 1e6 / 10_000)
"""


def track(checkout: Path) -> float:
    """Microseconds per step with the package of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout / "src"), "OMP_NUM_THREADS": "1"}
    environment.pop("SERPENOID_CACHE_DIR", None)
    answer = subprocess.run(
        [sys.executable, "-c", _TRACK],
        cwd=checkout,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return float(answer.stdout)


def interval(values: np.ndarray, samples: int = 10_000) -> tuple[float, float]:
    """95 % interval of the median, by resampling."""
    random = np.random.default_rng(0)
    medians = np.median(random.choice(values, (samples, len(values))), axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    return float(low), float(high)


def main() -> None:
    """Compare, and print medians and the ratio with its interval."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("--rounds", type=int, default=12, help="processes of each, default 12")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "-q", str(other), given.commit], check=True)
        try:
            both = [(track(ROOT), track(other)) for _ in range(given.rounds + 1)][1:]
        finally:
            subprocess.run([*git, "remove", "--force", str(other)], check=True)
    ours, theirs = np.array(both).T
    low, high = interval(ours / theirs)
    print(f"this checkout {np.median(ours):.3f} us/step, {given.commit} {np.median(theirs):.3f}")
    print(f"ratio {np.median(ours / theirs):.3f}, 95 % interval {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
